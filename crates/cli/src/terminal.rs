//! Standard output where it is a terminal: how wide it is, and what must not reach the eyes of whoever sits there as it
//! stands.

use std::io::{self, IsTerminal, Stdout, Write};

use console::Term;

/// The columns of the terminal, if standard output is one and says so.
pub(crate) fn width(stdout: &Stdout) -> Option<usize> {
    let (_, columns) = stdout.is_terminal().then(|| Term::stdout().size_checked()).flatten()?;
    Some(usize::from(columns)).filter(|columns| *columns > 0)
}

/// Writes text with the characters that turn text around as escapes, if it goes to a terminal: there they could show
/// an address or a value as another one. Elsewhere the text stays what Terraform writes.
///
/// Each piece that is written must be whole text.
pub(crate) struct Upright<W> {
    to: W,
    is_terminal: bool,
}

impl<W: Write> Upright<W> {
    pub(crate) fn new(to: W, is_terminal: bool) -> Self {
        Self { to, is_terminal }
    }
}

fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

impl<W: Write> Write for Upright<W> {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        let text = if self.is_terminal { std::str::from_utf8(piece).ok() } else { None };
        match text.filter(|text| text.contains(turns)) {
            Some(text) => {
                let mut upright = String::with_capacity(text.len() + 16);
                for c in text.chars() {
                    if turns(c) { upright.extend(c.escape_unicode()) } else { upright.push(c) }
                }
                self.to.write_all(upright.as_bytes())?;
            }
            None => self.to.write_all(piece)?,
        }
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_text_around_is_escaped_on_terminals_alone() {
        let written = |text: &str, is_terminal| {
            let mut out = Vec::new();
            Upright::new(&mut out, is_terminal).write_all(text.as_bytes()).unwrap();
            String::from_utf8(out).unwrap()
        };
        let text = "a\u{202e}b\u{2066}é\u{200f}\u{61c}\n";
        assert_eq!(written(text, true), "a\\u{202e}b\\u{2066}é\\u{200f}\\u{61c}\n");
        assert_eq!(written(text, false), text);
        assert_eq!(written("\u{202f}\u{200d} ─\n", true), "\u{202f}\u{200d} ─\n");
    }
}
