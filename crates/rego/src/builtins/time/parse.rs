//! Times from text in one of Go's layouts.

use objchange_text::calendar::{MONTHS, WEEKDAYS};

use super::super::BuiltinError;
use super::calendar::{self, Civil};
use super::layout::{Chunk, OffsetForm, next_chunk};
use crate::value::Value;

/// The reason why a part of a text does not match a chunk.
enum Problem {
    Malformed,
    OutOfRange(&'static str),
}

/// The fields read so far.
#[derive(Default)]
struct Fields {
    year: i64,
    month: Option<i64>,
    day: Option<i64>,
    day_of_year: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    nanosecond: i64,
    is_pm: Option<bool>,
    offset: i64,
}

/// The time that a text says in a layout, in nanoseconds since 1970.
pub(in super::super) fn parse(layout: &str, value: &str) -> Result<i128, BuiltinError> {
    let quoted = |text: &str| Value::from(text).to_string();
    let no_match = |rest: &str, chunk: &str| {
        BuiltinError::failed(format!(
            "parsing time {} as {}: cannot parse {} as {}",
            quoted(value),
            quoted(layout),
            quoted(rest),
            quoted(chunk)
        ))
    };
    let out_of_range =
        |what: &str| BuiltinError::failed(format!("parsing time {}: {what} out of range", quoted(value)));
    let mut fields = Fields::default();
    let mut form = layout;
    let mut rest = value;
    while let Some((before, chunk, written, after)) = next_chunk(form) {
        rest = skip(rest, before).map_err(|rest| no_match(rest, before))?;
        let hold = rest;
        fields.read(chunk, &mut rest, after).map_err(|problem| match problem {
            Problem::Malformed => no_match(hold, written),
            Problem::OutOfRange(what) => out_of_range(what),
        })?;
        form = after;
    }
    rest = skip(rest, form).map_err(|rest| no_match(rest, form))?;
    if !rest.is_empty() {
        let message = format!("parsing time {}: extra text: {}", quoted(value), quoted(rest));
        return Err(BuiltinError::failed(message));
    }
    fields.time().map_err(out_of_range)
}

/// The text behind a prefix, in which any number of spaces matches any other.
fn skip<'t>(mut text: &'t str, mut prefix: &str) -> Result<&'t str, &'t str> {
    while let Some(c) = prefix.chars().next() {
        if c == ' ' {
            if !text.is_empty() && !text.starts_with(' ') {
                return Err(text);
            }
            prefix = prefix.trim_start_matches(' ');
            text = text.trim_start_matches(' ');
            continue;
        }
        text = text.strip_prefix(c).ok_or(text)?;
        prefix = &prefix[c.len_utf8()..];
    }
    Ok(text)
}

/// Takes a number of at most this many digits; of exactly as many if it is fixed.
fn take_number(rest: &mut &str, digits: usize, is_fixed: bool) -> Result<i64, Problem> {
    let count = rest.bytes().take(digits).take_while(u8::is_ascii_digit).count();
    if count == 0 || (is_fixed && count < digits) {
        return Err(Problem::Malformed);
    }
    let (number, after) = rest.split_at(count);
    *rest = after;
    number.parse().map_err(|_| Problem::Malformed)
}

fn take_within(
    rest: &mut &str,
    is_fixed: bool,
    range: std::ops::RangeInclusive<i64>,
    what: &'static str,
) -> Result<i64, Problem> {
    let number = take_number(rest, 2, is_fixed)?;
    if range.contains(&number) { Ok(number) } else { Err(Problem::OutOfRange(what)) }
}

/// Takes one of several names, or their first letters, in any case; gives its index.
fn take_name(rest: &mut &str, names: &[&str], len: Option<usize>) -> Result<i64, Problem> {
    for (i, name) in names.iter().enumerate() {
        let name = &name[..len.unwrap_or(name.len())];
        if rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name)) {
            *rest = &rest[name.len()..];
            return i64::try_from(i).map_err(|_| Problem::Malformed);
        }
    }
    Err(Problem::Malformed)
}

