//! Operators.

use std::cmp::Ordering;
use std::rc::Rc;

use super::Machine;
use super::pattern::{self, Pattern};
use crate::syntax::ast::{BinaryOp, UnaryOp};
use crate::value::{
    Done, Key, List, RunErrorKind, SourcePlace, Text, Value, compare_numbers, equal, fault, fault_of,
};

pub(super) fn unary(op: UnaryOp, value: Value) -> Done<Value> {
    Ok(match (op, value) {
        (_, Value::Undefined(place)) => Value::Undefined(place),
        (UnaryOp::Not, Value::Bool(bool)) => Value::Bool(!bool),
        (UnaryOp::Not, other) => return fault(format!("expected a bool, found {}", other.type_name())),
        // Integers wrap around at 64 bits, as in Go.
        (UnaryOp::Minus, Value::Int(int)) => Value::Int(int.wrapping_neg()),
        (UnaryOp::Minus, Value::Float(float)) => Value::Float(-float),
        (UnaryOp::Plus, number @ (Value::Int(_) | Value::Float(_))) => number,
        (_, other) => return fault(format!("expected a number, found {}", other.type_name())),
    })
}

impl Machine<'_> {
    /// Whether the value on top is, or is not, a text of the unit.
    pub(super) fn is_text(&mut self, text: u32, negated: bool) -> Done<()> {
        let text = &self.frame.unit.texts[text as usize];
        if let Some(top) = self.stack.last_mut() {
            let is = match &*top {
                // Equality with undefined is undefined.
                Value::Undefined(_) => return Ok(()),
                Value::String(other) => {
                    self.budget.step(text.0.len() / 64)?;
                    other == text
                }
                _ => false,
            };
            *top = Value::Bool(is != negated);
        }
        Ok(())
    }

    /// The operators that look at both sides.
    pub(super) fn binary(&mut self, op: BinaryOp, left: &Value, right: &Value) -> Done<Value> {
        use BinaryOp as Op;
        if let Value::Undefined(place) = left {
            return Ok(Value::Undefined(*place));
        }
        if let Value::Undefined(place) = right {
            return Ok(Value::Undefined(*place));
        }
        let or_undefined = |result: Result<bool, SourcePlace>, negated: bool| match result {
            Ok(bool) => Value::Bool(bool != negated),
            Err(place) => Value::Undefined(place),
        };
        Ok(match op {
            Op::Equal | Op::NotEqual => {
                or_undefined(equal(left, right, &mut self.budget)?, op == Op::NotEqual)
            }
            Op::Less | Op::LessOrEqual | Op::Greater | Op::GreaterOrEqual => match order(left, right) {
                Compared::Ordered(ordering) => Value::Bool(match op {
                    Op::Less => ordering.is_lt(),
                    Op::LessOrEqual => ordering.is_le(),
                    Op::Greater => ordering.is_gt(),
                    _ => ordering.is_ge(),
                }),
                Compared::NotANumber => Value::Bool(false),
                // Documented: other and mixed types have no order, and the result is undefined instead of
                // an error.
                Compared::Unlike => Value::Undefined(self.here()),
            },
            Op::Contains | Op::NotContains => {
                or_undefined(self.contains(left, right)?, op == Op::NotContains)
            }
            Op::In | Op::NotIn => or_undefined(self.contains(right, left)?, op == Op::NotIn),
            Op::Matches | Op::NotMatches => Value::Bool(self.matches(left, right)? != (op == Op::NotMatches)),
            Op::Xor => match (left, right) {
                (Value::Bool(left), Value::Bool(right)) => Value::Bool(left != right),
                (Value::Bool(_), other) | (other, _) => {
                    return fault(format!("expected a bool, found {}", other.type_name()));
                }
            },
            Op::Add => match (left, right) {
                (Value::String(a), Value::String(b)) => {
                    let length = a.0.len() + b.0.len();
                    self.budget.make_text(length)?;
                    Value::String(Text::from([a.as_bytes(), b.as_bytes()].concat()))
                }
                // `+` makes a new list, while `append` changes the one it is given.
                (Value::List(a), Value::List(b)) => {
                    self.budget.touch(left);
                    self.budget.touch(right);
                    self.budget.make_list(a.len() + b.len())?;
                    let items = [a.items().as_slice(), b.items().as_slice()].concat();
                    Value::List(List::from(items))
                }
                _ => arithmetic(op, left, right)?,
            },
            // The others are compiled to jumps.
            _ => arithmetic(op, left, right)?,
        })
    }

    /// `in keys(…)`.
    pub(super) fn in_keys(&mut self, negated: bool) -> Done<()> {
        let (map, value) = (self.pop(), self.pop());
        let answer = match (&map, &value) {
            (Value::Map(_) | Value::Undefined(_), Value::Undefined(place)) => Value::Undefined(*place),
            (Value::Undefined(place), _) => Value::Undefined(*place),
            // NaN is a key that equals no other.
            (Value::Map(_), Value::Float(float)) if float.is_nan() => Value::Bool(negated),
            (Value::Map(map), value) => {
                let key = Key::from_value(value);
                let found = key.as_ref().and_then(|key| map.find(key));
                if let Some(key) = &key {
                    self.budget.touch_member(map, key, found.as_ref());
                }
                Value::Bool(found.is_some() != negated)
            }
            (other, _) => return fault(format!("expected a map, found {}", other.type_name())),
        };
        self.stack.push(answer);
        Ok(())
    }

    /// Whether a collection contains a value, or the place of the undefined element that leaves this open.
    fn contains(&mut self, collection: &Value, value: &Value) -> Done<Result<bool, SourcePlace>> {
        match (collection, value) {
            (Value::List(list), value) => {
                self.budget.touch(collection);
                let mut result = Ok(false);
                for item in list.items().iter() {
                    match equal(item, value, &mut self.budget)? {
                        Ok(true) => return Ok(Ok(true)),
                        Ok(false) => {}
                        // A later equal element wins over an undefined comparison, like `true` in a chain
                        // of `or`.
                        Err(place) => result = result.and(Err(place)),
                    }
                }
                Ok(result)
            }
            (Value::Map(map), key) => {
                // A value that cannot be a key is in no map.
                let Some(key) = Key::from_value(key) else { return Ok(Ok(false)) };
                let found = map.find(&key);
                self.budget.touch_member(map, &key, found.as_ref());
                Ok(Ok(found.is_some()))
            }
            (Value::String(text), Value::String(part)) => {
                self.budget.step(text.0.len() / 64)?;
                Ok(Ok(pattern::find(text.as_bytes(), part.as_bytes())))
            }
            (Value::String(_), other) => fault(format!("a string cannot contain {}", other.type_name())),
            (other, _) => {
                fault(format!("expected a list, map or string after in, found {}", other.type_name()))
            }
        }
    }

    fn matches(&mut self, text: &Value, pattern: &Value) -> Done<bool> {
        let (Value::String(text), Value::String(pattern)) = (text, pattern) else {
            let other = if matches!(text, Value::String(_)) { pattern } else { text };
            return fault(format!("matches expects two strings, found {}", other.type_name()));
        };
        let compiled = match self.patterns.get(pattern) {
            // A pattern in a quantifier is matched against thousands of resources, and compiling one takes
            // much longer than a match.
            Some(compiled) => Rc::clone(compiled),
            None => {
                self.budget.make(1024 + 64 * pattern.0.len())?;
                let compiled = Rc::new(Pattern::compile(pattern.as_bytes())?);
                self.budget.step(compiled.size / 64)?;
                if self.patterns.len() == MAX_PATTERNS {
                    self.patterns.clear();
                }
                self.patterns.insert(pattern.clone(), Rc::clone(&compiled));
                compiled
            }
        };
        // At worst each byte meets each part of the pattern; a part takes about 32 bytes.
        self.budget.step((text.0.len() / 64).saturating_mul(compiled.size / 128))?;
        Ok(compiled.is_match(text.as_bytes()))
    }
}

