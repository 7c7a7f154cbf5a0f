//! What names mean in an instance of a module.

use std::collections::BTreeSet;

use hashbrown::HashMap;
use objchange::address::{Mode, ModuleAddress};
use objchange::value::Marks;
use objchange::{Type, Value};
use objchange_hcl::{ResourceName, Variables};
use smol_str::SmolStr;

use super::graph::{Graph, NodeKey, NodeKind};
use super::input::PlanOptions;
use super::instances::{Expanded, ModuleInstance, ModuleInstanceId};
use super::subject::{Subject, SubjectKind};
use crate::config::{Config, ModuleId};

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
}

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
            needs.modules.iter().map(|call| (call.clone(), self.module_value(at, call))).collect(),
        );
        if needs.path {
            object("path", self.paths(module));
        }
        if needs.terraform {
            object(
                "terraform",
                vec![
                    ("workspace".into(), Value::from(self.options.workspace.as_str())),
                    ("applying".into(), Value::from(false).with_marks(Marks::EPHEMERAL)),
                ],
            );
        }
        for (mode, root) in [(Mode::Data, "data"), (Mode::Ephemeral, "ephemeral")] {
            let types = self.resource_types(graph, at, &needs, mode);
            object(root, types);
        }
        let managed = self.resource_types(graph, at, &needs, Mode::Managed);
        if !managed.is_empty() {
            variables.insert("resource", Value::object(managed.clone()));
        }
        for (resource_type, value) in managed {
            variables.insert(resource_type, value);
        }
        variables
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
                resource
                    .schema
                    .map_or_else(dynamic, |schema| Value::unknown(schema.block.implied_type().clone()))
            }
            _ => dynamic(),
        }
    }

    /// A module as references see it.
    fn module_value(&self, at: ModuleInstanceId, call: &SmolStr) -> Value {
        let instance = &self.instances[at];
        let Some(child) = self.config.modules[instance.module].children.get(call) else { return dynamic() };
        let outputs = &self.config.modules[*child].config.outputs;
        if self.is_validating {
            let Some(config) = self.config.modules[instance.module].config.calls.get(call) else {
                return dynamic();
            };
            let object = Type::object(outputs.keys().map(|name| (name.clone(), Type::Dynamic)));
            return Value::unknown(match (&config.count, &config.for_each) {
                (Some(_), _) => Type::list(object),
                (_, Some(_)) => Type::map(object),
                _ => object,
            });
        }
        let Some(instances) = instance.calls.get(call) else { return dynamic() };
        let objects: Expanded<Value> = instances.map(|_, id| {
            let values = &self.instances[*id].outputs;
            let value = |name: &SmolStr| values.get(name).cloned().unwrap_or_else(dynamic);
            Value::object(outputs.keys().map(|name| (name.clone(), value(name))))
        });
        objects.to_value()
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
    modules: BTreeSet<SmolStr>,
    resources: BTreeSet<ResourceName>,
    path: bool,
    terraform: bool,
}

impl Needs {
    fn add(&mut self, subject: &SubjectKind) {
        match subject {
            SubjectKind::Variable(name) => drop(self.variables.insert(name.clone())),
            SubjectKind::Local(name) => drop(self.locals.insert(name.clone())),
            SubjectKind::Module { call, .. } => drop(self.modules.insert(call.clone())),
            SubjectKind::Resource { name, .. } => {
                self.resources.insert(name.clone());
            }
            SubjectKind::Path(_) => self.path = true,
            SubjectKind::Terraform(_) => self.terraform = true,
            SubjectKind::Count(_) | SubjectKind::Each(_) | SubjectKind::SelfObject => {}
        }
    }
}
