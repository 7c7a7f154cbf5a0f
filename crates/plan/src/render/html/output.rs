//! Writes the page.

use std::io;

use maud::Markup;
use objchange_text::visible;

/// HTML that is passed on when there is much of it.
pub(super) struct Output<'o> {
    html: String,
    to: &'o mut dyn io::Write,
    /// Why it could not be passed on.
    error: Option<io::Error>,
    /// How many lines of diffs have been written that are to be seen at once.
    pub(super) lines: usize,
}

/// The number of bytes to collect before they are written.
const ENOUGH: usize = 1 << 16;

impl<'o> Output<'o> {
    pub(super) fn new(to: &'o mut dyn io::Write) -> Self {
        Self { html: String::new(), to, error: None, lines: 0 }
    }

    pub(super) fn markup(&mut self, markup: &Markup) {
        self.tag(&markup.0);
    }

    /// Writes our own markup.
    pub(super) fn tag(&mut self, tag: &str) {
        self.html.push_str(tag);
        if self.html.len() >= ENOUGH {
            self.pass_on();
        }
    }

    /// Writes text between tags, with control characters visible and markup escaped. Not for attributes: it leaves
    /// quotes, of which diffs are full, unescaped.
    pub(super) fn text(&mut self, text: &str) {
        let is_plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'&' | b'<' | b'>');
        // To look at all bytes takes vector instructions.
        if text.bytes().fold(true, |all, byte| all & is_plain(byte)) {
            return self.html.push_str(text);
        }
        // Tabs are as they are in values of several lines.
        for (index, part) in text.split('\t').enumerate() {
            self.html.push_str(if index > 0 { "\t" } else { "" });
            for c in visible(part).chars() {
                match c {
                    '&' => self.html.push_str("&amp;"),
                    '<' => self.html.push_str("&lt;"),
                    '>' => self.html.push_str("&gt;"),
                    c => self.html.push(c),
                }
            }
        }
    }

    fn pass_on(&mut self) {
        if self.error.is_none() {
            self.error = self.to.write_all(self.html.as_bytes()).err();
        }
        // After an error, too: the rest of the page must not be collected in memory.
        self.html.clear();
    }

    /// Passes on what waits, and says whether all could be passed on.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.pass_on();
        self.error.take().map_or(Ok(()), Err)
    }
}
