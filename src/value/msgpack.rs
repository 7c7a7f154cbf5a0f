//! Values as MessagePack: read and written under a known type, as go-cty does it for the plugin protocol.
//!
//! An unknown value is an extension: `d4 00 00` where nothing is promised, or one of code 12 whose payload
//! is a map of promises. Where the type is dynamic, an array of two holds the type, as JSON, and the value.
//! Marks have no form here.

mod cursor;
mod read;
mod refinements;
mod write;

pub use self::read::StatedTypes;
use super::limits::TooManyImplied;
use super::{ConstructError, ParseNumberError, Path, RefinementError, Type, Value, WriteError, nameless};

/// The longest message that is read, in bytes: the most that providers send or accept.
const MAX_MESSAGE: usize = 256 << 20;

/// The longest payload of an extension, in bytes.
const MAX_EXTENSION: u32 = 1024;

/// The longest prefix of an unknown string that is written, in bytes. A longer one is cut.
const MAX_PREFIX: usize = 256;

/// The maximum length of a written bound of an unknown number, in bytes; so both and the promise not
/// to be null fit into an extension.
const MAX_BOUND: usize = 500;

/// The extension with promises about an unknown value as payload. All other codes are a bare unknown.
const REFINED: i8 = 12;

/// Why bytes are not a value of a type: where they go wrong, and how. Never shows the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("byte {offset}: {}{problem}", if path.is_root() { String::new() } else { format!("{path}: ") })]
#[non_exhaustive]
pub struct MsgpackError {
    /// The start of the part with the problem, in bytes from the start of the message.
    pub offset: usize,
    /// The path in the value.
    pub path: Path,
    /// The problem.
    pub problem: MsgpackProblem,
}

