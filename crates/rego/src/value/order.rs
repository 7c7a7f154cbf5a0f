//! OPA's order: null, booleans, numbers, strings, arrays, objects, sets; unknown values come last.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::{Array, Object, Set, Value};

impl Value {
    // Checked with `sort` of OPA 1.20, which gives `[null, false, true, 3, "s", [2], {"a": 1}, {1}]`.
    fn rank(&self) -> u8 {
        match self {
            Self::Null => 0,
            Self::Bool(_) => 1,
            Self::Number(_) => 2,
            Self::String(_) => 3,
            Self::Array(_) => 4,
            Self::Object(_) => 5,
            Self::Set(_) => 6,
            Self::Unknown(_) => 7,
        }
    }
}

/// The order of the language. Unknown values are equal if they depend on the same things, which does not say that they
/// turn out to be equal, unless they have an origin.
impl Ord for Value {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => a.cmp(b),
            (Self::Number(a), Self::Number(b)) => a.cmp(b),
            (Self::String(a), Self::String(b)) => a.as_str().cmp(b.as_str()),
            // Values share their parts. Without a look at the addresses, comparing a value that has been
            // doubled 25 times with itself takes 2^25 steps.
            (Self::Array(a), Self::Array(b)) if Arc::ptr_eq(a, b) => Ordering::Equal,
            (Self::Array(a), Self::Array(b)) => a.items().cmp(b.items()),
            (Self::Object(a), Self::Object(b)) if Arc::ptr_eq(a, b) => Ordering::Equal,
            // Key and value of one member are compared before the next member: in OPA 1.20
            // `{"a": 2} < {"a": 1, "b": 0}` is false.
            (Self::Object(a), Self::Object(b)) => a.entries().cmp(b.entries()),
            (Self::Set(a), Self::Set(b)) if Arc::ptr_eq(a, b) => Ordering::Equal,
            (Self::Set(a), Self::Set(b)) => a.items().cmp(b.items()),
            (Self::Unknown(a), Self::Unknown(b)) => a.cmp(b),
            _ => self.rank().cmp(&other.rank()),
        }
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Array(a), Self::Array(b)) if a.len() != b.len() => false,
            (Self::Object(a), Self::Object(b)) if a.len() != b.len() => false,
            (Self::Set(a), Self::Set(b)) if a.len() != b.len() => false,
            (Self::String(a), Self::String(b)) => a == b,
            _ => self.cmp(other) == Ordering::Equal,
        }
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.rank().hash(state);
        match self {
            Self::Null => {}
            Self::Bool(value) => value.hash(state),
            Self::Number(number) => number.hash(state),
            Self::String(text) => text.as_str().hash(state),
            Self::Array(array) => array.items().hash(state),
            Self::Object(object) => object.entries().hash(state),
            Self::Set(set) => set.items().hash(state),
            Self::Unknown(unknown) => unknown.hash(state),
        }
    }
}

impl PartialEq for Array {
    fn eq(&self, other: &Self) -> bool {
        self.items() == other.items()
    }
}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        self.entries() == other.entries()
    }
}

impl PartialEq for Set {
    fn eq(&self, other: &Self) -> bool {
        self.items() == other.items()
    }
}

impl Eq for Array {}
impl Eq for Object {}
impl Eq for Set {}
