//! Arrays.

use super::arguments::{array, int, some};
use super::{Builtin, Context, Outcome, Types};
use crate::value::Value;

const A: Types = Types::ARRAY;

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("array.concat", &[A, A], concat).with_partly_known(),
    Builtin::new("array.reverse", &[A], reverse).with_partly_known(),
    Builtin::new("array.slice", &[A, Types::NUMBER, Types::NUMBER], slice).with_partly_known(),
    Builtin::new("array.flatten", &[A], flatten),
];

fn concat(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let (first, second) = (array(operands, 0)?.items(), array(operands, 1)?.items());
    context.charge_items(first.len() + second.len())?;
    some(Value::array([first, second].concat()))
}

fn reverse(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let items = array(operands, 0)?;
    context.charge_items(items.len())?;
    some(Value::array(items.iter().rev().cloned().collect::<Vec<_>>()))
}

fn slice(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let items = array(operands, 0)?.items();
    let (start, stop) = (int(operands, 1)?, int(operands, 2)?);
    // OPA 1.20 moves bounds into the array: `array.slice([1, 2, 3], -1, 2)` is `[1, 2]`, and a start behind
    // the end gives `[]`.
    let bound = |at: i64| usize::try_from(at.max(0)).unwrap_or(usize::MAX).min(items.len());
    let (start, stop) = (bound(start), bound(stop));
    context.charge_items(stop.saturating_sub(start))?;
    some(Value::array(items.get(start..stop).unwrap_or_default()))
}

fn flatten(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let items = array(operands, 0)?;
    let length = |item: &Value| if let Value::Array(inner) = item { inner.len() } else { 1 };
    let mut flat = Vec::new();
    context.charge_items(items.iter().map(length).fold(0, usize::saturating_add))?;
    for item in items {
        match item {
            // Only one level, as in OPA 1.20: `array.flatten([[1, [2]], 3])` is `[1, [2], 3]`.
            Value::Array(inner) => flat.extend_from_slice(inner.items()),
            _ => flat.push(item.clone()),
        }
    }
    some(Value::array(flat))
}
