//! Assumptions of a branch about unknown values.
//!
//! Behind `x == "a"` a branch is only possible, and on it `x` is "a": then `x == "b"` does not hold, and no further doubt
//! is in `x != "c"`.

use super::Machine;
use crate::value::{OperationName, Origin, Types, Unknown, Value};

/// The assumptions of a branch about values, the newest last. Only values with an origin are known again.
#[derive(Debug, Default)]
pub(super) struct Assumptions(Vec<(Origin, Value)>);

/// No more is assumed: each value that is evaluated is compared with all of it.
const MOST: usize = 32;

/// Comparisons that hold where the other one does not.
const OPPOSITES: [(&str, &str); 3] = [("==", "!="), ("<", ">="), (">", "<=")];

impl Assumptions {
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Forgets what has been assumed since there were so many.
    pub(super) fn forget(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// A condition holds, or does not.
    pub(super) fn holds(&mut self, condition: &Unknown, holds: bool) {
        // Other values than `false` hold, too.
        if Types::of(&Value::Unknown(condition.clone())) != Types::BOOLEAN {
            return;
        }
        let Some(origin) = condition.origin() else { return };
        self.add(origin.clone(), Value::Bool(holds));
        let Some((name, operands)) = origin.operation() else { return };
        let opposite = OPPOSITES.iter().find_map(|(one, other)| match name {
            name if name == *one => Some(*other),
            name if name == *other => Some(*one),
            _ => None,
        });
        if let Some(opposite) = opposite
            && let Some(origin) = Origin::of(OperationName::Builtin(opposite), operands)
        {
            self.add(origin, Value::Bool(!holds));
        }
        if let ([left, right], true) = (operands, name == if holds { "==" } else { "!=" }) {
            self.equals(left, right);
        }
    }

    /// Two values are equal.
    pub(super) fn equals(&mut self, left: &Value, right: &Value) {
        match (left, right) {
            // Equal numbers may be written in other ways.
            (Value::Unknown(unknown), known @ (Value::Null | Value::Bool(_) | Value::String(_)))
            | (known @ (Value::Null | Value::Bool(_) | Value::String(_)), Value::Unknown(unknown)) => {
                if let Some(origin) = unknown.origin() {
                    self.add(origin.clone(), known.clone());
                }
            }
            _ => {}
        }
    }

    fn add(&mut self, origin: Origin, value: Value) {
        if self.0.len() < MOST {
            self.0.push((origin, value));
        }
    }

    fn find(&self, value: &Value) -> Option<&Value> {
        let Value::Unknown(unknown) = value else { return None };
        let origin = unknown.origin().filter(|_| !self.0.is_empty())?;
        self.0.iter().rev().find(|(other, _)| other == origin).map(|(_, value)| value)
    }
}

impl Machine<'_> {
    /// The value that this branch assumes of an unknown one.
    pub(super) fn assumed_value(&self, value: &Value) -> Option<Value> {
        self.assumed.find(value).cloned()
    }

    /// Whether this branch assumes something of the result of a call of this function.
    pub(super) fn is_assumed_call(&self, function: &str, result: &Value) -> bool {
        let Value::Unknown(unknown) = result else { return false };
        // A function may also return an argument as it is.
        let is_own = unknown.origin().and_then(Origin::operation).is_some_and(|(name, _)| name == function);
        is_own && self.assumed.find(result).is_some()
    }
}
