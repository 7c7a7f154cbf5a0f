//! Conditions: `validation`, `precondition`, `postcondition`, `assert`.

use objchange::value::Marks;
use objchange::{Type, Value};
use objchange_hcl::{Condition, Diagnostic, DiagnosticExt, Functions, Scope, evaluate};

use super::CheckStatus;

/// How a condition has come out.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) status: CheckStatus,
    /// What people read where it does not hold.
    pub(crate) message: Option<String>,
    /// Errors in the condition itself, or in its message.
    pub(crate) errors: Vec<Diagnostic>,
}

/// How messages call the conditions of a kind.
#[derive(Debug)]
pub(crate) struct Words {
    /// Where the condition does not hold.
    pub(crate) failed: &'static str,
    /// Where it is neither true nor false.
    pub(crate) no_result: &'static str,
    /// The subject of the sentence about null.
    pub(crate) subject: &'static str,
    /// What it has come to where it cannot be evaluated.
    pub(crate) not_evaluated: CheckStatus,
}

pub(crate) const PRECONDITION: Words = Words {
    failed: "Resource precondition failed",
    no_result: "Invalid condition result",
    subject: "Condition expression",
    not_evaluated: CheckStatus::Error,
};
pub(crate) const POSTCONDITION: Words = Words { failed: "Resource postcondition failed", ..PRECONDITION };
pub(crate) const OUTPUT: Words = Words { failed: "Module output value precondition failed", ..PRECONDITION };
pub(crate) const ASSERT: Words = Words { failed: "Check block assertion failed", ..PRECONDITION };
pub(crate) const VALIDATION: Words = Words {
    failed: "Invalid value for variable",
    no_result: "Invalid variable validation result",
    subject: "Validation condition expression",
    not_evaluated: CheckStatus::Unknown,
};

/// Evaluates a condition, and its message where it does not hold.
pub(crate) fn judge(
    condition: &Condition,
    scope: &Scope<'_>,
    functions: &Functions,
    words: &Words,
) -> Judged {
    let (result, errors) = evaluate(&condition.condition, scope, functions);
    if !errors.is_empty() {
        return Judged { status: words.not_evaluated, message: None, errors };
    }
    let no_result = |detail: String| {
        let error = Diagnostic::new(words.no_result, condition.condition.span, detail);
        let errors = vec![error.explained(&condition.condition, scope)];
        Judged { status: CheckStatus::Error, message: None, errors }
    };
    let (result, _) = result.unmark_deep();
    let holds = match result.convert(&Type::Bool) {
        Ok(result) if result.is_null() => {
            let subject = words.subject;
            return no_result(format!("{subject} must return either true or false, not null."));
        }
        Ok(result) => result.as_bool(),
        Err(error) => {
            let subject = if words.subject == PRECONDITION.subject {
                "Invalid condition"
            } else {
                "Invalid validation condition"
            };
            return no_result(format!("{subject} result value: {}.", error.kind));
        }
    };
    match holds {
        Some(true) => Judged { status: CheckStatus::Pass, message: None, errors: Vec::new() },
        None => Judged { status: CheckStatus::Unknown, message: None, errors: Vec::new() },
        Some(false) => {
            let (message, errors) = message(condition, scope, functions);
            Judged { status: CheckStatus::Fail, message: Some(message), errors }
        }
    }
}

/// What people read where a condition does not hold.
fn message(condition: &Condition, scope: &Scope<'_>, functions: &Functions) -> (String, Vec<Diagnostic>) {
    const FAILED: &str = "Failed to evaluate condition error message.";
    const SUMMARY: &str = "Invalid error message";
    let expr = &condition.error_message;
    let (value, mut errors) = evaluate(expr, scope, functions);
    if !errors.is_empty() {
        return (FAILED.to_owned(), errors);
    }
    let error = |why: &dyn std::fmt::Display| {
        let detail = format!("Unsuitable value for error message: {why}.");
        Diagnostic::new(SUMMARY, expr.span, detail).explained(expr, scope)
    };
    let marks = value.marks_deep();
    match value.unmark_deep().0.convert(&Type::String) {
        Err(wrong) => {
            errors.push(error(&wrong.kind));
            (FAILED.to_owned(), errors)
        }
        Ok(_) if marks.contains(Marks::SENSITIVE) => {
            ("The error message included a sensitive value, so it will not be displayed.".to_owned(), errors)
        }
        Ok(_) if marks.contains(Marks::EPHEMERAL) => {
            ("The error message included an ephemeral value, so it will not be displayed.".to_owned(), errors)
        }
        Ok(text) if !text.is_known() => {
            errors.push(error(&"expression refers to values that won't be known until the apply phase"));
            (FAILED.to_owned(), errors)
        }
        Ok(text) => (trimmed(&text).unwrap_or_else(|| FAILED.to_owned()), errors),
    }
}

fn trimmed(text: &Value) -> Option<String> {
    text.as_str().map(|text| text.trim().to_owned())
}

/// Several results as one: the worst of them.
pub(crate) fn worst(all: impl IntoIterator<Item = CheckStatus>) -> CheckStatus {
    let rank = |status: &CheckStatus| match status {
        CheckStatus::Pass => 0,
        CheckStatus::Unknown => 1,
        CheckStatus::Fail => 2,
        CheckStatus::Error => 3,
    };
    all.into_iter().max_by_key(rank).unwrap_or(CheckStatus::Pass)
}
