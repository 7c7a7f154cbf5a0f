//! Operators.

use std::ops::Range;

use objchange::value::{ArithmeticError, Bound, Kind, Marks, Number};
use objchange::{Type, Value};
use objchange_text::Span;

use super::{Evaluator, Failed, Scope, dynamic, unknown_not_null};
use crate::syntax::ast::{BinaryOp, Chain, Expr, UnaryOp};

const FAILED: &str = "Operation failed";

/// The value of an operand, its source, and its errors.
struct Operand {
    value: Value,
    span: Span,
    errors: Range<usize>,
}

impl Evaluator<'_> {
    pub(super) fn unary(&mut self, op: UnaryOp, operand: &Expr, span: Span, scope: &Scope<'_>) -> Value {
        let ty = match op {
            UnaryOp::Negate => Type::Number,
            UnaryOp::Not => Type::Bool,
        };
        let errors = self.errors();
        let value = self.value(operand, scope);
        let is_fine = !self.failed_since(errors);
        let Ok(value) = self.operand(&value, &ty, operand.span, "unary") else { return Value::unknown(ty) };
        // Null wins over unknown, as in HCL; after an error in the operand it would only be a consequence.
        if value.is_null() && is_fine {
            self.error(FAILED, span, "Error during operation: argument must not be null.");
            return Value::unknown(ty);
        }
        match value.kind() {
            Kind::Number(n) => Value::from(-n).with_marks(value.marks()),
            Kind::Bool(b) => Value::from(!b).with_marks(value.marks()),
            // As in Terraform, the marks of unknown operands are lost here.
            _ => unknown_not_null(ty),
        }
    }

    /// An operand as the operator needs it. The side is `left`, `right` or `unary`.
    fn operand(&mut self, value: &Value, ty: &Type, span: Span, side: &str) -> Result<Value, Failed> {
        if value.ty() == ty {
            return Ok(value.clone());
        }
        value.convert(ty).map_err(|error| {
            let kind = error.kind;
            self.error("Invalid operand", span, format!("Unsuitable value for {side} operand: {kind}."));
            Failed
        })
    }

    /// Operators of one precedence, from left to right.
    pub(super) fn chain(&mut self, chain: &Chain, scope: &Scope<'_>) -> Value {
        // The operators are left-associative, so each result is the next left operand.
        let start = self.errors();
        let value = self.value(&chain.first, scope);
        let mut left = Operand { value, span: chain.first.span, errors: start..self.errors() };
        for (op, right) in &chain.rest {
            let before = self.errors();
            let value = self.value(right, scope);
            let right = Operand { value, span: right.span, errors: before..self.errors() };
            let span = left.span.to(right.span);
            let value = match op {
                BinaryOp::And | BinaryOp::Or if self.functions.needs_both_operands() => {
                    self.logic_of_both(*op == BinaryOp::Or, &left, &right)
                }
                BinaryOp::And | BinaryOp::Or => self.logic(*op == BinaryOp::Or, &left, &right),
                // As in HCL, nothing follows from a failed operand.
                BinaryOp::Equal | BinaryOp::NotEqual
                    if !left.errors.is_empty() || !right.errors.is_empty() =>
                {
                    Value::unknown(Type::Bool)
                }
                BinaryOp::Equal | BinaryOp::NotEqual => {
                    let (a, b) = (&left.value, &right.value);
                    if self.pay_comparison(a, b, span) {
                        equality(*op == BinaryOp::Equal, a, b)
                    } else {
                        dynamic()
                    }
                }
                _ => self.arithmetic(*op, &left, &right),
            };
            left = Operand { value, span, errors: start..self.errors() };
        }
        left.value
    }

    /// Pays for comparing two values: a walk up to their first difference, and one to all marks.
    fn pay_comparison(&mut self, a: &Value, b: &Value, span: Span) -> bool {
        let marks = [a, b].into_iter().all(|value| !value.contains_marked() || self.pay_walk(value, span));
        marks
            && match (a.as_str(), b.as_str()) {
                // Texts of different lengths differ without being read.
                (Some(a), Some(b)) => a.len() != b.len() || self.spend_text(a, span),
                _ if is_scalar(a) || is_scalar(b) => true,
                _ => self.pay_walk(a, span),
            }
    }

    /// Evaluates `&&` or `||`. Both follow one rule with true and false exchanged, except for nulls.
    fn logic(&mut self, is_or: bool, left: &Operand, right: &Operand) -> Value {
        // Both conversions first: their errors stay even if the other operand decides (`false && "abc"`).
        let a = self.operand(&left.value, &Type::Bool, left.span, "left");
        let b = self.operand(&right.value, &Type::Bool, right.span, "right");
        let (Ok(a), Ok(b)) = (a, b) else { return Value::unknown(Type::Bool) };
        let marks = a.marks() | b.marks();
        // A null is as good as false to `&&`, and an error to `||`.
        let decides = |value: &Value| value.as_bool() == Some(is_or) || (!is_or && value.is_null());
        // Short circuit: an operand that decides the result drops the errors of the other one (Terraform 1.12 and
        // later).
        if decides(&a) || decides(&b) {
            let dropped = if decides(&a) { &right.errors } else { &left.errors };
            self.diagnostics.drain(dropped.clone());
            return Value::from(is_or).with_marks(marks);
        }
        // HCL takes a valid unknown on the left as a possible decision, and drops the errors of the right side.
        if !a.is_known() && left.errors.is_empty() {
            self.diagnostics.drain(right.errors.clone());
        }
        if !a.is_known() || !b.is_known() {
            return unknown_not_null(Type::Bool).with_marks(marks);
        }
        if a.is_null() || b.is_null() {
            let span = left.span.to(right.span);
            self.error(FAILED, span, "Error during operation: argument must not be null.");
            return Value::unknown(Type::Bool);
        }
        Value::from(!is_or).with_marks(marks)
    }

    /// Evaluates `&&` and `||` by the rules before Terraform 1.12: an error, null or unknown in either operand is one
    /// in the result.
    fn logic_of_both(&mut self, is_or: bool, left: &Operand, right: &Operand) -> Value {
        let a = self.operand(&left.value, &Type::Bool, left.span, "left");
        let b = self.operand(&right.value, &Type::Bool, right.span, "right");
        let (Ok(a), Ok(b)) = (a, b) else { return Value::unknown(Type::Bool) };
        if !left.errors.is_empty() || !right.errors.is_empty() {
            return Value::unknown(Type::Bool);
        }
        if a.is_null() || b.is_null() {
            let span = left.span.to(right.span);
            self.error(FAILED, span, "Error during operation: argument must not be null.");
            return Value::unknown(Type::Bool);
        }
        let marks = a.marks() | b.marks();
        match (a.as_bool(), b.as_bool()) {
            (Some(a), Some(b)) => Value::from(if is_or { a || b } else { a && b }).with_marks(marks),
            // Without marks in Terraform 1.11.4.
            _ => unknown_not_null(Type::Bool),
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, left: &Operand, right: &Operand) -> Value {
        let compares =
            matches!(op, BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual);
        let ty = || if compares { Type::Bool } else { Type::Number };
        let unknown = || unknown_not_null(ty());
        let a = self.operand(&left.value, &Type::Number, left.span, "left");
        let b = self.operand(&right.value, &Type::Number, right.span, "right");
        let (Ok(a), Ok(b)) = (a, b) else { return Value::unknown(ty()) };
        // A failed operand counts as unknown of the result's type, so that checks of types go on.
        if !left.errors.is_empty() || !right.errors.is_empty() {
            return Value::unknown(ty());
        }
        let marks = a.marks() | b.marks();
        if a.is_null() || b.is_null() {
            let span = left.span.to(right.span);
            self.error(FAILED, span, "Error during operation: argument must not be null.");
            return Value::unknown(ty());
        }
        if compares {
            // HCL compares known bounds and treats them as exclusive, so `x < 1` with x in [1, 5] stays unknown.
            return ordered(op, &a, &b).map_or_else(unknown, Value::from).with_marks(marks);
        }
        let (Kind::Number(x), Kind::Number(y)) = (a.kind(), b.kind()) else {
            return unknown().with_marks(marks);
        };
        // Division by zero is infinity and `5 % 0` is 5; only `0 / 0` fails (`terraform console` 1.11.4).
        let result = match op {
            BinaryOp::Add => x.try_add(y),
            BinaryOp::Subtract => x.try_sub(y),
            BinaryOp::Multiply => x.try_mul(y),
            BinaryOp::Divide => x.try_div(y),
            _ => x.try_rem(y),
        };
        match result {
            Ok(n) => Value::from(n).with_marks(marks),
            Err(error) => {
                let span = left.span.to(right.span);
                let undefined = match op {
                    BinaryOp::Add => "can't compute sum of opposing infinities",
                    BinaryOp::Subtract => "can't subtract infinity from itself",
                    BinaryOp::Multiply => "can't multiply zero by infinity",
                    BinaryOp::Divide => "can't divide zero by zero or infinity by infinity",
                    _ => "can't use modulo with zero and infinity",
                };
                let detail = match error {
                    ArithmeticError::Undefined => format!("Error during operation: {undefined}."),
                    error => format!("Error during operation: {error}."),
                };
                self.error(FAILED, span, detail);
                Value::unknown(ty())
            }
        }
    }
}

