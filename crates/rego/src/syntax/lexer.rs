//! Splits text into tokens.

use super::ast::{Comment, Span};
use crate::syntax::SyntaxError;

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Name(String),
    Number(String),
    String(String),
    /// The parts of a template string: texts, and the tokens of the code in braces.
    Template(Vec<Piece>),
    /// Brackets, operators and separators.
    Symbol(&'static str),
    End,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Piece {
    Text(String),
    /// The tokens between braces.
    Code(Vec<Lexeme>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Lexeme {
    pub(super) token: Token,
    pub(super) span: Span,
    /// White space is before it.
    pub(super) is_apart: bool,
    /// Whether it is the first of its line.
    pub(super) is_first: bool,
}

/// Two characters first: `:=` is not `:` and `=`.
const SYMBOLS: [&str; 25] = [
    ":=", "==", "!=", "<=", ">=", "{", "}", "[", "]", "(", ")", ",", ";", ":", ".", "=", "<", ">", "+", "-",
    "*", "/", "%", "|", "&",
];

pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
    /// A position in the line, and how many characters come before it.
    // Counting each column from the start of its line would take time that grows with the square of a long
    // line, such as a document in one line.
    counted: (usize, usize),
    pub(super) comments: Vec<Comment>,
    depth: usize,
}

/// Template strings within each other.
// The lexer calls itself for each level, and the tokens of the inner ones are kept in those of the outer
// ones.
const MOST_TEMPLATES: usize = 64;

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        // OPA 1.20 skips a byte order mark as well.
        let at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        Self { text, at, line: 1, line_start: at, counted: (at, 0), comments: Vec::new(), depth: 0 }
    }

    pub(super) fn all(&mut self) -> Result<Vec<Lexeme>, SyntaxError> {
        let mut lexemes = Vec::new();
        loop {
            let lexeme = self.next()?;
            let is_end = lexeme.token == Token::End;
            lexemes.push(lexeme);
            if is_end {
                return Ok(lexemes);
            }
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn here(&mut self) -> Span {
        let (from, before) = match self.counted {
            counted if counted.0 >= self.line_start && counted.0 <= self.at => counted,
            _ => (self.line_start, 0),
        };
        let count = before + self.text[from..self.at].chars().count();
        self.counted = (self.at, count);
        let column = count + 1;
        let at = u32::try_from(self.at).unwrap_or(u32::MAX);
        Span { start: at, end: at, line: self.line, column: u32::try_from(column).unwrap_or(u32::MAX) }
    }

    fn up_to_here(&self, mut span: Span) -> Span {
        span.end = u32::try_from(self.at).unwrap_or(u32::MAX);
        span
    }

    fn new_line(&mut self) {
        self.line += 1;
        self.line_start = self.at;
    }

    /// Skips white space and comments; returns whether there were any.
    fn skip_space(&mut self) -> bool {
        let begin = self.at;
        while let Some(c) = self.rest().chars().next() {
            match c {
                '\n' => {
                    self.at += 1;
                    self.new_line();
                }
                ' ' | '\t' | '\r' => self.at += 1,
                '#' => {
                    let end = self.rest().find('\n').unwrap_or(self.rest().len());
                    let text = self.rest()[1..end].trim_end_matches('\r').to_owned();
                    // Comments are kept for annotations, which stand on lines of their own.
                    if self.text[self.line_start..self.at].trim().is_empty() {
                        self.comments.push(Comment { line: self.line, text });
                    }
                    self.at += end;
                }
                _ => break,
            }
        }
        self.at > begin
    }

    fn next(&mut self) -> Result<Lexeme, SyntaxError> {
        let begin = self.at;
        let is_apart = self.skip_space();
        let is_first = begin == 0 || self.text[begin..self.at].contains('\n');
        let span = self.here();
        let token = self.token(span)?;
        Ok(Lexeme { token, span: self.up_to_here(span), is_apart, is_first })
    }

    fn token(&mut self, span: Span) -> Result<Token, SyntaxError> {
        let rest = self.rest();
        let Some(first) = rest.chars().next() else { return Ok(Token::End) };
        if first.is_ascii_alphabetic() || first == '_' {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
            self.at += end;
            return Ok(Token::Name(rest[..end].to_owned()));
        }
        if first.is_ascii_digit() || (first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())) {
            return self.number(span);
        }
        match first {
            '"' => return self.string(span).map(Token::String),
            '`' => return self.raw_string(span).map(Token::String),
            '$' if rest[1..].starts_with(['"', '`']) => return self.template(span),
            _ => {}
        }
        match SYMBOLS.into_iter().find(|symbol| rest.starts_with(symbol)) {
            Some(symbol) => {
                self.at += symbol.len();
                Ok(Token::Symbol(symbol))
            }
            None => {
                self.at += first.len_utf8();
                Err(SyntaxError::new(self.up_to_here(span), "illegal token"))
            }
        }
    }

    fn number(&mut self, span: Span) -> Result<Token, SyntaxError> {
        let begin = self.at;
        let bytes = self.text.as_bytes();
        let digits = |mut at: usize| {
            while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                at += 1;
            }
            at
        };
        let mut at = digits(begin);
        let whole = &self.text[begin..at];
        // OPA 1.20 refuses `01` ("expected number without leading zero") and `1a`. It accepts `.5`, but
        // cannot print it as JSON.
        let mut is_bad = whole.is_empty() || (whole.len() > 1 && whole.starts_with('0'));
        if bytes.get(at) == Some(&b'.') && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
            at = digits(at + 1);
        }
        if matches!(bytes.get(at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
            let end = digits(at + 1 + sign);
            is_bad |= end == at + 1 + sign;
            at = end;
        }
        is_bad |= bytes.get(at).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_');
        self.at = at;
        match is_bad {
            true => Err(SyntaxError::new(self.up_to_here(span), "illegal number format")),
            false => Ok(Token::Number(self.text[begin..at].to_owned())),
        }
    }

    fn raw_string(&mut self, span: Span) -> Result<String, SyntaxError> {
        self.at += 1;
        let Some(end) = self.rest().find('`') else {
            self.at = self.text.len();
            return Err(SyntaxError::new(span, "non-terminated string"));
        };
        let text = self.rest()[..end].to_owned();
        for (index, _) in text.match_indices('\n') {
            self.line += 1;
            self.line_start = self.at + index + 1;
        }
        self.at += end + 1;
        Ok(text)
    }

    fn string(&mut self, span: Span) -> Result<String, SyntaxError> {
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.rest().chars().next() {
                None | Some('\n') => return Err(SyntaxError::new(span, "non-terminated string")),
                Some('"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some('\\') => self.escape(&mut text, false)?,
                Some(c) => {
                    self.at += c.len_utf8();
                    text.push(c);
                }
            }
        }
    }

    fn escape(&mut self, text: &mut String, in_template: bool) -> Result<(), SyntaxError> {
        let span = self.here();
        self.at += 1;
        let c = self.rest().chars().next();
        self.at += c.map_or(0, char::len_utf8);
        match c {
            // The escapes of JSON strings, with which Rego's agree.
            Some(c @ ('"' | '\\' | '/')) => text.push(c),
            Some('{') if in_template => text.push('{'),
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some('n') => text.push('\n'),
            Some('r') => text.push('\r'),
            Some('t') => text.push('\t'),
            Some('u') => {
                let mut unit = self.hex_unit(span)?;
                // JSON writes characters above U+FFFF as two units. Half a pair becomes U+FFFD, as in OPA
                // 1.20, which reads what follows it as if it stood alone.
                if (0xd800..0xdc00).contains(&unit) && self.rest().starts_with("\\u") {
                    let before = self.at;
                    self.at += 2;
                    match self.hex_unit(span)? {
                        low @ 0xdc00..0xe000 => unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00),
                        _ => self.at = before,
                    }
                }
                text.push(char::from_u32(unit).unwrap_or('\u{fffd}'));
            }
            _ => {
                return Err(SyntaxError::new(self.up_to_here(span), "illegal escape sequence"));
            }
        }
        Ok(())
    }

    fn hex_unit(&mut self, span: Span) -> Result<u32, SyntaxError> {
        let digits = self.rest().get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        let Some(unit) = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) else {
            return Err(SyntaxError::new(span, "illegal escape sequence"));
        };
        self.at += 4;
        Ok(unit)
    }

    fn template(&mut self, span: Span) -> Result<Token, SyntaxError> {
        self.depth += 1;
        if self.depth > MOST_TEMPLATES {
            return Err(SyntaxError::new(span, "template strings nest too deeply"));
        }
        let is_raw = self.rest().starts_with("$`");
        let end = if is_raw { '`' } else { '"' };
        self.at += 2;
        let mut pieces = Vec::new();
        let mut text = String::new();
        loop {
            match self.rest().chars().next() {
                None => return Err(SyntaxError::new(span, "non-terminated string")),
                Some('\n') if !is_raw => return Err(SyntaxError::new(span, "non-terminated string")),
                Some(c) if c == end => {
                    self.at += 1;
                    break;
                }
                Some('{') => {
                    self.at += 1;
                    pieces.push(Piece::Text(std::mem::take(&mut text)));
                    pieces.push(Piece::Code(self.code(span)?));
                }
                Some('\\') if !is_raw => self.escape(&mut text, true)?,
                Some('\\') if self.rest().starts_with("\\{") => {
                    self.at += 2;
                    text.push('{');
                }
                Some(c) => {
                    self.at += c.len_utf8();
                    if c == '\n' {
                        self.new_line();
                    }
                    text.push(c);
                }
            }
        }
        pieces.push(Piece::Text(text));
        self.depth -= 1;
        Ok(Token::Template(pieces))
    }

    /// Reads the code between braces in a template string.
    fn code(&mut self, span: Span) -> Result<Vec<Lexeme>, SyntaxError> {
        let mut depth = 0_usize;
        let mut lexemes = Vec::new();
        loop {
            let mut lexeme = self.next()?;
            match &lexeme.token {
                // Braces in strings are in tokens of their own kind, so only those of sets, objects and
                // comprehensions are counted.
                Token::Symbol("{") => depth += 1,
                Token::Symbol("}") if depth == 0 => {
                    lexeme.token = Token::End;
                    lexemes.push(lexeme);
                    return Ok(lexemes);
                }
                Token::Symbol("}") => depth -= 1,
                Token::End => return Err(SyntaxError::new(span, "non-terminated string")),
                _ => {}
            }
            lexemes.push(lexeme);
        }
    }
}
