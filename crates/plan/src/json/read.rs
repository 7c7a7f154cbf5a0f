//! The reader: a cursor over the text that builds values or passes over them.

use thiserror::Error;

use super::tree::Builder;
use super::{Json, Raw};
use crate::text::Text;

/// The deepest nesting of arrays and objects that is read.
pub const MAX_DEPTH: usize = 200;

/// Why a text is not the JSON that was expected, and where.
///
/// One word wide, so that what is read does not carry room for errors around.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}", .0.message)]
pub struct JsonError(Box<Failure>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Failure {
    offset: usize,
    message: &'static str,
    truncated: bool,
}

impl JsonError {
    #[cold]
    fn new(offset: usize, message: &'static str, truncated: bool) -> Self {
        Self(Box::new(Failure { offset, message, truncated }))
    }

    /// The byte at which reading stopped.
    pub fn offset(&self) -> usize {
        self.0.offset
    }

    /// What is wrong there; never a part of the document.
    pub fn message(&self) -> &'static str {
        self.0.message
    }

    /// Whether the text ended too early: it was cut off.
    pub fn is_truncated(&self) -> bool {
        self.0.truncated
    }
}

/// A cursor over a JSON text.
#[derive(Clone)]
pub struct Reader<'t> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) depth: usize,
}

/// Shows where the reader stands, not what it reads: that may be secret.
impl std::fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Reader(at {} of {} bytes)", self.at, self.text.len())
    }
}

impl<'t> Reader<'t> {
    /// A reader at the start of a text.
    pub fn new(text: &'t str) -> Self {
        Self { text, at: 0, depth: 0 }
    }

    /// A reader of what `depth` arrays and objects are around already.
    pub(super) fn at_depth(text: &'t str, depth: usize) -> Self {
        Self { depth, ..Self::new(text) }
    }

    /// Where the reader stands, in bytes from the start of the document.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The first byte of the next value or bracket, white space passed over.
    pub fn peek(&mut self) -> Option<u8> {
        let bytes = self.text.as_bytes();
        while let Some(b' ' | b'\n' | b'\t' | b'\r') = bytes.get(self.at) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }

    /// Reads the value that comes next.
    ///
    /// # Errors
    ///
    /// No JSON value comes next.
    pub fn value(&mut self) -> Result<Json<'t>, JsonError> {
        let mut builder = Builder::new(self.text, self.at);
        let value = builder.whole(self)?;
        Ok(builder.finish()(value))
    }

    /// Reads an object, calling `member` with each key and the reader before the key's value, which `member`
    /// must read or pass over.
    ///
    /// # Errors
    ///
    /// No object comes next, or `member` failed.
    pub fn members<E: From<JsonError>>(
        &mut self,
        mut member: impl FnMut(Text<'t>, &mut Self) -> Result<(), E>,
    ) -> Result<(), E> {
        self.deepen(b'{')?;
        let mut is_first = true;
        while let Some(key) = self.next_member(&mut is_first)? {
            member(key, self)?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// Reads an array, calling `element` before each element, which it must read or pass over.
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
        self.depth -= 1;
        Ok(())
    }

    /// Steps into an object or array, for a walk that keeps its own account of where it is: how deep it gets is not
    /// limited.
    pub(crate) fn enter(&mut self, bracket: u8) -> Result<(), JsonError> {
        if self.peek() != Some(bracket) {
            let message = if bracket == b'{' { "expected an object" } else { "expected an array" };
            return Err(self.unexpected(message));
        }
        self.at += 1;
        Ok(())
    }

    /// The key of the next member of the object that the reader is in; `None` at its end, which is passed over.
    pub(crate) fn next_member(&mut self, is_first: &mut bool) -> Result<Option<Text<'t>>, JsonError> {
        if !self.next_key(is_first)? {
            return Ok(None);
        }
        let key = self.string()?;
        self.colon()?;
        Ok(Some(key))
    }

    /// Whether the object that the reader is in has another member, before whose key it then stands; else its end is
    /// passed over.
    pub(super) fn next_key(&mut self, is_first: &mut bool) -> Result<bool, JsonError> {
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

    /// Passes over what stands between a key and its value.
    pub(super) fn colon(&mut self) -> Result<(), JsonError> {
        if self.peek() != Some(b':') {
            return Err(self.unexpected("expected `:` after a key"));
        }
        self.at += 1;
        Ok(())
    }

    /// Whether the array that the reader is in has another element, before which it then stands; else its end is
    /// passed over.
    pub(crate) fn next_element(&mut self, is_first: &mut bool) -> Result<bool, JsonError> {
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

    /// Passes over the value that comes next and gives its text.
    ///
    /// # Errors
    ///
    /// The text ends before the value does, or no value comes next.
    pub fn raw(&mut self) -> Result<Raw<'t>, JsonError> {
        let Some(first) = self.peek() else {
            return Err(self.truncated("the text ends where a value was expected"));
        };
        let start = self.at;
        match first {
            b'"' => self.skip_string()?,
            b'{' | b'[' => self.skip_brackets()?,
            b',' | b'}' | b']' | b':' => return Err(self.error("expected a JSON value")),
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

    /// Makes sure that nothing but white space follows.
    ///
    /// # Errors
    ///
    /// Something does.
    pub fn end(&mut self) -> Result<(), JsonError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error("something follows the JSON value")),
        }
    }

    /// An error at the place where the reader stands.
    pub fn error(&self, message: &'static str) -> JsonError {
        JsonError::new(self.at, message, false)
    }

    pub(super) fn truncated(&self, message: &'static str) -> JsonError {
        JsonError::new(self.at, message, true)
    }

    fn unexpected(&self, message: &'static str) -> JsonError {
        if self.at >= self.text.len() {
            self.truncated("the text ends inside of an object or array")
        } else {
            self.error(message)
        }
    }

    /// Steps into an object or array by a call of its own.
    pub(super) fn deepen(&mut self, bracket: u8) -> Result<(), JsonError> {
        if self.depth >= MAX_DEPTH && self.peek() == Some(bracket) {
            return Err(self.error("arrays and objects nest too deeply (more than 200 levels)"));
        }
        self.enter(bracket)?;
        self.depth += 1;
        Ok(())
    }

    pub(crate) fn word(&mut self, word: &str) -> Result<(), JsonError> {
        if self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(())
        } else {
            Err(self.error("expected `null`, `true` or `false`"))
        }
    }

    pub(super) fn number(&mut self) -> Result<(), JsonError> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut at = start + usize::from(bytes[start] == b'-');
        let whole = digits(at);
        if whole == 0 || (whole > 1 && bytes[at] == b'0') {
            return Err(self.error("this is no JSON number"));
        }
        at += whole;
        if bytes.get(at) == Some(&b'.') {
            let fraction = digits(at + 1);
            if fraction == 0 {
                return Err(self.error("this is no JSON number"));
            }
            at += 1 + fraction;
        }
        if let Some(b'e' | b'E') = bytes.get(at) {
            at += 1 + usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
            let exponent = digits(at);
            if exponent == 0 {
                return Err(self.error("this is no JSON number"));
            }
            at += exponent;
        }
        self.at = at;
        Ok(())
    }
}
