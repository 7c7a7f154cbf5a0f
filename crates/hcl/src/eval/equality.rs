//! `==`, without conversion. The answer is true, false or unknown.

use objchange::value::Kind;
use objchange::{Type, Value};

/// Whether two values are equal; `None` if that depends on unknown parts. Marks do not matter.
///
/// This is not the equality of the engine: here the first part that differs or is unknown decides, and an unknown value
/// differs from any value of another type. Nulls and empty collections are known, whatever their type.
pub(crate) fn equal(a: &Value, b: &Value) -> Option<bool> {
    if !a.is_null() && !b.is_null() && (has_part_of_unknown_type(a) || has_part_of_unknown_type(b)) {
        // Only the types decide, even if other parts are known to differ.
        let may_agree = conforms(a.ty(), b.ty()) || conforms(b.ty(), a.ty());
        return if may_agree { None } else { Some(false) };
    }
    equal_parts(a, b)
}

/// Like [`equal`], where nothing unknown is of a type that is not known.
fn equal_parts(a: &Value, b: &Value) -> Option<bool> {
    match (a.kind(), b.kind()) {
        (Kind::Null, Kind::Null) => return Some(true),
        (Kind::Null, Kind::Unknown(promised)) | (Kind::Unknown(promised), Kind::Null) => {
            return if promised.not_null { Some(false) } else { None };
        }
        (Kind::Null, _) | (_, Kind::Null) => return Some(false),
        // Terraform never knows two unknowns to differ, not even if their types or refinements exclude each other.
        (Kind::Unknown(_), Kind::Unknown(_)) => return None,
        _ => {}
    }
    if a.ty() != b.ty() {
        return Some(false);
    }
    match (a.kind(), b.kind()) {
        // Terraform takes infinity to be out of the range of each number that is not null.
        (Kind::Unknown(promised), Kind::Number(n)) | (Kind::Number(n), Kind::Unknown(promised))
            if promised.not_null && !n.is_finite() =>
        {
            return Some(false);
        }
        (Kind::Unknown(_), _) => return if a.may_become(b) { None } else { Some(false) },
        (_, Kind::Unknown(_)) => return if b.may_become(a) { None } else { Some(false) },
        _ => {}
    }
    if a.is_wholly_known() && b.is_wholly_known() {
        return a.equals(b);
    }
    match (a.kind(), b.kind()) {
        // An unknown element may turn out equal to any other, so nothing decides.
        (Kind::Set(_), Kind::Set(_)) => None,
        (Kind::List(a), Kind::List(b)) if a.len() != b.len() => Some(false),
        (Kind::List(a), Kind::List(b)) | (Kind::Tuple(a), Kind::Tuple(b)) => std::iter::zip(a, b)
            .map(|(a, b)| equal_parts(a, b))
            .find(|answer| *answer != Some(true))
            .unwrap_or(Some(true)),
        (Kind::Map(a), Kind::Map(b)) => {
            let same_keys = a.iter().map(|(key, _)| key).eq(b.iter().map(|(key, _)| key));
            if same_keys { all(a.iter().zip(b.iter()).map(|((_, a), (_, b))| (a, b))) } else { Some(false) }
        }
        (Kind::Object(a), Kind::Object(b)) => all(std::iter::zip(a.values(), b.values())),
        _ => Some(false),
    }
}

/// Compares parts without an order. Terraform compares them in any order; here a known difference decides.
fn all<'v>(pairs: impl Iterator<Item = (&'v Value, &'v Value)>) -> Option<bool> {
    let mut answer = Some(true);
    for (a, b) in pairs {
        match equal_parts(a, b) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => answer = None,
        }
    }
    answer
}

/// Whether an unknown part of a value has an unknown type.
fn has_part_of_unknown_type(value: &Value) -> bool {
    if value.is_wholly_known() || !value.ty().has_dynamic() {
        return false;
    }
    match value.kind() {
        Kind::Unknown(_) => true,
        Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
            elements.iter().any(has_part_of_unknown_type)
        }
        Kind::Map(map) => map.iter().any(|(_, element)| has_part_of_unknown_type(element)),
        Kind::Object(object) => object.values().iter().any(has_part_of_unknown_type),
        _ => false,
    }
}

/// Whether a type is the other one, or would be with types in place of the dynamic ones in it.
fn conforms(ty: &Type, pattern: &Type) -> bool {
    match (ty, pattern) {
        (_, Type::Dynamic) => true,
        (Type::List(a), Type::List(b)) | (Type::Set(a), Type::Set(b)) | (Type::Map(a), Type::Map(b)) => {
            conforms(a, b)
        }
        (Type::Tuple(a), Type::Tuple(b)) => {
            a.elements().len() == b.elements().len()
                && std::iter::zip(a.elements(), b.elements()).all(|(a, b)| conforms(a, b))
        }
        (Type::Object(a), Type::Object(b)) => {
            a.attributes().len() == b.attributes().len()
                && std::iter::zip(a.attributes(), b.attributes())
                    .all(|((name, a), (other, b))| name == other && conforms(a, b))
        }
        _ => ty == pattern,
    }
}
