//! The values of names in an instance of a module.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use objchange::address::{Mode, ModuleAddress};
use objchange::value::{Marks, Refinements};
use objchange::{Type, Value};
use objchange_hcl::{ResourceName, Variables};
use smol_str::SmolStr;

use super::graph::{Graph, NodeKey, NodeKind};
use super::input::PlanOptions;
use super::instances::{Expanded, ModuleInstance, ModuleInstanceId};
use crate::config::{Config, ModuleId};
use crate::subject::{Subject, SubjectKind};

/// The modules with the values of what is in them, as far as they are evaluated.
#[derive(Debug)]
pub(crate) struct World<'c> {
    pub(crate) config: &'c Config,
    pub(crate) options: &'c PlanOptions,
    pub(crate) instances: Vec<ModuleInstance>,
    /// The instances of each module.
    pub(crate) by_module: Vec<Vec<ModuleInstanceId>>,
    /// The values that variables have, where references see less of them.
    pub(crate) actual_variables: HashMap<(ModuleInstanceId, SmolStr), Value>,
    /// The instances by their addresses.
    pub(crate) addresses: HashMap<ModuleAddress, ModuleInstanceId>,
    /// Nothing is known of variables, resources and modules: only types are looked at.
    pub(crate) is_validating: bool,
    /// Changes are made: `terraform.applying`.
    pub(crate) is_applying: bool,
    /// The final values of module calls for references.
    seen_modules: RefCell<HashMap<SeenModule, Value>>,
}

/// A call in an instance of a module, and the outputs that references name, or none where they name the module itself.
type SeenModule = (ModuleInstanceId, SmolStr, Option<BTreeSet<SmolStr>>);

impl<'c> World<'c> {
    pub(crate) fn new(config: &'c Config, options: &'c PlanOptions, is_validating: bool) -> Self {
        let root = ModuleInstance::new(0, Default::default(), None);
        let mut by_module = vec![Vec::new(); config.modules.len()];
        if let Some(root) = by_module.first_mut() {
            root.push(0);
        }
        let addresses = [(ModuleAddress::default(), 0)].into_iter().collect();
        Self {
            config,
            options,
            instances: vec![root],
            by_module,
            actual_variables: HashMap::new(),
            addresses,
            is_validating,
            is_applying: false,
            seen_modules: RefCell::default(),
        }
    }

    /// Adds an instance of a module.
    pub(crate) fn add_instance(&mut self, instance: ModuleInstance) -> ModuleInstanceId {
        let id = self.instances.len();
        self.by_module[instance.module].push(id);
        self.addresses.insert(instance.address.clone(), id);
        self.instances.push(instance);
        id
    }

    /// These variables, where one of the module has no mark of its own.
    pub(crate) fn variables_with_unmarked(
        &self,
        graph: &Graph<'c>,
        at: ModuleInstanceId,
        subjects: &[Subject],
        name: &SmolStr,
    ) -> Variables {
        let mut variables = self.variables(graph, at, subjects);
        let Some(all) = variables.get("var").and_then(Value::as_object) else { return variables };
        let members = all.iter().map(|(member, value)| {
            let value = if member == name { value.unmark().0 } else { value.clone() };
            (member.clone(), value)
        });
        let members = Value::object(members.collect::<Vec<_>>());
        variables.insert("var", members);
        variables
    }

