//! The reader: a cursor over the text that builds values or skips them.

use std::borrow::Cow;

use super::{JsonError, JsonErrorKind};

/// A cursor over a JSON text.
#[derive(Clone)]
pub struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    depth: usize,
    rules: Rules,
}

/// The dialect that is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rules {
    /// Documents of programs: half of a surrogate pair becomes the replacement character, as in Go's
    /// decoder.
    Documents,
    /// Texts that become values: half of a surrogate pair is refused, because it could not be written back.
    Values,
}

impl Rules {
    /// The maximum nesting of arrays and objects.
    fn max_depth(self) -> usize {
        match self {
            Self::Documents => MAX_DEPTH,
            Self::Values => MAX_VALUE_DEPTH,
        }
    }
}

/// The deepest nesting of arrays and objects that is read of a document.
pub const MAX_DEPTH: usize = 200;

/// Values nested this deep or deeper are not read in any format.
pub const TOO_DEEP: usize = 128;
const MAX_VALUE_DEPTH: usize = TOO_DEEP - 1;

/// Shows the place of the reader and not the text, which may be secret.
impl std::fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Reader(at {} of {} bytes)", self.at, self.text.len())
    }
}

impl<'t> Reader<'t> {
    /// A reader at the start of a document.
    pub fn new(text: &'t str) -> Self {
        Self { text, at: 0, depth: 0, rules: Rules::Documents }
    }

    /// A reader of a value, a type or a schema: it refuses half of a surrogate pair, and nesting of
    /// [`TOO_DEEP`].
    pub fn strict(text: &'t str) -> Self {
        Self { rules: Rules::Values, ..Self::new(text) }
    }

    /// Sets how many arrays and objects are around the text.
    #[must_use]
    pub fn at_depth(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// Sets the byte to start at.
    #[must_use]
    pub fn starting_at(self, at: usize) -> Self {
        Self { at, ..self }
    }

    /// The text.
    #[inline]
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Skips this many bytes, which end where a value ends.
    #[inline]
    pub fn pass(&mut self, bytes: usize) {
        self.at += bytes;
    }

    /// The place of the reader, in bytes from the start of the document.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The first byte of the next value or bracket, white space skipped.
    #[inline]
    pub fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    /// Steps out of an array or object whose end was passed.
    #[inline]
    pub fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Reads an object, calling `member` with each key and the reader before the key's value, which `member`
    /// must read or skip.
    ///
    /// # Errors
    ///
    /// No object comes next, or `member` failed.
    pub fn members<E: From<JsonError>>(
        &mut self,
        mut member: impl FnMut(Cow<'t, str>, &mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.deepen(b'{')?;
        let mut is_first = true;
        while let Some(key) = self.next_member(&mut is_first)? {
            member(key, self)?;
        }
        self.leave();
        Ok(())
    }

    /// Reads an array, calling `element` before each element, which it must read or skip.
    ///
    /// # Errors
    ///
    /// No array comes next, or `element` failed.
    pub fn elements<E: From<JsonError>>(
        &mut self,
        mut element: impl FnMut(&mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.deepen(b'[')?;
        let mut is_first = true;
        while self.next_element(&mut is_first)? {
            element(self)?;
        }
        self.leave();
        Ok(())
    }

    /// Steps into an object or array, for a walk that keeps its own account of where it is: how deep it gets is not
    /// limited.
    ///
    /// # Errors
    ///
    /// Another value comes next.
    #[inline]
    pub fn enter(&mut self, bracket: u8) -> Result<(), JsonError> {
        if self.peek() != Some(bracket) {
            let message = if bracket == b'{' { "expected an object" } else { "expected an array" };
            return Err(self.unexpected(message));
        }
        self.at += 1;
        Ok(())
    }

    /// The key of the current object's next member, and moves to its value; `None` at the end of the
    /// object, which is skipped.
    ///
    /// # Errors
    ///
    /// The text has something else here.
    #[inline]
    pub fn next_member(&mut self, is_first: &mut bool) -> Result<Option<Cow<'t, str>>, JsonError> {
        let name = self.next_name(is_first)?;
        if name.is_some() {
            self.colon()?;
        }
        Ok(name)
    }

    /// Like [`next_member`](Self::next_member), but the reader is before the colon then: at the end of the
    /// key.
    ///
    /// # Errors
    ///
    /// The text has something else here.
    #[inline]
    pub fn next_name(&mut self, is_first: &mut bool) -> Result<Option<Cow<'t, str>>, JsonError> {
        if self.next_key(is_first)? { self.string().map(Some) } else { Ok(None) }
    }

    /// Whether the current object has another member, and moves to its key; otherwise skips the end of the
    /// object.
    ///
    /// # Errors
    ///
    /// The text has something else here.
    #[inline]
    pub fn next_key(&mut self, is_first: &mut bool) -> Result<bool, JsonError> {
        match self.peek() {
            Some(b'}') => {
                self.at += 1;
                return Ok(false);
            }
            _ if std::mem::take(is_first) => {}
            Some(b',') => self.at += 1,
            _ => return Err(self.unexpected("expected `,` or `}`")),
        }
        if self.peek() != Some(b'"') {
            return Err(self.unexpected("expected a key in quotes"));
        }
        Ok(true)
    }

    /// Whether the member at whose colon the reader is is the last one.
    ///
    /// # Errors
    ///
    /// The text has something else here.
    pub fn is_last_member(&self) -> Result<bool, JsonError> {
        let mut ahead = self.clone();
        ahead.colon()?;
        ahead.raw()?;
        Ok(!ahead.next_key(&mut false)?)
    }

    /// Skips the colon between a key and its value.
    ///
    /// # Errors
    ///
    /// The text has something else here.
    #[inline]
    pub fn colon(&mut self) -> Result<(), JsonError> {
        if self.peek() != Some(b':') {
            return Err(self.unexpected("expected `:` after a key"));
        }
        self.at += 1;
        Ok(())
    }

    /// Whether the current array has another element, and moves to it; otherwise skips the end of the
    /// array.
    ///
    /// # Errors
    ///
    /// The text has something else here.
    #[inline]
    pub fn next_element(&mut self, is_first: &mut bool) -> Result<bool, JsonError> {
        match self.peek() {
            Some(b']') => {
                self.at += 1;
                return Ok(false);
            }
            _ if std::mem::take(is_first) => {}
            Some(b',') => self.at += 1,
            _ => return Err(self.unexpected("expected `,` or `]`")),
        }
        Ok(true)
    }

    /// Makes sure that nothing but white space follows.
    ///
    /// # Errors
    ///
    /// Something does.
    pub fn end(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self
                .error("there is more text after the end of the JSON value")
                .of_kind(JsonErrorKind::Trailing)),
        }
    }

