//! The current time for policies, which have no clock of their own.

use std::time::{SystemTime, UNIX_EPOCH};

/// The time now, in nanoseconds since 1970.
pub(crate) fn now_ns() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    // 63 bits of nanoseconds last until the year 2262.
    i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
}
