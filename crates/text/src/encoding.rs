//! Text as it comes from files: UTF-8 or UTF-16, with or without a byte order mark.
//!
//! Other tools write UTF-8; the PowerShell of Windows turns that into UTF-16 where it redirects output.

use std::io::{self, Cursor, Read};

/// Reads at most `limit` bytes. No other code in the workspace reads all of an input: it may have no end.
///
/// ```
/// assert_eq!(objchange_text::read_at_most(std::io::repeat(0), 3)?, [0, 0, 0]);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// It cannot be read.
pub fn read_at_most(reader: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    read_into(Vec::new(), reader, limit)
}

/// Reads at most `limit` bytes into the room that is there: a vector that grows has touched up to twice the memory.
///
/// ```
/// let bytes = objchange_text::read_into(Vec::with_capacity(3), std::io::repeat(0), 3)?;
/// assert_eq!((&bytes[..], bytes.capacity()), (&[0, 0, 0][..], 3));
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// It cannot be read.
#[allow(clippy::disallowed_methods, reason = "this is the limit that the others lack")]
pub fn read_into(mut room: Vec<u8>, reader: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    reader.take(limit).read_to_end(&mut room)?;
    Ok(room)
}

/// A byte that no UTF-8 text has. It replaces invalid UTF-16, so that the reader of the UTF-8 finds the
/// place.
const NOT_TEXT: u8 = 0xff;

/// Reads text as UTF-8, without its byte order mark. Invalid bytes are passed on for the reader to find.
///
/// Without a mark the text is read as UTF-16 if its first character is ASCII in that encoding, as JSON's
/// is.
///
/// ```
/// use std::io::Read;
///
/// let mut text = String::new();
/// objchange_text::utf8_reader(&b"\xff\xfe{\0}\0"[..])?.read_to_string(&mut text)?;
/// assert_eq!(text, "{}");
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// The first bytes cannot be read.
pub fn utf8_reader<'r>(mut reader: impl Read + Send + 'r) -> io::Result<Box<dyn Read + Send + 'r>> {
    let head = read_at_most(&mut reader, 3)?;
    let rest = |skip: u64| {
        let mut head = Cursor::new(head.clone());
        head.set_position(skip);
        head
    };
    Ok(match head[..] {
        [0xef, 0xbb, 0xbf] => Box::new(reader),
        [0xff, 0xfe, ..] => Box::new(Utf16::new(rest(2).chain(reader), u16::from_le_bytes)),
        [0xfe, 0xff, ..] => Box::new(Utf16::new(rest(2).chain(reader), u16::from_be_bytes)),
        [1..=0x7f, 0, ..] => Box::new(Utf16::new(rest(0).chain(reader), u16::from_le_bytes)),
        [0, 1..=0x7f, ..] => Box::new(Utf16::new(rest(0).chain(reader), u16::from_be_bytes)),
        _ => Box::new(rest(0).chain(reader)),
    })
}

/// UTF-16 on its way to UTF-8.
struct Utf16<R> {
    inner: R,
    unit: fn([u8; 2]) -> u16,
    /// Bytes read and not decoded yet: half a unit, or half a surrogate pair.
    pending: Vec<u8>,
    decoded: Cursor<Vec<u8>>,
    at_end: bool,
}

impl<R: Read> Utf16<R> {
    fn new(inner: R, unit: fn([u8; 2]) -> u16) -> Self {
        Self { inner, unit, pending: Vec::new(), decoded: Cursor::default(), at_end: false }
    }

    /// Decodes the next piece.
    fn fill(&mut self) -> io::Result<()> {
        let mut piece = read_at_most(&mut self.inner, 16 * 1024)?;
        self.at_end = piece.is_empty();
        self.pending.append(&mut piece);
        let units: Vec<u16> =
            self.pending.chunks_exact(2).map(|pair| (self.unit)([pair[0], pair[1]])).collect();
        // The other half of the pair may be in the next piece.
        let cut_pair = !self.at_end && units.last().is_some_and(|unit| (0xd800..0xdc00).contains(unit));
        let whole = units.len() - usize::from(cut_pair);
        let mut out = Vec::with_capacity(units.len() * 2);
        for decoded in char::decode_utf16(units[..whole].iter().copied()) {
            match decoded {
                Ok(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
                Err(_) => out.push(NOT_TEXT),
            }
        }
        self.pending.drain(..whole * 2);
        if self.at_end && !self.pending.is_empty() {
            self.pending.clear();
            out.push(NOT_TEXT);
        }
        self.decoded = Cursor::new(out);
        Ok(())
    }
}

impl<R: Read> Read for Utf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // A piece may decode to nothing, but 0 bytes would tell the caller that the input has ended.
        while !self.at_end && self.decoded.position() == self.decoded.get_ref().len() as u64 {
            self.fill()?;
        }
        self.decoded.read(buffer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives one byte at a time, as a slow pipe may.
    struct Slow<'a>(&'a [u8]);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let n = self.0.len().min(buffer.len()).min(1);
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[track_caller]
    fn check(bytes: &[u8], expected: &[u8]) {
        let mut out = Vec::new();
        utf8_reader(Slow(bytes)).unwrap().read_to_end(&mut out).unwrap();
        assert_eq!(out, expected);
    }

    fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        std::iter::once(0xfeff).chain(text.encode_utf16()).flat_map(to_bytes).collect()
    }

    #[test]
    fn every_encoding_gives_the_same_text() {
        let text = format!("{{\"größe\": \"{}\"}}\n", "\u{1f600}".repeat(20_000));
        check(text.as_bytes(), text.as_bytes());
        check(format!("\u{feff}{text}").as_bytes(), text.as_bytes());
        check(&utf16(&text, u16::to_le_bytes), text.as_bytes());
        check(&utf16(&text, u16::to_be_bytes), text.as_bytes());
        check(&utf16(&text, u16::to_le_bytes)[2..], text.as_bytes());
        check(&utf16(&text, u16::to_be_bytes)[2..], text.as_bytes());
        check(b"", b"");
        check(b"a", b"a");
    }

    #[test]
    fn what_is_no_text_stays_so() {
        check(b"a\xffb", b"a\xffb");
        check(b"\xff\xfea\0\x3d\xd8", b"a\xff");
        check(b"\xff\xfea\0b", b"a\xff");
        check(b"\xff\xfea", b"\xff");
    }
}
