//! Values: immutable, shared, cheap to clone, in OPA's order.

mod bytes;
mod collection;
mod float;
mod number;
mod operate;
mod order;
mod read;
mod types;
mod unknown;
mod write;

use std::sync::Arc;

use smol_str::SmolStr;

pub use bytes::shown;
pub(crate) use bytes::{bytes_of_text, text_of_bytes};
pub use collection::{Array, Object, Set};
pub use number::Number;
pub use operate::ArithmeticError;
pub use read::MAX_DEPTH as MAX_JSON_DEPTH;
pub use types::Types;
pub use unknown::Unknown;
pub(crate) use unknown::{Edges, Hint, OperationName, Origin, Presence, Text, bounds_of};

/// This many bytes of a text count as one value.
pub const TEXT_OF_PART: u64 = 32;

/// A value of Rego, or one that is not known yet.
#[derive(Clone)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, which keeps how it was written.
    Number(Number),
    /// A string.
    String(SmolStr),
    /// An array.
    Array(Arc<Array>),
    /// An object, whose keys may be any values.
    Object(Arc<Object>),
    /// A set.
    Set(Arc<Set>),
    /// An unknown value, which may be any value.
    Unknown(Unknown),
}

// `SmolStr` has 24 bytes, and the tag of the variant fits in bit patterns that it does not use. A larger
// variant would add to each of the millions of values of a large plan.
const _: () = assert!(size_of::<Value>() <= 24);

impl Value {
    /// A string.
    pub fn string(text: impl AsRef<str>) -> Self {
        Self::String(SmolStr::new(text))
    }

    /// A whole number.
    pub fn int(number: impl Into<i64>) -> Self {
        Self::Number(Number::from(number.into()))
    }

    /// An array of these elements.
    pub fn array(items: impl Into<Vec<Value>>) -> Self {
        Self::Array(Arc::new(Array::new(items.into())))
    }

    /// An object of these members. If a key is repeated the last value wins.
    pub fn object(entries: impl Into<Vec<(Value, Value)>>) -> Self {
        Self::Object(Arc::new(Object::new(entries.into())))
    }

    /// A set of these elements.
    pub fn set(items: impl Into<Vec<Value>>) -> Self {
        Self::Set(Arc::new(Set::new(items.into())))
    }

    /// The name of its type, as `type_name` gives it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "boolean",
            Self::Number(_) => "number",
            Self::String(_) => "string",
            Self::Array(_) => "array",
            Self::Object(_) => "object",
            Self::Set(_) => "set",
            Self::Unknown(_) => "unknown",
        }
    }

    /// Whether it is unknown or something inside it is. Constant time.
    pub fn contains_unknown(&self) -> bool {
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) => false,
            Self::Array(array) => array.contains_unknown(),
            Self::Object(object) => object.contains_unknown(),
            Self::Set(set) => set.contains_unknown(),
            Self::Unknown(_) => true,
        }
    }

    /// How many collections are within each other, this one included: 0 for a scalar. Constant time.
    pub fn depth(&self) -> u32 {
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) | Self::Unknown(_) => 0,
            Self::Array(array) => array.depth(),
            Self::Object(object) => object.depth(),
            Self::Set(set) => set.depth(),
        }
    }

    /// The number of values in it, which is the number of steps of a walk over it: shared ones count each
    /// time, and long texts as several. Constant time.
    pub fn parts(&self) -> u64 {
        match self {
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::Unknown(_) => 1,
            Self::String(text) => 1 + text.len() as u64 / TEXT_OF_PART,
            Self::Array(array) => array.parts(),
            Self::Object(object) => object.parts(),
            Self::Set(set) => set.parts(),
        }
    }

    /// The unknown values inside, if there are any.
    pub fn unknowns(&self) -> Option<Unknown> {
        let mut found = None;
        self.collect_unknowns(&mut found);
        found
    }

    fn collect_unknowns(&self, found: &mut Option<Unknown>) {
        if !self.contains_unknown() {
            return;
        }
        match self {
            Self::Unknown(unknown) => {
                *found = Some(match found.take() {
                    Some(others) => others.union(unknown),
                    None => unknown.clone(),
                });
            }
            Self::Array(array) => array.iter().for_each(|v| v.collect_unknowns(found)),
            Self::Set(set) => set.iter().for_each(|v| v.collect_unknowns(found)),
            Self::Object(object) => {
                for (key, value) in object.iter() {
                    key.collect_unknowns(found);
                    value.collect_unknowns(found);
                }
            }
            Self::Null | Self::Bool(_) | Self::Number(_) | Self::String(_) => {}
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// A number.
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Self::Number(number) => Some(number),
            _ => None,
        }
    }

    /// An array.
    pub fn as_array(&self) -> Option<&Array> {
        match self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// An object.
    pub fn as_object(&self) -> Option<&Object> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// A set.
    pub fn as_set(&self) -> Option<&Set> {
        match self {
            Self::Set(set) => Some(set),
            _ => None,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::string(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(SmolStr::from(text))
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Self {
        Self::Number(number)
    }
}
