//! Empty values: the older SDK keeps them for arguments that are not set.

use objchange::value::{Descend, Kind, PathStep};
use objchange::{Type, Value};

/// The empty value of a type: `false`, 0, `""` or a collection without elements. `None` for objects.
///
/// ```
/// use objchange::{Type, Value};
/// use objchange_model::{empty_value, is_empty_value};
///
/// assert_eq!(empty_value(&Type::String), Some(Value::from("")));
/// assert!(is_empty_value(&empty_value(&Type::map(Type::Bool)).unwrap()));
/// assert!(!is_empty_value(&Value::null(Type::Bool)));
/// ```
pub fn empty_value(ty: &Type) -> Option<Value> {
    let none: [Value; 0] = [];
    match ty {
        Type::Bool => Some(Value::from(false)),
        Type::Number => Some(Value::from(0)),
        Type::String => Some(Value::from("")),
        Type::List(_) | Type::Set(_) => Value::tuple(none).convert(ty).ok(),
        Type::Map(_) => Value::object::<&str, Value>([]).convert(ty).ok(),
        _ => None,
    }
}

/// Whether a value is `false`, 0, `""` or a collection without elements. Null is not.
pub fn is_empty_value(value: &Value) -> bool {
    match value.kind() {
        Kind::Bool(value) => !value,
        Kind::String(text) => text.is_empty(),
        Kind::Number(number) => number.as_i64() == Some(0),
        _ => value.len() == Some(0),
    }
}

/// Whether a value is null, or a collection without elements.
pub(crate) fn has_nothing(value: &Value) -> bool {
    value.is_null() || value.len() == Some(0)
}

/// Whether blocks have only empty values in them, or none.
pub(crate) fn are_blank(blocks: &Value) -> bool {
    let mut are_blank = true;
    blocks.visit(|_, part| {
        are_blank &= match part.kind() {
            Kind::Null | Kind::Object(_) | Kind::List(_) | Kind::Set(_) | Kind::Map(_) | Kind::Tuple(_) => {
                true
            }
            _ => is_empty_value(part),
        };
        Descend::Into
    });
    are_blank
}

/// A value with empty values in place of null attributes of objects.
pub(crate) fn zeroed(value: &Value) -> Value {
    zeroed_where(value, &|_| true)
}

/// A value with empty values in place of null attributes of objects, but for numbers.
pub(crate) fn zeroed_but_numbers(value: &Value) -> Value {
    zeroed_where(value, &|ty| *ty != Type::Number)
}

/// A value with null in place of collections without elements.
pub(crate) fn with_null(value: &Value) -> Value {
    let Ok(with_null) = value.transform(|_, part| {
        let is_empty = part.ty().is_collection() && part.len() == Some(0);
        Ok::<_, std::convert::Infallible>(if is_empty { Value::null(part.ty().clone()) } else { part })
    });
    with_null
}

/// Whether a value is a collection of objects.
pub(crate) fn holds_plain_objects(value: &Value) -> bool {
    value.ty().element().is_some_and(|element| element.as_object().is_some())
}

fn zeroed_where(value: &Value, is_zeroed: &dyn Fn(&Type) -> bool) -> Value {
    let Ok(zeroed) = value.transform(|path, part| {
        let is_in_object = matches!(path.last(), Some(PathStep::Attribute(_)));
        let is_zeroed = is_in_object && part.is_null() && is_zeroed(part.ty());
        let empty = if is_zeroed { empty_value(part.ty()) } else { None };
        Ok::<_, std::convert::Infallible>(empty.unwrap_or(part))
    });
    zeroed
}
