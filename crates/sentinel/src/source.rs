//! Where something stands in a source text, and what is wrong there.

use std::fmt;

/// A part of a source text, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// Where it begins.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
}

impl Span {
    pub(crate) fn to(self, end: Span) -> Span {
        Span { start: self.start, end: end.end.max(self.start) }
    }
}

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
        let before = &text.as_bytes()[..text.len().min(offset as usize)];
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

/// What is wrong with a source text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{position}: {message}")]
pub struct SyntaxError {
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
