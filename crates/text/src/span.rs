//! Parts of a text.

use std::fmt;
use std::ops::Range;

/// A part of a source text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

impl Span {
    /// The part from one byte up to another.
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
        // An end that comes first gives an empty span: `range` of one that runs backwards would end the program.
        let end = if end.end < self.start { self.start } else { end.end };
        Self { start: self.start, end }
    }

    /// Moves the span to a text that begins `by` bytes earlier.
    #[must_use]
    pub const fn moved(self, by: u32) -> Self {
        Self { start: self.start.saturating_add(by), end: self.end.saturating_add(by) }
    }

    /// The part as indexes of a `str`.
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}
