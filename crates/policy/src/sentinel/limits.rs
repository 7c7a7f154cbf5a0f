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

    /// Says which option lifts the limit, if a limit is the reason.
    pub fn explain(self, fault: &mut Fault) {
        match fault.kind {
            Some(RunErrorKind::Memory) => fault.message += "; raise it with --memory",
            Some(RunErrorKind::Interrupted) => {
                let seconds = self.timeout.as_secs();
                fault.message =
                    format!("the evaluation takes more than {seconds} s; raise it with --timeout");
            }
            _ => {}
        }
    }
}
