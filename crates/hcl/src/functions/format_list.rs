//! `formatlist`: `format` once for each element of lists.

use objchange::value::Kind;
use objchange::{Type, Value};

use super::limits::check_text;
use super::verbs::formatted;
use super::{Answer, any, string, text, unknown};
use crate::function::{Function, FunctionError, Functions};

pub(super) fn add(functions: &mut Functions) {
    let format = Function::new([string("format")], Type::list(Type::String), format_list);
    functions.insert("formatlist", format.variadic(any("args").null().unknown().dynamic()));
}

/// The elements of an argument that is gone through, and not the same every time.
fn elements(argument: &Value) -> Option<&[Value]> {
    match argument.kind() {
        Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => Some(elements),
        _ => None,
    }
}

fn format_list(arguments: &[Value], ty: &Type) -> Answer {
    let (format, arguments) = (text(arguments, 0), &arguments[1..]);
    let mut length = None;
    let mut has_unknown = false;
    for (i, argument) in arguments.iter().enumerate() {
        let is_list = matches!(argument.ty(), Type::List(_) | Type::Set(_) | Type::Tuple(_) | Type::Dynamic);
        has_unknown |= !argument.is_known() && is_list;
        has_unknown |= matches!(argument.ty(), Type::Set(_)) && !argument.is_wholly_known();
        let Some(elements) = elements(argument) else { continue };
        match length {
            Some(length) if length != elements.len() => {
                return Err(FunctionError::argument(
                    i + 1,
                    format!("this list has {} elements, and one before it {length}", elements.len()),
                ));
            }
            _ => length = Some(elements.len()),
        }
    }
    if has_unknown {
        return Ok(unknown(ty.clone()));
    }
    let mut lines = Vec::new();
    let mut bytes = 0;
    for i in 0..length.unwrap_or(1) {
        let of = |argument: &Value| {
            elements(argument).and_then(|elements| elements.get(i)).unwrap_or(argument).clone()
        };
        let values: Vec<Value> = arguments.iter().map(of).collect();
        if !values.iter().all(Value::is_wholly_known) {
            lines.push(unknown(Type::String));
            continue;
        }
        let (line, needed) = formatted(format, &values)?;
        if needed < values.len() {
            return Err(FunctionError::new(format!("the format needs {needed} arguments only")));
        }
        bytes += line.len();
        check_text(Some(bytes))?;
        lines.push(Value::from(line));
    }
    Ok(Value::list(Type::String, lines)?)
}
