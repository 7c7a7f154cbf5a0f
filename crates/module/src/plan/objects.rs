//! Planned objects, and those of the state.

use std::collections::BTreeMap;

use objchange::address::{InstanceAddress, ModuleAddress};

use super::graph::{NodeKey, NodeKind};
use super::orphans::resource_name;
use super::references::header;
use super::walk::Walk;
use super::{PlannedAction, PlannedObject, UndecidedReason, UndecidedResource};
use crate::state::{StateObject, StateResource};
use objchange_document::PlanMode;

impl<'c> Walk<'_, 'c> {
    /// Says that a resource has a change that is still to be made, in this instance of its module.
    pub(crate) fn set_pending(&mut self, index: usize, module: &ModuleAddress, is_sure: bool) {
        self.pending.add(self.input.config, self.graph, index, module, is_sure);
    }

    /// Adds a planned object.
    pub(crate) fn add_change(&mut self, index: Option<usize>, mut object: PlannedObject) {
        if self.input.options.mode == PlanMode::Destroy && self.plans_before_destroy() {
            // The plan before this one has moved it.
            object.previous_address = None;
        }
        // The provider itself may find nothing to update.
        let is_simulated = |index: usize| match &self.graph.nodes[index].kind {
            NodeKind::Resource(resource) => self.providers.is_simulated(&resource.provider_config),
            _ => false,
        };
        let is_sure = (object.action != PlannedAction::Update || !index.is_some_and(is_simulated))
            && !self.unsure.contains(&object.address);
        if let Some(index) = index
            && !matches!(object.action, PlannedAction::NoOp)
            && object.deposed.is_none()
            && self.input.options.mode != PlanMode::Destroy
        {
            self.set_pending(index, &object.address.resource.module, is_sure);
        }
        if object.deposed.is_none() {
            let known = self.changes.entry(object.address.resource.clone()).or_default();
            known.insert(object.address.key.clone(), self.plan.changes.len());
        }
        self.plan.changes.push(object);
    }

    /// Adds a resource whose instances or actions nobody knows.
    pub(crate) fn leave_undecided(&mut self, resource: UndecidedResource) {
        self.undecided.insert(resource.address.resource.clone());
        self.plan.undecided.push(resource);
    }

    /// Takes objects of which nobody knows what happens to them out of the changes.
    pub(crate) fn leave_unsure(&mut self) {
        if self.unsure.is_empty() {
            return;
        }
        let changes = std::mem::take(&mut self.plan.changes);
        for change in changes {
            if change.deposed.is_some() || !self.unsure.contains(&change.address) {
                self.plan.changes.push(change);
                continue;
            }
            let module = self.input.config.module_of(&change.address.resource.module);
            let key = module.map(|module| NodeKey::Resource(module, resource_name(&change.address.resource)));
            let node = key.and_then(|key| self.graph.find(&key));
            let span = node.and_then(|node| header(&self.graph.nodes[node]));
            let reason = match self.may_be_replaced.contains(&change.address) {
                true => UndecidedReason::ReplacementUnknown,
                false => UndecidedReason::ActionUnknown,
            };
            self.leave_undecided(UndecidedResource {
                reason,
                address: change.address,
                provider: change.provider,
                span: span.unwrap_or(crate::NOWHERE),
                because_of: node
                    .map(|node| self.unanswered[node].iter().cloned().collect())
                    .unwrap_or_default(),
                schema: change.schema,
                before: change.before,
                after: change.after,
            });
        }
    }

    /// The current object of an instance in the state.
    pub(crate) fn current(&self, address: &InstanceAddress) -> Option<&StateObject> {
        self.state.resources.get(&address.resource)?.instances.get(&address.key)?.current.as_ref()
    }

    /// Replaces what the state holds of an instance.
    pub(crate) fn set_current(
        &mut self,
        address: &InstanceAddress,
        provider: &crate::ProviderConfigAddress,
        object: Option<StateObject>,
    ) {
        match object {
            Some(object) => {
                let resource = self.state.resources.entry(address.resource.clone()).or_insert_with(|| {
                    StateResource { provider: provider.clone(), instances: BTreeMap::new() }
                });
                resource.instances.entry(address.key.clone()).or_default().current = Some(object);
            }
            None => {
                let Some(resource) = self.state.resources.get_mut(&address.resource) else { return };
                let Some(instance) = resource.instances.get_mut(&address.key) else { return };
                instance.current = None;
                if instance.deposed.is_empty() {
                    resource.instances.remove(&address.key);
                }
                if resource.instances.is_empty() {
                    self.state.resources.remove(&address.resource);
                }
            }
        }
    }
}
