//! The values that led to an error, for people.

use objchange::Value;
use objchange::value::Kind;
use objchange_text::{Diagnostic, Span, visible};

use super::{Evaluator, Scope};
use crate::syntax::ast::Expr;
use crate::walk::{sensitive_arguments, variables};

/// How many values are shown with an error, and how much of a text.
const MAX_VALUES: usize = 8;
/// With how many errors of one expression.
const MAX_ERRORS: usize = 50;
const MAX_CHARS: usize = 60;

impl Evaluator<'_> {
    /// The value of an expression that stands for itself, for somebody who looks at all of it; errors in it name the
    /// values that they come from.
    pub(crate) fn explained(&mut self, expr: &Expr, scope: &Scope<'_>) -> Value {
        let errors = self.errors();
        let value = self.named(expr, scope);
        if self.failed_since(errors) { value } else { self.paid(value, expr.span) }
    }

    /// The same for somebody who gives the value a name, under which others look at it.
    pub(crate) fn named(&mut self, expr: &Expr, scope: &Scope<'_>) -> Value {
        let errors = self.errors();
        let value = self.value(expr, scope);
        if self.failed_since(errors) && !self.hides {
            explain(&mut self.diagnostics[errors..], expr, scope);
        }
        value
    }
}

/// What a diagnostic says of an expression.
pub trait DiagnosticExt: Sized {
    /// The same with the values that an expression refers to, except unknown ones.
    #[must_use]
    fn explained(self, expr: &Expr, scope: &Scope<'_>) -> Self;

    /// The same where the error is that values are unknown: with these, too.
    #[must_use]
    fn explained_by_unknown(self, expr: &Expr, scope: &Scope<'_>) -> Self {
        self.explained(expr, scope)
    }
}

impl DiagnosticExt for Diagnostic {
    fn explained(self, expr: &Expr, scope: &Scope<'_>) -> Self {
        let mut all = [Self { subject: Some(expr.span), ..self }];
        explain(&mut all, expr, scope);
        let [explained] = all;
        explained
    }
}

/// Names in errors of an expression the values that they come from.
pub(crate) fn explain(errors: &mut [Diagnostic], expr: &Expr, scope: &Scope<'_>) {
    let secrets = sensitive_arguments(expr);
    let is_secret = |place: Span| {
        secrets.iter().any(|secret| secret.span.start <= place.start && place.end <= secret.span.end)
    };
    let references: Vec<_> =
        variables(expr).into_iter().filter(|reference| !is_secret(reference.whole())).collect();
    for diagnostic in errors.iter_mut().take(MAX_ERRORS) {
        let Some(span) = diagnostic.context.or(diagnostic.subject) else { continue };
        for reference in &references {
            let place = reference.whole();
            let touches = place.start <= span.end && span.start <= place.end;
            if !touches || diagnostic.values.len() >= MAX_VALUES {
                continue;
            }
            let Some(root) = scope.get(reference.name) else { continue };
            let (text, found) = reference.found_in(root);
            if diagnostic.values.iter().all(|(other, _)| *other != text) {
                diagnostic.values.push((text, described(&found)));
            }
        }
    }
}

/// A value in a few words. What is marked is not shown.
fn described(value: &Value) -> String {
    if value.contains_marked() {
        return "(sensitive value)".to_owned();
    }
    let count = |n: usize| {
        format!("{} with {n} element{}", value.ty().friendly_name(), if n == 1 { "" } else { "s" })
    };
    match value.kind() {
        Kind::Null => "null".to_owned(),
        Kind::Unknown(_) => format!("{}, not known yet", value.ty().friendly_name()),
        Kind::Bool(b) => b.to_string(),
        Kind::Number(n) => cut(&n.to_string()),
        Kind::String(text) => format!("\"{}\"", visible(&cut(text))),
        Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => count(elements.len()),
        Kind::Map(map) => count(map.len()),
        Kind::Object(object) => {
            format!("object with {} attribute{}", object.len(), if object.len() == 1 { "" } else { "s" })
        }
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
