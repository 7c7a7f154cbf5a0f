//! Durations such as `1h2m3.5s`.

use super::super::arguments::some;
use super::super::{BuiltinError, Outcome};
use crate::value::Value;

/// The nanoseconds of a unit. OPA knows days, weeks and years besides Go's units.
fn unit(name: &str) -> Option<u64> {
    Some(match name {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        "d" => 86_400_000_000_000,
        "w" => 604_800_000_000_000,
        "y" => 31_536_000_000_000_000,
        _ => return None,
    })
}

pub(in crate::builtins) fn parse(text: &str) -> Outcome {
    let shown = || Value::from(text);
    let invalid = || BuiltinError::failed(format!("time: invalid duration {}", shown()));
    let (is_negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return some(Value::int(0));
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: u128 = 0;
    while !rest.is_empty() {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let (whole, after) = rest.split_at(digits(rest));
        let (fraction, after) = match after.strip_prefix('.') {
            Some(after) => after.split_at(digits(after)),
            None => ("", after),
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let end = after.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(after.len());
        let (name, after) = after.split_at(end);
        if name.is_empty() {
            return Err(BuiltinError::failed(format!("time: missing unit in duration {}", shown())));
        }
        let unit = unit(name).ok_or_else(|| {
            let name = Value::from(name);
            BuiltinError::failed(format!("time: unknown unit {name} in duration {}", shown()))
        })?;
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| invalid())? };
        let mut part = u128::from(unit);
        let mut behind = 0;
        for digit in fraction.bytes().take(19) {
            behind += part * u128::from(digit - b'0') * 1_000_000_000 / 10;
            part = (part * 1_000_000_000 / 10) / 1_000_000_000;
            if part == 0 {
                break;
            }
        }
        total += u128::from(whole) * u128::from(unit) + behind / 1_000_000_000;
        if total > 1 << 63 {
            return Err(invalid());
        }
        rest = after;
    }
    let total = i128::try_from(total).map_err(|_| invalid())?;
    let total = if is_negative { -total } else { total };
    some(Value::int(i64::try_from(total).map_err(|_| invalid())?))
}
