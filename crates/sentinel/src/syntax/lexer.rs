//! Splits text into tokens, with semicolons where a newline ends a statement.

use super::token::{Kind, Token, may_end_statement, word_kind};
use objchange_text::{Diagnostic, Span};

use crate::source::SyntaxErrorKind;

/// A source text taken apart.
#[derive(Debug)]
pub(crate) struct Lexed {
    /// The last one is the end.
    pub(crate) tokens: Vec<Token>,
    pub(crate) comments: Vec<Span>,
    pub(crate) errors: Vec<Diagnostic>,
}

struct Lexer<'t> {
    text: &'t str,
    at: usize,
    /// Whether a newline would end a statement here.
    may_end: bool,
    lexed: Lexed,
}

/// Two characters that are one token.
const PAIRS: [&str; 9] = ["==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%="];

pub(crate) fn lex(text: &str) -> Lexed {
    let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let lexed = Lexed { tokens: Vec::new(), comments: Vec::new(), errors: Vec::new() };
    let mut lexer = Lexer { text, at, may_end: false, lexed };
    while lexer.token() {}
    lexer.newline(text.len());
    lexer.push(Kind::End, text.len());
    lexer.lexed
}

impl Lexer<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn span(&self, start: usize) -> Span {
        // `parse` refuses longer texts.
        let at = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Span { start: at(start), end: at(self.at) }
    }

    fn push(&mut self, kind: Kind, start: usize) {
        let span = self.span(start);
        self.may_end = may_end_statement(kind, &self.text[start..self.at]);
        self.lexed.tokens.push(Token { kind, span });
    }

    fn error(&mut self, kind: SyntaxErrorKind, start: usize, message: impl Into<String>) {
        let span = self.span(start);
        self.lexed.errors.push(kind.at(span, message));
    }

    fn newline(&mut self, start: usize) {
        if self.may_end {
            self.push(Kind::Semicolon, start);
        }
    }

    /// How long the run of such characters is that begins at an offset.
    fn run(&self, from: usize, is_part: impl Fn(char) -> bool) -> usize {
        let rest = &self.text[from..];
        rest.find(|c| !is_part(c)).unwrap_or(rest.len())
    }

    /// Reads one token, comment or space; false at the end.
    fn token(&mut self) -> bool {
        let start = self.at;
        let Some(&first) = self.text.as_bytes().get(start) else { return false };
        if matches!(first, b' ' | b'\t' | b'\r') {
            let rest = &self.text.as_bytes()[start..];
            self.at +=
                rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r')).unwrap_or(rest.len());
            return true;
        }
        let first =
            if first.is_ascii() { char::from(first) } else { self.rest().chars().next().unwrap_or(' ') };
        match first {
            '\n' => {
                self.at += 1;
                self.newline(start);
            }
            '#' => self.line_comment(),
            '/' if self.rest().starts_with("//") => self.line_comment(),
            '/' if self.rest().starts_with("/*") => self.block_comment(),
            '"' => self.quoted(),
            '`' => self.raw(),
            '0'..='9' => self.number(),
            '.' if self.rest()[1..].starts_with(|c: char| c.is_ascii_digit()) => self.number(),
            ';' => {
                self.at += 1;
                self.push(Kind::Semicolon, start);
            }
            c if c.is_alphabetic() || c == '_' => {
                let ascii = self.text.as_bytes()[start..].iter();
                self.at += ascii.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
                if !self.text.as_bytes().get(self.at).is_none_or(u8::is_ascii) {
                    self.at = start + self.run(start, |c| c.is_alphanumeric() || c == '_');
                }
                let follows_dot = self.lexed.tokens.last().is_some_and(|token| {
                    token.kind == Kind::Punct
                        && &self.text[token.span.start as usize..token.span.end as usize] == "."
                });
                // Public policies have members such as `vars[n].default`, whose name is a reserved word. As a
                // name it also ends a statement at the end of a line.
                let kind = if follows_dot { Kind::Ident } else { word_kind(&self.text[start..self.at]) };
                self.push(kind, start);
            }
            _ if PAIRS.iter().any(|pair| self.rest().starts_with(pair)) => {
                self.at += 2;
                self.push(Kind::Punct, start);
            }
            '=' | '<' | '>' | '+' | '-' | '*' | '/' | '%' | '!' | '.' | ',' | ':' | '(' | ')' | '[' | ']'
            | '{' | '}' => {
                self.at += 1;
                self.push(Kind::Punct, start);
            }
            other => {
                self.at += other.len_utf8();
                self.error(SyntaxErrorKind::Character, start, format!("unexpected character {other:?}"));
            }
        }
        true
    }

    /// The newline behind it is not part of it.
    fn line_comment(&mut self) {
        let start = self.at;
        self.at += self.run(start, |c| c != '\n');
        let span = self.span(start);
        self.lexed.comments.push(span);
    }

    fn block_comment(&mut self) {
        let start = self.at;
        if let Some(length) = self.text[start + 2..].find("*/") {
            self.at = start + 2 + length + 2;
        } else {
            self.at = self.text.len();
            self.error(
                SyntaxErrorKind::Unterminated,
                start,
                "expected */ at the end of this comment, found the end of the text",
            );
        }
        let span = self.span(start);
        self.lexed.comments.push(span);
        // Documented: such a comment counts as a line end, any other as a space.
        if self.text[start..self.at].contains('\n') {
            self.newline(start);
        }
    }

    fn quoted(&mut self) {
        let start = self.at;
        let bytes = self.text.as_bytes();
        let mut at = start + 1;
        while let Some(offset) = memchr::memchr3(b'"', b'\\', b'\n', &bytes[at..]) {
            at += offset;
            match bytes[at] {
                b'"' => {
                    self.at = at + 1;
                    return self.push(Kind::String, start);
                }
                b'\n' => {
                    self.at = at;
                    self.push(Kind::String, start);
                    return self.error(
                        SyntaxErrorKind::Unterminated,
                        start,
                        "expected \" at the end of this string, found the end of the line",
                    );
                }
                // A backslash and the next character are part of the string, except for a line end.
                _ if bytes.get(at + 1).is_some_and(|&next| next != b'\n') => at += 2,
                _ => at += 1,
            }
        }
        self.at = self.text.len();
        self.push(Kind::String, start);
        self.error(
            SyntaxErrorKind::Unterminated,
            start,
            "expected \" at the end of this string, found the end of the text",
        );
    }

    fn raw(&mut self) {
        let start = self.at;
        let end = self.text[start + 1..].find('`');
        self.at = end.map_or(self.text.len(), |length| start + 1 + length + 1);
        self.push(Kind::String, start);
        if end.is_none() {
            self.error(
                SyntaxErrorKind::Unterminated,
                start,
                "expected ` at the end of this string, found the end of the text",
            );
        }
    }

    fn number(&mut self) {
        let start = self.at;
        let rest = self.rest();
        if rest.starts_with("0x") || rest.starts_with("0X") {
            self.at += 2;
            self.at += self.run(self.at, |c| c.is_ascii_hexdigit());
            return self.push(Kind::Int, start);
        }
        let is_digit = |c: char| c.is_ascii_digit();
        let mut kind = Kind::Int;
        self.at += self.run(self.at, is_digit);
        if self.rest().starts_with('.') {
            kind = Kind::Float;
            self.at += 1;
            self.at += self.run(self.at, is_digit);
        }
        if let Some(exponent) = self.rest().strip_prefix(['e', 'E']) {
            let sign = usize::from(exponent.starts_with(['+', '-']));
            // Without digits behind it, the `e` begins a name.
            let digits = self.run(self.at + 1 + sign, is_digit);
            if digits > 0 {
                kind = Kind::Float;
                self.at += 1 + sign + digits;
            }
        }
        self.push(kind, start);
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, lex};

    /// The tokens of a text; a semicolon from a newline is `;`.
    fn words(text: &str) -> Vec<&str> {
        let lexed = lex(text);
        assert!(lexed.errors.is_empty(), "{:?}", lexed.errors);
        let of = |token: &super::Token| &text[token.span.start as usize..token.span.end as usize];
        let word = |token| match of(token) {
            _ if token.kind == Kind::Semicolon => ";",
            word => word,
        };
        lexed.tokens[..lexed.tokens.len() - 1].iter().map(word).collect()
    }

    #[test]
    fn a_newline_ends_a_statement_where_one_may_end() {
        assert_eq!(words("a = 1\nb"), ["a", "=", "1", ";", "b", ";"]);
        assert_eq!(words("a and\nb"), ["a", "and", "b", ";"]);
        assert_eq!(words("x.default\ny"), ["x", ".", "default", ";", "y", ";"]);
        assert_eq!(words("return\n}"), ["return", ";", "}", ";"]);
        assert_eq!(words("a /* b\n */ c"), ["a", ";", "c", ";"]);
        assert_eq!(words("a /* b */ c # d"), ["a", "c", ";"]);
        assert_eq!(words("\u{feff}a // \"b\r\nc"), ["a", ";", "c", ";"]);
    }

    #[test]
    fn numbers_and_operators() {
        assert_eq!(
            words("1.e+0 .5 0x1F 072.40 1e5 x[1:2]"),
            ["1.e+0", ".5", "0x1F", "072.40", "1e5", "x", "[", "1", ":", "2", "]", ";"]
        );
        assert_eq!(words("a<=b!=c"), ["a", "<=", "b", "!=", "c", ";"]);
    }

    #[test]
    fn what_does_not_end_is_said() {
        for text in ["\"a", "\"a\nb", "`a", "/* a", "a ~ b", "\"a\\"] {
            assert_eq!(lex(text).errors.len(), 1, "{text}");
        }
    }
}
