//! Values from and to the values of `serde_json`, exactly or not at all.

use serde_json::Value as Json;

use super::convert::{ConvertError, ConvertErrorKind};
use super::{Kind, Number, PathStack, StepRef, Type, Value, WriteError};

/// As `jsondecode` takes JSON: an array is a tuple, an object is an object, null has the dynamic type.
/// [`from_json`](Value::from_json) reads JSON under a type.
///
/// A number is the decimal that `serde_json` writes for it, with and without its feature
/// `arbitrary_precision`: `json!(0.1)` is the number that `0.1` is in configuration. Without the feature
/// `serde_json` itself rounds numbers to doubles.
///
/// # Errors
///
/// A number is too large to be read ([`ParseNumberError`](super::ParseNumberError)).
///
/// ```
/// use objchange::value::Number;
/// use objchange::{Type, Value};
/// use serde_json::json;
///
/// let value = Value::try_from(json!({"size": 0.1, "tags": ["a", null]}))?;
/// assert_eq!(value.attribute("size"), Some(&Value::from(Number::parse("0.1").unwrap())));
/// assert_eq!(value.attribute("tags"), Some(&Value::tuple([Value::from("a"), Value::null(Type::Dynamic)])));
///
/// # if let Ok(large) = serde_json::from_str::<serde_json::Value>("[1e9999]") {
/// // With `arbitrary_precision`, `large` is `[1e9999]`.
/// assert_eq!(Value::try_from(large).unwrap_err().path.to_string(), "[0]");
/// # }
/// # Ok::<(), objchange::value::ConvertError>(())
/// ```
impl TryFrom<Json> for Value {
    type Error = ConvertError;

    fn try_from(json: Json) -> Result<Self, ConvertError> {
        Self::try_from(&json)
    }
}

/// As of an owned one.
impl TryFrom<&Json> for Value {
    type Error = ConvertError;

    fn try_from(json: &Json) -> Result<Self, ConvertError> {
        value(json, PathStack::ROOT)
    }
}

fn value(json: &Json, path: PathStack<'_>) -> Result<Value, ConvertError> {
    Ok(match json {
        Json::Null => Value::null(Type::Dynamic),
        Json::Bool(bool) => Value::from(*bool),
        Json::Number(number) => match Number::parse(&number.to_string()) {
            Ok(number) => Value::from(number),
            Err(error) => return Err(ConvertErrorKind::NotANumber(error).at(path)),
        },
        Json::String(text) => Value::from(text),
        Json::Array(elements) => {
            let elements = elements.iter().enumerate();
            let elements = elements.map(|(i, element)| value(element, path.then(StepRef::Position(i))));
            Value::tuple(elements.collect::<Result<Vec<_>, _>>()?)
        }
        Json::Object(members) => {
            let members = members.iter();
            let members =
                members.map(|(name, member)| Ok((name.as_str(), value(member, path.attribute(name))?)));
            Value::object(members.collect::<Result<Vec<_>, ConvertError>>()?)
        }
    })
}

/// The value without its type: lists, sets and tuples are arrays, maps and objects are objects.
///
/// # Errors
///
/// Part of the value is unknown, marked or infinite, or is a number that does not come back as it is. Those are
/// numbers of more digits than `serde_json` keeps, unless its feature `arbitrary_precision` is on, and doubles that
/// are not the decimal they print as, such as the double `0.1`.
///
/// ```
/// use objchange::Value;
/// use objchange::value::WriteError;
/// use serde_json::{Value as Json, json};
///
/// let disk = Value::object([("size", Value::from(20)), ("tags", Value::tuple(["a"]))]);
/// assert_eq!(Json::try_from(&disk)?, json!({"size": 20, "tags": ["a"]}));
///
/// let error = Json::try_from(&Value::tuple([Value::from("x").sensitive()])).unwrap_err();
/// assert!(matches!(error, WriteError::Marked { .. }));
/// let error = Json::try_from(&Value::try_from(0.1).unwrap()).unwrap_err();
/// assert!(matches!(error, WriteError::Inexact { .. }));
/// # Ok::<(), WriteError>(())
/// ```
impl TryFrom<&Value> for Json {
    type Error = WriteError;

    fn try_from(value: &Value) -> Result<Self, WriteError> {
        json(value, PathStack::ROOT)
    }
}

/// As of a borrowed one.
impl TryFrom<Value> for Json {
    type Error = WriteError;

    fn try_from(value: Value) -> Result<Self, WriteError> {
        Self::try_from(&value)
    }
}

fn json(value: &Value, path: PathStack<'_>) -> Result<Json, WriteError> {
    if value.is_marked() {
        return Err(WriteError::Marked { path: path.to_path() });
    }
    Ok(match value.kind() {
        Kind::Null => Json::Null,
        Kind::Unknown(_) => return Err(WriteError::Unknown { path: path.to_path() }),
        Kind::Bool(bool) => bool.into(),
        Kind::Number(number) if !number.is_finite() => {
            return Err(WriteError::Infinite { path: path.to_path() });
        }
        Kind::Number(number) => match exact(number) {
            Some(number) => Json::Number(number),
            None => return Err(WriteError::Inexact { path: path.to_path() }),
        },
        Kind::String(text) => text.into(),
        Kind::List(elements) | Kind::Tuple(elements) => {
            let elements = elements.iter().enumerate();
            let elements = elements.map(|(i, element)| json(element, path.then(StepRef::Position(i))));
            Json::Array(elements.collect::<Result<_, _>>()?)
        }
        Kind::Set(elements) => {
            let elements = elements.iter().map(|element| json(element, path.then(StepRef::Element(element))));
            Json::Array(elements.collect::<Result<_, _>>()?)
        }
        Kind::Map(map) => {
            let entries = map.iter().map(|(key, element)| {
                Ok((key.as_str().to_owned(), json(element, path.then(StepRef::Key(key)))?))
            });
            Json::Object(entries.collect::<Result<_, WriteError>>()?)
        }
        Kind::Object(object) => {
            let members = object
                .iter()
                .map(|(name, member)| Ok((name.as_str().to_owned(), json(member, path.attribute(name))?)));
            Json::Object(members.collect::<Result<_, WriteError>>()?)
        }
    })
}

/// The number of `serde_json` that comes back as this one.
fn exact(number: &Number) -> Option<serde_json::Number> {
    if let Some(int) = number.as_i64() {
        return Some(int.into());
    }
    let json: serde_json::Number = number.to_string().parse().ok()?;
    (Number::parse(&json.to_string()).as_ref() == Ok(number)).then_some(json)
}
