//! How providers' programs are started, and that none is left behind.

use std::convert::Infallible;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;
use std::{process, thread};

use objchange_provider::client::{Children, Client, Launch, Limits, Reattach};
use objchange_provider::{Error, ErrorKind};
use tokio::sync::oneshot;

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
    let is_version = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    name.match_indices("_v").find(|(at, _)| is_version(&name[at + 2..])).map_or(name, |(at, _)| &name[..at])
}

/// How a provider is started and told what it needs.
#[derive(Debug, Clone, Default, clap::Args)]
pub(crate) struct LaunchArgs {
    /// Give the provider a variable of the environment, this value or the one that it has here; can be repeated. Without
    /// this it has PATH, HOME and TMPDIR
    #[arg(long, value_name = "NAME[=VALUE]", help_heading = "Provider")]
    env: Vec<OsString>,

    /// Let a call take this many seconds, and the start
    #[arg(long, value_name = "SECONDS", value_parser = seconds, help_heading = "Provider")]
    timeout: Option<Duration>,

    /// Encrypt the connection, as Terraform does
    #[arg(long, help_heading = "Provider")]
    mtls: bool,

    /// Attach to a provider that runs already instead of starting one: what it says to set `TF_REATTACH_PROVIDERS` to
    #[arg(long, value_name = "JSON", help_heading = "Provider", conflicts_with_all = ["env", "mtls"])]
    reattach: Option<String>,
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map_err(|_| "a number of seconds is needed, such as 30".to_owned())?;
    let duration = Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())?;
    if duration.is_zero() { Err("nothing is done in no time".to_owned()) } else { Ok(duration) }
}

impl LaunchArgs {
    /// Starts the provider, or attaches to the one that runs.
    pub(crate) async fn start(&self, binary: &Binary, children: &Children) -> Result<Client, Error> {
        let mut limits = Limits::default();
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

/// Does the work on this thread. `None` if it was interrupted: all processes are gone then that were started for it.
pub(crate) fn run<T, F: Future<Output = T>>(work: impl FnOnce(Children) -> F) -> io::Result<Option<T>> {
    let children = Children::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (interrupted_in, interrupted) = oneshot::channel();
    listen(children.clone(), GRACE, move || {
        // Before anything is killed, so that nobody takes that for a crash.
        let _ = interrupted_in.send(());
    })?;
    let started = children.clone();
    let done = runtime.block_on(async {
        tokio::select! {
            biased;
            // Where nobody can be listened to the work just goes on.
            Ok(()) = interrupted => None,
            result = work(children) => Some(result),
        }
    });
    if done.is_none() {
        // Whoever else is about to end them is waited for.
        started.kill_all();
    }
    Ok(done)
}

/// How long the work may take to notice that it was interrupted.
const GRACE: Duration = Duration::from_secs(2);

/// Lets the program end when somebody wants that, after what is to be done `first` and a time of grace: all processes are gone
/// then. It listens in a thread of its own, so that it hears whatever the work is busy with.
pub(crate) fn listen(
    children: Children,
    grace: Duration,
    first: impl FnOnce() + Send + 'static,
) -> io::Result<()> {
    let heard = move || {
        let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else { return };
        runtime.block_on(async {
            if signal().await.is_err() {
                return;
            }
            first();
            children.kill_all();
            tokio::time::sleep(grace).await;
            children.kill_all();
            process::exit(INTERRUPTED.into());
        });
    };
    thread::Builder::new().name("signals".into()).spawn(heard).map(drop)
}

/// Comes back when somebody wants this program to end.
#[cfg(unix)]
async fn signal() -> io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let [mut interrupt, mut terminate, mut hangup] =
        [signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?, signal(SignalKind::hangup())?];
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
    }
    Ok(())
}

#[cfg(not(unix))]
async fn signal() -> io::Result<()> {
    tokio::signal::ctrl_c().await
}

#[cfg(test)]
mod tests {
    use super::*;

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
    }
}
