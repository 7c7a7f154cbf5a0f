//! The assertions of a run.

use objchange::value::Marks;
use objchange::{Type, Value};
use objchange_hcl::{Condition, Diagnostic, DiagnosticExt, Scope, elements_that_decide, evaluate, variables};
use smol_str::SmolStr;

use super::difference::{shown_in_line, shown_json};
use super::file::TestOptions;
use super::report::{FailedElements, RunReport, TestStatus};
use super::scope::RunScope;
use crate::diagnostics::Comparison;
use crate::plan::inventions::{evaluate_excusing, invented_names, needs_inventions, undecided};
use crate::{Diagnostics, ModuleDiagnostic, Severity};

/// How assertions are judged.
#[derive(Debug, Clone, Copy)]
pub(super) struct AssertionRules {
    /// The rules are those of 1.15: both sides of comparisons are shown.
    pub(super) is_new: bool,
    /// Both sides are shown, and not only what differs.
    pub(super) is_verbose: bool,
    /// Conditions that depend on unknown values are undecided, not errors.
    pub(super) three_valued: bool,
}

impl AssertionRules {
    pub(super) fn new(options: &TestOptions, is_new: bool) -> Self {
        Self { is_new, is_verbose: options.verbose, three_valued: options.three_valued }
    }
}

/// The result of an assertion.
enum Judged {
    Decided(TestStatus),
    /// It does not hold, because of these elements of collections.
    Failed(Option<FailedElements>),
    Undecided,
}

/// The summary for a failed assertion.
pub(super) const ASSERTION_FAILED: &str = "Test assertion failed";
/// The summary for an assertion that is neither true nor false.
const ASSERTION_UNDECIDED: &str = "Test assertion undecided";
const INVALID_MESSAGE: &str = "Invalid error message";
const NO_RESULT: &str = "Invalid condition run";

impl RunScope<'_, '_> {
    /// Judges the assertions of a run.
    pub(super) fn judge_all(&self, assertions: &[Condition], rules: AssertionRules, report: &mut RunReport) {
        for assertion in assertions {
            match self.judge(assertion, rules, &mut report.diagnostics) {
                Judged::Decided(status) => report.status = report.status.max(status),
                Judged::Failed(elements) => {
                    report.status = report.status.max(TestStatus::Fail);
                    report.elements.extend(elements);
                }
                Judged::Undecided => report.undecided += 1,
            }
        }
        if report.undecided > 0 {
            report.status = report.status.max(TestStatus::Undecided);
        }
    }

