//! Conversion to a type, the first value that there is, and marks.

use objchange::value::{Marks, unify};
use objchange::{Type, Value};

use super::{Answer, any};
use crate::function::{Function, FunctionError, Functions, Parameter};

pub(super) fn add(functions: &mut Functions) {
    for (name, ty) in [
        ("tobool", Type::Bool),
        ("tolist", Type::list(Type::Dynamic)),
        ("tomap", Type::map(Type::Dynamic)),
        ("tonumber", Type::Number),
        ("toset", Type::set(Type::Dynamic)),
        ("tostring", Type::String),
    ] {
        let target = ty.clone();
        let result = move |arguments: &[Value]| match arguments[0].ty().converts_to(&target) {
            true => Ok(target.clone()),
            false => convert(&arguments[0], &target).map(|_| target.clone()),
        };
        let function = Function::typed_by([all("v")], result, |a, ty| convert(&a[0], ty));
        functions.insert(name, function.nullable());
    }
    let vals = any("vals").null().unknown().dynamic();
    for (name, instead) in [("list", "tolist([…])"), ("map", "tomap({…})")] {
        let removed = move |_: &[Value], _: &Type| {
            Err(FunctionError::new(format!("the function is no longer there, write {instead} instead")))
        };
        functions.insert(name, Function::new([], Type::Dynamic, removed).variadic(vals.clone()));
    }
    functions.insert("coalesce", Function::typed_by([], common_type, coalesce).variadic(vals));
    let mut marking = |name, body: fn(&Value) -> Value| {
        let function =
            Function::typed_by([all("value")], |a| Ok(a[0].ty().clone()), move |a, _| Ok(body(&a[0])));
        functions.insert(name, function.nullable().glancing());
    };
    marking("sensitive", |value| value.clone().sensitive());
    marking("nonsensitive", |value| value.unmarked().clone().with_marks(ephemeral_only(value.marks())));
    marking("ephemeralasnull", ephemeral_as_null);
    let is_sensitive = Function::new([all("value")], Type::Bool, |a, _| Ok(is_sensitive(&a[0])));
    functions.insert("issensitive", is_sensitive.nullable().glancing());
}

/// A parameter that takes whatever there is.
fn all(name: &'static str) -> Parameter {
    any(name).null().unknown().dynamic().marked()
}

/// Of what is not known nothing is promised any more.
fn convert(value: &Value, ty: &Type) -> Answer {
    if !value.is_known() && value.ty().converts_to(ty) {
        return Ok(Value::unknown(ty.clone()).with_marks(value.marks()));
    }
    value.convert(ty).map_err(|error| FunctionError::argument(0, error.to_string()))
}

fn common_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    if arguments.is_empty() {
        return Err(FunctionError::new("at least one argument is required"));
    }
    unify(arguments.iter().map(Value::ty)).ok_or(FunctionError::new("the arguments must have one type"))
}

fn coalesce(arguments: &[Value], ty: &Type) -> Answer {
    for argument in arguments {
        if !argument.is_known() {
            return Ok(Value::unknown(ty.clone()));
        }
        if argument.is_null() || argument.as_str() == Some("") && *ty == Type::String {
            continue;
        }
        return argument.convert(ty).map_err(|error| FunctionError::new(error.to_string()));
    }
    Err(FunctionError::new("every argument is null or an empty string"))
}

fn ephemeral_only(marks: Marks) -> Marks {
    if marks.contains(Marks::EPHEMERAL) { Marks::EPHEMERAL } else { Marks::NONE }
}

fn is_sensitive(value: &Value) -> Value {
    match value.marks().contains(Marks::SENSITIVE) {
        false if !value.is_known() => Value::unknown(Type::Bool),
        is_marked => is_marked.into(),
    }
}

fn ephemeral_as_null(value: &Value) -> Value {
    let replaced = value.transform(|_, part: Value| {
        let marks = part.marks();
        if !marks.contains(Marks::EPHEMERAL) {
            return Ok::<_, std::convert::Infallible>(part);
        }
        let ty = part.ty().clone();
        let replaced = if part.is_known() { Value::null(ty) } else { Value::unknown(ty) };
        let others = if marks.contains(Marks::SENSITIVE) { Marks::SENSITIVE } else { Marks::NONE };
        Ok(replaced.with_marks(others))
    });
    match replaced {
        Ok(value) => value,
        Err(never) => match never {},
    }
}
