//! How providers' programs are started, and that none is left behind.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{process, thread};

use objchange_provider::client::{Children, Client, Launch, Limits, Reattach};
use objchange_provider::{Error, ErrorKind};
use tokio::sync::{Notify, watch};

use crate::exit::INTERRUPTED;

/// A provider's program, and the address that configuration has for the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Binary {
    pub(crate) program: PathBuf,
    /// As it is given.
    address: Option<String>,
}

impl FromStr for Binary {
    type Err = Infallible;

    /// What stands behind the last `=` is the address, unless that is part of a file's name.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (program, address) = match text.rsplit_once('=') {
            Some((program, address)) if !Path::new(text).exists() => (program, Some(address.to_owned())),
            _ => (text, None),
        };
        let mut program = PathBuf::from(program);
        // A name alone would be looked for in the directories of `PATH` only.
        if program.components().count() == 1 && program.is_file() {
            program = Path::new(".").join(program);
        }
        Ok(Self { program, address })
    }
}

impl Binary {
    /// The program of the provider with this address.
    pub(crate) fn new(program: PathBuf, address: &str) -> Self {
        Self { program, address: Some(address.to_owned()) }
    }

    /// The version that the program's file is named for.
    pub(crate) fn version(&self) -> Option<String> {
        let file = self.program.file_name()?.to_str()?;
        let version = &file.strip_suffix(".exe").unwrap_or(file).get(at_version(file)?..)?;
        Some(version.split('_').next().unwrap_or(version).to_owned())
    }

    /// The full address: the one that is given, or what a provider called like this is called in configuration that does
    /// not say where it is from.
    pub(crate) fn address(&self) -> String {
        let file = || self.program.file_name().unwrap_or_default().to_string_lossy();
        let given = self.address.clone().unwrap_or_else(|| name(&file()).to_owned());
        match given.split('/').count() {
            1 => format!("registry.terraform.io/hashicorp/{given}"),
            2 => format!("registry.terraform.io/{given}"),
            _ => given,
        }
    }
}

/// `random` of `terraform-provider-random_v3.6.0_x5.exe`.
fn name(file: &str) -> &str {
    let name = file.strip_prefix("terraform-provider-").unwrap_or(file);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    at_version(name).map_or(name, |at| &name[..at - "_v".len()])
}

/// Where the version begins in `random_v3.6.0_x5`.
fn at_version(name: &str) -> Option<usize> {
    let is_version = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    name.match_indices("_v").map(|(at, v)| at + v.len()).find(|at| is_version(&name[*at..]))
}

/// How a provider is started and told what it needs.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct LaunchArgs {
    /// Set an environment variable of the provider, or pass on our own; can be repeated. By default the provider gets
    /// PATH, HOME and a TMPDIR of its own
    #[arg(long, value_name = "NAME[=VALUE]", help_heading = "Provider")]
    env: Vec<OsString>,

    /// Timeout for start and for each call, e.g. 30s or 5m [default: 1m for the start, 5m for a call; 30s in `conform`]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Provider")]
    timeout: Option<Duration>,

    /// Encrypt the connection with mutual TLS, as Terraform does
    #[arg(long, help_heading = "Provider")]
    mtls: bool,

    /// Attach to a running provider: the value it prints for `TF_REATTACH_PROVIDERS`
    #[arg(long, value_name = "JSON", help_heading = "Provider", conflicts_with_all = ["env", "mtls"])]
    reattach: Option<String>,
}

/// `30s`, `5m`, `1h`, or a number of seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.char_indices().last() {
        Some((at, 's')) => (&text[..at], 1.0),
        Some((at, 'm')) => (&text[..at], 60.0),
        Some((at, 'h')) => (&text[..at], 3600.0),
        _ => (text, 1.0),
    };
    let number: f64 = number.parse().map_err(|_| "a time is needed, such as 30s or 5m".to_owned())?;
    let duration = Duration::try_from_secs_f64(number * unit).map_err(|error| error.to_string())?;
    if duration.is_zero() { Err("nothing is done in no time".to_owned()) } else { Ok(duration) }
}