/// A problem with a MessagePack message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MsgpackProblem {
    /// The message is longer than any that providers send.
    #[error("the message has {length} bytes, but at most {MAX_MESSAGE} are read")]
    MessageTooLong {
        /// Its length in bytes.
        length: usize,
    },
    /// The message ends inside of the value, or before a length that it states.
    #[error("the message ends too early: {missing} more bytes are needed at least")]
    TooShort {
        /// How many bytes are missing at least.
        missing: usize,
    },
    /// The message has bytes after the value.
    #[error("{count} more bytes follow the value; a message holds one value")]
    TrailingBytes {
        /// How many.
        count: usize,
    },
    /// Arrays and maps are in each other too deeply.
    #[error("the value is nested too deeply; fewer than {} levels are read", super::limits::MAX_DEPTH)]
    TooDeep,
    /// The message holds something of another kind than the type asks for.
    #[error("{expected} is expected here, not {found}")]
    WrongKind {
        /// The kind that the type asks for.
        expected: &'static str,
        /// The kind found.
        found: &'static str,
    },
    /// A tuple, an object or an inner structure has another number of parts than it must have.
    #[error("{expected} parts are expected here, not {found}")]
    WrongCount {
        /// How many there must be.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// The object type has no attribute of this name.
    #[error("the type has no such attribute; leave it out or correct its name")]
    NoSuchAttribute,
    /// A key is repeated in one map.
    #[error("this key is used twice; use each key once")]
    RepeatedKey,
    /// A text is not valid UTF-8.
    #[error("the text is not valid UTF-8")]
    InvalidUtf8,
    /// A text is not a number.
    #[error(transparent)]
    Number(#[from] ParseNumberError),
    /// A number is NaN.
    #[error("NaN is not a number; use null or an unknown value instead")]
    NotANumber,
    /// The text is not a type.
    #[error(r#"the first of the two parts must be a type as JSON, such as "string" or ["list","string"]"#)]
    InvalidType,
    /// The elements of a collection have several types.
    #[error(transparent)]
    Elements(ConstructError),
    /// An extension is too long.
    #[error("an extension has {length} bytes, but at most {MAX_EXTENSION} are read")]
    ExtensionTooLong {
        /// Its length in bytes.
        length: u32,
    },
    /// A promise about an unknown value is repeated.
    #[error("a promise about the unknown value is repeated; use each promise once")]
    RepeatedPromise,
    /// The length of an unknown collection is promised to be below zero or beyond 64 bits.
    #[error("the promised length of a collection must be from 0 to 2^64 - 1")]
    LengthOutOfRange,
    /// Promises about an unknown value that cannot hold.
    #[error(transparent)]
    Refinement(#[from] RefinementError),
    /// The message implies too many parts that it does not spell out.
    #[error(transparent)]
    TooManyImplied(#[from] TooManyImplied),
}

/// If the message states the type, attribute names are content.
impl From<ConstructError> for MsgpackProblem {
    fn from(ConstructError { expected, found }: ConstructError) -> Self {
        Self::Elements(ConstructError { expected: nameless(&expected), found: nameless(&found) })
    }
}

impl MsgpackProblem {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::MessageTooLong { .. } => "message_too_long",
            Self::TooShort { .. } => "too_short",
            Self::TrailingBytes { .. } => "trailing_bytes",
            Self::TooDeep => "too_deep",
            Self::WrongKind { .. } => "wrong_kind",
            Self::WrongCount { .. } => "wrong_count",
            Self::NoSuchAttribute => "no_such_attribute",
            Self::RepeatedKey => "repeated_key",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::NotANumber => "nan",
            Self::InvalidType => "invalid_type",
            Self::ExtensionTooLong { .. } => "extension_too_long",
            Self::RepeatedPromise => "repeated_promise",
            Self::LengthOutOfRange => "length_out_of_range",
            Self::Number(error) => error.kind(),
            Self::Elements(error) => error.kind(),
            Self::Refinement(error) => error.kind(),
            Self::TooManyImplied(error) => error.kind(),
        }
    }
}

impl Value {
    /// Reads a value from go-cty's MessagePack, as the plugin protocol carries it, under a type.
    ///
    /// Accepts the same messages as go-cty: numbers in any form, map keys and attributes in any order, and
    /// for any object type the empty map, which is the object without attributes. In addition, an extension
    /// with an unsupported code is an unknown value, as the protocol's documentation says, and unsupported
    /// promises are skipped.
    ///
    /// # Errors
    ///
    /// The bytes are not one whole message, or not a value of the type. Examples: a repeated key, a missing
    /// attribute, NaN, 128 levels of nesting or more, an extension of more than 1,024 bytes, or a message
    /// of more than 256 MiB.
    ///
    /// ```
    /// use objchange::{Type, Value};
    ///
    /// let ty = Type::list(Type::Number);
    /// assert_eq!(Value::from_msgpack(b"\x92\x01\xa30.5", &ty)?, Value::from_json("[1,0.5]", &ty).unwrap());
    /// assert_eq!(
    ///     Value::from_msgpack(b"\x92\x01\xc3", &ty).unwrap_err().to_string(),
    ///     "byte 2: [1]: a number is expected here, not a bool"
    /// );
    /// # Ok::<(), objchange::value::MsgpackError>(())
    /// ```
    pub fn from_msgpack(bytes: &[u8], ty: &Type) -> Result<Self, MsgpackError> {
        read::from_slice(bytes, Some(ty), &mut StatedTypes::default())
    }

    /// Reads a value from go-cty's MessagePack where its type is not known: maps become objects, arrays tuples, and nulls
    /// and unknown values have the dynamic type. Parts that state their type have it.
    ///
    /// A number that no binary64 holds exactly is text in such a message, and so it is here.
    ///
    /// # Errors
    ///
    /// As [`Value::from_msgpack`].
    ///
    /// ```
    /// use objchange::Value;
    ///
    /// let value = Value::from_msgpack_untyped(b"\x81\xa1a\x92\x01\xa1x")?;
    /// assert_eq!(value, Value::object([("a", Value::tuple([Value::from(1), Value::from("x")]))]));
    /// # Ok::<(), objchange::value::MsgpackError>(())
    /// ```
    pub fn from_msgpack_untyped(bytes: &[u8]) -> Result<Self, MsgpackError> {
        read::from_slice(bytes, None, &mut StatedTypes::default())
    }

    /// Reads one of many values, as [`Value::from_msgpack`] or, without a type, [`Value::from_msgpack_untyped`] does. The types that
    /// earlier ones stated are not parsed again, and shared.
    ///
    /// # Errors
    ///
    /// As [`Value::from_msgpack`].
    ///
    /// ```
    /// use objchange::value::StatedTypes;
    /// use objchange::{Type, Value};
    ///
    /// let mut types = StatedTypes::default();
    /// for _ in 0..2 {
    ///     let value = Value::from_msgpack_stating(b"\x92\xc4\x08\"number\"\x01", Some(&Type::Dynamic), &mut types)?;
    ///     assert_eq!(value, Value::from(1));
    /// }
    /// # Ok::<(), objchange::value::MsgpackError>(())
    /// ```
    pub fn from_msgpack_stating(
        bytes: &[u8],
        ty: Option<&Type>,
        types: &mut StatedTypes,
    ) -> Result<Self, MsgpackError> {
        read::from_slice(bytes, ty, types)
    }

    /// Writes the value under a type as go-cty's MessagePack, byte for byte.
    ///
    /// A string prefix of more than 256 bytes is cut between two characters as readers see them, and a bound
    /// that takes more than 500 bytes is left out: a weaker promise, where readers refuse a longer form.
    ///
    /// # Errors
    ///
    /// Part of the value is marked, or the value is not of the type.
    ///
    /// ```
    /// use objchange::{Type, Value};
    ///
    /// let value = Value::object([("size", Value::from(20)), ("id", Value::unknown(Type::String))]);
    /// assert_eq!(value.to_msgpack(value.ty())?, b"\x82\xa2id\xd4\x00\x00\xa4size\x14");
    /// assert!(Value::from("x").sensitive().to_msgpack(&Type::String).is_err());
    /// # Ok::<(), objchange::value::WriteError>(())
    /// ```
    pub fn to_msgpack(&self, ty: &Type) -> Result<Vec<u8>, WriteError> {
        write::to_vec(self, ty)
    }
}
