//! The facts that a plan made without its providers leaves open.
//!
//! Only a provider knows which updates replace an object or change nothing, so the actions of updates are
//! unknown. Only a provider knows what has drifted. If the instances of a resource depend on values that only
//! a provider knows, its changes are unknown, too. A data source whose arguments are known is read while planning:
//! Terraform 1.11 lists it in `prior_state` then, and not in `resource_changes`.

use std::collections::{BTreeSet, HashSet};

use objchange_document::changes::{ChangedResource, Deferred, ResourceActions, ValueChange};
use objchange_document::json::{Json, View};
use objchange_document::{MissingKind, Plan, Text};

use crate::address::without_data;
#[cfg(any(feature = "rego", feature = "sentinel"))]
use crate::module_lists::ItemModule;

/// The members of a plan to which a module that is not there may add anything.
#[cfg(any(feature = "rego", feature = "sentinel"))]
const IN_MODULES: &[&str] = &[
    "action_invocations",
    "checks",
    "configuration",
    "deferred_action_invocations",
    "deferred_changes",
    "relevant_attributes",
];

/// The members of a plan that depend on what providers do: an attribute is relevant if something changes because of it.
#[cfg(any(feature = "rego", feature = "sentinel"))]
const BY_PROVIDERS: &[&str] = &["relevant_attributes"];

/// The members of a plan that depend on schemas: these say what is a block.
#[cfg(any(feature = "rego", feature = "sentinel"))]
const BY_SCHEMAS: &[&str] = &["configuration", "relevant_attributes"];

/// The arguments of `terraform_data`.
pub(crate) const ARGUMENTS: [&str; 2] = ["input", "triggers_replace"];

/// Facts that only the missing providers could tell.
#[derive(Debug, Default)]
pub(crate) struct Simulated<'t> {
    /// The plan was made without asking its providers.
    pub(crate) is_simulated: bool,
    /// Some of its input is missing.
    pub(crate) lacks_input: bool,
    /// The keys of the changes whose actions are unknown.
    actions: BTreeSet<String>,
    /// The outputs whose actions are unknown.
    outputs: BTreeSet<String>,
    /// The names of variables without a value.
    pub(crate) variables: HashSet<String>,
    /// The providers without schemas: nobody knows which attributes their objects have, and of which types.
    schemaless: BTreeSet<String>,
    /// Objects that missing modules may have.
    pub(crate) modules: Vec<PossibleItem<'t>>,
    /// Resources whose actions only a provider can tell: they may have changes.
    pub(crate) instances: Vec<PossibleItem<'t>>,
    /// Objects that may have drifted.
    pub(crate) drift: Vec<PossibleItem<'t>>,
    /// The keys of the changes that read data sources, unless their providers read them while planning: then there is no
    /// change.
    pub(crate) reads: BTreeSet<String>,
    /// The addresses that these data sources have in planned values.
    planned_reads: HashSet<String>,
    /// Those of them that are also addresses of managed resources, which collections keep instead.
    hidden_reads: HashSet<String>,
    /// Resources that the prior state has if their providers read or import them while planning.
    pub(crate) prior: Vec<PossibleItem<'t>>,
    /// Items that may add outputs to the prior state: an output that is known while planning is saved in it.
    pub(crate) prior_outputs: Vec<PossibleItem<'t>>,
    /// It depends on the providers whether the plan is complete.
    pub(crate) hides_complete: bool,
    /// It depends on the providers whether the plan does something.
    pub(crate) hides_applyable: bool,
}

/// An item that a collection may have, or not.
#[derive(Debug, Clone)]
pub(crate) struct PossibleItem<'t> {
    /// The address of the instance, or of a resource whose instances are not known.
    pub(crate) address: Text<'t>,
    /// The address in documents: collections leave out `data.`.
    pub(crate) written_address: Text<'t>,
    pub(crate) module_address: Text<'t>,
    pub(crate) mode: Text<'t>,
    pub(crate) resource_type: Text<'t>,
    pub(crate) name: Text<'t>,
    pub(crate) provider_name: Text<'t>,
    /// It is known which instance it is.
    pub(crate) is_instance: bool,
    /// It may be anywhere below its module: nothing else is known of it.
    pub(crate) is_any: bool,
}

