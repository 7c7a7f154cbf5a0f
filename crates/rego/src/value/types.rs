//! Sets of types, and the types that values may have.

use std::fmt;

use super::{Hint, Value};

/// A set of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Types(u8);

// In OPA's order: `are_below` relies on it.
impl Types {
    /// `null`
    pub const NULL: Self = Self(1);
    /// `boolean`
    pub const BOOLEAN: Self = Self(2);
    /// `number`
    pub const NUMBER: Self = Self(4);
    /// `string`
    pub const STRING: Self = Self(8);
    /// `array`
    pub const ARRAY: Self = Self(16);
    /// `object`
    pub const OBJECT: Self = Self(32);
    /// `set`
    pub const SET: Self = Self(64);
    /// Every type.
    pub const ANY: Self = Self(127);
    /// All types that have members.
    pub(crate) const COLLECTIONS: Self = Self::ARRAY.or(Self::OBJECT).or(Self::SET);

    /// The types of both.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The types that are in both.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// There is no type in it.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a value has one of the types. An unknown value may have every type.
    pub fn contains(self, value: &Value) -> bool {
        matches!(value, Value::Unknown(_)) || !self.and(Self::of(value)).is_empty()
    }

    /// Whether a value may have one of the types.
    pub(crate) fn may_be(self, value: &Value) -> bool {
        !self.and(Self::of(value)).is_empty()
    }

    /// Whether all values of these types come before all values of the others, in OPA's order.
    pub(crate) fn are_below(self, others: Self) -> bool {
        // The numbers of the types are in that order.
        let lowest = others.0 & others.0.wrapping_neg();
        self.0 < lowest && !self.is_empty()
    }

    /// The types that a value may have.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(_) => Self::NUMBER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
            Value::Set(_) => Self::SET,
            Value::Unknown(unknown) => match unknown.hint() {
                // To policies a marker equals an object.
                None | Some(Hint::Marker) => Self::ANY,
                Some(Hint::Types(types)) => *types,
                Some(Hint::Bool) => Self::BOOLEAN,
                Some(Hint::Text(_)) => Self::STRING,
                Some(Hint::Count { .. }) => Self::NUMBER,
                Some(Hint::Set { .. }) => Self::SET,
                Some(Hint::Array(_)) => Self::ARRAY,
                Some(Hint::Object { .. }) => Self::OBJECT,
            },
        }
    }

    /// The names of the types, in the order in which OPA lists them.
    pub(crate) fn names(self) -> Vec<&'static str> {
        let all = [
            (Self::NULL, "null"),
            (Self::BOOLEAN, "boolean"),
            (Self::NUMBER, "number"),
            (Self::STRING, "string"),
            (Self::OBJECT, "object"),
            (Self::SET, "set"),
            (Self::ARRAY, "array"),
        ];
        all.into_iter().filter(|(ty, _)| self.0 & ty.0 != 0).map(|(_, name)| name).collect()
    }
}

/// Such as `number`, `any`, or `{set, array}`.
impl fmt::Display for Types {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::ANY {
            return f.write_str("any");
        }
        match self.names().as_slice() {
            [name] => f.write_str(name),
            names => write!(f, "{{{}}}", names.join(", ")),
        }
    }
}
