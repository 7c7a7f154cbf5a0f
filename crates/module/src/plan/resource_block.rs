//! All instances of a resource, in all instances of its module.

use std::sync::Arc;

use objchange::address::{InstanceAddress, InstanceKey, Mode, ModuleAddress};
use objchange::schema::Schema;
use objchange::{Type, Value};
use objchange_hcl::{Purpose, ResourceName, Scope, decode};

use super::evaluated::dynamic;
use super::graph::{ResourceNode, resource_text};
use super::instances::{Expanded, ModuleInstanceId, Repetition};
use super::managed::Instance;
use super::references::key_of;
use super::resource::instance_address;
use super::validate::resource::{own_key, own_references, self_reference};
use super::walk::Walk;
use super::{CheckKind, UndecidedReason, UndecidedResource};
use crate::marking::mark_kept;
use crate::subject::{Subject, SubjectKind, WORKSPACE};
use objchange_document::PlanMode;

impl<'c> Walk<'_, 'c> {
    /// Plans all instances of a resource, in all instances of its module.
    pub(crate) fn resource(
        &mut self,
        index: usize,
        resource: &ResourceNode<'c>,
        instances: Vec<ModuleInstanceId>,
    ) {
        let Some(schema) = resource.schema else { return };
        // Each planned object holds the schema. All instances share this copy.
        let schema = Arc::new(schema.clone());
        let graph = self.graph;
        let imports = &graph.nodes[index].imports;
        let (count, for_each) = (resource.config.count.as_ref(), resource.config.for_each.as_ref());
        let repetition: Vec<_> =
            count.into_iter().chain(for_each).flat_map(objchange_hcl::variables).collect();
        let own = own_references(resource.name, &repetition);
        for subject in &own {
            self.found.error("Self-referential block", subject.span, self_reference(subject));
        }
        if !own.is_empty() {
            return;
        }
        let expansions = instances
            .iter()
            .map(|at| Some((*at, self.in_module(*at, |walk| walk.expand(index, *at, count, for_each))?)));
        // All are expanded before one that is wrong ends this: Terraform reports each of them.
        let expansions: Vec<_> = expansions.collect();
        // If those of one instance of the module are wrong, nothing of the resource is planned.
        let Some(expansions) = expansions.into_iter().collect::<Option<Vec<_>>>() else {
            self.unexpanded.insert(index);
            instances.into_iter().for_each(|at| self.keep_all(at, resource));
            self.forget_imports(imports);
            return;
        };
        self.open_resource_checks(index, resource, &expansions);
        if !self.read_imports(index, imports) {
            self.unexpanded.insert(index);
            instances.into_iter().for_each(|at| self.keep_all(at, resource));
            self.forget_imports(imports);
            return;
        }
        if let Some(prevents) = &resource.config.lifecycle.prevents_destroy {
            for (at, _) in &expansions {
                self.note_prevention(index, *at, prevents);
            }
        }
        if self.refers_to_itself(index, resource, &expansions) {
            return;
        }
        if self.misses_imports(imports, resource, &expansions) {
            self.unexpanded.insert(index);
            self.forget_imports(imports);
            instances.into_iter().for_each(|at| self.keep_all(at, resource));
            return;
        }
        for (at, expansion) in expansions {
            self.in_module(at, |walk| walk.resource_in(index, at, resource, &schema, &expansion));
        }
    }

    /// Plans all instances of a resource in one instance of its module.
    fn resource_in(
        &mut self,
        index: usize,
        at: ModuleInstanceId,
        resource: &ResourceNode<'c>,
        schema: &Arc<Schema>,
        expansion: &Expanded<Repetition>,
    ) {
        if let Expanded::Undecided(repetition) = expansion {
            self.undecided(index, at, resource, schema, repetition);
            return;
        }
        if self.world.instances[at].is_undecided {
            let repetition = Repetition::default();
            self.undecided(index, at, resource, schema, &repetition);
            return;
        }
        // References between instances see unknown values under the right keys, so one to a missing instance is an error.
        if self.graph.nodes[index].subjects.iter().any(|subject| own_key(resource.name, subject).is_some()) {
            let unknown = expansion.map(|_, _| dynamic()).to_value();
            self.world.instances[at].resources.insert(resource.name.clone(), unknown);
        }
        // The variables are the same for all instances.
        let variables = self.world.variables(self.graph, at, &self.graph.nodes[index].subjects);
        let module = self.world.instances[at].address.clone();
        let values = expansion.map(|key, repetition| {
            let address = instance_address(&module, resource.name, key);
            let Some(provider) = self.provider_instance((index, at), repetition, resource) else {
                self.wanted.insert(address);
                return Value::unknown(schema.block.implied_type().clone());
            };
            let instance = Instance { index, at, address, repetition, schema, provider: &provider };
            match resource.name.mode {
                Mode::Managed => self.managed(&instance, resource, &variables),
                Mode::Data => self.data(&instance, resource, &variables),
                Mode::Ephemeral => self.ephemeral(&instance, resource, &variables),
            }
        });
        if resource.name.mode == Mode::Managed {
            self.orphans_of(index, at, resource, expansion);
        }
        // Nobody knows which attributes it has.
        let values = if resource.is_inferred { values.map(|_, _| dynamic()) } else { values };
        let values = self.seen_by_references(index, values, &module, resource.name);
        let value = match resource.config.lifecycle.enabled.is_some() && !expansion.has_instances() {
            true => Value::null(Type::Dynamic),
            false => self.with_invented_expansion(index, at, values.to_value()),
        };
        self.world.instances[at].resources.insert(resource.name.clone(), value);
        self.invoke_with_resource();
    }

    /// Evaluates a `prevent_destroy` that is an expression, as OpenTofu does.
    fn note_prevention(&mut self, index: usize, at: ModuleInstanceId, expr: &objchange_hcl::Expr) {
        let Some(value) = self.evaluate(index, at, expr, &[]) else { return };
        match value.unmark_deep().0.convert(&Type::Bool).ok().and_then(|value| value.as_bool()) {
            Some(true) => drop(self.preventing.entry(index).or_default().insert(at)),
            Some(false) => {}
            // While the setting is unknown it must not allow a destruction.
            None => {
                let detail = "The value of prevent_destroy must be true or false, and known while planning.";
                self.found.error("Invalid prevent_destroy value", expr.span, detail);
            }
        }
    }

    /// Declares the checks of a resource's instances once these are known. A destroy plan has none.
    fn open_resource_checks(
        &mut self,
        index: usize,
        resource: &ResourceNode<'c>,
        expansions: &[(ModuleInstanceId, Expanded<Repetition>)],
    ) {
        let is_decided = |(at, expansion): &&(ModuleInstanceId, Expanded<Repetition>)| {
            expansion.is_decided() && !self.world.instances[*at].is_undecided
        };
        let decided: Vec<_> = expansions.iter().filter(is_decided).collect();
        if decided.len() == expansions.len() {
            self.open_checks(index);
        }
        if self.input.options.mode == PlanMode::Destroy {
            return;
        }
        let text = resource_text(resource.name);
        for (at, expansion) in decided {
            let module = &self.world.instances[*at].address;
            for (key, _) in expansion.iter() {
                self.checks.open(CheckKind::Resource, module, &text, key);
            }
        }
    }

    /// The value for references when only some instances are planned: those, and the ones in the state.
    pub(crate) fn seen_by_references(
        &self,
        index: usize,
        values: Expanded<Value>,
        module: &ModuleAddress,
        name: &ResourceName,
    ) -> Expanded<Value> {
        let is_only_refreshed = self.input.options.mode == PlanMode::RefreshOnly;
        if self.targets.is_all() && !is_only_refreshed {
            return values;
        }
        let is_managed = name.mode == Mode::Managed;
        let values = values.only(|key| {
            let address = instance_address(module, name, key);
            let is_planned = match is_only_refreshed {
                // An instance that could not be read may exist.
                true => !is_managed && self.unanswered[index].contains(&address.to_string()),
                false => self.targets.includes_instance(&address),
            };
            is_planned || self.current(&address).is_some()
        });
        let known = self.state.resources.get(&super::resource::resource_address(module, name));
        match known.filter(|_| is_managed && is_only_refreshed) {
            None => values,
            Some(known) => {
                let objects = known.instances.iter();
                // An instance that has deposed objects alone has no value: only its key is known.
                values.with_others(objects.filter_map(|(key, instance)| {
                    let current = instance.current.as_ref();
                    Some((key.as_ref()?, current.map_or_else(dynamic, |object| object.value.clone())))
                }))
            }
        }
    }

    /// Reports instances of a resource that need themselves or each other, and triggers that are not declared; whether there
    /// are any.
    pub(crate) fn refers_to_itself(
        &mut self,
        index: usize,
        resource: &ResourceNode<'c>,
        expansions: &[(ModuleInstanceId, Expanded<Repetition>)],
    ) -> bool {
        let Some(schema) = resource.schema else { return false };
        let errors = self.found.error_count();
        let graph = self.graph;
        let node = &graph.nodes[index];
        let all = node.subjects.iter().chain(&node.depends_on);
        let keys: Vec<&Option<Value>> = all.filter_map(|subject| own_key(resource.name, subject)).collect();
        if !keys.is_empty() {
            let references = objchange_hcl::references(&resource.body, &schema.block, Purpose::Core);
            let own = own_references(resource.name, &references);
            for (at, expansion) in expansions {
                self.instances_need_each_other(*at, resource, expansion, &keys, &own);
            }
        }
        let triggers = &resource.config.lifecycle.replace_triggered_by;
        // A plan that only refreshes replaces nothing.
        if self.input.options.mode != PlanMode::RefreshOnly {
            triggers.iter().for_each(|trigger| self.undeclared_trigger(node.module, trigger));
        }
        self.found.error_count() > errors
    }

    /// Reports instances in one instance of the module that need each other or, by their bodies, themselves. A reference without
    /// a literal key, or with one that no instance has, is one to all of them.
    fn instances_need_each_other(
        &mut self,
        at: ModuleInstanceId,
        resource: &ResourceNode<'c>,
        expansion: &Expanded<Repetition>,
        keys: &[&Option<Value>],
        own: &[Subject],
    ) {
        if !expansion.is_decided() || self.world.instances[at].is_undecided {
            return;
        }
        let module = self.world.instances[at].address.clone();
        let addresses = expansion.iter().map(|(key, _)| instance_address(&module, resource.name, key));
        let planned: Vec<_> = addresses.filter(|address| self.targets.includes_instance(address)).collect();
        let has_key = |address: &InstanceAddress, key: &Option<Value>| {
            key.as_ref().and_then(key_of).is_some_and(|key| address.key.as_ref() == Some(&key))
        };
        let is_for_all = |key: &&&Option<Value>| !planned.iter().any(|address| has_key(address, key));
        let needed: Vec<&InstanceAddress> = match keys.iter().any(|key| is_for_all(&key)) {
            true => planned.iter().collect(),
            false => {
                let is_needed = |address: &&InstanceAddress| keys.iter().any(|key| has_key(address, key));
                planned.iter().filter(is_needed).collect()
            }
        };
        if needed.len() > 1 {
            let mut names: Vec<String> = needed.iter().map(ToString::to_string).collect();
            names.sort_unstable();
            let version = self.input.config.cycle_version(self.input.options.version);
            self.found.cycle(version, names.iter().map(String::as_str));
            return;
        }
        for address in needed {
            for subject in own {
                let SubjectKind::Resource { key, .. } = &subject.kind else { continue };
                // Terraform 1.11 reports a reference without a key twice where the resource has none either.
                let times = match key {
                    None if address.key.is_none() => 2,
                    None => 1,
                    Some(_) if has_key(address, key) => 1,
                    Some(_) => 0,
                };
                for _ in 0..times {
                    self.found.error("Self-referential block", subject.span, self_reference(subject));
                }
            }
        }
    }

    /// Keeps all instances of a resource in the state, because it is unknown which ones are declared.
    pub(crate) fn keep_all(&mut self, at: ModuleInstanceId, resource: &ResourceNode<'c>) {
        let address = super::resource::resource_address(&self.world.instances[at].address, resource.name);
        if let Some(known) = self.state.resources.get(&address) {
            let all = known.instances.keys().cloned().collect::<Vec<_>>();
            self.wanted.extend(all.into_iter().map(|key| InstanceAddress { resource: address.clone(), key }));
        }
    }

    /// A resource whose instances depend on what no provider was there to say.
    pub(crate) fn undecided(
        &mut self,
        index: usize,
        at: ModuleInstanceId,
        resource: &ResourceNode<'c>,
        schema: &Arc<Schema>,
        repetition: &Repetition,
    ) {
        if self.input.options.mode != PlanMode::Destroy {
            self.keep_all(at, resource);
        }
        self.forget_imports(&self.graph.nodes[index].imports);
        let module = self.world.instances[at].address.clone();
        self.set_pending(index, &module, false);
        let span = resource.config.count.as_ref().or(resource.config.for_each.as_ref());
        let span = span.map_or(resource.config.header, |expr| expr.span);
        let variables = self.world.variables(self.graph, at, &self.graph.nodes[index].subjects);
        let names = repetition.names();
        let outer = Scope::new(&variables);
        let decoded = decode(&resource.body, &schema.block, &outer.with(&names), self.functions);
        let after = objchange::change::planned_data_resource(&schema.block, &decoded.value)
            .unwrap_or_else(|_| dynamic());
        if self.input.options.mode != PlanMode::Destroy {
            let after = mark_kept(&schema.block, &after);
            let address = &self.world.instances[at].address;
            let address = instance_address(address, resource.name, None::<InstanceKey>);
            let reason = match self.unanswered[index].contains(WORKSPACE) {
                true => UndecidedReason::WorkspaceUnknown,
                false if self.missing.reaches(index) => UndecidedReason::InputMissing,
                false => UndecidedReason::InstancesUnknown,
            };
            let because_of = self.unanswered[index].iter().cloned().collect();
            self.leave_undecided(UndecidedResource {
                reason,
                address,
                provider: resource.provider.clone(),
                span,
                because_of,
                schema: Some(Arc::clone(schema)),
                before: Value::null(after.ty().clone()),
                after,
            });
        }
        self.unanswered[index].insert(resource_text(resource.name));
        self.world.instances[at].resources.insert(resource.name.clone(), dynamic());
    }
}
