//! Values in messages.

use std::convert::Infallible;

use objchange::value::{Descend, MsgpackError, MsgpackProblem, Number, Path, PathStep, ReadError};
use objchange::{Type, Value};

use super::tfplugin6::{DynamicValue, ResourceIdentityData};
use crate::{Error, ErrorKind, Result};

/// The byte of nil in MessagePack.
const NULL: u8 = 0xc0;

/// A value under a type. An absent value is sent as null of the type, because old providers crash without a message.
pub(crate) fn write_value(field: &'static str, value: &Value, ty: &Type) -> Result<Option<DynamicValue>> {
    // Providers with the SDK of Terraform 0.12 crash on an absent value in up to nine calls.
    if value.is_null() {
        // Terraform always sends MessagePack; the JSON form is only for providers' answers.
        return Ok(Some(DynamicValue { msgpack: vec![NULL], json: Vec::new() }));
    }
    match value.to_msgpack(ty) {
        Ok(msgpack) => Ok(Some(DynamicValue { msgpack, json: Vec::new() })),
        Err(error) => Err(ErrorKind::Unsendable { field, problem: error.kind() }.into()),
    }
}

/// Writes a value of an answer. A value of another type is sent unchanged: the client decides whether that is allowed.
pub(crate) fn write_answer(
    field: &'static str,
    value: Option<&Value>,
    ty: &Type,
) -> Result<Option<DynamicValue>> {
    let Some(value) = value else { return Ok(None) };
    write_value(field, value, ty).or_else(|_| write_value(field, value, value.ty()))
}

/// The value in a message, `None` if the message has none. A message with neither of the two forms means null.
pub(crate) fn read_value(
    field: &'static str,
    message: Option<DynamicValue>,
    ty: &Type,
) -> Result<Option<Value>> {
    let Some(DynamicValue { msgpack, json }) = message else { return Ok(None) };
    // The order of the protocol: MessagePack, then JSON, and null if both are empty.
    if !msgpack.is_empty() {
        let wrong = |error: MsgpackError| {
            let parts = match error.problem {
                MsgpackProblem::WrongCount { expected, found } => Some([expected, found]),
                _ => None,
            };
            wrong_value(field, &error.path, error.problem.to_string(), parts)
        };
        return Value::from_msgpack(&msgpack, ty).map(|value| Some(as_written(value))).map_err(wrong);
    }
    if json.is_empty() {
        return Ok(Some(Value::null(ty.clone())));
    }
    let text = String::from_utf8(json)
        .map_err(|_| ErrorKind::Malformed { field, reason: "the JSON is not valid UTF-8".into() })?;
    let wrong = |error: ReadError| wrong_value(field, &error.path, error.message, None);
    Value::from_json(&text, ty).map(Some).map_err(wrong)
}

/// The value with each double as the number of its shortest text. Terraform treats numbers with equal texts
/// as equal, so the double nearest to 0.1 is `0.1` in configuration, though it is not exactly that.
fn as_written(value: Value) -> Value {
    let written = |part: &Value| {
        let number = part
            .as_number()
            .filter(|number| number.as_i64().is_none() && number.as_f64().is_none_or(f64::is_finite))?;
        Number::parse(&number.to_string()).ok().filter(|written| written != number)
    };
    // Few values have a double. The others are returned without a copy.
    let mut is_double = false;
    value.visit(|_, part| {
        is_double |= written(part).is_some();
        if is_double { Descend::Over } else { Descend::Into }
    });
    if !is_double {
        return value;
    }
    let changed = value.transform(|_, part| Ok::<_, Infallible>(written(&part).map_or(part, Value::from)));
    match changed {
        Ok(changed) => changed,
    }
}

fn wrong_value(field: &'static str, path: &Path, problem: String, parts: Option<[usize; 2]>) -> Error {
    let is_shown = |step: &&PathStep| match step {
        PathStep::Attribute(_) => true,
        // Keys of maps may be secret; positions are not.
        PathStep::Index(key) => key.as_number().is_some(),
    };
    let path = path.steps().iter().take_while(is_shown).cloned().collect();
    ErrorKind::WrongValue { field, path, problem, parts }.into()
}

