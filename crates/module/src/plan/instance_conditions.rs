//! The preconditions and postconditions of an instance.

use objchange::Value;
use objchange::address::{InstanceAddress, InstanceKey};
use objchange::value::Number;
use objchange_hcl::Scope;

use super::conditions::{self, judge};
use super::graph::{ResourceNode, resource_text};
use super::managed::Instance;
use super::walk::Walk;
use super::{CheckKind, CheckStatus};
use crate::ConditionOwner;
use objchange_document::PlanMode;

impl<'c> Walk<'_, 'c> {
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

    /// Judges the postconditions of an instance that does not exist yet, and that a plan to refresh does not create: none may refer
    /// to it.
    pub(crate) fn postconditions_without_self(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        scope: &Scope<'_>,
    ) {
        let InstanceAddress { resource: address, key } = &instance.address;
        let known = self.state.resources.get(address);
        let length = known.map_or(0, |known| known.instances.len());
        let detail = match key {
            Some(InstanceKey::Number(n)) => objchange_hcl::no_element(&Number::from(*n), length),
            _ => "The given key does not identify an element in this collection value.",
        };
        for condition in &resource.config.lifecycle.postconditions {
            let all = [&condition.condition, &condition.error_message];
            let mut own: Vec<_> = all.into_iter().flat_map(objchange_hcl::variables).collect();
            own.retain(|reference| reference.name == "self");
            if own.is_empty() {
                let one = std::slice::from_ref(condition);
                self.judge_all(instance, resource, scope, one, &conditions::POSTCONDITION);
                continue;
            }
            for reference in own {
                self.found.error("Invalid index", reference.span, detail);
            }
            let name = resource_text(resource.name);
            let kind = CheckKind::Resource;
            self.checks.instance(
                kind,
                &address.module,
                &name,
                key.clone(),
                &[CheckStatus::Error],
                Vec::new(),
            );
        }
    }

    pub(crate) fn judge_all(
        &mut self,
        instance: &Instance<'_>,
        resource: &ResourceNode<'c>,
        scope: &Scope<'_>,
        all: &[objchange_hcl::Condition],
        words: &conditions::Words,
    ) -> bool {
        if all.is_empty() || !self.plans_before_destroy() {
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
        if self.input.options.mode != PlanMode::Destroy {
            let ConditionOwner { kind, module, name, key } = owner;
            self.checks.instance(kind, &module, &name, key, &statuses, problems);
        }
        self.found.error_count() == errors
    }
}
