//! Actions: their instances, and which of them a plan invokes.

use std::sync::Arc;

use objchange::address::{InstanceAddress, InstanceKey, Mode, ModuleAddress};
use objchange::schema::Schema;
use objchange::value::{Kind, Marks, Path, PathStep};
use objchange::{Type, Value};
use objchange_hcl::{
    ActionRef, ActionTriggerConfig, Body, Diagnostic, DiagnosticExt, Scope, Span, TriggerEvent, decode,
    evaluate, variables,
};

use super::evaluated::dynamic;
use super::graph::{ActionNode, ActionRules, Graph, NodeKey, NodeKind, ResourceNode};
use super::instances::{Expanded, ModuleInstanceId, Repetition};
use super::managed::Instance;
use super::references::{in_body, key_of};
use super::validate::without_block;
use super::walk::Walk;
use super::{ActionAddress, InvocationTrigger, PlannedAction, PlannedInvocation};
use crate::config::Config;
use crate::subject::{Subject, SubjectKind};
use crate::{Diagnostics, ProvidersExt, Severity};
use objchange_document::PlanMode;

/// The change of an object, whose actions are still to be planned.
#[derive(Debug, Clone)]
pub(crate) struct Triggering {
    /// The node of its resource.
    index: usize,
    address: InstanceAddress,
    repetition: Repetition,
    action: PlannedAction,
    before: Value,
    after: Value,
    /// The configuration does not want the object any more: that its actions cannot be planned is no error.
    is_orphan: bool,
}

/// Refuses actions whose types their providers do not have, before anything is validated.
pub(crate) fn check_types(config: &Config, graph: &Graph<'_>) -> Result<(), Diagnostics> {
    let mut found = Diagnostics::default();
    for node in &graph.nodes {
        let NodeKind::Action(action) = &node.kind else { continue };
        if action.schema.is_some() {
            continue;
        }
        let modules = config.modules[node.module].path.iter();
        let path: String = modules.map(|name| format!("module.{name}.")).collect();
        let (name, provider) = (action.name, &action.provider_config.provider);
        let summary = format!(
            "failed to read schema for {path}{name} in {provider}: provider {provider} does not have an action schema for {}",
            name.action_type
        );
        found.without_place(Severity::Error, ("failed_to_read_schema_for_action", summary), "");
    }
    if found.has_errors() { Err(found) } else { Ok(()) }
}

/// The events of a change. An object that is only forgotten has none.
fn events(action: PlannedAction) -> &'static [TriggerEvent] {
    use TriggerEvent::{AfterCreate, AfterDestroy, AfterUpdate, BeforeCreate, BeforeDestroy, BeforeUpdate};
    match action {
        PlannedAction::Create | PlannedAction::CreateThenForget => &[BeforeCreate, AfterCreate],
        PlannedAction::Update => &[BeforeUpdate, AfterUpdate],
        PlannedAction::DeleteThenCreate | PlannedAction::CreateThenDelete => {
            &[BeforeCreate, AfterCreate, BeforeDestroy, AfterDestroy]
        }
        PlannedAction::Delete => &[BeforeDestroy, AfterDestroy],
        PlannedAction::NoOp | PlannedAction::Read | PlannedAction::Forget => &[],
    }
}

