//! Functions that make one value of a collection.

use super::arguments::{items, some};
use super::numbers::numbers;
use super::{Builtin, Context, Outcome, Types};
use crate::value::{Number, Value};

const COLLECTION: Types = Types::ARRAY.or(Types::SET);

// Equal numbers may be written differently; the last of them is the minimum and the maximum, as in OPA.
pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("count", &[COLLECTION.or(Types::OBJECT).or(Types::STRING)], count),
    Builtin::new("sum", &[COLLECTION], sum),
    Builtin::new("product", &[COLLECTION], product),
    Builtin::new("max", &[COLLECTION], |_, o| Ok(items(o, 0)?.iter().max().cloned())),
    Builtin::new("min", &[COLLECTION], |_, o| Ok(items(o, 0)?.iter().rev().min().cloned())),
    Builtin::new("sort", &[COLLECTION], sort),
    // In OPA 1.20 `any([])` is false and `all([])` is true. Files in the syntax of OPA 1.x may use both here.
    Builtin::new("any", &[COLLECTION], |_, o| some(items(o, 0)?.contains(&Value::Bool(true)))),
    Builtin::new("all", &[COLLECTION], |_, o| {
        some(items(o, 0)?.iter().all(|item| *item == Value::Bool(true)))
    }),
];

fn count(_: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let count = match &operands[0] {
        Value::String(text) => text.chars().count(),
        Value::Object(object) => object.len(),
        _ => items(operands, 0)?.len(),
    };
    some(Number::from(count))
}

fn sum(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let numbers = numbers(operands, 0)?;
    context.charge(8 * numbers.len())?;
    some(Number::sum(&numbers)?)
}

fn product(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let numbers = numbers(operands, 0)?;
    context.charge(64 * numbers.len())?;
    some(Number::product(&numbers)?)
}

fn sort(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let mut items = items(operands, 0)?.to_vec();
    context.charge(items.len() * size_of::<Value>())?;
    items.sort();
    some(Value::array(items))
}
