//! Why a text is not the JSON that was expected.

use std::borrow::Cow;
use std::fmt;

/// Why a text is not the JSON that was expected, and where.
///
/// One word wide, so that results have no room for errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError(Box<Failure>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Failure {
    kind: JsonErrorKind,
    /// `None` until the place is known: serde reports an error before its place.
    offset: Option<usize>,
    message: Cow<'static, str>,
    /// The steps to the place, the innermost first.
    within: Vec<Segment>,
}

/// A problem with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// It ends too early.
    Truncated,
    /// The text is not JSON.
    Malformed,
    /// Something follows the value.
    Trailing,
    /// The text is nested too deeply.
    TooDeep,
    /// The text is JSON, but not of the expected form.
    Mismatch,
}

impl JsonErrorKind {
    /// A stable name for it.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Truncated => "truncated",
            Self::Malformed => "malformed",
            Self::Trailing => "trailing",
            Self::TooDeep => "too_deep",
            Self::Mismatch => "mismatch",
        }
    }
}

/// One step to a part of a JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// To the member of this key.
    Key(String),
    /// To the element at this position.
    Position(usize),
}

/// A message may name a part, whose name may be long; nobody reads more characters than this.
const MAX_MESSAGE: usize = 300;

impl JsonError {
    #[cold]
    pub(super) fn new(kind: JsonErrorKind, offset: usize, message: impl Into<Cow<'static, str>>) -> Self {
        Self(Box::new(Failure { kind, offset: Some(offset), message: message.into(), within: Vec::new() }))
    }

    /// An error of a visitor, which does not know its place.
    #[cold]
    pub(super) fn nowhere(mut message: String) -> Self {
        if let Some((end, _)) = message.char_indices().nth(MAX_MESSAGE) {
            message.truncate(end);
            message.push('…');
        }
        let (kind, message) = (JsonErrorKind::Mismatch, message.into());
        Self(Box::new(Failure { kind, offset: None, message, within: Vec::new() }))
    }

    /// Sets the kind of the error.
    #[must_use]
    pub fn of_kind(mut self, kind: JsonErrorKind) -> Self {
        self.0.kind = kind;
        self
    }

    /// The error in other words.
    #[must_use]
    pub fn saying(mut self, message: &'static str) -> Self {
        self.0.message = message.into();
        self.of_kind(JsonErrorKind::Mismatch)
    }

    /// The error with this place, if it has none.
    pub(super) fn or_at(mut self, offset: usize) -> Self {
        self.0.offset.get_or_insert(offset);
        self
    }

    /// Adds a step from the outer part.
    pub(super) fn within(mut self, segment: Segment) -> Self {
        self.0.within.push(segment);
        self
    }

    /// The problem.
    pub fn kind(&self) -> JsonErrorKind {
        self.0.kind
    }

    /// The byte with the problem: the first one that cannot be there, or the last one of an unexpected
    /// token. The length of the text if it ends too early.
    pub fn offset(&self) -> usize {
        self.0.offset.unwrap_or_default()
    }

    /// The problem at the place; never a part of the text.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The message for people, with a hint if the text is cut off.
    pub fn into_message(self) -> Cow<'static, str> {
        if self.is_truncated() { "the text ends too early: is it cut off?".into() } else { self.0.message }
    }

    /// The steps to the place, as far as serde types were read on the way.
    pub fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.0.within.iter().rev()
    }

    /// Whether the text ended too early: it was cut off.
    pub fn is_truncated(&self) -> bool {
        self.0.kind == JsonErrorKind::Truncated
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for JsonError {}

/// The line and column, both from 1 and the column in bytes, of an offset. Where a text ends too early that is the place
/// behind its last byte.
pub fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    let lines = before.iter().filter(|byte| **byte == b'\n').count();
    (lines + 1, before.len() - line_start + 1)
}
