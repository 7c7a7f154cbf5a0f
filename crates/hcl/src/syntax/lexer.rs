//! Splits text into tokens, and reports what cannot be one.

mod text;

use objchange_text::{Diagnostic, Span};
use unicode_ident::{is_xid_continue, is_xid_start};

use super::token::{Kind, Token};

/// The maximum number of errors in one text. An error takes about a hundred times the memory of the byte that causes
/// it.
pub(super) const MAX_ERRORS: usize = 10_000;

/// The kind of text at the top level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Top {
    /// An expression or a body.
    Code,
    /// A template: text with sequences.
    Template,
    /// A body of plain data, whose texts have no sequences: `${` is text.
    Data,
}

/// The tokens of a text, of which the last one is [`Kind::End`], and the errors in its characters.
pub(crate) fn tokens(text: &str, top: Top) -> (Vec<Token>, Vec<Diagnostic>) {
    let mode = match top {
        Top::Code | Top::Data => Mode::Code { braces: 0 },
        Top::Template => Mode::Template,
    };
    // On average a token is four bytes long, with the space before it.
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: if text.starts_with('\u{feff}') { 3 } else { 0 },
        tokens: Vec::with_capacity(text.len() / 4 + 2),
        modes: vec![mode],
        has_sequences: top != Top::Data,
        reported: ForeignCharacters::default(),
        diagnostics: Vec::new(),
    };
    while lexer.at < lexer.bytes.len() {
        match lexer.modes.last().copied().unwrap_or(Mode::Code { braces: 0 }) {
            Mode::Code { .. } => lexer.code(),
            Mode::Quoted => lexer.quoted(),
            Mode::Heredoc { marker, at_line_start } => lexer.heredoc(marker, at_line_start),
            Mode::Template => lexer.template(),
        }
    }
    lexer.push(Kind::End, lexer.at);
    (lexer.tokens, lexer.diagnostics)
}

#[derive(Debug, Clone, Copy)]
enum Mode {
    /// Outside of texts. Inside of a sequence, `braces` counts its open braces.
    Code {
        braces: u32,
    },
    Quoted,
    Heredoc {
        marker: Span,
        at_line_start: bool,
    },
    Template,
}

