//! The Gregorian calendar.

use objchange_text::calendar::WEEKDAYS;

/// The seconds of a day.
pub(super) const DAY: i64 = 86_400;
/// The nanoseconds of a second.
pub(super) const SECOND: i128 = 1_000_000_000;

/// Calendar and clock at a place.
pub(super) struct Civil {
    pub(super) year: i64,
    pub(super) month: i64,
    pub(super) day: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
    pub(super) nanosecond: i64,
    /// Seconds east of Greenwich.
    pub(super) offset: i64,
    pub(super) zone: String,
    /// Days since 1970.
    days: i64,
}

impl Civil {
    /// A time in nanoseconds since 1970, at an offset in seconds east of Greenwich.
    pub(super) fn new(nanoseconds: i128, offset: i64, zone: String) -> Self {
        let seconds = nanoseconds.div_euclid(SECOND) + i128::from(offset);
        let days = to_i64(seconds.div_euclid(DAY.into()));
        let of_day = to_i64(seconds.rem_euclid(DAY.into()));
        let (year, month, day) = date_of(days);
        Self {
            year,
            month,
            day,
            hour: of_day / 3600,
            minute: of_day / 60 % 60,
            second: of_day % 60,
            nanosecond: to_i64(nanoseconds.rem_euclid(SECOND)),
            offset,
            zone,
            days,
        }
    }

    pub(super) fn weekday(&self) -> &'static str {
        usize::try_from((self.days + 4).rem_euclid(7)).map_or("", |day| WEEKDAYS[day])
    }

    /// The day of the year, from 1 on.
    pub(super) fn day_of_year(&self) -> i64 {
        self.days - days_of(self.year, 1, 1) + 1
    }
}

fn to_i64(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The date this many days after 1 January 1970.
fn date_of(days: i64) -> (i64, i64, i64) {
    // Years begin in March, so that the leap day is the last one; eras have 400 years.
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

/// The days from 1 January 1970 to a date, whose month and day may be beyond their limits. Far from today it overflows
/// as Go 1.24's `dateToAbsDays` does.
pub(super) fn days_of(year: i64, month: i64, day: i64) -> i64 {
    /// Go counts from the March of a year so long ago that there is no date before it.
    const FIRST_YEAR: u64 = 292_277_022_400;
    /// The days from there to 1970.
    const TO_1970: u64 = 106_751_991_073_400;
    let month = month.wrapping_sub(1);
    let year = year.wrapping_add(month.div_euclid(12));
    // The last two months of a year that begins in March.
    let month = month.rem_euclid(12).cast_unsigned();
    let is_late = month < 2;
    let since_march = if is_late { month + 10 } else { month - 2 };
    let year = year.cast_unsigned().wrapping_add(FIRST_YEAR).wrapping_sub(u64::from(is_late));
    let centuries = (year / 100).wrapping_mul(146_097) / 4;
    let of_century = year % 100 * 1461 / 4;
    let of_year = (153 * since_march + 2) / 5;
    let days = centuries.wrapping_add(of_century + of_year).wrapping_add(day.cast_unsigned());
    days.wrapping_sub(TO_1970 + 1).cast_signed()
}

pub(super) fn days_in_month(year: i64, month: i64) -> i64 {
    days_of(year, month + 1, 1) - days_of(year, month, 1)
}

/// The time of a day, by the clock of another time.
pub(super) fn nanoseconds_of(days: i64, clock: &Civil) -> i128 {
    let seconds = clock.hour * 3600 + clock.minute * 60 + clock.second - clock.offset;
    (i128::from(days) * i128::from(DAY) + i128::from(seconds)) * SECOND + i128::from(clock.nanosecond)
}
