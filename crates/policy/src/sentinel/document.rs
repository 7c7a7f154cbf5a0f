//! A document that many policies read on many threads: parsed once, each part on first use.

use std::fmt;
use std::sync::OnceLock;

use crate::module_lists::{ByModule, ItemModule};
use crate::simulated::{Simulated, are_doubtful};
use crate::tfconfig::TfConfig;
use crate::tfplan::{RawMember, TfPlan};
use crate::tfstate::TfState;
use crate::{Collection, Marked};
use objchange::address::modules_of;
use objchange_document::json::View;
use objchange_document::{Document as Read, DocumentError, Plan, PlanFile, PlanSection};

use super::items::Items;
use super::place::RAW;

/// A collection of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CollectionKind {
    Changes,
    Drift,
    OutputChanges,
    PlanVariables,
    PlannedResources,
    PlannedOutputs,
    Raw,
    Resources,
    Outputs,
    Providers,
    ConfigResources,
    Provisioners,
    ConfigVariables,
    ConfigOutputs,
    ModuleCalls,
}

impl CollectionKind {
    /// The section of a plan that it is made of, if every whole plan has that.
    fn section(self) -> Option<PlanSection> {
        match self {
            Self::PlannedResources | Self::PlannedOutputs => Some(PlanSection::PlannedValues),
            Self::Resources | Self::Outputs => Some(PlanSection::PriorState),
            Self::Providers
            | Self::ConfigResources
            | Self::Provisioners
            | Self::ConfigVariables
            | Self::ConfigOutputs
            | Self::ModuleCalls => Some(PlanSection::Configuration),
            Self::PlanVariables => Some(PlanSection::Variables),
            Self::Changes | Self::Drift | Self::OutputChanges | Self::Raw => None,
        }
    }

    pub(super) const COUNT: usize = Self::ModuleCalls as usize + 1;
}

/// A plan, or a state, with its text.
pub struct Document {
    read: WithText,
    /// The positions of the items of each collection, in the order of their keys.
    orders: [OnceLock<Box<[u32]>>; CollectionKind::COUNT],
    /// Items that may be in the planned values, and in the prior state, by module.
    possible_planned: OnceLock<ByModule<String>>,
    possible_prior: OnceLock<ByModule<String>>,
}

self_cell::self_cell!(
    struct WithText {
        owner: PlanFile,
        #[not_covariant]
        dependent: Collections,
    }
);

/// The members of a plan that hold changes.
const CHANGES: [&str; 4] = ["deferred_changes", "output_changes", "resource_changes", "resource_drift"];

/// The members of a plan that hold actions which it invokes.
const INVOCATIONS: [&str; 2] = ["action_invocations", "deferred_action_invocations"];

/// The collections of a document.
struct Collections<'t> {
    plan: Option<OfPlan<'t>>,
    state: OnceLock<Result<TfState<'t>, DocumentError>>,
    nothing: Collection<'t, RawMember<'t>>,
}

struct OfPlan<'t> {
    plan: &'t Plan<'t>,
    collections: TfPlan<'t>,
    config: OnceLock<Result<TfConfig<'t>, DocumentError>>,
}

impl Document {
    /// The collections of a plan, or of a state.
    ///
    /// # Errors
    ///
    /// A part of the document cannot be read.
    pub fn new(file: PlanFile) -> Result<Self, DocumentError> {
        let read = WithText::try_new(file, |file| Collections::new(file.document()))?;
        let (possible_planned, possible_prior) = Default::default();
        Ok(Self { read, orders: Default::default(), possible_planned, possible_prior })
    }

    /// Whether it is a plan.
    pub fn is_plan(&self) -> bool {
        self.read.with_dependent(|_, collections| collections.plan.is_some())
    }

    /// Refuses a plan without a section that every whole plan has.
    pub(super) fn require(&self, section: PlanSection) -> Result<(), DocumentError> {
        self.read.with_dependent(|_, collections| match &collections.plan {
            Some(plan) => plan.plan.require(section),
            None => Ok(()),
        })
    }

