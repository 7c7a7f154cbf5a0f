//! Points in time, as RFC 3339 writes them, and how far apart they are.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, TimeDelta, Timelike};
use objchange::{Type, Value};
use objchange_text::calendar::{MONTHS, WEEKDAYS};

use super::{Answer, quote, string, text};
use crate::function::{Function, FunctionError, Functions};

pub(super) fn add(functions: &mut Functions) {
    let format = Function::new([string("format"), string("time")], Type::String, format_date);
    functions.insert("formatdate", format);
    let add = Function::new([string("timestamp"), string("duration")], Type::String, time_add);
    functions.insert("timeadd", add.nullable());
    let compare = Function::new([string("timestamp_a"), string("timestamp_b")], Type::Number, |a, _| {
        Ok((parse(text(a, 0), Some(0))?.cmp(&parse(text(a, 1), Some(1))?) as i8).into())
    });
    functions.insert("timecmp", compare);
}

type Time = DateTime<FixedOffset>;

/// A point in time: exactly the form of RFC 3339, in capitals, with a day that the calendar has.
fn parse(text: &str, argument: Option<usize>) -> Result<Time, FunctionError> {
    timestamp(text).map_err(|why| FunctionError {
        argument,
        ..FunctionError::new(format!("not a valid RFC3339 timestamp: {why}"))
    })
}

/// The time that a text says, or why it says none, found from left to right. A day that the month does not have and an
/// hour of one digit are found last.
fn timestamp(text: &str) -> Result<Time, String> {
    let mut rest = text;
    let year = digits(&mut rest, 4, "year")?;
    expect(&mut rest, '-')?;
    let month = digits(&mut rest, 2, "month")?;
    if !(1..=12).contains(&month) {
        return Err(unusable(rest, "month"));
    }
    expect(&mut rest, '-')?;
    let day = digits(&mut rest, 2, "day of month")?;
    rest = rest.strip_prefix('T').ok_or("missing required time introducer 'T'")?;
    let has_two_digits = rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    let hour = digits(&mut rest, if has_two_digits { 2 } else { 1 }, "hour");
    let hour = match hour {
        Ok(hour @ ..24) => hour,
        _ if rest.is_empty() => return Err(unusable(rest, "hour")),
        _ => return Err("hour must be between 0 and 23 inclusive".to_owned()),
    };
    expect(&mut rest, ':')?;
    let minute = match digits(&mut rest, 2, "minute") {
        Ok(minute @ ..60) => minute,
        _ if rest.is_empty() => return Err(unusable(rest, "minute")),
        _ => return Err("minute must have exactly two digits".to_owned()),
    };
    expect(&mut rest, ':')?;
    let second = digits(&mut rest, 2, "second")?;
    if second > 59 {
        return Err(unusable(rest, "second"));
    }
    let mut nanos = 0;
    if let Some(after) =
        rest.strip_prefix('.').filter(|after| after.starts_with(|c: char| c.is_ascii_digit()))
    {
        let length = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
        let digits: String = after[..length].chars().chain("000000000".chars()).take(9).collect();
        nanos = digits.parse().unwrap_or(0);
        rest = &after[length..];
    } else if rest.starts_with(',') {
        return Err(unusable(",", "timestamp segment"));
    }
    let seconds = match rest.strip_prefix('Z') {
        Some("") => 0,
        Some(after) => return Err(unusable(after, "timestamp segment")),
        None => offset(rest).ok_or_else(|| unusable(rest, "UTC offset"))?,
    };
    let date = NaiveDate::from_ymd_opt(year as i32, month, day).ok_or("day out of range")?;
    if !has_two_digits {
        return Err("hour must have exactly two digits".to_owned());
    }
    let local: Option<NaiveDateTime> = date.and_hms_nano_opt(hour, minute, second, nanos);
    let zone = FixedOffset::east_opt(seconds);
    let time = local.zip(zone).and_then(|(local, zone)| local.and_local_timezone(zone).single());
    time.ok_or_else(|| unusable(rest, "UTC offset"))
}

