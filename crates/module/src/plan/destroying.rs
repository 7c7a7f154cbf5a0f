//! Objects that are destroyed.

use std::sync::Arc;

use objchange::address::InstanceAddress;
use objchange::schema::Schema;
use objchange::{Type, Value};
use objchange_hcl::ResourceConfig;

use super::graph::ResourceNode;
use super::instances::ModuleInstanceId;
use super::managed::Instance;
use super::walk::Walk;
use super::{ActionReason, Identities, PlannedAction, PlannedObject};
use crate::state::StateObject;
use crate::{ProviderConfigAddress, ProvidersExt, Severity};
use objchange_document::PlanMode;

impl Walk<'_, '_> {
    /// Whether objects of a resource in this instance of its module must not be destroyed. Where the instance is gone, and
    /// with it the variables of an expression, an expression protects its objects if it holds in any other instance.
    pub(crate) fn prevents_destroy(
        &self,
        index: usize,
        at: Option<ModuleInstanceId>,
        config: &ResourceConfig,
    ) -> bool {
        let holds_in = self.preventing.get(&index);
        config.lifecycle.prevent_destroy
            || holds_in.is_some_and(|instances| at.is_none_or(|at| instances.contains(&at)))
    }
}

impl<'c> Walk<'_, 'c> {
    /// Reports that an object must not be destroyed.
    pub(crate) fn prevented(&mut self, index: usize, address: &InstanceAddress, resource: &ResourceNode<'c>) {
        self.prevented.push(index);
        let found = match self.input.options.mode {
            PlanMode::Destroy => &mut self.found_at_destroy,
            PlanMode::Normal | PlanMode::RefreshOnly => &mut self.found,
        };
        found.push(Severity::Error, is_prevented(address, resource.config));
    }

    /// Plans to destroy an object, and the deposed ones beside it; or to forget them, with `destroy = false`.
    pub(crate) fn delete_object(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        prior: Option<&StateObject>,
        reason: Option<ActionReason>,
    ) {
        let provider = &resource.provider_config;
        let forgets = resource.config.lifecycle.forgets;
        let planned = prior.and_then(|prior| match forgets {
            true => Some((prior, Identities::default())),
            false => {
                let schema = Some(instance.schema);
                Some((prior, self.planned_destroy(&instance.address, provider, schema, prior)?))
            }
        });
        if let Some((prior, identities)) = planned {
            match forgets {
                true => self.forgotten.push(instance.address.clone()),
                false => {
                    let after = Value::null(prior.value.ty().clone());
                    self.note_change(instance, resource, PlannedAction::Delete, &prior.value, &after);
                }
            }
            self.add_change(
                Some(instance.index),
                PlannedObject {
                    address: instance.address.clone(),
                    previous_address: self.moved.get(&instance.address).cloned(),
                    provider: resource.provider.clone(),
                    deposed: None,
                    action: if forgets { PlannedAction::Forget } else { PlannedAction::Delete },
                    reason,
                    before: prior.value.clone(),
                    after: Value::null(Type::Dynamic),
                    schema: Some(Arc::clone(instance.schema)),
                    replace_paths: Vec::new(),
                    importing: None,
                    generated_config: None,
                    identities,
                },
            );
        }
        self.deposed(instance.index, &instance.address, instance.schema, resource);
    }

    /// Asks the provider whether an object can be destroyed; reports what it says. Returns the identities of the object if so.
    pub(crate) fn planned_destroy(
        &mut self,
        address: &InstanceAddress,
        provider: &ProviderConfigAddress,
        schema: Option<&Arc<Schema>>,
        object: &StateObject,
    ) -> Option<Identities> {
        let before = object.identity.clone();
        let Some(schema) = schema else { return Some(Identities { before, after: None }) };
        self.secrets.learn(&schema.block, &object.value);
        let text = address.to_string();
        let resource_type = &address.resource.resource_type;
        let planned =
            self.providers.plan_destroy(provider, resource_type, &text, schema, &object.for_provider());
        let (after, found) = match planned {
            Ok((identity, warnings)) => (Some(identity), warnings),
            Err(found) => (None, found),
        };
        // Terraform plans a destroy in two walks, and begins the second one only after a first one without errors. Messages of
        // the second one are therefore kept apart.
        let is_destroy = self.input.options.mode == PlanMode::Destroy;
        if is_destroy {
            std::mem::swap(&mut self.found, &mut self.found_at_destroy);
        }
        self.provider_diagnostics(found, None, None);
        if is_destroy {
            std::mem::swap(&mut self.found, &mut self.found_at_destroy);
        }
        Some(Identities { before, after: after? })
    }

    /// Plans to destroy the deposed objects of an instance; or to forget them, with `destroy = false`.
    pub(crate) fn deposed(
        &mut self,
        index: usize,
        address: &InstanceAddress,
        schema: &Arc<Schema>,
        resource: &ResourceNode<'c>,
    ) {
        let Some(known) = self.state.resources.get(&address.resource) else { return };
        let Some(known) = known.instances.get(&address.key) else { return };
        let deposed = known.deposed.clone();
        let provider = &resource.provider_config;
        if resource.config.lifecycle.forgets {
            self.forget_deposed(Some(index), address, provider, Some(schema), deposed);
        } else {
            self.delete_deposed(Some(index), address, provider, Some(schema), deposed);
        }
    }

    /// Plans to destroy deposed objects.
    pub(crate) fn delete_deposed(
        &mut self,
        index: Option<usize>,
        address: &InstanceAddress,
        provider: &ProviderConfigAddress,
        schema: Option<&Arc<Schema>>,
        deposed: impl IntoIterator<Item = (smol_str::SmolStr, StateObject)>,
    ) {
        // Nothing needs an object that was left over.
        if self.input.options.mode != PlanMode::Destroy && !self.targets.names_instance(address) {
            return;
        }
        for (key, object) in deposed {
            let Some(identities) = self.planned_destroy(address, provider, schema, &object) else { continue };
            self.add_change(
                index,
                PlannedObject {
                    address: address.clone(),
                    previous_address: self.moved.get(address).cloned(),
                    provider: provider.provider.clone(),
                    deposed: Some(key),
                    action: PlannedAction::Delete,
                    reason: None,
                    generated_config: None,
                    identities,
                    before: object.value,
                    after: Value::null(Type::Dynamic),
                    schema: schema.cloned(),
                    replace_paths: Vec::new(),
                    importing: None,
                },
            );
        }
    }
}

/// The error that an object must not be destroyed.
pub(crate) fn is_prevented(address: &InstanceAddress, config: &ResourceConfig) -> objchange_hcl::Diagnostic {
    let detail = format!(
        "Resource {address} has lifecycle.prevent_destroy set, but the plan calls for this resource to be destroyed. To avoid \
         this error and continue with the plan, either disable lifecycle.prevent_destroy or reduce the scope of the plan using \
         the -target option."
    );
    // Only a block that is still there protects, also with `-destroy` and where `count` was reduced; where the
    // block is gone, nothing does (Terraform 1.11.4).
    objchange_hcl::Diagnostic::new("Instance cannot be destroyed", config.header, detail)
}
