//! Terraform's errors about text that is not JSON. It goes on behind an error, so that one may bring others
//! with it.

use objchange_text::{Diagnostic, Span};

use crate::suggestion::did_you_mean;

const KEYWORDS: [&str; 3] = ["true", "false", "null"];

/// The maximum depth at which arrays and objects are searched for errors.
const MAX_DEPTH: u32 = 200;

/// Errors of a text that is not JSON, or is JSON of another value than an object or an array.
pub(super) fn errors(text: &str) -> Vec<Diagnostic> {
    let mut errors = Errors { tokens: tokens(text), text, at: 0, found: Vec::new() };
    let first = errors.peek().span;
    let value = errors.value(0);
    let next = errors.peek();
    if errors.found.is_empty() && next.kind != Kind::End {
        errors.report(
            "Extraneous data after value",
            next.span,
            "Extra characters appear after the JSON value.",
        );
    }
    if value != Value::Body {
        let span = if value == Value::Invalid { first } else { first.to(errors.last()) };
        errors.report(ROOT, span, ROOT_DETAIL);
    }
    errors.found
}

/// The summary and the detail of an error about a text of another value.
pub(super) const ROOT: &str = "Root value must be object";
pub(super) const ROOT_DETAIL: &str =
    "The root value in a JSON-based configuration must be either a JSON object or a JSON array of objects.";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    Comma,
    Colon,
    Equals,
    Number,
    String,
    Keyword,
    Invalid,
    End,
}

#[derive(Debug, Clone, Copy)]
struct Token {
    kind: Kind,
    span: Span,
}

/// Nothing is read behind a character that JSON does not have.
fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    let run = |from: usize, is_part: fn(u8) -> bool| {
        bytes[from..].iter().take_while(|byte| is_part(**byte)).count()
    };
    while let Some(byte) = bytes.get(at) {
        let (kind, length) = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {
                at += 1;
                continue;
            }
            b'{' => (Kind::OpenBrace, 1),
            b'}' => (Kind::CloseBrace, 1),
            b'[' => (Kind::OpenBracket, 1),
            b']' => (Kind::CloseBracket, 1),
            b',' => (Kind::Comma, 1),
            b':' => (Kind::Colon, 1),
            b'=' => (Kind::Equals, 1),
            b'"' => (Kind::String, string(&bytes[at..])),
            b'0'..=b'9' | b'-' | b'+' | b'.' => {
                (Kind::Number, run(at, |byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')))
            }
            b'a'..=b'z' | b'A'..=b'Z' => (Kind::Keyword, run(at, |byte| byte.is_ascii_alphabetic())),
            _ => (Kind::Invalid, text[at..].chars().next().map_or(1, char::len_utf8)),
        };
        tokens.push(Token { kind, span: Span::new(at as u32, (at + length) as u32) });
        at += length;
        if kind == Kind::Invalid {
            break;
        }
    }
    tokens.push(Token { kind: Kind::End, span: Span::at(at as u32) });
    tokens
}

/// The length of a string with its quotes; without the closing one, if a control character comes before it.
fn string(bytes: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' if bytes.get(at + 1).is_some_and(|next| *next >= b' ') => at += 2,
            ..b' ' => return at,
            _ => at += 1,
        }
    }
    at
}

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Value {
    /// An object or an array.
    Body,
    String,
    Other,
    Invalid,
}

struct Errors<'t> {
    text: &'t str,
    tokens: Vec<Token>,
    at: usize,
    found: Vec<Diagnostic>,
}

