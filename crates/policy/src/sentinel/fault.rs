//! Why a policy could not be run, whether the reason is in a text, a configuration or the run.

use std::fmt;
use std::path::Path;

use objchange_sentinel::{Diagnostic, LineIndex, Position, RunError, RunErrorKind};
use serde::Serialize;

/// A problem, with its position if that is known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Fault {
    /// The problem.
    pub message: String,
    /// The file that it is in.
    pub file: String,
    /// The line in that.
    pub line: Option<u32>,
    /// The column in that.
    pub column: Option<u32>,
    /// The kind of error, if it is an error of a run.
    #[serde(skip)]
    pub kind: Option<RunErrorKind>,
    /// It is the import `http`, which is there only where policies may use the network.
    #[serde(skip)]
    pub needs_network: bool,
}

impl Fault {
    pub(crate) fn at(message: String, file: String, Position { line, column }: Position) -> Self {
        Self { message, file, line: Some(line), column: Some(column), kind: None, needs_network: false }
    }

    /// About a file as a whole.
    pub fn of_file(path: &Path, message: impl Into<String>) -> Self {
        let file = path.display().to_string();
        Self { message: message.into(), file, line: None, column: None, kind: None, needs_network: false }
    }

    pub(crate) fn syntax(file: &str, lines: &LineIndex<'_>, error: &Diagnostic) -> Self {
        let start = error.subject.unwrap_or_default().start;
        Self::at(error.to_string(), file.to_owned(), lines.char_position(start))
    }
}

/// Advice for imports that do not exist.
const HINTS: [(&str, &str); 4] = [
    ("http", "policies have no network here; tests can mock it"),
    ("tfplan", "version 1 is not supported; import \"tfplan/v2\""),
    ("tfconfig", "version 1 is not supported; import \"tfconfig/v2\""),
    ("tfstate", "version 1 is not supported; import \"tfstate/v2\""),
];

impl From<RunError> for Fault {
    fn from(error: RunError) -> Self {
        let hint = HINTS.iter().find(|(import, _)| error.import.as_deref() == Some(*import));
        let message = match hint {
            Some((_, hint)) => format!("{}: {hint}", error.message),
            None => error.message,
        };
        let location = error.location;
        let needs_network = error.import.as_deref() == Some("http");
        Self {
            kind: Some(error.kind),
            needs_network,
            ..Self::at(message, location.file.to_string(), location.position)
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let (Some(line), Some(col)) = (self.line, self.column) {
            write!(f, ":{line}:{col}")?;
        }
        write!(f, ": {}", self.message)
    }
}
