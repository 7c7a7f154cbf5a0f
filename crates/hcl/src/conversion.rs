//! Why a value does not convert to a type, in Terraform's words.

use objchange::value::{ConvertError, ConvertErrorKind, Path, PathStep};
use objchange::{Type, Value};
use smol_str::SmolStr;

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
    let reason = match &error.kind {
        ConvertErrorKind::WrongType { from, to, .. } => mismatch(from, to),
        ConvertErrorKind::NotANumber(_) => "a number is required".to_owned(),
        ConvertErrorKind::NotABool => "a bool is required".to_owned(),
        ConvertErrorKind::MissingAttributes { names } => missing(&names.iter().collect::<Vec<_>>()),
        kind => kind.to_string(),
    };
    if error.path.is_root() { reason } else { format!("{}: {reason}", place(&error.path, target)) }
}

/// A path as it stands before a reason: `.a["key"][0]`.
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

/// Why values of one type never convert to another.
fn mismatch(from: &Type, to: &Type) -> String {
    let fails = |from: &Type, to: &Type| Value::unknown(from.clone()).convert(to).is_err();
    let whole = || format!("{} required", to.friendly_name());
    match (from, to) {
        (Type::Object(from), Type::Object(to)) => {
            let lacks = |name: &SmolStr| from.attribute(name).is_none() && !to.is_optional(name);
            let names: Vec<_> = to.attributes().iter().map(|(name, _)| name).filter(|n| lacks(n)).collect();
            if !names.is_empty() {
                return missing(&names);
            }
            let mut shared =
                to.attributes().iter().filter_map(|(name, to)| Some((name, from.attribute(name)?, to)));
            let failing = shared.find(|(_, from, to)| fails(from, to));
            failing
                .map_or_else(whole, |(name, from, to)| format!("attribute {name:?}: {}", mismatch(from, to)))
        }
        (Type::Tuple(_), Type::List(element)) if **element == Type::Dynamic => {
            "all list elements must have the same type".to_owned()
        }
        (Type::Tuple(_), Type::Set(element)) if **element == Type::Dynamic => {
            "all set elements must have the same type".to_owned()
        }
        (Type::Object(_), Type::Map(element)) if **element == Type::Dynamic => {
            "all map elements must have the same type".to_owned()
        }
        (Type::Tuple(from), Type::List(to) | Type::Set(to)) => {
            let failing = from.elements().iter().enumerate().find(|(_, from)| fails(from, to));
            failing.map_or_else(whole, |(i, from)| format!("element {i}: {}", mismatch(from, to)))
        }
        (Type::Object(from), Type::Map(to)) => {
            let failing = from.attributes().iter().find(|(_, from)| fails(from, to));
            failing.map_or_else(whole, |(name, from)| format!("element {name:?}: {}", mismatch(from, to)))
        }
        (Type::List(from) | Type::Set(from), Type::List(to)) => {
            format!("incorrect list element type: {}", mismatch(from, to))
        }
        (Type::List(from) | Type::Set(from), Type::Set(to)) => {
            format!("incorrect set element type: {}", mismatch(from, to))
        }
        (Type::Map(from), Type::Map(to)) => format!("incorrect map element type: {}", mismatch(from, to)),
        _ => whole(),
    }
}

fn missing(names: &[&SmolStr]) -> String {
    match names {
        [only] => format!("attribute {only:?} is required"),
        [first, second] => format!("attributes {first:?} and {second:?} are required"),
        [first @ .., last] => {
            let first: String = first.iter().map(|name| format!("{name:?}, ")).collect();
            format!("attributes {first}and {last:?} are required")
        }
        [] => "attributes are required".to_owned(),
    }
}
