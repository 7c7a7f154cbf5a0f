//! Finds the processes that a provider started, even those that left its process group.
//!
//! A daemon has its own session, and its parent has ended. It is found by the provider's folder in its environment, or
//! as a child while its parent runs. On systems without `/proc` nothing is found.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;

use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};

/// The maximum number of searches: a process may start another one while it is being killed.
const ROUNDS: usize = 20;

/// The descendants of a process.
pub(super) fn below(root: u32) -> BTreeSet<u32> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for pid in all() {
        if let Some(parent) = parent(pid) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = BTreeSet::new();
    let mut open = vec![root];
    while let Some(pid) = open.pop() {
        for child in children.get(&pid).into_iter().flatten() {
            if found.insert(*child) {
                open.push(*child);
            }
        }
    }
    found
}

/// Kills these processes, and all that have the folder in their environment, except for `first`: its owner waits
/// for it.
pub(super) fn kill(mut known: BTreeSet<u32>, folder: &Path, first: u32) {
    let folder = folder.as_os_str().as_encoded_bytes();
    for _ in 0..ROUNDS {
        known.extend(all().filter(|pid| has_folder(*pid, folder)));
        known.retain(|pid| *pid != first && is_running(*pid));
        if known.is_empty() {
            return;
        }
        known.iter().for_each(|pid| kill_one(*pid));
    }
}

/// Kills all processes that have this folder in their environment.
pub(super) fn kill_users(folder: &Path) {
    // No process has this number.
    kill(BTreeSet::new(), folder, 0);
}

/// Kills all descendants of this process.
pub(super) fn kill_below(root: u32) {
    for _ in 0..ROUNDS {
        let mut found = below(root);
        found.retain(|pid| is_running(*pid));
        if found.is_empty() {
            return;
        }
        found.iter().for_each(|pid| kill_one(*pid));
    }
}

/// Kills a process, and reaps it if it has become a child of this one.
fn kill_one(pid: u32) {
    let Some(pid) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return };
    // Fails if the process has ended, or belongs to another user.
    let _ = kill_process(pid, Signal::KILL);
    // After `adopt_orphans` it may be a child of this process, and would stay a zombie. It may also belong to another
    // parent, or take a moment to end, so this does not block; the next round tries again.
    let _ = waitpid(Some(pid), WaitOptions::NOHANG);
}

fn all() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The state and the parent of a process, from the text after its name.
#[allow(clippy::disallowed_methods, reason = "the system writes it")]
fn stat(pid: u32) -> Option<(String, u32)> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // proc(5): the name is in parentheses, and may contain parentheses and blanks itself. The last one ends it.
    let mut fields = stat.rsplit(')').next()?.split_whitespace();
    Some((fields.next()?.to_owned(), fields.next()?.parse().ok()?))
}

fn parent(pid: u32) -> Option<u32> {
    stat(pid).map(|(_, parent)| parent)
}

/// A process that has ended and was not waited for is not running.
fn is_running(pid: u32) -> bool {
    stat(pid).is_some_and(|(state, _)| state != "Z" && state != "X")
}

#[allow(clippy::disallowed_methods, reason = "the system writes it")]
fn has_folder(pid: u32, folder: &[u8]) -> bool {
    let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else { return false };
    let mut values = environment.split(|byte| *byte == 0);
    values.any(|variable| {
        variable.iter().position(|byte| *byte == b'=').is_some_and(|at| &variable[at + 1..] == folder)
    })
}
