//! The documents of one input: all of it, or one a line.

use std::io::{self, BufRead, BufReader, Read};

use objchange_text::json::Reader;

use crate::encoding;
use crate::input::{InputError, Source};

/// A document as it stands in its input.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Text {
    /// The line, from 1, where the input holds a document a line.
    pub(super) line: Option<u64>,
    pub(super) text: String,
}

/// The documents of an input, read one after the other.
pub(super) struct Texts<'s> {
    source: &'s Source,
    reader: Box<dyn BufRead + 's>,
    /// The line that comes next, from 1.
    line: u64,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Beginning,
    Lines,
    End,
}

impl<'s> Texts<'s> {
    pub(super) fn open<R: Read + Send + 's>(
        source: &'s Source,
        wrap: impl FnOnce(Box<dyn Read + Send>) -> R,
    ) -> Result<Self, InputError> {
        let reader = source.open_text()?;
        let reader = encoding::utf8(wrap(reader)).map_err(|error| source.unreadable(error))?;
        let reader = Box::new(BufReader::with_capacity(128 * 1024, reader));
        Ok(Self { source, reader, line: 1, state: State::Beginning })
    }

    /// The beginning: all of the input, or its first line, if that is a document and more follows.
    fn begin(&mut self) -> io::Result<(Option<u64>, Vec<u8>)> {
        let mut bytes = Vec::new();
        let first = loop {
            let start = bytes.len();
            let is_end = self.reader.read_until(b'\n', &mut bytes)? == 0;
            if is_end || !bytes[start..].trim_ascii().is_empty() {
                break start;
            }
            self.line += 1;
        };
        if !self.reader.fill_buf()?.is_empty() && is_whole(&bytes[first..]) {
            let line = self.line;
            self.line += 1;
            if self.skip_blank()? {
                self.state = State::Lines;
                return Ok((Some(line), bytes.split_off(first)));
            }
        }
        self.reader.read_to_end(&mut bytes)?;
        Ok((None, bytes))
    }

    /// The next line that is not blank.
    fn next_line(&mut self) -> io::Result<Option<(u64, Vec<u8>)>> {
        if !self.skip_blank()? {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        self.reader.read_until(b'\n', &mut bytes)?;
        self.line += 1;
        Ok(Some((self.line - 1, bytes)))
    }

    /// Passes over white space; whether anything follows.
    fn skip_blank(&mut self) -> io::Result<bool> {
        loop {
            let buffer = self.reader.fill_buf()?;
            let blank = buffer.iter().position(|byte| !byte.is_ascii_whitespace());
            self.line +=
                buffer[..blank.unwrap_or(buffer.len())].iter().filter(|byte| **byte == b'\n').count() as u64;
            let (passed, is_end) = (blank.unwrap_or(buffer.len()), buffer.is_empty());
            self.reader.consume(passed);
            if blank.is_some() || is_end {
                return Ok(blank.is_some());
            }
        }
    }

    fn read(&mut self) -> Result<Option<Text>, InputError> {
        let state = std::mem::replace(&mut self.state, State::End);
        let source = self.source;
        let unreadable = |error| source.unreadable(error);
        let (line, bytes) = match state {
            State::End => return Ok(None),
            State::Beginning => match self.begin() {
                Ok(text) => text,
                Err(error) => return Err(unreadable(error)),
            },
            State::Lines => match self.next_line() {
                Ok(Some((line, bytes))) => {
                    self.state = State::Lines;
                    (Some(line), bytes)
                }
                Ok(None) => return Ok(None),
                Err(error) => return Err(unreadable(error)),
            },
        };
        Ok(Some(Text { line, text: self.source.text(bytes, line.unwrap_or(1))? }))
    }
}

/// Whether a line is a JSON value by itself.
fn is_whole(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_ok_and(|line| {
        let mut reader = Reader::new(line);
        reader.skip().and_then(|()| reader.end()).is_ok()
    })
}

impl Iterator for Texts<'_> {
    type Item = Result<Text, InputError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(bytes: &[u8]) -> Vec<(Option<u64>, Result<String, String>)> {
        let texts = Texts {
            source: &Source::Stdin,
            reader: Box::new(BufReader::with_capacity(3, bytes)),
            line: 1,
            state: State::Beginning,
        };
        texts
            .map(|text| match text {
                Ok(text) => (text.line, Ok(text.text)),
                Err(error) => (None, Err(error.to_string())),
            })
            .collect()
    }

    #[track_caller]
    fn check(text: &str, expected: &[(Option<u64>, &str)]) {
        let expected: Vec<_> = expected.iter().map(|(line, text)| (*line, Ok((*text).to_owned()))).collect();
        assert_eq!(texts(text.as_bytes()), expected);
    }

    #[test]
    fn a_document_is_all_of_the_input_or_a_line() {
        check("", &[(None, "")]);
        check("{}", &[(None, "{}")]);
        check("\n{}\n\n", &[(None, "\n{}\n")]);
        check("{\n}\n\n{}", &[(None, "{\n}\n\n{}")]);
        check("{} {}\n{}", &[(None, "{} {}\n{}")]);
        check("\n {}\r\n\n{\n\n[]", &[(Some(2), " {}\r\n"), (Some(4), "{\n"), (Some(6), "[]")]);
    }

    #[test]
    fn a_line_that_is_no_text_does_not_end_the_input() {
        let read = texts(b"{}\n\xc3\x28\n{}\n");
        let wrong = "(stdin):2:1: the text is neither UTF-8 nor UTF-16".to_owned();
        let right = |line| (Some(line), Ok("{}\n".to_owned()));
        assert_eq!(read, [right(1), (None, Err(wrong)), right(3)]);
    }
}
