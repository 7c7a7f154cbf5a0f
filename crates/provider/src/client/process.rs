//! A provider's process and its children: all end when the owner drops it.

use std::io::BufReader;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;
use std::{fmt, io, thread};

use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

#[cfg(unix)]
use super::descendants;
use super::folder::Folder;
use super::launch::Launch;
use super::spawn;
use crate::log::{Recorder, read_line};
use crate::tls::Identity;
use crate::{Error, ErrorKind};

/// The variable that tells a provider's program that it was started as one.
pub(crate) const COOKIE: (&str, &str) =
    // Not a secret: providers compare it to notice that they were started by hand.
    ("TF_PLUGIN_MAGIC_COOKIE", "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2");

/// The variable with the certificate of the client.
pub(crate) const CLIENT_CERTIFICATE: &str = "PLUGIN_CLIENT_CERT";

/// How often processes and files are polled.
const PAUSE: Duration = Duration::from_millis(2);

/// How long to wait for the last output of a process that has ended.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// The started processes that still run, so that a handler of signals can end all of them at once.
///
/// ```
/// use objchange_provider::client::{Children, Launch};
///
/// let children = Children::default();
/// let mut launch = Launch::new("./terraform-provider-random");
/// launch.children = children.clone();
/// // In the handler of Ctrl-C, which may run in any thread:
/// children.kill_all();
/// ```
#[derive(Clone, Default)]
pub struct Children(Arc<Mutex<List>>);

#[derive(Default)]
struct List {
    started: Vec<Weak<Shared>>,
    /// All processes below this one were started by providers.
    adopts: bool,
}

impl Children {
    fn list(&self) -> MutexGuard<'_, List> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For a program that starts no other processes than providers: from now on [`kill_all`](Self::kill_all) ends all
    /// processes below this one, including daemons that hide their origin. On Linux they become children of this
    /// process when their parents end.
    pub fn adopt_orphans(&self) {
        #[cfg(target_os = "linux")]
        {
            let own = rustix::process::getpid();
            self.list().adopts = rustix::process::set_child_subreaper(Some(own)).is_ok();
        }
    }

    /// Kills them with all that they have started, and waits for them to be gone.
    pub fn kill_all(&self) {
        let mut list = self.list();
        for child in list.started.drain(..).filter_map(|child| child.upgrade()) {
            child.kill();
        }
        #[cfg(unix)]
        if list.adopts {
            descendants::kill_below(std::process::id());
        }
    }

    /// Starts a process as one of these. Whoever kills them meanwhile waits, and so never misses a process that already runs.
    fn start(&self, start: impl FnOnce() -> io::Result<Arc<Shared>>) -> io::Result<Arc<Shared>> {
        let mut list = self.list();
        let child = start()?;
        list.started.retain(|known| known.strong_count() > 0);
        list.started.push(Arc::downgrade(&child));
        Ok(child)
    }
}

impl fmt::Debug for Children {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Children({})", self.list().started.len())
    }
}

/// A started provider. It is killed when this is dropped.
pub(crate) struct Process {
    shared: Arc<Shared>,
    pub(crate) log: Recorder,
    /// The folder of its sockets, which is removed with it.
    _directory: Folder,
}

struct Shared {
    pid: u32,
    /// The folder in the environment of the process and its children.
    folder: PathBuf,
    state: Mutex<State>,
}

enum State {
    Running(Child),
    Ended(String),
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Kills the process and its children, and returns its status. Nobody has waited for it before, so its
    /// number, which is that of the group, still belongs to it. A process that has ended by itself keeps
    /// its own status.
    fn kill(&self) -> String {
        let mut state = self.state();
        if let State::Running(child) = &mut *state {
            #[cfg(unix)]
            // Found before the kill, because orphans get another parent.
            let others = descendants::below(self.pid);
            kill_group(child);
            #[cfg(unix)]
            descendants::kill(others, &self.folder, self.pid);
            let status = match child.wait() {
                Ok(status) => status.to_string(),
                Err(error) => error.to_string(),
            };
            *state = State::Ended(status);
        }
        match &*state {
            State::Ended(status) => status.clone(),
            State::Running(_) => String::new(),
        }
    }

