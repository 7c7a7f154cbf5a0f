//! Finds the attributes of resources that the changes of a plan may come from.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::rc::Rc;

use hashbrown::{HashMap, HashSet};
use objchange::address::{InstanceAddress, InstanceKey, Mode, ModuleAddress, ModuleStep, ResourceAddress};
use objchange::value::{Kind, PathStep};
use objchange::{Type, Value};
use objchange_document::Version;
use objchange_hcl::{Body, Expr, Purpose, Reference, ResourceName, Span, references, variables};
use smol_str::SmolStr;

use super::{ModulePlan, PlannedAction, RelevantAttribute, RelevantStep};
use crate::Schemas;
use crate::config::{Config, LoadedModule, ModuleId};
use crate::schemas::schema_kind;
use crate::subject::{self, SubjectKind};
use objchange_document::PlanMode;

/// Finds the attributes that the changes of a plan may come from, sorted. It follows the references of changing resources and
/// outputs through local values, variables, outputs of modules and configured attributes.
///
/// A plan that destroys everything also removes the data sources that the state has.
///
/// `child_outputs` are the outputs of child modules that were evaluated, in all instances of these: no state remembers
/// their values, so that all count as changing.
pub fn relevant_attributes(
    config: &Config,
    schemas: &Schemas,
    version: Version,
    plan: &ModulePlan,
    mode: PlanMode,
    child_outputs: &[(ModuleAddress, SmolStr)],
) -> Vec<RelevantAttribute> {
    let mut search = Search {
        config,
        schemas,
        is_cut_at_dynamic: Version::parse(CUT_AT_DYNAMIC).is_some_and(|first| version >= first),
        contents: HashMap::new(),
        visited: HashSet::new(),
        pending: Vec::new(),
        found: BTreeSet::new(),
    };
    let changing = plan.changes.iter().filter(|change| change.action != PlannedAction::NoOp);
    let changing = changing.map(|change| &change.address);
    for address in changing.chain(plan.undecided.iter().map(|undecided| &undecided.address)) {
        search.add_resource(address);
    }
    if mode == PlanMode::Destroy {
        let data = plan.prior_state.resources.keys().filter(|address| address.mode == Mode::Data);
        data.for_each(|address| search.add_body(address));
    }
    let root = ModuleAddress::default();
    let outputs = plan.outputs.iter().filter(|(_, output)| output.action != PlannedAction::NoOp);
    let outputs = outputs.map(|(name, _)| (&root, name));
    for (module, name) in outputs.chain(child_outputs.iter().map(|(module, name)| (module, name))) {
        search.add_output(module, name);
    }
    search.run()
}

/// Since this version, paths end where the type of the attribute is not known.
const CUT_AT_DYNAMIC: &str = "1.13";

/// A part of a module that refers to other parts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Referrer {
    Local(SmolStr),
    Output(SmolStr),
    /// The body of a resource, or what it has for one attribute.
    Body(ResourceName, Option<SmolStr>),
    /// `count` or `for_each` of a resource.
    Repetition(ResourceName),
    /// An argument of a call.
    Argument(SmolStr, SmolStr),
}

/// A part in one instance of its module.
type ModulePart = (Rc<ModuleAddress>, ModuleId, Referrer);

/// A reference of a part.
#[derive(Debug)]
struct Target {
    kind: SubjectKind,
    rest: Vec<(PathStep, Span)>,
}

struct Search<'c> {
    config: &'c Config,
    schemas: &'c Schemas,
    is_cut_at_dynamic: bool,
    /// The references of each part; instances of a module share them.
    contents: HashMap<(ModuleId, Referrer), Rc<[Target]>>,
    visited: HashSet<ModulePart>,
    pending: Vec<ModulePart>,
    found: BTreeSet<RelevantAttribute>,
}

