//! What is promised about an unknown value, as it stands inside of `{"$unknown":{…}}`.

use std::borrow::Cow;
use std::fmt::Write;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::write::write_string;
use crate::value::{Bound, Number, Refinements};

/// Promises as they stand in the text. Their parts are read one by one, because what `serde` says about one
/// that does not fit shows it, and it may be part of a secret.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRefinements<'a> {
    #[serde(borrow)]
    nullness: Option<&'a RawValue>,
    #[serde(borrow)]
    string_prefix: Option<&'a RawValue>,
    #[serde(borrow)]
    number_lower: Option<&'a RawValue>,
    #[serde(borrow)]
    number_upper: Option<&'a RawValue>,
    #[serde(borrow)]
    length_lower: Option<&'a RawValue>,
    #[serde(borrow)]
    length_upper: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBound<'a> {
    #[serde(borrow)]
    value: &'a RawValue,
    #[serde(default)]
    inclusive: bool,
}

/// A part of the text that promises nothing that can be understood.
pub(super) struct Fault<'a> {
    pub(super) part: &'a str,
    pub(super) message: &'static str,
}

/// Reads promises; `None` where it is known that the value is null.
pub(super) fn parse(raw: &RawValue) -> Result<Option<Refinements>, Fault<'_>> {
    let known = "`$unknown` holds an object of promises, each at most once: nullness, string_prefix, \
                 number_lower, number_upper, length_lower, length_upper";
    let promises: RawRefinements<'_> = part(raw, known)?;
    let not_null =
        match promises.nullness.map(|raw| text(raw, NULLNESS).map(|text| (raw, text))).transpose()? {
            None => false,
            Some((_, text)) if text == "not_null" => true,
            Some((_, text)) if text == "null" => return Ok(None),
            Some((raw, _)) => return Err(Fault { part: raw.get(), message: NULLNESS }),
        };
    let length = |raw| part::<u64>(raw, "a promised length is an integer from 0 to 2^64 - 1");
    Ok(Some(Refinements {
        not_null,
        string_prefix: promises
            .string_prefix
            .map(|raw| text(raw, "a promised prefix is a string"))
            .transpose()?
            .map(Into::into),
        number_lower: promises.number_lower.map(bound).transpose()?,
        number_upper: promises.number_upper.map(bound).transpose()?,
        length_lower: promises.length_lower.map(length).transpose()?,
        length_upper: promises.length_upper.map(length).transpose()?,
    }))
}

const NULLNESS: &str = r#"nullness is "not_null" or "null""#;

fn part<'a, T: Deserialize<'a>>(raw: &'a RawValue, message: &'static str) -> Result<T, Fault<'a>> {
    serde_json::from_str(raw.get()).map_err(|_| Fault { part: raw.get(), message })
}

fn text<'a>(raw: &'a RawValue, message: &'static str) -> Result<Cow<'a, str>, Fault<'a>> {
    part(raw, message)
}

fn bound(raw: &RawValue) -> Result<Bound, Fault<'_>> {
    let bound: RawBound<'_> = part(raw, r#"a promised bound is {"value":number,"inclusive":bool}"#)?;
    match Number::parse(bound.value.get()) {
        Ok(value) => Ok(Bound { value, inclusive: bound.inclusive }),
        Err(_) => Err(Fault {
            part: bound.value.get(),
            message: "the value of a promised bound is a number with an exponent from -5000 to 5000",
        }),
    }
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
