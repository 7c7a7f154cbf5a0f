//! How large values are to whoever walks through them.
//!
//! A value may hold another one many times over at the cost of one: a few loops, each around the one before, make a value
//! that is small in memory and that nobody can print, compare or convert. So what is made is paid for as it will be seen.

use objchange::value::Kind;
use objchange::{Type, Value};

/// How many values a walk through this one sees, itself included, types of what is not there counted alike; `None` if
/// they are more than `most`.
pub(super) fn within(value: &Value, most: u64) -> Option<u64> {
    let mut left = most;
    pay_value(value, &mut left)?;
    Some(most - left)
}

fn pay(left: &mut u64) -> Option<()> {
    *left = left.checked_sub(1)?;
    Some(())
}

fn pay_value(value: &Value, left: &mut u64) -> Option<()> {
    let each = |value: &Value, left: &mut u64| pay_value(value, left);
    match value.kind() {
        Kind::Bool(_) | Kind::Number(_) | Kind::String(_) => pay(left),
        Kind::Null | Kind::Unknown(_) => pay_type(value.ty(), left),
        Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
            pay(left)?;
            elements.iter().try_for_each(|element| each(element, left))
        }
        Kind::Map(map) => {
            pay(left)?;
            map.iter().try_for_each(|(_, element)| each(element, left))
        }
        Kind::Object(object) => {
            pay(left)?;
            object.iter().try_for_each(|(_, attribute)| each(attribute, left))
        }
    }
}

fn pay_type(ty: &Type, left: &mut u64) -> Option<()> {
    pay(left)?;
    match ty {
        Type::List(element) | Type::Set(element) | Type::Map(element) => pay_type(element, left),
        Type::Tuple(tuple) => tuple.elements().iter().try_for_each(|ty| pay_type(ty, left)),
        Type::Object(object) => object.attributes().iter().try_for_each(|(_, ty)| pay_type(ty, left)),
        _ => Some(()),
    }
}