/// The number of so many digits at the start of a text.
fn digits(rest: &mut &str, length: usize, name: &str) -> Result<u32, String> {
    let (number, after) = rest
        .split_at_checked(length)
        .filter(|(digits, _)| digits.bytes().all(|byte| byte.is_ascii_digit()))
        .ok_or_else(|| unusable(rest, name))?;
    *rest = after;
    number.parse().map_err(|_| unusable(rest, name))
}

fn unusable(rest: &str, name: &str) -> String {
    match rest {
        "" => format!("end of string before {name}"),
        rest => format!("cannot use {} as {name}", quote(rest)),
    }
}

fn expect(rest: &mut &str, wanted: char) -> Result<(), String> {
    *rest = rest.strip_prefix(wanted).ok_or_else(|| match *rest {
        "" => format!("end of string where \"{wanted}\" is expected"),
        found => format!("found {} where \"{wanted}\" is expected", quote(found)),
    })?;
    Ok(())
}

/// The seconds of `+05:30`.
pub(super) fn offset(text: &str) -> Option<i32> {
    let sign = match text.bytes().next()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = text[1..].split_once(':')?;
    let two = |digits: &str| -> Option<i32> {
        let is_two = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_two.then(|| digits.parse().ok())?
    };
    let (hours, minutes) = (two(hours)?, two(minutes)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes) * 60)
}

/// `+05:30`, or with another separator.
fn offset_text(time: &Time, separator: &str) -> String {
    let minutes = time.offset().local_minus_utc() / 60;
    let sign = if minutes < 0 { '-' } else { '+' };
    format!("{sign}{:02}{separator}{:02}", minutes.abs() / 60, minutes.abs() % 60)
}

fn time_add(arguments: &[Value], _: &Type) -> Answer {
    let start = parse(text(arguments, 0), None)?;
    let duration = duration(text(arguments, 1)).map_err(|why| FunctionError::new(format!("time: {why}")))?;
    let out_of_range = || FunctionError::new("the time is too far away");
    let time = start.checked_add_signed(TimeDelta::nanoseconds(duration)).ok_or_else(out_of_range)?;
    let zone = if time.offset().local_minus_utc() == 0 { "Z".to_owned() } else { offset_text(&time, ":") };
    // Terraform goes beyond the four digits of RFC 3339: a second after the year 9999 is `10000-01-01T00:00:00Z`
    // (Terraform 1.11.4).
    let sign = if time.year() < 0 { "-" } else { "" };
    let (year, month, day) = (time.year().abs(), time.month(), time.day());
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    // Fractions of a second are dropped, as Go's layout `time.RFC3339` does.
    Ok(format!("{sign}{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}").into())
}

/// The nanoseconds of a duration, as Go writes them: `-1.5h3m`.
fn duration(text: &str) -> Result<i64, String> {
    let invalid = || format!("invalid duration {}", quote(text));
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let mut digits = || {
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let digits;
            (digits, rest) = rest.split_at(end);
            digits
        };
        let whole = digits();
        let fraction = match rest.strip_prefix('.') {
            Some(after) => {
                rest = after;
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let fraction;
                (fraction, rest) = rest.split_at(end);
                fraction
            }
            None => "",
        };
        if whole.is_empty() && fraction.is_empty() {
            return Err(invalid());
        }
        let end = rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len());
        let unit: u64 = match &rest[..end] {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            "" => return Err(format!("missing unit in duration {}", quote(text))),
            unit => return Err(format!("unknown unit {} in duration {}", quote(unit), quote(text))),
        };
        rest = &rest[end..];
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| invalid())? };
        // More digits than these are less than a nanosecond.
        let fraction = &fraction[..fraction.len().min(18)];
        // Go's `time.ParseDuration` computes the fraction as a double, with its rounding.
        let part = match fraction.parse::<u64>() {
            Ok(part) => part as f64 * (unit as f64 / 10_f64.powi(fraction.len() as i32)),
            Err(_) => 0.0,
        };
        let sum =
            whole.checked_mul(unit).and_then(|whole| whole.checked_add(part as u64)?.checked_add(total));
        // The magnitude of -2^63 is allowed until the sign is known, so that `-9223372036854775808ns` is valid, as in Go.
        total = sum.filter(|total| *total <= 1 << 63).ok_or_else(invalid)?;
    }
    let signed = if negative { 0_i64.checked_sub_unsigned(total) } else { i64::try_from(total).ok() };
    signed.ok_or_else(invalid)
}