/// Takes a separator and digits behind it as nanoseconds.
fn take_fraction(rest: &mut &str, digits: usize) -> i64 {
    let text = &rest[1..1 + digits];
    *rest = &rest[1 + digits..];
    let nine = format!("{text:0<9.9}");
    nine.parse().unwrap_or(0)
}

/// How many digits follow a point or comma at the start of a text.
fn fraction_len(text: &str) -> usize {
    if text.starts_with(['.', ',']) { text.bytes().skip(1).take_while(u8::is_ascii_digit).count() } else { 0 }
}

impl Fields {
    /// Reads the part of a chunk from the text. `after` is the layout behind the chunk.
    fn read(&mut self, chunk: Chunk, rest: &mut &str, after: &str) -> Result<(), Problem> {
        match chunk {
            Chunk::Year => {
                let year = take_number(rest, 2, true)?;
                // The rule of Go: `69` is 1969 and `68` is 2068.
                self.year = if year >= 69 { 1900 + year } else { 2000 + year };
            }
            Chunk::LongYear => self.year = take_number(rest, 4, true)?,
            Chunk::Month => self.month = Some(1 + take_name(rest, &MONTHS, Some(3))?),
            Chunk::LongMonth => self.month = Some(1 + take_name(rest, &MONTHS, None)?),
            Chunk::NumMonth | Chunk::ZeroMonth => {
                self.month = Some(take_within(rest, chunk == Chunk::ZeroMonth, 1..=12, "month")?);
            }
            // Go reads the day of the week and does not compare it with the date: OPA 1.20 accepts
            // `Tue 2020-01-01`.
            Chunk::Weekday => drop(take_name(rest, &WEEKDAYS, Some(3))?),
            Chunk::LongWeekday => drop(take_name(rest, &WEEKDAYS, None)?),
            Chunk::Day | Chunk::UnderDay | Chunk::ZeroDay => {
                if chunk == Chunk::UnderDay {
                    *rest = rest.strip_prefix(' ').unwrap_or(rest);
                }
                self.day = Some(take_number(rest, 2, chunk == Chunk::ZeroDay)?);
            }
            Chunk::UnderYearDay | Chunk::ZeroYearDay => {
                if chunk == Chunk::UnderYearDay {
                    let spaces = rest.bytes().take(2).take_while(|b| *b == b' ').count();
                    *rest = &rest[spaces..];
                    self.day_of_year = Some(take_number(rest, 3 - spaces, true)?);
                } else {
                    self.day_of_year = Some(take_number(rest, 3, true)?);
                }
            }
            Chunk::Hour => self.hour = take_within(rest, false, 0..=23, "hour")?,
            Chunk::Hour12 | Chunk::ZeroHour12 => {
                self.hour = take_within(rest, chunk == Chunk::ZeroHour12, 0..=12, "hour")?;
            }
            Chunk::Minute | Chunk::ZeroMinute => {
                self.minute = take_within(rest, chunk == Chunk::ZeroMinute, 0..=59, "minute")?;
            }
            Chunk::Second | Chunk::ZeroSecond => {
                self.second = take_within(rest, chunk == Chunk::ZeroSecond, 0..=59, "second")?;
                // A fraction may follow that the layout does not have.
                let digits = fraction_len(rest);
                if digits > 0 && !matches!(next_chunk(after), Some((_, Chunk::Fraction { .. }, _, _))) {
                    self.nanosecond = take_fraction(rest, digits);
                }
            }
            Chunk::Pm | Chunk::LowerPm => {
                let (am, pm) = if chunk == Chunk::Pm { ("AM", "PM") } else { ("am", "pm") };
                self.is_pm = Some(rest.starts_with(pm));
                *rest = rest.strip_prefix(pm).or_else(|| rest.strip_prefix(am)).ok_or(Problem::Malformed)?;
            }
            Chunk::Fraction { digits, is_trimmed: false } => {
                if fraction_len(rest) < digits {
                    return Err(Problem::Malformed);
                }
                self.nanosecond = take_fraction(rest, digits);
            }
            Chunk::Fraction { is_trimmed: true, .. } => {
                let digits = fraction_len(rest);
                if digits > 0 {
                    self.nanosecond = take_fraction(rest, digits);
                }
            }
            Chunk::Offset(form) => self.offset = take_offset(rest, form)?,
            Chunk::ZoneName => self.offset = take_zone_name(rest)?,
        }
        Ok(())
    }

