//! Errors in a source text.

use objchange_text::{Diagnostic, Span};

/// The kind of a syntax error.
#[derive(Clone, Copy, Debug)]
pub(crate) enum SyntaxErrorKind {
    /// An unexpected token.
    Unexpected,
    /// A character that no source has outside of strings and comments.
    Character,
    /// A string or comment does not end.
    Unterminated,
    /// An unknown escape in a string.
    Escape,
    /// An integer that is malformed or too large.
    Number,
    /// A statement in a place where it is not allowed.
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
