//! How much memory policies may take: their interpreter counts time, but not what it makes.

use objchange_policy::rego::Policies;
use objchange_project::watch_memory;

use crate::exit;

/// Ends the program with an error when it holds more than this many MiB, for as long as `work` goes on.
pub(super) fn limited<T>(mebibytes: u64, policies: &Policies, work: impl FnOnce() -> T) -> T {
    let exceeded = || {
        let place = policies.evaluating().map_or_else(String::new, |place| format!("{place}: "));
        let message = format!(
            "{place}the policies need more than {mebibytes} MiB of memory; raise the limit with --memory"
        );
        let _ = exit::complain(&message);
        // This runs in a thread of its own, which cannot stop those that evaluate.
        std::process::exit(exit::UNUSABLE.into());
    };
    watch_memory(mebibytes, exceeded, work)
}
