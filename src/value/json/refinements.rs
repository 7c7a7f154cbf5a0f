//! Reads and writes refinements: the object inside of `{"$unknown":{…}}`.

use std::fmt::Write;

use super::write::write_string;
use crate::value::{Bound, Number, Refinements};
use objchange_text::json::{JsonError, JsonErrorKind, Reader, Token};

/// Reads promises; `None` if they say that the value is null. A promise of `null` is no promise.
///
/// Errors name the expected form, not the text, which may be part of a secret.
pub(super) fn read(reader: &mut Reader<'_>) -> Result<Option<Refinements>, JsonError> {
    const KNOWN: &str = "`$unknown` holds an object of promises, each at most once: nullness, string_prefix, \
                         number_lower, number_upper, length_lower, length_upper";
    const NULLNESS: &str = r#"nullness is "not_null" or "null""#;
    let mut promises = Refinements::default();
    let mut is_null = false;
    members(reader, KNOWN, |name, reader| {
        let is_absent = reader.peek() == Some(b'n');
        match name {
            "nullness" | "string_prefix" | "number_lower" | "number_upper" | "length_lower"
            | "length_upper"
                if is_absent =>
            {
                reader.word("null")?;
            }
            "nullness" => {
                let word = |token| match token {
                    Token::String(word) if word == "not_null" => Some(false),
                    Token::String(word) if word == "null" => Some(true),
                    _ => None,
                };
                is_null = scalar(reader, NULLNESS, word)?;
                promises.not_null = !is_null;
            }
            "string_prefix" => {
                let text = |token| if let Token::String(text) = token { Some(text) } else { None };
                promises.string_prefix = Some(scalar(reader, "a promised prefix is a string", text)?.into());
            }
            "number_lower" => promises.number_lower = Some(bound(reader)?),
            "number_upper" => promises.number_upper = Some(bound(reader)?),
            "length_lower" => promises.length_lower = Some(length(reader)?),
            "length_upper" => promises.length_upper = Some(length(reader)?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(if is_null { None } else { Some(promises) })
}

fn bound(reader: &mut Reader<'_>) -> Result<Bound, JsonError> {
    const BOUND: &str = r#"a promised bound is {"value":number,"inclusive":bool}"#;
    const NUMBER: &str = "the value of a promised bound is a number with an exponent from -5000 to 5000";
    reader.peek();
    let start = reader.clone();
    let (mut value, mut inclusive) = (None, false);
    members(reader, BOUND, |name, reader| {
        match name {
            "value" => {
                let number =
                    |token| if let Token::Number(text) = token { Number::parse(text).ok() } else { None };
                value = Some(scalar(reader, NUMBER, number)?);
            }
            "inclusive" => {
                inclusive = scalar(reader, BOUND, |token| match token {
                    Token::Bool(bool) => Some(bool),
                    _ => None,
                })?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let value = value.ok_or_else(|| start.error(BOUND).of_kind(JsonErrorKind::Mismatch))?;
    Ok(Bound { value, inclusive })
}

fn length(reader: &mut Reader<'_>) -> Result<u64, JsonError> {
    let length = |token| if let Token::Number(text) = token { text.parse().ok() } else { None };
    scalar(reader, "a promised length is an integer from 0 to 2^64 - 1", length)
}

/// Reads an object, each of its members at most once. `member` reads a value, or returns false for an unknown name.
fn members<'t>(
    reader: &mut Reader<'t>,
    expected: &'static str,
    mut member: impl FnMut(&str, &mut Reader<'t>) -> Result<bool, JsonError>,
) -> Result<(), JsonError> {
    reader.peek();
    let start = reader.clone();
    let wrong = || start.error(expected).of_kind(JsonErrorKind::Mismatch);
    let Token::Object = reader.token()? else { return Err(wrong()) };
    let (mut names, mut is_first) = (Vec::new(), true);
    while let Some(name) = reader.next_member(&mut is_first)? {
        if names.contains(&name) || !member(&name, reader)? {
            return Err(wrong());
        }
        names.push(name);
    }
    reader.leave();
    Ok(())
}

/// Reads a token and converts it with `pick`.
fn scalar<'t, T>(
    reader: &mut Reader<'t>,
    expected: &'static str,
    pick: impl FnOnce(Token<'t>) -> Option<T>,
) -> Result<T, JsonError> {
    reader.peek();
    let start = reader.clone();
    pick(reader.token()?).ok_or_else(|| start.error(expected).of_kind(JsonErrorKind::Mismatch))
}

/// Writes promises as the object inside of `$unknown`.
pub(super) fn write(refinements: &Refinements, out: &mut String) {
    let mut separator = '{';
    let mut name = |name: &str, out: &mut String| {
        // Writing to a string does not fail.
        let _ = write!(out, "{separator}\"{name}\":");
        separator = ',';
    };
    if refinements.not_null {
        name("nullness", out);
        out.push_str("\"not_null\"");
    }
    if let Some(prefix) = &refinements.string_prefix {
        name("string_prefix", out);
        write_string(prefix, out);
    }
    let bounds = [("number_lower", &refinements.number_lower), ("number_upper", &refinements.number_upper)];
    for (key, bound) in bounds {
        if let Some(Bound { value, inclusive }) = bound.as_ref().filter(|b| b.value.is_finite()) {
            name(key, out);
            let _ = write!(out, r#"{{"value":{value},"inclusive":{inclusive}}}"#);
        }
    }
    let lengths = [("length_lower", refinements.length_lower), ("length_upper", refinements.length_upper)];
    for (key, length) in lengths {
        if let Some(length) = length {
            name(key, out);
            let _ = write!(out, "{length}");
        }
    }
    out.push_str(if separator == '{' { "{}" } else { "}" });
}