impl<'t> PossibleItem<'t> {
    fn new(resource: &ChangedResource<'t>, is_instance: bool) -> Self {
        Self {
            address: resource.address.clone(),
            written_address: resource.address.clone(),
            module_address: resource.module_address.clone().unwrap_or_default(),
            mode: resource.mode.clone(),
            resource_type: resource.resource_type.clone(),
            name: resource.name.clone(),
            provider_name: resource.provider_name.clone(),
            is_instance,
            is_any: false,
        }
    }

    /// Anything in a module that is not there.
    fn anything_in(module: &str) -> Self {
        Self {
            address: module.to_owned().into(),
            written_address: module.to_owned().into(),
            module_address: module.to_owned().into(),
            mode: Text::default(),
            resource_type: Text::default(),
            name: Text::default(),
            provider_name: Text::default(),
            is_instance: false,
            is_any: true,
        }
    }

    /// The module that it may be in.
    #[cfg(any(feature = "rego", feature = "sentinel"))]
    pub(crate) fn module(&self) -> ItemModule {
        match (self.is_any, self.address.starts_with("module.")) {
            (true, true) => ItemModule::InOrBelow(self.address.to_string()),
            // Where nobody can read what is missing, it may be anything.
            (true, false) => ItemModule::Unknown,
            (false, _) => ItemModule::In(self.module_address.to_string()),
        }
    }

    /// Whether it may be the item of this key.
    #[cfg(feature = "sentinel")]
    pub(crate) fn may_have(&self, key: &str) -> bool {
        let starts = |rest: &str| rest.starts_with('[') || self.is_any && rest.starts_with(['.', ':']);
        key.strip_prefix(self.address.as_str()).is_some_and(|rest| rest.is_empty() || starts(rest))
            || self.module() == ItemModule::Unknown
    }

    /// A known field of a possible item. Its actions and values are unknown.
    pub(crate) fn label(&self, field: &str) -> Option<&Text<'t>> {
        match field {
            _ if self.is_any => None,
            "mode" => Some(&self.mode),
            "type" => Some(&self.resource_type),
            "name" => Some(&self.name),
            "provider_name" => Some(&self.provider_name).filter(|name| !name.is_empty()),
            "address" if self.is_instance => Some(&self.address),
            "module_address" if self.is_instance => Some(&self.module_address),
            _ => None,
        }
    }
}