    /// Looks at the plan itself.
    pub(super) fn plan<T>(&self, look: impl FnOnce(&TfPlan<'_>) -> T) -> Option<T> {
        self.read
            .with_dependent(|_, collections| collections.plan.as_ref().map(|plan| look(&plan.collections)))
    }

    /// The version of Terraform that wrote the state.
    pub(super) fn state_version(&self) -> Result<Option<String>, DocumentError> {
        self.read.with_dependent(|_, collections| {
            let version = collections.state()?.terraform_version.as_ref();
            Ok(version.map(|version| version.as_str().to_owned()))
        })
    }

    /// Looks at the items of a collection.
    pub(super) fn items<T>(
        &self,
        kind: CollectionKind,
        look: impl FnOnce(&dyn Items<'_>) -> T,
    ) -> Result<T, DocumentError> {
        self.read.with_dependent(|_, collections| collections.items(kind).map(look))
    }

    /// Looks at what a path of positions leads to in a part of an item, with what of it is unknown until apply.
    pub(super) fn at<T>(
        &self,
        kind: CollectionKind,
        index: usize,
        part: &str,
        path: &[u32],
        look: impl FnOnce(Marked<'_, '_>) -> Option<T>,
    ) -> Option<T> {
        self.read.with_dependent(|_, collections| {
            let items = collections.items(kind).ok()?;
            let mut marked = collections.with_unknown(kind, index, items.part(index, part).ok()??);
            for step in path {
                marked = match kind {
                    CollectionKind::Raw => collections.raw_part(items.key(index), marked, *step as usize)?,
                    _ => marked.part(*step as usize)?,
                };
            }
            look(marked)
        })
    }

    /// The items that a list of the raw plan may have in addition, for a plan made without its providers; at most `most`,
    /// because each list asks.
    pub(super) fn possible_in_raw(&self, index: usize, path: &[u32], most: usize) -> Vec<String> {
        let root = self.items(CollectionKind::Raw, |items| items.key(index).to_owned()).unwrap_or_default();
        let names = self.plan(|plan| {
            let simulated = &plan.simulated;
            let (what, items) = match root.as_str() {
                "resource_changes" | "deferred_changes" if path.is_empty() => {
                    ("instances", &simulated.instances)
                }
                "resource_drift" if path.is_empty() => ("drift", &simulated.drift),
                "planned_values" | "prior_state" => {
                    let mut names = match self.module_at(index, &root, path) {
                        Some(ModulePart::List(module, list)) => {
                            self.possible_by_module(&root, simulated).in_list(list, &module)
                        }
                        _ => Vec::new(),
                    };
                    names.truncate(most);
                    return names;
                }
                _ => return Vec::new(),
            };
            let reads = simulated.reads.iter().filter(|_| root == "resource_changes");
            let items = items.iter().map(|item| format!("{what} of {}", item.address));
            items.chain(reads.map(|key| format!("actions of {key}"))).take(most).collect()
        });
        names.unwrap_or_default()
    }

    /// The names of what there may be in the modules of a part of the plan, or not.
    fn possible_by_module(&self, root: &str, simulated: &Simulated<'_>) -> &ByModule<String> {
        let is_prior = root == "prior_state";
        let cell = if is_prior { &self.possible_prior } else { &self.possible_planned };
        cell.get_or_init(|| {
            let items = if is_prior { &simulated.prior } else { &simulated.instances };
            let items = items.iter().map(|item| (item.module(), format!("instances of {}", item.address)));
            let reads = simulated.reads.iter().filter(|_| !is_prior).map(|key| {
                let module = modules_of(key).last().unwrap_or_default();
                (ItemModule::In(module.to_owned()), format!("actions of {key}"))
            });
            ByModule::new(items.chain(reads))
        })
    }

    /// The module, or the list of a module, to which a path in the planned values or the prior state leads.
    fn module_at(&self, index: usize, root: &str, path: &[u32]) -> Option<ModulePart> {
        self.at(CollectionKind::Raw, index, RAW.0, &[], |marked| module_at(marked.exact()?, root, path))
    }

    /// The lists of a module of the planned values that may be missing, each with a data source that decides it: providers may
    /// read all data sources in it while planning, and a document has no empty list.
    pub(super) fn optional_in_raw(&self, index: usize, path: &[u32]) -> Vec<(&'static str, String)> {
        let root = self.items(CollectionKind::Raw, |items| items.key(index).to_owned()).unwrap_or_default();
        let found = self.plan(|plan| {
            if root != "planned_values" || plan.simulated.reads.is_empty() {
                return Vec::new();
            }
            let Some(ModulePart::Module(_)) = self.module_at(index, &root, path) else { return Vec::new() };
            let lists = |marked: Marked<'_, '_>| Some(optional_lists(marked.exact()?, &plan.simulated));
            self.at(CollectionKind::Raw, index, RAW.0, path, lists).unwrap_or_default()
        });
        found.unwrap_or_default()
    }

    /// Names what decides whether the plan itself has this member, if it is missing and may be there.
    pub(super) fn possible_member(&self, name: &str) -> Option<String> {
        let depends = self.plan(|plan| {
            let simulated = &plan.simulated;
            match name {
                "resource_drift" => simulated.drift.first().map(|item| format!("drift of {}", item.address)),
                "prior_state" => {
                    simulated.prior_outputs.first().map(|item| format!("instances of {}", item.address))
                }
                name if simulated.open_members().contains(&name) => {
                    simulated.open_facts().next().map(str::to_owned)
                }
                _ => None,
            }
        });
        depends.flatten()
    }

    /// Whether the plan was made without asking its providers.
    pub(super) fn is_simulated(&self) -> bool {
        self.plan(|plan| plan.simulated.is_simulated).unwrap_or_default()
    }

    /// The keys that are missing in an object of the plan itself because what they lead to is unknown until apply.
    pub(super) fn missing_in_raw(&self, index: usize, path: &[u32]) -> Vec<&'static str> {
        let root = self.items(CollectionKind::Raw, |items| items.key(index).to_owned()).unwrap_or_default();
        let root = root.as_str();
        let look = |path: &[u32], missing: &dyn Fn(View<'_, '_>) -> Vec<&'static str>| {
            self.at(CollectionKind::Raw, index, RAW.0, path, |marked| marked.exact().map(missing))
                .unwrap_or_default()
        };
        // The key of the object, in the one around it.
        let key_is = |wanted: &'static str| {
            path.split_last().is_some_and(|(last, around)| {
                let is_wanted = |view: View<'_, '_>| match view.members().at_position(*last as usize) {
                    Some((key, _)) if key == wanted => vec![wanted],
                    _ => Vec::new(),
                };
                !look(around, &is_wanted).is_empty()
            })
        };
        let is_unknown_variable =
            |name: &str| self.plan(|plan| plan.simulated.variables.contains(name)).unwrap_or_default();
        match root {
            "variables" if path.len() == 1 => look(&[], &|variables| {
                let variable = variables.members().at_position(path[0] as usize);
                let is_unknown = variable.is_some_and(|(name, _)| is_unknown_variable(name));
                if is_unknown { vec!["value"] } else { Vec::new() }
            }),
            "planned_values" if path.len() == 2 => look(&path[..1], &|outputs| {
                let Some((name, output)) = outputs.members().at_position(path[1] as usize) else {
                    return Vec::new();
                };
                // An output that is partly unknown lacks these members.
                let missing: Vec<_> =
                    ["type", "value"].into_iter().filter(|key| output.get(key).is_none()).collect();
                if self.is_planned_output_unknown(name) { missing } else { Vec::new() }
            }),
            "resource_changes" if self.is_simulated() && path.len() == 1 => look(path, &|resource| {
                let actions = resource.get("change").and_then(|change| change.get("actions"));
                let is_missing = resource.get("action_reason").is_none();
                if is_missing && actions.is_some_and(are_doubtful) {
                    vec!["action_reason"]
                } else {
                    Vec::new()
                }
            }),
            "resource_changes" if self.is_simulated() && path.len() == 2 && key_is("change") => {
                look(path, &|change| {
                    let is_doubtful = change.get("actions").is_some_and(are_doubtful);
                    let is_missing = is_doubtful && change.get("replace_paths").is_none();
                    if is_missing { vec!["replace_paths"] } else { Vec::new() }
                })
            }
            root if CHANGES.contains(&root) => look(path, &|change| {
                let is_unknown = change.get("after_unknown").is_some_and(View::has_true);
                if is_unknown && change.get("after").is_none() {
                    return vec!["after"];
                }
                let is_unknown = change.get("unknown").is_some_and(View::is_true);
                let missing = ["id", "identity"].into_iter().filter(|key| change.get(key).is_none());
                if is_unknown && key_is("importing") { missing.collect() } else { Vec::new() }
            }),
            root if INVOCATIONS.contains(&root) => look(path, &|invocation| {
                let is_unknown = invocation.get("config_unknown").is_some_and(View::has_true);
                let is_missing = invocation.get("config_values").is_none();
                if is_unknown && is_missing { vec!["config_values"] } else { Vec::new() }
            }),
            "prior_state" | "planned_values" => {
                let is_prior = root == "prior_state";
                let module = match self.module_at(index, root, path) {
                    Some(ModulePart::Module(module)) => Some(module),
                    _ => None,
                };
                let lists = self.plan(|plan| {
                    let simulated = &plan.simulated;
                    let has_outputs = is_prior && !simulated.prior_outputs.is_empty();
                    let open = module.map(|module| {
                        let possible = self.possible_by_module(root, simulated);
                        let lists = ["child_modules", "resources"].into_iter();
                        lists.filter(|list| !possible.in_list(list, &module).is_empty()).collect::<Vec<_>>()
                    });
                    (open, has_outputs, is_prior && simulated.hides_marks())
                });
                let (open, has_outputs, hides_marks) = lists.unwrap_or_default();
                look(path, &|object| {
                    let lacks = |name: &&'static str| object.get(name).is_none();
                    let is_resource =
                        ["address", "mode", "type"].iter().all(|name| object.get(name).is_some());
                    if let Some(open) = &open {
                        open.iter().copied().filter(lacks).collect()
                    } else if is_resource {
                        ["depends_on"].into_iter().filter(|name| hides_marks && lacks(name)).collect()
                    } else if object.get("root_module").is_some() {
                        ["outputs"].into_iter().filter(|name| has_outputs && lacks(name)).collect()
                    } else {
                        Vec::new()
                    }
                })
            }
            // A check, or an instance in its list.
            "checks" if path.len() == 1 || path.len() == 3 => look(path, &|check| {
                let name = if path.len() == 1 { "instances" } else { "problems" };
                let is_missing = is_unknown_outcome(check) && check.get(name).is_none();
                if is_missing { vec![name] } else { Vec::new() }
            }),
            _ => Vec::new(),
        }
    }

    /// Whether a part of an output is unknown until apply.
    fn is_planned_output_unknown(&self, name: &str) -> bool {
        self.read.with_dependent(|_, collections| {
            let plan = collections.plan.as_ref();
            let output = plan.and_then(|plan| plan.collections.output_changes.get(name));
            output.is_some_and(|output| output.change.after_unknown().is_ok_and(View::has_true))
        })
    }

    /// The positions of the items of a collection, in the order of their keys.
    pub(super) fn order(&self, kind: CollectionKind) -> &[u32] {
        self.orders[kind as usize].get_or_init(|| {
            let sorted = self.items(kind, |items| {
                // A document has no more of them than bytes, and less than 4 Gi of these in each.
                let mut order: Box<[u32]> = (0..items.count() as u32).collect();
                // `DocumentCache::find` searches this order by halves, and loops of policies go by it.
                order.sort_by_key(|position| items.key(*position as usize));
                order
            });
            sorted.unwrap_or_default()
        })
    }
}

