//! Escapes characters that must not reach a terminal as they are.
//!
//! Control characters move the cursor or rename the window; characters that turn the direction of text show an address or a
//! value as another one.

use std::borrow::Cow;
use std::io::{self, Write};

/// The most that is held back, in bytes, until a line ends.
const MAX_LINE: usize = 64 << 10;

/// Writes text line by line, with control characters and bidirectional overrides as escapes. Line ends,
/// tabs and colours stay.
///
/// ```
/// use std::io::Write;
///
/// let mut out = objchange_text::Escaping::new(Vec::new(), true);
/// writeln!(out, "a\rb")?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Escaping<W: Write> {
    to: W,
    /// Else all stays as it is.
    escapes: bool,
    line: Vec<u8>,
}

impl<W: Write> Escaping<W> {
    /// Writes to `to`; without `escapes` all stays as it is.
    pub fn new(to: W, escapes: bool) -> Self {
        Self { to, escapes, line: Vec::new() }
    }

    /// Writes the held text up to `end`.
    fn write_up_to(&mut self, end: usize) -> io::Result<()> {
        let written =
            self.to.write_all(visible_colored(&String::from_utf8_lossy(&self.line[..end])).as_bytes());
        self.line.drain(..end);
        written
    }

    /// The end of the held text that can be written without cutting a character or a colour.
    fn cut(&self) -> usize {
        let end = match std::str::from_utf8(&self.line) {
            Ok(text) => text.len(),
            // A sequence that can never become valid is written as it is.
            Err(error) if error.error_len().is_some() => self.line.len(),
            Err(error) => error.valid_up_to(),
        };
        let tail = end.saturating_sub(MAX_SEQUENCE);
        match self.line[tail..end].iter().rposition(|byte| *byte == 0x1b) {
            Some(at) if colour(&self.line[tail + at..end]).is_none() => tail + at,
            _ => end,
        }
    }
}

impl<W: Write> Write for Escaping<W> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if !self.escapes {
            self.to.write_all(piece)?;
            return Ok(piece.len());
        }
        // Only the piece can have a line break: held text has none. To look through all of it for each of many small pieces
        // took 66 s for 8,000 names.
        let held = self.line.len();
        self.line.extend_from_slice(piece);
        if let Some(end) = piece.iter().rposition(|byte| *byte == b'\n') {
            self.write_up_to(held + end + 1)?;
        }
        if self.line.len() > MAX_LINE {
            self.write_up_to(self.cut())?;
        }
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.write_up_to(self.line.len())?;
        self.to.flush()
    }
}

impl<W: Write> Drop for Escaping<W> {
    fn drop(&mut self) {
        // Callers that need the result flush.
        let _ = self.write_up_to(self.line.len());
    }
}

impl<W: Write> std::fmt::Debug for Escaping<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Escaping").field("escapes", &self.escapes).finish_non_exhaustive()
    }
}

/// A longer one is not a colour.
const MAX_SEQUENCE: usize = 32;

/// The length of the sequence of a colour at the beginning of the text: `ESC [ 1 ; 31 m`.
fn colour(text: &[u8]) -> Option<usize> {
    let rest = text.strip_prefix(b"\x1b[")?;
    let end = rest.iter().take(MAX_SEQUENCE).position(|byte| !matches!(byte, b'0'..=b'9' | b';' | b':'))?;
    (rest[end] == b'm').then_some(end + 3)
}

/// Whether a character is not to be seen: a control character, or one that turns text around. Line ends and tabs are
/// ordinary.
///
/// ```
/// assert!(objchange_text::is_hidden('\u{202e}') && !objchange_text::is_hidden('\n'));
/// ```
pub fn is_hidden(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        // Separators of lines and paragraphs, and all that turns text around.
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// The text with control characters and bidirectional overrides as escapes. Line ends, tabs and colours
/// stay.
///
/// ```
/// let text = "\u{1b}[31mred\u{1b}[0m\u{1b}]0;title\n";
/// assert_eq!(objchange_text::visible_colored(text), "\u{1b}[31mred\u{1b}[0m\\u{1b}]0;title\n");
/// ```
pub fn visible_colored(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return text.into();
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut shown_from = 0;
    for (at, c) in text.char_indices().filter(|(_, c)| is_hidden(*c)) {
        if at < shown_from {
            continue;
        }
        out.push_str(&text[shown_from..at]);
        shown_from = at + c.len_utf8();
        match colour(&text.as_bytes()[at..]) {
            Some(length) => {
                shown_from = at + length;
                out.push_str(&text[at..shown_from]);
            }
            None => out.extend(c.escape_default()),
        }
    }
    out.push_str(&text[shown_from..]);
    out.into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written<'p>(pieces: impl IntoIterator<Item = &'p [u8]>, escapes: bool) -> String {
        let mut out = Vec::new();
        let mut to = Escaping::new(&mut out, escapes);
        pieces.into_iter().for_each(|piece| to.write_all(piece).unwrap());
        drop(to);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn text_is_escaped_where_that_is_wanted() {
        let text = "a\u{202e}b\u{2066}é\u{200f}\u{61c}\r\u{9b}\u{7f}\x1b]0;x\x07\n";
        let shown = "a\\u{202e}b\\u{2066}é\\u{200f}\\u{61c}\\r\\u{9b}\\u{7f}\\u{1b}]0;x\\u{7}\n";
        assert_eq!(written([text.as_bytes()], true), shown);
        assert_eq!(written([text.as_bytes()], false), text);
        let harmless = "\u{202f}\u{200d} ─\t\x1b[1;31mred\x1b[0m\n";
        assert_eq!(written([harmless.as_bytes()], true), harmless);
    }

    proptest! {
        /// However the text comes in pieces, the same is written, and nothing in it is hidden but colours.
        #[test]
        fn pieces_do_not_matter(
            text in "([a-zé\n\t\u{1b}\\[0-9;m]|\u{1b}\\[31m|\u{202e}|\u{9b}|\u{7f}|\r|😀){0,40}",
            size in 1..7_usize,
        ) {
            let whole = written([text.as_bytes()], true);
            prop_assert_eq!(&written(text.as_bytes().chunks(size), true), &whole);
            let mut rest = whole.as_str();
            while let Some(at) = rest.find(is_hidden) {
                let length = colour(&rest.as_bytes()[at..]);
                prop_assert!(length.is_some(), "{:?}", whole);
                rest = &rest[at + length.unwrap_or_default()..];
            }
        }

        #[test]
        fn long_lines_are_not_cut_in_a_character(at in 0..8_usize) {
            let text = format!("{}{}", "x".repeat(at), "é\x1b[31m".repeat(MAX_LINE / 4));
            prop_assert_eq!(written(text.as_bytes().chunks(4096), true), text);
        }
    }
}
