//! JSON.

use std::collections::BTreeMap;

use objchange::value::{Kind, Number, Refinements};
use objchange::{Type, Value};
use objchange_text::json::{JsonError, JsonErrorKind, Reader, Token, place, write_string};
use smol_str::SmolStr;

use super::limits::check_text;
use super::verbs::quote_char;
use super::{Answer, any, refined, string, text};
use crate::function::{Function, FunctionError, Functions};

pub(super) fn add(functions: &mut Functions) {
    let val = any("val").null().unknown().dynamic();
    functions.insert("jsonencode", Function::new([val], Type::String, |a, _| encode(&a[0])));
    let decode = Function::typed_by([string("str")], decoded_type, |a, _| decoded(text(a, 0)));
    functions.insert("jsondecode", decode.nullable());
}

fn encode(value: &Value) -> Answer {
    if !value.is_wholly_known() {
        // Null would be written as `null`, so the first character is certain only if the value is not null.
        let will_be = value.refinements().is_none_or(|promised| promised.not_null);
        let prefix = match value.ty() {
            Type::String => Some("\""),
            Type::List(_) | Type::Set(_) | Type::Tuple(_) => Some("["),
            Type::Map(_) | Type::Object(_) => Some("{"),
            _ => None,
        };
        let promised = Refinements {
            string_prefix: prefix.filter(|_| will_be).map(SmolStr::new),
            ..Refinements::not_null()
        };
        return Ok(refined(Type::String, promised));
    }
    Ok(encoded(value)?.into())
}

/// The JSON of a value that is wholly known.
pub(super) fn encoded(value: &Value) -> Result<String, FunctionError> {
    let mut out = String::new();
    write(value, &mut out)?;
    Ok(out)
}

fn write(value: &Value, out: &mut String) -> Result<(), FunctionError> {
    check_text(Some(out.len()))?;
    match value.kind() {
        Kind::Null | Kind::Unknown(_) => out.push_str("null"),
        Kind::Bool(bool) => out.push_str(if bool { "true" } else { "false" }),
        Kind::Number(number) if !number.is_finite() => {
            return Err(FunctionError::new("JSON has no infinite numbers"));
        }
        Kind::Number(number) => out.push_str(&number.to_text()),
        // This escapes `<`, `>` and `&` as Go's `encoding/json` does by default (`jsonencode("<>&")`, Terraform 1.11.4).
        Kind::String(text) => write_string(text, out),
        Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
            write_all(('[', ']'), elements.iter().map(|element| (None, element)), out)?;
        }
        Kind::Map(map) => write_all(('{', '}'), map.iter().map(|(key, value)| (Some(key), value)), out)?,
        Kind::Object(object) => {
            write_all(('{', '}'), object.iter().map(|(name, value)| (Some(name), value)), out)?;
        }
    }
    Ok(())
}

fn write_all<'v>(
    (open, close): (char, char),
    members: impl Iterator<Item = (Option<&'v SmolStr>, &'v Value)>,
    out: &mut String,
) -> Result<(), FunctionError> {
    out.push(open);
    for (i, (key, value)) in members.enumerate() {
        if i > 0 {
            out.push(',');
        }
        if let Some(key) = key {
            write_string(key, out);
            out.push(':');
        }
        write(value, out)?;
    }
    out.push(close);
    Ok(())
}

/// The type of the result. The first known character of an unknown text decides it.
fn decoded_type(arguments: &[Value]) -> Result<Type, FunctionError> {
    let Some(promised) = arguments[0].refinements() else { return Ok(Type::Dynamic) };
    let prefix = promised.string_prefix.as_deref().unwrap_or_default();
    match prefix.trim_start_matches([' ', '\t', '\r', '\n']).chars().next() {
        // The first character of a JSON text tells the type of a primitive value, not of a collection.
        None | Some('{' | '[' | 'n') => Ok(Type::Dynamic),
        Some('"') => Ok(Type::String),
        Some('t' | 'f') => Ok(Type::Bool),
        Some('0'..='9' | '-' | '.') => Ok(Type::Number),
        Some(_) => Err(FunctionError::argument(0, "a JSON text never begins with this character")),
    }
}

fn decoded(text: &str) -> Answer {
    let text = paired(text);
    let mut reader = Reader::strict(&text);
    let value = decoded_part(&mut reader).and_then(|value| {
        reader.end()?;
        Ok(value)
    });
    value.map_err(|error| {
        FunctionError::new(refusal(&text, &error).unwrap_or_else(|| {
            let (line, column) = place(&text, error.offset());
            format!("line {line}, column {column}: {}", error.into_message())
        }))
    })
}