    /// The variables that expressions need in an instance of a module.
    pub(crate) fn variables<'s>(
        &self,
        graph: &Graph<'c>,
        at: ModuleInstanceId,
        subjects: impl IntoIterator<Item = &'s Subject>,
    ) -> Variables {
        let instance = &self.instances[at];
        let module = instance.module;
        let mut needs = Needs::default();
        subjects.into_iter().for_each(|subject| needs.add(&subject.kind));
        let mut variables = Variables::default();
        let mut object = |name: &'static str, members: Vec<(SmolStr, Value)>| {
            if !members.is_empty() {
                variables.insert(name, Value::object(members));
            }
        };
        let named = |names: &BTreeSet<SmolStr>, values: &HashMap<SmolStr, Value>| {
            let value = |name: &SmolStr| values.get(name).cloned().unwrap_or_else(dynamic);
            names.iter().map(|name| (name.clone(), value(name))).collect::<Vec<_>>()
        };
        object("var", named(&needs.variables, &instance.variables));
        object("local", named(&needs.locals, &instance.locals));
        object(
            "module",
            needs
                .modules
                .iter()
                .map(|(call, outputs)| (call.clone(), self.module_value(at, call, outputs.as_ref())))
                .collect(),
        );
        if needs.path {
            object("path", self.paths(module));
        }
        if needs.terraform {
            object(
                "terraform",
                vec![
                    ("workspace".into(), self.workspace()),
                    // It differs between plan and apply, so Terraform 1.11.4 marks it: what is kept in a plan cannot depend
                    // on it.
                    ("applying".into(), Value::from(self.is_applying).with_marks(Marks::EPHEMERAL)),
                ],
            );
        }
        for (mode, root) in [(Mode::Data, "data"), (Mode::Ephemeral, "ephemeral")] {
            let types = self.resource_types(graph, at, &needs, mode);
            object(root, types);
        }
        let managed = self.resource_types(graph, at, &needs, Mode::Managed);
        // Terraform also accepts `resource.TYPE.NAME`, which types with a reserved name such as `template` need.
        if !managed.is_empty() {
            variables.insert("resource", Value::object(managed.clone()));
        }
        for (resource_type, value) in managed {
            variables.insert(resource_type, value);
        }
        variables
    }

    /// The name of the workspace: unknown but never null, if not given.
    fn workspace(&self) -> Value {
        let unknown = || Value::refined_unknown(Type::String, Refinements::not_null());
        match &self.options.workspace {
            Some(name) => Value::from(name.as_str()),
            None => unknown().unwrap_or_else(|_| Value::unknown(Type::String)),
        }
    }

    /// The resources of a mode, by their types.
    fn resource_types(
        &self,
        graph: &Graph<'c>,
        at: ModuleInstanceId,
        needs: &Needs,
        mode: Mode,
    ) -> Vec<(SmolStr, Value)> {
        let mut types: Vec<(SmolStr, Vec<(SmolStr, Value)>)> = Vec::new();
        for name in needs.resources.iter().filter(|name| name.mode == mode) {
            let value = (name.name.clone(), self.resource_value(graph, at, name));
            // The set is in the order of types, so the resources of one type follow one another.
            match types.last_mut() {
                Some((last, values)) if *last == name.resource_type => values.push(value),
                _ => types.push((name.resource_type.clone(), vec![value])),
            }
        }
        types.into_iter().map(|(resource_type, values)| (resource_type, Value::object(values))).collect()
    }

    /// A whole resource.
    pub(crate) fn resource_value(
        &self,
        graph: &Graph<'c>,
        at: ModuleInstanceId,
        name: &ResourceName,
    ) -> Value {
        let instance = &self.instances[at];
        if let Some(value) = instance.resources.get(name) {
            return value.clone();
        }
        let node = graph.find(&NodeKey::Resource(instance.module, name.clone()));
        match node.map(|node| &graph.nodes[node].kind) {
            Some(NodeKind::Resource(resource))
                if resource.config.count.is_none() && resource.config.for_each.is_none() =>
            {
                let ty = resource
                    .schema
                    .filter(|_| !resource.is_inferred)
                    .map(|schema| schema.block.implied_type());
                let is_new = crate::versions::since(self.options.version, "1.15");
                let unknown = match ty {
                    // Since 1.15 validation sees an object of unknown attributes, and before it knew nothing of one.
                    Some(Type::Object(object)) if self.is_validating && is_new => {
                        let attributes = object.attributes().iter();
                        Value::object(attributes.map(|(name, ty)| (name.clone(), Value::unknown(ty.clone()))))
                    }
                    Some(ty) if !self.is_validating => Value::unknown(ty.clone()),
                    _ => dynamic(),
                };
                match name.mode {
                    Mode::Ephemeral => unknown.with_marks(Marks::EPHEMERAL),
                    Mode::Managed | Mode::Data => unknown,
                }
            }
            _ => dynamic(),
        }
    }

    /// A module as references see it that name these outputs, or the module itself.
    fn module_value(
        &self,
        at: ModuleInstanceId,
        call: &SmolStr,
        outputs: Option<&BTreeSet<SmolStr>>,
    ) -> Value {
        // While only types are looked at, all of them are there.
        let outputs = outputs.filter(|_| !self.is_validating);
        let key = (at, call.clone(), outputs.cloned());
        if let Some(seen) = self.seen_modules.borrow().get(&key) {
            return seen.clone();
        }
        let (value, is_final) = match self.is_validating {
            true => (self.module_type(at, call), true),
            false => self.module_object(at, call, outputs),
        };
        // Only final values are kept. An output that is evaluated later would stay unknown for all references.
        if is_final {
            self.seen_modules.borrow_mut().insert(key, value.clone());
        }
        value
    }

    /// The type of a module call's value before planning.
    fn module_type(&self, at: ModuleInstanceId, call: &SmolStr) -> Value {
        let module = &self.config.modules[self.instances[at].module];
        let (Some(child), Some(config)) = (module.children.get(call), module.config.calls.get(call)) else {
            return dynamic();
        };
        // While validating, Terraform takes the instances for a list or a map (an error says `list of object`). The planned
        // value is a tuple or an object.
        let outputs = &self.config.modules[*child].config.outputs;
        let object = Type::object(outputs.keys().map(|name| (name.clone(), Type::Dynamic)));
        let is_single = config.count.is_none() && config.for_each.is_none();
        if is_single && crate::versions::since(self.options.version, "1.15") {
            return Value::object(outputs.keys().map(|name| (name.clone(), dynamic())));
        }
        Value::unknown(match (&config.count, &config.for_each) {
            (Some(_), _) => Type::list(object),
            (_, Some(_)) => Type::map(object),
            _ => object,
        })
    }

    /// The outputs of a module, of all its instances, and whether all of them are evaluated.
    fn module_object(
        &self,
        at: ModuleInstanceId,
        call: &SmolStr,
        outputs: Option<&BTreeSet<SmolStr>>,
    ) -> (Value, bool) {
        let instance = &self.instances[at];
        let child = self.config.modules[instance.module].children.get(call);
        let (Some(child), Some(instances)) = (child, instance.calls.get(call)) else {
            return (dynamic(), false);
        };
        let config = self.config.modules[instance.module].config.calls.get(call);
        if config.is_some_and(|call| call.enabled.is_some()) && !instances.has_instances() {
            return (Value::null(Type::Dynamic), true);
        }
        let declared = &self.config.modules[*child].config.outputs;
        let mut is_final = true;
        let type_of = |name: &SmolStr| {
            let ty = declared.get(name).and_then(|output| output.ty.as_ref());
            ty.map_or(Type::Dynamic, |(ty, _)| ty.ty().without_optional())
        };
        let objects: Expanded<Value> = instances.map(|_, id| {
            let values = &self.instances[*id].outputs;
            let mut member = |name: &SmolStr| {
                let value = values.get(name).cloned().unwrap_or_else(|| {
                    is_final = false;
                    Value::unknown(type_of(name))
                });
                (name.clone(), value)
            };
            match outputs {
                None => Value::object(declared.keys().map(member).collect::<Vec<_>>()),
                Some(outputs) => {
                    let named = outputs.iter().filter(|name| declared.contains_key(*name));
                    Value::object(named.map(&mut member).collect::<Vec<_>>())
                }
            }
        });
        // Instances that are of one type, whatever their values are, are a list or a map since 1.15.
        let is_typed = crate::versions::since(self.options.version, "1.15")
            && declared.keys().all(|name| !type_of(name).has_dynamic());
        if !is_typed {
            return (objects.to_value(), is_final);
        }
        let names: Vec<&SmolStr> = match outputs {
            None => declared.keys().collect(),
            Some(outputs) => outputs.iter().filter(|name| declared.contains_key(*name)).collect(),
        };
        let element = Type::object(names.into_iter().map(|name| (name.clone(), type_of(name))));
        let same = match &objects {
            Expanded::Count(all) => Value::list(element, all.iter().cloned()),
            Expanded::ForEach(all) => {
                Value::map(element, all.iter().map(|(key, value)| (key, value.clone())))
            }
            Expanded::Single(_) | Expanded::Undecided(_) => return (objects.to_value(), is_final),
        };
        (same.unwrap_or_else(|_| objects.to_value()), is_final)
    }

    fn paths(&self, module: ModuleId) -> Vec<(SmolStr, Value)> {
        vec![
            ("cwd".into(), Value::from(self.options.working_directory.as_str())),
            ("module".into(), Value::from(self.config.modules[module].directory.as_str())),
            ("root".into(), Value::from(self.config.modules[0].directory.as_str())),
        ]
    }
}

