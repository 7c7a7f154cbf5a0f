//! Strings. Offsets and lengths count characters.

use std::collections::HashSet;

use super::arguments::{int, mismatch, number, object, some, text, texts, type_mismatch};
use super::context::check_text;
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::value::{Number, Value};

const S: Types = Types::STRING;
const N: Types = Types::NUMBER;
const TEXTS: Types = Types::STRING.or(Types::SET).or(Types::ARRAY);

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("concat", &[S, Types::SET.or(Types::ARRAY)], concat),
    Builtin::new("contains", &[S, S], |context, o| {
        context.charge(text(o, 0)?.len())?;
        some(text(o, 0)?.contains(text(o, 1)?))
    }),
    Builtin::new("startswith", &[S, S], |_, o| some(text(o, 0)?.starts_with(text(o, 1)?))),
    Builtin::new("endswith", &[S, S], |_, o| some(text(o, 0)?.ends_with(text(o, 1)?))),
    Builtin::new("format_int", &[N, N], format_int),
    Builtin::new("indexof", &[S, S], index_of),
    Builtin::new("indexof_n", &[S, S], index_of_n),
    Builtin::new("lower", &[S], |context, o| {
        map(context, o, |text| text.chars().map(|c| simple_case(c, c.to_lowercase())).collect())
    }),
    Builtin::new("upper", &[S], |context, o| {
        map(context, o, |text| text.chars().map(|c| simple_case(c, c.to_uppercase())).collect())
    }),
    Builtin::new("replace", &[S, S, S], replace),
    Builtin::new("split", &[S, S], split),
    Builtin::new("strings.any_prefix_match", &[TEXTS, TEXTS], |context, o| {
        any_match(context, o, |text, part| text.starts_with(part))
    }),
    Builtin::new("strings.any_suffix_match", &[TEXTS, TEXTS], |context, o| {
        any_match(context, o, |text, part| text.ends_with(part))
    }),
    Builtin::new("strings.count", &[S, S], |context, o| {
        let (text, part) = (text(o, 0)?, text(o, 1)?);
        context.charge(text.len())?;
        let count = if part.is_empty() { text.chars().count() + 1 } else { text.matches(part).count() };
        some(Number::from(count))
    }),
    Builtin::new("strings.replace_n", &[Types::OBJECT, S], replace_n),
    Builtin::new("strings.reverse", &[S], |context, o| map(context, o, |text| text.chars().rev().collect())),
    Builtin::new("strings.split_n", &[S, S, N], split_n),
    Builtin::new("substring", &[S, N, N], substring),
    Builtin::new("trim", &[S, S], |context, o| trim(context, o, true, true)),
    Builtin::new("trim_left", &[S, S], |context, o| trim(context, o, true, false)),
    Builtin::new("trim_right", &[S, S], |context, o| trim(context, o, false, true)),
    Builtin::new("trim_prefix", &[S, S], |context, o| {
        let text = text(o, 0)?;
        context.charge(text.len())?;
        some(text.strip_prefix(self::text(o, 1)?).unwrap_or(text))
    }),
    Builtin::new("trim_suffix", &[S, S], |context, o| {
        let text = text(o, 0)?;
        context.charge(text.len())?;
        some(text.strip_suffix(self::text(o, 1)?).unwrap_or(text))
    }),
    Builtin::new("trim_space", &[S], |context, o| {
        let text = text(o, 0)?;
        context.charge(text.len())?;
        some(text.trim())
    }),
];

fn map(context: &mut Context<'_>, operands: &[Value], change: impl Fn(&str) -> String) -> Outcome {
    let text = text(operands, 0)?;
    context.charge(2 * text.len())?;
    some(change(text))
}