fn is_scalar(value: &Value) -> bool {
    value.is_null() || value.ty().is_primitive()
}

fn equality(wanted: bool, a: &Value, b: &Value) -> Value {
    // Marks at any depth decide the result, so all of them go on it.
    let marks = if a.contains_marked() || b.contains_marked() {
        a.marks_deep() | b.marks_deep()
    } else {
        Marks::NONE
    };
    let equal = super::equality::equal(a, b);
    equal.map_or_else(|| unknown_not_null(Type::Bool), |equal| Value::from(equal == wanted)).with_marks(marks)
}

/// Whether numbers are in this order, as far as it can be said: the range of an unknown is taken to exclude its
/// bounds, as in Terraform.
fn ordered(op: BinaryOp, a: &Value, b: &Value) -> Option<bool> {
    let (low_a, high_a) = bounds(a);
    let (low_b, high_b) = bounds(b);
    if let (Kind::Number(a), Kind::Number(b)) = (a.kind(), b.kind()) {
        return Some(match op {
            BinaryOp::Less => a < b,
            BinaryOp::LessEqual => a <= b,
            BinaryOp::Greater => a > b,
            _ => a >= b,
        });
    }
    let below =
        |high: Option<&Number>, low: Option<&Number>| matches!((high, low), (Some(h), Some(l)) if h < l);
    let wants_less = matches!(op, BinaryOp::Less | BinaryOp::LessEqual);
    if below(high_a, low_b) {
        Some(wants_less)
    } else if below(high_b, low_a) {
        Some(!wants_less)
    } else {
        None
    }
}

fn bounds(value: &Value) -> (Option<&Number>, Option<&Number>) {
    fn bound(bound: Option<&Bound>) -> Option<&Number> {
        bound.map(|bound| &bound.value)
    }
    match value.kind() {
        Kind::Number(n) => (Some(n), Some(n)),
        Kind::Unknown(promised) => {
            (bound(promised.number_lower.as_ref()), bound(promised.number_upper.as_ref()))
        }
        _ => (None, None),
    }
}
