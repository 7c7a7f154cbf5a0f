//! Answers of a provider.

use std::fmt;

use super::question::{Outline, PrivateData};
use crate::schema::SecretParts;
use crate::value::{Path, Value};

/// A provider's plan of a resource. The type has no schema to tell which parts are sensitive, so [`Debug`]
/// shows none of its content.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedResource {
    /// The planned object.
    pub planned: Value,
    /// The paths that require a new object.
    pub requires_replace: Vec<Path>,
    /// Only the provider knows whether the change requires a new object. Real providers always know.
    pub may_replace: bool,
    /// It uses the legacy type system, so that an invalid plan is only worth a warning.
    pub legacy_type_system: bool,
    /// Private data that the provider gets back when the plan is applied.
    pub private: PrivateData,
    /// The planned identity of the object at the provider.
    pub identity: Option<Value>,
    /// The provider defers the plan, and why. The object is then a guess that is not checked.
    pub deferred: Option<DeferredReason>,
    /// Its diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// A provider's result of applying a change. The type has no schema to tell which parts are sensitive, so
/// [`Debug`] shows none of its content.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AppliedResource {
    /// The object as it is now, null if it is gone; `None` if the provider does not say.
    pub new_state: Option<Value>,
    /// It uses the legacy type system, so that an inconsistent result is only worth a warning.
    pub legacy_type_system: bool,
    /// Private data to store with the object.
    pub private: PrivateData,
    /// The identity of the object at the provider.
    pub identity: Option<Value>,
    /// Its diagnostics.
    pub diagnostics: Vec<Diagnostic>,
}

/// Why a provider cannot plan yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DeferredReason {
    /// It does not say.
    Unknown,
    /// Something in the configuration of the resource is not known yet.
    ResourceConfigUnknown,
    /// Something in the provider's own configuration is not known yet.
    ProviderConfigUnknown,
    /// Something that the resource needs is not there yet.
    AbsentPrerequisite,
}

/// Something that a provider says to people.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// Whether it is an error or a warning.
    pub severity: Severity,
    /// A summary in one line.
    pub summary: String,
    /// The whole story; may be empty.
    pub detail: String,
    /// The path of its part.
    pub path: Option<Path>,
}

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Severity {
    /// The change cannot be made, or was made only in part.
    Error,
    /// A warning.
    Warning,
}

impl DeferredReason {
    /// The stable name of the reason, as Terraform writes it in plans.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::ResourceConfigUnknown => "resource_config_unknown",
            Self::ProviderConfigUnknown => "provider_config_unknown",
            Self::AbsentPrerequisite => "absent_prereq",
        }
    }
}

impl Severity {
    /// Its stable name.
    pub const fn kind(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

impl PlannedResource {
    /// An answer that plans this object, with nothing else.
    pub fn new(planned: Value) -> Self {
        Self {
            planned,
            requires_replace: Vec::new(),
            may_replace: false,
            legacy_type_system: false,
            private: PrivateData::default(),
            identity: None,
            deferred: None,
            diagnostics: Vec::new(),
        }
    }
}

impl AppliedResource {
    /// The answer that this is the object now, and nothing more.
    pub fn new(new_state: Value) -> Self {
        Self {
            new_state: Some(new_state),
            legacy_type_system: false,
            private: PrivateData::default(),
            identity: None,
            diagnostics: Vec::new(),
        }
    }

    /// A failure that does not say what the object is now.
    pub fn failed(error: Diagnostic) -> Self {
        let nothing = Self::new(Value::null(crate::value::Type::Dynamic));
        Self { new_state: None, diagnostics: vec![error], ..nothing }
    }
}

impl Diagnostic {
    /// An error with this summary.
    pub fn error(summary: impl Into<String>) -> Self {
        Self { severity: Severity::Error, summary: summary.into(), detail: String::new(), path: None }
    }

    /// A warning with this summary.
    pub fn warning(summary: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(summary) }
    }
}

/// The summary and the path.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = self.path.as_ref().filter(|path| !path.is_root()) {
            write!(f, "{path}: ")?;
        }
        f.write_str(&self.summary)
    }
}

/// The diagnostics with secrets removed from their paths.
pub(in crate::change) fn hide_in_diagnostics(
    mut diagnostics: Vec<Diagnostic>,
    secrets: &SecretParts<'_>,
) -> Vec<Diagnostic> {
    for diagnostic in &mut diagnostics {
        diagnostic.path = diagnostic.path.take().map(|path| secrets.path(&path));
    }
    diagnostics
}

/// Whether one of them is an error.
pub(in crate::change) fn have_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

impl fmt::Debug for PlannedResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            planned,
            requires_replace,
            may_replace,
            legacy_type_system,
            private,
            identity,
            deferred,
            diagnostics,
        } = self;
        f.debug_struct("PlannedResource")
            .field("planned", &Outline(planned))
            // Keys in paths may be secret, and there is no schema here to tell.
            .field("requires_replace", &format_args!("{} paths", requires_replace.len()))
            .field("may_replace", may_replace)
            .field("legacy_type_system", legacy_type_system)
            .field("private", private)
            .field("identity", &identity.as_ref().map(Outline))
            .field("deferred", deferred)
            .field("diagnostics", &format_args!("{} diagnostics", diagnostics.len()))
            .finish()
    }
}

impl fmt::Debug for AppliedResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { new_state, legacy_type_system, private, identity, diagnostics } = self;
        f.debug_struct("AppliedResource")
            .field("new_state", &new_state.as_ref().map(Outline))
            .field("legacy_type_system", legacy_type_system)
            .field("private", private)
            .field("identity", &identity.as_ref().map(Outline))
            .field("diagnostics", &format_args!("{} diagnostics", diagnostics.len()))
            .finish()
    }
}
