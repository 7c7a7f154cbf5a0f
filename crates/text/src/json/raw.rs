//! Values that are located but not parsed.

use super::{JsonError, Reader};

/// The text of a value that is not parsed yet.
///
/// Only the brackets and strings of a raw value are known to be well-formed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Raw<'t> {
    /// The document up to the end of the value.
    pub(super) text: &'t str,
    pub(super) start: usize,
}

/// Shows the place and not the text, which may be secret.
impl std::fmt::Debug for Raw<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Raw({} bytes at {})", self.text().len(), self.start)
    }
}

impl<'t> Raw<'t> {
    /// The value `null` without a place.
    pub const NULL: Raw<'static> = Raw { text: "null", start: 0 };

    /// The value that is all of a text.
    pub fn new(text: &'t str) -> Self {
        Raw { text, start: 0 }
    }

    /// The text of the value.
    pub fn text(&self) -> &'t str {
        &self.text[self.start..]
    }

    /// The start of the value in the document, in bytes.
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

impl<'t> Reader<'t> {
    /// Skips the next value and returns its text.
    ///
    /// # Errors
    ///
    /// The text ends before the value does, or no value comes next.
    pub fn raw(&mut self) -> Result<Raw<'t>, JsonError> {
        let Some(first) = self.peek() else {
            return Err(self.no_value());
        };
        let start = self.at;
        match first {
            b'"' => self.skip_string()?,
            b'{' | b'[' => self.skip_brackets()?,
            b',' | b'}' | b']' | b':' => return Err(self.no_value()),
            _ => {
                let rest = &self.text.as_bytes()[start..];
                let word = rest.iter().take_while(|b| {
                    !matches!(b, b',' | b'}' | b']' | b':' | b'"' | b' ' | b'\n' | b'\t' | b'\r')
                });
                self.at += word.count();
            }
        }
        Ok(Raw { text: &self.text[..self.at], start })
    }

    /// The raw value that was read last, given its first byte.
    pub fn raw_from(&self, start: usize) -> Raw<'t> {
        Raw { text: &self.text[..self.at], start }
    }
}