/// The answer of a comparison of two integers.
pub(super) fn compared(op: BinaryOp, left: i64, right: i64) -> Option<bool> {
    Some(match op {
        BinaryOp::Equal => left == right,
        BinaryOp::NotEqual => left != right,
        BinaryOp::Less => left < right,
        BinaryOp::LessOrEqual => left <= right,
        BinaryOp::Greater => left > right,
        BinaryOp::GreaterOrEqual => left >= right,
        _ => return None,
    })
}

/// How many compiled patterns are kept; a policy has few.
const MAX_PATTERNS: usize = 64;

/// How two values are ordered.
pub(crate) enum Compared {
    Ordered(Ordering),
    NotANumber,
    Unlike,
}

pub(crate) fn order(left: &Value, right: &Value) -> Compared {
    match (left, right) {
        (Value::String(a), Value::String(b)) => Compared::Ordered(a.cmp(b)),
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            compare_numbers(left, right).map_or(Compared::NotANumber, Compared::Ordered)
        }
        _ => Compared::Unlike,
    }
}

fn arithmetic(op: BinaryOp, left: &Value, right: &Value) -> Done<Value> {
    use BinaryOp as Op;
    if let (Value::Int(a), Value::Int(b)) = (left, right) {
        if *b == 0 && matches!(op, Op::Divide | Op::Remainder) {
            // Only for integers: floats follow IEEE 754, and give an infinity.
            return fault_of(RunErrorKind::DivisionByZero, "division by zero");
        }
        return Ok(Value::Int(match op {
            Op::Add => a.wrapping_add(*b),
            Op::Subtract => a.wrapping_sub(*b),
            Op::Multiply => a.wrapping_mul(*b),
            // The smallest integer divided by -1 is itself, as in Go.
            Op::Divide => a.wrapping_div(*b),
            _ => a.wrapping_rem(*b),
        }));
    }
    let float = |value: &Value| match value {
        Value::Int(int) => Some(*int as f64),
        Value::Float(float) => Some(*float),
        _ => None,
    };
    let (Some(a), Some(b)) = (float(left), float(right)) else {
        let sign = op.describe().1;
        let (left, right) = (left.type_name(), right.type_name());
        return fault(format!("{sign} is not defined for {left} and {right}"));
    };
    Ok(Value::Float(match op {
        Op::Add => a + b,
        Op::Subtract => a - b,
        Op::Multiply => a * b,
        Op::Divide => a / b,
        _ => a % b,
    }))
}
