//! Starting a process that ends when this one ends, for any reason.
//!
//! On Linux the kernel kills the process when the *thread* that started it ends (prctl(2), `PR_SET_PDEATHSIG`). So a
//! single thread that never ends starts all processes.

use std::io;
use std::process::{Child, Command};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

type Job = Box<dyn FnOnce() + Send>;

/// The thread that starts processes; `None` before the first one.
static STARTER: Mutex<Option<Sender<Job>>> = Mutex::new(None);

/// Starts a process; without network access if `is_offline`.
pub(super) fn spawn(mut command: Command, is_offline: bool) -> io::Result<Child> {
    die_with_parent(&mut command);
    if is_offline {
        isolate_network(&mut command)?;
    }
    let (sender, started) = channel();
    let job: Job = Box::new(move || {
        // The receiver may be gone: then nobody else would end the process.
        if let Err(lost) = sender.send(command.spawn())
            && let Ok(mut child) = lost.0
        {
            let _ = child.kill();
            let _ = child.wait();
        }
    });
    starter()?.send(job).map_err(|_| starter_ended())?;
    started.recv().map_err(|_| starter_ended())?
}

fn starter_ended() -> io::Error {
    io::Error::other("the thread that starts processes has ended")
}

fn starter() -> io::Result<Sender<Job>> {
    let mut starter = STARTER.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(sender) = &*starter {
        return Ok(sender.clone());
    }
    let (sender, jobs) = channel::<Job>();
    thread::Builder::new()
        .name("provider-start".into())
        .spawn(move || jobs.into_iter().for_each(|job| job()))?;
    *starter = Some(sender.clone());
    Ok(sender)
}

#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "nothing else is called between fork and exec than two system calls")]
fn die_with_parent(command: &mut Command) {
    use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};
    // Read before the fork: in the child, `getppid` returns another process once this one has ended.
    let parent = getpid();
    let ask = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // The parent may have ended before the request.
        if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    };
    // SAFETY: the closure makes two system calls, which are safe after a fork, and allocates nothing.
    unsafe {
        std::os::unix::process::CommandExt::pre_exec(command, ask);
    }
}

/// Gives the process a network namespace without any interface. Its Unix sockets still reach this program, because they
/// belong to the file system (unix(7)).
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "nothing else is called between fork and exec than two system calls")]
#[expect(clippy::unnecessary_wraps, reason = "other systems cannot do it")]
fn isolate_network(command: &mut Command) -> io::Result<()> {
    use rustix::thread::{UnshareFlags, unshare_unsafe};
    let ask = || {
        // SAFETY: the child has one thread, and shares no file descriptors by these flags.
        let unshare = |flags| unsafe { unshare_unsafe(flags) };
        // A network namespace needs a capability, which a new user namespace grants (user_namespaces(7)).
        unshare(UnshareFlags::NEWNET).or_else(|_| unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNET))?;
        Ok(())
    };
    // SAFETY: the closure makes two system calls, which are safe after a fork, and allocates nothing.
    unsafe {
        std::os::unix::process::CommandExt::pre_exec(command, ask);
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn isolate_network(_command: &mut Command) -> io::Result<()> {
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "a provider can be cut off from the network on Linux only",
    ))
}

#[cfg(not(target_os = "linux"))]
fn die_with_parent(_command: &mut Command) {}
