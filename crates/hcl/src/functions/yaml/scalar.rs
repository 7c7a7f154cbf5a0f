//! The values of plain scalars: mostly as in YAML 1.1, numbers as in 1.2.

use chrono::{NaiveDate, NaiveDateTime, NaiveTime};
use objchange::value::Number;
use objchange::{Type, Value};

/// The value of a scalar without quotes; `None` if it is just text.
pub(super) fn resolved(text: &str) -> Result<Option<Value>, String> {
    let value = match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::null(Type::Dynamic),
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" | "true" | "True" | "TRUE" => true.into(),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" | "false" | "False" | "FALSE" => false.into(),
        ".nan" | ".NaN" | ".NAN" => return Err("there are numbers only, not NaN".to_owned()),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Number::infinity().into(),
        "-.inf" | "-.Inf" | "-.INF" => Number::neg_infinity().into(),
        _ => return Ok(number(text)?.or_else(|| timestamp(text).map(Value::from))),
    };
    Ok(Some(value))
}

fn number(text: &str) -> Result<Option<Value>, String> {
    // Octal numbers are those of YAML 1.2: `yamldecode("0o17")` is 15 and `yamldecode("017")` is 17 (Terraform 1.11.4).
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix)
            && !digits.is_empty()
            && digits.chars().all(|c| c.is_digit(radix))
        {
            let number = u64::from_str_radix(digits, radix);
            return number.map(|number| Some(parsed(&number.to_string()))).map_err(|_| too_large());
        }
    }
    if !is_decimal(text) {
        return Ok(None);
    }
    Number::parse(text).map(|number| Some(number.into())).map_err(|_| too_large())
}

fn too_large() -> String {
    "a number is too large".to_owned()
}

/// As all numbers from text.
fn parsed(text: &str) -> Value {
    Number::parse(text).unwrap_or_default().into()
}

/// `-1`, `1.`, `.5`, `1.5e-3`.
fn is_decimal(text: &str) -> bool {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    digits(whole)
        && digits(fraction)
        && digits(exponent)
        && !exponent.is_empty()
        && !(whole.is_empty() && fraction.is_empty())
}

/// A date, or a date with a time, as RFC 3339 has it.
fn timestamp(text: &str) -> Option<String> {
    let is_date =
        text.len() >= 8 && text.as_bytes()[..4].iter().all(u8::is_ascii_digit) && text.as_bytes()[4] == b'-';
    if !is_date {
        return None;
    }
    let (date, rest) = match text.find(['T', 't', ' ']) {
        Some(at) => (&text[..at], Some((text.as_bytes()[at], &text[at + 1..]))),
        None => (text, None),
    };
    let mut parts = date.split('-').map(|part| number_of(part, 4));
    let (year, month, day) = (parts.next()??, parts.next()??, parts.next()??);
    let date = NaiveDate::from_ymd_opt(year as i32, month, day).filter(|_| parts.next().is_none())?;
    let (time, zone) = match rest {
        None => (NaiveTime::MIN, "Z"),
        Some((b' ', time)) => (clock(time)?, "Z"),
        Some((_, time)) => {
            let at = time.find(['Z', '+', '-'])?;
            let zone = &time[at..];
            let is_zone = zone == "Z" || super::super::dates::offset(zone).is_some();
            (clock(&time[..at])?, is_zone.then_some(zone)?)
        }
    };
    let zone = if zone.ends_with("00:00") { "Z" } else { zone };
    Some(format!("{:?}{zone}", NaiveDateTime::new(date, time)))
}

/// A number of at most so many digits.
fn number_of(digits: &str, most: usize) -> Option<u32> {
    let is_number = (1..=most).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse().ok())?
}

/// `1:02:03.5`; parts of seconds get lost.
fn clock(text: &str) -> Option<NaiveTime> {
    let mut parts = text.splitn(3, ':');
    let (hour, minute) = (number_of(parts.next()?, 2)?, number_of(parts.next()?, 2)?);
    let (second, fraction) = match parts.next()? {
        second if second.contains('.') => second.split_once('.')?,
        second => (second, "0"),
    };
    let is_fraction = !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit());
    NaiveTime::from_hms_opt(hour, minute, number_of(second, 2)?).filter(|_| is_fraction)
}
