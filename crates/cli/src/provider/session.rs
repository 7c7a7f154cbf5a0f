//! A session with a provider, and the messages about its failures.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use objchange::change::Severity;
use objchange_project::ProviderProgram;
use objchange_project::session::{Hidden, Session, SessionError, open_recording, sentence, warn_of};
use objchange_provider::Error;
use objchange_provider::client::{Children, Level};
use objchange_text::{MAX_TEXTS, bounded, left_out, visible};

use crate::exit::{self, CommandError, FAILED, UNUSABLE, unusable};
use crate::hints;
use crate::launch::LaunchArgs;
use crate::options::MaxInput;
use crate::style::{BAD, FAINT};

/// The maximum number of lines to show of a log after a failure.
const LOG_LINES: usize = 20;

/// The maximum number of lines to show of a crash.
const CRASH_LINES: usize = 40;

/// Which provider, and how it is started.
#[derive(Debug, clap::Args)]
pub(super) struct Target {
    /// The provider binary, and its address if needed; with --reattach the address alone
    #[arg(value_name = "BINARY[=ADDRESS]")]
    pub(super) binary: ProviderProgram,

    #[command(flatten)]
    pub(super) launch: LaunchArgs,

    /// Record requests and responses in this file, as cases for `objchange check`; secrets are replaced by placeholders
    #[arg(long, value_name = "FILE", help_heading = "Provider")]
    record: Option<PathBuf>,
}

/// A provider with a configuration of its own.
#[derive(Debug, clap::Args)]
pub(super) struct Configured {
    #[command(flatten)]
    pub(super) target: Target,

    /// The provider's configuration, as JSON or a file [default: empty]
    #[arg(long, value_name = "JSON|FILE", help_heading = "Provider")]
    pub(super) provider_config: Option<String>,

    #[command(flatten)]
    pub(super) max_input: MaxInput,
}

impl Target {
    /// Starts the provider and asks for its schemas.
    pub(super) async fn start<'h>(
        &self,
        children: &Children,
        hidden: &'h Hidden<'h>,
    ) -> Result<Session<'h>, Failure> {
        // Opened before the provider starts: a path that cannot be written is then an error before anything has
        // happened.
        let recorder = self.record.as_deref().map(|path| open_recording(path, hidden)).transpose()?;
        let client = self.launch.start(&self.binary, children).await?;
        Ok(Session::new(client, recorder, hidden).await?)
    }
}

impl Configured {
    /// Starts the provider.
    pub(super) async fn start_unconfigured<'h>(
        &self,
        children: &Children,
        hidden: &'h Hidden<'h>,
    ) -> Result<Session<'h>, Failure> {
        Ok(self.target.start(children, hidden).await?.with_max_input(self.max_input.size))
    }

    /// Starts the provider, and gives it its own configuration.
    pub(super) async fn start<'h>(
        &self,
        children: &Children,
        hidden: &'h Hidden<'h>,
    ) -> Result<Session<'h>, Failure> {
        let session = self.start_unconfigured(children, hidden).await?;
        session.configure(self.provider_config.as_deref()).await?;
        Ok(session)
    }
}

/// The option of commands that print nothing but JSON.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct AlwaysJson {
    /// Print JSON, as the command always does
    #[arg(long = "json")]
    _json: bool,
}

/// Why a command of `provider` failed.
#[derive(Debug)]
pub(super) enum Failure {
    /// The provider, or what it was asked.
    Session(SessionError),
    /// An error of the command: already printed, or the output cannot be written.
    Command(CommandError),
}

impl From<SessionError> for Failure {
    fn from(error: SessionError) -> Self {
        Self::Session(error)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        SessionError::from(error).into()
    }
}

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Self {
        Self::Command(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Command(error.into())
    }
}

/// Prints why a command failed.
pub(super) fn report(failure: Failure, hidden: &Hidden<'_>) -> Result<ExitCode, CommandError> {
    let error = match failure {
        Failure::Session(error) => error,
        Failure::Command(error) => return Err(error),
    };
    match error {
        SessionError::Resource(error) => Err(hints::resource(&error)),
        SessionError::Broken(problems) => {
            problems.iter().try_for_each(|problem| exit::complain(problem))?;
            Ok(ExitCode::from(FAILED))
        }
        SessionError::Refused(diagnostics) => {
            let (errors, warnings): (Vec<_>, Vec<_>) =
                diagnostics.iter().partition(|diagnostic| diagnostic.severity == Severity::Error);
            warn_of(&warnings, hidden);
            for diagnostic in errors.iter().take(MAX_TEXTS) {
                exit::complain(&hidden.relay(&sentence(diagnostic)))?;
            }
            if let Some(more) = left_out(errors.len(), MAX_TEXTS, "errors") {
                exit::complain(&more)?;
            }
            Ok(ExitCode::from(FAILED))
        }
        SessionError::Provider(error) => {
            exit::complain(&hidden.relay(&error.to_string()))?;
            tell_log(&error, hidden)?;
            // A wrong name, and a program that is no provider, are errors of the input. A provider that crashes or
            // hangs in a call fails, as one that answers with errors does.
            Ok(ExitCode::from(if error.kind().is_about_input() { UNUSABLE } else { FAILED }))
        }
        error => Err(unusable(hidden.relay(&error.to_string()))),
    }
}

/// Prints the last lines of the provider's log.
fn tell_log(error: &Error, hidden: &Hidden<'_>) -> io::Result<()> {
    let mut out = crate::terminal::stderr();
    let lines = error.log().lines();
    let skipped = lines.len().saturating_sub(LOG_LINES);
    let earlier = error.log().left_out().saturating_add(skipped as u64);
    if earlier > 0 {
        writeln!(out, "  {FAINT}log:{FAINT:#} ({earlier} earlier lines left out)")?;
    }
    for line in &lines[skipped..] {
        let level = match line.level {
            Level::Error => "error: ",
            Level::Warn => "warning: ",
            _ => "",
        };
        let fields: String = line.fields.iter().map(|(name, value)| format!(" {name}={value}")).collect();
        let text = hidden.relay(&format!("{level}{}{fields}", line.message));
        writeln!(out, "  {FAINT}log:{FAINT:#} {}", visible(&text))?;
    }
    if let Some(crash) = error.log().crash() {
        // Hidden before the text is cut into lines: a secret may have several.
        let crash = hidden.hide(crash);
        for line in crash.lines().take(CRASH_LINES) {
            writeln!(out, "  {BAD}crash:{BAD:#} {}", visible(&bounded(line)))?;
        }
        if let Some(more) = left_out(crash.lines().count(), CRASH_LINES, "lines") {
            writeln!(out, "  {BAD}crash:{BAD:#} ({more})")?;
        }
    }
    Ok(())
}
