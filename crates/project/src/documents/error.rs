//! Why inputs have no document.

use std::path::PathBuf;

use objchange_files::capitals;

/// Why what is named has no document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InputsError {
    /// Standard input is named twice.
    #[error("standard input (-) can be read only once")]
    OneStdin,
    /// A glob cannot be read.
    #[error("{glob}: this is not a glob: {reason}")]
    Glob {
        /// The glob.
        glob: String,
        /// Why.
        reason: String,
    },
    /// No file has a name like this glob.
    #[error("{0}: no file matches this")]
    NoMatch(String),
    /// A folder cannot be searched. The sentence names it.
    #[error("{0}")]
    Unsearched(String),
    /// A folder has no document.
    #[error("{folder}: there are no {wanted} in it, and no *.tf")]
    EmptyFolder {
        /// The folder.
        folder: String,
        /// The documents that are wanted, in the plural.
        wanted: &'static str,
    },
    /// Only the case of a name is wrong. A plan that is not judged must not look like one that passes.
    #[error("{}", capitals(.0))]
    Capitals(PathBuf),
    /// The module in a directory cannot be planned, for this reason.
    #[error("{0}")]
    Module(String),
    /// The program failed while it read this document.
    #[error("{0}: this is a bug in objchange")]
    Panic(String),
}

impl InputsError {
    /// The stable name of the kind.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::OneStdin => "one_stdin",
            Self::Glob { .. } => "glob",
            Self::NoMatch(_) => "no_match",
            Self::Unsearched(_) => "unsearched",
            Self::EmptyFolder { .. } => "empty_folder",
            Self::Capitals(_) => "capitals",
            Self::Module(_) => "module",
            Self::Panic(_) => "panic",
        }
    }
}