    /// The time, or the part that is out of range.
    fn time(self) -> Result<i128, &'static str> {
        let hour = match self.is_pm {
            Some(true) if self.hour < 12 => self.hour + 12,
            Some(false) if self.hour == 12 => 0,
            _ => self.hour,
        };
        let days = match self.day_of_year {
            Some(day) => {
                let first = calendar::days_of(self.year, 1, 1);
                if day < 1 || day > calendar::days_of(self.year + 1, 1, 1) - first {
                    return Err("day-of-year");
                }
                first + day - 1
            }
            None => {
                let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
                if day < 1 || day > calendar::days_in_month(self.year, month) {
                    return Err("day");
                }
                calendar::days_of(self.year, month, day)
            }
        };
        let mut clock = Civil::new(0, 0, String::new());
        clock.hour = hour;
        clock.minute = self.minute;
        clock.second = self.second;
        clock.nanosecond = self.nanosecond;
        clock.offset = self.offset;
        Ok(calendar::nanoseconds_of(days, &clock))
    }
}

fn take_offset(rest: &mut &str, form: OffsetForm) -> Result<i64, Problem> {
    if form.is_z
        && let Some(after) = rest.strip_prefix('Z')
    {
        *rest = after;
        return Ok(0);
    }
    let sign = match rest.as_bytes().first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return Err(Problem::Malformed),
    };
    *rest = &rest[1..];
    // OPA 1.20 accepts offsets up to `+24:60`.
    let mut offset = 3600 * take_within(rest, true, 0..=24, "time zone offset hour")?;
    let next = |rest: &mut &str, what| {
        if form.has_colons {
            *rest = rest.strip_prefix(':').ok_or(Problem::Malformed)?;
        }
        take_within(rest, true, 0..=60, what)
    };
    if form.has_minutes {
        offset += 60 * next(rest, "time zone offset minute")?;
    }
    if form.has_seconds {
        offset += next(rest, "time zone offset second")?;
    }
    Ok(sign * offset)
}

/// Takes the abbreviation of a time zone. Only UTC and GMT with a number say how far it is from Greenwich.
fn take_zone_name(rest: &mut &str) -> Result<i64, Problem> {
    if let Some(after) = rest.strip_prefix("UTC") {
        *rest = after;
        return Ok(0);
    }
    let signed = |text: &str| {
        let digits = text.get(1..).map_or(0, |text| text.bytes().take_while(u8::is_ascii_digit).count());
        let hours: i64 = text.get(..1 + digits)?.parse().ok()?;
        (text.starts_with(['+', '-']) && hours.abs() <= 23).then_some((hours, 1 + digits))
    };
    if let Some(after) = rest.strip_prefix("GMT") {
        let (hours, len) = signed(after).unwrap_or((0, 0));
        *rest = &after[len..];
        return Ok(hours * 3600);
    }
    if let Some((_, len)) = signed(rest) {
        *rest = &rest[len..];
        return Ok(0);
    }
    let len = match rest.bytes().take(6).take_while(u8::is_ascii_uppercase).count() {
        3 => 3,
        4 if rest.as_bytes()[3] == b'T' || rest.starts_with("WITA") => 4,
        5 if rest.as_bytes()[4] == b'T' => 5,
        _ if rest.starts_with("ChST") || rest.starts_with("MeST") => 4,
        _ => return Err(Problem::Malformed),
    };
    *rest = &rest[len..];
    Ok(0)
}