impl<'c> Walk<'_, 'c> {
    /// The instances of an action.
    pub(crate) fn action(&mut self, index: usize, at: ModuleInstanceId, action: &ActionNode<'c>) {
        let config = action.config;
        if let Some(instances) = self.expand(index, at, config.count.as_ref(), config.for_each.as_ref()) {
            self.world.instances[at].actions.insert(action.name.clone(), instances);
        }
    }

    /// Notes the planned change of an object, for the actions that it triggers.
    pub(crate) fn note_change(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        action: PlannedAction,
        before: &Value,
        after: &Value,
    ) {
        // An object that must not be destroyed is an error already.
        let is_destroyed = events(action).iter().any(|event| event.is_of_destroy());
        let is_prevented =
            is_destroyed && self.prevents_destroy(instance.index, Some(instance.at), resource.config);
        if self.triggers_actions(resource) && !is_prevented {
            self.triggering.push(Triggering {
                index: instance.index,
                address: instance.address.clone(),
                repetition: instance.repetition.clone(),
                action,
                before: before.clone(),
                after: after.clone(),
                is_orphan: false,
            });
        }
    }

    /// Notes that an object is destroyed that no instance of the configuration plans.
    pub(crate) fn note_orphan(&mut self, index: Option<usize>, address: &InstanceAddress, before: &Value) {
        let Some(index) = index.or_else(|| self.node_of(&address.resource)) else { return };
        let graph = self.graph;
        let NodeKind::Resource(resource) = &graph.nodes[index].kind else { return };
        let at = self.world.addresses.get(&address.resource.module).copied();
        if !self.triggers_actions(resource) || self.prevents_destroy(index, at, resource.config) {
            return;
        }
        let (mut count_index, mut each) = (None, None);
        match &address.key {
            Some(InstanceKey::Number(number)) => count_index = i64::try_from(*number).ok().map(Value::from),
            Some(InstanceKey::String(key)) => each = Some((Value::from(key.as_str()), dynamic())),
            None => {}
        }
        self.triggering.push(Triggering {
            index,
            address: address.clone(),
            repetition: Repetition { count_index, each },
            action: PlannedAction::Delete,
            before: before.clone(),
            after: Value::null(before.ty().clone()),
            is_orphan: self.input.options.mode != PlanMode::Destroy,
        });
    }

    fn triggers_actions(&self, resource: &ResourceNode<'c>) -> bool {
        !resource.config.lifecycle.action_triggers.is_empty()
            && self.graph.actions != ActionRules::Unknown
            && self.input.options.mode != PlanMode::RefreshOnly
    }

    /// Plans the actions of the changes that were noted, if they are planned with their resources.
    pub(crate) fn invoke_with_resource(&mut self) {
        let is_late = self.graph.actions != ActionRules::WithCaller;
        // Actions of destroyed objects see the values of the state, which are all known at the end.
        if !is_late && self.input.options.mode == PlanMode::Normal {
            let all = std::mem::take(&mut self.triggering);
            all.iter().for_each(|triggering| self.invoke_all(triggering));
        }
    }

    /// Plans the actions of all changes whose actions are not planned yet.
    pub(crate) fn invoke_triggered(&mut self) {
        let all = std::mem::take(&mut self.triggering);
        let is_destroy = self.input.options.mode == PlanMode::Destroy;
        if is_destroy && !all.is_empty() {
            self.see_prior_values();
        }
        for triggering in &all {
            if is_destroy && triggering.action == PlannedAction::Delete {
                std::mem::swap(&mut self.found, &mut self.found_at_destroy);
                self.invoke_all(triggering);
                std::mem::swap(&mut self.found, &mut self.found_at_destroy);
            } else {
                self.invoke_all(triggering);
            }
        }
    }

    /// The nodes that the actions of destroyed objects need where nothing is planned before it is destroyed, in this order:
    /// all but resources, whose objects are those of the state.
    pub(crate) fn needed_by_destroyed(&self, order: &[usize]) -> Vec<usize> {
        let graph = self.graph;
        let is_destroyed = |index: &usize| match &graph.nodes[*index].kind {
            NodeKind::Resource(resource) => {
                let mut triggers = resource.config.lifecycle.action_triggers.iter();
                triggers.any(|trigger| trigger.events.iter().any(|event| event.is_of_destroy()))
            }
            _ => false,
        };
        let destroyed = (0..graph.nodes.len()).filter(is_destroyed);
        let needed = graph.reachable_with_actions(destroyed);
        let is_evaluated = |index: &usize| {
            !matches!(graph.nodes[*index].kind, NodeKind::Resource(_) | NodeKind::Provider(_))
        };
        // Calls make the instances of modules, once.
        let is_call = |index: &usize| matches!(graph.nodes[*index].kind, NodeKind::Call(..));
        let is_known = |index: &usize| {
            is_call(index)
                && self.world.by_module[graph.nodes[*index].module]
                    .iter()
                    .any(|at| !self.world.instances[*at].calls.is_empty())
        };
        let all = order.iter().copied().filter(|index| needed[*index]);
        all.filter(|index| is_evaluated(index) && !is_known(index)).collect()
    }

    /// The node of the action that is asked for.
    pub(crate) fn asked_action(&self, address: &ActionAddress) -> Result<usize, Box<Diagnostic>> {
        let module = self.input.config.module_of(&address.module);
        let key = module.map(|module| NodeKey::Action(module, address.name.clone()));
        let found = key.and_then(|key| self.graph.find(&key));
        found.ok_or_else(|| {
            let whole = ActionAddress { key: None, ..address.clone() };
            let summary = match self.graph.actions {
                ActionRules::WithCaller => format!("invoke target {whole} not found"),
                _ => format!("action {whole} does not exist in the configuration"),
            };
            Box::new(Diagnostic::new(("invoke_target_not_found", summary), None, ""))
        })
    }

    /// The nodes that the plan of one action needs, in this order: all managed resources are refreshed, and of the others
    /// those are evaluated that the action needs.
    pub(crate) fn needed_by_action(&self, action: usize, order: &[usize]) -> Vec<usize> {
        let graph = self.graph;
        let NodeKind::Action(node) = &graph.nodes[action].kind else { return Vec::new() };
        let roots: Vec<usize> = node.config_needs.iter().copied().chain([action]).collect();
        let mut needed = graph.reachable(roots.iter().copied());
        roots.into_iter().for_each(|root| needed[root] = true);
        let managed = (0..graph.nodes.len()).filter(|index| match &graph.nodes[*index].kind {
            NodeKind::Resource(resource) => resource.name.mode == Mode::Managed,
            _ => false,
        });
        let managed: Vec<usize> = managed.collect();
        let below = graph.reachable(managed.iter().copied());
        managed.into_iter().for_each(|index| needed[index] = true);
        order.iter().copied().filter(|index| needed[*index] || below[*index]).collect()
    }

    /// Plans the action that is asked for, in all of its instances or the one that is named.
    pub(crate) fn invoke_asked(&mut self) {
        let Some(address) = self.input.options.invoke.clone() else { return };
        let Ok(index) = self.asked_action(&address) else { return };
        let graph = self.graph;
        let NodeKind::Action(action) = &graph.nodes[index].kind else { return };
        self.functions = self.module_functions.of_module(graph.nodes[index].scope);
        let is_new = self.graph.actions == ActionRules::WithCaller;
        let Some(at) = self.world.addresses.get(&address.module).copied() else {
            // Before 1.16 such a plan does nothing.
            if is_new {
                let summary = format!("invoke target {address} not found");
                self.found.without_place(Severity::Error, ("invoke_target_not_found", summary), "");
            }
            return;
        };
        // One whose instances are wrong was reported.
        let Some(instances) = self.world.instances[at].actions.get(action.name).cloned() else { return };
        let is_meant = |key: &Option<InstanceKey>| address.key.is_none() || *key == address.key;
        let all: Vec<_> = instances.iter().filter(|(key, _)| is_meant(key)).collect();
        if all.is_empty() && address.key.is_some() {
            let (summary, detail) = match is_new {
                true => (format!("invoked target {address} not found"), ""),
                false => ("Invalid action".to_owned(), "The action instance does not exist."),
            };
            self.found.without_place(Severity::Error, ("invoke_target_not_found", summary), detail);
            return;
        }
        let called: Vec<_> = action
            .subjects
            .iter()
            .filter(|subject| matches!(subject.kind, SubjectKind::Caller | SubjectKind::SelfObject))
            .collect();
        for subject in &called {
            self.found.push(Severity::Error, super::check::no_caller(subject));
        }
        if !called.is_empty() {
            return;
        }
        for (key, repetition) in all {
            let own = ActionAddress { key, ..address.clone() };
            let text = own.to_string();
            let names = repetition.names();
            let config = self.action_config(at, action, &action.subjects, &names, &text);
            let Some((schema, config)) = config else { continue };
            if !config.is_wholly_known() && !self.is_unasked(action, at) {
                let detail = format!(
                    "The action {own} contains unknown values while planning. This means it is referencing resources that have \
                     not yet been created, please run a complete plan/apply cycle to ensure the state matches the configuration \
                     before using the -invoke argument."
                );
                self.found.error("Partially applied configuration", action.config.header, detail);
                continue;
            }
            if !self.may_invoke(action, &config, &text) {
                continue;
            }
            self.plan.invocations.push(PlannedInvocation {
                address: own,
                provider: action.provider_config.provider.clone(),
                schema: Some(schema),
                config,
                trigger: InvocationTrigger::Asked,
            });
        }
    }

    /// Whether the configuration of an action comes from what no provider was there to say.
    fn is_unasked(&mut self, action: &ActionNode<'c>, at: ModuleInstanceId) -> bool {
        if action.config_needs.iter().any(|need| !self.unanswered[*need].is_empty()) {
            return true;
        }
        let mut expressions = Vec::new();
        in_body(&action.body, &mut expressions);
        expressions.into_iter().any(|expr| self.unasked(expr, at).is_some())
    }

    /// Puts the objects of the state in the place of what was planned.
    pub(crate) fn see_prior_values(&mut self) {
        let graph = self.graph;
        for node in &graph.nodes {
            let NodeKind::Resource(resource) = &node.kind else { continue };
            for at in self.world.by_module[node.module].clone() {
                let module = &self.world.instances[at].address;
                let address = super::resource::resource_address(module, resource.name);
                let Some(known) = self.state.resources.get(&address) else { continue };
                let objects = known.instances.iter().filter_map(|(key, instance)| {
                    Some((key.clone(), instance.current.as_ref()?.value.clone()))
                });
                let objects: Vec<(Option<InstanceKey>, Value)> = objects.collect();
                let value = match &objects[..] {
                    [] => continue,
                    [(None, only)] => only.clone(),
                    [(Some(InstanceKey::Number(_)), _), ..] => {
                        Value::tuple(objects.into_iter().map(|(_, value)| value))
                    }
                    _ => Value::object(objects.into_iter().filter_map(|(key, value)| match key {
                        Some(InstanceKey::String(key)) => Some((key, value)),
                        _ => None,
                    })),
                };
                self.world.instances[at].resources.insert(resource.name.clone(), value);
            }
        }
    }

    /// Plans the actions that a change triggers.
    fn invoke_all(&mut self, triggering: &Triggering) {
        let graph = self.graph;
        let NodeKind::Resource(resource) = &graph.nodes[triggering.index].kind else { return };
        if !triggering.is_orphan {
            self.invoke_each(triggering, resource);
            return;
        }
        let outer = std::mem::take(&mut self.found);
        self.invoke_each(triggering, resource);
        let inner = std::mem::replace(&mut self.found, outer);
        if inner.has_errors() {
            let detail = format!(
                "One or more actions for the orphaned instance {} does not have enough configuration information to complete a \
                 plan, and will not be invoked",
                triggering.address
            );
            self.found.without_place(Severity::Warning, "Orphaned action failed to plan", detail);
        }
        for mut found in inner.iter().cloned() {
            found.diagnostic.severity = Severity::Warning;
            self.found.add(found);
        }
    }

    fn invoke_each(&mut self, triggering: &Triggering, resource: &ResourceNode<'c>) {
        let graph = self.graph;
        let node = &graph.nodes[triggering.index];
        self.functions = self.module_functions.of_module(node.scope);
        let module = &triggering.address.resource.module;
        let at = self.world.addresses.get(module).copied();
        // While everything is destroyed, the destroyed object itself is not there any more.
        if let Some(at) = at.filter(|_| self.input.options.mode == PlanMode::Destroy)
            && triggering.action == PlannedAction::Delete
        {
            let seen = self.world.instances[at].resources.insert(resource.name.clone(), dynamic());
            self.invoke_in(at, triggering, resource);
            if let Some(seen) = seen {
                self.world.instances[at].resources.insert(resource.name.clone(), seen);
            }
            return;
        }
        match at {
            Some(at) => self.invoke_in(at, triggering, resource),
            None => {
                let triggers = &resource.config.lifecycle.action_triggers;
                let is_meant = |trigger: &&ActionTriggerConfig| {
                    trigger.events.iter().any(|event| events(triggering.action).contains(event))
                };
                for action in triggers.iter().filter(is_meant).flat_map(|trigger| &trigger.actions) {
                    self.no_instance(module, action, None);
                }
            }
        }
    }

    fn invoke_in(&mut self, at: ModuleInstanceId, triggering: &Triggering, resource: &ResourceNode<'c>) {
        let fitting = events(triggering.action);
        let is_new = self.graph.actions == ActionRules::WithCaller;
        for (block, trigger) in resource.config.lifecycle.action_triggers.iter().enumerate() {
            let is_fitting = trigger.events.iter().any(|event| fitting.contains(event));
            // Terraform 1.17-dev looks at the condition whatever happens to the object.
            if (is_fitting || is_new) && !self.holds(at, triggering, trigger) {
                continue;
            }
            for event in trigger.events.iter().filter(|event| fitting.contains(event)) {
                for action in &trigger.actions {
                    self.invoke(at, triggering, (block, trigger), *event, action);
                }
            }
        }
    }

    /// The names of an instance and of its object, as it is before or after its change.
    fn caller_names(&self, repetition: &Repetition, object: &Value) -> Vec<(&'static str, Value)> {
        let mut names = repetition.names();
        if self.graph.actions == ActionRules::WithCaller {
            names.push(("self", object.clone()));
            names.push(("caller", object.clone()));
        }
        names
    }

    /// Whether the condition of a trigger holds, or there is none. One that is not known yet may hold.
    fn holds(
        &mut self,
        at: ModuleInstanceId,
        triggering: &Triggering,
        trigger: &ActionTriggerConfig,
    ) -> bool {
        let Some(condition) = &trigger.condition else { return true };
        let graph = self.graph;
        let is_new = graph.actions == ActionRules::WithCaller;
        if !is_new && variables(condition).iter().any(|reference| *reference.name == "self") {
            let detail = "The condition expression cannot reference \"self\".";
            self.found.error("Self reference not allowed", condition.span, detail);
            return false;
        }
        let object = match triggering.action {
            PlannedAction::Delete => &triggering.before,
            _ => &triggering.after,
        };
        let names = self.caller_names(&triggering.repetition, object);
        let variables = self.world.variables(graph, at, &graph.nodes[triggering.index].triggered);
        let outer = Scope::new(&variables);
        let scope = outer.with(&names);
        let (value, errors) = evaluate(condition, &scope, self.functions);
        if !errors.is_empty() {
            self.found.errors(errors);
            return false;
        }
        let refused = match value.marks_deep() {
            marks if marks.contains(Marks::SENSITIVE) => Some("sensitive"),
            marks if marks.contains(Marks::EPHEMERAL) => Some("ephemeral"),
            _ => None,
        };
        if let Some(what) = refused {
            // Terraform 1.17-dev crashes.
            let detail = format!(
                "Whether the condition holds shows in the plan, so it cannot be derived from {what} values."
            );
            let error = Diagnostic::new("Invalid condition", condition.span, detail);
            self.found.push(Severity::Error, error.explained_by_marks(condition, &scope));
            return false;
        }
        let node = &graph.nodes[triggering.index];
        let is_unanswered = |walk: &Self| {
            node.invoked.iter().chain(&node.needs).any(|need| !walk.unanswered[*need].is_empty())
        };
        match value.convert(&Type::Bool) {
            Err(_) => {
                let detail = "Invalid expression value: a bool is required.";
                self.found.error("Incorrect value type", condition.span, detail);
                false
            }
            Ok(value) => match value.kind() {
                // A real provider may know it, so that Terraform decides here. The plan is uncertain about it.
                Kind::Unknown(_) if is_unanswered(self) || self.unasked(condition, at).is_some() => {
                    self.plan.uncertain_invocations.insert(triggering.address.to_string());
                    true
                }
                Kind::Unknown(_) if is_new => true,
                Kind::Unknown(_) => {
                    let detail = "The condition expression resulted in an unknown value, but it must be a known boolean \
                                  value.";
                    self.found.error("Condition must be known", condition.span, detail);
                    false
                }
                _ => value.as_bool() == Some(true),
            },
        }
    }

    /// Plans one invocation of an action.
    fn invoke(
        &mut self,
        at: ModuleInstanceId,
        triggering: &Triggering,
        (block, trigger): (usize, &ActionTriggerConfig),
        event: TriggerEvent,
        reference: &ActionRef,
    ) {
        let graph = self.graph;
        let node = &graph.nodes[triggering.index];
        let found = graph.find(&NodeKey::Action(node.module, reference.name.clone()));
        let Some((action_index, NodeKind::Action(action))) =
            found.map(|index| (index, &graph.nodes[index].kind))
        else {
            return;
        };
        let key = match &reference.key {
            None => None,
            Some(expr) => {
                let names = triggering.repetition.names();
                let variables = objchange_hcl::Variables::default();
                let (value, errors) = evaluate(expr, &Scope::new(&variables).with(&names), self.functions);
                if !errors.is_empty() {
                    self.found.errors(errors);
                    return;
                }
                key_of(&value)
            }
        };
        // One whose instances are wrong was reported.
        let Some(instances) = self.world.instances[at].actions.get(&reference.name) else { return };
        if let Expanded::Undecided(_) = instances {
            let because_of: Vec<&str> = self.unanswered[action_index].iter().map(String::as_str).collect();
            let detail = format!(
                "The instances of {} depend on {}, which only a provider could say: that they are invoked is missing from this \
                 plan.",
                reference.name,
                because_of.join(", ")
            );
            self.found.warning("Actions that are not planned", reference.span, detail);
            self.plan.uncertain_invocations.insert(triggering.address.to_string());
            return;
        }
        let instance = instances.iter().find(|(other, _)| *other == key);
        let Some(repetition) = instance.map(|(_, repetition)| repetition.clone()) else {
            let module = self.world.instances[at].address.clone();
            return self.no_instance(&module, reference, key);
        };
        let object = if event.is_of_destroy() { &triggering.before } else { &triggering.after };
        let names = self.caller_names(&repetition, object);
        let address = ActionAddress {
            module: self.world.instances[at].address.clone(),
            name: reference.name.clone(),
            key,
        };
        let text = format!("{address}, called from {}", triggering.address);
        let subjects = &node.triggered;
        let config = self.action_config(at, action, subjects, &names, &text);
        let Some((schema, config)) = config else { return };
        if event.is_of_destroy() && !config.is_wholly_known() && !self.is_unasked(action, at) {
            let detail = "Action configuration must be known to plan a destroy action.";
            self.found.error("Unknown action config", action.config.header, detail);
            return;
        }
        // Terraform 1.17-dev says it the other way round.
        let told_of = format!("{}, called from {address}", triggering.address);
        if !self.may_invoke(action, &config, &told_of) {
            return;
        }
        self.plan.invocations.push(PlannedInvocation {
            address,
            provider: action.provider_config.provider.clone(),
            schema: Some(schema),
            config,
            trigger: InvocationTrigger::Change {
                resource: triggering.address.clone(),
                event,
                block,
                index: reference.index,
                on_failure: Some(trigger.on_failure),
            },
        });
    }

    /// Reports an instance of an action that is not there.
    fn no_instance(&mut self, module: &ModuleAddress, reference: &ActionRef, key: Option<InstanceKey>) {
        let whole = ActionAddress { module: module.clone(), name: reference.name.clone(), key: None };
        let detail = match self.graph.actions {
            ActionRules::WithCaller => {
                let address = ActionAddress { key, ..whole.clone() };
                format!("The address {address} does not identify an instance of {whole}")
            }
            ActionRules::First | ActionRules::Unknown => {
                "Action instance was not found in the current context.".to_owned()
            }
        };
        self.found.error("Reference to non-existent action instance", reference.span, detail);
    }

    /// The configuration of an action for one caller, as documents have it; none if it is wrong.
    fn action_config(
        &mut self,
        at: ModuleInstanceId,
        action: &ActionNode<'c>,
        subjects: &[Subject],
        names: &[(&'static str, Value)],
        address: &str,
    ) -> Option<(Arc<Schema>, Value)> {
        let schema = Arc::new(action.schema?.clone());
        let variables = self.world.variables(self.graph, at, subjects);
        let outer = Scope::new(&variables);
        let scope = outer.with(names);
        let decoded = decode(&action.body, &schema.block, &scope, self.functions);
        if !decoded.errors.is_empty() {
            let has_block = action.config.config.is_some();
            let errors = decoded.errors.into_iter();
            self.found.errors(errors.map(|error| if has_block { error } else { without_block(error) }));
            return None;
        }
        let place = |path: &Path| super::resource::value_place(&action.body, &decoded, path);
        let refused = super::resource::ephemeral_refusals(address, &schema.block, &decoded.value, place);
        // Without a schema nobody knows which arguments are write-only.
        if refused.has_errors() && !action.is_inferred {
            self.found.append(refused);
            return None;
        }
        if action.config.config.is_none() {
            return Some((schema, Value::null(decoded.value.ty().clone())));
        }
        self.secrets.learn(&schema.block, &decoded.value);
        // Only what is not kept may be ephemeral.
        let kept = super::resource::without_ephemeral(&decoded.value);
        let marks = schema.block.sensitive_paths(&kept);
        let marks: Vec<_> = marks.into_iter().map(|path| (path, Marks::SENSITIVE)).collect();
        let config = kept.mark_where_present(&marks);
        Some((schema, config))
    }

    /// Asks the provider of an action whether it can be invoked so; reports what it says.
    fn may_invoke(&mut self, action: &ActionNode<'c>, config: &Value, address: &str) -> bool {
        let plain = config.unmark_deep().0;
        let action_type = &action.name.action_type;
        let mut found = self.providers.plan_action(&action.provider_config, action_type, &plain);
        if self.graph.actions == ActionRules::First {
            for diagnostic in &mut found {
                diagnostic.summary = match diagnostic.severity {
                    objchange::change::Severity::Error => "Failed to plan action".to_owned(),
                    _ => "Warnings when planning action".to_owned(),
                };
            }
        }
        let place = |path: &Path| place_in(&action.body, path).unwrap_or(action.config.header);
        let errors = self.found.error_count();
        self.provider_diagnostics(found, Some(address), Some(&place));
        self.found.error_count() == errors
    }

    /// Leaves out the invocations of changes that are not in the plan any more.
    pub(crate) fn keep_invocations_of_changes(&mut self) {
        let changes = &self.plan.changes;
        let planned: hashbrown::HashSet<&InstanceAddress> =
            changes.iter().filter(|change| change.deposed.is_none()).map(|change| &change.address).collect();
        self.plan.invocations.retain(|invocation| match &invocation.trigger {
            InvocationTrigger::Change { resource, .. } => planned.contains(resource),
            InvocationTrigger::Asked => true,
        });
    }
}

/// Where the attribute is written that a path begins with.
fn place_in(body: &Body, path: &Path) -> Option<Span> {
    let PathStep::Attribute(name) = path.steps().first()? else { return None };
    let attribute = body.attributes.iter().find(|attribute| attribute.name == *name);
    let block = || Some(body.blocks.iter().find(|block| block.kind == *name)?.header);
    attribute.map(|attribute| attribute.expr.span).or_else(block)
}
