//! Why a file or folder of a user cannot be used.

use std::fmt;

/// A file or folder of a user cannot be used.
///
/// ```
/// use objchange_files::{FileError, FileErrorKind};
///
/// let error = FileError::new(FileErrorKind::Empty, "policies: no file in it is called *.rego");
/// assert_eq!((error.kind, error.kind.kind()), (FileErrorKind::Empty, "empty"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct FileError {
    /// The kind of the error.
    pub kind: FileErrorKind,
    /// The sentence, after the path.
    pub message: String,
}

/// The kind of a [`FileError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileErrorKind {
    /// The file or folder does not exist or cannot be read.
    Unreadable,
    /// The file cannot be written.
    Unwritable,
    /// A file is left out only because its name has capital letters.
    Capitals,
    /// A path or link leads out of the folders that may be read.
    Outside,
    /// A folder has no file of the wanted kind.
    Empty,
    /// The content is not what it should be.
    Invalid,
}

impl FileErrorKind {
    /// The stable name of the kind.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Unwritable => "unwritable",
            Self::Capitals => "capitals",
            Self::Outside => "outside",
            Self::Empty => "empty",
            Self::Invalid => "invalid",
        }
    }
}

impl FileError {
    /// An error whose message begins with the path.
    pub fn new(kind: FileErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    /// A file that cannot be read, for a reason whose text begins with the path.
    pub fn unreadable(reason: impl fmt::Display) -> Self {
        Self::new(FileErrorKind::Unreadable, reason.to_string())
    }

    /// A file that cannot be written, for a reason whose text begins with the path.
    pub fn unwritable(reason: impl fmt::Display) -> Self {
        Self::new(FileErrorKind::Unwritable, reason.to_string())
    }

    /// A file with wrong content, for a reason whose text begins with the path.
    pub fn invalid(reason: impl fmt::Display) -> Self {
        Self::new(FileErrorKind::Invalid, reason.to_string())
    }
}

impl From<FileError> for String {
    fn from(error: FileError) -> Self {
        error.message
    }
}
