//! Whether two values may be equal once everything is known.

use objchange::Value;
use objchange::value::Kind;

/// Whether `value` may become `known` once all its unknown parts are known.
pub(super) fn becomes(value: &Value, known: &Value) -> bool {
    if value.is_wholly_known() {
        return value == known;
    }
    match (value.kind(), known.kind()) {
        (Kind::Unknown(_), _) => true,
        (Kind::Object(a), Kind::Object(b)) => {
            a.iter().all(|(name, part)| b.get(name).is_some_and(|known| becomes(part, known)))
        }
        (Kind::Map(a), Kind::Map(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, part)| b.get(key).is_some_and(|known| becomes(part, known)))
        }
        (Kind::List(a) | Kind::Tuple(a), Kind::List(b) | Kind::Tuple(b)) => {
            a.len() == b.len() && std::iter::zip(a, b).all(|(part, known)| becomes(part, known))
        }
        // Unknown elements of a set may turn out equal.
        (Kind::Set(a), Kind::Set(b)) => b.len() <= a.len(),
        _ => false,
    }
}