/// Nothing of it: it holds secrets.
impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document").finish_non_exhaustive()
    }
}

impl<'t> Collections<'t> {
    fn new(document: &'t Read<'t>) -> Result<Self, DocumentError> {
        let nothing = Collection::default();
        Ok(match document {
            Read::State(state) => {
                Self { plan: None, state: OnceLock::from(Ok(TfState::new(state.clone())?)), nothing }
            }
            Read::Plan(plan) => {
                let collections = TfPlan::new(plan)?;
                let plan = Some(OfPlan { plan, collections, config: OnceLock::new() });
                Self { plan, state: OnceLock::new(), nothing }
            }
        })
    }

    fn items(&self, kind: CollectionKind) -> Result<&dyn Items<'t>, DocumentError> {
        if let (Some(plan), Some(section)) = (&self.plan, kind.section()) {
            plan.plan.require(section)?;
        }
        if let CollectionKind::Resources | CollectionKind::Outputs = kind {
            let state = self.state()?;
            return Ok(if kind == CollectionKind::Resources { &state.resources } else { &state.outputs });
        }
        let Some(plan) = &self.plan else { return Ok(&self.nothing) };
        let collections = &plan.collections;
        Ok(match kind {
            CollectionKind::Changes => &collections.resource_changes,
            CollectionKind::Drift => &collections.resource_drift,
            CollectionKind::OutputChanges => &collections.output_changes,
            CollectionKind::PlanVariables => &collections.variables,
            CollectionKind::PlannedResources => &collections.planned_values.resources,
            CollectionKind::PlannedOutputs => &collections.planned_values.outputs,
            CollectionKind::Raw | CollectionKind::Resources | CollectionKind::Outputs => {
                &collections.raw.members
            }
            CollectionKind::Providers => &plan.config()?.providers,
            CollectionKind::ConfigResources => &plan.config()?.resources,
            CollectionKind::Provisioners => &plan.config()?.provisioners,
            CollectionKind::ConfigVariables => &plan.config()?.variables,
            CollectionKind::ConfigOutputs => &plan.config()?.outputs,
            CollectionKind::ModuleCalls => &plan.config()?.module_calls,
        })
    }

    /// A part of an item with what is unknown of it, which stands elsewhere for planned values.
    fn with_unknown<'v>(
        &'v self,
        kind: CollectionKind,
        index: usize,
        marked: Marked<'v, 't>,
    ) -> Marked<'v, 't> {
        let unknown = || {
            let collections = &self.plan.as_ref()?.collections;
            let simulated = &collections.simulated;
            if kind == CollectionKind::Raw {
                let is_open = match collections.raw.members.key(index) {
                    "complete" => simulated.hides_complete,
                    "applyable" => simulated.hides_applyable,
                    name => simulated.open_members().contains(&name),
                };
                return if is_open { Some(marked.exact()?.bool(true)) } else { None };
            }
            let change = match kind {
                CollectionKind::PlannedResources => {
                    let (_, resource) = collections.planned_values.resources.at(index)?;
                    // Data resources have no `data.` in their addresses here.
                    let module = match &*resource.module_address {
                        "" => 0,
                        module => module.len() + 1,
                    };
                    let (module, rest) = resource.address.split_at_checked(module)?;
                    let address = match &*resource.mode {
                        "data" => format!("{module}data.{rest}"),
                        _ => resource.address.to_string(),
                    };
                    &collections.resource_changes.get(&address)?.change
                }
                CollectionKind::PlannedOutputs => {
                    let (name, _) = collections.planned_values.outputs.at(index)?;
                    &collections.output_changes.get(name)?.change
                }
                _ => return None,
            };
            change.after_unknown().ok()
        };
        unknown().map_or(marked, |unknown| marked.with_unknown(unknown))
    }

    /// A part of an object or list of the plan itself.
    fn raw_part<'v>(&'v self, root: &str, parent: Marked<'v, 't>, position: usize) -> Option<Marked<'v, 't>> {
        let marked = parent.part(position)?;
        let view = parent.exact()?;
        let unknown = || {
            let key = view.members().at_position(position)?.0;
            match (root, key) {
                ("resource_changes", "actions" | "replace_paths" | "action_reason")
                    if self.plan.as_ref()?.collections.simulated.is_simulated =>
                {
                    let change = view.get("change").unwrap_or(view);
                    let lacks_input = self.plan.as_ref()?.collections.simulated.lacks_input;
                    let is_doubtful = |actions: &View<'_, '_>| {
                        are_doubtful(*actions) || lacks_input && key == "action_reason" && is_read(*actions)
                    };
                    change.get("actions").filter(is_doubtful).map(|_| view.bool(true))
                }
                (root, "after") if CHANGES.contains(&root) => view.get("after_unknown"),
                ("resource_changes" | "output_changes", "after_unknown")
                    if self.plan.as_ref()?.collections.simulated.is_simulated =>
                {
                    // `after_unknown` of a value that turns out to be known has no marks for its parts.
                    view.get("after_unknown").filter(|marks| marks.has_true()).map(|marks| marks.bool(true))
                }
                (root, "config_values") if INVOCATIONS.contains(&root) => view.get("config_unknown"),
                ("planned_values", "values") => {
                    let address = view.get("address")?.as_str()?;
                    let change = self.plan.as_ref()?.collections.resource_changes.get(address)?;
                    change.change.after_unknown().ok()
                }
                ("resource_changes" | "output_changes", "after_sensitive")
                | ("planned_values", "sensitive_values")
                    if self.hides_marks() =>
                {
                    Some(view.bool(true))
                }
                ("prior_state", "outputs")
                    if !self.plan.as_ref()?.collections.simulated.prior_outputs.is_empty() =>
                {
                    Some(view.bool(true))
                }
                // Both come from the configuration and the schemas.
                ("prior_state", "depends_on" | "sensitive_values") if self.hides_marks() => {
                    Some(view.bool(true))
                }
                ("planned_values", "schema_version") if self.is_schemaless(view) => Some(view.bool(true)),
                ("checks", "status" | "problems") if is_unknown_outcome(view) => Some(view.bool(true)),
                _ => None,
            }
        };
        Some(unknown().map_or(marked, |unknown| marked.with_unknown(unknown)))
    }

    /// Whether it is unknown what is sensitive in planned values.
    fn hides_marks(&self) -> bool {
        self.plan.as_ref().is_some_and(|plan| plan.collections.simulated.hides_marks())
    }

    /// Whether nobody has the schema of an object of the plan itself.
    fn is_schemaless(&self, object: View<'_, '_>) -> bool {
        let provider = object.get("provider_name").and_then(View::as_str).unwrap_or_default();
        self.plan.as_ref().is_some_and(|plan| plan.collections.simulated.is_schemaless(provider))
    }

    /// The state, or the one that the plan starts from.
    fn state(&self) -> Result<&TfState<'t>, DocumentError> {
        let read = || {
            self.plan.as_ref().map_or_else(
                || Ok(TfState::default()),
                |plan| TfState::prior_with(plan.plan, plan.collections.raw.stated()),
            )
        };
        self.state.get_or_init(read).as_ref().map_err(Clone::clone)
    }
}

