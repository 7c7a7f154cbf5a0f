//! The verbs of `format`: how they are written, and how one value is.

use objchange::value::{Kind, Number};
use objchange::{Type, Value};
use objchange_text::clusters::{self, clusters};

use super::json;
use super::limits::{MAX_TEXT, MAX_WIDTH, check_text};
use super::quote;
use crate::function::FunctionError;

/// One verb: `%-5.2[3]f`.
#[derive(Default)]
struct Verb<'f> {
    /// As it is written.
    text: &'f str,
    letter: char,
    plus: bool,
    space: bool,
    minus: bool,
    zero: bool,
    sharp: bool,
    width: usize,
    precision: Option<usize>,
}

/// The text that a format and its arguments make, and how many of these the format needs.
pub(super) fn formatted(format: &str, arguments: &[Value]) -> Result<(String, usize), FunctionError> {
    let mut out = String::new();
    let (mut rest, mut next, mut needed) = (format, 0, 0);
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("%%") {
            out.push('%');
            rest = after;
            continue;
        }
        let offset = format.len() - rest.len();
        let (verb, position) = parse(rest, offset)?;
        rest = &rest[verb.text.len()..];
        let position = position.unwrap_or(next);
        next = position.saturating_add(1);
        needed = needed.max(next);
        let argument = arguments.get(position).ok_or_else(|| {
            let (text, count) = (verb.text, arguments.len());
            FunctionError::new(format!(
                "not enough arguments for {} at {offset}: need index {next} but have {count} total",
                quote(text)
            ))
        })?;
        out.push_str(&write(&verb, offset, argument)?);
        check_text(Some(out.len()))?;
    }
    out.push_str(rest);
    check_text(Some(out.len()))?;
    Ok((out, needed))
}

/// The error for a format that uses only the first `needed` arguments.
pub(super) fn too_many(needed: usize) -> String {
    match needed {
        0 => "too many arguments; no verbs in format string".to_owned(),
        needed => format!("too many arguments; only {needed} used by format string"),
    }
}

/// Parses the verb at the start of a text; `offset` is its place in the format. Returns also the explicit argument
/// index, from 0.
fn parse(text: &str, offset: usize) -> Result<(Verb<'_>, Option<usize>), FunctionError> {
    let wrong = |rest: &str| {
        let at = offset + text.len() - rest.len();
        FunctionError::new(match rest.chars().next() {
            Some(c) => format!("unrecognized format character {} at offset {at}", quote_char(c)),
            None => format!("invalid format string starting at offset {at}"),
        })
    };
    let mut verb = Verb::default();
    let mut rest = &text[1..];
    while let Some(flag) = rest.chars().next() {
        match flag {
            '+' => verb.plus = true,
            ' ' => verb.space = true,
            '-' => verb.minus = true,
            '0' => verb.zero = true,
            '#' => verb.sharp = true,
            _ => break,
        }
        rest = &rest[1..];
    }
    verb.width = integer(&mut rest);
    if let Some(after) = rest.strip_prefix('.') {
        rest = after;
        verb.precision = Some(integer(&mut rest));
    }
    let mut position = None;
    if let Some(after) = rest.strip_prefix('[') {
        rest = after;
        // Arguments are counted from 1.
        if after.starts_with('0') {
            return Err(wrong(after));
        }
        position = integer(&mut rest).checked_sub(1);
        rest = rest.strip_prefix(']').filter(|_| position.is_some()).ok_or_else(|| wrong(rest))?;
    }
    match rest.chars().next() {
        Some(letter) if letter.is_ascii_alphabetic() => verb.letter = letter,
        _ => return Err(wrong(rest)),
    }
    verb.text = &text[..text.len() - rest.len() + 1];
    // The precision of `%s` and `%q` only cuts a text, so it needs no limit.
    if verb.width > MAX_WIDTH || verb.letter != 's' && verb.letter != 'q' && verb.precision > Some(MAX_WIDTH)
    {
        return Err(FunctionError::new(format!("{:?} is wider than {MAX_WIDTH} characters", verb.text)));
    }
    Ok((verb, position))
}

/// A character as errors quote it.
pub(super) fn quote_char(c: char) -> String {
    match c {
        '"' => "'\"'".to_owned(),
        '\'' => r"'\''".to_owned(),
        c => format!("'{}'", quote(c.encode_utf8(&mut [0; 4])).trim_matches('"')),
    }
}

/// Reads digits; an integer beyond all limits is the largest there is.
fn integer(rest: &mut &str) -> usize {
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let (digits, after) = rest.split_at(end);
    *rest = after;
    if digits.is_empty() { 0 } else { digits.parse().unwrap_or(usize::MAX) }
}

