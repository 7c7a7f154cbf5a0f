//! Checks selectors and calls.

use std::sync::Arc;

use objchange_text::Span;

use super::LintKind;
use super::kinds::Walk;
use super::shape::{Fields, Inside, Kinds, Shape};
use crate::imports;
use crate::run::Setup;
use crate::syntax::ast::{Expr, ExprKind, Postfix, PostfixPart, PostfixPartKind};
use crate::value::Value;

impl Walk<'_> {
    pub(super) fn postfix(&mut self, postfix: &Postfix) -> Shape {
        let builtin = self.builtin(&postfix.base);
        let mut shape = match builtin {
            Some(_) => Shape::ANY,
            None => self.expression(&postfix.base),
        };
        for (index, part) in postfix.parts.iter().enumerate() {
            shape = match (&part.kind, builtin) {
                (PostfixPartKind::Call(arguments), Some(name)) if index == 0 => {
                    self.call_builtin(name, arguments)
                }
                _ => self.part(&shape, part),
            };
        }
        shape
    }

    fn part(&mut self, shape: &Shape, part: &PostfixPart) -> Shape {
        match &part.kind {
            PostfixPartKind::Selector(name) => self.member(shape, name, part.span),
            PostfixPartKind::Index(Expr { kind: ExprKind::String(key), span }) => {
                match std::str::from_utf8(key) {
                    Ok(key) if !shape.kinds.is_only(Kinds::LIST.or(Kinds::STRING)) => {
                        self.member(shape, key, *span)
                    }
                    _ => {
                        self.indexed(shape, &Shape::STRING, *span);
                        Shape::ANY
                    }
                }
            }
            PostfixPartKind::Index(index) => {
                let key = self.expression(index);
                self.indexed(shape, &key, index.span)
            }
            PostfixPartKind::Slice(low, high) => {
                for bound in low.iter().chain(high) {
                    self.expression(bound);
                }
                shape.clone().or_undefined()
            }
            PostfixPartKind::Call(arguments) => {
                arguments.iter().for_each(|argument| {
                    self.expression(argument);
                });
                Shape::ANY
            }
        }
    }

    /// The shape under a known key.
    fn member(&mut self, shape: &Shape, name: &str, span: Span) -> Shape {
        if let Some(fields) = shape.has_fields() {
            if let Some(field) = fields.field(name) {
                return field;
            }
            let names = fields.names();
            let help = self.found.suggest(name, names.iter().map(String::as_str));
            self.found.add_with_help(LintKind::UnknownMember, span, fields.missing(name), help);
            return Shape::ANY;
        }
        let scalar = Kinds::BOOL.or(Kinds::NUMBER).or(Kinds::STRING);
        let there = Shape::new(shape.kinds.without(Kinds::NULL.or(Kinds::UNDEFINED)));
        if there.kinds.is_only(scalar.or(Kinds::LIST)) {
            let help = there.kinds.is_only(Kinds::LIST).then(|| "[0] is its first element".to_owned());
            let message = format!("{there} has no {name}: this is always undefined");
            self.found.add_with_help(LintKind::UnknownMember, span, message, help);
            return Shape::ANY;
        }
        match shape.inside.as_deref() {
            Some(Inside::Elements(values)) if shape.kinds.is_only(Kinds::MAP.or(Kinds::NULL)) => {
                values.clone().or_missing()
            }
            _ => Shape::ANY,
        }
    }

    /// The shape under an unknown key or index.
    fn indexed(&mut self, shape: &Shape, key: &Shape, span: Span) -> Shape {
        if shape.kinds.is_only(Kinds::LIST.or(Kinds::STRING))
            && key.kinds.is_only(Kinds::STRING.or(Kinds::BOOL))
        {
            let message = format!("the index of {} is a number, not {key}", Shape::new(shape.kinds));
            self.found.add(LintKind::WrongOperand, span, message);
        }
        match shape.inside.as_deref() {
            Some(Inside::Elements(values)) => values.clone().or_undefined(),
            _ => Shape::ANY,
        }
    }

    fn call_builtin(&mut self, name: &str, arguments: &[Expr]) -> Shape {
        let shapes: Vec<Shape> = arguments.iter().map(|argument| self.expression(argument)).collect();
        let collection = Kinds::LIST.or(Kinds::MAP);
        let (allowed, what, result) = match name {
            "length" => {
                let allowed = collection.or(Kinds::STRING).or(Kinds::NULL);
                (allowed, "only a string, a list or a map has a length", Shape::MAYBE_NUMBER)
            }
            "keys" => (Kinds::MAP, "only a map has keys", Shape::MAYBE_LIST),
            "values" => (Kinds::MAP, "only a map has values", Shape::MAYBE_LIST),
            "append" => (Kinds::LIST, "append needs a list", Shape::UNDEFINED),
            "delete" => (Kinds::MAP, "delete needs a map", Shape::UNDEFINED),
            "range" => return Shape::list(Shape::NUMBER).or_undefined(),
            "compare" | "int" | "float" => return Shape::MAYBE_NUMBER,
            "string" => return Shape::MAYBE_STRING,
            "bool" => return Shape::MAYBE_BOOL,
            "print" => return Shape::BOOL,
            _ => return Shape::ANY,
        };
        if let (Some(argument), Some(shape)) = (arguments.first(), shapes.first()) {
            self.needs(allowed, shape, argument, what);
        }
        result
    }
}

/// The shape of a standard import.
pub(super) fn standard(path: &str) -> Shape {
    match imports::standard(path) {
        Some(_) => Shape::fields(Arc::new(Standard(path.to_owned()))),
        None => Shape::ANY,
    }
}

/// The members of a standard import.
#[derive(Debug)]
struct Standard(String);

impl Fields for Standard {
    fn field(&self, name: &str) -> Option<Shape> {
        let member = imports::standard(&self.0)?;
        // Members of the standard imports do not depend on the setup, except for the value of `now`.
        Some(match member(&Setup::default(), name)? {
            Value::Int(_) | Value::Float(_) => Shape::NUMBER,
            Value::String(_) => Shape::STRING,
            _ => Shape::FUNCTION,
        })
    }

    fn names(&self) -> Vec<String> {
        imports::names(&self.0).into_iter().map(str::to_owned).collect()
    }

    fn missing(&self, name: &str) -> String {
        format!("the import {} has no {name}", self.0)
    }
}
