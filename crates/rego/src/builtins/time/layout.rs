//! Go's layouts of times: an example of how Monday, January 2 2006, 15:04:05 is written.

use std::fmt::Write;

use objchange_text::calendar::MONTHS;

use super::calendar::Civil;

pub(super) const RFC3339: &str = "2006-01-02T15:04:05Z07:00";
pub(super) const RFC3339_NANO: &str = "2006-01-02T15:04:05.999999999Z07:00";

/// The layouts that have names.
pub(super) fn named(name: &str) -> Option<&'static str> {
    Some(match name {
        "ANSIC" => "Mon Jan _2 15:04:05 2006",
        "UnixDate" => "Mon Jan _2 15:04:05 MST 2006",
        "RubyDate" => "Mon Jan 02 15:04:05 -0700 2006",
        "RFC822" => "02 Jan 06 15:04 MST",
        "RFC822Z" => "02 Jan 06 15:04 -0700",
        "RFC850" => "Monday, 02-Jan-06 15:04:05 MST",
        "RFC1123" => "Mon, 02 Jan 2006 15:04:05 MST",
        "RFC1123Z" => "Mon, 02 Jan 2006 15:04:05 -0700",
        "RFC3339" => RFC3339,
        "RFC3339Nano" => RFC3339_NANO,
        _ => return None,
    })
}

/// A part of a layout for a part of a time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Chunk {
    LongMonth,
    Month,
    NumMonth,
    ZeroMonth,
    LongWeekday,
    Weekday,
    Day,
    UnderDay,
    ZeroDay,
    UnderYearDay,
    ZeroYearDay,
    Hour,
    Hour12,
    ZeroHour12,
    Minute,
    ZeroMinute,
    Second,
    ZeroSecond,
    LongYear,
    Year,
    Pm,
    LowerPm,
    ZoneName,
    Offset(OffsetForm),
    /// The number of digits of a second, and whether zeros at the end are left out.
    Fraction {
        digits: usize,
        is_trimmed: bool,
    },
}

/// How the distance to Greenwich is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct OffsetForm {
    /// Whether UTC is `Z`.
    pub(super) is_z: bool,
    pub(super) has_colons: bool,
    pub(super) has_minutes: bool,
    pub(super) has_seconds: bool,
}

const OFFSETS: [(&str, bool, bool, bool); 5] = [
    ("070000", false, true, true),
    ("07:00:00", true, true, true),
    ("0700", false, true, false),
    ("07:00", true, true, false),
    ("07", false, false, false),
];

/// Splits a layout at its first chunk: the text before, the chunk, its text, and the rest.
pub(super) fn next_chunk(layout: &str) -> Option<(&str, Chunk, &str, &str)> {
    for at in layout.char_indices().map(|(at, _)| at) {
        if let Some((chunk, start, len)) = chunk_at(&layout[at..]) {
            let start = at + start;
            return Some((&layout[..start], chunk, &layout[start..start + len], &layout[start + len..]));
        }
    }
    None
}

/// The chunk at the start of a text, the number of bytes before it that are not a part of it, and its
/// length.
fn chunk_at(text: &str) -> Option<(Chunk, usize, usize)> {
    let is_word = |word: &str| {
        text.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()))
    };
    let simple = |chunk, len| Some((chunk, 0, len));
    match text.as_bytes().first()? {
        b'J' if text.starts_with("January") => simple(Chunk::LongMonth, 7),
        b'J' if is_word("Jan") => simple(Chunk::Month, 3),
        b'M' if text.starts_with("Monday") => simple(Chunk::LongWeekday, 6),
        b'M' if is_word("Mon") => simple(Chunk::Weekday, 3),
        b'M' if text.starts_with("MST") => simple(Chunk::ZoneName, 3),
        b'0' => match text.as_bytes().get(1)? {
            b'1' => simple(Chunk::ZeroMonth, 2),
            b'2' => simple(Chunk::ZeroDay, 2),
            b'3' => simple(Chunk::ZeroHour12, 2),
            b'4' => simple(Chunk::ZeroMinute, 2),
            b'5' => simple(Chunk::ZeroSecond, 2),
            b'6' => simple(Chunk::Year, 2),
            b'0' if text.starts_with("002") => simple(Chunk::ZeroYearDay, 3),
            _ => None,
        },
        b'1' if text.starts_with("15") => simple(Chunk::Hour, 2),
        b'1' => simple(Chunk::NumMonth, 1),
        b'2' if text.starts_with("2006") => simple(Chunk::LongYear, 4),
        b'2' => simple(Chunk::Day, 1),
        b'_' if text.starts_with("_2006") => Some((Chunk::LongYear, 1, 4)),
        b'_' if text.starts_with("_2") => simple(Chunk::UnderDay, 2),
        b'_' if text.starts_with("__2") => simple(Chunk::UnderYearDay, 3),
        b'3' => simple(Chunk::Hour12, 1),
        b'4' => simple(Chunk::Minute, 1),
        b'5' => simple(Chunk::Second, 1),
        b'P' if text.starts_with("PM") => simple(Chunk::Pm, 2),
        b'p' if text.starts_with("pm") => simple(Chunk::LowerPm, 2),
        first @ (b'-' | b'Z') => {
            let (form, has_colons, has_minutes, has_seconds) =
                OFFSETS.into_iter().find(|(form, ..)| text[1..].starts_with(form))?;
            let form_of = OffsetForm { is_z: *first == b'Z', has_colons, has_minutes, has_seconds };
            simple(Chunk::Offset(form_of), 1 + form.len())
        }
        b'.' | b',' => {
            let digit = *text.as_bytes().get(1).filter(|digit| matches!(digit, b'0' | b'9'))?;
            let digits = text.bytes().skip(1).take_while(|b| *b == digit).count();
            if text.as_bytes().get(1 + digits).is_some_and(u8::is_ascii_digit) {
                return None;
            }
            simple(Chunk::Fraction { digits, is_trimmed: digit == b'9' }, 1 + digits)
        }
        _ => None,
    }
}

