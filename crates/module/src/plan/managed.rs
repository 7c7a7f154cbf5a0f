//! Managed resources: refreshing and planning each instance.

use std::sync::Arc;

use objchange::address::{InstanceAddress, InstanceKey, Mode, ModuleAddress};
use objchange::change::{
    Action, Lifecycle, PlanChangeError, PlanRequest, PlanResourceChange, PlanViolation, PlannedChange,
    PlannedResource, Provider, ProviderError, ReplaceReason, plan_change,
};
use objchange::schema::Schema;
use objchange::value::{Marks, Path};
use objchange::{Type, Value};
use objchange_hcl::{Decoded, Purpose, ResourceConfig, ResourceName, Scope, Variables, decode};

use super::conditions::{self, judge};
use super::graph::{ResourceNode, resource_text};
use super::input::PlanMode;
use super::instances::{Expanded, ModuleInstanceId, Repetition};
use super::resource::{ephemeral_refusals, instance_address, value_place};
use super::subject::SubjectKind;
use super::validate::{own_references, self_reference};
use super::walk::Walk;
use super::world::dynamic;
use super::{
    ActionReason, CheckKind, CheckStatus, ImportedBy, PlannedAction, PlannedObject, UndecidedReason,
    UndecidedResource,
};
use crate::marking::mark_kept;
use crate::providers::{A_BUG, BrokenContract, DataAnswer, ImportAnswer, Providers};
use crate::state::StateObject;
use crate::{ConditionOwner, ProviderConfigAddress, Severity};

/// One instance of a resource while it is planned.
pub(crate) struct Instance<'w> {
    pub(crate) index: usize,
    pub(crate) at: ModuleInstanceId,
    pub(crate) address: InstanceAddress,
    pub(crate) repetition: &'w Repetition,
    pub(crate) schema: &'w Arc<Schema>,
}

/// Asks one of the providers about one type.
pub(crate) struct Asked<'p> {
    pub(crate) providers: &'p mut dyn Providers,
    pub(crate) provider: &'p ProviderConfigAddress,
    pub(crate) resource_type: &'p str,
    pub(crate) address: &'p str,
}

impl Provider for Asked<'_> {
    fn plan(&mut self, request: &PlanResourceChange) -> Result<PlannedResource, ProviderError> {
        self.providers.plan(self.provider, self.resource_type, self.address, request)
    }
}

