//! The lines of an input, one at a time and of bounded length.

use std::io::{self, BufRead, BufReader, Read};

/// The longest line that is read, in bytes of UTF-8.
pub(crate) const MAX_LINE: usize = 64 * 1024 * 1024;

/// A line that is not blank, without its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// From 1.
    pub(crate) number: u64,
    pub(crate) text: Result<String, LineError>,
}

/// Why a line is no text to work with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LineError {
    #[error("the line is longer than {} MiB", MAX_LINE / 1024 / 1024)]
    TooLong,
    #[error("this is not valid text in UTF-8 or UTF-16")]
    NotText {
        /// In bytes from 1.
        column: usize,
    },
}

impl LineError {
    /// Where in the line, in bytes from 1.
    pub(crate) fn column(&self) -> usize {
        match self {
            Self::TooLong => MAX_LINE + 1,
            Self::NotText { column } => *column,
        }
    }
}

/// Iterates over the lines of an input that are not blank.
pub(crate) struct Lines<R> {
    reader: BufReader<R>,
    number: u64,
    max: usize,
}

impl<R: Read> Lines<R> {
    pub(crate) fn new(reader: R) -> Self {
        Self { reader: BufReader::with_capacity(128 * 1024, reader), number: 0, max: MAX_LINE }
    }

    fn read(&mut self) -> io::Result<Option<Line>> {
        loop {
            let mut bytes = Vec::new();
            if (&mut self.reader).take(self.max as u64 + 1).read_until(b'\n', &mut bytes)? == 0 {
                return Ok(None);
            }
            self.number += 1;
            let ended = bytes.pop_if(|byte| *byte == b'\n').is_some();
            let too_long = bytes.len() > self.max;
            if too_long && !ended {
                self.reader.skip_until(b'\n')?;
            }
            if bytes.iter().all(u8::is_ascii_whitespace) && !too_long {
                continue;
            }
            let text = match String::from_utf8(bytes) {
                _ if too_long => Err(LineError::TooLong),
                Ok(text) => Ok(text),
                Err(e) => Err(LineError::NotText { column: e.utf8_error().valid_up_to() + 1 }),
            };
            return Ok(Some(Line { number: self.number, text }));
        }
    }
}

impl<R: Read> Iterator for Lines<R> {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], max: usize, expected: &[(u64, Result<&str, LineError>)]) {
        let lines = Lines { max, ..Lines::new(bytes) };
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
    fn a_line_that_cannot_be_read_does_not_end_the_input() {
        check(
            b"0123456789\n\xc3\x28\n01234567\n",
            8,
            &[(1, Err(LineError::TooLong)), (2, Err(LineError::NotText { column: 1 })), (3, Ok("01234567"))],
        );
    }
}