fn format_date(arguments: &[Value], _: &Type) -> Answer {
    let format = text(arguments, 0);
    let time = parse(text(arguments, 1), Some(1))?;
    let mut out = String::new();
    let mut rest = format;
    while let Some(c) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix("''") {
            out.push('\'');
            rest = after;
        } else if c == '\'' {
            rest = quoted(&rest[1..], &mut out)?;
        } else if c.is_ascii_alphabetic() {
            let length = rest.len() - rest.trim_start_matches(c).len();
            out.push_str(&part(&rest[..length], &time)?);
            rest = &rest[length..];
        } else {
            out.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    Ok(out.into())
}

/// Copies text up to the closing quote, two quotes being one; gives what comes after it.
fn quoted<'f>(mut rest: &'f str, out: &mut String) -> Result<&'f str, FunctionError> {
    loop {
        let Some(end) = rest.find('\'') else {
            return Err(FunctionError::argument(0, "unterminated literal '"));
        };
        out.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('\'') {
            Some(after) => {
                out.push('\'');
                rest = after;
            }
            None => return Ok(rest),
        }
    }
}

/// Formats one run of equal letters of a `formatdate` pattern.
fn part(letters: &str, time: &Time) -> Result<String, FunctionError> {
    let month = MONTHS[time.month0() as usize];
    let day = WEEKDAYS[time.weekday().num_days_from_sunday() as usize];
    let (is_pm, hour) = time.hour12();
    Ok(match letters {
        "YYYY" => format!("{:04}", time.year()),
        "YY" => format!("{:02}", time.year() % 100),
        "MMMM" => month.to_owned(),
        "MMM" => month[..3].to_owned(),
        "MM" => format!("{:02}", time.month()),
        "M" => time.month().to_string(),
        "DD" => format!("{:02}", time.day()),
        "D" => time.day().to_string(),
        "EEEE" => day.to_owned(),
        "EEE" => day[..3].to_owned(),
        "hh" => format!("{:02}", time.hour()),
        "h" => time.hour().to_string(),
        "HH" => format!("{hour:02}"),
        "H" => hour.to_string(),
        "AA" => if is_pm { "PM" } else { "AM" }.to_owned(),
        "aa" => if is_pm { "pm" } else { "am" }.to_owned(),
        "mm" => format!("{:02}", time.minute()),
        "m" => time.minute().to_string(),
        "ss" => format!("{:02}", time.second()),
        "s" => time.second().to_string(),
        "Z" if time.offset().local_minus_utc() == 0 => "Z".to_owned(),
        "ZZZ" if time.offset().local_minus_utc() == 0 => "UTC".to_owned(),
        "Z" | "ZZZZZ" => offset_text(time, ":"),
        "ZZZ" | "ZZZZ" => offset_text(time, ""),
        _ => {
            let choice = match &letters[..1] {
                "Y" => ": year must either be \"YY\" or \"YYYY\"",
                "M" => ": month must be \"M\", \"MM\", \"MMM\", or \"MMMM\"",
                "D" => ": day of month must either be \"D\" or \"DD\"",
                "E" => ": day of week must either be \"EEE\" or \"EEEE\"",
                "h" => ": 24-hour must either be \"h\" or \"hh\"",
                "H" => ": 12-hour must either be \"H\" or \"HH\"",
                "A" => ": must be \"AA\"",
                "a" => ": must be \"aa\"",
                "m" => ": minute must either be \"m\" or \"mm\"",
                "s" => ": second must either be \"s\" or \"ss\"",
                "Z" => ": timezone must be Z, ZZZZ, or ZZZZZ",
                _ => "",
            };
            let message = format!("invalid date format verb {letters:?}{choice}");
            return Err(FunctionError::argument(0, message));
        }
    })
}
