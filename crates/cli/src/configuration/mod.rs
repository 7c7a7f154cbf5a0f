//! Configuration files: the arguments for their variables, and reports of their errors.

pub(crate) mod report;
mod variable_args;

use objchange_hcl::Sources;
use objchange_project::ConfigurationError;

pub(crate) use variable_args::{GivenArgs, Settings};

use crate::exit::{CommandError, unusable};
use crate::hints;

/// The error of a command, with the place of the problem in the files.
pub(crate) fn error_in(error: ConfigurationError, sources: &Sources) -> CommandError {
    match error {
        ConfigurationError::Problems { found, hidden } => {
            CommandError::shown(report::show(sources, &hidden, &found))
        }
        error => unusable(hints::configuration(&error)),
    }
}
