//! Functions on maps and objects: keys, values, merging.

use std::collections::BTreeMap;

use objchange::value::{Kind, Marks};
use objchange::{Type, Value};
use smol_str::SmolStr;

use super::{Answer, any, elements, unknown};
use crate::function::{Function, FunctionError, Functions, Parameter};

pub(super) fn add(functions: &mut Functions) {
    let map = any("inputMap").unknown().marked();
    functions.insert("keys", Function::typed_by([map], keys_type, |a, ty| keys(&a[0], ty)));
    functions.insert(
        "values",
        Function::typed_by([any("mapping").marked()], values_type, |a, ty| values(&a[0], ty)),
    );
    let maps = any("maps").null().dynamic().marked();
    functions.insert("merge", Function::typed_by([], merged_type, merge).variadic(maps));
    let lists = Type::map(Type::list(Type::String));
    functions.insert("transpose", Function::new([Parameter::new("values", lists.clone())], lists, transpose));
    let parameters = [Parameter::new("keys", Type::list(Type::String)).marked(), any("values").marked()];
    functions.insert("zipmap", Function::typed_by(parameters, zipped_type, zip_map));
}

fn keys_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    match arguments[0].ty() {
        Type::Map(_) => Ok(Type::list(Type::String)),
        Type::Object(object) => Ok(Type::tuple(object.attributes().iter().map(|_| Type::String))),
        _ => Err(FunctionError::argument(0, "must have map or object type")),
    }
}

/// The names of attributes are known with the type.
fn keys(map: &Value, ty: &Type) -> Answer {
    let keys = match (map.ty(), map.kind()) {
        (Type::Object(object), _) => Value::tuple(object.attributes().iter().map(|(name, _)| name.clone())),
        (_, Kind::Map(map)) => Value::list(Type::String, map.iter().map(|(key, _)| key.clone()))?,
        _ => unknown(ty.clone()),
    };
    Ok(keys.with_marks(map.marks()))
}

fn values_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    match arguments[0].ty() {
        Type::Map(element) => Ok(Type::list((**element).clone())),
        Type::Object(object) => Ok(Type::tuple(object.attributes().iter().map(|(_, ty)| ty.clone()))),
        _ => Err(FunctionError::new("values() requires a map as the first argument")),
    }
}

fn values(map: &Value, ty: &Type) -> Answer {
    let values = match (map.kind(), ty.element()) {
        (Kind::Map(map), Some(element)) => Value::list(element.clone(), map.iter().map(|(_, value)| value))?,
        (Kind::Object(object), _) => Value::tuple(object.values()),
        _ => unknown(ty.clone()),
    };
    Ok(values.with_marks(map.marks()))
}

/// The common type if there is one, or else an object of all attributes and elements.
fn merged_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    let Some(first) = arguments.first() else { return Ok(Type::object::<SmolStr>([])) };
    let has_unknown = arguments.iter().any(|argument| !argument.is_known());
    // Then nothing else is checked, not even arguments that cannot be merged.
    if has_unknown && arguments.iter().any(|argument| *argument.ty() == Type::Dynamic) {
        return Ok(Type::Dynamic);
    }
    let is_map = |argument: &Value| matches!(argument.ty(), Type::Map(_) | Type::Object(_) | Type::Dynamic);
    if let Some(other) = arguments.iter().find(|argument| !is_map(argument)) {
        let found = other.ty().friendly_name();
        return Err(FunctionError::new(format!("arguments must be maps or objects, got {found:?}")));
    }
    // The types of nulls count, too: an untyped null makes the result an object (HCL 2.24).
    if *first.ty() != Type::Dynamic && arguments.iter().all(|argument| argument.ty() == first.ty()) {
        return Ok(first.ty().clone());
    }
    // An unknown map may have any keys. An unknown object has those of its type.
    let is_open = |argument: &Value| !argument.is_known() && !matches!(argument.ty(), Type::Object(_));
    if arguments.iter().any(is_open) {
        return Ok(Type::Dynamic);
    }
    let mut all: BTreeMap<SmolStr, Type> = BTreeMap::new();
    for argument in arguments.iter().filter(|argument| !argument.is_null()) {
        match (argument.ty(), argument.kind()) {
            (Type::Object(object), _) => all.extend(object.attributes().iter().cloned()),
            (_, Kind::Map(map)) => {
                all.extend(map.iter().map(|(key, value)| (key.clone(), value.ty().clone())));
            }
            _ => {}
        }
    }
    Ok(Type::object(all))
}

