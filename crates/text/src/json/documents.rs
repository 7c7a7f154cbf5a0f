//! The documents of one input: all of it, or one a line.

use std::io::{self, BufRead, Cursor, Read};

use super::Reader;

/// A document as it is in its input.
#[derive(Debug, PartialEq, Eq)]
pub struct DocumentBytes {
    /// The line, from 1, where the input holds a document a line.
    pub line: Option<u64>,
    /// Its bytes, with the blank lines around it if it is all of the input.
    pub bytes: Vec<u8>,
}

/// The documents of an input, none of them longer than a limit, read one after the other: a document a line, if the first line that is not blank is an
/// object and another one begins after it; else all of it is one document, perhaps with log lines around it. If the first
/// line is broken, the second shows that each line is one.
///
/// ```
/// use objchange_text::json::Documents;
///
/// let lines = |text: &str| -> Vec<_> { Documents::new(text.as_bytes(), 100).map(|read| read.unwrap().line).collect() };
/// assert_eq!(lines("{}\n\n{}"), [Some(1), Some(3)]);
/// assert_eq!(lines("{\n}\n{}"), [None]);
/// assert_eq!(lines("{}\nApply complete!"), [None]);
/// assert_eq!(lines("{\"a\":\n{}\n{}"), [Some(1), Some(2), Some(3)]);
/// ```
#[derive(Debug)]
pub struct Documents<R> {
    reader: R,
    /// Input that was read ahead to find out how it is divided.
    ahead: Cursor<Vec<u8>>,
    /// The next line, from 1.
    line: u64,
    state: State,
    /// The maximum size of a document in bytes, and of blank lines in a row.
    limit: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Beginning,
    Lines,
    End,
}

impl<R: BufRead> Documents<R> {
    /// Reads documents from here on, each of at most `limit` bytes.
    pub fn new(reader: R, limit: u64) -> Self {
        Self { reader, ahead: Cursor::default(), line: 1, state: State::Beginning, limit }
    }

    /// Reads one document a line; `first` is the number of the first line, from 1.
    ///
    /// ```
    /// use objchange_text::json::Documents;
    ///
    /// let lines: Vec<_> = Documents::of_lines(&b"{\n\n{}"[..], 7, 100).map(|read| read.unwrap().line).collect();
    /// assert_eq!(lines, [Some(7), Some(9)]);
    /// ```
    pub fn of_lines(reader: R, first: u64, limit: u64) -> Self {
        Self { reader, ahead: Cursor::default(), line: first, state: State::Lines, limit }
    }

    /// The beginning: all of the input, or its first line, if that is a document and more follows.
    fn begin(&mut self) -> io::Result<(Option<u64>, Vec<u8>)> {
        let mut bytes = Vec::new();
        let first = loop {
            let start = bytes.len();
            let is_end = read_line(&mut self.reader, &mut bytes, self.limit)? == 0;
            if is_end || !bytes[start..].trim_ascii().is_empty() {
                break start;
            }
            self.line += 1;
        };
        if bytes[first..].trim_ascii_start().starts_with(b"{") && is_whole(&bytes[first..]) {
            let line = self.line;
            self.line += 1;
            self.skip_blank()?;
            if self.reader.fill_buf()?.first() == Some(&b'{') {
                self.state = State::Lines;
                return Ok((Some(line), bytes.split_off(first)));
            }
            // Other text follows a document, as commands print it. It keeps its line.
            let blank = usize::try_from(self.line - line - 1).unwrap_or_default();
            bytes.resize(bytes.len() + blank, b'\n');
        }
        let second = bytes.len();
        while read_line(&mut self.reader, &mut bytes, self.limit)? > 0 {}
        if second_line_is_document(&bytes[first..], second - first) {
            self.state = State::Lines;
            self.line += 1;
            self.ahead = Cursor::new(bytes.split_off(second));
            return Ok((Some(self.line - 1), bytes.split_off(first)));
        }
        Ok((None, bytes))
    }

