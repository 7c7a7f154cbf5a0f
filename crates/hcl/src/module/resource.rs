//! The value of `each` in a resource block.

use objchange::Value;
use objchange::value::Kind;

/// What `each` is for the element of a `for_each` that has this key; `None` if that is not known.
pub fn each(for_each: &Value, key: &str) -> Option<Value> {
    let element = match for_each.kind() {
        Kind::Map(_) => for_each.element(key)?.clone(),
        Kind::Object(_) => for_each.attribute(key)?.clone(),
        Kind::Set(elements) => elements.iter().find(|element| element.as_str() == Some(key))?.clone(),
        _ => return None,
    };
    Some(Value::object([("key", Value::from(key)), ("value", element.with_marks(for_each.marks()))]))
}
