//! Single tokens: scalars, and the openings of arrays and objects.

use std::borrow::Cow;

use super::{JsonError, Reader};

/// A scalar, or the beginning of an array or object.
#[derive(Debug)]
pub enum Token<'t> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it is written.
    Number(&'t str),
    /// A string, its escapes resolved.
    String(Cow<'t, str>),
    /// An array, which the reader is in now.
    Array,
    /// An object, which the reader is in now.
    Object,
}

impl<'t> Reader<'t> {
    /// Reads a scalar, or steps into an array or object; out of it again by [`next_element`](Self::next_element) or
    /// [`next_member`](Self::next_member) and [`leave`](Self::leave).
    ///
    /// # Errors
    ///
    /// No JSON value comes next.
    #[inline]
    pub fn token(&mut self) -> Result<Token<'t>, JsonError> {
        match self.peek() {
            Some(b'"') => self.string().map(Token::String),
            Some(b'{') => self.deepen(b'{').map(|()| Token::Object),
            Some(b'[') => self.deepen(b'[').map(|()| Token::Array),
            Some(b'n') => self.word("null").map(|()| Token::Null),
            Some(b't') => self.word("true").map(|()| Token::Bool(true)),
            Some(b'f') => self.word("false").map(|()| Token::Bool(false)),
            Some(b'-' | b'0'..=b'9') => self.number().map(Token::Number),
            _ => Err(self.no_value()),
        }
    }

    /// Skips the next value, which must be well-formed.
    ///
    /// # Errors
    ///
    /// No JSON value comes next.
    pub fn skip(&mut self) -> Result<(), JsonError> {
        match self.token()? {
            Token::Array => {
                let mut is_first = true;
                while self.next_element(&mut is_first)? {
                    self.skip()?;
                }
                self.leave();
            }
            Token::Object => {
                let mut is_first = true;
                while self.next_member(&mut is_first)?.is_some() {
                    self.skip()?;
                }
                self.leave();
            }
            _ => {}
        }
        Ok(())
    }

    /// The error that no JSON value comes next.
    #[cold]
    pub fn no_value(&self) -> JsonError {
        if self.at >= self.text.len() {
            self.truncated("the text ends where a value was expected")
        } else {
            self.error("a JSON value is expected here")
        }
    }

    /// Passes over `null`, `true` or `false`.
    ///
    /// # Errors
    ///
    /// Another token comes next.
    #[inline]
    pub fn word(&mut self, word: &str) -> Result<(), JsonError> {
        if self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            Ok(())
        } else {
            Err(self.no_value())
        }
    }

    /// Reads the number that begins here, and gives its text.
    ///
    /// # Errors
    ///
    /// The next token is not a number.
    #[inline]
    pub fn number(&mut self) -> Result<&'t str, JsonError> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let mut at = start + usize::from(bytes[start] == b'-');
        let whole = digits(at);
        // RFC 8259 allows no zeros in front.
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
        Ok(&self.text[start..at])
    }
}