impl<'t> Simulated<'t> {
    /// Collects what a plan leaves open; nothing unless it was made without its providers.
    pub(crate) fn new(plan: &Plan<'t>) -> Self {
        let mut open = Self::default();
        let missing = plan.missing();
        if !plan.is_simulated() && missing.is_empty() {
            return open;
        }
        open.is_simulated = true;
        open.lacks_input = !missing.is_empty();
        let variables = missing.iter().filter(|missing| missing.kind == MissingKind::Variable);
        let variables = variables.filter_map(|missing| missing.address.strip_prefix("var."));
        open.variables = variables.map(str::to_owned).collect();
        let of_kind = |kind| missing.iter().filter(move |missing| missing.kind == kind);
        open.schemaless = of_kind(MissingKind::Schema).map(|missing| missing.address.clone()).collect();
        let anything =
            missing.iter().filter(|missing| !missing.kind.is_value() && missing.kind != MissingKind::Schema);
        open.modules = anything.map(|missing| PossibleItem::anything_in(&missing.address)).collect();
        for resource in &plan.changes.resources {
            if has_unknown_actions(resource) {
                open.actions.insert(key(resource));
            }
            // The values that it waits for may be known with the providers: another data source may be read, or an update may
            // change nothing. When only data sources with known arguments were open, 13 of 19,089 random rules over
            // directories were decided wrongly.
            if resource.change.actions == ResourceActions::Read {
                open.reads.insert(key(resource));
                // Documents have `data.` in these addresses, and collections have not.
                let address = without_data(&resource.address).into_owned();
                open.planned_reads.extend([resource.address.to_string(), address.clone()]);
                open.prior
                    .push(PossibleItem { address: address.into(), ..PossibleItem::new(resource, true) });
            }
            // Terraform reports drift of managed resources alone (`driftedResources` in its context), and reading a
            // `terraform_data` returns its state as it is.
            let may_have_drifted =
                !plan.is_unrefreshed() && resource.mode == *"managed" && !resource.is_builtin();
            if may_have_drifted && exists(&resource.change) {
                open.drift.push(PossibleItem::new(resource, true));
            }
        }
        let managed = plan.changes.resources.iter().filter(|resource| resource.mode == *"managed");
        let hidden = managed.filter(|resource| open.planned_reads.contains(&*resource.address));
        open.hidden_reads = hidden.map(|resource| resource.address.to_string()).collect();
        if !plan.is_unrefreshed() {
            let objects = plan.refreshed_alone().into_iter().filter(|object| !object.is_builtin());
            open.drift.extend(objects.map(|object| PossibleItem {
                address: object.address.clone(),
                written_address: object.address,
                module_address: object.module_address,
                mode: object.mode,
                resource_type: object.resource_type,
                name: object.name,
                provider_name: object.provider_name,
                is_instance: true,
                is_any: false,
            }));
        }
        // A plan that only refreshes has outputs that follow objects which may have drifted, and lists no change of these.
        let only_refreshes = plan.changes.resources.is_empty() && !plan.is_unrefreshed();
        let may_drift = only_refreshes && !open.drift.is_empty();
        for output in &plan.changes.outputs {
            if may_drift {
                open.outputs.insert(output.name.to_string());
            }
            // With all of the input its value may be null, so that there is none.
            let is_doubtful = output.change.actions == ResourceActions::Update
                || output.change.actions == ResourceActions::Create && !missing.is_empty();
            let is_unknown = is_unknown(&output.change, &[]);
            if is_doubtful && is_unknown {
                open.outputs.insert(output.name.to_string());
            }
            if is_unknown {
                // Functions of providers, which no change names, may have made it known.
                open.prior_outputs.push(PossibleItem::anything_in(&format!("output.{}", output.name)));
            }
        }
        let deferred = plan.changes.deferred.iter().filter(|deferred| deferred.is_undecided());
        // Terraform calls a plan incomplete if it defers something, and only the providers know whether they do.
        open.hides_complete = deferred.clone().next().is_some() || !missing.is_empty();
        // One certain change makes the plan applyable, whatever the providers say of the others.
        open.hides_applyable = !open.does_something(plan);
        open.instances.extend(deferred.map(|deferred| {
            // Only the action on these is open, and not how many of them there are.
            let is_instance =
                [Deferred::IMPORT_UNKNOWN, Deferred::ACTION_UNKNOWN, Deferred::REPLACEMENT_UNKNOWN]
                    .contains(&deferred.reason.as_str());
            PossibleItem::new(&deferred.resource, is_instance)
        }));
        for deferred in &plan.changes.deferred {
            let resource = &deferred.resource;
            let may_have_drifted = [Deferred::ACTION_UNKNOWN, Deferred::REPLACEMENT_UNKNOWN]
                .contains(&deferred.reason.as_str())
                && !plan.is_unrefreshed()
                && resource.mode == *"managed"
                && !resource.is_builtin();
            if may_have_drifted {
                open.drift.push(PossibleItem::new(resource, true));
            }
        }
        if !plan.is_unrefreshed() {
            open.drift.extend(open.modules.iter().cloned());
        }
        open.instances.extend(open.modules.iter().cloned());
        open.prior.extend(open.instances.iter().cloned());
        if !plan.is_unrefreshed() {
            open.prior.extend(unlisted_data_sources(plan));
        }
        let missing = missing.iter().map(|missing| PossibleItem::anything_in(&missing.address));
        open.prior_outputs.extend(open.prior.iter().cloned().chain(missing));
        open
    }

