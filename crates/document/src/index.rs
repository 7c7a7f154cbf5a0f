//! The keys of instances.

use std::fmt;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::json::{Builder, Json, JsonError, Raw, Shape, serialize_number};
use crate::text::Text;

/// The key of an instance, from `count` or `for_each`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Index<'t> {
    /// The position of `count`, as the document writes it.
    Number(Text<'t>),
    /// The key of `for_each`.
    Key(Text<'t>),
}

impl<'t> Index<'t> {
    /// Reads the index of a resource; `None` for null.
    ///
    /// # Errors
    ///
    /// It is neither a number nor a string.
    pub fn read(part: Option<Raw<'t>>) -> Result<Option<Self>, JsonError> {
        let Some(part) = part else { return Ok(None) };
        let json = Json::read(&part)?;
        let text = json.view().text().unwrap_or_default();
        match json.view().shape() {
            Shape::Null => Ok(None),
            Shape::Number(_) => Ok(Some(Self::Number(text))),
            Shape::String(_) => Ok(Some(Self::Key(text))),
            _ => Err(part.reader().error("an index is a number or a string")),
        }
    }
}

impl Json<'_> {
    /// An array of names, keys and positions.
    pub(crate) fn of_path(path: &[Index<'_>]) -> Self {
        let mut builder = Builder::of_made();
        let built = builder.make_array(path, |builder, step| match step {
            Index::Number(number) => builder.make_number(number),
            Index::Key(key) => builder.make_string(key),
        });
        builder.finish()(built)
    }
}

impl Serialize for Index<'_> {
    /// A number or a string.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Number(number) => serialize_number(number, serializer),
            Self::Key(key) => key.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Index<'_> {
    /// A number or a string.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Key;
        impl Visitor<'_> for Key {
            type Value = Index<'static>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number or a string")
            }

            fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
                Ok(Index::Number(number.to_string().into()))
            }

            fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
                Ok(Index::Number(number.to_string().into()))
            }

            fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
                Ok(Index::Number(number.to_string().into()))
            }

            fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
                Ok(Index::Key(key.to_owned().into()))
            }
        }
        deserializer.deserialize_any(Key)
    }
}
