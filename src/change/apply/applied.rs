//! The result of applying a change.

use crate::change::{Diagnostic, InconsistentResult, PrivateData, ProviderError};
use crate::schema::CoerceError;
use crate::value::{Path, TypeMismatch, Value};

/// A change that was made, or tried. Sensitive parts of its values are marked.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct AppliedChange {
    /// The object that Terraform saves; null if it is gone. It has no unknown and no write-only values.
    pub saved: Value,
    /// The object was created, but not as it should be: it is saved as tainted, and replaced next time.
    pub tainted: bool,
    /// The old object, if the new one exists and the old one could not be destroyed.
    pub deposed: Option<Value>,
    /// The violations in the provider's answers. Terraform reports them as errors, except for inconsistent
    /// results of providers with the legacy type system.
    pub violations: Vec<ApplyViolation>,
    /// The provider uses the legacy type system.
    pub legacy_type_system: bool,
    /// Private data of the provider to store with the object.
    pub private: PrivateData,
    /// The identity of the object, if the provider has given one.
    pub identity: Option<Value>,
    /// The provider's diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// A violation in a provider's answer to apply.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyViolation {
    /// There is neither an object nor an error.
    #[error("the provider returned no object, and no error either")]
    NoObject,
    /// The object is not of the type that the schema implies.
    #[error(transparent)]
    WrongType(TypeMismatch),
    /// A write-only attribute has a value.
    #[error("{0}: a write-only attribute must be null after apply")]
    WriteOnly(Path),
    /// A part is still unknown.
    #[error("{}: unknown after apply; all values must be known then", crate::change::error::place(.0))]
    Unknown(Path),
    /// The object should be destroyed, and still exists.
    #[error("the object was to be destroyed, but the provider returned one")]
    NotDestroyed,
    /// The object is not the planned one.
    #[error(transparent)]
    Inconsistent(InconsistentResult),
}

impl ApplyViolation {
    /// The stable name of the kind of violation.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NoObject => "no_object",
            Self::WrongType(_) => "wrong_type",
            Self::WriteOnly(_) => "write_only_not_null",
            Self::Unknown(_) => "unknown_after_apply",
            Self::NotDestroyed => "not_destroyed",
            Self::Inconsistent(inconsistent) => inconsistent.kind.kind(),
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        const ROOT: &Path = &Path::root();
        match self {
            Self::NoObject | Self::NotDestroyed => ROOT,
            Self::WrongType(mismatch) => &mismatch.path,
            Self::WriteOnly(path) | Self::Unknown(path) => path,
            Self::Inconsistent(inconsistent) => &inconsistent.path,
        }
    }
}

/// Why a change could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApplyChangeError {
    /// The configuration does not fit the schema.
    #[error("configuration: {0}")]
    Config(CoerceError),
    /// Part of the configuration is unknown.
    #[error(
        "configuration: {}: unknown; a change can be made when its configuration is wholly known",
        crate::change::error::place(path)
    )]
    UnknownConfig {
        /// The first part that is unknown.
        path: Path,
    },
    /// The provider does not answer.
    #[error("the provider does not answer: {0}")]
    Provider(#[source] ProviderError),
}

impl ApplyChangeError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Config(_) => "config",
            Self::UnknownConfig { .. } => "unknown_config",
            Self::Provider(_) => "provider",
        }
    }
}
