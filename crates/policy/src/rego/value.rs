//! Anything that serde can write, as a value of policies.

use std::collections::HashSet;
use std::fmt;

use objchange_rego::Value;
use objchange_rego::value::Number;
use serde::ser::{self, Impossible, Serialize, Serializer};
use smol_str::SmolStr;

use super::secret::{Replacement, unknown_secret};
use crate::collection::{SECRET_MARKS, SecretKind};
use objchange_text::redact::SENSITIVE;

/// Makes values that share their texts: a plan repeats the names of attributes, types and providers for each resource.
#[derive(Default)]
pub(super) struct Values {
    texts: HashSet<SmolStr, foldhash::fast::RandomState>,
    stand_in: StandIn,
    /// A secret was replaced.
    pub(super) hides_secrets: bool,
}

/// The values in place of secrets.
#[derive(Debug, Clone, Copy, Default)]
pub(super) enum StandIn {
    /// `(sensitive value)`
    #[default]
    Text,
    Value(Replacement),
    Unknown,
}

/// The maximum length of a shared text. Longer texts are mostly unique, so looking them up is in vain.
const LONGEST_SHARED: usize = 64;

impl Values {
    pub(super) fn with(stand_in: StandIn) -> Self {
        Self { stand_in, ..Self::default() }
    }

    pub(super) fn convert<T: Serialize + ?Sized>(&mut self, written: &T) -> Result<Value, SerializeError> {
        written.serialize(&mut *self)
    }

    fn text(&mut self, text: &str) -> Value {
        if text != SENSITIVE {
            return self.shared(text);
        }
        self.hides_secrets = true;
        // Constants of the configuration and keys of paths do not say of which kind their secret is.
        match self.stand_in {
            StandIn::Text => self.shared(text),
            StandIn::Value(replacement) => replacement.stand_in(SecretKind::LongText),
            StandIn::Unknown => unknown_secret(None),
        }
    }

    fn shared(&mut self, text: &str) -> Value {
        if text.len() > LONGEST_SHARED {
            return Value::String(SmolStr::new(text));
        }
        if let Some(shared) = self.texts.get(text) {
            return Value::String(shared.clone());
        }
        let shared = SmolStr::new(text);
        self.texts.insert(shared.clone());
        Value::String(shared)
    }
}

/// Why something cannot be a value of policies.
#[derive(Debug)]
pub(super) struct SerializeError(String);

impl fmt::Display for SerializeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for SerializeError {}

impl ser::Error for SerializeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

pub(super) struct List<'a> {
    values: &'a mut Values,
    items: Vec<Value>,
}

pub(super) struct Map<'a> {
    values: &'a mut Values,
    members: Vec<(Value, Value)>,
    key: Value,
    /// `serde_json` hands over numbers as text in a structure of this name.
    is_raw: bool,
}

/// No document is written with these.
const NO_VARIANT: &str = "variants are no values of policies";

const RAW: &str = "$serde_json::private::RawValue";

impl<'a> Serializer for &'a mut Values {
    type Ok = Value;
    type Error = SerializeError;
    type SerializeSeq = List<'a>;
    type SerializeTuple = List<'a>;
    type SerializeTupleStruct = List<'a>;
    type SerializeTupleVariant = Impossible<Value, SerializeError>;
    type SerializeMap = Map<'a>;
    type SerializeStruct = Map<'a>;
    type SerializeStructVariant = Impossible<Value, SerializeError>;

    fn serialize_bool(self, value: bool) -> Result<Value, SerializeError> {
        Ok(Value::Bool(value))
    }

    fn serialize_i8(self, value: i8) -> Result<Value, SerializeError> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<Value, SerializeError> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Result<Value, SerializeError> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Result<Value, SerializeError> {
        Ok(Value::int(value))
    }

