//! Types and conversions between them.

use super::arguments::{some, type_mismatch};
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::value::{Number, Value};

const ANY: Types = Types::ANY;
const SCALAR: Types = Types::NULL.or(Types::BOOLEAN).or(Types::NUMBER).or(Types::STRING);

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("is_array", &[ANY], |_, o| is(Types::ARRAY, o)).with_partly_known(),
    Builtin::new("is_boolean", &[ANY], |_, o| is(Types::BOOLEAN, o)).with_partly_known(),
    Builtin::new("is_null", &[ANY], |_, o| is(Types::NULL, o)).with_partly_known(),
    Builtin::new("is_number", &[ANY], |_, o| is(Types::NUMBER, o)).with_partly_known(),
    Builtin::new("is_object", &[ANY], |_, o| is(Types::OBJECT, o)).with_partly_known(),
    Builtin::new("is_set", &[ANY], |_, o| is(Types::SET, o)).with_partly_known(),
    Builtin::new("is_string", &[ANY], |_, o| is(Types::STRING, o)).with_partly_known(),
    Builtin::new("type_name", &[ANY], |_, o| some(o[0].type_name())).with_partly_known(),
    // An evaluation has no configuration and no environment to show. OPA as a library answers `{}` as well.
    Builtin::new("opa.runtime", &[], |_, _| some(Value::object([]))),
    // OPA 1.20 answers true, and its note is seen in traces alone.
    Builtin::new("trace", &[Types::STRING], |_, _| some(true)),
    Builtin::new("to_number", &[SCALAR], to_number),
    Builtin::new("cast_array", &[ANY], |_, o| match &o[0] {
        Value::Set(set) => some(Value::array(set.items())),
        other => cast(Types::ARRAY, other),
    }),
    Builtin::new("cast_set", &[ANY], |_, o| match &o[0] {
        Value::Array(array) => some(Value::set(array.items())),
        other => cast(Types::SET, other),
    }),
    Builtin::new("cast_boolean", &[ANY], |_, o| cast(Types::BOOLEAN, &o[0])),
    Builtin::new("cast_null", &[ANY], |_, o| cast(Types::NULL, &o[0])),
    Builtin::new("cast_object", &[ANY], |_, o| cast(Types::OBJECT, &o[0])),
    Builtin::new("cast_string", &[ANY], |_, o| cast(Types::STRING, &o[0])),
];

fn is(types: Types, operands: &[Value]) -> Outcome {
    some(types.contains(&operands[0]))
}

fn cast(types: Types, value: &Value) -> Outcome {
    if types.contains(value) { some(value.clone()) } else { Err(type_mismatch(0, types, value)) }
}

fn to_number(_: &mut Context<'_>, operands: &[Value]) -> Outcome {
    match &operands[0] {
        Value::Null | Value::Bool(false) => some(Value::int(0)),
        Value::Bool(true) => some(Value::int(1)),
        Value::String(text)
            // OPA 1.20 has an error of its own for these, which Go's `ParseFloat` reads and JSON cannot hold.
            if ["inf", "infinity", "nan"]
                .contains(&text.trim_start_matches(['+', '-']).to_lowercase().as_str()) =>
        {
            Err(BuiltinError::wrong_type("operand 1 must be valid number string but got string"))
        }
        Value::String(text) => {
            // OPA 1.20 refuses `to_number("1e400")` ("value out of range"), although `1e400` is a number in a
            // policy.
            let number = Number::parse_lenient(text).filter(|number| number.to_f64().is_finite());
            number
                .map(|number| Some(Value::Number(number)))
                .ok_or_else(|| BuiltinError::failed("invalid syntax"))
        }
        other => some(other.clone()),
    }
}
