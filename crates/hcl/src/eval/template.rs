//! Templates: text with values in it.

use objchange::value::{Kind, Marks, Refinements};
use objchange::{Type, Value};
use objchange_text::Span;

use super::{Evaluator, Scope, prefix, unknown_not_null};
use crate::syntax::ast::{Expr, ExprKind, For};

impl Evaluator<'_> {
    pub(super) fn template(&mut self, parts: &[Expr], scope: &Scope<'_>) -> Value {
        let mut text = String::new();
        let mut marks = Marks::NONE;
        // Nothing before this was unknown, so that it is certain what comes next.
        let mut is_open = true;
        let errors = self.errors();
        for part in parts {
            // Literals after an unknown part are not in the result, so they cost nothing.
            if let ExprKind::Literal(literal) = &part.kind
                && let Some(literal) = literal.as_str()
            {
                if is_open && self.spend_text(literal, part.span) {
                    text.push_str(literal);
                }
                continue;
            }
            // Parts behind an unknown one are evaluated, too, for their errors and marks.
            let value = self.value(part, scope);
            marks |= value.marks();
            // HCL accepts an unknown part of any type, even of one that could never be text.
            if value.is_known() {
                self.append(&value, part.span, is_open.then_some(&mut text));
            } else {
                is_open = false;
            }
        }
        let value = if self.functions.is_bare() && self.failed_since(errors) {
            // Nothing is promised of it.
            Value::unknown(Type::String)
        } else if is_open {
            Value::from(text)
        } else {
            // HCL's unknown string keeps the text before the first unknown part as its prefix.
            let string_prefix = prefix::safe(&text).filter(|prefix| !prefix.is_empty()).map(Into::into);
            let promised = Refinements { string_prefix, ..Refinements::not_null() };
            Value::refined_unknown(Type::String, promised).unwrap_or_else(|_| unknown_not_null(Type::String))
        };
        value.with_marks(marks)
    }

    /// Appends a known value to a text, if there is still one. A value that is not text is left out.
    fn append(&mut self, value: &Value, span: Span, text: Option<&mut String>) {
        const SUMMARY: &str = "Invalid template interpolation value";
        if value.is_null() {
            let detail = "The expression result is null. Cannot include a null value in a string template.";
            return self.error(SUMMARY, span, detail);
        }
        let converted;
        let string = match value.kind() {
            Kind::String(string) => string,
            _ => {
                let string = match value.convert(&Type::String) {
                    Ok(string) => string,
                    Err(error) => {
                        let kind = error.kind;
                        let detail = format!("Cannot include the given value in a string template: {kind}.");
                        return self.error(SUMMARY, span, detail);
                    }
                };
                converted = string;
                converted.as_str().unwrap_or_default()
            }
        };
        if let Some(text) = text
            && self.spend_text(string, span)
        {
            text.push_str(string);
        }
    }

    /// Evaluates a `%{ for }`: joins the texts of all iterations.
    pub(super) fn join(&mut self, parts: &For, whole: Span, scope: &Scope<'_>) -> Value {
        let rounds = self.for_loop(parts, whole, scope);
        let marks = rounds.marks();
        // HCL loses the marks of an unknown collection here.
        let Kind::Tuple(texts) = rounds.kind() else { return unknown_not_null(Type::String) };
        let mut joined = String::new();
        let mut all_marks = marks;
        for text in texts {
            all_marks |= text.marks();
            let Kind::String(text) = text.kind() else {
                // HCL keeps the collection's marks and loses those of the texts.
                return unknown_not_null(Type::String).with_marks(marks);
            };
            if self.spend_text(text, parts.open) {
                joined.push_str(text);
            }
        }
        Value::from(joined).with_marks(all_marks)
    }
}
