//! Text: case, trimming, cutting.

use objchange::{Type, Value};

use super::string;
use crate::function::{Function, FunctionError, Functions};

pub(super) fn add(functions: &mut Functions) {
    functions.insert("upper", Function::new([string("str").dynamic()], Type::String, upper));
}

/// One code point to one code point: `ß` stays.
fn upper(arguments: &[Value], _: &Type) -> Result<Value, FunctionError> {
    let text = arguments[0].as_str().unwrap_or_default();
    let upper = |c: char| {
        let mut all = c.to_uppercase();
        match (all.next(), all.next()) {
            (Some(one), None) => one,
            _ => c,
        }
    };
    Ok(Value::from(text.chars().map(upper).collect::<String>()))
}
