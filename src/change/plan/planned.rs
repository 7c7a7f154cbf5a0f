//! The result of planning.

use crate::change::{
    Action, ChangeError, DeferredReason, Diagnostic, InvalidPlan, PrivateData, ProviderError,
};
use crate::schema::{CoerceError, UnknownPath};
use crate::value::{Marks, Path, TypeMismatch, Value};

/// Why an object is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplaceReason {
    /// The object is tainted.
    Tainted,
    /// Replacement was requested. These parts change, and could not change in place anyway.
    Requested(Vec<Path>),
    /// These parts change, and cannot change in place.
    CannotUpdate(Vec<Path>),
}

/// A violation of the contract in a provider's answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanViolation {
    /// The planned object is not of the type that the schema implies.
    #[error(transparent)]
    WrongType(TypeMismatch),
    /// A write-only attribute has a value in the plan.
    #[error("{0}: a write-only attribute must be planned as null")]
    WriteOnly(Path),
    /// The planned object breaks the contract.
    #[error(transparent)]
    Invalid(InvalidPlan),
    /// A path that requires replacement is neither in the prior nor in the planned object.
    #[error("{0}: required to be replaced, but neither the prior nor the planned object has it")]
    RequiresReplaceNowhere(Path),
    /// The provider defers the plan although deferral is not allowed.
    #[error("the provider defers the change, which was not allowed")]
    DeferralNotAllowed,
}

impl PlanViolation {
    /// The stable name of the kind of violation.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::WrongType(_) => "wrong_type",
            Self::WriteOnly(_) => "write_only_not_null",
            Self::Invalid(invalid) => invalid.kind.kind(),
            Self::RequiresReplaceNowhere(_) => "requires_replace_nowhere",
            Self::DeferralNotAllowed => "deferral_not_allowed",
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        const ROOT: &Path = &Path::root();
        match self {
            Self::WrongType(mismatch) => &mismatch.path,
            Self::WriteOnly(path) | Self::RequiresReplaceNowhere(path) => path,
            Self::Invalid(invalid) => &invalid.path,
            Self::DeferralNotAllowed => ROOT,
        }
    }
}

/// A planned change. Sensitive parts of its values are marked.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct PlannedChange {
    /// The action.
    pub action: Action,
    /// Why the object is replaced, if it is.
    pub replace_reason: Option<ReplaceReason>,
    /// Only the provider knows whether the object is replaced.
    pub may_replace: bool,
    /// The object before.
    pub before: Value,
    /// The object after, with unknown values for parts that are not known yet.
    pub after: Value,
    /// The proposed new object, which the provider was asked to plan.
    pub proposed: Value,
    /// The parts that are marked as sensitive before and not after. Their values are still marked in `after`,
    /// wherever they occur again.
    pub no_longer_sensitive: Vec<Path>,
    /// The marks in `after` that come from the configuration, by path. Ignored parts have the marks of
    /// `before`.
    pub configured_marks: Vec<(Path, Marks)>,
    /// The violations in the provider's answer. Terraform would stop here, unless the provider uses the
    /// legacy type system.
    pub violations: Vec<PlanViolation>,
    /// Violations for the new object of a replacement. Terraform finds them only when it applies the plan, because
    /// it then asks the provider again.
    pub at_apply: Vec<PlanViolation>,
    /// The provider uses the legacy type system.
    pub legacy_type_system: bool,
    /// Private data that the provider gets back when the change is applied.
    pub private: PrivateData,
    /// The planned identity of the object, if the provider returned one.
    pub identity: Option<Value>,
    /// Why the provider cannot plan the change yet, if it cannot. `after` is then a guess.
    pub deferred: Option<DeferredReason>,
    /// The provider's diagnostics, without errors.
    pub diagnostics: Vec<Diagnostic>,
}

/// Why a change could not be planned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlanChangeError {
    /// The configuration does not fit the schema.
    #[error("configuration: {0}")]
    Config(CoerceError),
    /// The prior object does not fit the schema.
    #[error("prior object: {0}")]
    Prior(CoerceError),
    /// The configuration is unknown as a whole; only parts of it may be.
    #[error("configuration: it is unknown as a whole; only parts of a configuration may be unknown")]
    UnknownConfig,
    /// A path in `ignore_changes` does not exist in the schema.
    #[error("ignore_changes: {0}")]
    IgnoreChanges(#[from] UnknownPath),
    /// A value does not fit the schema.
    #[error(transparent)]
    Change(#[from] ChangeError),
    /// The provider answered with errors.
    #[error("the provider cannot plan this change: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Refused(Vec<Diagnostic>),
    /// The provider does not answer.
    #[error("the provider does not answer: {0}")]
    Provider(#[source] ProviderError),
}

impl PlanChangeError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Config(_) => "config",
            Self::Prior(_) => "prior",
            Self::UnknownConfig => "unknown_config",
            Self::IgnoreChanges(_) => "ignore_changes",
            Self::Change(error) => error.kind(),
            Self::Refused(_) => "refused",
            Self::Provider(_) => "provider",
        }
    }
}

impl ReplaceReason {
    /// The stable name of the reason, as case files and reports write it.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Tainted => "tainted",
            Self::Requested(_) => "requested",
            Self::CannotUpdate(_) => "cannot_update",
        }
    }
}
