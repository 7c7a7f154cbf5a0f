//! `time`.

use chrono::{DateTime, Datelike, FixedOffset, TimeDelta, Timelike};
use objchange_text::calendar::{MONTHS, WEEKDAYS};

use super::object::Kind;
use super::{Object, function, int, utf8};
use crate::builtins::native;
use crate::run::Setup;
use crate::value::{Done, Native, Value, fault};

/// A point in time, with the offset that its fields are in.
pub(super) type Moment = DateTime<FixedOffset>;

const DURATIONS: [(&str, i64); 6] = [
    ("nanosecond", 1),
    ("microsecond", 1_000),
    ("millisecond", 1_000_000),
    ("second", 1_000_000_000),
    ("minute", 60_000_000_000),
    ("hour", 3_600_000_000_000),
];

static NATIVES: [Native; 1] = [native("load", 1, 1, true, |_, a| Ok(Object::moment(moment(&a[0])?)))];

pub(super) static METHODS: [Native; 5] = [
    native("before", 1, 1, true, |_, a| Ok(Value::Bool(moment(&a[0])? < moment(&a[1])?))),
    native("after", 1, 1, true, |_, a| Ok(Value::Bool(moment(&a[0])? > moment(&a[1])?))),
    native("equal", 1, 1, true, |_, a| Ok(Value::Bool(moment(&a[0])? == moment(&a[1])?))),
    native("sub", 1, 1, true, |_, a| {
        let distance = moment(&a[0])?.signed_duration_since(moment(&a[1])?);
        // As far as 64 bits go.
        // 64 bits of nanoseconds are 292 years.
        let end = if distance < TimeDelta::zero() { i64::MIN } else { i64::MAX };
        Ok(Value::Int(distance.num_nanoseconds().unwrap_or(end)))
    }),
    native("add", 1, 1, true, |_, a| {
        let duration = TimeDelta::nanoseconds(int(&a[1])?);
        match moment(&a[0])?.checked_add_signed(duration) {
            Some(moment) => Ok(Object::moment(moment)),
            None => fault("this moment is beyond all calendars"),
        }
    }),
];

pub(super) fn names() -> Vec<&'static str> {
    let durations = DURATIONS.iter().map(|(name, _)| *name);
    ["now"].into_iter().chain(NATIVES.iter().map(|native| native.name)).chain(durations).collect()
}

pub(super) fn member(setup: &Setup, name: &str) -> Option<Value> {
    // The host fixes the time of a run, so that each reading of `now` is equal.
    if name == "now" {
        return Some(Object::moment(DateTime::from_timestamp_nanos(setup.now).fixed_offset()));
    }
    let duration = DURATIONS.iter().find(|(duration, _)| *duration == name);
    duration.map(|(_, duration)| Value::Int(*duration)).or_else(|| function(&NATIVES, name))
}

pub(super) fn field(moment: &Moment, name: &str) -> Option<Value> {
    let weekday = moment.weekday().num_days_from_sunday();
    Some(match name {
        "hour" => Value::Int(moment.hour().into()),
        "minute" => Value::Int(moment.minute().into()),
        "second" => Value::Int(moment.second().into()),
        "day" => Value::Int(moment.day().into()),
        "month" => Value::Int(moment.month().into()),
        "month_name" => Value::from(MONTHS[moment.month0() as usize]),
        "weekday" => Value::Int(weekday.into()),
        "weekday_name" => Value::from(WEEKDAYS[weekday as usize]),
        "year" => Value::Int(moment.year().into()),
        "unix" => Value::Int(moment.timestamp()),
        "unix_nano" => Value::Int(moment.timestamp_nanos_opt()?),
        "zone" => Value::Int(moment.offset().local_minus_utc().into()),
        "zone_string" => {
            let minutes = moment.offset().local_minus_utc() / 60;
            let sign = if minutes < 0 { '-' } else { '+' };
            Value::from(format!("{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60))
        }
        _ => return None,
    })
}

/// A moment: one, seconds since 1970, or a text of RFC 3339.
fn moment(value: &Value) -> Done<Moment> {
    let moment = match value {
        Value::Object(object) => match &*object.0 {
            Kind::Moment(moment) => Some(*moment),
            _ => None,
        },
        Value::Int(seconds) => DateTime::from_timestamp_secs(*seconds).map(|moment| moment.fixed_offset()),
        Value::Float(seconds) => {
            let nanos = seconds.fract() * 1e9;
            let seconds = seconds.trunc() as i64;
            let whole = DateTime::from_timestamp_secs(seconds);
            whole
                .and_then(|moment| moment.checked_add_signed(TimeDelta::nanoseconds(nanos as i64)))
                .map(|moment| moment.fixed_offset())
        }
        value => DateTime::parse_from_rfc3339(&utf8(value)?).ok(),
    };
    match moment {
        Some(moment) => Ok(moment),
        None => fault("this is no moment: expected one, seconds since 1970, or a text of RFC 3339"),
    }
}