impl<'c> Walk<'_, 'c> {
    /// Plans all instances of a resource, in all instances of its module.
    pub(crate) fn resource(
        &mut self,
        index: usize,
        resource: &ResourceNode<'c>,
        instances: Vec<ModuleInstanceId>,
    ) {
        let Some(schema) = resource.schema else { return };
        let schema = Arc::new(schema.clone());
        let graph = self.graph;
        if !self.read_imports(&graph.nodes[index].imports) {
            instances.into_iter().for_each(|at| self.keep_all(at, resource));
            self.forget_imports(&graph.nodes[index].imports);
            return;
        }
        if self.refers_to_itself(index, resource) {
            return;
        }
        let (count, for_each) = (resource.config.count.as_ref(), resource.config.for_each.as_ref());
        let expansions = instances.iter().map(|at| (*at, self.expand(index, *at, count, for_each)));
        let expansions: Vec<_> = expansions.collect();
        if self.misses_imports(&graph.nodes[index].imports, resource, &expansions) {
            self.forget_imports(&graph.nodes[index].imports);
            instances.into_iter().for_each(|at| self.keep_all(at, resource));
            return;
        }
        for (at, expansion) in expansions {
            let Some(expansion) = expansion else {
                self.keep_all(at, resource);
                self.forget_imports(&graph.nodes[index].imports);
                continue;
            };
            if let Expanded::Undecided(repetition) = &expansion {
                self.undecided(index, at, resource, &schema, repetition);
                continue;
            }
            if self.world.instances[at].is_undecided {
                let repetition = Repetition::default();
                self.undecided(index, at, resource, &schema, &repetition);
                continue;
            }
            // The variables are the same for all instances.
            let variables = self.world.variables(self.graph, at, &self.graph.nodes[index].subjects);
            let module = self.world.instances[at].address.clone();
            let text = resource_text(resource.name);
            // What is destroyed is not checked.
            let checked = expansion.iter().filter(|_| self.input.options.mode != PlanMode::Destroy);
            for (key, _) in checked {
                self.checks.open(CheckKind::Resource, &module, &text, key);
            }
            let values = expansion.map(|key, repetition| {
                let address = instance_address(&module, resource.name, key);
                let instance = Instance { index, at, address, repetition, schema: &schema };
                match resource.name.mode {
                    Mode::Managed => self.managed(&instance, resource, &variables),
                    Mode::Data => self.data(&instance, resource, &variables),
                    Mode::Ephemeral => self.ephemeral(&instance, resource, &variables),
                }
            });
            if resource.name.mode == Mode::Managed {
                self.orphans_of(index, at, resource, &expansion);
            }
            let values = self.seen_by_references(index, values, &module, resource.name);
            self.world.instances[at].resources.insert(resource.name.clone(), values.to_value());
        }
    }

    /// What references see of the instances of a resource where not all of them are planned: those that are, and those of
    /// the state.
    fn seen_by_references(
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
                // What nobody could read may be there.
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
                values.with_others(objects.filter_map(|(key, instance)| {
                    Some((key.as_ref()?, instance.current.as_ref()?.value.clone()))
                }))
            }
        }
    }

    /// Reports references of a resource to itself, and to triggers that are not declared; whether there are any.
    fn refers_to_itself(&mut self, index: usize, resource: &ResourceNode<'c>) -> bool {
        let Some(schema) = resource.schema else { return false };
        let config = resource.config;
        let mut references: Vec<_> =
            config.count.iter().chain(&config.for_each).flat_map(objchange_hcl::variables).collect();
        let is_repetition = !own_references(resource, &references).is_empty();
        references.extend(objchange_hcl::references(&resource.body, &schema.block, Purpose::Core));
        let own = own_references(resource, &references);
        for subject in &own {
            // An object that is the only one of its resource is looked at twice.
            let is_single = matches!(&subject.kind, SubjectKind::Resource { key: None, .. });
            for _ in 0..if is_single && !is_repetition { 2 } else { 1 } {
                self.found.error("Self-referential block", subject.span, self_reference(subject));
            }
        }
        let module = self.graph.nodes[index].module;
        let triggers = &config.lifecycle.replace_triggered_by;
        let errors = self.found.error_count();
        // A plan that only refreshes replaces nothing.
        if self.input.options.mode != PlanMode::RefreshOnly {
            triggers.iter().for_each(|trigger| self.undeclared_trigger(module, trigger));
        }
        !own.is_empty() || self.found.error_count() > errors
    }

    /// Everything of a resource in the state stays, because nobody can say what of it is wanted.
    fn keep_all(&mut self, at: ModuleInstanceId, resource: &ResourceNode<'c>) {
        let address = super::resource::resource_address(&self.world.instances[at].address, resource.name);
        if let Some(known) = self.state.resources.get(&address) {
            let all = known.instances.keys().cloned().collect::<Vec<_>>();
            self.wanted.extend(all.into_iter().map(|key| InstanceAddress { resource: address.clone(), key }));
        }
    }

    /// A resource whose instances depend on what no provider was there to say.
    fn undecided(
        &mut self,
        index: usize,
        at: ModuleInstanceId,
        resource: &ResourceNode<'c>,
        schema: &Arc<Schema>,
        repetition: &Repetition,
    ) {
        self.keep_all(at, resource);
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
            let because_of = self.unanswered[index].iter().cloned().collect();
            self.plan.undecided.push(UndecidedResource {
                reason: UndecidedReason::InstancesUnknown,
                address,
                provider: resource.provider.clone(),
                span,
                because_of,
                schema: Some(Arc::clone(schema)),
                after,
            });
        }
        self.unanswered[index].insert(resource_text(resource.name));
        self.world.instances[at].resources.insert(resource.name.clone(), dynamic());
    }

    fn managed(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        variables: &Variables,
    ) -> Value {
        let Instance { address, schema, .. } = instance;
        let nothing = || Value::unknown(schema.block.implied_type().clone());
        self.declared.insert(address.clone());
        self.wanted.insert(address.clone());
        if !self.targets.includes_instance(address) {
            return self.current(address).map_or_else(nothing, |object| object.value.clone());
        }
        let Ok(importing) = self.import(instance, resource) else { return nothing() };
        let stored = self.current(address).cloned();
        let is_new = importing.is_some();
        let prior = match &stored {
            Some(stored) if !is_new => {
                let (read, found) = self.refresh(address, &resource.provider_config, schema, stored);
                self.told_at_refresh(instance, resource, variables, found);
                match read {
                    Some(prior) => prior,
                    None => return nothing(),
                }
            }
            other => other.clone(),
        };
        match self.input.options.mode {
            PlanMode::Normal => self.plan_instance(instance, resource, variables, prior.as_ref(), importing),
            PlanMode::Destroy => {
                // What is destroyed is planned as usual before: others see of it what it would be.
                let value = self.plan_instance(instance, resource, variables, prior.as_ref(), importing);
                if resource.config.lifecycle.prevent_destroy && prior.is_some() {
                    self.prevented(instance.index, address, resource);
                }
                self.delete_object(instance, resource, prior.as_ref(), None);
                value
            }
            PlanMode::RefreshOnly => {
                let is_there = prior.is_some();
                let value = prior.map_or_else(nothing, |prior| prior.value);
                let names = instance.repetition.names();
                let outer = Scope::new(variables);
                let scope = outer.with(&names);
                self.preconditions(instance, resource, &scope);
                match is_there || address.key.is_none() {
                    true => drop(self.postconditions(instance, resource, &scope, &value)),
                    false => self.no_self(instance, resource),
                }
                value
            }
        }
    }

    /// The object as the provider knows it now, if it can say, and what the provider says to people. What differs from the
    /// state is drift.
    pub(crate) fn refresh(
        &mut self,
        address: &InstanceAddress,
        provider: &ProviderConfigAddress,
        schema: &Arc<Schema>,
        stored: &StateObject,
    ) -> (Option<Option<StateObject>>, Vec<objchange::change::Diagnostic>) {
        if !self.input.options.refresh {
            return (Some(Some(stored.clone())), Vec::new());
        }
        self.secrets.learn(&schema.block, &stored.value);
        let text = address.to_string();
        let resource_type = &address.resource.resource_type;
        match self.providers.read(provider, resource_type, &text, schema, &stored.for_provider()) {
            Err(errors) => (None, errors),
            Ok((read, warnings)) if read.value.is_null() => {
                self.set_current(address, provider, None);
                (Some(None), warnings)
            }
            Ok((read, warnings)) => {
                let value = remarked(&read.value, &stored.value, schema);
                let (private, identity) = (read.private, read.identity.or_else(|| stored.identity.clone()));
                let schema_version = schema.version;
                let object = StateObject { value, schema_version, identity, private, ..stored.clone() };
                self.set_current(address, provider, Some(object.clone()));
                (Some(Some(object)), warnings)
            }
        }
    }

    /// Reports what a provider says while it reads an object, at the part of the configuration that it is about.
    fn told_at_refresh(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        variables: &Variables,
        found: Vec<objchange::change::Diagnostic>,
    ) {
        if found.is_empty() {
            return;
        }
        let names = instance.repetition.names();
        let outer = Scope::new(variables);
        let scope = outer.with(&names);
        let decoded = decode(&resource.body, &instance.schema.block, &scope, self.functions);
        let place = |path: &Path| value_place(&resource.body, &decoded, path);
        let (address, header) = (instance.address.to_string(), resource.config.header);
        self.provider_diagnostics(found, Some(&address), header, Some(&place));
    }

    /// Judges the preconditions; whether planning may go on.
    pub(crate) fn preconditions(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        scope: &Scope<'_>,
    ) -> bool {
        let lifecycle = &resource.config.lifecycle;
        self.judge_all(instance, resource, scope, &lifecycle.preconditions, &conditions::PRECONDITION)
    }

    /// Judges the postconditions of an object; whether all hold, or are not known.
    pub(crate) fn postconditions(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        scope: &Scope<'_>,
        value: &Value,
    ) -> bool {
        let lifecycle = &resource.config.lifecycle;
        let own = [("self", value.clone())];
        let scope = scope.with(&own);
        self.judge_all(instance, resource, &scope, &lifecycle.postconditions, &conditions::POSTCONDITION)
    }

    /// Reports that postconditions refer to an instance that does not exist yet, and that a plan to refresh does not create.
    fn no_self(&mut self, instance: &Instance<'_>, resource: &ResourceNode<'c>) {
        for condition in &resource.config.lifecycle.postconditions {
            let errors = self.found.error_count();
            let all = [&condition.condition, &condition.error_message];
            let references = all.into_iter().flat_map(objchange_hcl::variables);
            for reference in references.filter(|reference| reference.name == "self") {
                let detail = "The given key does not identify an element in this collection value.";
                self.found.error("Invalid index", reference.span, detail);
            }
            let status = match self.found.error_count() > errors {
                true => CheckStatus::Error,
                false => CheckStatus::Unknown,
            };
            let InstanceAddress { resource: address, key } = &instance.address;
            let name = resource_text(resource.name);
            let kind = CheckKind::Resource;
            self.checks.instance(kind, &address.module, &name, key.clone(), &[status], Vec::new());
        }
    }

    fn judge_all(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        scope: &Scope<'_>,
        all: &[objchange_hcl::Condition],
        words: &conditions::Words,
    ) -> bool {
        if all.is_empty() {
            return true;
        }
        let owner = ConditionOwner {
            kind: CheckKind::Resource,
            module: instance.address.resource.module.clone(),
            name: resource_text(resource.name),
            key: instance.address.key.clone(),
        };
        let errors = self.found.error_count();
        let mut statuses = Vec::new();
        let mut problems = Vec::new();
        for condition in all {
            let judged = judge(condition, scope, self.functions, words);
            self.report_condition(condition, scope, words, &judged, &owner);
            statuses.push(judged.status);
            problems.extend(judged.problem);
        }
        let ConditionOwner { kind, module, name, key } = owner;
        self.checks.instance(kind, &module, &name, key, &statuses, problems);
        self.found.error_count() == errors
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
        if !is_destroy && !self.preconditions(instance, resource, &scope) {
            return nothing;
        }
        let Some(decoded) = self.config_object(instance, resource, &scope) else { return nothing };
        let lifecycle = &resource.config.lifecycle;
        let creates_first = self.creates_first[*index] || lifecycle.create_before_destroy == Some(true);
        let errors = self.found.error_count();
        let triggered = !is_destroy && self.is_triggered(instance, resource);
        if self.found.error_count() > errors {
            return nothing;
        }
        let requested = self.input.options.replace.contains(address);
        let prior_value = prior
            .map_or_else(|| Value::null(schema.block.implied_type().clone()), |prior| prior.value.clone());
        let mut request = PlanRequest::new(&schema.block, &prior_value, &decoded.value);
        request.lifecycle = Lifecycle {
            ignore_changes: lifecycle.ignore_changes.clone(),
            create_before_destroy: creates_first,
            force_replace: requested || triggered && prior.is_some(),
            tainted: prior.is_some_and(|prior| prior.tainted),
        };
        if let Some(prior) = prior {
            request.private = prior.private.clone();
            request.identity.clone_from(&prior.identity);
        }
        let address_text = address.to_string();
        let mut asked = Asked {
            providers: &mut *self.providers,
            provider: &resource.provider_config,
            resource_type: &resource.name.resource_type,
            address: &address_text,
        };
        let change = match plan_change(&request, &mut asked) {
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
        let reason = change.replace_reason.as_ref().map(|reason| match reason {
            _ if triggered => ActionReason::ReplaceByTriggers,
            ReplaceReason::Tainted => ActionReason::ReplaceBecauseTainted,
            ReplaceReason::Requested(_) => ActionReason::ReplaceByRequest,
            _ => ActionReason::ReplaceBecauseCannotUpdate,
        });
        // What is not there yet has the reason all the same.
        let reason = reason.or((triggered && prior.is_none()).then_some(ActionReason::ReplaceByTriggers));
        let replace_paths = match &change.replace_reason {
            Some(ReplaceReason::CannotUpdate(paths) | ReplaceReason::Requested(paths)) => paths.clone(),
            _ => Vec::new(),
        };
        let is_prevented = change.action.is_replace() && lifecycle.prevent_destroy;
        // What the provider answers is as sensitive as the configuration and the schema say. Nothing of it is ephemeral.
        let marks = sensitive_paths(&decoded.value);
        if is_destroy {
            if is_prevented {
                self.found.push(Severity::Error, self::is_prevented(address, resource.config));
            }
            if change.action != Action::NoOp {
                self.set_pending(*index, &address.resource.module, true);
            }
            let configured = change.after.unmark_deep().0.mark_where_present(&marks);
            return mark_kept(&schema.block, &configured);
        }
        let configured = change.after.unmark_deep().0.mark_where_present(&marks);
        let after = mark_kept(&schema.block, &configured);
        if change.action.is_replace() && !is_tainted {
            self.replaced.insert(address.clone(), configured);
        }
        if prior.is_none()
            && let Some(by) = importing
        {
            self.set_pending(*index, &address.resource.module, false);
            self.plan.undecided.push(UndecidedResource {
                reason: UndecidedReason::ImportUnknown(by),
                address: address.clone(),
                provider: resource.provider.clone(),
                span: resource.config.header,
                because_of: self.unanswered[*index].iter().cloned().collect(),
                schema: Some(Arc::clone(schema)),
                after: after.clone(),
            });
            return after;
        }
        self.add_change(
            Some(*index),
            PlannedObject {
                address: address.clone(),
                previous_address: self.moved.get(address).cloned(),
                provider: resource.provider.clone(),
                deposed: None,
                action: planned_action(change.action),
                reason,
                before: prior_value.clone(),
                after: after.clone(),
                schema: Some(Arc::clone(schema)),
                replace_paths,
                importing,
            },
        );
        self.deposed(instance, resource);
        if is_prevented {
            self.prevented(instance.index, address, resource);
            return nothing;
        }
        self.postconditions(instance, resource, &scope, &after);
        after
    }

    /// The configuration of an instance as an object, if nothing is wrong with it.
    pub(crate) fn config_object<'r>(
        &mut self,
        instance: &Instance<'_>,
        resource: &'r ResourceNode<'c>,
        scope: &Scope<'_>,
    ) -> Option<Decoded<'r>> {
        let decoded = decode(&resource.body, &instance.schema.block, scope, self.functions);
        if !decoded.errors.is_empty() {
            self.found.errors(decoded.errors);
            return None;
        }
        let address = instance.address.to_string();
        let place = |path: &Path| value_place(&resource.body, &decoded, path);
        let refused = ephemeral_refusals(&address, &instance.schema.block, &decoded.value, place);
        if refused.has_errors() {
            self.found.append(refused);
            return None;
        }
        self.validated(instance, resource, decoded)
    }

    /// The configuration again, if its provider finds nothing wrong with it.
    fn validated<'r>(
        &mut self,
        instance: &Instance<'_>,
        resource: &'r ResourceNode<'c>,
        decoded: Decoded<'r>,
    ) -> Option<Decoded<'r>> {
        let address = instance.address.to_string();
        self.secrets.learn(&instance.schema.block, &decoded.value);
        let kind = super::graph::schema_kind(resource.name.mode);
        let found = self.providers.validate(
            &resource.provider_config,
            kind,
            &resource.name.resource_type,
            &decoded.value.unmark_deep().0,
        );
        let errors = self.found.error_count();
        let place = |path: &Path| value_place(&resource.body, &decoded, path);
        self.provider_diagnostics(found, Some(&address), resource.config.header, Some(&place));
        let is_right = self.found.error_count() == errors;
        is_right.then_some(decoded)
    }

    fn refused(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        decoded: &Decoded<'_>,
        error: PlanChangeError,
    ) {
        let address = instance.address.to_string();
        match error {
            PlanChangeError::Refused(found) => {
                let place = |path: &Path| value_place(&resource.body, decoded, path);
                self.provider_diagnostics(found, Some(&address), resource.config.header, Some(&place));
            }
            other => {
                let detail = format!("{address}: {other}.");
                self.found.error("Change cannot be planned", resource.config.header, detail);
            }
        }
    }

    /// Reports what is wrong with the answer of a provider; whether it can be used.
    fn accepted(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        decoded: &Decoded<'_>,
        change: &PlannedChange,
    ) -> bool {
        let address = instance.address.to_string();
        let place = |path: &Path| value_place(&resource.body, decoded, path);
        let header = resource.config.header;
        self.provider_diagnostics(change.diagnostics.clone(), Some(&address), header, Some(&place));
        if change.legacy_type_system || change.violations.is_empty() {
            return true;
        }
        for violation in &change.violations {
            let (summary, detail) = match violation {
                PlanViolation::DeferralNotAllowed => {
                    let broken = BrokenContract::Deferred;
                    let said =
                        broken.diagnostic(&resource.provider_config, &address, &resource.name.resource_type);
                    self.provider_diagnostics(vec![said], None, None, None);
                    continue;
                }
                PlanViolation::WriteOnly(path) => {
                    let provider = resource.provider_config.to_string();
                    let detail = format!(
                        "Provider {provider:?} returned a value for the write-only attribute \"{address}{path}\" during \
                         planning. Write-only attributes cannot be read back from the provider. {A_BUG}"
                    );
                    ("Provider produced invalid plan", detail)
                }
                violation => {
                    let provider = resource.provider.to_string();
                    let detail = format!(
                        "Provider {provider:?} planned an invalid value for {address}{violation}.\n\n{A_BUG}"
                    );
                    ("Provider produced invalid plan", detail)
                }
            };
            self.found.without_place(Severity::Error, summary, detail);
        }
        false
    }

    /// Reports that an object must not be destroyed.
    fn prevented(&mut self, index: usize, address: &InstanceAddress, resource: &ResourceNode<'c>) {
        self.prevented.push(index);
        let found = match self.input.options.mode {
            PlanMode::Destroy => &mut self.found_at_destroy,
            PlanMode::Normal | PlanMode::RefreshOnly => &mut self.found,
        };
        found.push(Severity::Error, is_prevented(address, resource.config));
    }

    /// Plans to destroy an object, and the deposed ones beside it.
    pub(crate) fn delete_object(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        prior: Option<&StateObject>,
        reason: Option<ActionReason>,
    ) {
        let provider = &resource.provider_config;
        let prior =
            prior.filter(|prior| self.may_destroy(&instance.address, provider, Some(instance.schema), prior));
        if let Some(prior) = prior {
            self.add_change(
                Some(instance.index),
                PlannedObject {
                    address: instance.address.clone(),
                    previous_address: self.moved.get(&instance.address).cloned(),
                    provider: resource.provider.clone(),
                    deposed: None,
                    action: PlannedAction::Delete,
                    reason,
                    before: prior.value.clone(),
                    after: Value::null(Type::Dynamic),
                    schema: Some(Arc::clone(instance.schema)),
                    replace_paths: Vec::new(),
                    importing: None,
                },
            );
        }
        self.deposed(instance, resource);
    }

    /// Asks the provider whether an object can be destroyed; reports what it says.
    pub(crate) fn may_destroy(
        &mut self,
        address: &InstanceAddress,
        provider: &ProviderConfigAddress,
        schema: Option<&Arc<Schema>>,
        object: &StateObject,
    ) -> bool {
        let Some(schema) = schema else { return true };
        self.secrets.learn(&schema.block, &object.value);
        let text = address.to_string();
        let resource_type = &address.resource.resource_type;
        let found =
            self.providers.plan_destroy(provider, resource_type, &text, schema, &object.for_provider());
        let is_destroy = self.input.options.mode == PlanMode::Destroy;
        if is_destroy {
            std::mem::swap(&mut self.found, &mut self.found_at_destroy);
        }
        let errors = self.found.error_count();
        self.provider_diagnostics(found, None, None, None);
        let may_destroy = self.found.error_count() == errors;
        if is_destroy {
            std::mem::swap(&mut self.found, &mut self.found_at_destroy);
        }
        may_destroy
    }

    /// Plans to destroy the deposed objects of an instance.
    fn deposed(&mut self, instance: &Instance<'_>, resource: &ResourceNode<'c>) {
        let Some(known) = self.state.resources.get(&instance.address.resource) else { return };
        let Some(known) = known.instances.get(&instance.address.key) else { return };
        let deposed = known.deposed.clone();
        self.delete_deposed(
            Some(instance.index),
            &instance.address,
            &resource.provider_config,
            Some(instance.schema),
            deposed,
        );
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
        for (key, object) in deposed {
            if !self.may_destroy(address, provider, schema, &object) {
                continue;
            }
            self.add_change(
                index,
                PlannedObject {
                    address: address.clone(),
                    previous_address: self.moved.get(address).cloned(),
                    provider: provider.provider.clone(),
                    deposed: Some(key),
                    action: PlannedAction::Delete,
                    reason: None,
                    before: object.value,
                    after: Value::null(Type::Dynamic),
                    schema: schema.cloned(),
                    replace_paths: Vec::new(),
                    importing: None,
                },
            );
        }
    }

    /// Imports the object of an instance that is not in the state yet; what it was found by, if it was.
    fn import(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
    ) -> Result<Option<ImportedBy>, ()> {
        // A plan that only refreshes imports nothing.
        if self.input.options.mode == PlanMode::RefreshOnly || self.current(&instance.address).is_some() {
            return Ok(None);
        }
        let Some(import) = self.imports.remove(&instance.address) else { return Ok(None) };
        self.secrets.learn_marked(import.by.value());
        let address = instance.address.to_string();
        let provider = &resource.provider_config;
        match self.providers.import(provider, &address, instance.schema, &import.by) {
            ImportAnswer::Known(found, warnings) => {
                self.provider_diagnostics(warnings, None, None, None);
                let object = StateObject {
                    private: found.private,
                    identity: found.identity,
                    ..StateObject::read(mark_kept(&instance.schema.block, &found.value), instance.schema)
                };
                self.set_current(&instance.address, &resource.provider_config, Some(object));
            }
            ImportAnswer::NotKnown => {
                self.unanswered[instance.index].insert(address);
            }
            ImportAnswer::Failed(found) => {
                self.provider_diagnostics(found, None, None, None);
                return Err(());
            }
        }
        Ok(Some(import.by))
    }

    /// An ephemeral resource: open while planning, unless its configuration is not known; its values are unknown without
    /// its provider.
    pub(crate) fn ephemeral(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        variables: &Variables,
    ) -> Value {
        let names = instance.repetition.names();
        let outer = Scope::new(variables);
        let scope = outer.with(&names);
        let schema = instance.schema;
        let unknown = Value::unknown(schema.block.implied_type().clone()).with_marks(Marks::EPHEMERAL);
        if !self.preconditions(instance, resource, &scope) {
            return unknown;
        }
        let Some(decoded) = self.ephemeral_config(instance, resource, &scope) else { return unknown };
        let (config, marks) = decoded.value.unmark_deep_with_paths();
        if !config.is_wholly_known() {
            return unknown;
        }
        let address = instance.address.to_string();
        let place = |path: &Path| value_place(&resource.body, &decoded, path);
        let value = match self.providers.open(&resource.provider_config, &address, schema, &config) {
            DataAnswer::NotKnown => return unknown,
            DataAnswer::Known(value, warnings) => {
                self.provider_diagnostics(warnings, Some(&address), resource.config.header, Some(&place));
                value
            }
            DataAnswer::Failed(found) => {
                self.provider_diagnostics(found, Some(&address), resource.config.header, Some(&place));
                return unknown;
            }
        };
        let value = mark_kept(&schema.block, &value.mark_where_present(&marks));
        self.secrets.learn(&schema.block, &value);
        let value = value.with_marks(Marks::EPHEMERAL);
        self.postconditions(instance, resource, &scope, &value);
        value
    }

    /// The configuration of an ephemeral resource, in which ephemeral values are at home.
    fn ephemeral_config<'r>(
        &mut self,
        instance: &Instance<'_>,
        resource: &'r ResourceNode<'c>,
        scope: &Scope<'_>,
    ) -> Option<Decoded<'r>> {
        let decoded = decode(&resource.body, &instance.schema.block, scope, self.functions);
        if !decoded.errors.is_empty() {
            self.found.errors(decoded.errors);
            return None;
        }
        self.validated(instance, resource, decoded)
    }
}

/// The error that an object must not be destroyed.
pub(crate) fn is_prevented(address: &InstanceAddress, config: &ResourceConfig) -> objchange_hcl::Diagnostic {
    let detail = format!(
        "Resource {address} has lifecycle.prevent_destroy set, but the plan calls for this resource to be destroyed. To avoid \
         this error and continue with the plan, either disable lifecycle.prevent_destroy or reduce the scope of the plan using \
         the -target option."
    );
    objchange_hcl::Diagnostic::new("Instance cannot be destroyed", config.header, detail)
}

/// The paths of a value that are sensitive, as marks.
fn sensitive_paths(value: &Value) -> Vec<(Path, Marks)> {
    let (_, marks) = value.unmark_deep_with_paths();
    let sensitive = marks.into_iter().filter(|(_, marks)| marks.contains(Marks::SENSITIVE));
    sensitive.map(|(path, _)| (path, Marks::SENSITIVE)).collect()
}

/// What happens to an object, by the engine's action.
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

/// An object that was read, with the marks that the state has for it and those of the schema.
fn remarked(value: &Value, stored: &Value, schema: &Schema) -> Value {
    let (_, marks) = stored.unmark_deep_with_paths();
    mark_kept(&schema.block, &value.mark_where_present(&marks))
}
