//! `formatlist`: `format` once for each element of lists.

use objchange::value::Kind;
use objchange::{Type, Value};

use super::limits::check_text;
use super::verbs::{formatted, too_many};
use super::{Answer, any, string, text, unknown};
use crate::function::{Function, FunctionError, Functions};

pub(super) fn add(functions: &mut Functions) {
    let format = Function::new([string("format")], Type::list(Type::String), format_list);
    functions.insert("formatlist", format.variadic(any("args").null().unknown().dynamic()));
}

/// The elements of an argument that differs from line to line.
fn elements(argument: &Value) -> Option<&[Value]> {
    match argument.kind() {
        Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => Some(elements),
        _ => None,
    }
}

fn format_list(arguments: &[Value], ty: &Type) -> Answer {
    let (format, arguments) = (text(arguments, 0), &arguments[1..]);
    let mut first: Option<(usize, usize)> = None;
    let mut has_unknown = false;
    for (i, argument) in arguments.iter().enumerate() {
        let is_list = matches!(argument.ty(), Type::List(_) | Type::Set(_) | Type::Tuple(_) | Type::Dynamic);
        has_unknown |= !argument.is_known() && is_list;
        // Unknown elements of a set may turn out equal, so the number of lines is unknown.
        has_unknown |= matches!(argument.ty(), Type::Set(_)) && !argument.is_wholly_known();
        let Some(elements) = elements(argument) else { continue };
        let (number, found) = (i + 1, elements.len());
        match first {
            Some((other, length)) if length != found => {
                let message = format!(
                    "argument {number} has length {found}, which is inconsistent with argument {other} of length \
                     {length}"
                );
                return Err(FunctionError::argument(number, message));
            }
            Some(_) => {}
            None => first = Some((number, found)),
        }
    }
    if has_unknown {
        return Ok(unknown(ty.clone()));
    }
    let mut lines = Vec::new();
    let mut bytes = 0;
    for i in 0..first.map_or(1, |(_, length)| length) {
        let row_value = |argument: &Value| {
            elements(argument).and_then(|elements| elements.get(i)).unwrap_or(argument).clone()
        };
        let values: Vec<Value> = arguments.iter().map(row_value).collect();
        // An unknown scalar makes every line unknown, but not the number of lines.
        if !values.iter().all(Value::is_wholly_known) {
            lines.push(unknown(Type::String));
            continue;
        }
        let failed = |error: FunctionError| match values.is_empty() {
            true => error,
            false => FunctionError::new(format!("error on format iteration {i}: {error}")),
        };
        let (line, needed) = formatted(format, &values).map_err(failed)?;
        if needed < values.len() {
            return Err(failed(FunctionError::new(too_many(needed))));
        }
        bytes += line.len();
        check_text(Some(bytes))?;
        lines.push(Value::from(line));
    }
    Ok(Value::list(Type::String, lines)?)
}
