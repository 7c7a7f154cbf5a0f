//! Where something stands in a source text, and what is wrong there.

use std::fmt;

pub use objchange_text::Span;

/// A place in a text as people count: both from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in that line.
    pub column: usize,
}

impl Position {
    /// The position of a byte of a text.
    ///
    /// An offset within a character or past the end is that of the character or the end.
    #[must_use]
    pub fn of(text: &str, offset: u32) -> Position {
        Position::of_bytes(text.as_bytes(), offset as usize)
    }

    pub(crate) fn of_bytes(text: &[u8], offset: usize) -> Position {
        let before = &text[..text.len().min(offset)];
        let start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        // The bytes that continue a character are not counted.
        let characters = before[start..].iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        Position { line: 1 + before.iter().filter(|&&byte| byte == b'\n').count(), column: characters + 1 }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// What is wrong with a source text, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
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
    /// A stable name for it.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            SyntaxErrorKind::Unexpected => "unexpected",
            SyntaxErrorKind::Character => "character",
            SyntaxErrorKind::Unterminated => "unterminated",
            SyntaxErrorKind::Escape => "escape",
            SyntaxErrorKind::Number => "number",
            SyntaxErrorKind::Misplaced => "misplaced",
            SyntaxErrorKind::Target => "target",
            SyntaxErrorKind::Duplicate => "duplicate",
            SyntaxErrorKind::Limit => "limit",
        }
    }
}

/// What is wrong at a part of a text.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(crate) kind: SyntaxErrorKind,
    pub(crate) span: Span,
    pub(crate) message: String,
}

/// What is wrong with a source text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {message}")]
#[non_exhaustive]
pub struct SyntaxError {
    /// What is wrong, for programs.
    pub kind: SyntaxErrorKind,
    /// What was expected and what is there instead.
    pub message: String,
    /// The part of the text that is wrong.
    pub span: Span,
    /// Where that part begins.
    pub position: Position,
}

#[cfg(test)]
mod tests {
    use super::Position;

    #[test]
    fn columns_are_characters() {
        let text = "a\né = 日本\n";
        let at = text.find('本').unwrap();
        assert_eq!(Position::of(text, u32::try_from(at).unwrap()), Position { line: 2, column: 6 });
        assert_eq!(Position::of(text, 9999), Position { line: 3, column: 1 });
    }
}
