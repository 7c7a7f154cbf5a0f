//! Tokens of texts: quoted strings, heredocs and template files, up to the sequences in them.

use objchange_text::Span;

use super::super::token::Kind;
use super::{Lexer, Mode};

impl Lexer<'_> {
    /// One step through a quoted string.
    pub(super) fn quoted(&mut self) {
        let start = self.at;
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'"' | b'\n' | b'\r' => break,
                // A backslash, `$` or `%` at the end of the file begins nothing.
                b'\\' | b'$' | b'%' if self.at + 1 == self.bytes.len() => break,
                b'\\' => {
                    let c = self.text[self.at + 1..].chars().next().unwrap_or_default();
                    self.at += if matches!(c, '\n' | '\r') { 1 } else { 1 + c.len_utf8() };
                }
                b'$' | b'%' => {
                    if self.sequence_starts() {
                        break;
                    }
                }
                _ => self.at += 1,
            }
        }
        if self.at > start {
            return self.push(Kind::QuotedText, start);
        }
        match self.byte(0) {
            b'"' => {
                self.take(Kind::CloseQuote, 1);
                self.modes.pop();
            }
            b'\\' | b'$' | b'%' if self.at + 1 == self.bytes.len() => {
                self.take(Kind::Invalid, 1);
                self.report_last("Invalid character", "This character needs another one behind it.");
            }
            b'\n' | b'\r' => {
                let is_pair = self.bytes[self.at..].starts_with(b"\r\n");
                self.take(Kind::QuotedNewline, if is_pair { 2 } else { 1 });
                let detail = "Quoted strings may not be split over multiple lines. To produce a multi-line \
                              string, either use the \\n escape to represent a newline character or use the \
                              \"heredoc\" multi-line template syntax.";
                self.report_last("Invalid multi-line string", detail);
            }
            _ => self.sequence(),
        }
    }

    /// Whether `${` or `%{` starts here. Skips escapes that only look like it.
    fn sequence_starts(&mut self) -> bool {
        let marker = self.byte(0);
        // Only the last two markers before a brace are an escape: `"$$${1}"` is the text `$${1}` (Terraform 1.11.4).
        let run = self.bytes[self.at..].iter().take_while(|byte| **byte == marker).count();
        if self.byte(run) != b'{' {
            self.at += run;
        } else if run == 1 && self.has_sequences {
            return true;
        } else {
            self.at += run + 1;
        }
        false
    }

    fn sequence(&mut self) {
        let kind = if self.byte(0) == b'$' { Kind::Interpolation } else { Kind::Directive };
        // The tilde in `${~}` belongs to the closing `~}`.
        self.take(kind, if self.byte(2) == b'~' && self.byte(3) != b'}' { 3 } else { 2 });
        self.modes.push(Mode::Code { braces: 0 });
    }

    /// One step through the lines of a heredoc.
    pub(super) fn heredoc(&mut self, marker: Span, at_line_start: bool) {
        let start = self.at;
        if at_line_start {
            let rest = &self.bytes[start..];
            if let Some(length) = memchr::memchr(b'\n', rest) {
                // Only a line that is about as short can be the marker's; a long one is looked at once.
                let line = &self.text[start..start + length];
                if line.trim() == &self.text[marker.range()] {
                    let length = line.strip_suffix('\r').unwrap_or(line).len();
                    self.take(Kind::CloseHeredoc, length);
                    self.modes.pop();
                    return;
                }
            }
        }
        let is_line = self.text_line();
        if let Some(Mode::Heredoc { at_line_start, .. }) = self.modes.last_mut() {
            *at_line_start = is_line;
        }
        if self.at > start {
            self.push(Kind::Text, start);
        } else if self.byte(0) == b'\r' {
            self.take(Kind::Invalid, self.bytes.len() - self.at);
            self.report_last("Invalid character", "A carriage return needs a line feed behind it.");
        } else {
            self.sequence();
        }
    }

    /// One step through a template file.
    pub(super) fn template(&mut self) {
        let start = self.at;
        self.text_line();
        if self.at > start {
            self.push(Kind::Text, start);
        } else if self.byte(0) == b'\r' {
            // HCL 2.24 finds no sequences behind a CR without LF: the rest of a template file is text.
            self.take(Kind::Text, self.bytes.len() - self.at);
        } else {
            self.sequence();
        }
    }

    /// Passes over text up to a line end and with it, or up to a sequence. Says whether it was a line end.
    fn text_line(&mut self) -> bool {
        while let Some(byte) = self.bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.at += 1;
                    return true;
                }
                b'\r' if self.byte(1) != b'\n' => return false,
                b'$' | b'%' => {
                    if self.sequence_starts() {
                        return false;
                    }
                }
                _ => self.at += 1,
            }
        }
        false
    }
}