impl LaunchArgs {
    /// Whether a provider that runs already is meant.
    pub(crate) fn attaches(&self) -> bool {
        self.reattach.is_some()
    }

    /// Starts the provider, or attaches to the one that runs.
    pub(crate) async fn start(&self, binary: &Binary, children: &Children) -> Result<Client, Error> {
        self.start_within(Limits::default(), binary, children).await
    }

    /// The same, with these limits where nobody says others.
    pub(crate) async fn start_within(
        &self,
        mut limits: Limits,
        binary: &Binary,
        children: &Children,
    ) -> Result<Client, Error> {
        if let Some(timeout) = self.timeout {
            (limits.start, limits.call) = (timeout, timeout);
        }
        if let Some(text) = &self.reattach {
            let reattach: Reattach = text.parse()?;
            let address = binary.address();
            let running = reattach.find(&address).or_else(|| reattach.only()).ok_or_else(|| {
                let known: Vec<&str> = reattach.addresses().collect();
                let reason = format!("it names no provider {address}, only {}", known.join(", "));
                Error::from(ErrorKind::Reattach { reason })
            })?;
            return Client::attach(running, limits).await;
        }
        Client::start(&self.launch(binary, limits, children)).await
    }

    fn launch(&self, binary: &Binary, limits: Limits, children: &Children) -> Launch {
        let mut launch = Launch::new(&binary.program);
        (launch.limits, launch.mtls, launch.children) = (limits, self.mtls, children.clone());
        for variable in &self.env {
            match variable.to_str().and_then(|text| text.split_once('=')) {
                Some((name, value)) => launch.set(name, value),
                None => launch.inherit(variable),
            };
        }
        launch
    }
}

/// What an interrupt does to the work: it ends it, unless the work holds it off.
#[derive(Debug, Default, Clone)]
pub(crate) struct Interrupt(Arc<InterruptState>);

#[derive(Debug, Default)]
struct InterruptState {
    is_held_off: AtomicBool,
    was_heard: AtomicBool,
    heard: Notify,
}

impl Interrupt {
    /// From here on the first interrupt does not end the work: it only says so.
    pub(crate) fn hold_off(&self) {
        self.0.is_held_off.store(true, Ordering::SeqCst);
    }

    /// From here on an interrupt ends the work again.
    pub(crate) fn allow(&self) {
        self.0.is_held_off.store(false, Ordering::SeqCst);
    }

    /// Comes back when there was an interrupt that was held off.
    pub(crate) async fn heard(&self) {
        self.0.heard.notified().await;
    }

    /// Whether there was one.
    pub(crate) fn was_heard(&self) -> bool {
        self.0.was_heard.load(Ordering::SeqCst)
    }
}

/// Does the work on this thread. `None` if it was interrupted: all processes are gone then that were started for it.
pub(crate) fn run<T, F: Future<Output = T>>(
    work: impl FnOnce(Children, Interrupt) -> F,
) -> io::Result<Option<T>> {
    let workplace = Workplace::new()?;
    Ok(workplace.wait_for(work(workplace.children.clone(), workplace.interrupt.clone())))
}

/// Where providers are asked, from this thread, by whoever cannot wait for them otherwise. When it is dropped, no process is
/// left that was started in it.
#[derive(Debug)]
pub(crate) struct Workplace {
    runtime: tokio::runtime::Runtime,
    pub(crate) children: Children,
    interrupt: Interrupt,
    interrupted: watch::Receiver<bool>,
}

