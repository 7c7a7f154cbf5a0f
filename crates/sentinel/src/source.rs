//! Errors in a source text.

use objchange_text::{Diagnostic, Span};

/// What is wrong with a source text.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SyntaxErrorKind {
    /// Something else was expected there.
    Unexpected,
    /// No text has such a character outside of strings and comments.
    Character,
    /// A string or comment does not end.
    Unterminated,
    /// A backslash in a string begins nothing that is known.
    Escape,
    /// An integer is none, or too large.
    Number,
    /// A statement is not where it may stand.
    Misplaced,
    /// Nothing can be assigned to an expression.
    Target,
    /// Two parameters of a function have one name.
    Duplicate,
    /// It nests deeper, or is longer, than is allowed.
    Limit,
}

impl SyntaxErrorKind {
    /// The error at a part of a text.
    pub(crate) fn at(self, span: Span, message: impl Into<String>) -> Diagnostic {
        let kind = match self {
            Self::Unexpected => "unexpected",
            Self::Character => "character",
            Self::Unterminated => "unterminated",
            Self::Escape => "escape",
            Self::Number => "number",
            Self::Misplaced => "misplaced",
            Self::Target => "target",
            Self::Duplicate => "duplicate",
            Self::Limit => "limit",
        };
        Diagnostic::new((kind, message.into()), span, "")
    }
}
