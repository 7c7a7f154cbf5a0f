//! Values taken apart and put together.

use objchange::value::Kind;
use objchange::{Type, Value};

/// A value with its children replaced, in order.
pub(crate) fn rebuilt(value: &Value, children: Vec<Value>) -> Value {
    let element = || value.ty().element().cloned().unwrap_or(Type::Dynamic);
    match value.kind() {
        Kind::List(_) => Value::list(element(), children).expect("types stay"),
        Kind::Set(_) => Value::set(element(), children).expect("types stay"),
        Kind::Tuple(_) => Value::tuple(children),
        Kind::Map(map) => {
            let keys = map.iter().map(|(key, _)| key);
            Value::map(element(), keys.zip(children)).expect("types stay")
        }
        Kind::Object(object) => {
            let names = object.iter().map(|(name, _)| name.clone());
            Value::object(names.zip(children))
        }
        _ => value.clone(),
    }
}

/// Elements, or values of entries or attributes.
pub(crate) fn children(value: &Value) -> Vec<Value> {
    match value.kind() {
        Kind::Map(map) => map.iter().map(|(_, child)| child.clone()).collect(),
        Kind::Object(object) => object.values().to_vec(),
        _ => value.as_elements().unwrap_or_default().to_vec(),
    }
}
