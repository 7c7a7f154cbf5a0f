//! Values as JSON: read and written under a known type.
//!
//! Two forms share one reader and one writer. *Plain* is go-cty's JSON, as state files hold it: it has no
//! unknown values and no marks. *Markers* is the form of case files (`schema/case.schema.json`), which writes an
//! unknown part as `{"$unknown":{}}` and a sensitive one as `{"$sensitive":…}`.

use super::{Path, PathStack, Type, Value, nameless};

mod path;
mod read;
mod refinements;
mod write;

pub use objchange_text::json::JsonErrorKind as ReadErrorKind;

/// How a value is written as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    Markers,
    /// As markers, without marked content.
    Redacted,
}

/// The reason why a text is not a value of a type, with its place. Never shows the value, except for keys
/// of maps in the path: hiding those takes a schema
/// ([`Block::hide_keys`](crate::schema::Block::hide_keys)).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {}{message}", super::place(path))]
#[non_exhaustive]
pub struct ReadError {
    /// The kind of problem: [`Mismatch`](ReadErrorKind::Mismatch) if the text is JSON.
    pub kind: ReadErrorKind,
    /// The byte in the text that is wrong, from 0: the last byte of an unexpected token, the first byte
    /// that cannot be there, or the length of a text that ends too early.
    pub offset: usize,
    /// The line in the text, from 1.
    pub line: usize,
    /// The column in that line, in bytes from 1: where reading stopped, which is the end of the token that is
    /// wrong; 0 where the text ends with a line break too early.
    pub column: usize,
    /// The part of the value that is wrong; the root where the text is not JSON.
    pub path: Path,
    /// The problem at this place.
    pub message: String,
}

/// Why a value cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The format has no unknown values.
    #[error("{path}: an unknown value cannot be written in this format")]
    Unknown {
        /// Its path.
        path: Path,
    },
    /// The format has no marks.
    #[error("{path}: a marked value cannot be written in this format; take the marks off first")]
    Marked {
        /// Its path.
        path: Path,
    },
    /// The format has no infinite numbers.
    #[error("{path}: an infinite number cannot be written in this format")]
    Infinite {
        /// Its path.
        path: Path,
    },
    /// The format does not hold this number exactly.
    #[error("{path}: this number has more digits than this format holds")]
    Inexact {
        /// Its path.
        path: Path,
    },
    /// A text or a collection is longer than the format can say: 2^32 - 1 bytes or elements.
    #[error("{path}: a text or a collection is too long for this format")]
    TooLong {
        /// Its path.
        path: Path,
    },
    /// The value is not of the type to write it under.
    #[error("{path}: the value is of type {found}, not {expected}")]
    WrongType {
        /// Its path.
        path: Path,
        /// The type to write under.
        expected: Type,
        /// The type of the value.
        found: Type,
    },
}

impl WriteError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "unknown",
            Self::Marked { .. } => "marked",
            Self::Infinite { .. } => "infinite",
            Self::Inexact { .. } => "inexact",
            Self::TooLong { .. } => "too_long",
            Self::WrongType { .. } => "wrong_type",
        }
    }

    pub(super) fn wrong_type(value: &Value, expected: &Type, path: PathStack<'_>) -> Self {
        // Names of attributes are content, too.
        let is_hidden = path.is_hidden() || value.contains_marked();
        let found = if is_hidden { nameless(value.ty()) } else { value.ty().clone() };
        Self::WrongType { path: path.to_path(), expected: expected.clone(), found }
    }
}

impl Value {
    /// Reads go-cty's value JSON under a type.
    ///
    /// Missing attributes become null. For a dynamic type the text has `{"type":…,"value":…}`; other JSON
    /// gets the type that it looks like, as in `jsondecode`.
    ///
    /// # Errors
    ///
    /// The text is not JSON, is nested deeper than 128 levels, has a key twice, or is not a value of the
    /// type.
    ///
    /// ```
    /// use objchange::{Type, Value};
    ///
    /// let ty = Type::map(Type::Number);
    /// let value = Value::from_json(r#"{"a":1,"b":0.1}"#, &ty)?;
    /// assert_eq!(value.to_json(&ty).unwrap(), r#"{"a":1,"b":0.1}"#);
    /// assert_eq!(
    ///     Value::from_json(r#"{"a":true}"#, &ty).unwrap_err().to_string(),
    ///     r#"line 1, column 9: ["a"]: a number is expected here, not a bool"#
    /// );
    ///
    /// let any = Value::from_json(r#"{"stated":{"type":["set","string"],"value":["a"]},"implied":["a"]}"#, &Type::Dynamic)?;
    /// assert_eq!(any.attribute("stated").unwrap().ty(), &Type::set(Type::String));
    /// assert_eq!(any.attribute("implied").unwrap().ty(), &Type::tuple([Type::String]));
    /// # Ok::<(), objchange::value::ReadError>(())
    /// ```
    pub fn from_json(text: &str, ty: &Type) -> Result<Self, ReadError> {
        read::from_str(text, ty, Form::Plain)
    }

    /// Writes the value as go-cty's JSON under a type.
    ///
    /// # Errors
    ///
    /// Part of the value is unknown, marked or infinite, or the value is not of the type.
    pub fn to_json(&self, ty: &Type) -> Result<String, WriteError> {
        write::to_string(self, ty, Form::Plain)
    }

    /// Reads the JSON of case files under a type: like [`from_json`](Self::from_json), with markers for
    /// unknown and marked parts. A dynamic value must state its type.
    ///
    /// # Errors
    ///
    /// As [`from_json`](Self::from_json).
    ///
    /// ```
    /// use objchange::{Type, Value};
    ///
    /// let value = Value::from_marker_json(r#"{"$sensitive":{"$unknown":{}}}"#, &Type::String)?;
    /// assert!(value.is_marked() && !value.is_known());
    /// # Ok::<(), objchange::value::ReadError>(())
    /// ```
    pub fn from_marker_json(text: &str, ty: &Type) -> Result<Self, ReadError> {
        read::from_str(text, ty, Form::Markers)
    }

    /// Writes the value as the JSON of case files. This shows the content of marked parts.
    ///
    /// # Errors
    ///
    /// Part of the value is infinite, or the value is not of the type.
    pub fn to_marker_json(&self, ty: &Type) -> Result<String, WriteError> {
        write::to_string(self, ty, Form::Markers)
    }

    /// Writes the value as [`to_marker_json`](Self::to_marker_json), with `(sensitive value)` or
    /// `(ephemeral value)` in place of the content of marked parts: for reports.
    ///
    /// # Errors
    ///
    /// As [`to_marker_json`](Self::to_marker_json).
    ///
    /// ```
    /// use objchange::Value;
    ///
    /// let login = Value::object([("password", Value::from("x").sensitive()), ("user", Value::from("me"))]);
    /// let text = login.to_redacted_json(login.ty())?;
    /// assert_eq!(text, r#"{"password":{"$sensitive":"(sensitive value)"},"user":"me"}"#);
    /// # Ok::<(), objchange::value::WriteError>(())
    /// ```
    pub fn to_redacted_json(&self, ty: &Type) -> Result<String, WriteError> {
        write::to_string(self, ty, Form::Redacted)
    }
}
