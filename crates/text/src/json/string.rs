//! Reading strings: borrowed where nothing in them is escaped.

use std::borrow::Cow;

use super::{JsonError, Reader};

/// The place of a string.
#[derive(Debug)]
pub enum StringAt {
    /// In the text, from and to here.
    Verbatim(usize, usize),
    /// At the end of the buffer of unescaped text.
    Unescaped,
}

impl<'t> Reader<'t> {
    /// Reads the string that begins here.
    ///
    /// # Errors
    ///
    /// It does not end, or has an escape that JSON does not know.
    #[inline]
    pub fn string(&mut self) -> Result<Cow<'t, str>, JsonError> {
        let mut unescaped = String::new();
        Ok(match self.string_at(&mut unescaped)? {
            StringAt::Verbatim(start, end) => Cow::Borrowed(&self.text[start..end]),
            StringAt::Unescaped => Cow::Owned(unescaped),
        })
    }

    /// Finds the string that begins here; one with escapes is added to `unescaped`.
    ///
    /// # Errors
    ///
    /// As [`string`](Self::string).
    #[inline]
    pub fn string_at(&mut self, unescaped: &mut String) -> Result<StringAt, JsonError> {
        self.at += 1;
        let start = self.at;
        match self.plain_run()? {
            b'"' => {
                self.at += 1;
                Ok(StringAt::Verbatim(start, self.at - 1))
            }
            _ => self.unescape(start, unescaped).map(|()| StringAt::Unescaped),
        }
    }

    /// Passes over ordinary characters up to the closing quote or an escape, and gives which of them it is.
    #[inline]
    fn plain_run(&mut self) -> Result<u8, JsonError> {
        let bytes = self.text.as_bytes();
        let rest = &bytes[self.at..];
        let Some(length) = special(rest) else {
            self.at = bytes.len();
            return Err(self.truncated("the text ends inside of a string"));
        };
        self.at += length;
        match rest[length] {
            byte @ (b'"' | b'\\') => Ok(byte),
            _ => Err(self.error("a control character must be escaped in a string")),
        }
    }

    fn unescape(&mut self, start: usize, text: &mut String) -> Result<(), JsonError> {
        text.push_str(&self.text[start..self.at]);
        loop {
            // An escape or the closing quote is here.
            if self.text.as_bytes()[self.at] == b'"' {
                self.at += 1;
                return Ok(());
            }
            text.push(self.escape()?);
            let run = self.at;
            self.plain_run()?;
            text.push_str(&self.text[run..self.at]);
        }
    }

    fn escape(&mut self) -> Result<char, JsonError> {
        let code = self.text.as_bytes().get(self.at + 1).copied();
        let c = match code {
            Some(c @ (b'"' | b'\\' | b'/')) => char::from(c),
            Some(b'n') => '\n',
            Some(b't') => '\t',
            Some(b'r') => '\r',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'u') => return self.unicode_escape(),
            Some(_) => return Err(self.error("this escape is unknown in JSON")),
            None => return Err(self.truncated("the text ends inside of a string")),
        };
        self.at += 2;
        Ok(c)
    }

    /// Half of a pair without its other half becomes the replacement character, as in Go, or is refused.
    fn unicode_escape(&mut self) -> Result<char, JsonError> {
        let Some(first) = self.hex(self.at) else {
            return Err(self.error("`\\u` needs four hexadecimal digits"));
        };
        self.at += 6;
        if let Some(c) = char::from_u32(first) {
            return Ok(c);
        }
        let second = self.hex(self.at).filter(|low| first < 0xdc00 && (0xdc00..0xe000).contains(low));
        let pair = second.and_then(|low| char::from_u32(0x10000 + ((first - 0xd800) << 10) + (low - 0xdc00)));
        if pair.is_some() {
            self.at += 6;
        } else if self.refuses_halves() {
            return Err(self.mismatch("half of a surrogate pair needs its other half"));
        }
        Ok(pair.unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// The number of the `\uXXXX` that begins at a byte.
    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.text.as_bytes().get(at..at + 6)?.strip_prefix(b"\\u")?;
        digits.iter().try_fold(0, |n, b| Some(n * 16 + char::from(*b).to_digit(16)?))
    }

    pub(super) fn skip_string(&mut self) -> Result<(), JsonError> {
        self.at += 1;
        let bytes = self.text.as_bytes();
        loop {
            match quote_or_escape(&bytes[self.at..]) {
                Some(length) if bytes[self.at + length] == b'"' => {
                    self.at += length + 1;
                    return Ok(());
                }
                // The escaped character may be the quote itself; one byte of it is enough.
                Some(length) if self.at + length + 2 <= bytes.len() => self.at += length + 2,
                _ => {
                    self.at = bytes.len();
                    return Err(self.truncated("the text ends inside of a string"));
                }
            }
        }
    }
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// The high bit of each byte below `n`; a borrow can only spoil the bytes above the first one found.
fn below(word: u64, n: u64) -> u64 {
    word.wrapping_sub(ONES * n) & !word & (ONES << 7)
}

/// The high bit of each quote or backslash, up to the first one.
fn quotes_and_escapes(word: u64) -> u64 {
    below(word ^ (ONES * u64::from(b'"')), 1) | below(word ^ (ONES * u64::from(b'\\')), 1)
}

/// The first byte that ends a run of ordinary characters: a quote, a backslash or a control character.
fn special(bytes: &[u8]) -> Option<usize> {
    first(
        bytes,
        |word| quotes_and_escapes(word) | below(word, 0x20),
        |byte| matches!(byte, b'"' | b'\\' | ..0x20),
    )
}

/// The first byte that is a quote or a backslash.
fn quote_or_escape(bytes: &[u8]) -> Option<usize> {
    first(bytes, quotes_and_escapes, |byte| matches!(byte, b'"' | b'\\'))
}

/// The first byte that is wanted, among eight at a time as the high bit of its byte in a word.
///
/// Most strings are short, so that plain integers beat a call of a vector search.
#[inline]
fn first(bytes: &[u8], in_word: impl Fn(u64) -> u64, wanted: impl Fn(u8) -> bool) -> Option<usize> {
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let found = in_word(u64::from_le_bytes(*word));
        if found != 0 {
            return Some(index * 8 + found.trailing_zeros() as usize / 8);
        }
    }
    let in_rest = rest.iter().position(|byte| wanted(*byte));
    in_rest.map(|index| words.len() * 8 + index)
}
