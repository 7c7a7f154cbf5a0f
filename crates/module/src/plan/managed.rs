//! Managed resources: refreshing and planning each instance.

use std::sync::Arc;

use objchange::Value;
use objchange::address::InstanceAddress;
use objchange::change::{
    Action, IgnoreChanges, Lifecycle, PlanChangeError, PlanRequest, PlanResourceChange, PlannedChange,
    PlannedResource, Provider, ProviderError, ReplaceReason, plan_change,
};
use objchange::schema::Schema;
use objchange::value::{Marks, Path, PathStep};
use objchange_hcl::{Scope, Variables};
use smol_str::SmolStr;

use super::destroying::is_prevented;
use super::evaluated::dynamic;
use super::graph::ResourceNode;
use super::instances::{ModuleInstanceId, Repetition};
use super::replace_order;
use super::walk::{ChangeBeforeDestroy, Walk};
use super::{
    ActionReason, Identities, ImportedBy, PlannedAction, PlannedObject, UndecidedReason, UndecidedResource,
};
use crate::marking::mark_kept;
use crate::providers::{Providers, ProvidersExt};
use crate::state::StateObject;
use crate::{ProviderConfigAddress, Severity};
use objchange_document::PlanMode;

/// One instance of a resource while it is planned.
pub(crate) struct Instance<'w> {
    pub(crate) index: usize,
    pub(crate) at: ModuleInstanceId,
    pub(crate) address: InstanceAddress,
    pub(crate) repetition: &'w Repetition,
    pub(crate) schema: &'w Arc<Schema>,
    /// The provider configuration: with a key, as `provider["…"].by_region["eu"]`, where that has instances.
    pub(crate) provider: &'w ProviderConfigAddress,
}

/// Asks one of the providers about one type.
pub(crate) struct ResourceProvider<'p> {
    pub(crate) providers: &'p mut dyn Providers,
    pub(crate) provider: &'p ProviderConfigAddress,
    pub(crate) resource_type: &'p str,
    pub(crate) address: &'p str,
}

impl Provider for ResourceProvider<'_> {
    fn plan(&mut self, request: &PlanResourceChange) -> Result<PlannedResource, ProviderError> {
        self.providers.plan(self.provider, self.resource_type, self.address, request)
    }
}

/// A change to plan: the object before, the configured one, and what the state has beside the object.
pub(crate) struct ChangeInputs<'v> {
    pub(crate) before: &'v Value,
    pub(crate) config: &'v Value,
    pub(crate) stored: Option<&'v StateObject>,
    pub(crate) lifecycle: Lifecycle,
}

