//! Deserializes with serde, through our reader.

use std::borrow::Cow;
use std::fmt::{self, Display};

use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, EnumAccess, Expected, MapAccess, SeqAccess, Unexpected,
    VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

use super::{JsonError, JsonErrorKind, Reader, Segment, Token};

/// Reads all of a text as [`Reader::strict`] does.
///
/// # Errors
///
/// The text is not one JSON value, or none of this type.
pub fn from_str<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, JsonError> {
    let mut reader = Reader::strict(text);
    let value = T::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// The text of a part that is read later. Only [`from_str`] knows how to set it aside, and only the brackets and
/// strings in it are known to be well-formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RawPart<'t>(pub &'t str);

const PART: &str = "objchange::json::RawPart";

impl<'de: 'a, 'a> Deserialize<'de> for RawPart<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PartVisitor;
        impl<'de> Visitor<'de> for PartVisitor {
            type Value = RawPart<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a part of a JSON text")
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<RawPart<'de>, E> {
                Ok(RawPart(text))
            }
        }
        deserializer.deserialize_newtype_struct(PART, PartVisitor)
    }
}

/// The messages of serde without values, which may be secret.
impl de::Error for JsonError {
    fn custom<T: Display>(message: T) -> Self {
        Self::nowhere(message.to_string())
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        let found = match found {
            Unexpected::Bool(_) => "boolean",
            Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_) => "number",
            Unexpected::Char(_) | Unexpected::Str(_) => "string",
            Unexpected::Unit | Unexpected::Option => "null",
            Unexpected::Seq => "sequence",
            Unexpected::Map => "map",
            Unexpected::Other(other) => other,
            _ => "this",
        };
        Self::custom(format_args!("{expected} is expected here, not {found}"))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        one_of(expected, "variants")
    }

    fn unknown_field(_: &str, expected: &'static [&'static str]) -> Self {
        one_of(expected, "fields")
    }
}

fn one_of(names: &[&str], kind: &str) -> JsonError {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    let expected = match quoted.as_slice() {
        [] => return de::Error::custom(format_args!("{kind} is expected here")),
        [one] => one.clone(),
        [one, other] => format!("{one} or {other}"),
        _ => format!("one of {}", quoted.join(", ")),
    };
    de::Error::custom(format_args!("{expected} is expected here"))
}

impl<'de> Reader<'de> {
    /// Reads the next value with a visitor.
    fn visit<V: Visitor<'de>>(&mut self, visitor: V) -> Result<V::Value, JsonError> {
        let token = self.token()?;
        let opened = self.at - 1;
        let visited = match token {
            Token::Null => visitor.visit_unit(),
            Token::Bool(bool) => visitor.visit_bool(bool),
            Token::Number(text) => number(text, visitor),
            Token::String(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Token::String(Cow::Owned(text)) => visitor.visit_string(text),
            Token::Array => {
                let mut elements = Elements { reader: self, next: 0, ended: false };
                let visited = visitor.visit_seq(&mut elements);
                let ended = elements.ended;
                return self.expect_end(visited, ended, opened, b']');
            }
            Token::Object => {
                let mut members = Members { reader: self, key: None, is_first: true, ended: false };
                let visited = visitor.visit_map(&mut members);
                let ended = members.ended;
                return self.expect_end(visited, ended, opened, b'}');
            }
        };
        visited.map_err(|error| error.or_at(self.at - 1))
    }

    /// Requires that a visitor has read all of an array or object that began at a byte.
    fn expect_end<T>(
        &mut self,
        visited: Result<T, JsonError>,
        ended: bool,
        opened: usize,
        bracket: u8,
    ) -> Result<T, JsonError> {
        let visited = visited.map_err(|error| error.or_at(self.at - 1))?;
        if !ended {
            if self.peek() != Some(bracket) {
                return Err(JsonError::new(JsonErrorKind::Mismatch, opened, "this has too many parts"));
            }
            self.at += 1;
        }
        self.leave();
        Ok(visited)
    }
}