fn write(verb: &Verb<'_>, offset: usize, value: &Value) -> Result<String, FunctionError> {
    let unsupported = |why: &str| {
        FunctionError::new(format!("unsupported value for {} at {offset}: {why}", quote(verb.text)))
    };
    let convert = |ty| value.convert(&ty).map_err(|error| unsupported(&error.kind.to_string()));
    if !"vsqtdboxXeEfFgG".contains(verb.letter) {
        return Err(FunctionError::new(format!(
            "unsupported format verb '{}' in {} at offset {offset}",
            verb.letter,
            quote(verb.text)
        )));
    }
    if value.is_null() && verb.letter != 'v' {
        return Err(unsupported("null value cannot be formatted"));
    }
    let as_number = || {
        let number = convert(Type::Number)?.as_number().cloned();
        number.ok_or_else(|| unsupported("a number is required"))
    };
    Ok(match verb.letter {
        'v' => match value.kind() {
            _ if verb.sharp => padded(verb, json::encoded(value)?),
            Kind::String(text) => padded(verb, text.to_owned()),
            Kind::Bool(bool) => padded(verb, bool.to_string()),
            Kind::Number(number) => {
                // `format("%+v", 5)` is `5`: only the verbs for numbers show a plus (Terraform 1.11.4).
                signed(&Verb { plus: false, space: false, ..*verb }, number, general(number, None))
            }
            _ => padded(verb, json::encoded(value)?),
        },
        's' | 'q' => {
            let text = convert(Type::String)?;
            // `%.0s` cuts nothing: `format("%.0s", "abc")` is `abc` (Terraform 1.11.4).
            let text = cut(text.as_str().unwrap_or_default(), verb.precision.filter(|n| *n > 0));
            padded(
                verb,
                if verb.letter == 'q' { json::encoded(&Value::from(text))? } else { text.to_owned() },
            )
        }
        // Terraform ignores the width here: `format("%-5t|", true)` is `true|` (Terraform 1.11.4).
        't' => {
            let bool = convert(Type::Bool)?.as_bool();
            bool.ok_or_else(|| unsupported("a bool is required"))?.to_string()
        }
        'd' | 'b' | 'o' | 'x' | 'X' => {
            let number = as_number()?;
            let digits =
                integer_digits(verb.letter, &number).ok_or_else(|| unsupported("an integer is required"))?;
            whole(verb, &number, digits)
        }
        'e' | 'E' => {
            let number = as_number()?;
            signed(verb, &number, scientific(&number, verb.precision.unwrap_or(6)))
        }
        'f' | 'F' => {
            let number = as_number()?;
            signed(verb, &number, fixed(&number, verb.precision.unwrap_or(6)))
        }
        // The letters were checked above.
        _ => {
            let number = as_number()?;
            signed(verb, &number, general(&number, verb.precision))
        }
    })
}

/// The first so many of what people see as characters.
fn cut(text: &str, count: Option<usize>) -> &str {
    let end = count.and_then(|count| clusters(text).nth(count));
    end.map_or(text, |(end, _)| &text[..end])
}

/// Text in its width. Zeros may fill it, also behind.
fn padded(verb: &Verb<'_>, text: String) -> String {
    let missing = verb.width.saturating_sub(clusters::count(&text));
    if missing == 0 {
        return text;
    }
    let padding = if verb.zero { "0" } else { " " }.repeat(missing);
    if verb.minus { text + &padding } else { padding + &text }
}

