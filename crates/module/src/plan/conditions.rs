//! Conditions: `validation`, `precondition`, `postcondition`, `assert`.

use crate::diagnostics::ASSERT_FAILED;
use objchange::value::Marks;
use objchange::{Type, Value};
use objchange_hcl::{Condition, Diagnostic, DiagnosticExt, Functions, Scope};

use super::CheckStatus;
use super::inventions::{evaluate_excusing, needs_inventions};

/// How a condition has come out.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) status: CheckStatus,
    /// The message for people, if it fails.
    pub(crate) message: Option<String>,
    /// Its message as the results of checks have it: none where it cannot be shown.
    pub(crate) problem: Option<String>,
    /// Errors in the condition itself, or in its message.
    pub(crate) errors: Vec<Diagnostic>,
    /// The message is not shown because of what it refers to.
    pub(crate) warnings: Vec<Diagnostic>,
    /// It is unknown because it depends on values that were made up.
    pub(crate) is_undecided: bool,
}

/// How messages call the conditions of a kind.
#[derive(Debug)]
pub(crate) struct Words {
    /// Where the condition does not hold.
    pub(crate) failed: &'static str,
    /// Where it is neither true nor false.
    no_result: &'static str,
    /// The subject of the sentence about null.
    subject: &'static str,
    /// The subject of the sentence about what is no bool.
    invalid: &'static str,
}

pub(crate) const PRECONDITION: Words = Words {
    failed: "Resource precondition failed",
    no_result: "Invalid condition result",
    subject: "Condition expression",
    invalid: "Invalid condition",
};
pub(crate) const POSTCONDITION: Words = Words { failed: "Resource postcondition failed", ..PRECONDITION };
pub(crate) const OUTPUT: Words = Words { failed: "Module output value precondition failed", ..PRECONDITION };
pub(crate) const ASSERT: Words = Words { failed: ASSERT_FAILED, ..PRECONDITION };
/// The words of `validation` blocks.
pub(crate) const VALIDATION: Words = Words {
    failed: "Invalid value for variable",
    no_result: "Invalid variable validation result",
    subject: "Validation condition expression",
    invalid: "Invalid validation condition",
};

const INVALID_MESSAGE: &str = "Invalid error message";
/// In place of the message of a condition that cannot be shown.
const NO_MESSAGE: &str =
    "This check failed, but has an invalid error message as described in the other accompanying messages.";
/// In place of the message of a rule for a variable that is wrong, and of one that must not be shown.
const NO_RULE_MESSAGE: &str = "Failed to evaluate condition error message.";
const HIDDEN_RULE_MESSAGE: &str =
    "The error message included a sensitive value, so it will not be displayed.";

/// Judges a precondition, a postcondition or an assertion. Its message has to be right whether it holds or not.
pub(crate) fn judge(
    condition: &Condition,
    scope: &Scope<'_>,
    functions: &Functions,
    words: &Words,
) -> Judged {
    if needs_inventions(&condition.condition, scope, functions) {
        return Judged { status: CheckStatus::Unknown, is_undecided: true, ..wrong(Vec::new()) };
    }
    // Both are evaluated first: Terraform 1.11.4 also reports a wrong message of a condition that holds.
    let (result, mut errors, _) = evaluate_excusing(&condition.condition, scope, functions);
    let message = judge_message(condition, scope, functions);
    errors.extend(message.errors);
    if !errors.is_empty() {
        return Judged { errors, ..wrong(message.warnings) };
    }
    let judged = |status| Judged { status, ..wrong(message.warnings.clone()) };
    match result_of(condition, &result, scope, functions, words) {
        Err(error) => Judged { errors: vec![*error], ..wrong(message.warnings) },
        Ok(None) => judged(CheckStatus::Unknown),
        Ok(Some(true)) => judged(CheckStatus::Pass),
        Ok(Some(false)) => {
            let shown = message.text.clone().unwrap_or_else(|| NO_MESSAGE.to_owned());
            Judged { message: Some(shown), problem: message.text, ..judged(CheckStatus::Fail) }
        }
    }
}

