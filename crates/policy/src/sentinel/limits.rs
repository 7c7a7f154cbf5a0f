//! Limits on the memory and time of policies.

use std::time::Duration;

use objchange_sentinel::{Interrupt, Setup};
use objchange_text::TimeLimit;

/// The limits of one policy.
#[derive(Debug, Clone, Copy)]
pub struct RunLimits {
    /// Memory in bytes.
    pub bytes: u64,
    /// Time.
    pub timeout: Duration,
}

impl Default for RunLimits {
    fn default() -> Self {
        RunLimits { bytes: 512 << 20, timeout: Duration::from_secs(60) }
    }
}

impl RunLimits {
    /// The limits from now on. A policy that looks at secrets runs again with other values, in what is left of the time.
    pub fn begin(self) -> impl Fn(&mut Setup) + Copy {
        let time = TimeLimit::begin(self.timeout);
        move |setup| {
            setup.limits.memory = self.bytes;
            setup.interrupt = Some(Interrupt::new(move || {
                // How long it takes is said only when it is over.
                time.is_over().then(|| format!("the evaluation {time}"))
            }));
        }
    }
}