/// Go changes case one character at a time: `ß` has no upper case there.
fn simple_case(c: char, mut changed: impl ExactSizeIterator<Item = char>) -> char {
    if changed.len() == 1 {
        return changed.next().unwrap_or(c);
    }
    // Go has a single character for these, whose full mapping has several.
    match c {
        // Checked with `lower` and `upper` of OPA 1.20.
        'İ' => 'i',
        '\u{1f80}'..='\u{1faf}' if u32::from(c) & 8 == 0 => char::from_u32(u32::from(c) + 8).unwrap_or(c),
        'ᾳ' => 'ᾼ',
        'ῃ' => 'ῌ',
        'ῳ' => 'ῼ',
        _ => c,
    }
}

fn concat(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let delimiter = text(operands, 0)?;
    let parts = texts(operands, 1)?;
    let len: usize = parts.iter().map(|part| part.len() + delimiter.len()).sum();
    context.charge_text(len)?;
    some(parts.join(delimiter))
}

fn format_int(_: &mut Context<'_>, operands: &[Value]) -> Outcome {
    // OPA 1.20 drops the fraction: `format_int(15.9, 16)` is `f`.
    let number = number(operands, 0)?.truncate()?;
    let base = match self::number(operands, 1)?.to_string().as_str() {
        // The base is compared as it is written: OPA 1.20 refuses `format_int(1, 2.0)`.
        "2" => 2,
        "8" => 8,
        "10" => 10,
        "16" => 16,
        _ => return Err(BuiltinError::wrong_type("operand 2 must be one of {2, 8, 10, 16}")),
    };
    some(number.to_str_radix(base))
}

fn index_of(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let (text, part) = (text(operands, 0)?, text(operands, 1)?);
    if part.is_empty() {
        return Err(BuiltinError::failed("empty search character"));
    }
    context.charge(text.len())?;
    match text.find(part) {
        Some(at) => some(Number::from(text[..at].chars().count())),
        None => some(Value::int(-1)),
    }
}

fn index_of_n(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let (text, part) = (text(operands, 0)?, text(operands, 1)?);
    if part.is_empty() {
        return Err(BuiltinError::failed("empty search character"));
    }
    context.charge_items(text.len() + part.len())?;
    let part: Vec<char> = part.chars().collect();
    let text: Vec<char> = text.chars().collect();
    context.charge(text.len().saturating_mul(part.len()))?;
    let found: Vec<_> = (0..(text.len() + 1).saturating_sub(part.len()))
        // Matches may overlap: OPA 1.20 finds `aa` in `aaa` at 0 and 1.
        .filter(|at| text[*at..].starts_with(&part))
        .map(|at| Value::Number(at.into()))
        .collect();
    some(Value::array(found))
}

fn replace(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let (text, old, new) = (text(operands, 0)?, text(operands, 1)?, text(operands, 2)?);
    // An empty text is found before each character and at the end, as by Go's `strings.ReplaceAll`.
    let count = if old.is_empty() { text.chars().count() + 1 } else { text.matches(old).count() };
    let grows_by = count.saturating_mul(new.len().saturating_sub(old.len()));
    match grows_by {
        0 => context.charge(2 * text.len())?,
        _ => context.charge_text(text.len().saturating_add(grows_by))?,
    }
    some(text.replace(old, new))
}

/// The parts between a delimiter; the characters of the text if that is empty.
fn parts<'t>(
    context: &mut Context<'_>,
    text: &'t str,
    delimiter: &str,
) -> Result<Vec<&'t str>, BuiltinError> {
    context.charge(text.len())?;
    context.charge_items(if delimiter.is_empty() { text.len() } else { text.matches(delimiter).count() })?;
    if delimiter.is_empty() {
        // Rust's `split("")` has an empty part at each end, which Go's `strings.Split` has not.
        let mut parts: Vec<_> = text.split("").collect();
        parts.pop();
        if !parts.is_empty() {
            parts.remove(0);
        }
        return Ok(parts);
    }
    Ok(text.split(delimiter).collect())
}

fn split(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let parts = parts(context, text(operands, 0)?, text(operands, 1)?)?;
    some(Value::array(parts.into_iter().map(Value::from).collect::<Vec<_>>()))
}

