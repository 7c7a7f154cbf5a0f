//! How much memory policies may take: their interpreter counts time, but not what it makes.

use std::thread;
use std::time::Duration;

use objchange_policy::rego::Policies;

use crate::exit;

/// Ends the program with an error when it holds more than this many MiB, for as long as `work` goes on. Only where the
/// system tells what a program holds, which Linux does.
pub(super) fn limited<T>(mebibytes: u64, policies: &Policies, work: impl FnOnce() -> T) -> T {
    if resident_kibibytes().is_none() {
        return work();
    }
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            while stopped.recv_timeout(Duration::from_millis(20)).is_err_and(|error| {
                // What `work` has dropped is disconnected.
                error == std::sync::mpsc::RecvTimeoutError::Timeout
            }) {
                if resident_kibibytes().is_some_and(|held| held / 1024 > mebibytes) {
                    let place = policies.evaluating().map_or_else(String::new, |place| format!("{place}: "));
                    let message = format!(
                        "{place}the policies need more than {mebibytes} MiB of memory; raise the limit \
                         with --memory"
                    );
                    let _ = exit::complain(&message);
                    std::process::exit(exit::UNUSABLE.into());
                }
            }
        });
        let done = work();
        drop(stop);
        done
    })
}

fn resident_kibibytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}