/// A condition that cannot be judged.
fn wrong(warnings: Vec<Diagnostic>) -> Judged {
    Judged {
        status: CheckStatus::Error,
        message: None,
        problem: None,
        errors: Vec::new(),
        warnings,
        is_undecided: false,
    }
}

/// The message of a precondition, a postcondition or an assertion.
#[derive(Debug, Default)]
pub(crate) struct JudgedMessage {
    /// `None` where it is not known, hidden or wrong.
    text: Option<String>,
    pub(crate) errors: Vec<Diagnostic>,
    pub(crate) warnings: Vec<Diagnostic>,
}

/// Evaluates the message of a precondition, a postcondition or an assertion.
pub(crate) fn judge_message(
    condition: &Condition,
    scope: &Scope<'_>,
    functions: &Functions,
) -> JudgedMessage {
    let expr = &condition.error_message;
    let wrong = |why: &dyn std::fmt::Display| {
        let detail = format!("Unsuitable value for error message: {why}.");
        let error = Diagnostic::new(INVALID_MESSAGE, expr.span, detail).explained(expr, scope);
        JudgedMessage { errors: vec![error], ..JudgedMessage::default() }
    };
    match message(condition, scope, functions) {
        // An empty message is none.
        Message::Text(text) if text.is_empty() => JudgedMessage::default(),
        Message::Text(text) => JudgedMessage { text: Some(text), ..JudgedMessage::default() },
        Message::Unknown => JudgedMessage::default(),
        Message::Null => wrong(&"must not be null"),
        Message::NoText(why) => wrong(&why),
        Message::Hidden(which) => {
            let (summary, detail) = HIDDEN[which];
            let warning = Diagnostic::new(summary, expr.span, detail).explained(expr, scope);
            JudgedMessage { warnings: vec![warning], ..JudgedMessage::default() }
        }
        Message::Wrong(errors) => JudgedMessage { errors, ..JudgedMessage::default() },
    }
}

/// Judges a rule for the values of a variable. Apart from what it refers to, its message only has to be right where the rule
/// does not hold.
///
/// `unmarked` is the scope as Terraform has it where it shows the value of a sensitive variable. The message stays hidden
/// there all the same, but is no error.
pub(crate) fn judge_validation(
    rule: &Condition,
    scope: &Scope<'_>,
    unmarked: Option<&Scope<'_>>,
    functions: &Functions,
) -> Judged {
    if needs_inventions(&rule.condition, scope, functions) {
        return Judged { status: CheckStatus::Unknown, is_undecided: true, ..wrong(Vec::new()) };
    }
    let (result, mut errors, _) = evaluate_excusing(&rule.condition, scope, functions);
    let evaluated = message(rule, scope, functions);
    let is_evaluated = errors.is_empty();
    if let Message::Wrong(found) = &evaluated {
        errors.extend(found.iter().cloned());
    }
    let judged = |status, errors| Judged { status, errors, ..wrong(Vec::new()) };
    if !is_evaluated {
        return judged(CheckStatus::Unknown, errors);
    }
    match result_of(rule, &result, scope, functions, &VALIDATION) {
        Err(error) => {
            errors.push(*error);
            return judged(CheckStatus::Error, errors);
        }
        Ok(None) => return judged(CheckStatus::Unknown, errors),
        Ok(Some(true)) => return judged(CheckStatus::Pass, errors),
        Ok(Some(false)) => {}
    }
    let expr = &rule.error_message;
    let unsuitable = |why: &dyn std::fmt::Display| {
        let detail = format!("Unsuitable value for error message: {why}.");
        Diagnostic::new(INVALID_MESSAGE, expr.span, detail)
    };
    let shown = match evaluated {
        Message::Text(text) if text.is_empty() => NO_RULE_MESSAGE.to_owned(),
        Message::Text(text) => text,
        Message::Unknown | Message::Wrong(_) => {
            let error = unsuitable(&"expression refers to values that won't be known until the apply phase");
            errors.push(error.explained_by_unknown(expr, scope));
            return judged(CheckStatus::Error, errors);
        }
        Message::Null => NO_RULE_MESSAGE.to_owned(),
        Message::NoText(why) => {
            errors.push(unsuitable(&why).explained(expr, scope));
            NO_RULE_MESSAGE.to_owned()
        }
        Message::Hidden(which) => {
            let is_shown = |scope: &&Scope<'_>| matches!(message(rule, scope, functions), Message::Text(_));
            if unmarked.filter(is_shown).is_none() {
                let (summary, detail) = HIDDEN_RULE[which];
                errors.push(Diagnostic::new(summary, expr.span, detail).explained(expr, scope));
            }
            HIDDEN_RULE_MESSAGE.to_owned()
        }
    };
    Judged { message: Some(shown.clone()), problem: Some(shown), ..judged(CheckStatus::Fail, errors) }
}