/// The value about which nothing is known.
pub(crate) fn dynamic() -> Value {
    Value::unknown(Type::Dynamic)
}

/// Which names expressions need.
#[derive(Debug, Default)]
struct Needs {
    variables: BTreeSet<SmolStr>,
    locals: BTreeSet<SmolStr>,
    /// The calls, and which outputs of them; `None` where the module itself is named.
    modules: BTreeMap<SmolStr, Option<BTreeSet<SmolStr>>>,
    resources: BTreeSet<ResourceName>,
    path: bool,
    terraform: bool,
}

impl Needs {
    fn add(&mut self, subject: &SubjectKind) {
        match subject {
            SubjectKind::Variable(name) => drop(self.variables.insert(name.clone())),
            SubjectKind::Local(name) => drop(self.locals.insert(name.clone())),
            SubjectKind::Module { call, output, .. } => {
                let named = self.modules.entry(call.clone()).or_insert_with(|| Some(BTreeSet::new()));
                match (named, output) {
                    (Some(named), Some(output)) => drop(named.insert(output.clone())),
                    (named, None) => *named = None,
                    (None, _) => {}
                }
            }
            SubjectKind::Resource { name, .. } => {
                self.resources.insert(name.clone());
            }
            SubjectKind::Path(_) => self.path = true,
            SubjectKind::Terraform(_) => self.terraform = true,
            // The scope of each instance has these.
            SubjectKind::Count(_)
            | SubjectKind::Each(_)
            | SubjectKind::SelfObject
            | SubjectKind::Caller
            | SubjectKind::Action(_) => {}
        }
    }
}
