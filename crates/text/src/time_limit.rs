//! How long the evaluation of policies, queries and templates over a document may take.

use std::fmt;
use std::time::{Duration, Instant};

/// A limit on the time that all work on a document takes, by the clock, from when it begins.
///
/// Its text says how long the work takes, and how much of that time the program had a processor: on a busy machine it is
/// much less.
///
/// ```
/// use objchange_text::TimeLimit;
/// use std::time::Duration;
///
/// let limit = TimeLimit::begin(Duration::from_secs(60));
/// assert!(!limit.is_over());
/// assert!(limit.to_string().starts_with("takes longer than 60 s"));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct TimeLimit {
    begun: Instant,
    allowed: Duration,
    used_before: Option<Duration>,
}

impl TimeLimit {
    /// So much time from now on.
    pub fn begin(allowed: Duration) -> Self {
        Self { begun: Instant::now(), allowed, used_before: processor_time() }
    }

    /// Whether the time is over.
    pub fn is_over(&self) -> bool {
        self.begun.elapsed() >= self.allowed
    }

    /// When it is over.
    pub fn end(&self) -> Option<Instant> {
        self.begun.checked_add(self.allowed)
    }
}

impl fmt::Display for TimeLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "takes longer than {} s", self.allowed.as_secs_f64())?;
        match (self.used_before, processor_time()) {
            (Some(before), Some(now)) => {
                let used = now.saturating_sub(before).as_secs_f64();
                write!(f, ", in which the program used {used:.1} s of processor time")
            }
            _ => Ok(()),
        }
    }
}

/// How long this program has had a processor; `None` where that is not known.
#[cfg(unix)]
fn processor_time() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
}

#[cfg(not(unix))]
fn processor_time() -> Option<Duration> {
    None
}
