//! `format`: text with values in it.

use objchange::value::Refinements;
use objchange::{Type, Value};
use smol_str::SmolStr;

use super::verbs::{formatted, too_many};
use super::{Answer, any, refined, string, text};
use crate::eval::prefix;
use crate::function::{Function, FunctionError, Functions};

pub(super) fn add(functions: &mut Functions) {
    let format = Function::new([string("format")], Type::String, format);
    functions.insert("format", format.variadic(any("args").null().unknown().dynamic()));
}

/// The text before the first verb is known even if arguments are unknown.
fn format(arguments: &[Value], _: &Type) -> Answer {
    let format = text(arguments, 0);
    if !arguments.iter().all(Value::is_wholly_known) {
        // Terraform looks only for a `%`: a format without one promises no prefix.
        let start = format.find('%').and_then(|at| prefix::safe(&format[..at]));
        let promised = Refinements { string_prefix: start.map(SmolStr::new), ..Refinements::not_null() };
        return Ok(refined(Type::String, promised));
    }
    let (text, needed) = formatted(format, &arguments[1..])?;
    // A surplus argument is the only mistake in a format that blames an argument and not the call (Terraform 1.11.4).
    if needed < arguments.len() - 1 {
        return Err(FunctionError::argument(needed + 1, too_many(needed)));
    }
    Ok(text.into())
}
