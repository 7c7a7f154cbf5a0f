//! Conditions, and rules of variables.

use objchange_hcl::{
    Condition, Diagnostic, DiagnosticExt, Expr, Functions, Scope, VariableConfig, evaluate, variables,
};
use smol_str::SmolStr;

use super::super::check::{Checked, ReferenceContext};
use super::super::instances::ModuleInstanceId;
use super::super::{CheckKind, CheckStatus};
use super::Validator;
use crate::plan::conditions::{Words, judge, judge_message, judge_validation};
use crate::{ConditionOwner, Severity};

impl<'c> Validator<'_, 'c> {
    pub(super) fn validation(&mut self, at: ModuleInstanceId, name: &SmolStr, variable: &VariableConfig) {
        let module = self.world.instances[at].module;
        let place = ReferenceContext { module, ..ReferenceContext::default() };
        let reported = crate::plan::variable::reported_at(self.input.config, module, name, variable);
        // The rules judge the value itself, where it is known already.
        let actual = self.world.actual_variables.get(&(at, name.clone())).cloned();
        let usual = actual.and_then(|actual| self.world.instances[at].variables.insert(name.clone(), actual));
        let owner = ConditionOwner {
            kind: CheckKind::InputVariable,
            module: self.world.instances[at].address.clone(),
            name: name.to_string(),
            key: None,
        };
        for rule in &variable.validations {
            let checked = self.checked_condition(place, rule);
            if !checked.errors.is_empty() {
                self.found.errors(checked.errors);
                continue;
            }
            let variables = self.world.variables(self.graph, at, &checked.subjects);
            let scope = Scope::new(&variables);
            let unmarked = variable
                .sensitive
                .then(|| self.world.variables_with_unmarked(self.graph, at, &checked.subjects, name));
            let unmarked = unmarked.as_ref().map(Scope::new);
            let judged = judge_validation(rule, &scope, unmarked.as_ref(), self.functions);
            // The other variables have no values yet: the rule is judged again while planning.
            if judged.status == CheckStatus::Error && is_unknown(&rule.error_message, &scope, self.functions)
            {
                continue;
            }
            let found =
                crate::plan::variable::judged(self.input.config, rule, &scope, &judged, reported, &owner);
            self.found.append(found);
        }
        if let Some(usual) = usual {
            self.world.instances[at].variables.insert(name.clone(), usual);
        }
    }

    pub(super) fn checked_condition(&self, place: ReferenceContext<'_>, condition: &Condition) -> Checked {
        let mut all = variables(&condition.condition);
        all.extend(variables(&condition.error_message));
        self.check(place, &all)
    }

    /// Validates a condition without its values: reports errors that occur for any value.
    pub(super) fn resource_condition(
        &mut self,
        at: ModuleInstanceId,
        place: ReferenceContext<'_>,
        condition: &Condition,
    ) {
        for expr in [&condition.condition, &condition.error_message] {
            let checked = self.check(place, &variables(expr));
            let has_static_errors = checked.has_static_errors;
            self.found.errors(checked.errors);
            let variables = if has_static_errors {
                objchange_hcl::Variables::default()
            } else {
                self.world.variables(self.graph, at, &checked.subjects)
            };
            let names = if has_static_errors { Vec::new() } else { self.names(at, place) };
            let outer = Scope::new(&variables);
            let (_, errors) = evaluate(expr, &outer.with(&names), self.functions);
            self.found.errors(errors);
        }
    }

    /// Validates the message of an assertion; its condition is checked when it is evaluated.
    pub(super) fn assertion(
        &mut self,
        at: ModuleInstanceId,
        place: ReferenceContext<'_>,
        assert: &Condition,
    ) {
        let checked = self.checked_condition(place, assert);
        if !checked.errors.is_empty() {
            self.found.errors(checked.errors);
            if checked.has_static_errors {
                self.found.errors(without_names(&assert.error_message, self.functions));
            }
            return;
        }
        let variables = self.world.variables(self.graph, at, &checked.subjects);
        let message = judge_message(assert, &Scope::new(&variables), self.functions);
        self.found.errors(message.errors);
        message.warnings.into_iter().for_each(|warning| self.found.push(Severity::Warning, warning));
    }

    pub(super) fn conditions(
        &mut self,
        at: ModuleInstanceId,
        place: ReferenceContext<'_>,
        all: &[Condition],
        words: &Words,
    ) {
        for condition in all {
            self.condition(at, place, condition, words);
        }
    }

    /// A condition that is judged already, as far as it is known.
    pub(super) fn condition(
        &mut self,
        at: ModuleInstanceId,
        place: ReferenceContext<'_>,
        condition: &Condition,
        words: &Words,
    ) {
        let checked = self.checked_condition(place, condition);
        if !checked.errors.is_empty() {
            self.found.errors(checked.errors);
            if checked.has_static_errors {
                for expr in [&condition.condition, &condition.error_message] {
                    self.found.errors(without_names(expr, self.functions));
                }
            }
            return;
        }
        let variables = self.world.variables(self.graph, at, &checked.subjects);
        let scope = Scope::new(&variables);
        let judged = judge(condition, &scope, self.functions, words);
        self.found.errors(judged.errors);
        judged.warnings.into_iter().for_each(|warning| self.found.push(Severity::Warning, warning));
        if judged.status == CheckStatus::Fail
            && let Some(message) = judged.message
        {
            let error = Diagnostic::new(words.failed, condition.condition.span, message);
            self.found.push(Severity::Error, error.explained(&condition.condition, &scope));
        }
    }
}

/// The errors of an expression where references are wrong: Terraform evaluates it all the same, without any names.
fn without_names(expr: &Expr, functions: &Functions) -> Vec<Diagnostic> {
    evaluate(expr, &Scope::new(&objchange_hcl::Variables::default()), functions).1
}

fn is_unknown(expr: &Expr, scope: &Scope<'_>, functions: &Functions) -> bool {
    let (value, errors) = evaluate(expr, scope, functions);
    errors.is_empty() && !value.is_known()
}
