//! Points in time, as RFC 3339 writes them, and how far apart they are.

use chrono::{DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, TimeDelta, Timelike};
use objchange::{Type, Value};

use super::{Answer, string, text};
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
    timestamp(text).ok_or(FunctionError {
        argument,
        message: "a timestamp as in RFC 3339 is required, such as 2006-01-02T15:04:05Z".into(),
    })
}

fn timestamp(text: &str) -> Option<Time> {
    let number = |from: usize, length: usize| -> Option<u32> {
        let digits = text.get(from..from + length)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let has = |at: usize, byte: u8| text.as_bytes().get(at) == Some(&byte);
    if ![(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')].iter().all(|(at, byte)| has(*at, *byte)) {
        return None;
    }
    let date = NaiveDate::from_ymd_opt(number(0, 4)? as i32, number(5, 2)?, number(8, 2)?)?;
    let mut rest = text.get(19..)?;
    let mut nanos = 0;
    if let Some(after) = rest.strip_prefix('.') {
        let length = after.find(|c: char| !c.is_ascii_digit()).filter(|length| *length > 0)?;
        let digits: String = after[..length].chars().chain("000000000".chars()).take(9).collect();
        nanos = digits.parse().ok()?;
        rest = &after[length..];
    }
    let (hour, minute, second) = (number(11, 2)?, number(14, 2)?, number(17, 2)?);
    let local: NaiveDateTime = date.and_hms_nano_opt(hour, minute, second, nanos)?;
    let seconds = if rest == "Z" { 0 } else { offset(rest)? };
    let offset = FixedOffset::east_opt(seconds)?;
    local.and_local_timezone(offset).single()
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
    let duration = duration(text(arguments, 1)).ok_or(FunctionError::new(
        "a duration is required, of numbers with the units ns, us, ms, s, m and h: 1h30m",
    ))?;
    let out_of_range = || FunctionError::new("the time is too far away");
    let time = start.checked_add_signed(TimeDelta::nanoseconds(duration)).ok_or_else(out_of_range)?;
    let zone = if time.offset().local_minus_utc() == 0 { "Z".to_owned() } else { offset_text(&time, ":") };
    let sign = if time.year() < 0 { "-" } else { "" };
    let (year, month, day) = (time.year().abs(), time.month(), time.day());
    let (hour, minute, second) = (time.hour(), time.minute(), time.second());
    Ok(format!("{sign}{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{zone}").into())
}

/// The nanoseconds of a duration, as Go writes them: `-1.5h3m`.
fn duration(text: &str) -> Option<i64> {
    let (negative, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
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
            return None;
        }
        let end = rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len());
        let unit: u64 = match &rest[..end] {
            "ns" => 1,
            "us" | "µs" | "μs" => 1_000,
            "ms" => 1_000_000,
            "s" => 1_000_000_000,
            "m" => 60_000_000_000,
            "h" => 3_600_000_000_000,
            _ => return None,
        };
        rest = &rest[end..];
        let whole: u64 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        // More digits than these are less than a nanosecond.
        let fraction = &fraction[..fraction.len().min(18)];
        let part = match fraction.parse::<u64>() {
            Ok(part) => part as f64 * (unit as f64 / 10_f64.powi(fraction.len() as i32)),
            Err(_) => 0.0,
        };
        total = whole.checked_mul(unit)?.checked_add(part as u64)?.checked_add(total)?;
        if total > 1 << 63 {
            return None;
        }
    }
    if negative { 0_i64.checked_sub_unsigned(total) } else { i64::try_from(total).ok() }
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

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
            return Err(FunctionError::argument(0, "the format has a quote ' that is not closed"));
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

/// What letters stand for.
fn part(letters: &str, time: &Time) -> Result<String, FunctionError> {
    let month = MONTHS[time.month0() as usize];
    let day = DAYS[time.weekday().num_days_from_monday() as usize];
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
            let message = format!("{letters:?} stands for no part of a date: text must be in quotes '…'");
            return Err(FunctionError::argument(0, message));
        }
    })
}
