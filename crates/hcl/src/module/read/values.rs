//! Arguments that must be literal values.

use objchange::{Type, Value};
use objchange_text::Span;

use super::Reader;
use crate::decode::raw::Content;
use crate::syntax::ast::Expr;

const UNSUITABLE: &str = "Unsuitable value type";

impl Reader<'_> {
    /// The string of an argument, with its place.
    pub(super) fn string(&mut self, content: &Content<'_>, name: &str) -> Option<(String, Span)> {
        let attribute = content.attribute(name)?;
        let value = self.literal(&attribute.expr, &Type::String)?;
        Some((value.as_str()?.to_owned(), attribute.expr.span))
    }

    /// The bool of an argument; `None` if it is not set, or null.
    pub(super) fn bool(&mut self, content: &Content<'_>, name: &str) -> Option<bool> {
        let attribute = content.attribute(name)?;
        self.literal(&attribute.expr, &Type::Bool)?.as_bool()
    }

    fn literal(&mut self, expr: &Expr, ty: &Type) -> Option<Value> {
        let Some(value) = self.constant(|evaluator| evaluator.constant(expr)) else {
            let place = self.start_of(expr);
            self.problems.error(UNSUITABLE, place, "Unsuitable value: value must be known");
            return None;
        };
        let detail = match value.convert(ty) {
            Ok(value) if value.is_null() => "Unsuitable value: null value is not allowed".to_owned(),
            Ok(value) => return Some(value),
            Err(error) => format!("Unsuitable value: {}", error.kind),
        };
        let place = self.start_of(expr);
        self.problems.error(UNSUITABLE, place, detail);
        None
    }
}
