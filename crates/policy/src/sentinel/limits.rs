//! Limits on the memory and time of policies.

use std::time::{Duration, Instant};

use objchange_sentinel::{Interrupt, RunErrorKind, Setup};

use super::Fault;

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
    /// Limits a run that begins now.
    pub fn apply(self, setup: &mut Setup) {
        let begun = Instant::now();
        setup.limits.memory = self.bytes;
        setup.interrupt = Some(Interrupt::new(move || begun.elapsed() > self.timeout));
    }

    /// Says in the message of a fault what the time limit is, if that is the reason.
    pub fn explain(self, fault: &mut Fault) {
        if fault.kind == Some(RunErrorKind::Interrupted) {
            fault.message = format!("the evaluation takes more than {} s", self.timeout.as_secs());
        }
    }
}
