//! How providers' programs are started, and that none is left behind.

use std::ffi::OsString;
use std::io;
use std::process;
use std::time::Duration;

use objchange_project::{Interrupt, ProviderProgram, Signals, Stopper, Workplace, on_signals};
use objchange_provider::Error;
use objchange_provider::client::{Children, Client, Launch, Limits, Reattach};

use crate::exit::INTERRUPTED;

/// How a provider is started and configured.
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
    let number: f64 = number.parse().map_err(|_| "expected a time such as 30s or 5m".to_owned())?;
    let duration = Duration::try_from_secs_f64(number * unit).map_err(|error| error.to_string())?;
    if duration.is_zero() { Err("the time must be greater than zero".to_owned()) } else { Ok(duration) }
}

impl LaunchArgs {
    /// Starts the provider without a network.
    pub(crate) async fn start_offline(
        &self,
        limits: Limits,
        binary: &ProviderProgram,
        children: &Children,
    ) -> Result<Client, Error> {
        let mut launch = self.launch(binary, limits, children);
        launch.is_offline = true;
        Client::start(&launch).await
    }

    /// Sets an environment variable of the provider, unless the user sets it.
    pub(crate) fn set_default(&mut self, name: &str, value: &str) {
        self.env.insert(0, format!("{name}={value}").into());
    }

    /// Whether to attach to a running provider.
    pub(crate) fn attaches(&self) -> bool {
        self.reattach.is_some()
    }

    /// Starts the provider, or attaches to the one that runs.
    pub(crate) async fn start(&self, binary: &ProviderProgram, children: &Children) -> Result<Client, Error> {
        self.start_within(Limits::default(), binary, children).await
    }

    /// Starts the provider with these limits, unless `--timeout` sets others.
    pub(crate) async fn start_within(
        &self,
        limits: Limits,
        binary: &ProviderProgram,
        children: &Children,
    ) -> Result<Client, Error> {
        if let Some(text) = &self.reattach {
            let reattach: Reattach = text.parse()?;
            let running = reattach.choose(&binary.address())?;
            // The provider's owner started it, and ends it.
            return Client::attach(running, self.limits(limits)).await;
        }
        Client::start(&self.launch(binary, limits, children)).await
    }

    /// These limits, unless `--timeout` sets others.
    fn limits(&self, limits: Limits) -> Limits {
        match self.timeout {
            Some(timeout) => Limits { start: timeout, call: timeout, ..limits },
            None => limits,
        }
    }

    fn launch(&self, binary: &ProviderProgram, limits: Limits, children: &Children) -> Launch {
        let mut launch = Launch::new(&binary.path);
        launch.limits = self.limits(limits);
        (launch.mtls, launch.children) = (self.mtls, children.clone());
        for variable in &self.env {
            match variable.to_str().and_then(|text| text.split_once('=')) {
                Some((name, value)) => launch.set(name, value),
                None => launch.inherit(variable),
            };
        }
        launch
    }
}

/// Does the work on this thread. `None` if it was interrupted; all processes that were started for it are gone then.
pub(crate) fn run<T, F: Future<Output = T>>(
    work: impl FnOnce(Children, Interrupt) -> F,
) -> io::Result<Option<T>> {
    let interrupt = Interrupt::default();
    let workplace = interruptible(&interrupt)?;
    Ok(workplace.wait_for(work(workplace.children.clone(), interrupt)))
}

/// The runtime and processes for calls of providers. From here on an interrupt ends the work.
pub(crate) fn workplace() -> io::Result<Workplace> {
    interruptible(&Interrupt::default())
}

/// The runtime and processes for calls of providers, where the caller holds interrupts off.
pub(crate) fn interruptible(interrupt: &Interrupt) -> io::Result<Workplace> {
    let workplace = Workplace::new()?;
    let (stopper, interrupt) = (workplace.stopper(), interrupt.clone());
    on_signals(move |signals| stop(signals, stopper, interrupt))?;
    Ok(workplace)
}

/// How long the work may take to notice that it was interrupted.
const GRACE: Duration = Duration::from_secs(2);

async fn stop(mut signals: Signals, stopper: Stopper, interrupt: Interrupt) {
    signals.next().await;
    // While something is applied, the first signal only asks the provider to stop, and the second one ends everything,
    // as in Terraform.
    if interrupt.is_held_off() {
        interrupt.interrupt();
        signals.next().await;
    }
    stopper.stop();
    tokio::time::sleep(GRACE).await;
    stopper.stop();
    process::exit(INTERRUPTED.into());
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
}
