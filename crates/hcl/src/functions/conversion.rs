//! Functions for conversion to a type, for the first usable value, and for marks.

use objchange::value::{ConvertErrorKind, Marks, ParseNumberError, unify};
use objchange::{Type, Value};

use super::{Answer, any, quote};
use crate::function::{Function, FunctionError, Functions, Parameter};

pub(super) fn add(functions: &mut Functions) {
    for (name, ty, wanted) in [
        ("tobool", Type::Bool, "bool"),
        ("tolist", Type::list(Type::Dynamic), "list of any single type"),
        ("tomap", Type::map(Type::Dynamic), "map of any single type"),
        ("tonumber", Type::Number, "number"),
        ("toset", Type::set(Type::Dynamic), "set of any single type"),
        ("tostring", Type::String, "string"),
    ] {
        let target = ty.clone();
        // Terraform checks the type of an unknown argument, too: a conversion that can never work fails before apply.
        let result = move |arguments: &[Value]| match arguments[0].ty().converts_to(&target) {
            true => Ok(target.clone()),
            false => convert(&arguments[0], &target, wanted).map(|_| target.clone()),
        };
        let function = Function::typed_by([all("v")], result, move |a, ty| convert(&a[0], ty, wanted));
        functions.insert(name, function.nullable());
    }
    let vals = any("vals").null().unknown().dynamic();
    // Terraform still declares both, to name the replacement.
    for (name, instead) in [("list", "tolist([ ... ])"), ("map", "tomap({ ... })")] {
        let removed = move |_: &[Value], _: &Type| {
            Err(FunctionError::new(format!(
                "the \"{name}\" function was deprecated in Terraform v0.12 and is no longer available; use {instead} \
                 syntax to write a literal {name}"
            )))
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

/// Converts an unknown value without keeping its refinements.
fn convert(value: &Value, ty: &Type, wanted: &str) -> Answer {
    if !value.is_known() && value.ty().converts_to(ty) {
        return Ok(Value::unknown(ty.clone()).with_marks(value.marks()));
    }
    value.convert(ty).map_err(|error| FunctionError::argument(0, refusal(value, wanted, &error.kind)))
}

/// The reason why a value cannot be converted. It may quote a text.
fn refusal(value: &Value, wanted: &str, error: &ConvertErrorKind) -> String {
    let text = || quote(value.as_str().unwrap_or_default());
    match error {
        ConvertErrorKind::NotANumber(ParseNumberError::Empty | ParseNumberError::NotANumber) => format!(
            "cannot convert {} to number; given string must be a decimal representation of a number",
            text()
        ),
        ConvertErrorKind::NotABool { .. } => {
            format!("cannot convert {} to bool; only the strings \"true\" or \"false\" are allowed", text())
        }
        // These are limits of ours.
        ConvertErrorKind::NotANumber(_) | ConvertErrorKind::TooComplex => error.to_string(),
        _ => format!("cannot convert {} to {wanted}", value.ty().friendly_name()),
    }
}

fn common_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    let common = if arguments.is_empty() { None } else { unify(arguments.iter().map(Value::ty)) };
    common.ok_or(FunctionError::new("all arguments must have the same type"))
}

fn coalesce(arguments: &[Value], ty: &Type) -> Answer {
    for argument in arguments {
        if !argument.is_known() {
            return Ok(Value::unknown(ty.clone()));
        }
        // Only an empty string is skipped, an empty list is an answer: `coalesce([], ["a"])` is `[]` (Terraform 1.11.4).
        if argument.is_null() || argument.as_str() == Some("") && *ty == Type::String {
            continue;
        }
        return argument.convert(ty).map_err(|error| FunctionError::new(error.to_string()));
    }
    Err(FunctionError::new("no non-null, non-empty-string arguments"))
}

fn ephemeral_only(marks: Marks) -> Marks {
    marks.without(Marks::SENSITIVE)
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
        Ok(replaced.with_marks(marks.without(Marks::EPHEMERAL)))
    });
    match replaced {
        Ok(value) => value,
        Err(never) => match never {},
    }
}