/// Explains invalid JSON in the words of Go's `encoding/json`; `None` if this reader refuses valid JSON.
fn refusal(text: &str, error: &JsonError) -> Option<String> {
    let rest = text.get(error.offset()..)?;
    let unexpected = |at: usize, place: &str| match rest.as_bytes().get(at) {
        Some(byte) => format!("invalid character {}{place}", quote_char(char::from(*byte))),
        None => "unexpected EOF".to_owned(),
    };
    let is_after_comma = || text[..error.offset()].trim_end().ends_with(',');
    Some(match (error.kind(), error.message()) {
        (JsonErrorKind::Trailing, _) => "extraneous data after JSON object".to_owned(),
        (JsonErrorKind::Truncated, "the text ends inside of a string") => "unexpected EOF".to_owned(),
        (JsonErrorKind::Truncated, _) => "EOF".to_owned(),
        (JsonErrorKind::Malformed, "a JSON value is expected here") => {
            let word = ["true", "false", "null"].into_iter().find(|word| rest.starts_with(&word[..1]));
            let word = word.unwrap_or_default();
            let same = std::iter::zip(word.bytes(), rest.bytes()).take_while(|(a, b)| a == b).count();
            match word.get(same..same + 1) {
                Some(next) => unexpected(same, &format!(" in literal {word} (expecting '{next}')")),
                None => unexpected(0, " looking for beginning of value"),
            }
        }
        (JsonErrorKind::Malformed, "expected `,` or `]`") => unexpected(0, " after array element"),
        (JsonErrorKind::Malformed, "expected `,` or `}`") => unexpected(0, " after object key:value pair"),
        (JsonErrorKind::Malformed, "expected `:` after a key") => unexpected(0, " after object key"),
        (JsonErrorKind::Malformed, "expected a key in quotes") if is_after_comma() => {
            unexpected(0, " looking for beginning of object key string")
        }
        (JsonErrorKind::Malformed, "expected a key in quotes") => unexpected(0, ""),
        (JsonErrorKind::Malformed, "a control character must be escaped in a string") => {
            unexpected(0, " in string literal")
        }
        (JsonErrorKind::Malformed, "this escape is unknown in JSON") => {
            unexpected(1, " in string escape code")
        }
        (JsonErrorKind::Malformed, "`\\u` needs four hexadecimal digits") => {
            let digits = rest.bytes().skip(2).take_while(u8::is_ascii_hexdigit).count();
            unexpected(2 + digits, " in \\u hexadecimal character escape")
        }
        (JsonErrorKind::Malformed, "this is no JSON number") => number_refusal(rest, &unexpected),
        _ => return None,
    })
}

/// Explains a malformed number in the words of Go's `encoding/json`.
fn number_refusal(text: &str, unexpected: &dyn Fn(usize, &str) -> String) -> String {
    let digits = |from: usize| from + text.bytes().skip(from).take_while(u8::is_ascii_digit).count();
    let start = usize::from(text.starts_with('-'));
    let mut at = digits(start);
    if at == start {
        return unexpected(at, " in numeric literal");
    }
    // Go reads the zero as a whole number, so `jsondecode("01")` has extraneous data behind it (Terraform 1.11.4).
    if at > start + 1 && text[start..].starts_with('0') {
        return "extraneous data after JSON object".to_owned();
    }
    if text[at..].starts_with('.') {
        let end = digits(at + 1);
        if end == at + 1 {
            return unexpected(end, " after decimal point in numeric literal");
        }
        at = end;
    }
    let exponent = &text[at..];
    let sign = usize::from(exponent.get(1..).is_some_and(|rest| rest.starts_with(['+', '-'])));
    unexpected(at + 1 + sign, " in exponent of numeric literal")
}

/// A value of the type that its text implies.
fn decoded_part(reader: &mut Reader<'_>) -> Result<Value, JsonError> {
    let mut is_first = true;
    Ok(match reader.token()? {
        Token::Null => Value::null(Type::Dynamic),
        Token::Bool(bool) => bool.into(),
        Token::Number(text) => match Number::parse(text) {
            Ok(number) => number.into(),
            Err(error) => return Err(reader.mismatch(error.to_string())),
        },
        Token::String(text) => Value::from(&*text),
        Token::Array => {
            let mut elements = Vec::new();
            while reader.next_element(&mut is_first)? {
                elements.push(decoded_part(reader)?);
            }
            reader.leave();
            Value::tuple(elements)
        }
        Token::Object => {
            let mut members: BTreeMap<SmolStr, Value> = BTreeMap::new();
            while let Some(key) = reader.next_name(&mut is_first)? {
                reader.colon()?;
                let value = decoded_part(reader)?;
                let key = SmolStr::new(Value::from(&*key).as_str().unwrap_or_default());
                let ty = value.ty().clone();
                // Seen with Terraform 1.16: of a repeated key the last value counts, but values of different types are
                // an error.
                if members.insert(key, value).is_some_and(|earlier| *earlier.ty() != ty) {
                    let message = "a key stands there twice, with values of different types";
                    return Err(reader.mismatch(message));
                }
            }
            reader.leave();
            Value::object(members)
        }
    })
}

/// Each half of a surrogate pair that stands alone becomes the replacement character, as Go reads it.
fn paired(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains("\\u") {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let half = |text: &str| {
        let code = u32::from_str_radix(text.strip_prefix("\\u")?.get(..4)?, 16).ok()?;
        (0xd800..0xe000).contains(&code).then_some(code)
    };
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let (taken, replacement) = match half(rest) {
            Some(..0xdc00) if half(&rest[6..]).is_some_and(|code| code >= 0xdc00) => (12, None),
            // Go's `encoding/json` replaces a lone surrogate by U+FFFD.
            Some(_) => (6, Some("\\ufffd")),
            None => (1 + rest[1..].chars().next().map_or(0, char::len_utf8), None),
        };
        out.push_str(replacement.unwrap_or(&rest[..taken]));
        rest = &rest[taken..];
    }
    out.push_str(rest);
    out.into()
}