/// A number as serde has them: an integer of 64 bits, or a double.
fn number<'de, V: Visitor<'de>>(text: &str, visitor: V) -> Result<V::Value, JsonError> {
    if let Ok(n) = text.parse::<u64>() {
        visitor.visit_u64(n)
    } else if let Ok(n @ ..0) = text.parse::<i64>() {
        visitor.visit_i64(n)
    } else {
        match text.parse::<f64>() {
            Ok(n) if n.is_finite() => visitor.visit_f64(n),
            _ => Err(de::Error::custom("this number is out of range")),
        }
    }
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = JsonError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.visit(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        // No other value of JSON begins with this letter.
        if self.peek() != Some(b'n') {
            return visitor.visit_some(self);
        }
        self.word("null")?;
        visitor.visit_none()
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        // Serde has no call for raw text, so the name of a newtype asks for it, as serde_json does for its `RawValue`.
        if name == PART {
            visitor.visit_borrowed_str(self.raw()?.text())
        } else {
            visitor.visit_newtype_struct(self)
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        let visited = match self.token()? {
            Token::String(name) => visitor.visit_enum(de::value::CowStrDeserializer::<JsonError>::new(name)),
            Token::Object => {
                let mut is_first = true;
                let Some(name) = self.next_member(&mut is_first)? else {
                    return Err(self.mismatch("an object with one key is expected here"));
                };
                let value = visitor.visit_enum(Variant { reader: self, name: &name });
                let value = value.map_err(|error| error.or_at(self.at - 1))?;
                if self.next_key(&mut is_first)? {
                    return Err(self.error("an object with one key is expected here"));
                }
                self.leave();
                return Ok(value);
            }
            _ => Err(de::Error::custom("a string or an object with one key is expected here")),
        };
        visited.map_err(|error| error.or_at(self.at - 1))
    }

    /// An array is not a struct, though serde's own visitors take its elements for the fields in their order.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        if self.peek() == Some(b'[') {
            let message = "an object is expected here, not a sequence";
            return Err(JsonError::new(JsonErrorKind::Mismatch, self.at, message));
        }
        self.visit(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, JsonError> {
        self.raw()?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map identifier
    }
}

struct Elements<'r, 'de> {
    reader: &'r mut Reader<'de>,
    next: usize,
    ended: bool,
}

impl<'de> SeqAccess<'de> for &mut Elements<'_, 'de> {
    type Error = JsonError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, JsonError> {
        if self.ended {
            return Ok(None);
        }
        if !self.reader.next_element(&mut (self.next == 0))? {
            self.ended = true;
            return Ok(None);
        }
        let position = self.next;
        self.next += 1;
        let element = seed.deserialize(&mut *self.reader);
        let at = self.reader.at - 1;
        element.map(Some).map_err(|error| error.or_at(at).within(Segment::Position(position)))
    }
}

struct Members<'r, 'de> {
    reader: &'r mut Reader<'de>,
    /// The key whose value comes next.
    key: Option<Cow<'de, str>>,
    is_first: bool,
    ended: bool,
}

impl<'de> MapAccess<'de> for &mut Members<'_, 'de> {
    type Error = JsonError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, JsonError> {
        if self.ended || !self.reader.next_key(&mut self.is_first)? {
            self.ended = true;
            return Ok(None);
        }
        let key = self.reader.string()?;
        let read = match &key {
            Cow::Borrowed(key) => seed.deserialize(de::value::BorrowedStrDeserializer::new(key)),
            Cow::Owned(key) => seed.deserialize(de::value::StrDeserializer::new(key)),
        };
        self.key = Some(key);
        read.map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, JsonError> {
        self.reader.colon()?;
        let value = seed.deserialize(&mut *self.reader);
        let at = self.reader.at - 1;
        let key = self.key.take().unwrap_or_default();
        value.map_err(|error| error.or_at(at).within(Segment::Key(key.into_owned())))
    }
}

struct Variant<'r, 'de, 'n> {
    reader: &'r mut Reader<'de>,
    name: &'n str,
}

impl<'de> EnumAccess<'de> for Variant<'_, 'de, '_> {
    type Error = JsonError;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Self), JsonError> {
        Ok((seed.deserialize(de::value::StrDeserializer::new(self.name))?, self))
    }
}

impl<'de> VariantAccess<'de> for Variant<'_, 'de, '_> {
    type Error = JsonError;

    fn unit_variant(self) -> Result<(), JsonError> {
        Deserialize::deserialize(self.reader)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, JsonError> {
        seed.deserialize(self.reader)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, JsonError> {
        self.reader.visit(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, JsonError> {
        self.reader.visit(visitor)
    }
}

#[cfg(test)]
mod tests;
