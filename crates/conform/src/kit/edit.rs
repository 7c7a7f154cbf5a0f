//! Changes one part of a value.

use std::convert::Infallible;

use objchange::schema::{Attribute, Block, NestedType, NestingMode};
use objchange::value::{Kind, Path};
use objchange::{Type, Value};

/// Changes the part at a path. If there is none, the value stays unchanged.
pub(super) fn edit(value: &Value, path: &str, change: impl Fn(&Value) -> Value) -> Value {
    let Ok(wanted) = path.parse::<Path>() else { return value.clone() };
    let changed = value.transform(|path, part| {
        let is_there = path.depth() == wanted.steps().len() && path.to_path() == wanted;
        Ok::<_, Infallible>(if is_there { change(&part) } else { part })
    });
    match changed {
        Ok(changed) => changed,
        Err(never) => match never {},
    }
}

/// Replaces the value at a path.
pub(super) fn set(value: &Value, path: &str, new: impl Into<Value>) -> Value {
    let new = new.into();
    edit(value, path, |_| new.clone())
}

/// An object without one of its attributes.
pub(super) fn without(value: &Value, name: &str) -> Value {
    match value.kind() {
        Kind::Object(object) => {
            Value::object(object.iter().filter(|(n, _)| *n != name).map(|(n, v)| (n.clone(), v.clone())))
        }
        _ => value.clone(),
    }
}

/// An object with an additional attribute.
pub(super) fn added(value: &Value, name: &str) -> Value {
    let object = value.as_object();
    let members =
        object.iter().flat_map(|object| object.iter()).map(|(name, value)| (name.to_string(), value.clone()));
    Value::object(members.chain([(name.to_owned(), Value::from("surplus"))]))
}

/// Null of the same type.
pub(super) fn null(value: &Value) -> Value {
    Value::null(value.ty().clone())
}

/// Unknown of the same type.
pub(super) fn unknown(value: &Value) -> Value {
    Value::unknown(value.ty().clone())
}

/// A list or set with one more element, which differs from the last.
pub(super) fn longer(value: &Value) -> Value {
    let mut elements = value.as_elements().unwrap_or_default().to_vec();
    if let Some(last) = elements.last() {
        // A set would merge an equal element.
        elements.push(other(last));
    }
    like(value, elements)
}

/// A list or set without its last element.
pub(super) fn shorter(value: &Value) -> Value {
    let mut elements = value.as_elements().unwrap_or_default().to_vec();
    elements.pop();
    like(value, elements)
}

/// A list or set with different elements.
pub(super) fn replaced(value: &Value) -> Value {
    like(value, value.as_elements().unwrap_or_default().iter().map(other).collect())
}

pub(super) fn reversed(value: &Value) -> Value {
    let mut elements = value.as_elements().unwrap_or_default().to_vec();
    elements.reverse();
    like(value, elements)
}

/// A map whose last key is replaced by another.
pub(super) fn rekeyed(value: &Value) -> Value {
    let Some(map) = value.as_map() else { return value.clone() };
    let mut entries: Vec<_> = map.iter().map(|(key, v)| (key.to_string(), v.clone())).collect();
    if let Some((key, _)) = entries.last_mut() {
        *key = "new".into();
    }
    map_like(value, entries)
}

/// A map with one more key.
pub(super) fn more_keys(value: &Value) -> Value {
    let Some(map) = value.as_map() else { return value.clone() };
    let mut entries: Vec<_> = map.iter().map(|(key, v)| (key.to_string(), v.clone())).collect();
    if let Some((_, last)) = entries.last().cloned() {
        entries.push(("new".into(), last));
    }
    map_like(value, entries)
}

/// A map without its last key.
pub(super) fn fewer_keys(value: &Value) -> Value {
    let Some(map) = value.as_map() else { return value.clone() };
    let mut entries: Vec<_> = map.iter().map(|(key, v)| (key.to_string(), v.clone())).collect();
    entries.pop();
    map_like(value, entries)
}

fn map_like(value: &Value, entries: Vec<(String, Value)>) -> Value {
    match value.ty() {
        Type::Map(element) => Value::map((**element).clone(), entries).unwrap_or_else(|_| value.clone()),
        _ => value.clone(),
    }
}

fn like(value: &Value, elements: Vec<Value>) -> Value {
    let made = match value.ty() {
        Type::List(element) => Value::list((**element).clone(), elements),
        Type::Set(element) => Value::set((**element).clone(), elements),
        _ => Ok(Value::tuple(elements)),
    };
    made.unwrap_or_else(|_| value.clone())
}

/// A different value of the same type. In an object, each set attribute gets a different value.
pub(super) fn other(value: &Value) -> Value {
    match value.kind() {
        Kind::String(text) => Value::from(format!("{text}-other")),
        Kind::Number(_) => Value::from(987),
        Kind::Bool(b) => Value::from(!b),
        Kind::Object(object) => Value::object(object.iter().map(|(n, v)| (n.clone(), other(v)))),
        _ => value.clone(),
    }
}

/// A different secret. The text must be unique, because the secrets of one type are hidden in the findings of all
/// types.
pub(super) fn other_secret(value: &Value) -> Value {
    match value.as_str() {
        Some(text) => Value::from(format!("{text}-other-secret")),
        None => other(value),
    }
}

/// Replaces unknown parts as a service might. In nested objects only computed attributes get a value.
pub(super) fn settled(block: &Block, value: &Value) -> Value {
    if value.is_wholly_known() {
        return value.clone();
    }
    let Ok(settled) = value.transform(|path, part| {
        if part.is_known() {
            return Ok::<_, Infallible>(part);
        }
        let nested = block.attribute_by_path(&path.to_path()).and_then(Attribute::nested);
        Ok(nested.map_or_else(|| known(&part), |nested| chosen(nested, &part)))
    });
    settled
}

/// A nested object that is not configured, with the values that the service chooses.
fn chosen(nested: &NestedType, unknown: &Value) -> Value {
    if nested.nesting() != NestingMode::Single {
        return known(unknown);
    }
    let members = nested.attributes().iter().map(|(name, attribute)| {
        let part = Value::unknown(attribute.implied_type().clone());
        let part = match (attribute.computed && !attribute.write_only, attribute.nested()) {
            (false, _) => null(&part),
            (true, Some(nested)) => chosen(nested, &part),
            (true, None) => known(&part),
        };
        (name.clone(), part)
    });
    Value::object(members)
}

/// Some known value of the same type.
pub(super) fn known(value: &Value) -> Value {
    let prefix =
        value.refinements().and_then(|refinements| refinements.string_prefix.clone()).unwrap_or_default();
    let of = |ty: &Type| known(&Value::unknown(ty.clone()));
    match value.ty() {
        Type::String | Type::Dynamic => Value::from(format!("{prefix}settled")),
        Type::Number => Value::from(1),
        Type::Bool => Value::from(true),
        Type::List(element) => empty(Value::list::<Value>((**element).clone(), []), value),
        Type::Set(element) => empty(Value::set::<Value>((**element).clone(), []), value),
        Type::Map(element) => empty(Value::map::<&str, Value>((**element).clone(), []), value),
        Type::Tuple(ty) => Value::tuple(ty.elements().iter().map(of)),
        Type::Object(ty) => Value::object(ty.attributes().iter().map(|(n, ty)| (n.clone(), of(ty)))),
    }
}

fn empty<E>(made: Result<Value, E>, value: &Value) -> Value {
    made.unwrap_or_else(|_| null(value))
}
