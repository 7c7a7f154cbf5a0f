//! The values of plain scalars of YAML 1.1.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::value::{Number, Value};

/// The value of a plain scalar; `None` if it is a number that JSON does not have.
pub(super) fn plain(text: &str) -> Option<Value> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Some(Value::Null),
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" | "true" | "True" | "TRUE" => {
            return Some(Value::Bool(true));
        }
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" | "false" | "False" | "FALSE" => {
            return Some(Value::Bool(false));
        }
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" | "-.inf" | "-.Inf" | "-.INF" | ".nan"
        | ".NaN" | ".NAN" => return None,
        _ => {}
    }
    Some(number(text).map_or_else(|| Value::from(text), Value::Number))
}

/// The number that a plain scalar is.
pub(super) fn number(text: &str) -> Option<Number> {
    let starts_like_one = |b: &u8| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.');
    if !text.as_bytes().first().is_some_and(starts_like_one) {
        return None;
    }
    let without = text.replace('_', "");
    let (sign, digits) = match without.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, without.strip_prefix('+').unwrap_or(&without)),
    };
    let integer = |digits: &str, radix| {
        let valid = !digits.is_empty() && digits.bytes().all(|b| char::from(b).is_digit(radix));
        let value = if valid { BigInt::parse_bytes(digits.as_bytes(), radix)? } else { return None };
        let value: BigInt = value * sign;
        // Larger numbers are floats: OPA 1.20 reads 99999999999999999999 as 100000000000000000000.
        (value.to_i64().is_some() || value.to_u64().is_some()).then(|| Number::from_bigint(&value))
    };
    // Both forms of octal numbers: OPA 1.20 reads `010` and `0o10` as 8.
    let prefixed = [("0x", 16), ("0X", 16), ("0b", 2), ("0o", 8), ("0", 8)];
    for (prefix, radix) in prefixed {
        if let Some(rest) = digits.strip_prefix(prefix)
            && let Some(number) = integer(rest, radix)
        {
            return Some(number);
        }
    }
    if let Some(number) = integer(digits, 10).filter(|_| !digits.starts_with('0') || digits == "0") {
        return Some(number);
    }
    if !is_float(digits) {
        return None;
    }
    Number::from_f64(without.parse().ok()?)
}

/// Digits, perhaps a point, perhaps an exponent.
fn is_float(text: &str) -> bool {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_exponent = |text: &str| {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        !digits.is_empty() && is_digits(digits)
    };
    is_digits(whole)
        && is_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(is_exponent)
}
