//! Why nothing can be planned.

use std::path::{Path, PathBuf};

use objchange::change::PlanChangeError;
use objchange::schema::{SchemaDocumentError, UnknownPath};
use objchange_document::{ObjectError, PriorError};
use objchange_hcl::SelectError;
use objchange_text::similar;

use super::subject::similar_parts;
use crate::configuration::ConfigurationError;
use crate::plan_files::PlanInputError;
use crate::schemas::SchemaError;
use objchange_files::input::{InputError, Source};

/// Why nothing can be planned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// A file cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A plan or state cannot be read.
    #[error(transparent)]
    Document(#[from] PlanInputError),
    /// The schema has no such part.
    #[error("{list} {}: {}{}", .error.path, .error.kind, suggestion(&similar_parts(.error)))]
    NoSuchPart {
        /// The list that names it: `ignore_changes` or `requires_replace`.
        list: &'static str,
        /// Why.
        error: UnknownPath,
    },
    /// Standard input is named twice.
    #[error("standard input (-) can be read only once")]
    OneStdin,
    /// The schemas are damaged.
    #[error("{input}:{}:{}: {}{}", error.line, error.column, location(error), error.message)]
    Schemas {
        /// Where it is from.
        input: String,
        /// Why.
        error: SchemaDocumentError,
    },
    /// No provider has the type.
    #[error("{input}: there is no resource type {name:?}{}", suggestion(.similar))]
    NoType {
        /// Where it is from.
        input: String,
        /// The name.
        name: String,
        /// Names that may be meant.
        similar: Vec<String>,
    },
    /// Several providers have the type.
    #[error("{input}: several providers have a resource type {name:?}: {}", providers.join(", "))]
    ManyTypes {
        /// Where it is from.
        input: String,
        /// The name.
        name: String,
        /// Those that there are.
        providers: Vec<String>,
    },
    /// The provider is not in the schemas.
    #[error("{input}: there is no provider {name:?}; there are {}", providers.join(", "))]
    NoProvider {
        /// Where it is from.
        input: String,
        /// The name.
        name: String,
        /// Those that there are.
        providers: Vec<String>,
    },
    /// There is no such prior object.
    #[error("{input}{}: {error}", place(error.place()))]
    Prior {
        /// Where it is from.
        input: Source,
        /// Why.
        error: PriorError,
    },
    /// An object is not of the schema.
    #[error("{input}{}: {error}", place(Some((error.line, error.column))))]
    Object {
        /// Where it is from.
        input: Source,
        /// Why.
        error: ObjectError,
    },
    /// There are no schemas.
    #[error("there are no schemas")]
    NoSchemas,
    /// The schemas that are given cannot be used.
    #[error(transparent)]
    GivenSchemas(#[from] SchemaError),
    /// Neither the type nor a configuration block is given.
    #[error("the resource type is not given")]
    WhichType,
    /// Variables are given, and no configuration.
    #[error("variables and a base directory are for configuration, in a .tf file or a directory")]
    GivenForNothing,
    /// The configuration cannot be used.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    /// The configuration has no such resource.
    #[error("{}", of_selection(path, error))]
    Select {
        /// Where it is.
        path: PathBuf,
        /// Why.
        error: SelectError,
    },
    /// The change cannot be planned.
    #[error(transparent)]
    Change(#[from] PlanChangeError),
}

impl ResourceError {
    /// The stable name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Input(error) => error.kind(),
            Self::Document(error) => error.kind(),
            Self::NoSuchPart { error, .. } => error.kind.kind(),
            Self::OneStdin => "one_stdin",
            Self::Schemas { error, .. } => error.kind.kind(),
            Self::NoType { .. } => "no_type",
            Self::ManyTypes { .. } => "many_types",
            Self::NoProvider { .. } => "no_provider",
            Self::Prior { error, .. } => error.kind(),
            Self::Object { error, .. } => error.kind.kind(),
            Self::NoSchemas => "no_schemas",
            Self::GivenSchemas(error) => error.kind(),
            Self::WhichType => "which_type",
            Self::GivenForNothing => "given_for_nothing",
            Self::Configuration(error) => error.kind(),
            Self::Select { error, .. } => error.kind(),
            Self::Change(error) => error.kind(),
        }
    }
}

/// Why a configuration has no such resource, and how to say which is meant.
fn of_selection(path: &Path, error: &SelectError) -> String {
    let path = path.display();
    match error {
        SelectError::NoResource { .. } => format!("{path}: {error}"),
        SelectError::Several { known } => {
            format!("{path}: choose a resource, as in {path}:{}", known.join(" or :"))
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

/// The few of these names that are most like the wanted one.
pub fn most_similar<'n>(wanted: &str, names: impl Iterator<Item = &'n str>) -> Vec<String> {
    similar(wanted, names).into_iter().map(str::to_owned).collect()
}