    /// The members of the plan itself about which nothing is known.
    #[cfg(any(feature = "rego", feature = "sentinel"))]
    pub(crate) fn open_members(&self) -> &'static [&'static str] {
        match (self.modules.is_empty(), self.schemaless.is_empty()) {
            (false, _) => IN_MODULES,
            (true, false) => BY_SCHEMAS,
            (true, true) if self.by_providers().next().is_some() => BY_PROVIDERS,
            (true, true) => &[],
        }
    }

    /// The missing modules and schemas; where none is missing, what the providers decide.
    #[cfg(any(feature = "rego", feature = "sentinel"))]
    pub(crate) fn open_facts(&self) -> impl Iterator<Item = &str> {
        let code = self.modules.iter().map(|item| item.address.as_str());
        let by_providers = self.by_providers().filter(|_| !self.hides_marks());
        code.chain(self.schemaless.iter().map(String::as_str)).chain(by_providers)
    }

    /// The changes and outputs that may differ with the providers.
    #[cfg(any(feature = "rego", feature = "sentinel"))]
    fn by_providers(&self) -> impl Iterator<Item = &str> {
        let instances = self.instances.iter().map(|item| item.address.as_str());
        let others = self.reads.iter().chain(&self.actions).chain(&self.outputs);
        others.map(String::as_str).chain(instances)
    }

    /// Whether a value may turn out known where it is marked as unknown: its provider may say it while planning, and so may input
    /// that is missing. `is_own` says that Terraform makes the value by itself.
    pub(crate) fn hides_unknown_marks(&self, is_own: bool) -> bool {
        self.is_simulated && (!is_own || self.lacks_input)
    }

    /// Whether a value may be sensitive without a mark: its marks come from a module or a schema that is missing.
    #[cfg(any(feature = "rego", feature = "sentinel"))]
    pub(crate) fn hides_marks(&self) -> bool {
        !self.modules.is_empty() || !self.schemaless.is_empty()
    }

    /// Whether nobody knows which attributes the objects of this provider have.
    pub(crate) fn is_schemaless(&self, provider: &str) -> bool {
        self.schemaless.contains(provider)
    }

    /// Whether the actions of the change with this key are unknown.
    pub(crate) fn hides_actions(&self, key: &str) -> bool {
        self.actions.contains(key)
    }

    /// Whether a list lacks the item of this key, or with this address in planned values, if a provider reads its data
    /// source while planning.
    pub(crate) fn may_lack(&self, of_planned_values: bool, key: &str) -> bool {
        match of_planned_values {
            true => self.planned_reads.contains(key) && !self.hidden_reads.contains(key),
            false => self.reads.contains(key),
        }
    }

    /// Whether the planned values of a document may lack the data source of this address.
    pub(crate) fn may_lack_read(&self, address: &str) -> bool {
        self.planned_reads.contains(address)
    }

    /// Whether the plan changes something for certain.
    fn does_something(&self, plan: &Plan<'_>) -> bool {
        let changes = |actions| !matches!(actions, ResourceActions::NoOp | ResourceActions::Read);
        let mut resources = plan.changes.resources.iter();
        let mut outputs = plan.changes.outputs.iter();
        plan.changes.errored
            || resources.any(|one| changes(one.change.actions) && !self.hides_actions(&key(one)))
            || outputs.any(|one| changes(one.change.actions) && !self.hides_output(&one.name))
    }

    /// Whether it is unknown what happens to the output of this name.
    pub(crate) fn hides_output(&self, name: &str) -> bool {
        self.outputs.contains(name)
    }
}

/// Whether a missing provider may turn a change with these actions into another one.
#[cfg(feature = "sentinel")]
pub(crate) fn are_doubtful(actions: View<'_, '_>) -> bool {
    let words: Vec<&str> = actions.elements().iter().filter_map(View::as_str).collect();
    matches!(words[..], ["update"] | ["delete", "create"] | ["create", "delete"])
}

