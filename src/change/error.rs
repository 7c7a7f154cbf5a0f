//! Errors in the values that the engine is given.

use crate::value::{Path, Type};

/// A value that the engine cannot work with, because it does not fit its schema.
///
/// For values that crash Terraform, this error names the place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// A part is of a kind that the schema does not allow there.
    #[error("{}: the schema expects {expected} here, but the value is of type {}; coerce it first, with `Block::coerce_value`", place(.path), .found.friendly_name())]
    WrongKind {
        /// Its path.
        path: Path,
        /// The expected type or form.
        expected: &'static str,
        /// The type that the value has, without the names of attributes where they may be secret.
        found: Type,
    },
    /// An object lacks an attribute or block that its schema has.
    #[error("{}: the object has no {name:?}, which its schema requires; coerce it first, with `Block::coerce_value`", place(.path))]
    MissingMember {
        /// The object's path.
        path: Path,
        /// The missing attribute or block.
        name: String,
    },
    /// A collection of blocks is marked as a whole; only its blocks and their attributes may be.
    #[error("{}: a collection of blocks cannot be marked as a whole; mark its blocks instead", place(.path))]
    MarkedBlocks {
        /// Its path.
        path: Path,
    },
}

impl ChangeError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::WrongKind { .. } => "wrong_kind",
            Self::MissingMember { .. } => "missing_member",
            Self::MarkedBlocks { .. } => "marked_blocks",
        }
    }

    /// The path of the part that caused the error.
    pub fn path(&self) -> &Path {
        match self {
            Self::WrongKind { path, .. } | Self::MissingMember { path, .. } | Self::MarkedBlocks { path } => {
                path
            }
        }
    }
}

/// The path as the prefix of a message.
pub(crate) fn place(path: &Path) -> String {
    if path.is_root() { "the value itself".to_owned() } else { path.to_string() }
}
