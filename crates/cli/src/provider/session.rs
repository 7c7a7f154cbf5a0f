//! A provider while it is asked, and what is said where it fails.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use objchange::Value;
use objchange::change::{ApplyChangeError, Diagnostic, PlanChangeError, Severity};
use objchange::schema::Block;
use objchange_plan::{Form, read_object};
use objchange_project::ProviderProgram;
use objchange_project::resource::{ResourceError, most_similar};
use objchange_provider::client::{Children, Level};
use objchange_provider::record::{Recorder, Recording};
use objchange_provider::{ChangeFault, Client, Component, Error, ErrorKind, ProviderExt, Schemas};
use objchange_text::visible;

use super::hidden::Hidden;
use super::launch::LaunchArgs;
use crate::exit::{self, CommandError, FAILED, UNUSABLE, unusable};
use crate::input::Source;
use crate::plan::refused;
use crate::style::{BAD, FAINT};
use crate::write_file::{Access, append};
use objchange_text::{MAX_TEXTS, bounded, left_out};

/// How many lines of a log are shown where something went wrong.
const LOG_LINES: usize = 20;

/// How many lines of a crash are shown.
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
}

/// Why something was not done.
#[derive(Debug)]
pub(super) enum Failure {
    /// What was given cannot be used.
    Unusable(String),
    /// What was given to be planned cannot be used.
    Plan(Box<ResourceError>),
    /// The same, which has been told in its place.
    Command(CommandError),
    /// The provider does not answer.
    Provider(Error),
    /// The provider reports errors.
    Refused(Vec<Diagnostic>),
    /// The output cannot be written.
    Output(io::Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Provider(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<ChangeFault> for Failure {
    fn from(fault: ChangeFault) -> Self {
        match fault {
            ChangeFault::Plan(PlanChangeError::Refused(diagnostics)) => Self::Refused(diagnostics),
            ChangeFault::Plan(error) => Self::Unusable(error.to_string()),
            ChangeFault::Apply(ApplyChangeError::UnknownConfig { path }) => Self::Unusable(format!(
                "{path}: this is not known, and nothing can be applied before all of the configuration is"
            )),
            ChangeFault::Apply(error) => Self::Unusable(error.to_string()),
            ChangeFault::Provider(error) => Self::Provider(error),
            fault => Self::Unusable(fault.to_string()),
        }
    }
}

/// A provider that was started and knows what it needs.
pub(super) struct Session<'h> {
    client: Client,
    recorder: Option<Recorder<BufWriter<File>>>,
    pub(super) schemas: Arc<Schemas>,
    pub(super) hidden: &'h Hidden,
}

impl<'h> Session<'h> {
    /// Starts a provider and asks for its schemas.
    pub(super) async fn start(
        target: &Target,
        children: &Children,
        hidden: &'h Hidden,
    ) -> Result<Self, Failure> {
        let open = |path: &PathBuf| {
            // A second process of the same provider goes on where the first ended.
            let file = append(path, Access::Owner);
            let unusable = |error| Failure::Unusable(format!("{}: {error}", path.display()));
            file.map(|file| Recorder::new(BufWriter::new(file))).map_err(unusable)
        };
        let recorder = target.record.as_ref().map(open).transpose()?;
        if let Some(recorder) = &recorder {
            // The secrets that an earlier process of the provider was told.
            hidden.values().iter().for_each(|value| recorder.hide(value));
        }
        let client = target.launch.start(&target.binary, children).await?;
        let schemas = client.schemas().await?;
        let session = Self { client, recorder, schemas, hidden };
        session.heed(&session.schemas.diagnostics)?;
        let problems = &session.schemas.problems;
        for problem in problems.iter().take(MAX_TEXTS) {
            let said = format!("{problem}; this part of the provider cannot be used here");
            session.hidden.warn(&said);
        }
        if let Some(more) = left_out(problems.len(), MAX_TEXTS, "problems of its schemas") {
            session.hidden.warn(&more);
        }
        Ok(session)
    }

    /// The same with the provider's own configuration given to it.
    pub(super) async fn configured(
        args: &Configured,
        children: &Children,
        hidden: &'h Hidden,
    ) -> Result<Self, Failure> {
        let session = Self::start(&args.target, children, hidden).await?;
        session.configure(args).await?;
        Ok(session)
    }

    /// Gives the provider its own configuration.
    pub(super) async fn configure(&self, args: &Configured) -> Result<(), Failure> {
        let nothing = Block::new::<&str>([], []);
        let block = self.schemas.block(Component::Provider, "").unwrap_or(&nothing);
        let config = match &args.provider_config {
            Some(given) if given.trim_start().starts_with('{') => object(given, block, "--provider-config")?,
            Some(file) => read(&Source::new(file.as_ref()), block)?,
            None => object("{}", block, "the provider's own configuration (see --provider-config)")?,
        };
        self.hide(block, &config);
        let config = config.unmark_deep().0;
        self.heed(&self.ask().validate(Component::Provider, "", &config).await?)?;
        self.heed(&self.ask().configure(&config).await?)
    }

    /// The provider, to be asked.
    pub(super) fn ask(&self) -> Recording<&Client, &Recorder<BufWriter<File>>> {
        Recording::new(&self.client, self.recorder.as_ref())
    }

    /// Remembers what of an object is not to be shown.
    pub(super) fn hide(&self, block: &Block, object: &Value) {
        self.hidden.learn(block, object);
        if let Some(recorder) = &self.recorder {
            recorder.hide(&block.mark_hidden(object));
        }
    }

    /// Lets the provider end, and writes what is recorded.
    pub(super) async fn end(self) -> Result<(), Failure> {
        self.client.end().await;
        if let Some(recorder) = self.recorder {
            recorder.finish().map_err(|error| Failure::Unusable(format!("the recording: {error}")))?;
        }
        Ok(())
    }

    /// Says what the provider warns of, and fails where it reports errors.
    pub(super) fn heed(&self, diagnostics: &[Diagnostic]) -> Result<(), Failure> {
        heed(diagnostics, self.hidden)
    }

    /// The schema of something.
    pub(super) fn block(&self, component: Component, name: &str) -> Result<&Block, Failure> {
        let similar = || {
            let names = self.schemas.named(component).map(|(name, _)| name);
            most_similar(name, names)
        };
        self.schemas.block(component, name).ok_or_else(|| {
            let hint = match similar() {
                similar if similar.is_empty() => String::new(),
                similar => format!("; did you mean {}?", similar.join(" or ")),
            };
            Failure::Unusable(format!("the provider has no {} {name:?}{hint}", component.noun()))
        })
    }
}

/// Says what a provider warns of, and fails where it reports errors.
pub(super) fn heed(diagnostics: &[Diagnostic], hidden: &Hidden) -> Result<(), Failure> {
    let (errors, warnings): (Vec<_>, Vec<_>) =
        diagnostics.iter().partition(|diagnostic| diagnostic.severity == Severity::Error);
    warn(&warnings, hidden);
    if errors.is_empty() { Ok(()) } else { Err(Failure::Refused(errors.into_iter().cloned().collect())) }
}

fn warn(warnings: &[&Diagnostic], hidden: &Hidden) {
    for warning in warnings.iter().take(MAX_TEXTS) {
        hidden.warn(&sentence(warning));
    }
    if let Some(more) = left_out(warnings.len(), MAX_TEXTS, "warnings") {
        hidden.warn(&more);
    }
}

/// All that a diagnostic says.
fn sentence(diagnostic: &Diagnostic) -> String {
    match diagnostic.detail.trim() {
        "" => diagnostic.to_string(),
        detail => format!("{diagnostic}: {detail}"),
    }
}

/// An object that people write.
pub(super) fn object(text: &str, block: &Block, name: &str) -> Result<Value, Failure> {
    read_object(text, block, Form::Markers)
        .map_err(|error| Failure::Unusable(format!("{name}:{}:{}: {error}", error.line, error.column)))
}

/// The same in a file.
pub(super) fn read(source: &Source, block: &Block) -> Result<Value, Failure> {
    let text = source.read().map_err(|error| Failure::Unusable(error.to_string()))?;
    object(&text, block, &source.to_string())
}

/// Says why something was not done.
pub(super) fn report(failure: Failure, hidden: &Hidden) -> Result<ExitCode, CommandError> {
    match failure {
        Failure::Unusable(reason) => Err(unusable(hidden.relay(&reason))),
        Failure::Command(error) => Err(error),
        Failure::Plan(error) => Err(refused(*error)),
        Failure::Refused(diagnostics) => {
            let (errors, warnings): (Vec<_>, Vec<_>) =
                diagnostics.iter().partition(|diagnostic| diagnostic.severity == Severity::Error);
            warn(&warnings, hidden);
            for diagnostic in errors.iter().take(MAX_TEXTS) {
                exit::complain(&hidden.relay(&sentence(diagnostic)))?;
            }
            if let Some(more) = left_out(errors.len(), MAX_TEXTS, "errors") {
                exit::complain(&more)?;
            }
            Ok(ExitCode::from(FAILED))
        }
        Failure::Provider(error) => {
            exit::complain(&hidden.relay(&error.to_string()))?;
            tell_log(&error, hidden)?;
            Ok(ExitCode::from(if is_unusable(error.kind()) { UNUSABLE } else { FAILED }))
        }
        Failure::Output(error) => Err(error.into()),
    }
}

/// Whether it is what was given that is wrong, and not what the provider does.
fn is_unusable(kind: &ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::NotStarted { .. }
            | ErrorKind::StartTimeout(_)
            | ErrorKind::EndedAtStart { .. }
            | ErrorKind::NoHandshake { .. }
            | ErrorKind::NetRpc
            | ErrorKind::WrongProtocol { .. }
            | ErrorKind::NotConnected { .. }
            | ErrorKind::Reattach { .. }
            | ErrorKind::UnknownName { .. }
            | ErrorKind::Unsendable { .. }
    )
}

/// What the provider wrote last.
fn tell_log(error: &Error, hidden: &Hidden) -> io::Result<()> {
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
        let crash = hidden.cover(crash);
        for line in crash.lines().take(CRASH_LINES) {
            writeln!(out, "  {BAD}crash:{BAD:#} {}", visible(&bounded(line)))?;
        }
        if let Some(more) = left_out(crash.lines().count(), CRASH_LINES, "lines") {
            writeln!(out, "  {BAD}crash:{BAD:#} ({more})")?;
        }
    }
    Ok(())
}