/// The value in a message, null if it has none.
pub(crate) fn read_value_or_null(
    field: &'static str,
    message: Option<DynamicValue>,
    ty: &Type,
) -> Result<Value> {
    Ok(read_value(field, message, ty)?.unwrap_or_else(|| Value::null(ty.clone())))
}

/// An identity. A type without identities, or an object without one, has none on the wire.
pub(crate) fn write_identity(
    field: &'static str,
    identity: Option<&Value>,
    ty: Option<&Type>,
) -> Result<Option<ResourceIdentityData>> {
    let Some((identity, ty)) = identity.zip(ty) else { return Ok(None) };
    Ok(Some(ResourceIdentityData { identity_data: write_answer(field, Some(identity), ty)? }))
}

/// The identity in a message. It is ignored if the schemas have none.
pub(crate) fn read_identity(
    field: &'static str,
    message: Option<ResourceIdentityData>,
    ty: Option<&Type>,
) -> Result<Option<Value>> {
    let Some((message, ty)) = message.zip(ty) else { return Ok(None) };
    read_value(field, message.identity_data, ty)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(msgpack: &[u8], json: &[u8], ty: &Type) -> Result<Option<Value>> {
        read_value("v", Some(DynamicValue { msgpack: msgpack.into(), json: json.into() }), ty)
    }

    #[test]
    fn messagepack_counts_before_json_and_nothing_is_null() {
        let ty = Type::Number;
        assert_eq!(read(b"\x01", b"2", &ty).unwrap(), Some(Value::from(1)));
        assert_eq!(read(b"", b"2", &ty).unwrap(), Some(Value::from(2)));
        assert_eq!(read(b"", b"", &ty).unwrap(), Some(Value::null(Type::Number)));
        assert_eq!(read_value("v", None, &ty).unwrap(), None);
        assert_eq!(read(b"\xa1x", b"", &ty).unwrap_err().kind().kind(), "wrong_value");
        assert_eq!(read(b"", b"\xff", &ty).unwrap_err().kind().kind(), "malformed");
    }

    /// Providers send 0.1 as the double that is nearest to it.
    #[test]
    fn a_double_is_the_number_that_is_written_so() {
        let double = [&[0xcb_u8], &0.1_f64.to_be_bytes()[..]].concat();
        let written = Value::from(Number::parse("0.1").unwrap());
        assert_eq!(read(&double, b"", &Type::Number).unwrap(), Some(written.clone()));
        let list = [b"\x92\x01", &double[..]].concat();
        let wanted = Value::list(Type::Number, [Value::from(1), written]).unwrap();
        assert_eq!(read(&list, b"", &Type::list(Type::Number)).unwrap(), Some(wanted));
    }

    #[test]
    fn what_is_sent_is_always_there() {
        let nothing =
            write_value("v", &Value::null(Type::Dynamic), &Type::list(Type::String)).unwrap().unwrap();
        assert_eq!(nothing.msgpack, [NULL]);
        assert!(write_value("v", &Value::from("secret").sensitive(), &Type::String).is_err());
    }

    #[test]
    fn keys_are_not_told() {
        let ty = Type::object([("tags", Type::map(Type::list(Type::Number)))]);
        let error = read(b"\x81\xa4tags\x81\xa7hunter2\x91\xa1x", b"", &ty).unwrap_err();
        assert!(error.to_string().starts_with("v, tags: a number is required"), "{error}");
        let error = read(b"", br#"{"tags":{"hunter2":["x"]}}"#, &ty).unwrap_err();
        assert!(error.to_string().starts_with("v, tags: a number"), "{error}");
        assert!(!format!("{error:?}").contains("hunter"));
    }

    #[test]
    fn a_wrong_answer_goes_out_as_it_is() {
        let sent = write_answer("v", Some(&Value::from("x")), &Type::Number).unwrap().unwrap();
        assert_eq!(sent.msgpack, b"\xa1x");
    }
}