    /// Evaluates an assertion, and adds its diagnostics.
    fn judge(&self, assertion: &Condition, rules: AssertionRules, found: &mut Diagnostics) -> Judged {
        let mut references = variables(&assertion.condition);
        references.extend(variables(&assertion.error_message));
        let plain = match self.variables(&references) {
            Ok(names) => names,
            Err(errors) => {
                found.errors(errors);
                return Judged::Decided(TestStatus::Error);
            }
        };
        let mut names = plain.clone();
        self.hide_secrets(&mut names);
        let scope = Scope::new(&names);
        if needs_inventions(&assertion.condition, &scope, self.functions) {
            let names = invented_names(&assertion.condition, &scope);
            found.add(undecided(ASSERTION_UNDECIDED, assertion, &names, None));
            return Judged::Undecided;
        }
        // Where made-up values cause an error, the others decide alone: `true || tonumber(made_up) == 1`.
        let (mut result, mut errors, _) = evaluate_excusing(&assertion.condition, &scope, self.functions);
        if !self.secret.is_empty() {
            // `issensitive` shows that Terraform 1.15.5 does not treat such variables as sensitive. The output still hides them.
            let plain = Scope::new(&plain);
            let (value, found, _) = evaluate_excusing(&assertion.condition, &plain, self.functions);
            match (found.is_empty(), errors.is_empty()) {
                (true, _) => (result, errors) = (value, found),
                (false, true) => errors = found.into_iter().map(unexplained).collect(),
                (false, false) => {}
            }
        }
        let has_result = errors.is_empty();
        found.errors(errors);
        // Terraform evaluates the message even if the condition holds.
        let Some(message) = self.message(assertion, &scope, found) else {
            return Judged::Decided(TestStatus::Error);
        };
        if !has_result {
            return Judged::Decided(TestStatus::Error);
        }
        let error = |summary: &'static str, detail: String| {
            Diagnostic::new(summary, assertion.condition.span, detail).explained(&assertion.condition, &scope)
        };
        let holds = match result.unmark_deep().0.convert(&Type::Bool) {
            Ok(holds) if holds.is_null() => {
                let detail = "Condition expression must return either true or false, not null.".to_owned();
                found.errors([error(NO_RESULT, detail)]);
                return Judged::Decided(TestStatus::Error);
            }
            Ok(holds) => holds,
            Err(wrong) => {
                found.errors([error(NO_RESULT, format!("Invalid condition run value: {}.", wrong.kind))]);
                return Judged::Decided(TestStatus::Error);
            }
        };
        match holds.as_bool() {
            Some(true) => Judged::Decided(TestStatus::Pass),
            Some(false) => {
                found.add(self.failure(assertion, &scope, message, rules));
                Judged::Failed(self.failed_elements(assertion, &scope))
            }
            // Terraform makes an unknown condition an error. Judged in three values, it is neither pass nor fail.
            None if rules.three_valued => {
                let detail = "It depends on values that are known only after apply.";
                let warning = Diagnostic::warning(ASSERTION_UNDECIDED, assertion.condition.span, detail);
                let warning = warning.explained(&assertion.condition, &scope);
                found.add(ModuleDiagnostic { is_undecided: true, ..ModuleDiagnostic::new(warning, None) });
                Judged::Undecided
            }
            None => {
                found.errors([error("Unknown condition value", UNKNOWN.to_owned())]);
                Judged::Decided(TestStatus::Error)
            }
        }
    }

    /// The message of an assertion; `None` after an error, which is reported whether the condition holds or not.
    fn message(&self, assertion: &Condition, scope: &Scope<'_>, found: &mut Diagnostics) -> Option<String> {
        let expr = &assertion.error_message;
        let (value, errors, _) = evaluate_excusing(expr, scope, self.functions);
        if !errors.is_empty() {
            found.errors(errors);
            return None;
        }
        let marks = value.marks_deep();
        let wrong = |why: &dyn std::fmt::Display| {
            let detail = format!("Unsuitable value for error message: {why}.");
            Diagnostic::new(INVALID_MESSAGE, expr.span, detail).explained(expr, scope)
        };
        let text = match value.unmark_deep().0.convert(&Type::String) {
            Ok(text) if text.is_null() => {
                found.errors([wrong(&"must not be null")]);
                return None;
            }
            Ok(text) => text,
            Err(error) => {
                found.errors([wrong(&error.kind)]);
                return None;
            }
        };
        for (mark, (summary, detail)) in
            [Marks::SENSITIVE, Marks::EPHEMERAL].into_iter().zip(crate::plan::conditions::HIDDEN)
        {
            if marks.contains(mark) {
                found.push(Severity::Warning, Diagnostic::new(summary, expr.span, detail));
                return Some(String::new());
            }
        }
        Some(text.as_str().unwrap_or_default().trim().to_owned())
    }

    /// The diagnostic for a failed assertion.
    fn failure(
        &self,
        assertion: &Condition,
        scope: &Scope<'_>,
        message: String,
        rules: AssertionRules,
    ) -> ModuleDiagnostic {
        let condition = &assertion.condition;
        let error = Diagnostic::new(ASSERTION_FAILED, condition.span, message);
        if !rules.is_new {
            return ModuleDiagnostic::new(error.explained(condition, scope), None);
        }
        let error = error.explained_as(condition, scope, &|value| Some(format!("is {}", shown_json(value))));
        let comparison = condition.operands().map(|(left, right)| {
            let side = |expr| evaluate(expr, scope, self.functions).0;
            let (left, right) = (side(&left), side(&right));
            Box::new(Comparison {
                types_differ: differ_in_type(&left, &right),
                left: shown_json(&left),
                right: shown_json(&right),
                is_verbose: rules.is_verbose,
            })
        });
        ModuleDiagnostic { comparison, ..ModuleDiagnostic::new(error, None) }
    }

    /// The elements of collections that have made a condition false.
    fn failed_elements(&self, assertion: &Condition, scope: &Scope<'_>) -> Option<FailedElements> {
        let found = elements_that_decide(&assertion.condition, scope, self.functions);
        if found.elements.is_empty() {
            return None;
        }
        let shown = |element: &Vec<(SmolStr, Value)>| {
            let names = element.iter().map(|(name, value)| format!("{name} is {}", shown_in_line(value)));
            names.collect::<Vec<_>>().join(", ")
        };
        let elements = found.elements.iter().map(shown).collect();
        Some(FailedElements { span: assertion.condition.span, elements, more: found.more })
    }
}

/// An error without its words, which may quote a secret.
fn unexplained(error: Diagnostic) -> Diagnostic {
    let detail = "This is not explained, because a variable of the test file is sensitive.";
    Diagnostic { detail: detail.into(), values: Vec::new(), hints: Vec::new(), ..error }
}

fn differ_in_type(left: &Value, right: &Value) -> bool {
    left.ty() != right.ty()
}

const UNKNOWN: &str = "Condition expression could not be evaluated at this time. This means you have executed a `run` block with \
                       `command = plan` and one of the values your condition depended on is not known until after the plan \
                       has been applied. Either remove this value from your condition, or execute an `apply` command from \
                       this `run` block. Alternatively, if there is an override for this value, you can make it available \
                       during the plan phase by setting `override_during = plan` in the `override_` block.";