fn merge(arguments: &[Value], ty: &Type) -> Answer {
    let mut marks = Marks::NONE;
    let mut all: BTreeMap<SmolStr, Value> = BTreeMap::new();
    for argument in arguments {
        match argument.kind() {
            Kind::Map(map) => all.extend(map.iter().map(|(key, value)| (key.clone(), value.clone()))),
            Kind::Object(object) => {
                all.extend(object.iter().map(|(name, value)| (name.clone(), value.clone())));
            }
            _ => continue,
        }
        // Marks of null arguments are lost, as in HCL 2.24.
        marks |= argument.marks();
    }
    let merged = match ty {
        Type::Map(element) => Value::map((**element).clone(), all)?,
        _ => Value::object(all),
    };
    Ok(merged.with_marks(marks))
}

fn transpose(arguments: &[Value], ty: &Type) -> Answer {
    let Some(map) = arguments[0].as_map().filter(|_| arguments[0].is_wholly_known()) else {
        return Ok(unknown(ty.clone()));
    };
    let mut all: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (key, list) in map.iter() {
        if list.is_null() {
            return Err(FunctionError::new("input must not contain null list"));
        }
        for element in elements(list) {
            let element =
                element.as_str().ok_or(FunctionError::new("input list must not contain null string"))?;
            all.entry(element).or_default().push(key);
        }
    }
    let lists = all.into_iter().map(|(key, list)| Ok((key, Value::list(Type::String, list)?)));
    Ok(Value::map(Type::list(Type::String), lists.collect::<Result<Vec<_>, FunctionError>>()?)?)
}

fn zipped_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    let (keys, values) = (&arguments[0], &arguments[1]);
    match values.ty() {
        Type::List(element) => Ok(Type::map((**element).clone())),
        Type::Tuple(tuple) if keys.is_known() && keys_known(keys) => {
            let keys = zipped_keys(keys, tuple.elements().len())?;
            Ok(Type::object(std::iter::zip(keys, tuple.elements().iter().cloned())))
        }
        Type::Tuple(_) => Ok(Type::Dynamic),
        _ => Err(FunctionError::new("values argument must be a list or tuple value")),
    }
}

fn keys_known(keys: &Value) -> bool {
    elements(keys).iter().all(Value::is_known)
}

fn zipped_keys(keys: &Value, values: usize) -> Result<Vec<SmolStr>, FunctionError> {
    let keys = elements(keys);
    if keys.len() != values {
        let keys = keys.len();
        let message = format!("number of keys ({keys}) does not match number of values ({values})");
        return Err(FunctionError::new(message));
    }
    let text = |(i, key): (usize, &Value)| {
        let text = key.as_str().map(SmolStr::from);
        text.ok_or_else(|| FunctionError::new(format!("keys list has null value at index {i}")))
    };
    keys.iter().enumerate().map(text).collect()
}

fn zip_map(arguments: &[Value], ty: &Type) -> Answer {
    let (keys, values) = (&arguments[0], &arguments[1]);
    let list = elements(values);
    let marks = keys.marks() | values.marks();
    if !keys_known(keys) {
        return Ok(unknown(ty.clone()).with_marks(marks));
    }
    let marks = elements(keys).iter().fold(marks, |marks, key| marks | key.marks());
    let entries = std::iter::zip(zipped_keys(keys, list.len())?, list.iter().cloned());
    let zipped = match ty {
        Type::Map(element) => Value::map((**element).clone(), entries)?,
        _ => Value::object(entries),
    };
    Ok(zipped.with_marks(marks))
}