    /// The next line that is not blank.
    fn next_line(&mut self) -> io::Result<Option<(u64, Vec<u8>)>> {
        if !self.skip_blank()? {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        match self.is_ahead() {
            true => read_line(&mut self.ahead, &mut bytes, self.limit)?,
            false => read_line(&mut self.reader, &mut bytes, self.limit)?,
        };
        self.line += 1;
        Ok(Some((self.line - 1, bytes)))
    }

    fn is_ahead(&self) -> bool {
        self.ahead.position() < self.ahead.get_ref().len() as u64
    }

    /// Passes over white space; whether anything follows.
    fn skip_blank(&mut self) -> io::Result<bool> {
        // An input of blank lines may never end, either.
        let mut left = self.limit;
        loop {
            let is_ahead = self.is_ahead();
            let buffer = if is_ahead { self.ahead.fill_buf()? } else { self.reader.fill_buf()? };
            let blank = buffer.iter().position(|byte| !byte.is_ascii_whitespace());
            self.line +=
                buffer[..blank.unwrap_or(buffer.len())].iter().filter(|byte| **byte == b'\n').count() as u64;
            let (passed, is_end) = (blank.unwrap_or(buffer.len()), buffer.is_empty());
            left = left.checked_sub(passed as u64).ok_or_else(|| too_long(self.limit))?;
            if is_ahead {
                self.ahead.consume(passed);
            } else {
                self.reader.consume(passed);
            }
            if blank.is_some() || (is_end && !is_ahead) {
                return Ok(blank.is_some());
            }
        }
    }

    fn read(&mut self) -> io::Result<Option<DocumentBytes>> {
        let state = std::mem::replace(&mut self.state, State::End);
        let (line, bytes) = match state {
            State::End => return Ok(None),
            State::Beginning => self.begin()?,
            State::Lines => match self.next_line()? {
                Some((line, bytes)) => {
                    self.state = State::Lines;
                    (Some(line), bytes)
                }
                None => return Ok(None),
            },
        };
        Ok(Some(DocumentBytes { line, bytes }))
    }
}

/// Reads a line behind the bytes of a document; returns its length.
fn read_line(reader: &mut impl BufRead, bytes: &mut Vec<u8>, limit: u64) -> io::Result<usize> {
    let left = limit.saturating_sub(bytes.len() as u64);
    let read = reader.by_ref().take(left.saturating_add(1)).read_until(b'\n', bytes)?;
    match bytes.len() as u64 > limit {
        true => Err(too_long(limit)),
        false => Ok(read),
    }
}

fn too_long(limit: u64) -> io::Error {
    io::Error::new(
        io::ErrorKind::FileTooLarge,
        format!("a document in it is longer than {} MiB", limit >> 20),
    )
}

/// Whether these bytes are not one document, and the line that begins at `second` is a document by itself: then the first
/// line is a document that is cut off, or broken otherwise.
fn second_line_is_document(bytes: &[u8], second: usize) -> bool {
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return false;
    }
    let rest = bytes[second..].trim_ascii_start();
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    // All bytes are read last, because they are the most.
    line.starts_with(b"{") && is_whole(line) && !is_whole(bytes)
}

/// Whether a line is a JSON value by itself.
fn is_whole(line: &[u8]) -> bool {
    std::str::from_utf8(line).is_ok_and(|line| {
        let mut reader = Reader::new(line);
        reader.skip().and_then(|()| reader.end()).is_ok()
    })
}

impl<R: BufRead> Iterator for Documents<R> {
    type Item = io::Result<DocumentBytes>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[track_caller]
    fn check(text: &[u8], expected: &[(Option<u64>, &[u8])]) {
        let documents = Documents::new(BufReader::with_capacity(3, text), 100);
        let documents: Vec<_> = documents.map(Result::unwrap).map(|read| (read.line, read.bytes)).collect();
        let expected: Vec<_> = expected.iter().map(|(line, bytes)| (*line, bytes.to_vec())).collect();
        assert_eq!(documents, expected);
    }

    #[test]
    fn a_document_is_all_of_the_input_or_a_line() {
        check(b"", &[(None, b"")]);
        check(b"{}", &[(None, b"{}")]);
        check(b"\n{}\n\n", &[(None, b"\n{}\n\n")]);
        check(b"{\n}\n\n{}", &[(None, b"{\n}\n\n{}")]);
        check(b"{} {}\n[]", &[(None, b"{} {}\n[]")]);
        check(b"\n {}\r\n\n{\n\n[]", &[(Some(2), b" {}\r\n"), (Some(4), b"{\n"), (Some(6), b"[]")]);
    }

    #[test]
    fn a_broken_first_line_does_not_hide_the_others() {
        check(b"{\"a\":[\n\n{}\n \n{}", &[(Some(1), b"{\"a\":[\n"), (Some(3), b"{}\n"), (Some(5), b"{}")]);
        check(b"\n{\xff}\n{}\n", &[(Some(2), b"{\xff}\n"), (Some(3), b"{}\n")]);
        // One document, also where one of its lines is another.
        check(b"{\"a\":[\n{}\n]}", &[(None, b"{\"a\":[\n{}\n]}")]);
        check(b"{\n{\n}", &[(None, b"{\n{\n}")]);
        // Text around a document.
        check(b"Planning\n{}\n", &[(None, b"Planning\n{}\n")]);
    }

    #[test]
    fn what_has_no_end_is_refused() {
        for endless in [&b"\0"[..], b"\n", b"{", b"{\n", b"{}\n", b"{}\n{\n "] {
            let endless = endless.iter().copied().cycle();
            let reader = BufReader::with_capacity(16, Endless(endless));
            let documents = Documents::new(reader, 1000).take(10).collect::<Vec<_>>();
            let is_refused = |read: &io::Result<DocumentBytes>| {
                read.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::FileTooLarge)
            };
            // There may be any number of documents.
            assert!(documents.iter().any(is_refused) || documents.len() == 10);
        }
    }

    struct Endless<I>(I);

    impl<I: Iterator<Item = u8>> io::Read for Endless<I> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            buffer.iter_mut().for_each(|byte| *byte = self.0.next().unwrap());
            Ok(buffer.len())
        }
    }

    #[test]
    fn a_line_that_is_no_text_does_not_end_the_input() {
        let lines: [(_, &[u8]); 3] = [(Some(1), b"{}\n"), (Some(2), b"{}\n"), (Some(3), b"\xc3\x28\n")];
        check(b"{}\n{}\n\xc3\x28\n", &lines);
    }
}
