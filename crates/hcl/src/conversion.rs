//! The error of a conversion, in Terraform's words.

use objchange::Type;
use objchange::value::{ConvertError, Path, PathStep};
use objchange_text::redact::SENSITIVE;

/// Why a value does not convert to a type, in Terraform's words. Never holds the value.
///
/// ```
/// use objchange::{Type, Value};
/// use objchange_hcl::conversion_message;
///
/// let ports = Type::object([("ports", Type::list(Type::Number))]);
/// let value = Value::object([("ports", Value::tuple(["http"]))]);
/// let error = value.convert(&ports).unwrap_err();
/// assert_eq!(conversion_message(&error, &ports), ".ports[0]: a number is required");
/// ```
pub fn conversion_message(error: &ConvertError, target: &Type) -> String {
    let reason = error.kind.to_string();
    if error.path.is_root() { reason } else { format!("{}: {reason}", place(&error.path, target)) }
}

/// A path as it is before a reason: `.a["key"][0]`.
fn place(path: &Path, target: &Type) -> String {
    let mut target = Some(target);
    let mut text = String::new();
    for step in path.steps() {
        match (target, step) {
            (Some(Type::Map(element)), PathStep::Attribute(name)) => {
                text.push_str(&format!("[{name:?}]"));
                target = Some(element);
            }
            (ty, PathStep::Attribute(name)) => {
                text.push_str(&format!(".{name}"));
                target = match ty {
                    Some(Type::Object(object)) => object.attribute(name),
                    _ => None,
                };
            }
            (ty, PathStep::Index(key)) => {
                match (key.as_number(), key.as_str()) {
                    _ if key.contains_marked() => text.push_str(&format!("[{SENSITIVE}]")),
                    (Some(number), _) => text.push_str(&format!("[{number}]")),
                    (None, Some(key)) => text.push_str(&format!("[{key:?}]")),
                    (None, None) => text.push_str("[...]"),
                }
                target = match ty {
                    Some(Type::List(element) | Type::Map(element) | Type::Set(element)) => Some(element),
                    Some(Type::Tuple(tuple)) => {
                        let index = key.as_number().and_then(|number| usize::try_from(number.as_u64()?).ok());
                        index.and_then(|index| tuple.elements().get(index))
                    }
                    _ => None,
                };
            }
        }
    }
    text
}
