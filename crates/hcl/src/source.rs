//! Places in a source text: byte offsets, and what people call them.

use std::fmt;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// A part of a source text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last.
    pub end: u32,
}

impl Span {
    /// The part from the one byte up to the other.
    pub const fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The empty part before a byte.
    pub const fn at(byte: u32) -> Self {
        Self { start: byte, end: byte }
    }

    /// The part from the start of this one to the end of another.
    #[must_use]
    pub const fn to(self, end: Span) -> Self {
        Self { start: self.start, end: end.end }
    }

    /// The same as indexes of a `str`.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// A place in a source text as people count it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// From 1; lines end with a line feed.
    pub line: u32,
    /// From 1, in characters as readers see them: grapheme clusters.
    pub column: u32,
    /// From 0.
    pub byte: u32,
}

/// Finds positions in a text. Made in one pass over it.
#[derive(Debug, Clone)]
pub struct Lines<'t> {
    text: &'t str,
    /// Where each line starts.
    starts: Vec<u32>,
}

impl<'t> Lines<'t> {
    /// Prepares for questions about this text.
    pub fn new(text: &'t str) -> Self {
        let first = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let behind = memchr::memchr_iter(b'\n', text.as_bytes()).map(|i| i as u32 + 1);
        Self { text, starts: std::iter::once(first).chain(behind).collect() }
    }

    /// The position of a byte; of the end, where there is no such byte.
    pub fn position(&self, byte: u32) -> Position {
        let byte = byte.min(self.text.len() as u32);
        let line = self.starts.partition_point(|start| *start <= byte).max(1);
        let start = self.starts[line - 1].min(byte);
        let before = self.text.get(start as usize..byte as usize).unwrap_or_default();
        let clusters = if before.is_ascii() { before.len() } else { before.graphemes(true).count() };
        Position { line: line as u32, column: clusters as u32 + 1, byte }
    }

    /// The first byte of a line, by its number from 1; the end of the text, where there is no such line.
    pub fn start(&self, number: u32) -> u32 {
        let index = number.saturating_sub(1) as usize;
        self.starts.get(index).copied().unwrap_or(self.text.len() as u32)
    }

    /// The text of a line, by its number from 1, without its end.
    pub fn line(&self, number: u32) -> &'t str {
        let index = number.saturating_sub(1) as usize;
        let Some(start) = self.starts.get(index) else { return "" };
        let end = self.starts.get(index + 1).map_or(self.text.len(), |end| *end as usize);
        self.text[*start as usize..end].trim_end_matches(['\n', '\r'])
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn columns_are_clusters_and_lines_end_with_a_line_feed() {
        let lines = Lines::new("a\r\ne\u{301}=\u{1f469}\u{200d}\u{1f4bb}x\n");
        let at = |byte| {
            let position = lines.position(byte);
            (position.line, position.column)
        };
        assert_eq!(
            [at(0), at(1), at(3), at(6), at(7), at(18)],
            [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (2, 4)]
        );
        assert_eq!(at(100), (3, 1));
        assert_eq!(Lines::new("\u{feff}a").position(3).column, 1);
    }
}
