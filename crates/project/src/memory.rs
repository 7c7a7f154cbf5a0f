//! How much memory this process holds.

use std::fs;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Runs `work`, and calls `exceeded` each time that the process holds more than this many MiB, checked every 20 ms.
/// Works only on Linux, which reports the memory of a process.
pub fn watch_memory<T>(mebibytes: u64, exceeded: impl Fn() + Send, work: impl FnOnce() -> T) -> T {
    if resident_kibibytes().is_none() {
        return work();
    }
    let (stop, stopped) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            // Disconnected when the work is done.
            while stopped.recv_timeout(Duration::from_millis(20)) == Err(RecvTimeoutError::Timeout) {
                if resident_kibibytes().is_some_and(|held| held / 1024 > mebibytes) {
                    exceeded();
                }
            }
        });
        let done = work();
        drop(stop);
        done
    })
}

#[allow(clippy::disallowed_methods, reason = "the system writes it")]
fn resident_kibibytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}