impl<'c> Walk<'_, 'c> {
    /// Plans a change of an instance with its provider.
    pub(crate) fn plan_change(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        inputs: ChangeInputs<'_>,
    ) -> Result<PlannedChange, PlanChangeError> {
        let mut request = PlanRequest::new(&instance.schema.block, inputs.before, inputs.config);
        request.lifecycle = inputs.lifecycle;
        if let Some(stored) = inputs.stored {
            request.private = stored.private.clone();
            request.identity.clone_from(&stored.identity);
        }
        let mut asked = ResourceProvider {
            providers: &mut *self.providers,
            provider: instance.provider,
            resource_type: &resource.name.resource_type,
            address: &instance.address.to_string(),
        };
        plan_change(&request, &mut asked)
    }

    pub(crate) fn managed(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        variables: &Variables,
    ) -> Value {
        let Instance { address, schema, .. } = instance;
        let nothing = || Value::unknown(schema.block.implied_type().clone());
        self.declared.insert(address.clone());
        self.wanted.insert(address.clone());
        let mode = self.input.options.mode;
        let is_destroyed = mode == PlanMode::Destroy && self.targets.includes_instance(address);
        if !self.targets.plans_instance(address, mode) {
            let stored = self.current(address).cloned();
            if is_destroyed {
                self.destroyed(instance, resource, stored.as_ref());
            }
            return stored.map_or_else(nothing, |stored| self.stored_with_inventions(instance, stored.value));
        }
        let Ok(importing) = self.import(instance, resource) else { return nothing() };
        let stored = self.current(address).cloned();
        if let Some(stored) = stored.as_ref().filter(|_| resource.is_inferred) {
            return self.without_schema(instance, resource, variables, stored);
        }
        let is_new = importing.is_some();
        let prior = match &stored {
            // Terraform reads an object that an older schema has written in any case.
            Some(stored)
                if self.input.options.minimal_refresh
                    && !is_new
                    && stored.schema_version == schema.version
                    && !self.would_change(instance, resource, variables, stored) =>
            {
                Some(stored.clone())
            }
            Some(stored) if !is_new => {
                let (read, found) = self.refresh(address, instance.provider, schema, stored);
                self.told_at_refresh(instance, resource, variables, found);
                match read {
                    Some(prior) => prior,
                    None => return nothing(),
                }
            }
            other => other.clone(),
        };
        match mode {
            PlanMode::Normal => self.plan_instance(instance, resource, variables, prior.as_ref(), importing),
            PlanMode::Destroy => {
                // References see the planned value, so the object is planned as usual before it is destroyed.
                let value = self.plan_instance(instance, resource, variables, prior.as_ref(), importing);
                if is_destroyed {
                    self.destroyed(instance, resource, prior.as_ref());
                }
                value
            }
            PlanMode::RefreshOnly => {
                let is_there = prior.is_some();
                let value =
                    prior.map_or_else(nothing, |prior| self.stored_with_inventions(instance, prior.value));
                let names = instance.repetition.names();
                let outer = Scope::new(variables);
                let scope = outer.with(&names);
                self.preconditions(instance, resource, &scope);
                match (is_there, &address.key) {
                    (true, _) => _ = self.postconditions(instance, resource, &scope, &value),
                    // Not even the type of an object that is not there is known.
                    (false, None) => _ = self.postconditions(instance, resource, &scope, &dynamic()),
                    (false, Some(_)) => self.postconditions_without_self(instance, resource, &scope),
                }
                value
            }
        }
    }

    fn destroyed(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        prior: Option<&StateObject>,
    ) {
        let prevents = self.prevents_destroy(instance.index, Some(instance.at), resource.config);
        if prevents && !resource.config.lifecycle.forgets && prior.is_some() {
            self.prevented(instance.index, &instance.address, resource);
        }
        self.delete_object(instance, resource, prior, None);
    }

    /// Whether an object would change as the state has it. Errors are ignored, because planning finds them again.
    fn would_change(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        variables: &Variables,
        stored: &StateObject,
    ) -> bool {
        let address = &instance.address;
        if stored.tainted || self.input.options.replace.contains(address) {
            return true;
        }
        let found = std::mem::take(&mut self.found);
        let names = instance.repetition.names();
        let outer = Scope::new(variables);
        let is_triggered = self.is_triggered(instance, resource);
        let decoded = self.config_object(instance, resource, &outer.with(&names));
        self.found = found;
        let (Some(decoded), false) = (decoded, is_triggered) else { return true };
        let ignore_changes = resource.config.lifecycle.ignore_changes.clone();
        let inputs = ChangeInputs {
            before: &stored.value,
            config: &decoded.value,
            stored: Some(stored),
            lifecycle: Lifecycle { ignore_changes, ..Lifecycle::default() },
        };
        self.plan_change(instance, resource, inputs).map_or(true, |change| change.action != Action::NoOp)
    }

    /// An object that exists, and whose schema nobody has: it is unknown what happens to it, and what it is.
    fn without_schema(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        variables: &Variables,
        stored: &StateObject,
    ) -> Value {
        let Instance { address, schema, index, .. } = instance;
        match self.input.options.mode {
            PlanMode::Destroy => {
                let prevents = self.prevents_destroy(*index, Some(instance.at), resource.config);
                if prevents && !resource.config.lifecycle.forgets {
                    self.prevented(*index, address, resource);
                }
                self.delete_object(instance, resource, Some(stored), None);
                return dynamic();
            }
            PlanMode::RefreshOnly => return dynamic(),
            PlanMode::Normal => {}
        }
        let names = instance.repetition.names();
        let outer = Scope::new(variables);
        let scope = outer.with(&names);
        if !self.preconditions(instance, resource, &scope) {
            return dynamic();
        }
        let Some(decoded) = self.config_object(instance, resource, &scope) else { return dynamic() };
        self.set_pending(*index, &address.resource.module, false);
        self.leave_undecided(UndecidedResource {
            reason: UndecidedReason::ActionUnknown,
            address: address.clone(),
            provider: resource.provider.clone(),
            span: resource.config.header,
            because_of: self.unanswered[*index].iter().cloned().collect(),
            schema: Some(Arc::clone(schema)),
            before: Value::null(decoded.value.ty().clone()),
            after: with_ignored_unknown(&decoded.value, &resource.config.lifecycle.ignore_changes),
        });
        self.deposed(instance.index, &instance.address, instance.schema, resource);
        self.postconditions(instance, resource, &scope, &dynamic());
        dynamic()
    }

    fn plan_instance(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        variables: &Variables,
        prior: Option<&StateObject>,
        importing: Option<ImportedBy>,
    ) -> Value {
        let Instance { address, schema, index, .. } = instance;
        let nothing = Value::unknown(schema.block.implied_type().clone());
        let names = instance.repetition.names();
        let outer = Scope::new(variables);
        let scope = outer.with(&names);
        let is_destroy = self.input.options.mode == PlanMode::Destroy;
        let errors = self.found.error_count();
        let triggered = self.plans_before_destroy() && self.is_triggered(instance, resource);
        if importing.is_some() {
            self.imported.insert(address.clone());
        }
        if self.found.error_count() > errors {
            return nothing;
        }
        if !self.preconditions(instance, resource, &scope) {
            return nothing;
        }
        let Some(decoded) = self.config_object(instance, resource, &scope) else { return nothing };
        let lifecycle = &resource.config.lifecycle;
        // Only configuration decides this in Terraform 1.11.4, not what the state has stored with the object.
        let creates_first = self.creates_first[*index] || lifecycle.create_before_destroy == Some(true);
        let requested = self.input.options.replace.contains(address);
        let prior_value = prior
            .map_or_else(|| Value::null(schema.block.implied_type().clone()), |prior| prior.value.clone());
        let inputs = ChangeInputs {
            before: &prior_value,
            config: &decoded.value,
            stored: prior,
            lifecycle: Lifecycle {
                ignore_changes: lifecycle.ignore_changes.clone(),
                create_before_destroy: creates_first,
                force_replace: requested || triggered && prior.is_some(),
                tainted: prior.is_some_and(|prior| prior.tainted),
            },
        };
        let change = match self.plan_change(instance, resource, inputs) {
            Ok(change) => change,
            Err(error) => {
                self.refused(instance, resource, &decoded, error);
                return nothing;
            }
        };
        if !self.accepted(instance, resource, &decoded, &change) {
            return nothing;
        }
        let is_tainted = matches!(change.replace_reason, Some(ReplaceReason::Tainted));
        // As in Terraform, a trigger overwrites any other reason.
        let reason = change.replace_reason.as_ref().map(|reason| match reason {
            _ if triggered => ActionReason::ReplaceByTriggers,
            ReplaceReason::Tainted => ActionReason::ReplaceBecauseTainted,
            ReplaceReason::Requested(_) => ActionReason::ReplaceByRequest,
            _ => ActionReason::ReplaceBecauseCannotUpdate,
        });
        // A create by a trigger has this reason, too.
        let reason = reason.or((triggered && prior.is_none()).then_some(ActionReason::ReplaceByTriggers));
        let replace_paths = match &change.replace_reason {
            Some(ReplaceReason::CannotUpdate(paths) | ReplaceReason::Requested(paths)) => {
                replace_order::in_order(paths.clone())
            }
            _ => Vec::new(),
        };
        // A replacement destroys the object, too: Terraform refuses it with `prevent_destroy`.
        let is_prevented =
            change.action.is_replace() && self.prevents_destroy(*index, Some(instance.at), resource.config);
        // The planned value gets the sensitive marks of configuration and schema. Ephemeral marks never reach a plan.
        let marks = sensitive_paths(&change.configured_marks);
        if is_destroy {
            if is_prevented && !lifecycle.forgets {
                self.found.push(Severity::Error, self::is_prevented(address, resource.config));
            }
            if change.action != Action::NoOp {
                self.set_pending(*index, &address.resource.module, true);
            }
            let configured = change.after.unmark_deep().0.mark_where_present(&marks);
            let after = mark_kept(&schema.block, &configured);
            self.postconditions(instance, resource, &scope, &after);
            let (action, before) = (planned_action(change.action), prior_value);
            // Its actions are not invoked. Errors in their conditions are reported all the same.
            self.note_change(instance, resource, PlannedAction::NoOp, &before, &after);
            let change = ChangeBeforeDestroy { action, before, after: after.clone() };
            let of_resource = self.before_destroy.entry(address.resource.clone()).or_default();
            of_resource.insert(address.key.clone(), change);
            return after;
        }
        let configured = change.after.unmark_deep().0.mark_where_present(&marks);
        let after = mark_kept(&schema.block, &configured);
        // The object may exist with other values, which are kept then.
        let after = match self.input.options.lacks_state {
            true => with_ignored_unknown(&after, &lifecycle.ignore_changes),
            false => after,
        };
        let action = match planned_action(change.action) {
            // An object that is replaced for another reason is destroyed all the same.
            action if action.is_replace() && is_tainted && lifecycle.forgets => {
                self.forgotten.push(address.clone());
                PlannedAction::CreateThenForget
            }
            // The new marks are written to the state.
            PlannedAction::NoOp if prior.is_some_and(|prior| prior.lacks_marks) => PlannedAction::Update,
            action => action,
        };
        if change.action.is_replace() && !is_tainted {
            self.replaced.insert(address.clone(), configured);
        }
        if prior.is_none()
            && let Some(by) = importing
        {
            self.set_pending(*index, &address.resource.module, false);
            self.leave_undecided(UndecidedResource {
                reason: UndecidedReason::ImportUnknown(by),
                address: address.clone(),
                provider: resource.provider.clone(),
                span: resource.config.header,
                because_of: self.unanswered[*index].iter().cloned().collect(),
                schema: Some(Arc::clone(schema)),
                before: Value::null(after.ty().clone()),
                after: after.clone(),
            });
            return after;
        }
        // An object that is to be replaced whatever its configuration is, is replaced for certain.
        let is_certain =
            matches!(reason, Some(ActionReason::ReplaceBecauseTainted | ActionReason::ReplaceByRequest));
        let depends_on_missing = triggered || !after.is_wholly_known();
        if prior.is_some() && self.missing.reaches(*index) && depends_on_missing && !is_certain {
            self.unsure.insert(address.clone());
        } else if change.may_replace || self.may_stay(instance, resource, &change, &reason) {
            self.unsure.insert(address.clone());
            self.may_be_replaced.insert(address.clone());
        }
        // Only the provider knows the identity that an object gets when it is created again.
        let is_guess = change.action.is_replace() && self.providers.is_simulated(&resource.provider_config);
        let identities = Identities {
            // Terraform plans a tainted object as if there were none.
            before: prior.filter(|prior| !prior.tainted).and_then(|prior| prior.identity.clone()),
            after: change.identity.filter(|identity| identity.is_wholly_known() && !is_guess),
        };
        self.add_change(
            Some(*index),
            PlannedObject {
                address: address.clone(),
                previous_address: self.moved.get(address).cloned(),
                provider: resource.provider.clone(),
                deposed: None,
                action,
                reason,
                before: prior_value.clone(),
                after: after.clone(),
                schema: Some(Arc::clone(schema)),
                replace_paths,
                importing,
                generated_config: None,
                identities,
            },
        );
        self.note_change(instance, resource, action, &prior_value, &after);
        // Deposed objects follow the current object, as in `resource_changes`.
        self.deposed(instance.index, &instance.address, instance.schema, resource);
        // An object that is perhaps replaced is not refused.
        if is_prevented && !self.unsure.contains(address) {
            self.prevented(instance.index, address, resource);
            return nothing;
        }
        // Terraform keeps the change of an object whose postcondition fails in the errored plan. A failed precondition
        // keeps it out.
        let seen = match resource.is_inferred {
            true => dynamic(),
            false => self.with_inventions(instance, resource, Some(&prior_value), after),
        };
        self.postconditions(instance, resource, &scope, &seen);
        seen
    }
}