/// A part of the planned values or the prior state that may have more or less in it.
enum ModulePart {
    /// The module of this address.
    Module(String),
    /// A list of the module of this address: `resources` or `child_modules`.
    List(String, &'static str),
}

/// Follows a path through the modules of a section; `None` where it leads to anything else.
fn module_at(section: View<'_, '_>, root: &str, path: &[u32]) -> Option<ModulePart> {
    let mut steps = path.iter().map(|step| *step as usize);
    let mut object = section;
    let outer: &[&str] = if root == "prior_state" { &["values", "root_module"] } else { &["root_module"] };
    for wanted in outer {
        let (key, inner) = object.members().at_position(steps.next()?)?;
        object = Some(inner).filter(|_| key == *wanted)?;
    }
    loop {
        let address = object.get("address").and_then(View::as_str).unwrap_or_default();
        let Some(step) = steps.next() else { return Some(ModulePart::Module(address.to_owned())) };
        let (key, list) = object.members().at_position(step)?;
        let list_name = ["resources", "child_modules"].into_iter().find(|name| *name == key)?;
        let Some(step) = steps.next() else {
            return Some(ModulePart::List(address.to_owned(), list_name));
        };
        object = list.elements().get(step).filter(|_| list_name == "child_modules")?;
    }
}

/// The lists of a module that may be missing, each with a data source that decides it.
fn optional_lists(module: View<'_, '_>, simulated: &Simulated<'_>) -> Vec<(&'static str, String)> {
    let read = |resource: View<'_, '_>| {
        let address = resource.get("address").and_then(View::as_str)?;
        let is_data = resource.get("mode").and_then(View::as_str) == Some("data");
        (is_data && simulated.may_lack_read(address)).then(|| address.to_owned())
    };
    let resources = || all_are(module.get("resources")?, &read);
    let modules = || all_are(module.get("child_modules")?, &|module| optional_module(module, simulated));
    let lists = [("resources", resources()), ("child_modules", modules())];
    lists.into_iter().filter_map(|(name, read)| Some((name, format!("actions of {}", read?)))).collect()
}

/// A data source that decides whether a module is there, if it has nothing else in it.
fn optional_module(module: View<'_, '_>, simulated: &Simulated<'_>) -> Option<String> {
    let lists = ["resources", "child_modules"].iter().filter(|name| module.get(name).is_some()).count();
    let optional = optional_lists(module, simulated);
    let first = optional.first().map(|(_, read)| read.trim_start_matches("actions of ").to_owned());
    first.filter(|_| optional.len() == lists)
}

/// The first answer for the elements of a list, if there is one for each.
fn all_are(list: View<'_, '_>, answer: &dyn Fn(View<'_, '_>) -> Option<String>) -> Option<String> {
    let mut first = None;
    for element in list.elements().iter() {
        let found = answer(element)?;
        first.get_or_insert(found);
    }
    first
}

/// Whether these are the actions of a data source.
fn is_read(actions: View<'_, '_>) -> bool {
    actions.elements().iter().any(|action| action.as_str() == Some("read"))
}

/// Whether the outcome of a check is known only after apply.
fn is_unknown_outcome(check: View<'_, '_>) -> bool {
    check.get("status").and_then(View::as_str) == Some("unknown")
}

impl<'t> OfPlan<'t> {
    fn config(&self) -> Result<&TfConfig<'t>, DocumentError> {
        self.config
            .get_or_init(|| TfConfig::with_marks(self.plan, self.collections.raw.marks()))
            .as_ref()
            .map_err(Clone::clone)
    }
}