/// Whether a condition holds; `None` where that is not known.
fn result_of(
    condition: &Condition,
    result: &Value,
    scope: &Scope<'_>,
    functions: &Functions,
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
        Ok(result) => {
            let result = result.as_bool();
            if let (Some(coverage), Some(_)) = (functions.coverage(), result) {
                coverage.hit(condition.condition.span);
            }
            Ok(result)
        }
        Err(error) => Err(no_result(format!("{} result value: {}.", words.invalid, error.kind))),
    }
}

/// The evaluated message of a condition.
#[derive(Debug)]
enum Message {
    Text(String),
    Unknown,
    Null,
    /// It is no text, and why.
    NoText(objchange::value::ConvertErrorKind),
    /// It refers to sensitive (0) or ephemeral (1) values.
    Hidden(usize),
    Wrong(Vec<Diagnostic>),
}

fn message(condition: &Condition, scope: &Scope<'_>, functions: &Functions) -> Message {
    let (value, errors, _) = evaluate_excusing(&condition.error_message, scope, functions);
    if !errors.is_empty() {
        return Message::Wrong(errors);
    }
    let marks = value.marks_deep();
    let text = match value.unmark_deep().0.convert(&Type::String) {
        Err(error) => return Message::NoText(error.kind),
        Ok(text) => text,
    };
    match text.as_str() {
        _ if text.is_null() => Message::Null,
        None => Message::Unknown,
        // A sensitive message is never shown. Terraform 1.11.4 prints one of a root variable's rule; 1.15 hides it.
        Some(_) if marks.contains(Marks::SENSITIVE) => Message::Hidden(0),
        Some(_) if marks.contains(Marks::EPHEMERAL) => Message::Hidden(1),
        // Terraform 1.11.4 prints `"\n hi \n"` as `hi`.
        Some(text) => Message::Text(text.trim().to_owned()),
    }
}

/// Errors for messages with sensitive (0) and ephemeral (1) values.
pub(crate) const HIDDEN: [(&str, &str); 2] = [
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

/// The wording for rules of variables.
const HIDDEN_RULE: [(&str, &str); 2] = [
    (
        "Error message refers to sensitive values",
        "The error expression used to explain this condition refers to sensitive values. Terraform will not display the \
         resulting message.\n\nYou can correct this by removing references to sensitive values, or by carefully using the \
         nonsensitive() function if the expression will not reveal the sensitive data.",
    ),
    (
        "Error message refers to ephemeral values",
        "The error expression used to explain this condition refers to ephemeral values. Terraform will not display the \
         resulting message.\n\nYou can correct this by removing references to ephemeral values, or by carefully using the \
         ephemeralasnull() function if the expression will not reveal the ephemeral data.",
    ),
];

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
