//! Why nothing can be planned.

use std::path::{Path, PathBuf};

use objchange::change::PlanChangeError;
use objchange::schema::{SchemaDocumentError, UnknownPath};
use objchange_hcl::SelectError;
use objchange_plan::{ObjectError, PriorError};
use objchange_text::similar;

use super::subject::{Config, similar_parts};
use crate::configuration::ConfigurationError;
use crate::exit::{CommandError, unusable};
use crate::input::{InputError, Source};
use crate::schemas::{HOW_TO_GET_SCHEMAS, SchemaError};

/// Why nothing can be planned.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlanError {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error("{option} {}: {}{}", .error.path.to_string().trim_start_matches('.'), .error.kind, suggestion(&similar_parts(.error)))]
    NoSuchPart { option: &'static str, error: UnknownPath },
    #[error("standard input (-) can be read only once")]
    OneStdin,
    #[error("{input}:{}:{}: {}{}", error.line, error.column, location(error), error.message)]
    Schemas { input: String, error: SchemaDocumentError },
    #[error("{input}: there is no resource type {name:?}{}", suggestion(.similar))]
    NoType { input: String, name: String, similar: Vec<String> },
    #[error("{input}: several providers have a resource type {name:?}; choose with --provider one of {}", providers.join(", "))]
    ManyTypes { input: String, name: String, providers: Vec<String> },
    #[error("{input}: there is no provider {name:?}; there are {}", providers.join(", "))]
    NoProvider { input: String, name: String, providers: Vec<String> },
    #[error("{input}{}: {}", place(error.place()), of_prior(error))]
    Prior { input: Source, error: PriorError },
    #[error("{input}{}: {error}", place(Some((error.line, error.column))))]
    Object { input: Source, error: ObjectError },
    #[error("there are no schemas: {HOW_TO_GET_SCHEMAS}")]
    NoSchemas,
    #[error(transparent)]
    GivenSchemas(#[from] SchemaError),
    #[error("say with --type which type of resource this is")]
    WhichType,
    #[error("--var, --var-file and --base-dir are for configuration, in a .tf file or a directory")]
    GivenForNothing,
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    #[error("{}", of_selection(path, error))]
    Select { path: PathBuf, error: SelectError },
    #[error(transparent)]
    Change(#[from] PlanChangeError),
}

/// What is wrong with a prior object, and which argument mends it.
fn of_prior(error: &PriorError) -> String {
    match error {
        PriorError::NoState => {
            "--address takes an object out of a state, and this is none: leave it out if this is the object itself".to_owned()
        }
        PriorError::NoAddress { known } => {
            format!("this is a state: say with --address which object of it is meant{known}")
        }
        PriorError::OtherType { .. } => format!("{error} that --type says"),
        error => error.to_string(),
    }
}

/// Why a configuration has no such resource, and how to say which is meant.
fn of_selection(path: &Path, error: &SelectError) -> String {
    let path = path.display();
    match error {
        SelectError::NoResource { .. } => format!("{path}: {error}"),
        SelectError::Several { known } => {
            format!("{path}: say which resource is meant, as in {path}:{}", known.join(" or :"))
        }
        error => error.to_string(),
    }
}

fn location(error: &SchemaDocumentError) -> String {
    if error.location.is_empty() { String::new() } else { format!("{}: ", error.location) }
}

fn place(place: Option<(usize, usize)>) -> String {
    place.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default()
}

fn suggestion(similar: &[String]) -> String {
    if similar.is_empty() { String::new() } else { format!("; did you mean {}?", similar.join(" or ")) }
}

impl PlanError {
    /// The error of a command, which shows what is wrong in its place in the configuration.
    pub(crate) fn in_config(self, config: &Config) -> CommandError {
        match (self, &config.block) {
            (Self::Configuration(error), Some((_, configuration))) => {
                error.in_sources(&configuration.sources)
            }
            (error, _) => error.into(),
        }
    }
}

impl From<PlanError> for CommandError {
    fn from(error: PlanError) -> Self {
        unusable(error)
    }
}

/// The few of these names that are most like the wanted one.
pub(crate) fn most_similar<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    similar(wanted, names).into_iter().map(str::to_owned).collect()
}