/// The time in a layout.
pub(super) fn format(layout: &str, time: &Civil) -> String {
    let mut out = String::new();
    let mut rest = layout;
    while let Some((before, chunk, written, after)) = next_chunk(rest) {
        out.push_str(before);
        write_chunk(chunk, written, time, &mut out);
        rest = after;
    }
    out.push_str(rest);
    out
}

fn write_chunk(chunk: Chunk, written: &str, time: &Civil, out: &mut String) {
    let hour12 = if time.hour % 12 == 0 { 12 } else { time.hour % 12 };
    let month = usize::try_from(time.month - 1).ok().and_then(|month| MONTHS.get(month)).unwrap_or(&"");
    let _ = match chunk {
        Chunk::LongMonth => write!(out, "{month}"),
        Chunk::Month => write!(out, "{}", &month[..3.min(month.len())]),
        Chunk::NumMonth => write!(out, "{}", time.month),
        Chunk::ZeroMonth => write!(out, "{:02}", time.month),
        Chunk::LongWeekday => write!(out, "{}", time.weekday()),
        Chunk::Weekday => write!(out, "{:.3}", time.weekday()),
        Chunk::Day => write!(out, "{}", time.day),
        Chunk::UnderDay => write!(out, "{:2}", time.day),
        Chunk::ZeroDay => write!(out, "{:02}", time.day),
        Chunk::UnderYearDay => write!(out, "{:3}", time.day_of_year()),
        Chunk::ZeroYearDay => write!(out, "{:03}", time.day_of_year()),
        Chunk::Hour => write!(out, "{:02}", time.hour),
        Chunk::Hour12 => write!(out, "{hour12}"),
        Chunk::ZeroHour12 => write!(out, "{hour12:02}"),
        Chunk::Minute => write!(out, "{}", time.minute),
        Chunk::ZeroMinute => write!(out, "{:02}", time.minute),
        Chunk::Second => write!(out, "{}", time.second),
        Chunk::ZeroSecond => write!(out, "{:02}", time.second),
        Chunk::LongYear if time.year < 0 => write!(out, "-{:04}", -time.year),
        Chunk::LongYear => write!(out, "{:04}", time.year),
        Chunk::Year => write!(out, "{:02}", time.year.rem_euclid(100)),
        Chunk::Pm => write!(out, "{}", if time.hour >= 12 { "PM" } else { "AM" }),
        Chunk::LowerPm => write!(out, "{}", if time.hour >= 12 { "pm" } else { "am" }),
        Chunk::ZoneName => write!(out, "{}", time.zone),
        Chunk::Offset(form) => {
            write_offset(form, time.offset, out);
            Ok(())
        }
        Chunk::Fraction { digits, is_trimmed } => {
            let all = format!("{:09}", time.nanosecond);
            let padded = all + &"0".repeat(digits.saturating_sub(9));
            let digits = &padded[..digits];
            let digits = if is_trimmed { digits.trim_end_matches('0') } else { digits };
            if digits.is_empty() { Ok(()) } else { write!(out, "{}{digits}", &written[..1]) }
        }
    };
}

fn write_offset(form: OffsetForm, offset: i64, out: &mut String) {
    if form.is_z && offset == 0 {
        out.push('Z');
        return;
    }
    out.push(if offset < 0 { '-' } else { '+' });
    let offset = offset.abs();
    let colon = if form.has_colons { ":" } else { "" };
    let _ = write!(out, "{:02}", offset / 3600);
    if form.has_minutes {
        let _ = write!(out, "{colon}{:02}", offset / 60 % 60);
    }
    if form.has_seconds {
        let _ = write!(out, "{colon}{:02}", offset % 60);
    }
}
