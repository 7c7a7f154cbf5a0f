//! The values that led to an error, for people.

use objchange::value::{Kind, Marks};
use objchange::{Type, Value};
use objchange_text::{Diagnostic, Span, visible};

use super::{Evaluator, Scope};
use crate::syntax::ast::Expr;
use crate::walk::{key_beside, place_of, sensitive_arguments, variables};

/// The maximum number of values to show with an error.
const MAX_VALUES: usize = 64;
/// The maximum number of errors of an expression that get values.
const MAX_ERRORS: usize = 50;
/// The maximum number of characters of a text to show.
const MAX_CHARS: usize = 4096;

impl Evaluator<'_> {
    /// Evaluates a whole expression for a caller that reads all of its value, and pays for that walk. Errors name the
    /// values that they come from.
    pub(crate) fn explained(&mut self, expr: &Expr, scope: &Scope<'_>) -> Value {
        let errors = self.errors();
        let value = self.named(expr, scope);
        if self.failed_since(errors) { value } else { self.paid(value, expr.span) }
    }

    /// Evaluates an expression whose value gets a name, such as a local value. Its errors are explained here, because
    /// others only see the name.
    pub(crate) fn named(&mut self, expr: &Expr, scope: &Scope<'_>) -> Value {
        let errors = self.errors();
        let value = self.value(expr, scope);
        if self.failed_since(errors) && !self.hides {
            explain(&mut self.diagnostics[errors..], expr, scope);
        }
        value
    }
}

/// The fact about a value that explains an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cause {
    /// The content of a value.
    Content,
    /// That it is unknown.
    Unknown,
    /// Its marks.
    Marks,
}

