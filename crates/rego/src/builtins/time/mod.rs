//! Dates and times, in nanoseconds since 1970.

mod calendar;
mod duration;
mod layout;
mod parse;

use chrono::Offset;
use chrono_tz::{OffsetName, Tz};

use self::calendar::Civil;
use super::arguments::{int, mismatch, some, text};
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::value::Value;

const S: Types = Types::STRING;
const N: Types = Types::NUMBER;
const ANY: Types = Types::ANY;

pub(super) use duration::parse as parse_duration;
pub(super) use parse::parse as parse_time;

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("time.now_ns", &[], |context, _| some(Value::int(context.now_ns()))),
    Builtin::new("time.parse_rfc3339_ns", &[S], |_, o| {
        nanoseconds(parse::parse(layout::RFC3339, text(o, 0)?)?)
    }),
    Builtin::new("time.parse_ns", &[S, S], |context, o| {
        let (form, value) = (text(o, 0)?, text(o, 1)?);
        context.charge(form.len() + value.len())?;
        nanoseconds(parse::parse(layout::named(form).unwrap_or(form), value)?)
    }),
    Builtin::new("time.parse_duration_ns", &[S], |_, o| duration::parse(text(o, 0)?)),
    Builtin::new("time.format", &[ANY], format),
    Builtin::new("time.date", &[ANY], |_, o| {
        let time = moment(o, 0)?.civil();
        some(Value::array([time.year, time.month, time.day].map(Value::int)))
    }),
    Builtin::new("time.clock", &[ANY], |_, o| {
        let time = moment(o, 0)?.civil();
        some(Value::array([time.hour, time.minute, time.second].map(Value::int)))
    }),
    Builtin::new("time.weekday", &[ANY], |_, o| some(moment(o, 0)?.civil().weekday())),
    Builtin::new("time.add_date", &[ANY, N, N, N], add_date),
    Builtin::new("time.diff", &[ANY, ANY], diff),
];

fn outside() -> BuiltinError {
    BuiltinError::failed("time outside of valid range")
}

fn nanoseconds(time: i128) -> Outcome {
    some(Value::int(i64::try_from(time).map_err(|_| outside())?))
}

/// A time with its zone, and the layout for printing it.
struct Moment<'v> {
    nanoseconds: i64,
    zone: Tz,
    layout: Option<&'v str>,
}

/// A time: a number, or an array of a number, the name of a time zone, and a layout.
fn moment(operands: &[Value], index: usize) -> Result<Moment<'_>, BuiltinError> {
    let either = "either number (ns) or [number (ns), string (tz)]";
    let parts = match &operands[index] {
        Value::Array(array) if !array.is_empty() => array.items(),
        value @ Value::Number(_) => std::slice::from_ref(value),
        other => return Err(mismatch(index, either, other.type_name())),
    };
    let Value::Number(number) = &parts[0] else {
        return Err(mismatch(index, "number", parts[0].type_name()));
    };
    let text = |at: usize| match parts.get(at) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.as_str())),
        Some(other) => Err(mismatch(index, "string", other.type_name())),
    };
    let zone = match text(1)? {
        // The crate reads no environment, so the local time is UTC.
        None | Some("" | "UTC" | "Local") => Tz::UTC,
        Some(name) => name.parse().map_err(|_| BuiltinError::failed(format!("unknown time zone {name}")))?,
    };
    let nanoseconds = number.as_i64().ok_or_else(|| BuiltinError::failed("timestamp too big"))?;
    Ok(Moment { nanoseconds, zone, layout: text(2)? })
}

impl Moment<'_> {
    /// Calendar and clock at that moment and place.
    fn civil(&self) -> Civil {
        use chrono::TimeZone;
        let utc = chrono::DateTime::from_timestamp_nanos(self.nanoseconds);
        let offset = self.zone.offset_from_utc_datetime(&utc.naive_utc());
        let seconds = i64::from(offset.fix().local_minus_utc());
        let name = offset.abbreviation().unwrap_or("UTC").to_owned();
        Civil::new(i128::from(self.nanoseconds), seconds, name)
    }
}

fn format(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let moment = moment(operands, 0)?;
    let form = match moment.layout {
        None | Some("") => layout::RFC3339_NANO,
        Some(form) => layout::named(form).unwrap_or(form),
    };
    context.charge(form.len() * 4)?;
    some(layout::format(form, &moment.civil()))
}

fn add_date(_: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let moment = moment(operands, 0)?;
    let (years, months, days) = (int(operands, 1)?, int(operands, 2)?, int(operands, 3)?);
    let time = moment.civil();
    // Days beyond the end of a month go on into the next one, as in Go: one month after 31 January 2020 is 2
    // March.
    let date = calendar::days_of(
        time.year.wrapping_add(years),
        time.month.wrapping_add(months),
        time.day.wrapping_add(days),
    );
    // OPA 1.20 lets whole numbers of 64 bits overflow on the way: 2^63 - 1 years after 1970 is in 972.
    let clock = (time.hour * 60 + time.minute) * 60 + time.second;
    let seconds = date.wrapping_mul(calendar::DAY).wrapping_add(clock);
    let seconds = match moment.zone {
        Tz::UTC => seconds,
        zone => utc_seconds(seconds, zone)?,
    };
    self::nanoseconds(i128::from(seconds) * calendar::SECOND + i128::from(time.nanosecond))
}

/// The seconds since 1970 when clocks of a time zone show this.
// `time.Date` in Go takes the offset that the zone has when clocks in Greenwich show it, and from that finds the right one.
fn utc_seconds(shown: i64, zone: Tz) -> Result<i64, BuiltinError> {
    use chrono::TimeZone;
    let offset = |seconds: i64| -> Result<i64, BuiltinError> {
        let time = chrono::DateTime::from_timestamp(seconds, 0).ok_or_else(outside)?;
        Ok(i64::from(zone.offset_from_utc_datetime(&time.naive_utc()).fix().local_minus_utc()))
    };
    match offset(shown)? {
        0 => Ok(shown),
        first => Ok(shown - offset(shown - first)?),
    }
}

/// Years, months, days, hours, minutes and seconds between two times.
fn diff(_: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let (first, second) = (moment(operands, 0)?, moment(operands, 1)?);
    // OPA 1.20 compares both times by the clock of the first one.
    let second = Moment { zone: first.zone, ..second };
    let (a, b) = if first.nanoseconds <= second.nanoseconds { (&first, &second) } else { (&second, &first) };
    let (a, b) = (a.civil(), b.civil());
    let mut years = b.year - a.year;
    let mut months = b.month - a.month;
    let mut days = b.day - a.day;
    let mut hours = b.hour - a.hour;
    let mut minutes = b.minute - a.minute;
    let mut seconds = b.second - a.second;
    let borrow = |value: &mut i64, from: &mut i64, size: i64| {
        if *value < 0 {
            *value += size;
            *from -= 1;
        }
    };
    borrow(&mut seconds, &mut minutes, 60);
    borrow(&mut minutes, &mut hours, 60);
    borrow(&mut hours, &mut days, 24);
    borrow(&mut days, &mut months, calendar::days_in_month(a.year, a.month));
    borrow(&mut months, &mut years, 12);
    some(Value::array([years, months, days, hours, minutes, seconds].map(Value::int)))
}