/// The key of a change among all: its address, and of a deposed object `:` and its key.
pub(crate) fn key(resource: &ChangedResource<'_>) -> String {
    match &resource.deposed {
        Some(deposed) => format!("{}:{deposed}", resource.address),
        None => resource.address.to_string(),
    }
}

/// The data sources of the configuration that a plan does not list: one that only refreshes or destroys reads them, and
/// has no change for it.
fn unlisted_data_sources<'t>(plan: &Plan<'t>) -> Vec<PossibleItem<'t>> {
    let mut changes = plan.changes.resources.iter();
    let configuration = plan
        .configuration()
        // A plan that only refreshes lists no change at all, for which this holds, too.
        .filter(|_| changes.all(|resource| resource.change.actions == ResourceActions::Delete));
    // Whoever asks for a configuration that cannot be read gets its error.
    let Some(Ok(configuration)) = configuration.map(|written| Json::read(&written)) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut modules = vec![(configuration.view().get("root_module"), String::new())];
    while let Some((module, address)) = modules.pop() {
        let Some(module) = module else { continue };
        let text = |resource: View<'_, 't>, name| resource.get(name).and_then(View::text).unwrap_or_default();
        for resource in module.get("resources").into_iter().flat_map(|listed| listed.elements().iter()) {
            if text(resource, "mode") != *"data" {
                continue;
            }
            // How many instances a module has is not known from here.
            found.push(match address.is_empty() {
                false => PossibleItem::anything_in(&address),
                true => {
                    let written_address = text(resource, "address");
                    PossibleItem {
                        address: without_data(&written_address).into_owned().into(),
                        written_address,
                        mode: text(resource, "mode"),
                        resource_type: text(resource, "type"),
                        name: text(resource, "name"),
                        is_any: false,
                        ..PossibleItem::anything_in("")
                    }
                }
            });
        }
        for (name, call) in module.get("module_calls").into_iter().flat_map(|calls| calls.members().iter()) {
            let called = if address.is_empty() {
                format!("module.{name}")
            } else {
                format!("{address}.module.{name}")
            };
            modules.push((call.get("module"), called));
        }
    }
    found
}

fn has_unknown_actions(resource: &ChangedResource<'_>) -> bool {
    let change = &resource.change;
    let reason = resource.action_reason.as_deref().unwrap_or_default();
    let is_builtin = resource.is_builtin();
    match change.actions {
        ResourceActions::Update | ResourceActions::DeleteThenCreate | ResourceActions::CreateThenDelete => {
            // A taint is in the state, and `-replace` is an option of the plan: Terraform decides on both without the
            // provider.
            let is_certain = ["replace_because_tainted", "replace_by_request"].contains(&reason);
            // It is changed if its input is, and replaced if the triggers are.
            !is_certain && (!is_own(resource) || reason == "replace_by_triggers")
        }
        // Only the provider knows an imported object.
        ResourceActions::Create | ResourceActions::NoOp => !is_builtin && change.importing.is_some(),
        _ => false,
    }
}

/// Whether Terraform makes the change by itself: the provider is built in, and no argument is unknown.
pub(crate) fn is_own(resource: &ChangedResource<'_>) -> bool {
    resource.is_builtin() && !is_unknown(&resource.change, &ARGUMENTS)
}

/// Whether there is an object before the change.
fn exists(change: &ValueChange<'_>) -> bool {
    change.values.written().is_some_and(|values| !matches!(values.before.text(), "" | "null"))
}

/// Whether a part of the value after is unknown: of these attributes, or any where none is named.
fn is_unknown(change: &ValueChange<'_>, attributes: &[&str]) -> bool {
    let Some(values) = change.values.written() else { return true };
    // An unreadable value counts as unknown.
    let Ok(unknown) = Json::read(&values.after_unknown) else { return true };
    match attributes {
        [] => unknown.view().has_true(),
        names => {
            unknown.view().is_true()
                || names.iter().any(|name| unknown.view().get(name).is_some_and(View::has_true))
        }
    }
}
