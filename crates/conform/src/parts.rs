//! Reads and replaces the parts of a value by position.

use objchange::value::Kind;
use objchange::{Type, Value};

/// The direct parts of a known value: elements, or values of attributes and keys.
pub(super) fn parts(value: &Value) -> Vec<&Value> {
    match value.kind() {
        Kind::List(parts) | Kind::Set(parts) | Kind::Tuple(parts) => parts.iter().collect(),
        Kind::Map(map) => map.iter().map(|(_, part)| part).collect(),
        Kind::Object(object) => object.values().iter().collect(),
        _ => Vec::new(),
    }
}

/// Replaces all parts of a container. `None` if the parts do not fit together.
pub(super) fn with_parts(value: &Value, parts: Vec<Value>) -> Option<Value> {
    with_some(value, parts.into_iter().map(Some).collect())
}

/// Replaces the parts of a container and removes those that are `None`. An object needs all of its
/// attributes.
pub(super) fn with_some(value: &Value, parts: Vec<Option<Value>>) -> Option<Value> {
    let element = || value.ty().element().cloned().unwrap_or(Type::Dynamic);
    let made = match value.kind() {
        Kind::List(_) => Value::list(element(), parts.into_iter().flatten()).ok()?,
        Kind::Set(_) => Value::set(element(), parts.into_iter().flatten()).ok()?,
        Kind::Tuple(_) => Value::tuple(parts.into_iter().flatten()),
        Kind::Map(map) => {
            let entries = map.iter().zip(parts).filter_map(|((key, _), part)| Some((key.as_str(), part?)));
            Value::map(element(), entries).ok()?
        }
        Kind::Object(object) => {
            let names = object.iter().map(|(name, _)| name.clone());
            let parts: Option<Vec<Value>> = parts.into_iter().collect();
            Value::object(names.zip(parts?))
        }
        _ => return None,
    };
    Some(made.with_marks(value.marks()))
}
