//! `json.patch`: JSON Patch (RFC 6902), with sets, whose elements are their own keys.

use super::arguments::{array, mismatch, some};
use super::json_paths::steps;
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::value::{Object, Value};

pub(super) const FAMILY: &[Builtin] = &[Builtin::new("json.patch", &[Types::ANY, Types::ARRAY], patch)];

fn patch(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let mut document = operands[0].clone();
    for operation in array(operands, 1)? {
        let Some(operation) = operation.as_object() else {
            return Err(mismatch(1, "array of JSON-Patch objects", operation.type_name()));
        };
        match apply(context, document, operation)? {
            Some(patched) => document = patched,
            None => return Ok(None),
        }
    }
    some(document)
}

/// The document after one operation; `None` if the operation leads nowhere, which makes the call undefined.
fn apply(
    context: &mut Context<'_>,
    document: Value,
    operation: &Object,
) -> Result<Option<Value>, BuiltinError> {
    let missing = |name: &str| BuiltinError::wrong_type(format!("missing '{name}' attribute"));
    let path = |name: &str| {
        let value = operation.get_str(name).ok_or_else(|| missing(name))?;
        steps(value).ok_or_else(|| {
            BuiltinError::wrong_type(format!("attribute '{name}' must be a string or array of path segments"))
        })
    };
    let name = match operation.get_str("op") {
        None => return Err(missing("op")),
        Some(Value::String(name)) => name,
        Some(_) => return Err(BuiltinError::wrong_type("attribute 'op' must be a string")),
    };
    let value = || operation.get_str("value").cloned().ok_or_else(|| missing("value"));
    let to = path("path")?;
    Ok(match name.as_str() {
        "add" => put(context, document, &to, &value()?, Put::Insert)?,
        "replace" => put(context, document, &to, &value()?, Put::Replace)?,
        "remove" => remove(context, &document, &to)?.map(|(document, _)| document),
        "test" => {
            let value = value()?;
            if find(&document, &to) == Some(&value) { Some(document) } else { None }
        }
        "copy" => {
            let from = path("from")?;
            match find(&document, &from).cloned() {
                Some(value) => put(context, document, &to, &value, Put::Insert)?,
                None => None,
            }
        }
        "move" => {
            let from = path("from")?;
            match remove(context, &document, &from)? {
                Some((rest, value)) => put(context, rest, &to, &value, Put::Insert)?,
                None => None,
            }
        }
        other => {
            return Err(BuiltinError::wrong_type(format!("unrecognized op '{other}'")));
        }
    })
}

/// Whether the value is put in before what is there, or in its place.
#[derive(Clone, Copy, PartialEq)]
enum Put {
    Insert,
    Replace,
}

/// The index that a step names in an array of this length.
fn index(step: &Value, len: usize) -> Option<usize> {
    match step {
        Value::String(text) if text == "-" => Some(len),
        Value::String(text) => {
            let is_canonical = text.bytes().all(|b| b.is_ascii_digit()) && (text.len() == 1 || !text.starts_with('0'));
            if is_canonical { text.parse().ok() } else { None }
        }
        Value::Number(number) => number.as_index(),
        _ => None,
    }
}

fn child<'v>(value: &'v Value, step: &Value) -> Option<&'v Value> {
    match value {
        Value::Object(object) => object.get(step),
        Value::Array(array) => array.items().get(index(step, array.len())?),
        Value::Set(set) => set.get(step),
        _ => None,
    }
}

fn find<'v>(value: &'v Value, path: &[Value]) -> Option<&'v Value> {
    path.iter().try_fold(value, child)
}

fn put(
    context: &mut Context<'_>,
    at: Value,
    path: &[Value],
    value: &Value,
    how: Put,
) -> Result<Option<Value>, BuiltinError> {
    let Some((step, rest)) = path.split_first() else {
        return Ok(Some(value.clone()));
    };
    if !rest.is_empty() {
        let Some(inner) = child(&at, step) else { return Ok(None) };
        let Some(patched) = put(context, inner.clone(), rest, value, how)? else { return Ok(None) };
        return with_child(context, &at, step, Some(patched));
    }
    match &at {
        Value::Object(object) => {
            if how == Put::Replace && !object.contains_key(step) {
                return Ok(None);
            }
            context.charge(48 * object.len())?;
            let mut entries = object.entries().to_vec();
            entries.push((step.clone(), value.clone()));
            Ok(Some(Value::object(entries)))
        }
        Value::Array(array) => {
            let Some(index) = index(step, array.len()) else { return Ok(None) };
            context.charge(24 * array.len())?;
            let mut items = array.items().to_vec();
            match how {
                Put::Insert if index <= items.len() => items.insert(index, value.clone()),
                Put::Replace if index < items.len() => items[index] = value.clone(),
                _ => return Ok(None),
            }
            Ok(Some(Value::array(items)))
        }
        Value::Set(set) => {
            if how == Put::Replace && !set.contains(step) || how == Put::Insert && step != value {
                return Ok(None);
            }
            context.charge(24 * set.len())?;
            let mut items: Vec<_> = set.iter().filter(|item| how == Put::Insert || *item != step).cloned().collect();
            items.push(value.clone());
            Ok(Some(Value::set(items)))
        }
        _ => Ok(None),
    }
}

/// The collection with another child at this step, which exists, or without it.
fn with_child(
    context: &mut Context<'_>,
    at: &Value,
    step: &Value,
    child: Option<Value>,
) -> Result<Option<Value>, BuiltinError> {
    Ok(match at {
        Value::Object(object) => {
            context.charge(48 * object.len())?;
            let mut entries: Vec<_> = object.entries().iter().filter(|(key, _)| key != step).cloned().collect();
            entries.extend(child.map(|child| (step.clone(), child)));
            Some(Value::object(entries))
        }
        Value::Array(array) => {
            context.charge(24 * array.len())?;
            let mut items = array.items().to_vec();
            let Some(index) = index(step, items.len()).filter(|index| *index < items.len()) else { return Ok(None) };
            match child {
                Some(child) => items[index] = child,
                None => {
                    items.remove(index);
                }
            }
            Some(Value::array(items))
        }
        Value::Set(set) => {
            context.charge(24 * set.len())?;
            let mut items: Vec<_> = set.iter().filter(|item| *item != step).cloned().collect();
            items.extend(child);
            Some(Value::set(items))
        }
        _ => None,
    })
}

/// The document without what the path leads to, and that.
fn remove(
    context: &mut Context<'_>,
    at: &Value,
    path: &[Value],
) -> Result<Option<(Value, Value)>, BuiltinError> {
    let Some((step, rest)) = path.split_first() else { return Ok(None) };
    let Some(inner) = child(at, step) else { return Ok(None) };
    let (inner, removed) = if rest.is_empty() {
        (None, inner.clone())
    } else {
        let Some((inner, removed)) = remove(context, inner, rest)? else { return Ok(None) };
        (Some(inner), removed)
    };
    Ok(with_child(context, at, step, inner)?.map(|document| (document, removed)))
}
