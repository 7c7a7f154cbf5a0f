//! Configuration as people write it: its files, what is given for its variables, what is wrong with it.

mod files;
pub(crate) mod report;
mod variable_args;

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

use objchange_hcl::{Diagnostic, HiddenSource, Sources};

pub(crate) use files::{Configuration, ends_like_configuration};
pub(crate) use variable_args::{Given, Setting, Settings};

use crate::exit::{CommandError, unusable};
use crate::input::{InputError, Source};

/// Why there is no configuration.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigurationError {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error("{}: the directory cannot be read: {error}", path.display())]
    Directory { path: PathBuf, error: io::Error },
    #[error("{}: there is no configuration in this directory", .0.display())]
    NoFiles(PathBuf),
    /// In the files of the configuration.
    #[error("there are errors in the configuration")]
    Problems { found: Vec<Diagnostic>, hidden: HiddenSource },
    #[error("--var {name}: the configuration declares no variable of this name{hint}")]
    Undeclared { name: String, hint: String },
    #[error("{input}: {message}")]
    Variables { input: Source, message: String },
    #[error("{}: the directory cannot be read: {error}", path.display())]
    BaseDirectory { path: PathBuf, error: io::Error },
}

impl ConfigurationError {
    /// The error of a command, which shows what is wrong in its place in the files.
    pub(crate) fn in_sources(self, sources: &Sources) -> CommandError {
        match self {
            Self::Problems { found, hidden } => CommandError::shown(report::show(sources, &hidden, &found)),
            error => unusable(error),
        }
    }
}

/// Whether one of these names stands for a reference: itself, or what it leads to.
pub(crate) fn covers(declared: &BTreeSet<String>, reference: &str) -> bool {
    let leads = |name: &String| {
        reference
            .strip_prefix(name.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    declared.iter().any(leads)
}
