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
    /// The message is not shown because of what it refers to.
    pub(crate) warnings: Vec<Diagnostic>,
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
    /// In place of a message that is wrong.
    pub(crate) no_message: &'static str,
    /// In place of a message with sensitive and with ephemeral values; where there is none, a warning says so.
    pub(crate) hidden_message: Option<[&'static str; 2]>,
}

pub(crate) const PRECONDITION: Words = Words {
    failed: "Resource precondition failed",
    no_result: "Invalid condition result",
    subject: "Condition expression",
    not_evaluated: CheckStatus::Error,
    no_message: "This check failed, but has an invalid error message as described in the other accompanying messages.",
    hidden_message: None,
};
pub(crate) const POSTCONDITION: Words = Words { failed: "Resource postcondition failed", ..PRECONDITION };
pub(crate) const OUTPUT: Words = Words { failed: "Module output value precondition failed", ..PRECONDITION };
pub(crate) const ASSERT: Words = Words { failed: "Check block assertion failed", ..PRECONDITION };
/// What is said of an assertion that cannot be judged yet.
pub(crate) const ASSERT_UNKNOWN: &str = "Check block assertion known after apply";
pub(crate) const VALIDATION: Words = Words {
    failed: "Invalid value for variable",
    no_result: "Invalid variable validation result",
    subject: "Validation condition expression",
    not_evaluated: CheckStatus::Unknown,
    no_message: "Failed to evaluate condition error message.",
    hidden_message: Some([
        "The error message included a sensitive value, so it will not be displayed.",
        "The error message included an ephemeral value, so it will not be displayed.",
    ]),
};

/// Evaluates a condition and its message, which has to be right whether the condition holds or not.
pub(crate) fn judge(
    condition: &Condition,
    scope: &Scope<'_>,
    functions: &Functions,
    words: &Words,
) -> Judged {
    let (result, mut errors) = evaluate(&condition.condition, scope, functions);
    let holds = match errors.is_empty() {
        true => result_of(condition, &result, scope, words).map_err(|error| {
            errors.push(*error);
            CheckStatus::Error
        }),
        false => Err(words.not_evaluated),
    };
    let mut message = message(condition, scope, functions, words, holds == Ok(Some(false)));
    let status = match holds {
        Err(status) => status,
        Ok(Some(false)) => CheckStatus::Fail,
        Ok(_) if !message.errors.is_empty() => words.not_evaluated,
        Ok(Some(true)) => CheckStatus::Pass,
        Ok(None) => CheckStatus::Unknown,
    };
    errors.append(&mut message.errors);
    let shown =
        (status == CheckStatus::Fail).then(|| message.text.unwrap_or_else(|| words.no_message.to_owned()));
    Judged { status, message: shown, errors, warnings: message.warnings }
}

/// Whether a condition holds; `None` where that is not known.
fn result_of(
    condition: &Condition,
    result: &Value,
    scope: &Scope<'_>,
    words: &Words,
) -> Result<Option<bool>, Box<Diagnostic>> {
    let no_result = |detail: String| {
        let error = Diagnostic::new(words.no_result, condition.condition.span, detail);
        Box::new(error.explained(&condition.condition, scope))
    };
    match result.unmark_deep().0.convert(&Type::Bool) {
        Ok(result) if result.is_null() => {
            Err(no_result(format!("{} must return either true or false, not null.", words.subject)))
        }
        Ok(result) => Ok(result.as_bool()),
        Err(error) => {
            let subject = if words.subject == PRECONDITION.subject {
                "Invalid condition"
            } else {
                "Invalid validation condition"
            };
            Err(no_result(format!("{subject} result value: {}.", error.kind)))
        }
    }
}

/// What people read where a condition does not hold.
#[derive(Debug, Default)]
struct Message {
    /// `None` where it is not known, or wrong.
    text: Option<String>,
    errors: Vec<Diagnostic>,
    warnings: Vec<Diagnostic>,
}

fn message(
    condition: &Condition,
    scope: &Scope<'_>,
    functions: &Functions,
    words: &Words,
    is_needed: bool,
) -> Message {
    const SUMMARY: &str = "Invalid error message";
    let expr = &condition.error_message;
    let (value, errors) = evaluate(expr, scope, functions);
    if !errors.is_empty() {
        return Message { errors, ..Message::default() };
    }
    let wrong = |why: &dyn std::fmt::Display| {
        let detail = format!("Unsuitable value for error message: {why}.");
        let error = Diagnostic::new(SUMMARY, expr.span, detail).explained(expr, scope);
        Message { errors: vec![error], ..Message::default() }
    };
    let marks = value.marks_deep();
    let text = match value.unmark_deep().0.convert(&Type::String) {
        Err(error) => return wrong(&error.kind),
        Ok(text) if text.is_null() => return wrong(&"must not be null"),
        Ok(text) => text,
    };
    let hidden = match (marks.contains(Marks::SENSITIVE), marks.contains(Marks::EPHEMERAL)) {
        (true, _) => Some(0),
        (_, true) => Some(1),
        _ => None,
    };
    match (text.is_known(), hidden, words.hidden_message) {
        (_, Some(which), Some(texts)) => {
            Message { text: Some(texts[which].to_owned()), ..Message::default() }
        }
        (true, Some(which), None) => {
            let (summary, detail) = HIDDEN[which];
            let warning = Diagnostic::new(summary, expr.span, detail);
            Message { warnings: vec![warning], ..Message::default() }
        }
        (false, ..) if is_needed => {
            wrong(&"expression refers to values that won't be known until the apply phase")
        }
        (false, ..) => Message::default(),
        (true, None, _) => Message { text: trimmed(&text), ..Message::default() },
    }
}

/// What is said of messages with sensitive and with ephemeral values.
const HIDDEN: [(&str, &str); 2] = [
    (
        "Error message refers to sensitive values",
        "The error expression used to explain this condition refers to sensitive values, so Terraform will not display the \
         resulting message.\n\nYou can correct this by removing references to sensitive values, or by carefully using the \
         nonsensitive() function if the expression will not reveal the sensitive data.",
    ),
    (
        "Error message refers to ephemeral values",
        "The error expression used to explain this condition refers to ephemeral values, so Terraform will not display the \
         resulting message.\n\nYou can correct this by removing references to ephemeral values, or by using the \
         ephemeralasnull() function on the references to not reveal ephemeral data.",
    ),
];

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
