//! `lookup` and other access by key.

use objchange::{Type, Value};

use super::{Answer, any, quote, string};
use crate::function::{Function, FunctionError, Functions};

pub(super) fn add(functions: &mut Functions) {
    let parameters = [any("inputMap").unknown().marked(), string("key").unknown().marked()];
    let default = any("default").null().unknown().dynamic().marked();
    functions.insert(
        "lookup",
        Function::typed_by(parameters, result_type, lookup).variadic(default).nullable().glancing(),
    );
}

fn result_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    let default = match &arguments[2..] {
        [] => None,
        [default] => Some(default),
        _ => {
            let count = arguments.len();
            return Err(FunctionError::new(format!("lookup() takes two or three arguments, got {count}")));
        }
    };
    match arguments[0].ty() {
        Type::Object(object) => match (arguments[1].as_str(), default) {
            (None, _) => Ok(Type::Dynamic),
            (Some(key), default) => {
                // An object without the attribute is a mistake in the first argument, but a map without the key is one of
                // the call (Terraform 1.11.4).
                let found = object.attribute(key).or(default.map(Value::ty));
                found.cloned().ok_or_else(|| {
                    FunctionError::argument(0, format!("the given object has no attribute {}", quote(key)))
                })
            }
        },
        // The default takes the type of the elements: `lookup(tomap({a = 1}), "b", "2")` is the number 2 (Terraform
        // 1.11.4).
        Type::Map(element) => match default.map(|default| default.convert(element)) {
            Some(Err(_)) => {
                let message = "the default value must have the same type as the map elements";
                Err(FunctionError::argument(2, message))
            }
            _ => Ok((**element).clone()),
        },
        _ => Err(FunctionError::argument(0, "lookup() requires a map as the first argument")),
    }
}

fn lookup(arguments: &[Value], ty: &Type) -> Answer {
    let (whole, key) = (&arguments[0], &arguments[1]);
    let marks = whole.marks() | key.marks();
    let unknown = || Ok(Value::unknown(ty.clone()).with_marks(marks));
    let Some(key) = key.as_str().filter(|_| whole.is_known()) else { return unknown() };
    if let Some(found) = whole.element(key).or(whole.attribute(key)) {
        return Ok(found.clone().with_marks(marks));
    }
    match arguments.get(2) {
        Some(default) => {
            let default =
                default.convert(ty).map_err(|error| FunctionError::argument(2, error.to_string()))?;
            Ok(default.with_marks(marks))
        }
        None => Err(FunctionError::new(format!("lookup failed to find key {}", quote(key)))),
    }
}
