//! Operands as Rust values, and OPA's sentences about operands of the wrong type.

use super::{BuiltinError, Types};
use crate::value::{Array, Number, Object, Set, Value};

/// Says that an operand (counted from 0) does not have one of these types.
pub(super) fn type_mismatch(index: usize, types: Types, operand: &Value) -> BuiltinError {
    let names = types.names();
    let want = match names.as_slice() {
        [name] => (*name).to_owned(),
        names => format!("one of {{{}}}", names.join(", ")),
    };
    match operand {
        Value::Unknown(_) => mismatch(index, &want, &Types::of(operand).to_string()),
        _ => mismatch(index, &want, operand.type_name()),
    }
}

/// Says that an operand (counted from 0) should be something else.
pub(super) fn mismatch(index: usize, want: &str, got: &str) -> BuiltinError {
    BuiltinError::wrong_type(format!("operand {} must be {want} but got {got}", index + 1))
}

pub(super) fn text(operands: &[Value], index: usize) -> Result<&str, BuiltinError> {
    operands[index].as_str().ok_or_else(|| type_mismatch(index, Types::STRING, &operands[index]))
}

pub(super) fn number(operands: &[Value], index: usize) -> Result<&Number, BuiltinError> {
    operands[index].as_number().ok_or_else(|| type_mismatch(index, Types::NUMBER, &operands[index]))
}

pub(super) fn array(operands: &[Value], index: usize) -> Result<&Array, BuiltinError> {
    operands[index].as_array().ok_or_else(|| type_mismatch(index, Types::ARRAY, &operands[index]))
}

pub(super) fn object(operands: &[Value], index: usize) -> Result<&Object, BuiltinError> {
    operands[index].as_object().ok_or_else(|| type_mismatch(index, Types::OBJECT, &operands[index]))
}

pub(super) fn set(operands: &[Value], index: usize) -> Result<&Set, BuiltinError> {
    operands[index].as_set().ok_or_else(|| type_mismatch(index, Types::SET, &operands[index]))
}

/// A 64-bit integer.
pub(super) fn int(operands: &[Value], index: usize) -> Result<i64, BuiltinError> {
    let number = number(operands, index)?;
    number.as_i64().ok_or_else(|| mismatch(index, "integer number", kind(number)))
}

/// OPA's name for a number that is not a 64-bit integer.
pub(super) fn kind(number: &Number) -> &'static str {
    if number.is_whole() { "integer" } else { "floating-point number" }
}

/// The elements of an array or a set.
pub(super) fn items(operands: &[Value], index: usize) -> Result<&[Value], BuiltinError> {
    match &operands[index] {
        Value::Array(array) => Ok(array.items()),
        Value::Set(set) => Ok(set.items()),
        other => Err(type_mismatch(index, Types::SET.or(Types::ARRAY), other)),
    }
}

/// The strings in an array or a set.
pub(super) fn texts(operands: &[Value], index: usize) -> Result<Vec<&str>, BuiltinError> {
    let type_name = operands[index].type_name();
    items(operands, index)?
        .iter()
        .map(|item| {
            item.as_str().ok_or_else(|| {
                mismatch(
                    index,
                    &format!("{type_name} of strings"),
                    &format!("{type_name} containing {}", item.type_name()),
                )
            })
        })
        .collect()
}

/// A value that is there.
#[allow(clippy::unnecessary_wraps)]
pub(super) fn some(value: impl Into<Value>) -> super::Outcome {
    Ok(Some(value.into()))
}
