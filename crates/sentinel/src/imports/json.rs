//! `json`.

use super::utf8;
use crate::builtins::native;
use crate::run::Machine;
use crate::value::{Done, Native, Value, fault, from_json, to_json_text};

pub(super) static NATIVES: [Native; 3] = [
    native("unmarshal", 1, 1, true, unmarshal),
    native("marshal", 1, 1, true, marshal),
    native("valid", 1, 1, true, |machine, arguments| Ok(Value::Bool(parse(machine, &arguments[0])?.is_ok()))),
];

fn parse(machine: &mut Machine<'_>, value: &Value) -> Done<Result<serde_json::Value, serde_json::Error>> {
    let Value::String(_) = value else {
        return fault(format!("expected a string, found {}", value.type_name()));
    };
    let text = utf8(value)?;
    // The parser would make all values first. Brackets and commas, also those in strings, are an upper bound
    // of their number.
    for byte in text.bytes() {
        match byte {
            b'{' => machine.budget.make_map(1)?,
            b'[' => machine.budget.make_list(1)?,
            b',' => machine.budget.make_entry()?,
            _ => {}
        }
    }
    // Charged twice: for the parsed JSON, and for the values.
    machine.budget.make(2 * text.len())?;
    Ok(serde_json::from_str(&text))
}

fn unmarshal(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    match parse(machine, &arguments[0])? {
        Ok(json) => Ok(from_json(&json)),
        Err(error) => fault(format!("this is not JSON: {error}")),
    }
}

fn marshal(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    match to_json_text(&arguments[0], &mut machine.budget)? {
        Some(text) => Ok(Value::String(text.into())),
        None => Ok(Value::Undefined(machine.here())),
    }
}