impl<'c> Walk<'_, 'c> {
    /// Whether only unknown values replace an object, and a provider that was not asked may know them: they may equal the values
    /// before.
    fn may_stay(
        &self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        change: &PlannedChange,
        reason: &Option<ActionReason>,
    ) -> bool {
        let Some(ReplaceReason::CannotUpdate(paths)) = &change.replace_reason else { return false };
        *reason == Some(ActionReason::ReplaceBecauseCannotUpdate)
            && self.providers.is_simulated(&resource.provider_config)
            && paths.iter().all(|path| {
                let is_open = change.after.at(path).is_some_and(|value| !value.is_wholly_known());
                is_open && self.may_be_known(resource, path, instance.at)
            })
    }
}

/// Whether changes of an attribute or block are ignored, or those of a part of it.
pub(crate) fn is_ignored(ignored: &IgnoreChanges, name: &SmolStr) -> bool {
    match ignored {
        IgnoreChanges::None => false,
        IgnoreChanges::All => true,
        IgnoreChanges::Paths(paths) => {
            paths.iter().any(|path| path.steps().first() == Some(&PathStep::Attribute(name.clone())))
        }
    }
}

/// An object without the values of ignored parts.
fn with_ignored_unknown(object: &Value, ignored: &IgnoreChanges) -> Value {
    let (plain, marks) = object.unmark();
    let Some(members) = plain.as_object() else { return object.clone() };
    let member = |(name, value): (&SmolStr, &Value)| match is_ignored(ignored, name) {
        true => (name.clone(), Value::unknown(value.ty().clone()).with_marks(value.marks())),
        false => (name.clone(), value.clone()),
    };
    Value::object(members.iter().map(member).collect::<Vec<_>>()).with_marks(marks)
}

/// The paths that are sensitive, with that mark alone.
fn sensitive_paths(marks: &[(Path, Marks)]) -> Vec<(Path, Marks)> {
    let sensitive = marks.iter().filter(|(_, marks)| marks.contains(Marks::SENSITIVE));
    sensitive.map(|(path, _)| (path.clone(), Marks::SENSITIVE)).collect()
}

/// Translates the engine's action.
fn planned_action(action: Action) -> PlannedAction {
    match action {
        Action::Create => PlannedAction::Create,
        Action::Update => PlannedAction::Update,
        Action::Delete => PlannedAction::Delete,
        Action::DeleteThenCreate => PlannedAction::DeleteThenCreate,
        Action::CreateThenDelete => PlannedAction::CreateThenDelete,
        _ => PlannedAction::NoOp,
    }
}
