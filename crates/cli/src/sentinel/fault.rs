//! Why a policy could not be run, whether the reason is in a text, a configuration or the run.

use std::fmt;
use std::path::Path;

use objchange_sentinel::{Diagnostic, LineIndex, Position, RunError};
use serde::Serialize;

use super::configuration::Problem;

/// What is wrong, and where if that is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Fault {
    pub(crate) message: String,
    pub(crate) file: String,
    pub(crate) line: Option<u32>,
    pub(crate) col: Option<u32>,
}

impl Fault {
    fn at(message: String, file: String, Position { line, column }: Position) -> Self {
        Self { message, file, line: Some(line), col: Some(column) }
    }

    /// About a file as a whole. What is said may already begin with its name.
    pub(crate) fn of_file(path: &Path, message: &str) -> Self {
        let file = path.display().to_string();
        let message = message.strip_prefix(&file).unwrap_or(message).trim_start_matches([':', ' ']);
        Self { message: message.to_owned(), file, line: None, col: None }
    }

    pub(crate) fn syntax(file: &str, lines: &LineIndex<'_>, error: &Diagnostic) -> Self {
        let start = error.subject.unwrap_or_default().start;
        Self::at(error.to_string(), file.to_owned(), lines.char_position(start))
    }
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        Self::at(problem.message().to_owned(), problem.file().to_owned(), problem.position())
    }
}

impl From<RunError> for Fault {
    fn from(error: RunError) -> Self {
        let hint = match &*error.message {
            "there is no import http" => ": policies have no network here; tests can mock it",
            "there is no import tfplan" => ": version 1 is not supported; import \"tfplan/v2\"",
            "there is no import tfconfig" => ": version 1 is not supported; import \"tfconfig/v2\"",
            "there is no import tfstate" => ": version 1 is not supported; import \"tfstate/v2\"",
            _ => "",
        };
        let message = format!("{}{hint}", error.message);
        Self::at(message, error.location.file.to_string(), error.location.position)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let (Some(line), Some(col)) = (self.line, self.col) {
            write!(f, ":{line}:{col}")?;
        }
        write!(f, ": {}", self.message)
    }
}
