//! Configuration for one resource or expression: its files, what is given for its variables, what is wrong with it.

mod evaluation;
mod files;
mod variable_inputs;

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use objchange_hcl::{Diagnostic, HiddenSource};

pub use self::evaluation::{Evaluation, NOT_GIVEN, errors_document, value_document};
pub use self::files::Configuration;
pub(crate) use self::files::ends_like_configuration;
pub use self::variable_inputs::VariableInputs;
use objchange_files::input::{InputError, Source};

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigurationError {
    /// A file cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// A directory cannot be read.
    #[error("{}: the directory cannot be read: {error}", path.display())]
    Directory {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A directory has no configuration.
    #[error("{}: there is no configuration in this directory", .0.display())]
    NoFiles(PathBuf),
    /// In the files of the configuration.
    #[error("there are errors in the configuration")]
    Problems {
        /// The problem.
        found: Vec<Diagnostic>,
        /// The parts of the files that must not be shown.
        hidden: HiddenSource,
    },
    /// A value is given for a variable that is not declared.
    #[error("the configuration declares no variable {name:?}{hint}")]
    Undeclared {
        /// The name.
        name: String,
        /// One that may be meant.
        hint: String,
    },
    /// A file does not give values to variables.
    #[error("{input}: {message}")]
    Variables {
        /// The file.
        input: Source,
        /// Why.
        message: String,
    },
    /// The directory for files cannot be read.
    #[error("{}: the directory cannot be read: {error}", path.display())]
    BaseDirectory {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl ConfigurationError {
    /// The stable name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Input(error) => error.kind(),
            Self::Directory { .. } | Self::BaseDirectory { .. } => "directory",
            Self::NoFiles(_) => "no_files",
            Self::Problems { .. } => "configuration",
            Self::Undeclared { .. } => "undeclared",
            Self::Variables { .. } => "variables",
        }
    }
}

/// Whether one of these names contains a reference: equals it or leads to it.
fn contains(declared: &BTreeSet<String>, reference: &str) -> bool {
    let leads = |name: &String| {
        reference
            .strip_prefix(name.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    declared.iter().any(leads)
}
