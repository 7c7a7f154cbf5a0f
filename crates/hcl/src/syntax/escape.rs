//! Decodes the text of literal tokens.

use objchange_text::Span;

use super::parser::Parser;
use super::token::Token;

/// Text of heredocs and template files: only `$${` and `%%{` are escapes.
pub(super) fn plain(source: &str) -> String {
    let mut text = String::with_capacity(source.len());
    markers(source, &mut text);
    text
}

/// Appends the text with one marker fewer before each brace: a text with a single one is a sequence, not a literal.
fn markers(source: &str, text: &mut String) {
    let bytes = source.as_bytes();
    let mut from = 0;
    for brace in memchr::memchr_iter(b'{', bytes) {
        if brace >= from + 2
            && matches!(bytes[brace - 1], b'$' | b'%')
            && bytes[brace - 2] == bytes[brace - 1]
        {
            text.push_str(&source[from..brace - 1]);
            from = brace;
        }
    }
    text.push_str(&source[from..]);
}

/// Text of a quoted string, in which a backslash begins an escape.
pub(super) fn quoted(parser: &mut Parser<'_>, token: Token) -> String {
    let source = parser.text_of(token);
    let mut text = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(backslash) = memchr::memchr(b'\\', rest.as_bytes()) {
        markers(&rest[..backslash], &mut text);
        let at = token.span.start + (source.len() - rest.len() + backslash) as u32;
        let behind = &rest[backslash + 1..];
        let escaped = behind.chars().next().unwrap_or_default();
        let length = match escaped {
            'n' | 'r' | 't' | '"' | '\\' => {
                text.push(match escaped {
                    'n' => '\n',
                    'r' => '\r',
                    't' => '\t',
                    other => other,
                });
                1
            }
            'u' | 'U' => match code_point(behind, if escaped == 'u' { 4 } else { 8 }) {
                Ok((c, length)) => {
                    text.push(c);
                    length
                }
                Err((length, detail)) => {
                    invalid(parser, Span::new(at, at + 1 + length as u32), detail);
                    text.push_str(&behind[..length]);
                    length
                }
            },
            _ => {
                let length = escaped.len_utf8().min(behind.len());
                let detail = match &behind[..length] {
                    // Only a text that is read without its end has nothing behind the backslash.
                    "" => "A backslash must be followed by an escape sequence selector character.".to_owned(),
                    symbol => format!("The symbol {symbol:?} is not a valid escape sequence selector."),
                };
                invalid(parser, Span::new(at, at + 1 + length as u32), detail);
                text.push_str(&behind[..length]);
                length
            }
        };
        rest = &behind[length..];
    }
    markers(rest, &mut text);
    text
}

/// Parses `u` or `U` with its digits. Returns the character and the length, or the length of the error and its message.
fn code_point(text: &str, digits: usize) -> Result<(char, usize), (usize, String)> {
    let found = text[1..].bytes().take(digits).take_while(u8::is_ascii_hexdigit).count();
    let length = 1 + found;
    let number = u32::from_str_radix(&text[1..length], 16).ok().filter(|_| found == digits);
    let Some(number) = number else {
        let (letter, count) = if digits == 4 { ('u', "four") } else { ('U', "eight") };
        let detail =
            format!("The \\{letter} escape sequence must be followed by {count} hexadecimal digits.");
        return Err((length, detail));
    };
    let unknown = || (length, format!("Cannot encode character U+{number:04x} in UTF-8."));
    char::from_u32(number).map(|c| (c, length)).ok_or_else(unknown)
}

fn invalid(parser: &mut Parser<'_>, span: Span, detail: String) {
    parser.report("Invalid escape sequence", span, detail);
}
