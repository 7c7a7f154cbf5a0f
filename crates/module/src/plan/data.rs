//! Data sources: read while planning, or left until apply for a reason.

use std::sync::Arc;

use objchange::Value;
use objchange::address::InstanceAddress;
use objchange::change::planned_data_resource;
use objchange::value::Path;
use objchange_hcl::{Diagnostic, Scope, Span, Variables};

use super::evaluated::dynamic;
use super::graph::ResourceNode;
use super::managed::Instance;
use super::resource::value_place;
use super::stored_data::is_read_with;
use super::walk::Walk;
use super::{ActionReason, CheckKind, CheckStatus, Identities, PlannedAction, PlannedObject};
use crate::ModuleDiagnostic;
use crate::diagnostics::PROVIDER;
use crate::marking::mark_kept;
use crate::providers::{DataAnswer, ProvidersExt};
use crate::state::StateObject;
use objchange_document::PlanMode;

impl<'c> Walk<'_, 'c> {
    /// The object of an instance of a data source.
    pub(crate) fn data(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        variables: &Variables,
    ) -> Value {
        let Instance { address, schema, index, .. } = instance;
        self.declared.insert(address.clone());
        self.wanted.insert(address.clone());
        let nothing = || Value::unknown(schema.block.implied_type().clone());
        if !self.targets.plans_instance(address, self.input.options.mode) {
            return nothing();
        }
        let names = instance.repetition.names();
        let outer = Scope::new(variables);
        let scope = outer.with(&names);
        if self.input.options.mode != PlanMode::Destroy && !self.preconditions(instance, resource, &scope) {
            return nothing();
        }
        let Some(decoded) = self.config_object(instance, resource, &scope) else { return nothing() };
        let config = decoded.value.clone();
        // Terraform names an unknown configuration before a pending dependency.
        let reason = if !config.is_wholly_known() {
            Some(ActionReason::ReadBecauseConfigUnknown)
        } else {
            let awaited = self.awaited(*index, &address.resource.module);
            awaited.map(|_| ActionReason::ReadBecauseDependencyPending)
        };
        // With all input it may be read while planning, as with a provider that was asked.
        let reason =
            reason.map(|reason| match self.missing.reaches(*index) && resource.config.check.is_none() {
                true => ActionReason::ReadBecauseSimulated,
                false => reason,
            });
        let stored = self.stored_data(address, resource);
        // Terraform does not use the stored object.
        self.set_current(address, &resource.provider_config, None);
        let later = planned_data_resource(&schema.block, &config)
            .map_or_else(|_| dynamic(), |later| mark_kept(&schema.block, &later));
        if let Some(reason) = reason {
            // A plan that only refreshes leaves nothing to read.
            if self.input.options.mode == PlanMode::RefreshOnly {
                return nothing();
            }
            self.add_read(instance, resource, reason, later.clone());
            self.postconditions(instance, resource, &scope, &seen_later(resource, &later));
            return later;
        }
        let text = address.to_string();
        if resource.is_inferred {
            return self.not_read(instance, resource, &scope, &text, later);
        }
        let (plain, marks) = config.unmark_deep_with_paths();
        match self.providers.read_data(instance.provider, &text, schema, &plain) {
            DataAnswer::Known(value, warnings) => {
                let place = |path: &Path| value_place(&resource.body, &decoded, path);
                self.provider_diagnostics(warnings, Some(&text), Some(&place));
                if self.is_infinite(&text, &value) {
                    return nothing();
                }
                let is_whole = value.is_wholly_known();
                let value = mark_kept(&schema.block, &value.mark_where_present(&marks));
                if !is_whole {
                    return self.not_read(instance, resource, &scope, &text, value);
                }
                let object = StateObject::read(value.clone(), schema);
                self.set_current(address, &resource.provider_config, Some(object));
                // Terraform reads a check's data source while planning and again at apply.
                if resource.config.check.is_some() {
                    self.add_read(instance, resource, ActionReason::ReadBecauseCheckNested, value.clone());
                }
                let value = self.with_inventions(instance, resource, None, value);
                if self.input.options.mode != PlanMode::Destroy {
                    self.postconditions(instance, resource, &scope, &value);
                }
                value
            }
            DataAnswer::NotKnown => {
                match stored.filter(|stored| is_read_with(&schema.block, &plain, &stored.value)) {
                    Some(stored) => {
                        let value = stored.value.clone();
                        self.set_current(address, &resource.provider_config, Some(stored));
                        self.plan.kept_data.insert(text);
                        let value = mark_kept(&schema.block, &value.mark_where_present(&marks));
                        if self.input.options.mode != PlanMode::Destroy {
                            self.postconditions(instance, resource, &scope, &value);
                        }
                        value
                    }
                    None => self.not_read(instance, resource, &scope, &text, later),
                }
            }
            DataAnswer::Failed(found) => {
                let place = |path: &Path| value_place(&resource.body, &decoded, path);
                if resource.config.check.is_some() {
                    // The state keeps what it was asked.
                    let asked = mark_kept(&schema.block, &decoded.value);
                    self.set_current(
                        address,
                        &resource.provider_config,
                        Some(StateObject::read(asked, schema)),
                    );
                }
                self.failed_data(instance, resource, found, &text, later, &place)
            }
        }
    }

    /// The object in the state that is used instead of reading the data source, where planning does not refresh and the provider
    /// was learned and not asked.
    fn stored_data(&self, address: &InstanceAddress, resource: &ResourceNode<'c>) -> Option<StateObject> {
        let is_wanted = !self.input.options.refresh
            && resource.config.check.is_none()
            && self.providers.keeps_data(&resource.provider);
        let stored = if is_wanted { self.current(address) } else { None };
        stored.filter(|stored| stored.value.is_wholly_known()).cloned()
    }

    /// Plans a data source that could not be read, or not wholly: known attributes stay, and the rest is unknown.
    fn not_read(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        scope: &Scope<'_>,
        address: &str,
        later: Value,
    ) -> Value {
        self.unanswered[instance.index].insert(address.to_owned());
        self.plan.lacks_answers = true;
        let reason = match resource.config.check {
            Some(_) => ActionReason::ReadBecauseCheckNested,
            None => ActionReason::ReadBecauseSimulated,
        };
        self.add_read(instance, resource, reason, later.clone());
        if self.input.options.mode != PlanMode::Destroy {
            self.postconditions(instance, resource, scope, &seen_later(resource, &later));
        }
        later
    }

    /// A data source that could not be read: within a check that is a warning.
    fn failed_data(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        found: Vec<objchange::change::Diagnostic>,
        address: &str,
        later: Value,
        place: &dyn Fn(&Path) -> Span,
    ) -> Value {
        // Terraform demotes the errors of a check's data source to warnings.
        let Some(check) = &resource.config.check else {
            self.provider_diagnostics(found, Some(address), Some(place));
            return Value::unknown(instance.schema.block.implied_type().clone());
        };
        self.unread_checks.insert((self.graph.nodes[instance.index].module, check.clone()));
        // Checks of what is destroyed are not judged.
        if self.input.options.mode == PlanMode::Destroy {
            return later;
        }
        let found = self.secrets.hide_all(found);
        let problems: Vec<String> =
            found.iter().map(|diagnostic| format!("{}: {}", diagnostic.summary, diagnostic.detail)).collect();
        for diagnostic in found {
            self.found.add(ModuleDiagnostic::new(
                Diagnostic::warning(
                    (PROVIDER, diagnostic.summary),
                    diagnostic.path.as_ref().map_or(resource.config.header, place),
                    diagnostic.detail,
                ),
                Some(address.to_owned()),
            ));
        }
        let module = &instance.address.resource.module;
        self.checks.instance(CheckKind::Check, module, check, None, &[CheckStatus::Fail], problems);
        self.add_read(instance, resource, ActionReason::ReadBecauseCheckNested, later.clone());
        later
    }

    fn add_read(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        reason: ActionReason,
        after: Value,
    ) {
        // A destroy plan reads nothing at apply, and one that only refreshes has no `resource_changes`.
        if self.input.options.mode != PlanMode::Normal {
            return;
        }
        self.add_change(
            Some(instance.index),
            PlannedObject {
                address: instance.address.clone(),
                previous_address: None,
                provider: resource.provider.clone(),
                deposed: None,
                action: PlannedAction::Read,
                reason: Some(reason),
                before: Value::null(instance.schema.block.implied_type().clone()),
                after,
                schema: Some(Arc::clone(instance.schema)),
                replace_paths: Vec::new(),
                importing: None,
                generated_config: None,
                identities: Identities::default(),
            },
        );
    }
}

/// An object that is read later, as its postconditions see it: without a schema nobody knows which attributes it has.
fn seen_later(resource: &ResourceNode<'_>, later: &Value) -> Value {
    if resource.is_inferred { dynamic() } else { later.clone() }
}
