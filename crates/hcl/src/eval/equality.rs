//! `==`: no conversion, and three answers.

use objchange::value::Kind;
use objchange::{Type, Value};

/// Whether two values are equal; `None` if that depends on what is unknown. Marks do not matter.
///
/// This is not the equality of the engine: here the first part that differs or is unknown decides, and an unknown is
/// known to differ from what has another type.
pub(crate) fn equal(a: &Value, b: &Value) -> Option<bool> {
    match (a.kind(), b.kind()) {
        (Kind::Null, Kind::Null) => return Some(true),
        (Kind::Null, Kind::Unknown(promised)) | (Kind::Unknown(promised), Kind::Null) => {
            return if promised.not_null { Some(false) } else { None };
        }
        (Kind::Null, _) | (_, Kind::Null) => return Some(false),
        (Kind::Unknown(_), Kind::Unknown(_)) => return None,
        _ => {}
    }
    if !may_agree(a.ty(), b.ty()) {
        return Some(false);
    }
    match (a.kind(), b.kind()) {
        (Kind::Unknown(_), _) => return if a.may_become(b) { None } else { Some(false) },
        (_, Kind::Unknown(_)) => return if b.may_become(a) { None } else { Some(false) },
        _ => {}
    }
    if a.ty() != b.ty() {
        return None;
    }
    if a.is_wholly_known() && b.is_wholly_known() {
        return a.equals(b);
    }
    match (a.kind(), b.kind()) {
        (Kind::Set(_), Kind::Set(_)) => None,
        (Kind::List(a), Kind::List(b)) if a.len() != b.len() => Some(false),
        (Kind::List(a), Kind::List(b)) | (Kind::Tuple(a), Kind::Tuple(b)) => std::iter::zip(a, b)
            .map(|(a, b)| equal(a, b))
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

/// Parts without an order of their own: Terraform takes them in any; here what is known to differ decides.
fn all<'v>(pairs: impl Iterator<Item = (&'v Value, &'v Value)>) -> Option<bool> {
    let mut answer = Some(true);
    for (a, b) in pairs {
        match equal(a, b) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => answer = None,
        }
    }
    answer
}

/// Whether values of these types may turn out to have the same type.
fn may_agree(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Dynamic, _) | (_, Type::Dynamic) => true,
        _ if !a.has_dynamic() && !b.has_dynamic() => a == b,
        (Type::List(a), Type::List(b)) | (Type::Set(a), Type::Set(b)) | (Type::Map(a), Type::Map(b)) => {
            may_agree(a, b)
        }
        (Type::Tuple(a), Type::Tuple(b)) => {
            a.elements().len() == b.elements().len()
                && std::iter::zip(a.elements(), b.elements()).all(|(a, b)| may_agree(a, b))
        }
        (Type::Object(a), Type::Object(b)) => {
            a.attributes().len() == b.attributes().len()
                && std::iter::zip(a.attributes(), b.attributes())
                    .all(|((name, a), (other, b))| name == other && may_agree(a, b))
        }
        _ => a == b,
    }
}