impl Errors<'_> {
    fn peek(&self) -> Token {
        self.tokens[self.at]
    }

    /// Takes the next token; the end is never passed.
    fn next(&mut self) -> Token {
        let token = self.peek();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn last(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn report(&mut self, summary: &'static str, span: Span, detail: &'static str) {
        self.found.push(Diagnostic::new(summary, span, detail));
    }

    /// Reports an error, and goes behind what closes the array or object.
    fn recover(&mut self, summary: &'static str, detail: &'static str) -> Value {
        let mut open = 1;
        loop {
            match self.next().kind {
                Kind::OpenBrace | Kind::OpenBracket => open += 1,
                Kind::CloseBrace | Kind::CloseBracket => open -= 1,
                Kind::End => break,
                _ => {}
            }
            if open == 0 {
                break;
            }
        }
        // The place is that behind it.
        self.report(summary, self.peek().span, detail);
        Value::Invalid
    }

    fn value(&mut self, depth: u32) -> Value {
        const START: &str =
            "A JSON value must start with a brace, a bracket, a number, a string, or a keyword.";
        let token = self.peek();
        let (summary, detail) = match token.kind {
            Kind::OpenBrace | Kind::OpenBracket if depth == MAX_DEPTH => return Value::Invalid,
            Kind::OpenBrace => return self.object(depth),
            Kind::OpenBracket => return self.array(depth),
            Kind::Number | Kind::String | Kind::Keyword => {
                self.next();
                return self.scalar(token);
            }
            Kind::CloseBrace => ("Missing JSON value", START),
            Kind::CloseBracket => ("Missing array element value", START),
            Kind::End => ("Missing value", "The JSON data ends prematurely."),
            _ => ("Invalid start of value", START),
        };
        self.report(summary, token.span, detail);
        Value::Invalid
    }

    fn scalar(&mut self, token: Token) -> Value {
        let text = &self.text[token.span.range()];
        let read = objchange_text::json::Node::read_all(objchange_text::json::Reader::new(text));
        let Err(error) = read else {
            return if token.kind == Kind::String { Value::String } else { Value::Other };
        };
        match token.kind {
            Kind::Number => {
                let detail = "There is a syntax error in the given JSON number.";
                self.report("Invalid JSON number", token.span, detail);
            }
            Kind::String => {
                // An escape is found to be wrong behind the character that is wrong in it.
                let end = token.span.end - token.span.start;
                let length = match error.is_truncated() {
                    true => end,
                    false => escape_error(text, error.offset()).map_or(end, |at| at as u32 + 1),
                };
                let mut at = ((token.span.start + length) as usize).min(self.text.len());
                while !self.text.is_char_boundary(at) {
                    at += 1;
                }
                let length = self.text[at..].chars().next().map_or(0, char::len_utf8);
                let place = Span::new(at as u32, (at + length) as u32);
                let detail = "There is a syntax error in the given JSON string.";
                self.report("Invalid JSON string", place, detail);
                return Value::String;
            }
            _ => {
                let hint = did_you_mean(text, KEYWORDS);
                // Other words are not quoted: they may be part of a secret whose quotes are missing.
                let is_like = !hint.is_empty() || KEYWORDS.iter().any(|word| word.eq_ignore_ascii_case(text));
                let detail = match is_like {
                    true => format!("{text:?} is not a valid JSON keyword.{hint}"),
                    false => "This is not a valid JSON keyword.".to_owned(),
                };
                self.found.push(Diagnostic::new("Invalid JSON keyword", token.span, detail));
            }
        }
        Value::Invalid
    }

    fn object(&mut self, depth: u32) -> Value {
        let open = self.next().span;
        while self.peek().kind != Kind::CloseBrace {
            let name = self.peek().span;
            if self.value(depth + 1) != Value::String {
                let detail = "A JSON object property name must be a string";
                self.report("Invalid object property name", name, detail);
                return Value::Invalid;
            }
            let colon = self.peek();
            if colon.kind != Kind::Colon {
                let detail = match colon.kind {
                    Kind::Equals => "JSON uses a colon as its name/value delimiter, not an equals sign.",
                    _ => "A colon must appear between an object property's name and its value.",
                };
                self.report("Missing property value colon", colon.span, detail);
                return Value::Invalid;
            }
            self.next();
            self.value(depth + 1);
            let next = self.peek();
            match next.kind {
                Kind::Comma => {
                    self.next();
                    if self.peek().kind == Kind::CloseBrace {
                        let detail =
                            "JSON does not permit a trailing comma after the final property in an object.";
                        self.report("Trailing comma in object", next.span, detail);
                        return Value::Invalid;
                    }
                }
                Kind::CloseBrace => {}
                Kind::End => {
                    let detail = "No closing brace was found for this JSON object.";
                    self.report("Unclosed object", open, detail);
                    return Value::Invalid;
                }
                Kind::CloseBracket => {
                    let detail = "A JSON object must be closed with a brace, not a bracket.";
                    return self.recover("Mismatched braces", detail);
                }
                _ => {
                    let detail = "A comma must appear between each property definition in an object.";
                    return self.recover(MISSING_COMMA, detail);
                }
            }
        }
        self.next();
        Value::Body
    }

    fn array(&mut self, depth: u32) -> Value {
        let open = self.next().span;
        while self.peek().kind != Kind::CloseBracket {
            self.value(depth + 1);
            let next = self.peek();
            match next.kind {
                Kind::Comma => {
                    self.next();
                    if self.peek().kind == Kind::CloseBracket {
                        let detail =
                            "JSON does not permit a trailing comma after the final value in an array.";
                        self.report("Trailing comma in array", next.span, detail);
                        return Value::Invalid;
                    }
                }
                Kind::CloseBracket => {}
                Kind::End => {
                    let detail = "No closing bracket was found for this JSON array.";
                    self.report("Unclosed object", open, detail);
                    return Value::Invalid;
                }
                Kind::Colon => {
                    let detail = "A colon is not used to introduce values in a JSON array.";
                    return self.recover("Invalid array value", detail);
                }
                Kind::CloseBrace => {
                    self.next();
                    let detail = "A JSON array must be closed with a bracket, not a brace.";
                    return self.recover("Mismatched brackets", detail);
                }
                _ => {
                    let detail = "A comma must appear between each value in an array.";
                    return self.recover(MISSING_COMMA, detail);
                }
            }
        }
        self.next();
        Value::Body
    }
}

/// The spelling is Terraform's.
const MISSING_COMMA: &str = "Missing attribute seperator comma";

/// The byte that is wrong in the escape at or behind this byte of a string.
fn escape_error(text: &str, from: usize) -> Option<usize> {
    let backslash = from + memchr::memchr(b'\\', text.as_bytes().get(from..)?)?;
    let bytes = text.as_bytes();
    match bytes.get(backslash + 1)? {
        b'u' => {
            (backslash + 2..backslash + 6).find(|at| bytes.get(*at).is_none_or(|b| !b.is_ascii_hexdigit()))
        }
        _ => Some(backslash + 1),
    }
}
