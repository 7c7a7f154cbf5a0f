//! What a policy may take: memory and time.

use std::time::{Duration, Instant};

use objchange_policy::sentinel::Fault;
use objchange_sentinel::{Interrupt, RunErrorKind, Setup};

use crate::pool;

/// The limits of the command line.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct LimitArgs {
    /// Memory limit in MiB for all policies together
    #[arg(long, value_name = "MIB", default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..1 << 20))]
    memory: u64,

    /// Timeout in seconds for each policy
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    timeout: u64,
}

/// The limits of one policy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RunLimits {
    bytes: u64,
    timeout: Duration,
}

impl Default for RunLimits {
    fn default() -> Self {
        RunLimits { bytes: 512 << 20, timeout: Duration::from_secs(60) }
    }
}

impl LimitArgs {
    /// What each of so many policies may take, as many of which run side by side as there are cores.
    pub(crate) fn of_each(&self, policies: usize) -> RunLimits {
        let workers = pool::cores().min(policies.max(1));
        RunLimits { bytes: (self.memory << 20) / workers as u64, timeout: Duration::from_secs(self.timeout) }
    }
}

impl RunLimits {
    /// Limits a run that begins now.
    pub(crate) fn apply(self, setup: &mut Setup) {
        let begun = Instant::now();
        setup.limits.memory = self.bytes;
        setup.interrupt = Some(Interrupt::new(move || begun.elapsed() > self.timeout));
    }

    /// Says which option lifts the limit, if a limit is the reason.
    pub(crate) fn explain(self, fault: &mut Fault) {
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
