//! A provider while it is asked about one object, function or configuration.
//!
//! A [`Session`] is a running provider. Its messages and answers are shown without secrets, which [`Hidden`] collects.

mod applied;
mod change;
mod function;
mod hidden;
mod object;
mod prior;
mod state_out;

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

use objchange::Value;
use objchange::change::{ApplyChangeError, Diagnostic, PlanChangeError, Severity};
use objchange::schema::{Block, Schema};
use objchange_document::{Form, read_object};
use objchange_provider::record::{Recorder, Recording};
use objchange_provider::{ChangeFault, Client, Component, Error, ProviderExt, Schemas};
use objchange_text::{MAX_TEXTS, left_out};

pub use self::applied::AppliedReport;
pub use self::change::{Applied, PlannedObject, read_subject, redacted};
pub use self::function::{FunctionResult, call_function};
pub use self::hidden::Hidden;
pub use self::object::{FoundObject, import_object, read_data, refreshed};
pub use self::prior::known_object;
pub use self::state_out::{NotSaved, StateOut, instance_address};
use crate::resource::{ResourceError, most_similar};
use objchange_files::FileError;
use objchange_files::input::{MAX_DOCUMENT, Size, Source};
use objchange_files::write_file::{Access, append};

/// Why something was not done. The sentences of a provider may repeat secrets: [`Hidden`] takes them out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The provider, or the type, has nothing like what was asked for.
    #[error("{problem}")]
    Request {
        /// A name, address, argument or kind of call, and what is wrong with it.
        problem: String,
    },
    /// An input, a state file or a recording cannot be used.
    #[error(transparent)]
    File(#[from] FileError),
    /// The change cannot be planned or applied.
    #[error(transparent)]
    Change(ChangeFault),
    /// JSON has no form for an answer.
    #[error("{problem}")]
    NoJson {
        /// The value that has none.
        problem: String,
    },
    /// An input for the plan cannot be used.
    #[error(transparent)]
    Resource(Box<ResourceError>),
    /// The provider does not answer.
    #[error(transparent)]
    Provider(Error),
    /// The provider reports errors.
    #[error("{}", .0.iter().map(sentence).collect::<Vec<_>>().join("\n"))]
    Refused(Vec<Diagnostic>),
    /// The provider breaks its contract: all that is wrong, without secrets.
    #[error("{}", .0.join("\n"))]
    Broken(Vec<String>),
}

impl SessionError {
    /// The stable name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Request { .. } => "request",
            Self::File(error) => error.kind.kind(),
            Self::Change(fault) => fault.kind(),
            Self::NoJson { .. } => "no_json",
            Self::Resource(error) => error.kind(),
            Self::Provider(_) => "provider",
            Self::Refused(_) => "refused",
            Self::Broken(_) => "contract",
        }
    }
}

impl SessionError {
    fn request(problem: impl Into<String>) -> Self {
        Self::Request { problem: problem.into() }
    }

    fn no_json(error: impl std::fmt::Display) -> Self {
        Self::NoJson { problem: error.to_string() }
    }
}

impl From<Error> for SessionError {
    fn from(error: Error) -> Self {
        Self::Provider(error)
    }
}

impl From<ResourceError> for SessionError {
    fn from(error: ResourceError) -> Self {
        Self::Resource(Box::new(error))
    }
}

impl From<ChangeFault> for SessionError {
    fn from(fault: ChangeFault) -> Self {
        match fault {
            ChangeFault::Plan(PlanChangeError::Refused(diagnostics)) => Self::Refused(diagnostics),
            ChangeFault::Apply(ApplyChangeError::UnknownConfig { path }) => Self::Request {
                problem: format!(
                    "{path}: this is unknown; nothing can be applied until the whole configuration is known"
                ),
            },
            ChangeFault::Provider(error) => Self::Provider(error),
            fault => Self::Change(fault),
        }
    }
}

/// Writes calls and answers to a file.
pub type SessionRecorder = Recorder<BufWriter<File>>;

/// A provider that was started and knows what it needs.
#[derive(Debug)]
pub struct Session<'h> {
    client: Client,
    recorder: Option<SessionRecorder>,
    /// The schemas of the provider.
    pub schemas: Arc<Schemas>,
    /// The secrets of the session.
    pub hidden: &'h Hidden<'h>,
    max_input: Size,
}

/// Opens the file of a recording. It hides the secrets that an earlier process of the provider received.
///
/// # Errors
///
/// The file cannot be written.
pub fn open_recording(path: &Path, hidden: &Hidden<'_>) -> Result<SessionRecorder, SessionError> {
    // A second process of the same provider goes on where the first ended.
    let file = append(path, Access::Owner);
    let file = file.map_err(|error| FileError::unwritable(format!("{}: {error}", path.display())))?;
    let recorder = Recorder::new(BufWriter::new(file));
    hidden.values().iter().for_each(|value| recorder.hide(value));
    Ok(recorder)
}

/// The name of a provider's configuration in errors.
const PROVIDER_CONFIG: &str = "the provider's own configuration";

