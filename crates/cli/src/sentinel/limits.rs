//! Limits on the memory and time of policies.

use std::time::Duration;

use objchange_policy::sentinel::{Fault, RunLimits};
use objchange_sentinel::RunErrorKind;

use objchange_project::pool;

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

impl LimitArgs {
    /// The limits where no option sets them.
    pub(crate) const STANDARD: Self = Self { memory: 512, timeout: 60 };

    /// The limits of each policy. Policies run on all cores side by side, so memory is divided among them.
    pub(crate) fn of_each(&self, policies: usize) -> RunLimits {
        let workers = pool::cores().min(policies.max(1));
        RunLimits { bytes: (self.memory << 20) / workers as u64, timeout: Duration::from_secs(self.timeout) }
    }
}

/// Says in the message of a fault which option raises the limit that is the reason, if one is.
pub(crate) fn explain(fault: &mut Fault) {
    fault.message += match fault.kind {
        Some(RunErrorKind::Memory) => "; raise it with --memory",
        Some(RunErrorKind::Interrupted) => "; raise it with --timeout",
        _ => "",
    };
}
