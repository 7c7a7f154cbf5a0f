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
    let items = [array(operands, 0)?.items(), array(operands, 1)?.items()].concat();
    context.charge(items.len() * size_of::<Value>())?;
    some(Value::array(items))
}

fn reverse(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let items: Vec<_> = array(operands, 0)?.iter().rev().cloned().collect();
    context.charge(items.len() * size_of::<Value>())?;
    some(Value::array(items))
}

fn slice(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let items = array(operands, 0)?.items();
    let (start, stop) = (int(operands, 1)?, int(operands, 2)?);
    let bound = |at: i64| usize::try_from(at.max(0)).unwrap_or(usize::MAX).min(items.len());
    let (start, stop) = (bound(start), bound(stop));
    context.charge(stop.saturating_sub(start) * size_of::<Value>())?;
    some(Value::array(items.get(start..stop).unwrap_or_default()))
}

fn flatten(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let mut flat = Vec::new();
    for item in array(operands, 0)? {
        match item {
            Value::Array(inner) => flat.extend_from_slice(inner.items()),
            _ => flat.push(item.clone()),
        }
    }
    context.charge(flat.len() * size_of::<Value>())?;
    some(Value::array(flat))
}
