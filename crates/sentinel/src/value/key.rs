//! Keys of maps.

use std::cmp::Ordering;
use std::sync::Arc;

use super::{Text, Value};

/// A key: keys of equal numbers are one key, and iteration is in this order.
#[derive(Clone, Debug)]
pub(crate) enum Key {
    Bool(bool),
    Int(i64),
    /// No whole number that an int can be.
    Float(f64),
    String(Text),
}

/// The name of a member in a text.
#[derive(Debug)]
pub(crate) struct MemberName {
    pub(crate) key: Key,
    pub(crate) text: Arc<str>,
}

impl MemberName {
    pub(crate) fn new(text: &Arc<str>) -> MemberName {
        MemberName { key: Key::String(Text::from(&**text)), text: Arc::clone(text) }
    }
}

impl Key {
    /// A value as a key, if it can be one.
    pub(crate) fn from_value(value: &Value) -> Option<Key> {
        match value {
            Value::Bool(bool) => Some(Key::Bool(*bool)),
            Value::Int(int) => Some(Key::Int(*int)),
            // Keys that are numerically equal are one key, so 1.0 is stored as 1.
            Value::Float(float) => Some(whole(*float).map_or(Key::Float(*float), Key::Int)),
            Value::String(text) => Some(Key::String(text.clone())),
            _ => None,
        }
    }

    pub(crate) fn to_value(&self) -> Value {
        match self {
            Key::Bool(bool) => Value::Bool(*bool),
            Key::Int(int) => Value::Int(*int),
            Key::Float(float) => Value::Float(*float),
            Key::String(text) => Value::String(text.clone()),
        }
    }

    fn rank(&self) -> u8 {
        match self {
            Key::Bool(_) => 0,
            Key::Int(_) | Key::Float(_) => 1,
            Key::String(_) => 2,
        }
    }
}

/// The integer that a float is.
pub(crate) fn whole(float: f64) -> Option<i64> {
    // Both bounds are exact: -2^63 fits, 2^63 does not.
    let fits =
        float.fract() == 0.0 && (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&float);
    fits.then_some(float as i64)
}

/// Compares an integer with a float that is not an integer. They are never equal.
fn beside(int: i64, float: f64) -> Ordering {
    match (int as f64).partial_cmp(&float) {
        // The integer was rounded. The float is no integer of 64 bits, so it is beyond all of them.
        Some(Ordering::Equal) if float < 0.0 => Ordering::Greater,
        Some(Ordering::Equal) | None => Ordering::Less,
        Some(ordering) => ordering,
    }
}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        match (self, other) {
            (Key::Bool(a), Key::Bool(b)) => a.cmp(b),
            (Key::Int(a), Key::Int(b)) => a.cmp(b),
            // A total order, because a map also holds NaN.
            (Key::Float(a), Key::Float(b)) => a.total_cmp(b),
            (Key::Int(a), Key::Float(b)) => beside(*a, *b),
            (Key::Float(a), Key::Int(b)) => beside(*b, *a).reverse(),
            (Key::String(a), Key::String(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Key {}

#[cfg(test)]
mod tests {
    use super::{Key, Value};

    #[test]
    fn keys_have_a_total_order() {
        let values = [
            Value::from(false),
            Value::from(true),
            Value::from(f64::NEG_INFINITY),
            Value::from(i64::MIN),
            Value::from(-0.5),
            Value::from(0.0),
            Value::from(0.5),
            Value::from(1),
            Value::from(i64::MAX),
            Value::from(9_223_372_036_854_775_808.0),
            Value::from(f64::INFINITY),
            Value::from(f64::NAN),
            Value::from(""),
            Value::from("a"),
        ];
        let keys: Vec<Key> = values.iter().map(|value| Key::from_value(value).unwrap()).collect();
        for (i, a) in keys.iter().enumerate() {
            for (j, b) in keys.iter().enumerate() {
                assert_eq!(a.cmp(b), i.cmp(&j), "{a:?} {b:?}");
            }
        }
        assert_eq!(Key::from_value(&Value::from(1.0)), Key::from_value(&Value::from(1)));
        assert_eq!(Key::from_value(&Value::Null), None);
    }
}