/// Adds facts about an expression to a diagnostic.
pub trait DiagnosticExt: Sized {
    /// Adds the values that an expression refers to.
    #[must_use]
    fn explained(self, expr: &Expr, scope: &Scope<'_>) -> Self;

    /// Adds the references whose values are unknown, for errors about unknown values.
    #[must_use]
    fn explained_by_unknown(self, expr: &Expr, scope: &Scope<'_>) -> Self;

    /// Adds the references with statements of the caller instead of Terraform's; `None` leaves one out.
    #[must_use]
    fn explained_as(
        self,
        expr: &Expr,
        scope: &Scope<'_>,
        statement: &dyn Fn(&Value) -> Option<String>,
    ) -> Self;

    /// Adds the references whose values are sensitive or ephemeral, for errors about marks.
    #[must_use]
    fn explained_by_marks(self, expr: &Expr, scope: &Scope<'_>) -> Self;
}

impl DiagnosticExt for Diagnostic {
    fn explained(mut self, expr: &Expr, scope: &Scope<'_>) -> Self {
        add_values(&mut self, expr, expr.span, scope, &|value| statement(value, Cause::Content));
        self
    }

    fn explained_as(
        mut self,
        expr: &Expr,
        scope: &Scope<'_>,
        statement: &dyn Fn(&Value) -> Option<String>,
    ) -> Self {
        add_values(&mut self, expr, expr.span, scope, statement);
        self
    }

    fn explained_by_unknown(mut self, expr: &Expr, scope: &Scope<'_>) -> Self {
        add_values(&mut self, expr, expr.span, scope, &|value| statement(value, Cause::Unknown));
        self
    }

    fn explained_by_marks(mut self, expr: &Expr, scope: &Scope<'_>) -> Self {
        add_values(&mut self, expr, expr.span, scope, &|value| statement(value, Cause::Marks));
        self
    }
}

/// Names in errors of an expression the values that they come from.
pub(crate) fn explain(errors: &mut [Diagnostic], expr: &Expr, scope: &Scope<'_>) {
    for diagnostic in errors.iter_mut().take(MAX_ERRORS) {
        let is_argument = diagnostic.summary == super::call::INVALID;
        let Some(subject) = diagnostic.subject else { continue };
        // The expression itself is wrong, not a value.
        if diagnostic.summary == super::collection::AMBIGUOUS_KEY {
            continue;
        }
        // To HCL the call has too many arguments, wherever the first of these is.
        let is_call = diagnostic.summary == super::call::TOO_MANY;
        let place = match is_call {
            true => None,
            // HCL points to the value beside such a key.
            false if diagnostic.summary == super::collection::NULL_KEY => key_beside(expr, subject),
            false => place_of(expr, subject, is_argument),
        };
        let area = place.or(diagnostic.context).unwrap_or(subject);
        add_values(diagnostic, expr, area, scope, &|value| statement(value, Cause::Content));
    }
}

/// Adds the values that a part of an expression refers to.
fn add_values(
    diagnostic: &mut Diagnostic,
    expr: &Expr,
    area: Span,
    scope: &Scope<'_>,
    statement: &dyn Fn(&Value) -> Option<String>,
) {
    let secrets = sensitive_arguments(expr);
    let is_within = |part: Span, whole: Span| whole.start <= part.start && part.end <= whole.end;
    for reference in variables(expr) {
        let place = reference.whole();
        let touches = is_within(place, area) || is_within(area, place);
        let is_secret = secrets.iter().any(|secret| is_within(place, secret.span));
        if !touches || is_secret || diagnostic.values.len() >= MAX_VALUES {
            continue;
        }
        let Some(root) = scope.get(reference.name) else { continue };
        let (text, found) = reference.found_in(root);
        // Only the root of the reference was found, so the step after it is misspelt and the root's value explains
        // nothing.
        if reference.steps().len() > 0 && text == *reference.name {
            continue;
        }
        let Some(statement) = statement(&found) else { continue };
        if diagnostic.values.iter().all(|(other, _)| *other != text) {
            diagnostic.values.push((text, statement));
        }
    }
    diagnostic.values.sort();
}

/// Describes a value in Terraform's words. A marked value is only said to be marked. `None` if the cause of the error
/// does not concern the value.
fn statement(value: &Value, cause: Cause) -> Option<String> {
    let marks = value.marks();
    if !marks.is_empty() {
        let is_sensitive = marks.contains(Marks::SENSITIVE);
        let words = if is_sensitive { "has a sensitive value" } else { "has an ephemeral value" };
        return (cause == Cause::Marks).then(|| words.to_owned());
    }
    let ty = value.ty();
    let count = |n: usize| {
        let ty = ty.friendly_name();
        match n {
            0 => format!("empty {ty}"),
            1 => format!("{ty} with 1 element"),
            n => format!("{ty} with {n} elements"),
        }
    };
    let words = match value.kind() {
        Kind::Unknown(_) if *ty == Type::Dynamic => {
            return (cause == Cause::Unknown).then(|| "will be known only after apply".to_owned());
        }
        Kind::Unknown(_) if cause == Cause::Unknown => {
            format!("a {}, known only after apply", ty.friendly_name())
        }
        Kind::Unknown(_) => format!("a {}", ty.friendly_name()),
        Kind::Null => "null".to_owned(),
        Kind::Bool(b) => b.to_string(),
        Kind::Number(n) => {
            let mut text = String::new();
            n.write_ten_digits(&mut text);
            text
        }
        Kind::String(text) => quoted(text),
        Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => count(elements.len()),
        Kind::Map(map) => count(map.len()),
        Kind::Object(object) => {
            let mut names = object.iter().map(|(name, _)| name);
            match (object.len(), names.next()) {
                (1, Some(name)) => format!("object with 1 attribute {}", quoted(name)),
                (0, _) => "object with no attributes".to_owned(),
                (n, _) => format!("object with {n} attributes"),
            }
        }
    };
    Some(format!("is {words}"))
}

fn quoted(text: &str) -> String {
    let text = text.replace('\\', "\\\\").replace('"', "\\\"");
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("\"{}…\"", visible(&text[..end])),
        None => format!("\"{}\"", visible(&text)),
    }
}