impl Search<'_> {
    fn add_resource(&mut self, address: &InstanceAddress) {
        self.add_body(&address.resource);
    }

    fn add_body(&mut self, address: &ResourceAddress) {
        let ResourceAddress { module, mode, resource_type, name } = address;
        let Some(id) = self.config.module_of(module) else { return };
        let name = ResourceName { mode: *mode, resource_type: resource_type.into(), name: name.into() };
        self.add(Rc::new(module.clone()), id, Referrer::Body(name, None));
    }

    fn add_output(&mut self, module: &ModuleAddress, name: &SmolStr) {
        let Some(id) = self.config.module_of(module) else { return };
        self.add(Rc::new(module.clone()), id, Referrer::Output(name.clone()));
    }

    fn add(&mut self, module: Rc<ModuleAddress>, id: ModuleId, part: Referrer) {
        let place = (module, id, part);
        if self.visited.insert(place.clone()) {
            self.pending.push(place);
        }
    }

    fn run(mut self) -> Vec<RelevantAttribute> {
        while let Some((module, id, part)) = self.pending.pop() {
            for target in self.targets(id, &part).iter() {
                self.follow(&module, id, &part, target);
            }
        }
        // Terraform's own order differs from run to run. Sorted, two plans of one module are the same.
        self.found.into_iter().collect()
    }

    fn follow(&mut self, module: &Rc<ModuleAddress>, id: ModuleId, part: &Referrer, target: &Target) {
        match &target.kind {
            SubjectKind::Local(name) => self.add(Rc::clone(module), id, Referrer::Local(name.clone())),
            SubjectKind::Variable(name) => {
                let loaded = &self.config.modules[id];
                let (Some(parent), Some(call)) = (loaded.parent, loaded.path.last()) else { return };
                let around = &module.0[..module.0.len().saturating_sub(1)];
                let argument = Referrer::Argument(call.clone(), name.clone());
                self.add(Rc::new(ModuleAddress(around.to_vec())), parent, argument);
            }
            SubjectKind::Count(_) | SubjectKind::Each(_) => {
                let repetition = match part {
                    Referrer::Body(name, _) => Referrer::Repetition(name.clone()),
                    _ => return,
                };
                self.add(Rc::clone(module), id, repetition);
            }
            SubjectKind::Module { call, key, output } => {
                let Some(child) = self.config.modules[id].children.get(call).copied() else { return };
                let mut inside = ModuleAddress::clone(module);
                inside
                    .0
                    .push(ModuleStep { name: call.to_string(), key: key.as_ref().and_then(instance_key) });
                let inside = Rc::new(inside);
                let outputs: Vec<SmolStr> = match output {
                    Some(name) => vec![name.clone()],
                    None => self.config.modules[child].config.outputs.keys().cloned().collect(),
                };
                for name in outputs {
                    self.add(Rc::clone(&inside), child, Referrer::Output(name));
                }
            }
            SubjectKind::Resource { name, key } => {
                let resource = ResourceAddress {
                    module: ModuleAddress::clone(module),
                    mode: name.mode,
                    resource_type: name.resource_type.to_string(),
                    name: name.name.to_string(),
                };
                let address = InstanceAddress { resource, key: key.as_ref().and_then(instance_key) };
                let path = self.path(id, name, &target.rest);
                self.found.insert(RelevantAttribute { resource: address.to_string(), path });
                let attribute = match &*target.rest {
                    // Terraform looks at everything then, whether there are such blocks or not.
                    [(PathStep::Attribute(block), _)] if self.is_block(id, name, block) => None,
                    [(PathStep::Attribute(attribute), _), ..] => Some(attribute.clone()),
                    _ => None,
                };
                self.add(Rc::clone(module), id, Referrer::Body(name.clone(), attribute));
            }
            SubjectKind::Path(_)
            | SubjectKind::Terraform(_)
            | SubjectKind::SelfObject
            | SubjectKind::Caller
            | SubjectKind::Action(_) => {}
        }
    }

    /// The path of an attribute.
    fn path(&self, id: ModuleId, name: &ResourceName, rest: &[(PathStep, Span)]) -> Vec<RelevantStep> {
        let block = self.schema(id, name).filter(|_| self.is_cut_at_dynamic);
        let mut ty = block.map(|schema| schema.block.implied_type());
        let mut path = Vec::with_capacity(rest.len());
        for (step, _) in rest {
            if ty == Some(&Type::Dynamic) {
                break;
            }
            let step = match step {
                PathStep::Attribute(name) => RelevantStep::Name(name.clone()),
                PathStep::Index(key) => match key.kind() {
                    Kind::String(key) => RelevantStep::Name(key.into()),
                    Kind::Number(number) => match number.as_u64() {
                        Some(position) => RelevantStep::Index(position),
                        None => break,
                    },
                    _ => break,
                },
            };
            ty = ty.and_then(|ty| match (ty, &step) {
                (Type::Object(object), RelevantStep::Name(name)) => object.attribute(name),
                (Type::Tuple(tuple), RelevantStep::Index(position)) => {
                    tuple.elements().get(usize::try_from(*position).ok()?)
                }
                (ty, _) => ty.element(),
            });
            path.push(step);
        }
        path
    }

    fn is_block(&self, id: ModuleId, name: &ResourceName, block: &str) -> bool {
        self.schema(id, name).is_some_and(|schema| schema.block.block_type(block).is_some())
    }

    fn schema(&self, id: ModuleId, name: &ResourceName) -> Option<&objchange::schema::Schema> {
        let provider = &self.config.provider_of(id, name);
        self.schemas.get(provider, schema_kind(name.mode), &name.resource_type).ok().flatten()
    }

    fn targets(&mut self, id: ModuleId, part: &Referrer) -> Rc<[Target]> {
        let key = (id, part.clone());
        if let Some(targets) = self.contents.get(&key) {
            return Rc::clone(targets);
        }
        let targets: Rc<[Target]> = self.read_targets(&self.config.modules[id], id, part).into();
        self.contents.insert(key, Rc::clone(&targets));
        targets
    }

    fn read_targets(&self, module: &LoadedModule, id: ModuleId, part: &Referrer) -> Vec<Target> {
        let config = &module.config;
        let of_expr = |expr: Option<&Expr>| expr.map(|expr| targets(&variables(expr))).unwrap_or_default();
        match part {
            Referrer::Local(name) => of_expr(config.locals.get(name).map(|local| &local.expr)),
            Referrer::Output(name) => of_expr(config.outputs.get(name).map(|output| &output.value)),
            Referrer::Body(name, attribute) => match (config.resources.get(name), self.schema(id, name)) {
                (Some(resource), Some(schema)) => {
                    let (body, _) = resource.body.under(&schema.block);
                    let body = match attribute {
                        Some(attribute) => Cow::Owned(only(&body, attribute)),
                        None => body,
                    };
                    targets(&references(&body, &schema.block, Purpose::Core))
                }
                _ => Vec::new(),
            },
            Referrer::Repetition(name) => {
                let resource = config.resources.get(name);
                of_expr(resource.and_then(|resource| resource.count.as_ref().or(resource.for_each.as_ref())))
            }
            Referrer::Argument(call, name) => {
                let call = config.calls.get(call);
                let argument = call.and_then(|call| call.arguments.iter().find(|other| other.name == *name));
                of_expr(argument.map(|argument| &argument.expr))
            }
        }
    }
}

/// The arguments and blocks of a body for one attribute.
fn only(body: &Body, attribute: &str) -> Body {
    let attributes = body.attributes.iter().filter(|other| other.name == attribute);
    let blocks = body.blocks.iter().filter(|block| {
        block.kind == attribute
            || block.kind == "dynamic" && block.labels.first().is_some_and(|label| label.text == attribute)
    });
    Body {
        attributes: attributes.cloned().collect(),
        blocks: blocks.cloned().collect(),
        missing: body.missing,
    }
}

fn targets(references: &[Reference<'_>]) -> Vec<Target> {
    let subjects = references.iter().filter_map(|reference| subject::parse(reference).0);
    subjects.map(|subject| Target { kind: subject.kind, rest: subject.rest }).collect()
}

fn instance_key(key: &Value) -> Option<InstanceKey> {
    match key.kind() {
        Kind::String(key) => Some(InstanceKey::String(key.to_string())),
        Kind::Number(number) => number.as_u64().map(InstanceKey::Number),
        _ => None,
    }
}
