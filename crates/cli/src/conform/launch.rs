//! How the provider is started, and that it is not left behind.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use objchange_provider::Error;
use objchange_provider::client::{Children, Client, Launch, Limits, REATTACH_VARIABLE, Reattach};
use objchange_provider::conform::Stop;

/// How a provider is started and told what it needs.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct LaunchArgs {
    /// Give the provider a variable of the environment, this value or the one that it has here; can be repeated. Without
    /// this it has PATH, HOME and TMPDIR
    #[arg(long, value_name = "NAME[=VALUE]", help_heading = "Provider")]
    env: Vec<OsString>,

    /// Let a call take so long, and the start [default: 1m to start, 5m for a call]
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Provider")]
    timeout: Option<Duration>,

    /// Attach to a provider that runs already instead of starting one: what it says to set `TF_REATTACH_PROVIDERS` to
    #[arg(long, value_name = "JSON", help_heading = "Provider", conflicts_with = "env")]
    reattach: Option<String>,
}

/// `30s`, `5m`, `1h`, or a number of seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
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
    /// What is wrong with them, before anything is started.
    pub(super) fn problem(&self) -> Option<String> {
        let reattach = self.reattach.as_ref()?.parse::<Reattach>();
        let problem = match &reattach {
            Err(error) => error.to_string(),
            Ok(reattach) if reattach.only().is_some() => return None,
            Ok(_) => "it names several providers, and one is wanted".to_owned(),
        };
        Some(format!("--reattach (as {REATTACH_VARIABLE}): {problem}"))
    }

    /// Whether a provider that runs already is meant.
    pub(super) fn attaches(&self) -> bool {
        self.reattach.is_some()
    }

    /// Starts the provider, or attaches to the one that runs.
    pub(super) async fn start(&self, program: &Path, children: &Children) -> Result<Client, Error> {
        let mut limits = Limits::default();
        if let Some(timeout) = self.timeout {
            (limits.start, limits.call) = (timeout, timeout);
        }
        if let Some(text) = &self.reattach {
            let reattach: Reattach = text.parse()?;
            if let Some(running) = reattach.only() {
                return Client::attach(running, limits).await;
            }
        }
        let mut launch = Launch::new(program);
        (launch.limits, launch.children) = (limits, children.clone());
        for variable in &self.env {
            match variable.to_str().and_then(|text| text.split_once('=')) {
                Some((name, value)) => launch.set(name, value),
                None => launch.inherit(variable),
            };
        }
        Client::start(&launch).await
    }
}

/// A name alone would be looked for in the directories of `PATH` only.
pub(super) fn program(binary: &Path) -> PathBuf {
    let is_name = binary.components().count() == 1;
    if is_name && binary.is_file() { Path::new(".").join(binary) } else { binary.to_owned() }
}

/// How long the work may take to notice that it was interrupted.
const GRACE: Duration = Duration::from_secs(3);

/// Stops the run when somebody wants this program to end.
pub(super) fn listen(children: Children, stop: Stop) -> io::Result<()> {
    crate::provider::launch::listen(children, GRACE, move || stop.stop())
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
