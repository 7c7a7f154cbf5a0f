//! Objects.

use super::arguments::{array, items, object, some};
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::value::{Object, Value};

const O: Types = Types::OBJECT;
const KEYS: Types = Types::OBJECT.or(Types::SET).or(Types::ARRAY);

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("object.get", &[O, Types::ANY, Types::ANY], get),
    Builtin::new("object.keys", &[O], keys),
    Builtin::new("object.remove", &[O, KEYS], |context, o| select(context, o, false)),
    Builtin::new("object.filter", &[O, KEYS], |context, o| select(context, o, true)),
    Builtin::new("object.union", &[O, O], union),
    Builtin::new("object.union_n", &[Types::ARRAY], union_n),
    Builtin::new("object.subset", &[KEYS, KEYS], subset),
    Builtin::new("walk", &[Types::ANY], walk),
];

fn get(_: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let object = object(operands, 0)?;
    let Value::Array(path) = &operands[1] else {
        return some(object.get(&operands[1]).unwrap_or(&operands[2]).clone());
    };
    // In OPA 1.20 an empty path leads to the object itself.
    if path.is_empty() {
        return some(operands[0].clone());
    }
    let mut at = &operands[0];
    for step in path.iter() {
        let next = match at {
            Value::Object(object) => object.get(step),
            Value::Array(array) => array.get(step),
            Value::Set(set) => set.get(step),
            _ => None,
        };
        match next {
            Some(next) => at = next,
            None => return some(operands[2].clone()),
        }
    }
    some(at.clone())
}

fn keys(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let object = object(operands, 0)?;
    context.charge_items(object.len())?;
    some(Value::set(object.keys().cloned().collect::<Vec<_>>()))
}

/// The members whose keys are listed, or the others.
fn select(context: &mut Context<'_>, operands: &[Value], keeps: bool) -> Outcome {
    let object = object(operands, 0)?;
    let listed_items = match &operands[1] {
        Value::Object(listed) => listed.len(),
        _ => items(operands, 1)?.len(),
    };
    context.charge_items(listed_items)?;
    context.charge_items(object.len())?;
    let listed = match &operands[1] {
        Value::Object(listed) => Value::set(listed.keys().cloned().collect::<Vec<_>>()),
        _ => Value::set(items(operands, 1)?),
    };
    let is_listed = |key: &Value| listed.as_set().is_some_and(|listed| listed.contains(key));
    let entries: Vec<_> = object
        .iter()
        .filter(|(key, _)| is_listed(key) == keeps)
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    some(Value::object(entries))
}

fn union(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    some(merge(context, &[object(operands, 0)?, object(operands, 1)?])?)
}

fn union_n(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let mut objects = Vec::new();
    for item in array(operands, 0)? {
        let Some(object) = item.as_object() else {
            let got = format!("array containing {}", item.type_name());
            return Err(super::arguments::mismatch(0, "array of objects", &got));
        };
        objects.push(object);
    }
    some(merge(context, &objects)?)
}

/// Merges objects: objects under one key are merged, and of other values the last one wins.
fn merge(context: &mut Context<'_>, objects: &[&Object]) -> Result<Value, BuiltinError> {
    let count = objects.iter().map(|object| object.len()).fold(0, usize::saturating_add);
    context.charge_items(count.saturating_mul(2))?;
    let mut entries: Vec<&(Value, Value)> = objects.iter().flat_map(|object| object.entries()).collect();
    // The sort is stable, so values of one key stay in order.
    entries.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut merged = Vec::new();
    for of_key in entries.chunk_by(|(a, _), (b, _)| a == b) {
        // In OPA 1.20 a value that is no object hides all before it: `{"a": {"b": 1}}`, `{"a": 1}` and
        // `{"a": {"c": 1}}` become `{"a": {"c": 1}}`.
        let last = of_key.iter().rev().map_while(|(_, value)| value.as_object());
        let mut last: Vec<&Object> = last.collect();
        last.reverse();
        let value = match (&last[..], of_key) {
            ([_, _, ..], _) => merge(context, &last)?,
            (_, [.., (_, value)]) => value.clone(),
            (_, []) => continue,
        };
        merged.push((of_key[0].0.clone(), value));
    }
    Ok(Value::object(merged))
}

fn subset(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let (large, small) = (&operands[0], &operands[1]);
    let answer = match (large, small) {
        (Value::Object(large), Value::Object(small)) => has_members(context, large, small)?,
        (Value::Set(large), Value::Set(small)) => {
            context.charge(small.len())?;
            small.iter().all(|item| large.contains(item))
        }
        (Value::Array(large), Value::Array(small)) => {
            context.charge(large.len() * small.len().max(1))?;
            small.is_empty() || large.items().windows(small.len()).any(|window| window == small.items())
        }
        (Value::Array(large), Value::Set(small)) => {
            context.charge(large.len() + small.len())?;
            let large = crate::value::Set::new(large.items().to_vec());
            small.iter().all(|item| large.contains(item))
        }
        _ => {
            return Err(BuiltinError::wrong_type(
                "both arguments object.subset must be of the same type or array and set",
            ));
        }
    };
    some(answer)
}

fn has_members(context: &mut Context<'_>, large: &Object, small: &Object) -> Result<bool, BuiltinError> {
    context.charge(small.len())?;
    for (key, value) in small.iter() {
        let is_inside = match (large.get(key), value) {
            (None, _) => false,
            (Some(Value::Object(large)), Value::Object(small)) => has_members(context, large, small)?,
            (Some(Value::Set(large)), Value::Set(small)) => small.iter().all(|item| large.contains(item)),
            (Some(Value::Array(large)), Value::Array(small)) => {
                context.charge(large.len() * small.len().max(1))?;
                small.is_empty() || large.items().windows(small.len()).any(|window| window == small.items())
            }
            (Some(other), value) => other == value,
        };
        if !is_inside {
            return Ok(false);
        }
    }
    Ok(true)
}

/// All pairs of path and value, as an array in the order of the walk: the value itself comes first.
fn walk(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let mut pairs = Vec::new();
    collect_pairs(context, &mut Vec::new(), &operands[0], &mut pairs)?;
    some(Value::array(pairs))
}

fn collect_pairs(
    context: &mut Context<'_>,
    path: &mut Vec<Value>,
    value: &Value,
    pairs: &mut Vec<Value>,
) -> Result<(), BuiltinError> {
    context.charge((path.len() + 4) * size_of::<Value>())?;
    pairs.push(Value::array([Value::array(path.clone()), value.clone()]));
    let mut descend = |key: Value, value: &Value| {
        path.push(key);
        collect_pairs(context, path, value, pairs)?;
        path.pop();
        Ok::<(), BuiltinError>(())
    };
    match value {
        Value::Array(array) => {
            for (i, item) in array.iter().enumerate() {
                descend(Value::Number(i.into()), item)?;
            }
        }
        Value::Object(object) => {
            for (key, item) in object.iter() {
                descend(key.clone(), item)?;
            }
        }
        Value::Set(set) => {
            for item in set.iter() {
                descend(item.clone(), item)?;
            }
        }
        _ => {}
    }
    Ok(())
}