impl Workplace {
    /// From here on an interrupt ends the work.
    pub(crate) fn new() -> io::Result<Self> {
        let children = Children::default();
        children.adopt_orphans();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (interrupted_in, interrupted) = watch::channel(false);
        let (listening, interrupt) = (children.clone(), Interrupt::default());
        let held_off = interrupt.clone();
        // In a thread of its own, so that it is heard whatever the work is busy with.
        thread::Builder::new()
            .name("signals".into())
            .spawn(move || listen(&listening, &held_off, &interrupted_in))?;
        Ok(Self { runtime, children, interrupt, interrupted })
    }

    /// What comes of the work; `None` if it is or was interrupted.
    pub(crate) fn wait_for<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut interrupted = self.interrupted.clone();
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                // Where nobody can be listened to the work just goes on.
                Ok(_) = interrupted.wait_for(|interrupted| *interrupted) => None,
                result = work => Some(result),
            }
        })
    }

    /// Whether somebody has interrupted the work.
    pub(crate) fn was_interrupted(&self) -> bool {
        *self.interrupted.borrow()
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        // Also daemons that a provider has left. Whoever else is about to end them is waited for.
        self.children.kill_all();
    }
}

/// How long the work may take to notice that it was interrupted.
const GRACE: Duration = Duration::from_secs(2);

fn listen(children: &Children, interrupt: &Interrupt, interrupted: &watch::Sender<bool>) {
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
    runtime.block_on(async {
        let Ok(mut signals) = Signals::new() else { return };
        signals.next().await;
        if interrupt.0.is_held_off.load(Ordering::SeqCst) {
            interrupt.0.was_heard.store(true, Ordering::SeqCst);
            interrupt.0.heard.notify_one();
            signals.next().await;
        }
        // Before anything is killed, so that nobody takes that for a crash.
        let _ = interrupted.send(true);
        children.kill_all();
        tokio::time::sleep(GRACE).await;
        children.kill_all();
        process::exit(INTERRUPTED.into());
    });
}

/// How somebody says that this program should end.
#[cfg(unix)]
pub(crate) struct Signals([tokio::signal::unix::Signal; 4]);

#[cfg(unix)]
impl Signals {
    pub(crate) fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let all =
            [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
        let [interrupt, terminate, hangup, quit] = all.map(signal);
        Ok(Self([interrupt?, terminate?, hangup?, quit?]))
    }

    /// Comes back when somebody says so, once for each time.
    pub(crate) async fn next(&mut self) {
        let [interrupt, terminate, hangup, quit] = &mut self.0;
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
            _ = quit.recv() => {}
        }
    }
}

#[cfg(not(unix))]
pub(crate) struct Signals;

#[cfg(not(unix))]
impl Signals {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self)
    }

    pub(crate) async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times() {
        for (text, seconds) in [("30", 30.0), ("1.5s", 1.5), ("2m", 120.0), ("1h", 3600.0)] {
            assert_eq!(duration(text), Ok(Duration::from_secs_f64(seconds)));
        }
        for text in ["", "s", "-1s", "0", "1d", "1e400", "NaN", "5 m", "ä"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn addresses() {
        let address = |text: &str| text.parse::<Binary>().unwrap().address();
        let random = "registry.terraform.io/hashicorp/random";
        for text in ["terraform-provider-random", "./x/terraform-provider-random_v3.6.0_x5.exe", "p=random"] {
            assert_eq!(address(text), random, "{text}");
        }
        assert_eq!(address("a=b/p=acme/cloud"), "registry.terraform.io/acme/cloud");
        assert_eq!(address("p=example.com/test/kit"), "example.com/test/kit");
        assert_eq!(address("terraform-provider-my_vault"), "registry.terraform.io/hashicorp/my_vault");
        let version = |text: &str| text.parse::<Binary>().unwrap().version();
        for text in
            ["./x/terraform-provider-random_v3.6.0_x5.exe", "terraform-provider-random_v3.6.0=acme/random"]
        {
            assert_eq!(version(text).as_deref(), Some("3.6.0"), "{text}");
        }
        assert_eq!(version("terraform-provider-my_vault"), None);
    }
}
