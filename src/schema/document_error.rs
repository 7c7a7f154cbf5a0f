//! The error of reading a schema document.

use std::borrow::Cow;
use std::fmt;

use crate::value::ReadErrorKind;
use objchange_text::json::{Segment, place};

/// The reason why a schema document could not be read, with its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub struct SchemaDocumentError {
    /// The kind of the error, for programs.
    pub kind: SchemaDocumentErrorKind,
    /// The part of the document with the problem: the keys from the root on, such as
    /// `provider_schemas["registry.terraform.io/hashicorp/null"].resource_schemas.null_resource.block`.
    pub location: String,
    /// The offset of the error in bytes; the document's length if it ends too early.
    pub offset: usize,
    /// The line in the document, from 1.
    pub line: usize,
    /// The column in that line, in bytes from 1.
    pub column: usize,
    /// The message, for people.
    pub message: String,
}

/// A problem with a document of provider schemas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaDocumentErrorKind {
    /// The text is not JSON, or a part of it has the wrong form.
    Json(ReadErrorKind),
    /// It is another kind of document, without schemas.
    NotSchemas,
    /// The version of its format is not supported.
    UnsupportedVersion,
    /// The text of a schema, which is outside of the document, could not be read.
    NoText,
}

impl SchemaDocumentErrorKind {
    /// The stable name of the kind of error.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Json(kind) => kind.kind(),
            Self::NotSchemas => "not_schemas",
            Self::UnsupportedVersion => "unsupported_version",
            Self::NoText => "no_text",
        }
    }
}

impl SchemaDocumentError {
    pub(super) fn at(
        text: &str,
        offset: usize,
        kind: SchemaDocumentErrorKind,
        location: String,
        message: impl Into<String>,
    ) -> Self {
        let (line, column) = place(text, offset);
        Self { kind, location, offset, line, column, message: message.into() }
    }

    /// The text of a schema could not be got.
    pub(super) fn no_text(error: &MissingSchemaText) -> Self {
        Self::at("", 0, SchemaDocumentErrorKind::NoText, String::new(), error.to_string())
    }
}

/// The text of a schema cannot be got from where it is kept. Its sentence becomes that of a [`SchemaDocumentError`].
///
/// ```
/// use objchange::schema::MissingSchemaText;
///
/// let error = MissingSchemaText::from("the schema is not cached");
/// assert_eq!((error.kind(), error.to_string().as_str()), ("no_text", "the schema is not cached"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MissingSchemaText(Cow<'static, str>);

impl MissingSchemaText {
    /// The stable name of the kind of error: there is one.
    pub fn kind(&self) -> &'static str {
        SchemaDocumentErrorKind::NoText.kind()
    }
}

impl<T: Into<Cow<'static, str>>> From<T> for MissingSchemaText {
    fn from(reason: T) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for SchemaDocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind != SchemaDocumentErrorKind::NoText {
            write!(f, "line {}, column {}: ", self.line, self.column)?;
        }
        if !self.location.is_empty() {
            write!(f, "{}: ", self.location)?;
        }
        f.write_str(&self.message)
    }
}

/// The location of a part: `keys` lead to it from the root, and `inside` continues within it.
pub(super) fn location<'s>(keys: &[&str], inside: impl Iterator<Item = &'s Segment>) -> String {
    let mut out = String::new();
    for key in keys {
        push_key(&mut out, key);
    }
    for segment in inside {
        match segment {
            Segment::Key(key) => push_key(&mut out, key),
            Segment::Position(position) => out.push_str(&format!("[{position}]")),
        }
    }
    out
}

fn push_key(out: &mut String, key: &str) {
    if !key.is_empty() && key.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')) {
        out.push_str(if out.is_empty() { "" } else { "." });
        out.push_str(key);
    } else {
        out.push_str(&format!("[{key:?}]"));
    }
}
