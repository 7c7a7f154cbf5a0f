//! `json.patch`: JSON Patch (RFC 6902), with sets, whose elements are their own keys.

use super::arguments::{array, mismatch, some};
use super::json_paths::steps;
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::value::{Object, Value};

pub(super) const FAMILY: &[Builtin] = &[Builtin::new("json.patch", &[Types::ANY, Types::ARRAY], patch)];

type Patched = Result<Value, BuiltinError>;

fn patch(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let operations: Option<Vec<_>> = array(operands, 1)?.iter().map(Value::as_object).collect();
    let Some(operations) = operations else {
        return Err(fail(
            "must be an array of JSON-Patch objects, but at least one element is not an object",
        ));
    };
    let mut document = operands[0].clone();
    for operation in operations {
        document = apply(context, &document, operation)?;
    }
    some(document)
}

fn fail(message: impl Into<String>) -> BuiltinError {
    BuiltinError::failed(message)
}

/// The document after one operation.
fn apply(context: &mut Context<'_>, document: &Value, operation: &Object) -> Patched {
    let attribute = |name: &str| {
        operation.get_str(name).ok_or_else(|| fail(format!("missing required attribute '{name}'")))
    };
    let path = |name: &str| {
        let path = attribute(name)?;
        steps(path).ok_or_else(|| {
            let want = "one of {set, array} containing string paths or array of path segments";
            mismatch(1, want, path.type_name())
        })
    };
    let Value::String(name) = attribute("op")? else {
        let got = attribute("op")?.type_name();
        return Err(fail(format!("attribute 'op' must be a string but found: {got}")));
    };
    let to = path("path")?;
    match name.as_str() {
        "add" => insert(context, document, &to, attribute("value")?),
        "replace" if to.is_empty() => attribute("value").cloned(),
        "replace" => {
            let (rest, _) = remove(context, document, &to)?;
            insert(context, &rest, &to, attribute("value")?)
        }
        "remove" => remove(context, document, &to).map(|(document, _)| document),
        "test" => {
            if find(document, &to)? == attribute("value")? {
                Ok(document.clone())
            } else {
                Err(fail("value of the document does not equal the value of the operation 'test'"))
            }
        }
        "copy" => {
            let value = find(document, &path("from")?)?.clone();
            insert(context, document, &to, &value)
        }
        "move" => {
            let (rest, value) = remove(context, document, &path("from")?)?;
            insert(context, &rest, &to, &value)
        }
        other => Err(fail(format!("unrecognized op: '{other}'"))),
    }
}

/// The index that a step names in an array of this length.
fn index(step: &Value, len: usize) -> Result<usize, BuiltinError> {
    let index = match step {
        Value::String(text) if text == "-" => return Ok(len),
        Value::String(text) if text.len() > 1 && text.starts_with('0') => {
            return Err(fail("leading zeros are not allowed in JSON paths"));
        }
        Value::String(text) if text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok(),
        Value::Number(number) => number.as_index(),
        _ => None,
    };
    index.ok_or_else(|| fail("the index of an array must be a number"))
}

/// The part of a collection that a step leads to.
fn child<'v>(value: &'v Value, step: &Value) -> Result<&'v Value, BuiltinError> {
    let found = match value {
        Value::Object(object) => object.get(step),
        Value::Array(array) => array.items().get(index(step, array.len())?),
        Value::Set(set) => set.get(step),
        _ => return Err(fail(format!("expected composite type, found {}", value.type_name()))),
    };
    found.ok_or_else(|| fail(format!("path {step} does not exist in {} term", value.type_name())))
}

fn find<'v>(value: &'v Value, path: &[Value]) -> Result<&'v Value, BuiltinError> {
    path.iter().try_fold(value, child)
}

fn insert(context: &mut Context<'_>, at: &Value, path: &[Value], value: &Value) -> Patched {
    let Some((step, rest)) = path.split_first() else {
        return Ok(value.clone());
    };
    if !rest.is_empty() {
        let inner = insert(context, child(at, step)?, rest, value)?;
        return with_child(context, at, step, Some(inner));
    }
    match at {
        Value::Object(object) => {
            context.charge(48 * object.len())?;
            let mut entries = object.entries().to_vec();
            entries.push((step.clone(), value.clone()));
            Ok(Value::object(entries))
        }
        Value::Array(array) => {
            let index = index(step, array.len())?;
            if index > array.len() {
                return Err(fail("index for array insertion out of bounds"));
            }
            context.charge(24 * array.len())?;
            let mut items = array.items().to_vec();
            items.insert(index, value.clone());
            Ok(Value::array(items))
        }
        Value::Set(_) if step != value => Err(fail("set key does not equal value to be inserted")),
        Value::Set(set) => {
            context.charge(24 * set.len())?;
            let mut items = set.items().to_vec();
            items.push(value.clone());
            Ok(Value::set(items))
        }
        _ => Err(fail(format!("expected composite type, found {}", at.type_name()))),
    }
}

/// The collection with another child at this step, which exists, or without it.
fn with_child(context: &mut Context<'_>, at: &Value, step: &Value, child: Option<Value>) -> Patched {
    match at {
        Value::Object(object) => {
            context.charge(48 * object.len())?;
            let mut entries: Vec<_> =
                object.entries().iter().filter(|(key, _)| key != step).cloned().collect();
            entries.extend(child.map(|child| (step.clone(), child)));
            Ok(Value::object(entries))
        }
        Value::Array(array) => {
            context.charge(24 * array.len())?;
            let mut items = array.items().to_vec();
            let index = index(step, items.len())?;
            match child {
                Some(child) if index < items.len() => items[index] = child,
                None if index < items.len() => {
                    items.remove(index);
                }
                _ => return Err(fail("index for array delete out of bounds")),
            }
            Ok(Value::array(items))
        }
        Value::Set(set) => {
            context.charge(24 * set.len())?;
            let mut items: Vec<_> = set.iter().filter(|item| *item != step).cloned().collect();
            items.extend(child);
            Ok(Value::set(items))
        }
        _ => Err(fail(format!("expected composite type, found {}", at.type_name()))),
    }
}

/// The document without what the path leads to, and that.
fn remove(context: &mut Context<'_>, at: &Value, path: &[Value]) -> Result<(Value, Value), BuiltinError> {
    let Some((step, rest)) = path.split_first() else {
        return Err(fail("the whole document cannot be removed"));
    };
    let inner = child(at, step)?;
    let (inner, removed) = if rest.is_empty() {
        (None, inner.clone())
    } else {
        let (inner, removed) = remove(context, inner, rest)?;
        (Some(inner), removed)
    };
    Ok((with_child(context, at, step, inner)?, removed))
}