/// How often characters that people bring from other languages were found: not every one is reported.
#[derive(Debug, Default)]
struct ForeignCharacters {
    bitwise: u32,
    apostrophes: u32,
    backticks: u32,
    semicolons: u32,
    /// There is no `*/` from here on.
    no_comment_end: bool,
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    tokens: Vec<Token>,
    /// Never empty; the first one is never left.
    modes: Vec<Mode>,
    /// Whether `${` and `%{` begin a sequence in texts.
    has_sequences: bool,
    reported: ForeignCharacters,
    diagnostics: Vec<Diagnostic>,
}

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// A token from a byte to where the lexer is.
    fn push(&mut self, kind: Kind, start: usize) {
        self.tokens.push(Token { kind, span: Span::new(start as u32, self.at as u32) });
    }

    /// A token of some bytes from here.
    fn take(&mut self, kind: Kind, length: usize) {
        let start = self.at;
        self.at += length;
        self.push(kind, start);
    }

    fn report(&mut self, summary: &'static str, span: Span, detail: &'static str) {
        if self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(Diagnostic::new(summary, span, detail));
        }
    }

    fn report_last(&mut self, summary: &'static str, detail: &'static str) {
        if let Some(token) = self.tokens.last().copied() {
            self.report(summary, token.span, detail);
        }
    }

    fn code(&mut self) {
        let next = self.byte(1);
        match self.byte(0) {
            b' ' | b'\t' => self.at += 1,
            b'\n' => self.take(Kind::Newline, 1),
            b'\r' if next == b'\n' => self.take(Kind::Newline, 2),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.name(),
            b'0'..=b'9' => self.number(),
            b'"' => {
                self.take(Kind::OpenQuote, 1);
                self.modes.push(Mode::Quoted);
            }
            b'#' => self.comment(),
            b'/' if next == b'/' => self.comment(),
            b'/' if next == b'*' => self.long_comment(),
            b'{' => {
                if let Some(Mode::Code { braces }) = self.modes.last_mut() {
                    *braces += 1;
                }
                self.take(Kind::OpenBrace, 1);
            }
            b'}' => self.close_brace(),
            // HCL 2.24 reads `~}` as one token everywhere, even where it closes an ordinary `{`.
            b'~' if next == b'}' => {
                self.close_brace();
            }
            b'[' => self.take(Kind::OpenBracket, 1),
            b']' => self.take(Kind::CloseBracket, 1),
            b'(' => self.take(Kind::OpenParen, 1),
            b')' => self.take(Kind::CloseParen, 1),
            b'=' if next == b'=' => self.take(Kind::Equal, 2),
            b'=' if next == b'>' => self.take(Kind::FatArrow, 2),
            b'=' => self.take(Kind::Assign, 1),
            b'!' if next == b'=' => self.take(Kind::NotEqual, 2),
            b'!' => self.take(Kind::Bang, 1),
            b'<' if next == b'<' && self.heredoc_start() => {}
            b'<' if next == b'=' => self.take(Kind::LessEqual, 2),
            b'<' => self.take(Kind::Less, 1),
            b'>' if next == b'=' => self.take(Kind::GreaterEqual, 2),
            b'>' => self.take(Kind::Greater, 1),
            b'&' if next == b'&' => self.take(Kind::And, 2),
            b'|' if next == b'|' => self.take(Kind::Or, 2),
            b'.' if next == b'.' && self.byte(2) == b'.' => self.take(Kind::Ellipsis, 3),
            b'.' => self.take(Kind::Dot, 1),
            b',' => self.take(Kind::Comma, 1),
            b'?' => self.take(Kind::Question, 1),
            b':' if next == b':' => self.take(Kind::DoubleColon, 2),
            b':' => self.take(Kind::Colon, 1),
            b'+' => self.take(Kind::Plus, 1),
            b'-' => self.take(Kind::Minus, 1),
            b'*' => self.take(Kind::Star, 1),
            b'/' => self.take(Kind::Slash, 1),
            b'%' => self.take(Kind::Percent, 1),
            _ => self.unusual(),
        }
    }

    /// Reads a character that is not ordinary in the language.
    fn unusual(&mut self) {
        let c = self.text[self.at..].chars().next().unwrap_or_default();
        if is_xid_start(c) {
            return self.name();
        }
        let kind = if matches!(c, '&' | '|' | '^' | '~') { Kind::Bitwise } else { Kind::Invalid };
        self.take(kind, c.len_utf8().max(1));
        let count = |reported: &mut u32| {
            *reported += 1;
            *reported
        };
        match c {
            '&' | '|' | '^' | '~' => {
                // HCL 2.24 reports at most four of a file, and one semicolon.
                if count(&mut self.reported.bitwise) <= 4 {
                    let detail = match c {
                        '&' => "Bitwise operators are not supported. Did you mean boolean AND (\"&&\")?",
                        '|' => "Bitwise operators are not supported. Did you mean boolean OR (\"||\")?",
                        '~' => "Bitwise operators are not supported. Did you mean boolean NOT (\"!\")?",
                        _ => "Bitwise operators are not supported.",
                    };
                    self.report_last("Unsupported operator", detail);
                }
            }
            '\'' => {
                // HCL 2.24 reports the first and the third of a file, and no others.
                if matches!(count(&mut self.reported.apostrophes), 1 | 3) {
                    let detail = "Single quotes are not valid. Use double quotes (\") to enclose strings.";
                    self.report_last("Invalid character", detail);
                }
            }
            '`' => {
                if matches!(count(&mut self.reported.backticks), 1 | 3) {
                    let detail = "The \"`\" character is not valid. To create a multi-line string, use the \
                                  \"heredoc\" syntax, like \"<<EOT\".";
                    self.report_last("Invalid character", detail);
                }
            }
            ';' => {
                if count(&mut self.reported.semicolons) == 1 {
                    let detail = "The \";\" character is not valid. Use newlines to separate arguments and blocks, \
                                  and commas to separate items in collection values.";
                    self.report_last("Invalid character", detail);
                }
            }
            _ => self.report_last("Invalid character", "This character is not used within the language."),
        }
    }

    fn close_brace(&mut self) {
        let strips = self.byte(0) == b'~';
        let is_nested = self.modes.len() > 1;
        match self.modes.last_mut() {
            Some(Mode::Code { braces: 0 }) if is_nested => {
                self.modes.pop();
                self.take(Kind::CloseSequence, if strips { 2 } else { 1 });
                return;
            }
            Some(Mode::Code { braces }) => *braces = braces.saturating_sub(1),
            _ => {}
        }
        if strips { self.take(Kind::CloseSequence, 2) } else { self.take(Kind::CloseBrace, 1) }
    }

    fn name(&mut self) {
        let start = self.at;
        loop {
            match self.byte(0) {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'-' => self.at += 1,
                0..=127 => break,
                _ => match self.text[self.at..].chars().next() {
                    Some(c) if is_xid_continue(c) => self.at += c.len_utf8(),
                    _ => break,
                },
            }
        }
        self.push(Kind::Name, start);
    }

    /// Reads digits, dots and exponents up to the last digit. The parser checks that they are a number.
    fn number(&mut self) {
        let start = self.at;
        let mut end = start;
        loop {
            match self.byte(0) {
                b'0'..=b'9' => {
                    self.at += 1;
                    end = self.at;
                }
                // HCL reads `1.2.3` as one token, which then is an "Invalid number literal" (Terraform 1.11.4).
                b'.' => self.at += 1,
                b'e' | b'E' => {
                    let sign = usize::from(matches!(self.byte(1), b'+' | b'-'));
                    // Without digits, the `e` begins a name: `1e` is a number and a name.
                    if !self.byte(1 + sign).is_ascii_digit() {
                        break;
                    }
                    self.at += 1 + sign;
                }
                _ => break,
            }
        }
        self.at = end;
        self.push(Kind::Number, start);
    }

    /// The line end behind the comment is a token, as everywhere.
    fn comment(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    }

    fn long_comment(&mut self) {
        // Searched for only until one is not found: each `/*` of many would search the rest again.
        let end = if self.reported.no_comment_end { None } else { self.text[self.at + 2..].find("*/") };
        match end {
            Some(length) => self.at += length + 4,
            None => {
                self.reported.no_comment_end = true;
                self.take(Kind::Slash, 1);
            }
        }
    }

    fn heredoc_start(&mut self) -> bool {
        let start = self.at;
        let marker = start + 2 + usize::from(self.byte(2) == b'-');
        let rest = &self.text[marker..];
        let is_part = |c: char| is_xid_continue(c) || c == '-';
        if !rest.starts_with(|c: char| is_xid_start(c) || c == '_') {
            return false;
        }
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        // Nothing may stand between marker and line end, not even a space. Otherwise `<<` is two operators.
        let line_end = match &self.bytes[marker + length..] {
            [b'\n', ..] => 1,
            [b'\r', b'\n', ..] => 2,
            _ => return false,
        };
        self.take(Kind::OpenHeredoc, marker + length + line_end - start);
        let marker = Span::new(marker as u32, (marker + length) as u32);
        self.modes.push(Mode::Heredoc { marker, at_line_start: true });
        true
    }
}