    fn serialize_u8(self, value: u8) -> Result<Value, SerializeError> {
        self.serialize_u64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<Value, SerializeError> {
        self.serialize_u64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<Value, SerializeError> {
        self.serialize_u64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<Value, SerializeError> {
        match i64::try_from(value) {
            Ok(value) => Ok(Value::int(value)),
            // Larger numbers stay exact: OPA does not round them, either.
            Err(_) => number(&value.to_string()),
        }
    }

    fn serialize_f32(self, value: f32) -> Result<Value, SerializeError> {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Result<Value, SerializeError> {
        let number = Number::from_f64(value).map(Value::Number);
        number.ok_or_else(|| ser::Error::custom("a number is not finite"))
    }

    fn serialize_char(self, value: char) -> Result<Value, SerializeError> {
        Ok(self.text(value.encode_utf8(&mut [0; 4])))
    }

    fn serialize_str(self, value: &str) -> Result<Value, SerializeError> {
        Ok(self.text(value))
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<Value, SerializeError> {
        Err(ser::Error::custom("bytes are no value of policies"))
    }

    fn serialize_none(self) -> Result<Value, SerializeError> {
        Ok(Value::Null)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<Value, SerializeError> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<Value, SerializeError> {
        Ok(Value::Null)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<Value, SerializeError> {
        Ok(Value::Null)
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<Value, SerializeError> {
        // A variant's name is one of ours, and never a secret.
        Ok(self.shared(variant))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<Value, SerializeError> {
        let kind = SecretKind::from_name(name);
        self.hides_secrets |= kind.is_some() || name == SECRET_MARKS;
        match (kind, self.stand_in) {
            (Some(kind), StandIn::Value(replacement)) => Ok(replacement.stand_in(kind)),
            (Some(kind), StandIn::Unknown) => Ok(unknown_secret(Some(kind))),
            (None, StandIn::Unknown) if name == SECRET_MARKS => Ok(unknown_secret(None)),
            _ => value.serialize(self),
        }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Value, SerializeError> {
        Err(ser::Error::custom(NO_VARIANT))
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<List<'a>, SerializeError> {
        // Whoever serialises states the length, so memory is reserved for a part of it only.
        Ok(List { values: self, items: Vec::with_capacity(len.unwrap_or(0).min(4096)) })
    }

    fn serialize_tuple(self, len: usize) -> Result<List<'a>, SerializeError> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<List<'a>, SerializeError> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, SerializeError> {
        Err(ser::Error::custom(NO_VARIANT))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Map<'a>, SerializeError> {
        Ok(Map { values: self, members: Vec::new(), key: Value::Null, is_raw: false })
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Map<'a>, SerializeError> {
        Ok(Map { is_raw: name == RAW, ..self.serialize_map(None)? })
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, SerializeError> {
        Err(ser::Error::custom(NO_VARIANT))
    }
}

macro_rules! list {
    ($($trait_name:ident :: $item:ident),*) => {$(
        impl ser::$trait_name for List<'_> {
            type Ok = Value;
            type Error = SerializeError;

            fn $item<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerializeError> {
                let value = value.serialize(&mut *self.values)?;
                self.items.push(value);
                Ok(())
            }

            fn end(self) -> Result<Value, SerializeError> {
                Ok(Value::array(self.items))
            }
        }
    )*};
}

list!(
    SerializeSeq::serialize_element,
    SerializeTuple::serialize_element,
    SerializeTupleStruct::serialize_field
);

impl ser::SerializeMap for Map<'_> {
    type Ok = Value;
    type Error = SerializeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), SerializeError> {
        self.key = key.serialize(Key(self.values))?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerializeError> {
        let value = value.serialize(&mut *self.values)?;
        self.members.push((std::mem::replace(&mut self.key, Value::Null), value));
        Ok(())
    }

    fn end(self) -> Result<Value, SerializeError> {
        Ok(Value::object(self.members))
    }
}

impl ser::SerializeStruct for Map<'_> {
    type Ok = Value;
    type Error = SerializeError;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), SerializeError> {
        let value = value.serialize(&mut *self.values)?;
        let name = self.values.shared(name);
        self.members.push((name, value));
        Ok(())
    }

    fn end(mut self) -> Result<Value, SerializeError> {
        match self.is_raw.then(|| self.members.pop()).flatten() {
            Some((_, Value::String(json))) => number(&json),
            _ => Ok(Value::object(self.members)),
        }
    }
}

fn number(json: &str) -> Result<Value, SerializeError> {
    let number = if has_too_many_digits(json) { None } else { Number::parse(json) };
    number
        .map(Value::Number)
        .ok_or_else(|| ser::Error::custom("a number has more digits than policies can take"))
}

/// A number is written out where policies compute with it: an exponent of nine digits would take hours.
fn has_too_many_digits(number: &str) -> bool {
    let exponent = number.split_once(['e', 'E']).map(|(_, exponent)| exponent.parse::<i64>());
    number.len() > 10_000
        || exponent.is_some_and(|exponent| !exponent.is_ok_and(|n| (-5_000..=5_000).contains(&n)))
}

/// The key of a member: a text, which never hides a secret.
struct Key<'a>(&'a mut Values);

macro_rules! no_keys {
    ($($name:ident($($type:ty),*) -> $out:ty;)*) => {$(
        fn $name(self, $(_: $type),*) -> Result<$out, SerializeError> {
            Err(ser::Error::custom("a key is a text"))
        }
    )*};
}

impl Serializer for Key<'_> {
    type Ok = Value;
    type Error = SerializeError;
    type SerializeSeq = Impossible<Value, SerializeError>;
    type SerializeTuple = Impossible<Value, SerializeError>;
    type SerializeTupleStruct = Impossible<Value, SerializeError>;
    type SerializeTupleVariant = Impossible<Value, SerializeError>;
    type SerializeMap = Impossible<Value, SerializeError>;
    type SerializeStruct = Impossible<Value, SerializeError>;
    type SerializeStructVariant = Impossible<Value, SerializeError>;

    fn serialize_str(self, key: &str) -> Result<Value, SerializeError> {
        Ok(self.0.shared(key))
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        key: &T,
    ) -> Result<Value, SerializeError> {
        key.serialize(self)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, key: &T) -> Result<Value, SerializeError> {
        key.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> Result<Value, SerializeError> {
        Err(ser::Error::custom("a key is a text"))
    }

    no_keys! {
        serialize_bool(bool) -> Value;
        serialize_i8(i8) -> Value;
        serialize_i16(i16) -> Value;
        serialize_i32(i32) -> Value;
        serialize_i64(i64) -> Value;
        serialize_u8(u8) -> Value;
        serialize_u16(u16) -> Value;
        serialize_u32(u32) -> Value;
        serialize_u64(u64) -> Value;
        serialize_f32(f32) -> Value;
        serialize_f64(f64) -> Value;
        serialize_char(char) -> Value;
        serialize_bytes(&[u8]) -> Value;
        serialize_none() -> Value;
        serialize_unit() -> Value;
        serialize_unit_struct(&'static str) -> Value;
        serialize_unit_variant(&'static str, u32, &'static str) -> Value;
        serialize_seq(Option<usize>) -> Self::SerializeSeq;
        serialize_tuple(usize) -> Self::SerializeTuple;
        serialize_tuple_struct(&'static str, usize) -> Self::SerializeTupleStruct;
        serialize_tuple_variant(&'static str, u32, &'static str, usize) -> Self::SerializeTupleVariant;
        serialize_map(Option<usize>) -> Self::SerializeMap;
        serialize_struct(&'static str, usize) -> Self::SerializeStruct;
        serialize_struct_variant(&'static str, u32, &'static str, usize) -> Self::SerializeStructVariant;
    }
}
