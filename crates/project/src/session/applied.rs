//! The result of a change, for people and for programs.

use objchange::change::{Action, AppliedChange, ApplyViolation, Diagnostic, Severity};
use objchange::value::Path;
use objchange_text::{MAX_TEXTS, left_out};
use serde::Serialize;
use serde_json::value::RawValue;

use super::{Hidden, PlannedObject, SessionError, redacted};

/// The result of a change (`schema/provider-apply.schema.json`).
#[derive(Debug, Serialize)]
pub struct AppliedReport<'a> {
    format_version: &'static str,
    action: Action,
    tainted: bool,
    legacy_type_system: bool,
    violations: Vec<Violation<'a>>,
    errors: Vec<String>,
    object: Box<RawValue>,
    #[serde(skip)]
    is_gone: bool,
    #[serde(skip)]
    is_fine: bool,
}

#[derive(Debug, Serialize)]
struct Violation<'a> {
    kind: &'static str,
    path: &'a Path,
    message: String,
}

impl<'a> AppliedReport<'a> {
    /// The report of what was made, without secrets.
    ///
    /// # Errors
    ///
    /// JSON has no form for the object.
    pub fn new(
        planned: &PlannedObject<'_>,
        applied: &'a AppliedChange,
        hidden: &Hidden<'_>,
    ) -> Result<Self, SessionError> {
        let is_error = |diagnostic: &&Diagnostic| diagnostic.severity == Severity::Error;
        let errors = applied.diagnostics.iter().filter(is_error);
        let shown = errors.clone().take(MAX_TEXTS).map(|error| hidden.relay(&error.to_string()));
        let errors: Vec<String> = shown.chain(left_out(errors.count(), MAX_TEXTS, "errors")).collect();
        let violation = |violation: &'a ApplyViolation| Violation {
            kind: violation.kind(),
            path: violation.path(),
            message: hidden.relay(&violation.to_string()),
        };
        // Terraform only logs inconsistent results of providers that set `legacy_type_system`.
        let tolerates = |violation: &ApplyViolation| {
            applied.legacy_type_system && matches!(violation, ApplyViolation::Inconsistent(_))
        };
        Ok(Self {
            format_version: "1.0",
            action: planned.change.action,
            tainted: applied.tainted,
            legacy_type_system: applied.legacy_type_system,
            is_gone: applied.saved.is_null(),
            is_fine: errors.is_empty() && applied.violations.iter().all(tolerates),
            violations: applied.violations.iter().map(violation).collect(),
            errors,
            object: redacted(&applied.saved, &planned.schema.block, hidden)?,
        })
    }

    /// Whether nothing is against it.
    pub fn is_fine(&self) -> bool {
        self.is_fine
    }

    /// The violations of the contract, a sentence each, and whether Terraform tolerates it.
    pub fn violations(&self) -> impl ExactSizeIterator<Item = (String, bool)> {
        self.violations
            .iter()
            .map(|violation| (format!("{} ({})", violation.message, violation.kind), self.legacy_type_system))
    }

    /// The outcome in one word.
    pub fn outcome(&self) -> &'static str {
        match (self.action, self.tainted) {
            (Action::NoOp, _) => "nothing to do",
            (Action::Delete, _) if self.is_gone => "destroyed",
            (Action::Delete, _) => "not destroyed",
            (_, true) => "created, but with problems: the object is tainted",
            (Action::Create, _) => "created",
            (Action::Update, _) => "updated",
            _ => "replaced",
        }
    }
}
