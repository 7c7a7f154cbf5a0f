//! Amounts with units, such as `10Ki` and `1.5MB`.

use num_bigint::BigInt;

use super::arguments::{some, text};
use super::{Builtin, BuiltinError, Outcome, Types};
use crate::value::{Number, Value};

const S: Types = Types::STRING;

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("units.parse", &[S], |_, o| parse(o)),
    Builtin::new("units.parse_bytes", &[S], |_, o| parse_bytes(o)),
];

/// The factor of a unit: a power of 1000 or of 1024, or a thousandth.
fn factor(unit: &str) -> Option<(u32, u32)> {
    Some(match unit {
        "" => (1000, 0),
        "k" | "K" => (1000, 1),
        // Only here case matters, because `m` is a thousandth: `units.parse("1m")` is 0.001 in OPA 1.20.
        "M" => (1000, 2),
        "g" | "G" => (1000, 3),
        "t" | "T" => (1000, 4),
        "p" | "P" => (1000, 5),
        "e" | "E" => (1000, 6),
        "ki" | "Ki" | "kI" | "KI" => (1024, 1),
        "mi" | "Mi" | "mI" | "MI" => (1024, 2),
        "gi" | "Gi" | "gI" | "GI" => (1024, 3),
        "ti" | "Ti" | "tI" | "TI" => (1024, 4),
        "pi" | "Pi" | "pI" | "PI" => (1024, 5),
        "ei" | "Ei" | "eI" | "EI" => (1024, 6),
        _ => return None,
    })
}

/// The amount and the unit of a text without quotes.
fn divide(text: &str) -> (&str, &str) {
    let bytes = text.as_bytes();
    let is_amount = |i: usize| match bytes[i] {
        b'0'..=b'9' | b'.' | b'+' | b'-' => true,
        b'e' | b'E' => {
            i > 0 && bytes.get(i + 1).is_some_and(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-'))
        }
        _ => false,
    };
    // In OPA 1.20 `1e3` is a number with an exponent, and `1E` has the unit `E`.
    let len = (0..bytes.len()).take_while(|i| is_amount(*i)).count();
    text.split_at(len)
}

fn parse(operands: &[Value]) -> Outcome {
    let fail = |message: &str| BuiltinError::failed(format!("units.parse: {message}"));
    // OPA 1.20 ignores quotes anywhere: `1"K` is 1000.
    let text = text(operands, 0)?.replace('"', "");
    if text.contains(' ') {
        return Err(fail("spaces not allowed in resource strings"));
    }
    let (amount, unit) = divide(&text);
    if amount.is_empty() {
        return Err(fail("no amount provided"));
    }
    let number = Number::parse_lenient(amount).ok_or_else(|| fail("could not parse amount to a number"))?;
    let number = if unit == "m" {
        number.multiply(&thousandth())?
    } else {
        let (base, power) = factor(unit).ok_or_else(|| fail(&format!("unit {unit} not recognized")))?;
        number.multiply_exactly(&BigInt::from(base).pow(power))?
    };
    some(number.with_ten_decimals()?)
}

fn thousandth() -> Number {
    Number::parse("0.001").unwrap_or_else(|| Number::from(0_i64))
}

fn parse_bytes(operands: &[Value]) -> Outcome {
    let fail = |message: &str| BuiltinError::failed(format!("units.parse_bytes: {message}"));
    let text = text(operands, 0)?.replace('"', "").to_lowercase();
    if text.contains(' ') {
        return Err(fail("spaces not allowed in resource strings"));
    }
    let (amount, unit) = divide(&text);
    if amount.is_empty() {
        return Err(fail("no byte amount provided"));
    }
    let number =
        Number::parse_lenient(amount).ok_or_else(|| fail("could not parse byte amount to a number"))?;
    // `1b` is no amount in OPA 1.20 ("byte unit b not recognized"), while `1kb` is.
    let (base, power) = match unit.strip_suffix('b').filter(|prefix| !prefix.is_empty()).unwrap_or(unit) {
        "" => (1000, 0),
        "k" => (1000, 1),
        "m" => (1000, 2),
        "g" => (1000, 3),
        "t" => (1000, 4),
        "p" => (1000, 5),
        "e" => (1000, 6),
        "ki" => (1024, 1),
        "mi" => (1024, 2),
        "gi" => (1024, 3),
        "ti" => (1024, 4),
        "pi" => (1024, 5),
        "ei" => (1024, 6),
        _ => return Err(fail(&format!("byte unit {unit} not recognized"))),
    };
    let bytes = number.multiply_exactly(&BigInt::from(base).pow(power))?;
    // OPA 1.20 drops parts of a byte: `units.parse_bytes("0.5")` is 0.
    some(Number::from_bigint(&bytes.truncate()?))
}
