//! The value of `each` in a resource block.

use objchange::Value;
use objchange::value::Kind;

/// The value of `each` for the `for_each` element with this key; `None` while it is unknown.
pub fn each(for_each: &Value, key: &str) -> Option<Value> {
    let element = match for_each.kind() {
        Kind::Map(_) => for_each.element(key)?.clone(),
        Kind::Object(_) => for_each.attribute(key)?.clone(),
        Kind::Set(elements) => elements.iter().find(|element| element.as_str() == Some(key))?.clone(),
        _ => return None,
    };
    Some(Value::object([("key", Value::from(key)), ("value", element.with_marks(for_each.marks()))]))
}