    /// An error at the current byte.
    #[cold]
    pub fn error(&self, message: impl Into<Cow<'static, str>>) -> JsonError {
        JsonError::new(JsonErrorKind::Malformed, self.at, message)
    }

    /// An error at the last byte of a token that was read and is not the expected one.
    #[cold]
    pub fn mismatch(&self, message: impl Into<Cow<'static, str>>) -> JsonError {
        JsonError::new(JsonErrorKind::Mismatch, self.at.saturating_sub(1), message)
    }

    pub(super) fn truncated(&self, message: &'static str) -> JsonError {
        JsonError::new(JsonErrorKind::Truncated, self.text.len(), message)
    }

    fn unexpected(&self, message: &'static str) -> JsonError {
        if self.at >= self.text.len() {
            self.truncated("the text ends inside of an object or array")
        } else {
            self.error(message)
        }
    }

    /// Enters an object or array, if the nesting is not too deep.
    ///
    /// # Errors
    ///
    /// The text has something else here.
    #[inline]
    pub fn deepen(&mut self, bracket: u8) -> Result<(), JsonError> {
        // Another value in this place is a mismatch, not nested too deep.
        if self.depth >= self.rules.max_depth() && self.peek() == Some(bracket) {
            let message = match self.rules {
                Rules::Documents => "arrays and objects nest too deeply (more than 200 levels)",
                Rules::Values => "this is nested deeper than 128 levels, which is not read",
            };
            return Err(self.error(message).of_kind(JsonErrorKind::TooDeep));
        }
        self.enter(bracket)?;
        self.depth += 1;
        Ok(())
    }

    /// Whether half of a surrogate pair is an error.
    pub(super) fn refuses_halves(&self) -> bool {
        self.rules == Rules::Values
    }
}