    /// Whether it has ended by itself. This does not reap the process.
    fn has_ended(&self) -> bool {
        match &mut *self.state() {
            State::Running(child) => is_over(child),
            State::Ended(_) => true,
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Process {
    /// Starts the program, and sends the first line of its output. The client's certificate, if there is
    /// one, goes into the environment.
    pub(crate) fn start(
        launch: &Launch,
        own: Option<&Identity>,
    ) -> Result<(Self, oneshot::Receiver<String>), Error> {
        let not_started = |error: io::Error| ErrorKind::NotStarted { reason: error.to_string() };
        let directory = Folder::new().map_err(not_started)?;
        let versions = launch.protocols.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
        let mut command = Command::new(&launch.program);
        command
            .args(&launch.arguments)
            .env_clear()
            // A later value replaces an earlier one: a caller may set `TMPDIR`, but not the variables of the protocol.
            .env("TMPDIR", directory.path())
            .envs(launch.environment.iter().map(|(name, value)| (name, value)))
            .env(COOKIE.0, COOKIE.1)
            .env("PLUGIN_PROTOCOL_VERSIONS", versions)
            // go-plugin's client sends these two. They matter where providers listen on TCP, as on Windows.
            // `PLUGIN_MULTIPLEX_GRPC` is not set: it adds a field to the handshake, and Terraform does not use it, either.
            .env("PLUGIN_MIN_PORT", "10000")
            .env("PLUGIN_MAX_PORT", "25000")
            .env("PLUGIN_UNIX_SOCKET_DIR", directory.path())
            // Terraform passes its standard input on. Here it may be a document, which the provider must not read.
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(own) = own {
            command.env(CLIENT_CERTIFICATE, own.pem());
        }
        if let Some(directory) = &launch.directory {
            command.current_dir(directory);
        }
        own_group(&mut command);
        let (mut stdout, mut stderr) = (None, None);
        let start = || {
            let mut child = spawn::spawn(command, launch.is_offline)?;
            (stdout, stderr) = (child.stdout.take(), child.stderr.take());
            let folder = directory.path().to_owned();
            Ok(Arc::new(Shared { pid: child.id(), folder, state: Mutex::new(State::Running(child)) }))
        };
        let shared = launch.children.start(start).map_err(not_started)?;
        let log = Recorder::default();
        let (sender, first_line) = oneshot::channel();
        // Threads, which end with the pipes, because a provider must never block on its output, whatever
        // else happens here.
        if let Some(stderr) = stderr {
            let log = log.clone();
            read_in_thread(move || log.drain(stderr)).map_err(not_started)?;
        }
        if let Some(stdout) = stdout {
            let read = move || {
                let mut stdout = BufReader::new(stdout);
                if let Some(line) = read_line(&mut stdout) {
                    // The receiver may be gone.
                    let _ = sender.send(String::from_utf8_lossy(&line).into_owned());
                }
                while read_line(&mut stdout).is_some() {}
            };
            read_in_thread(read).map_err(not_started)?;
        }
        Ok((Self { shared, log, _directory: directory }, first_line))
    }

    /// The number of the process.
    pub(crate) fn pid(&self) -> u32 {
        self.shared.pid
    }

    /// The first line of output; `None` if none will come. A daemon of the provider may hold its standard
    /// output open after its end.
    pub(crate) async fn first_line(&self, line: oneshot::Receiver<String>) -> Option<String> {
        let ended = async {
            while !self.shared.has_ended() {
                sleep(PAUSE).await;
            }
            // Its last output is still on its way.
            sleep(LAST_WORDS).await;
        };
        tokio::select! {
            biased;
            line = line => line.ok(),
            () = ended => None,
        }
    }

    /// The exit status, if the process ends by itself within this time. Its last output is in the log
    /// then.
    pub(crate) async fn ended(&self, within: Duration) -> Option<String> {
        let until = Instant::now() + within;
        while !self.shared.has_ended() {
            if Instant::now() >= until {
                return None;
            }
            sleep(PAUSE).await;
        }
        let status = self.shared.kill();
        // A process that it has started may hold the pipe open, so that the pipe may never end.
        let until = Instant::now() + Duration::from_millis(500);
        while !self.log.is_closed() && Instant::now() < until {
            sleep(PAUSE).await;
        }
        Some(status)
    }

    /// Ends the process and its children.
    pub(crate) fn kill(&self) -> String {
        self.shared.kill()
    }
}

fn read_in_thread(work: impl FnOnce() + Send + 'static) -> io::Result<thread::JoinHandle<()>> {
    thread::Builder::new().name("provider-output".into()).stack_size(256 << 10).spawn(work)
}

/// Ctrl-C in the terminal reaches only this program, and the group can be killed as a whole.
#[cfg(unix)]
fn own_group(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

#[cfg(not(unix))]
fn own_group(_command: &mut Command) {}

#[cfg(unix)]
fn kill_group(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process_group};
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        // It fails if no process of the group is left, which is fine.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

#[cfg(not(unix))]
fn kill_group(child: &mut Child) {
    let _ = child.kill();
}

/// Whether the process has ended. It is not reaped, so that its number is not given to another process.
#[cfg(unix)]
fn is_over(child: &mut Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return true };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    !matches!(waitid(WaitId::Pid(pid), options), Ok(None))
}

#[cfg(not(unix))]
fn is_over(child: &mut Child) -> bool {
    !matches!(child.try_wait(), Ok(None))
}