/// The sign that is shown of a number.
fn sign(verb: &Verb<'_>, number: &Number) -> &'static str {
    match *number < Number::ZERO {
        true => "-",
        false if verb.plus => "+",
        false if verb.space => " ",
        false => "",
    }
}

/// Sign and digits in their width, zeros between them.
fn filled(verb: &Verb<'_>, sign: &str, digits: &str, zeros: bool) -> String {
    let missing = verb.width.saturating_sub(sign.len() + digits.len());
    if verb.minus {
        format!("{sign}{digits}{}", " ".repeat(missing))
    } else if zeros {
        format!("{sign}{}{digits}", "0".repeat(missing))
    } else {
        format!("{}{sign}{digits}", " ".repeat(missing))
    }
}

fn signed(verb: &Verb<'_>, number: &Number, digits: String) -> String {
    if !number.is_finite() {
        let sign = if *number < Number::ZERO { "-" } else { "+" };
        return filled(verb, sign, "Inf", false);
    }
    let digits = if verb.letter.is_ascii_uppercase() { digits.to_ascii_uppercase() } else { digits };
    let sign = if number.is_negative_zero() { "-" } else { sign(verb, number) };
    filled(verb, sign, &digits, verb.zero)
}

/// An integer: with a precision that many digits at least, and then no zeros for the width.
fn whole(verb: &Verb<'_>, number: &Number, digits: String) -> String {
    let prefix = match verb.letter {
        'b' if verb.sharp => "0b",
        'o' if verb.sharp => "0",
        'x' if verb.sharp => "0x",
        'X' if verb.sharp => "0X",
        _ => "",
    };
    let digits = match verb.precision {
        Some(0) if digits == "0" => String::new(),
        Some(least) => "0".repeat(least.saturating_sub(digits.len())) + &digits,
        None => digits,
    };
    filled(verb, &format!("{}{prefix}", sign(verb, number)), &digits, verb.zero && verb.precision.is_none())
}

/// The magnitude of an integer in the base of a verb.
fn integer_digits(letter: char, number: &Number) -> Option<String> {
    if !number.is_integer() {
        return None;
    }
    let decimal = number.abs().to_string();
    let radix = match letter {
        'b' => 2,
        'o' => 8,
        'd' => return Some(decimal),
        _ => 16,
    };
    // A number may print with fewer digits than it has.
    let (digits, point) = number.decimal_digits(Some(MAX_DIGITS)).unwrap_or(("0".to_owned(), 1));
    let exact = digits.clone() + &"0".repeat((point as usize).saturating_sub(digits.len()));
    let text = num_bigint::BigUint::parse_bytes(exact.as_bytes(), 10)?.to_str_radix(radix);
    Some(if letter == 'X' { text.to_ascii_uppercase() } else { text })
}

/// The maximum number of digits of a number: none is beyond 2^33300, or has a last bit below 2^-33812.
const MAX_DIGITS: usize = 34_000;

/// In plain notation, with so many digits behind the point.
fn fixed(number: &Number, fraction: usize) -> String {
    let (digits, point) = rounded_at(number, fraction).unwrap_or((String::new(), 0));
    let (point, zeros) = (usize::try_from(point).unwrap_or(0), usize::try_from(-point).unwrap_or(0));
    let mut out = digits[..point.min(digits.len())].to_owned();
    out.push_str(&"0".repeat(point.saturating_sub(digits.len())));
    if out.is_empty() {
        out.push('0');
    }
    if fraction > 0 {
        let behind = "0".repeat(zeros.min(fraction)) + digits.get(point..).unwrap_or_default();
        out.push('.');
        out.push_str(&behind);
        out.push_str(&"0".repeat(fraction.saturating_sub(behind.len())));
    }
    out
}

/// The digits of a number down to so many behind the point; `None` if nothing is left.
fn rounded_at(number: &Number, fraction: usize) -> Option<(String, i32)> {
    let (_, point) = number.decimal_digits(None)?;
    let count = i64::from(point) + fraction as i64;
    if count < 0 {
        return None;
    }
    if count == 0 {
        let half = Number::parse(&format!("5e-{}", fraction + 1)).ok()?;
        return (number.abs() > half).then(|| ("1".to_owned(), point + 1));
    }
    let count = (count as usize).min(MAX_DIGITS);
    let digits = number.decimal_digits(Some(count))?;
    // The shortest digits may have been rounded up to a power of ten, the number being just below.
    let is_below = digits.1 < point && count > 1;
    if is_below { number.decimal_digits(Some(count - 1)) } else { Some(digits) }
}

/// With an exponent, and so many digits behind the point.
fn scientific(number: &Number, fraction: usize) -> String {
    let count = fraction.saturating_add(1).min(MAX_DIGITS);
    let (digits, point) = number.decimal_digits(Some(count)).unwrap_or(("0".to_owned(), 1));
    with_exponent(&digits, point, fraction)
}

fn with_exponent(digits: &str, point: i32, fraction: usize) -> String {
    let exponent = point - 1;
    let mut out = digits[..1].to_owned();
    if fraction > 0 {
        out.push('.');
        out.push_str(&digits[1..]);
        out.push_str(&"0".repeat(fraction.saturating_sub(digits.len() - 1)));
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{out}e{sign}{:02}", exponent.abs())
}

/// With this number of digits, or with as few as identify the number; plain or with an exponent, whichever is shorter.
fn general(number: &Number, precision: Option<usize>) -> String {
    let precision = precision.map(|precision| precision.clamp(1, MAX_DIGITS));
    let Some((digits, point)) = number.decimal_digits(precision) else { return "0".to_owned() };
    let most = match precision {
        // `format("%v", 100000)` is `100000`, but one million is `1e+06` (Terraform 1.11.4).
        None => 6,
        Some(precision) if precision > digits.len() && digits.len() as i32 >= point => digits.len(),
        Some(precision) => precision,
    };
    if point - 1 < -4 || point > most as i32 {
        return with_exponent(&digits, point, digits.len() - 1);
    }
    let fraction = usize::try_from(digits.len() as i32 - point).unwrap_or(0);
    let zeros = usize::try_from(-point).unwrap_or(0);
    let point = usize::try_from(point).unwrap_or(0);
    let before = if point == 0 { "0" } else { &digits[..point.min(digits.len())] };
    let behind = digits.get(point..).unwrap_or_default();
    let dot = if fraction > 0 { "." } else { "" };
    let filled = "0".repeat(point.saturating_sub(digits.len()));
    format!("{before}{filled}{dot}{}{behind}", "0".repeat(zeros))
}

const _: () = assert!(MAX_WIDTH < MAX_TEXT);