/// The first parts between delimiters, or the last ones if the count is negative.
fn split_n(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let parts = parts(context, text(operands, 0)?, text(operands, 1)?)?;
    let count = int(operands, 2)?;
    let wanted = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX).min(parts.len());
    let chosen = if count < 0 { &parts[parts.len() - wanted..] } else { &parts[..wanted] };
    some(Value::array(chosen.iter().map(|part| Value::from(*part)).collect::<Vec<_>>()))
}

/// The strings of an operand: a single one, or those of a collection.
fn one_or_more(operands: &[Value], index: usize) -> Result<Vec<&str>, BuiltinError> {
    match &operands[index] {
        Value::String(text) => Ok(vec![text.as_str()]),
        Value::Array(_) | Value::Set(_) => texts(operands, index),
        other => Err(type_mismatch(index, TEXTS, other)),
    }
}

fn any_match(context: &mut Context<'_>, operands: &[Value], matches: impl Fn(&str, &str) -> bool) -> Outcome {
    let (texts, parts) = (one_or_more(operands, 0)?, one_or_more(operands, 1)?);
    for text in texts {
        context.charge(parts.len())?;
        if parts.iter().any(|part| matches(text, part)) {
            return some(true);
        }
    }
    some(false)
}

/// Replaces several texts in one pass: at each place the first one, by ascending key, that is there.
fn replace_n(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let mut patterns = Vec::new();
    for (key, value) in object(operands, 0)?.iter() {
        let Some(key) = key.as_str() else {
            return Err(mismatch(0, "string", &format!("non-string keys {}", key.type_name())));
        };
        let Some(value) = value.as_str() else {
            return Err(mismatch(0, "string", &format!("non-string values {}", value.type_name())));
        };
        patterns.push((key, value));
    }
    let text = text(operands, 1)?;
    let mut out = String::new();
    let mut rest = text;
    // An empty key inserts its value once before each character and at the end: OPA 1.20 makes `xaxbx` of
    // `ab` and `{"": "x"}`. In ascending order of keys `a` is found before `ab`.
    let mut after_empty = false;
    loop {
        context.charge(patterns.len())?;
        let found =
            patterns.iter().find(|(key, _)| rest.starts_with(key) && !(key.is_empty() && after_empty));
        match found {
            Some((key, value)) => {
                context.charge(value.len())?;
                check_text(out.len() + value.len())?;
                out.push_str(value);
                rest = &rest[key.len()..];
                after_empty = key.is_empty();
                if !key.is_empty() {
                    continue;
                }
            }
            None => after_empty = false,
        }
        let Some(c) = rest.chars().next() else { break };
        if patterns.iter().any(|(key, _)| !key.is_empty() && rest.starts_with(key)) && after_empty {
            continue;
        }
        out.push(c);
        rest = &rest[c.len_utf8()..];
        after_empty = false;
    }
    some(out)
}

fn substring(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let text = text(operands, 0)?;
    let (start, length) = (int(operands, 1)?, int(operands, 2)?);
    let Ok(start) = usize::try_from(start) else {
        return Err(BuiltinError::failed("negative offset"));
    };
    context.charge(text.len())?;
    let from = text.char_indices().nth(start).map_or(text.len(), |(at, _)| at);
    let rest = &text[from..];
    let part = match usize::try_from(length) {
        Ok(length) => &rest[..rest.char_indices().nth(length).map_or(rest.len(), |(at, _)| at)],
        // A negative length means the rest of the text.
        Err(_) => rest,
    };
    some(part)
}

fn trim(context: &mut Context<'_>, operands: &[Value], left: bool, right: bool) -> Outcome {
    let (mut text, cutset) = (text(operands, 0)?, text(operands, 1)?);
    context.charge(text.len().saturating_add(cutset.len()))?;
    let cutset: HashSet<char> = cutset.chars().collect();
    let is_cut = |c: char| cutset.contains(&c);
    if left {
        text = text.trim_start_matches(is_cut);
    }
    if right {
        text = text.trim_end_matches(is_cut);
    }
    some(text)
}
