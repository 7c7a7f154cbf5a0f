//! The lines of an input, one at a time and of bounded length.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

/// The longest line that is read, in bytes of UTF-8.
const MAX_LINE: usize = 64 * 1024 * 1024;

/// How many times the length of the longest line is skipped to find the end of a longer one: an input may
/// have none.
const LONGEST: u64 = 16;

/// A line that is not blank.
#[derive(Debug, PartialEq, Eq)]
pub struct BoundedLine {
    /// From 1.
    pub number: u64,
    /// Without its end.
    pub text: Result<String, LineError>,
}

/// Why a line is not text to work with.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineError {
    /// The line is longer than 64 MiB.
    TooLong,
    /// The line is neither UTF-8 nor UTF-16.
    NotText {
        /// In bytes from 1.
        column: usize,
    },
}

impl fmt::Display for LineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "the line is longer than {} MiB", MAX_LINE / 1024 / 1024),
            Self::NotText { .. } => f.write_str("this is not valid text in UTF-8 or UTF-16"),
        }
    }
}

impl std::error::Error for LineError {}

impl LineError {
    /// A stable name of this sort of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::TooLong => "too_long",
            Self::NotText { .. } => "not_text",
        }
    }

    /// The column in the line, in bytes from 1.
    pub fn column(&self) -> usize {
        match self {
            Self::TooLong => MAX_LINE + 1,
            Self::NotText { column } => *column,
        }
    }
}

/// The lines of an input that are not blank, each at most 64 MiB long.
///
/// ```
/// let mut lines = objchange_text::BoundedLines::new(&b"a\n\n\xff\nb"[..]);
/// let mut next = || lines.next().unwrap().unwrap();
/// assert_eq!((next().number, next().text.is_err(), next().text.as_deref()), (1, true, Ok("b")));
/// ```
#[derive(Debug)]
pub struct BoundedLines<R> {
    reader: BufReader<R>,
    number: u64,
    max: usize,
}

impl<R: Read> BoundedLines<R> {
    /// Reads lines from here on.
    pub fn new(reader: R) -> Self {
        Self { reader: BufReader::with_capacity(128 * 1024, reader), number: 0, max: MAX_LINE }
    }

    fn read(&mut self) -> io::Result<Option<BoundedLine>> {
        loop {
            let mut bytes = Vec::new();
            // One byte more than a line may have tells a line that is too long from one that just fits.
            if (&mut self.reader).take(self.max as u64 + 1).read_until(b'\n', &mut bytes)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            let ended = bytes.pop_if(|byte| *byte == b'\n').is_some();
            let too_long = bytes.len() > self.max;
            if too_long && !ended {
                // A device such as /dev/zero has no line ends, so looking for the next one would never return.
                let limit = self.max as u64 * LONGEST;
                if (&mut self.reader).take(limit).skip_until(b'\n')? as u64 == limit {
                    let why = format!("line {} does not end within {limit} bytes", self.number);
                    return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
                }
            }
            if bytes.iter().all(u8::is_ascii_whitespace) && !too_long {
                continue;
            }
            let text = match String::from_utf8(bytes) {
                _ if too_long => Err(LineError::TooLong),
                Ok(text) => Ok(text),
                Err(e) => Err(LineError::NotText { column: e.utf8_error().valid_up_to() + 1 }),
            };
            return Ok(Some(BoundedLine { number: self.number, text }));
        }
    }
}

impl<R: Read> Iterator for BoundedLines<R> {
    type Item = io::Result<BoundedLine>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], max: usize, expected: &[(u64, Result<&str, LineError>)]) {
        let lines = BoundedLines { max, ..BoundedLines::new(bytes) };
        let lines: Vec<_> = lines.map(Result::unwrap).map(|line| (line.number, line.text)).collect();
        let lines: Vec<_> =
            lines.iter().map(|(n, t)| (*n, t.as_ref().map(String::as_str).map_err(Clone::clone))).collect();
        assert_eq!(lines, expected);
    }

    #[test]
    fn blank_lines_are_passed_over_and_counted() {
        check(b"a\n\n \t\r\nb", 100, &[(1, Ok("a")), (4, Ok("b"))]);
        check(b"", 100, &[]);
    }

    #[test]
    fn a_line_without_an_end_ends_the_input() {
        let mut lines = BoundedLines { max: 8, ..BoundedLines::new(io::repeat(0)) };
        assert_eq!(lines.next().unwrap().unwrap_err().kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn a_line_that_cannot_be_read_does_not_end_the_input() {
        check(
            b"0123456789\n\xc3\x28\n01234567\n",
            8,
            &[(1, Err(LineError::TooLong)), (2, Err(LineError::NotText { column: 1 })), (3, Ok("01234567"))],
        );
    }
}
