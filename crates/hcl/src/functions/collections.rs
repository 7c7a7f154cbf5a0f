//! Functions on any collection: length, membership, and whether all or some elements are true.

use objchange::value::{Bound, Kind, Number, Refinements};
use objchange::{Type, Value};
use objchange_text::clusters;

use super::{Answer, any, elements, refined, unknown};
use crate::eval::equality::equal;
use crate::function::{Function, FunctionError, Functions, Parameter};

pub(super) fn add(functions: &mut Functions) {
    let list_of = |element| Parameter::new("list", Type::list(element));
    functions.insert("alltrue", Function::new([list_of(Type::Bool)], Type::Bool, |a, _| Ok(all_true(&a[0]))));
    functions.insert("anytrue", Function::new([list_of(Type::Bool)], Type::Bool, |a, _| Ok(any_true(&a[0]))));
    functions.insert("contains", contains_value(any("value").null()));
    functions.insert(
        "index",
        Function::new([any("list"), any("value")], Type::Number, |a, _| index(&a[0], &a[1])),
    );
    let value = any("value").unknown().dynamic().marked();
    let length = Function::typed_by([value], length_type, |a, _| Ok(length(&a[0])));
    functions.insert("length", length.glancing());
    let one = Function::typed_by([any("list")], one_type, |a, ty| one(&a[0], ty));
    functions.insert("one", one.nullable().glancing());
}

fn contains_value(value: Parameter) -> Function {
    Function::new([any("list"), value], Type::Bool, |a, _| contains(&a[0], &a[1]))
}

/// `contains` as it was before Terraform 1.16.
pub(crate) fn contains_without_null() -> Function {
    contains_value(any("value"))
}

/// A null counts as false. A false decides unless an unknown element comes before it.
fn all_true(list: &Value) -> Value {
    for element in elements(list) {
        // Terraform reads from the left: an unknown before a false hides it.
        if !element.is_known() {
            return unknown(Type::Bool);
        }
        if element.as_bool() != Some(true) {
            return false.into();
        }
    }
    true.into()
}

/// Nulls are ignored. One true decides, even beside unknown elements.
fn any_true(list: &Value) -> Value {
    let mut has_unknown = false;
    for element in elements(list) {
        has_unknown |= !element.is_known();
        if element.as_bool() == Some(true) {
            return true.into();
        }
    }
    if has_unknown { unknown(Type::Bool) } else { false.into() }
}

fn contains(list: &Value, value: &Value) -> Answer {
    let Some(elements) = list.as_elements() else {
        return Err(FunctionError::new("argument must be list, tuple, or set"));
    };
    let mut has_unknown = false;
    for element in elements {
        match equal(element, value) {
            Some(true) => return Ok(true.into()),
            Some(false) => {}
            None => has_unknown = true,
        }
    }
    Ok(if has_unknown { unknown(Type::Bool) } else { false.into() })
}

fn index(list: &Value, value: &Value) -> Answer {
    let (Kind::List(elements) | Kind::Tuple(elements)) = list.kind() else {
        return Err(FunctionError::new("argument must be a list or tuple"));
    };
    if elements.is_empty() {
        return Err(FunctionError::new("cannot search an empty list"));
    }
    for (i, element) in elements.iter().enumerate() {
        match equal(element, value) {
            Some(true) => return Ok(i.into()),
            Some(false) => {}
            // An earlier unknown may turn out to be the first match.
            None => return Ok(unknown(Type::Number)),
        }
    }
    Err(FunctionError::new("item not found"))
}

fn length_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    match arguments[0].ty() {
        Type::Number | Type::Bool => {
            Err(FunctionError::new("argument must be a string, a collection type, or a structural type"))
        }
        // An untyped null.
        Type::Dynamic if arguments[0].is_known() => {
            Err(FunctionError::argument(0, "argument must not be null"))
        }
        _ => Ok(Type::Number),
    }
}

/// Elements and attributes, or what people see as characters.
fn length(value: &Value) -> Value {
    length_of(value).with_marks(value.marks())
}

fn length_of(value: &Value) -> Value {
    match (value.ty(), value.kind()) {
        // The type fixes the length of tuples and objects, even unknown ones.
        (Type::Tuple(tuple), _) => tuple.elements().len().into(),
        (Type::Object(object), _) => object.attributes().len().into(),
        (Type::Dynamic, _) => unknown(Type::Number),
        (Type::String, Kind::Unknown(promised)) => {
            between(promised.string_prefix.as_deref().map_or(0, clusters::count) as u64, None)
        }
        (_, Kind::String(text)) => clusters::count(text).into(),
        (_, Kind::Unknown(promised)) => {
            // go-cty's largest length is that of a Go `int`.
            let upper = promised.length_upper.unwrap_or(i64::MAX as u64);
            between(promised.length_lower.unwrap_or(0), Some(upper))
        }
        // Elements that are not known may turn out equal.
        (_, Kind::Set(set)) if set.len() > 1 && !value.is_wholly_known() => {
            between(1, Some(set.len() as u64))
        }
        _ => value.len().unwrap_or_default().into(),
    }
}

/// An unknown length.
fn between(lower: u64, upper: Option<u64>) -> Value {
    let bound = |n: u64| Bound { value: Number::from(n), inclusive: true };
    let promised = Refinements {
        number_lower: Some(bound(lower)),
        number_upper: upper.map(bound),
        ..Refinements::not_null()
    };
    refined(Type::Number, promised)
}

fn one_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    match arguments[0].ty() {
        Type::List(element) | Type::Set(element) => Ok((**element).clone()),
        Type::Tuple(tuple) => match tuple.elements() {
            [] => Ok(Type::Dynamic),
            [element] => Ok(element.clone()),
            _ => Err(not_one()),
        },
        _ => Err(not_one()),
    }
}

fn not_one() -> FunctionError {
    let message = "must be a list, set, or tuple value with either zero or one elements";
    FunctionError::argument(0, message)
}

fn one(list: &Value, ty: &Type) -> Answer {
    match elements(list) {
        [] => Ok(Value::null(ty.clone())),
        [element] => Ok(element.clone()),
        // The elements may turn out equal: then it is one.
        _ if matches!(list.ty(), Type::Set(_)) && !list.is_wholly_known() => Ok(Value::unknown(ty.clone())),
        _ => Err(not_one()),
    }
}
