//! Values that have been found and not been read.

use super::Reader;

/// A value that has been found but not read: its text.
///
/// Of a raw value only the brackets and strings are known to be well-formed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Raw<'t> {
    /// The document up to the end of the value.
    pub(super) text: &'t str,
    pub(super) start: usize,
}

/// Shows where the value stands, not what it is: it may be secret.
impl std::fmt::Debug for Raw<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Raw({} bytes at {})", self.text().len(), self.start)
    }
}

impl<'t> Raw<'t> {
    /// The value `null` that stands nowhere.
    pub const NULL: Raw<'static> = Raw { text: "null", start: 0 };

    /// The value that is all of a text.
    pub fn of(text: &'t str) -> Self {
        Raw { text, start: 0 }
    }

    /// The text of the value.
    pub fn text(&self) -> &'t str {
        &self.text[self.start..]
    }

    /// Where the value begins in the document, in bytes.
    pub fn offset(&self) -> usize {
        self.start
    }

    /// The document up to the end of the value.
    #[inline]
    pub fn document(&self) -> &'t str {
        self.text
    }

    /// A reader over the value, for reading a part of it.
    pub fn reader(&self) -> Reader<'t> {
        Reader::new(self.text).starting_at(self.start)
    }
}