impl<'h> Session<'h> {
    /// Asks a provider that runs for its schemas.
    ///
    /// # Errors
    ///
    /// It does not answer, or reports errors.
    pub async fn new(
        client: Client,
        recorder: Option<SessionRecorder>,
        hidden: &'h Hidden<'h>,
    ) -> Result<Self, SessionError> {
        let schemas = client.schemas().await?;
        let session = Self { client, recorder, schemas, hidden, max_input: Size(MAX_DOCUMENT) };
        session.warnings_or_errors(&session.schemas.diagnostics)?;
        let problems = &session.schemas.problems;
        for problem in problems.iter().take(MAX_TEXTS) {
            session.hidden.warn(&format!("{problem}; this part of the provider cannot be used here"));
        }
        if let Some(more) = left_out(problems.len(), MAX_TEXTS, "problems of its schemas") {
            session.hidden.warn(&more);
        }
        Ok(session)
    }

    /// With a limit for each document that is read.
    #[must_use]
    pub fn with_max_input(self, max_input: Size) -> Self {
        Self { max_input, ..self }
    }

    /// Reads an object from a file or standard input.
    ///
    /// # Errors
    ///
    /// It cannot be read, or is not of the schema.
    pub fn read(&self, source: &Source, block: &Block) -> Result<Value, SessionError> {
        let text = source.read_as_allowed(self.max_input.0).map_err(ResourceError::from)?;
        object(&text, block, &source.to_string())
    }

    /// Gives the provider its own configuration.
    ///
    /// # Errors
    ///
    /// It cannot be read, or the provider refuses it.
    pub async fn configure(&self, config: Option<&str>) -> Result<(), SessionError> {
        let nothing = Block::new::<&str>([], []);
        let block = self.schemas.block(Component::Provider, "").unwrap_or(&nothing);
        let config = match config {
            Some(given) if given.trim_start().starts_with('{') => object(given, block, PROVIDER_CONFIG)?,
            Some(file) => self.read(&Source::new(file.as_ref()), block)?,
            None => object("{}", block, PROVIDER_CONFIG)?,
        };
        self.hide(block, &config);
        let config = config.unmark_deep().0;
        self.warnings_or_errors(&self.ask().validate(Component::Provider, "", &config).await?)?;
        self.warnings_or_errors(&self.ask().configure(&config).await?)
    }

    /// The provider, to be asked.
    pub fn ask(&self) -> Recording<&Client, &Recorder<BufWriter<File>>> {
        Recording::new(&self.client, self.recorder.as_ref())
    }

    /// Remembers what of an object is not to be shown.
    pub fn hide(&self, block: &Block, object: &Value) {
        self.hidden.learn(block, object);
        if let Some(recorder) = &self.recorder {
            recorder.hide(&block.mark_hidden(object));
        }
    }

    /// Lets the provider end, and writes what is recorded.
    ///
    /// # Errors
    ///
    /// The recording cannot be written.
    pub async fn end(self) -> Result<(), SessionError> {
        self.client.end().await;
        if let Some(recorder) = self.recorder {
            recorder.finish().map_err(|error| FileError::unwritable(format!("the recording: {error}")))?;
        }
        Ok(())
    }

    /// Shows the warnings of the provider, and fails on its errors.
    ///
    /// # Errors
    ///
    /// It reports errors.
    pub fn warnings_or_errors(&self, diagnostics: &[Diagnostic]) -> Result<(), SessionError> {
        warnings_or_errors(diagnostics, self.hidden)
    }

    /// The schema of a resource type with its version.
    pub(crate) fn resource_schema(&self, name: &str, block: &Block) -> Schema {
        self.schemas.resources.get(name).cloned().unwrap_or_else(|| Schema::new(0, block.clone()))
    }

    /// The schema of something.
    ///
    /// # Errors
    ///
    /// The provider has no such thing.
    pub fn block(&self, component: Component, name: &str) -> Result<&Block, SessionError> {
        let similar = || {
            let names = self.schemas.named(component).map(|(name, _)| name);
            most_similar(name, names)
        };
        self.schemas.block(component, name).ok_or_else(|| {
            let hint = match similar() {
                similar if similar.is_empty() => String::new(),
                similar => format!("; did you mean {}?", similar.join(" or ")),
            };
            SessionError::request(format!("the provider has no {} {name:?}{hint}", component.noun()))
        })
    }
}

/// Shows the warnings of a provider, and fails on its errors.
///
/// # Errors
///
/// It reports errors.
pub fn warnings_or_errors(diagnostics: &[Diagnostic], hidden: &Hidden<'_>) -> Result<(), SessionError> {
    let (errors, warnings): (Vec<_>, Vec<_>) =
        diagnostics.iter().partition(|diagnostic| diagnostic.severity == Severity::Error);
    warn_of(&warnings, hidden);
    if errors.is_empty() { Ok(()) } else { Err(SessionError::Refused(errors.into_iter().cloned().collect())) }
}

/// Says these warnings, as many as anybody reads.
pub fn warn_of(warnings: &[&Diagnostic], hidden: &Hidden<'_>) {
    for warning in warnings.iter().take(MAX_TEXTS) {
        hidden.warn(&sentence(warning));
    }
    if let Some(more) = left_out(warnings.len(), MAX_TEXTS, "warnings") {
        hidden.warn(&more);
    }
}

/// All that a diagnostic says.
pub fn sentence(diagnostic: &Diagnostic) -> String {
    match diagnostic.detail.trim() {
        "" => diagnostic.to_string(),
        detail => format!("{diagnostic}: {detail}"),
    }
}

/// An object that people write.
///
/// # Errors
///
/// It is not of the schema.
pub fn object(text: &str, block: &Block, name: &str) -> Result<Value, SessionError> {
    let object = read_object(text, block, Form::Markers);
    Ok(object
        .map_err(|error| FileError::invalid(format!("{name}:{}:{}: {error}", error.line, error.column)))?)
}
