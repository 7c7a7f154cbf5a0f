//! Findings of a document besides its changes.

use objchange_text::Severity;

use super::PlanFile;
use super::warnings::incompleteness;
use crate::changes::Check;
use crate::changes::CheckStatus;

/// One thing to report about a document: a check that did not pass, or why the document may not show everything that
/// happens.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// Its kind.
    pub kind: FindingKind,
    /// An error if the plan cannot be applied or relied on.
    pub severity: Severity,
    /// The address of what it is about, or of the first of several; `None` if it is about the whole document.
    pub address: Option<String>,
    /// The problem.
    pub message: String,
}

/// The kind of a [`Finding`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FindingKind {
    /// A condition of a check does not hold.
    CheckFailed,
    /// A condition of a check could not be evaluated.
    CheckError,
    /// The result of a check is known after apply.
    CheckUnknown,
    /// The document is only a part of one.
    NoFormatVersion,
    /// Planning ended with an error.
    Errored,
    /// Changes are missing from the plan.
    LacksChanges,
    /// There may be more changes after the plan is applied.
    Incomplete,
    /// The plan was made without an input.
    MissingInput,
    /// A resource or an output has an unknown action.
    UnknownAction,
    /// A change has an unknown reason.
    UnknownReason,
    /// A resource has an unknown mode.
    UnknownMode,
    /// An action is invoked by an unknown event.
    UnknownTrigger,
    /// A change lacks a member that Terraform always writes.
    MissingMember,
}

impl FindingKind {
    /// Its stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::CheckFailed => "check_failed",
            Self::CheckError => "check_error",
            Self::CheckUnknown => "check_unknown",
            Self::NoFormatVersion => "no_format_version",
            Self::Errored => "errored",
            Self::LacksChanges => "lacks_changes",
            Self::Incomplete => "incomplete",
            Self::MissingInput => "missing_input",
            Self::UnknownAction => "unknown_action",
            Self::UnknownReason => "unknown_reason",
            Self::UnknownMode => "unknown_mode",
            Self::UnknownTrigger => "unknown_trigger",
            Self::MissingMember => "missing_member",
        }
    }
}

/// The findings of a document: one for each message of a check that did not pass, then the reasons why the document may
/// not show every change. A state has only the latter.
///
/// ```
/// use objchange_document::{FindingKind, PlanFile, findings};
///
/// let plan = r#"{"format_version":"1.2","resource_changes":[],"checks":[{
///     "address":{"kind":"check","to_display":"check.health"},"status":"fail",
///     "instances":[{"problems":[{"message":"The service is down."}]}]}]}"#;
/// let findings = findings(&PlanFile::parse("plan.json", plan.into())?);
/// assert_eq!((findings[0].kind, &*findings[0].message), (FindingKind::CheckFailed, "The service is down."));
/// assert_eq!(findings[0].address.as_deref(), Some("check.health"));
/// # Ok::<(), objchange_document::PlanFileError>(())
/// ```
pub fn findings(file: &PlanFile) -> Vec<Finding> {
    let checks = file.plan().map_or(&[][..], |plan| &plan.changes.checks);
    checks.iter().flat_map(of_check).chain(incompleteness(file.facts())).collect()
}

fn of_check(check: &Check<'_>) -> Vec<Finding> {
    let (kind, without_message) = match check.status {
        CheckStatus::Fail => (FindingKind::CheckFailed, "a condition does not hold"),
        CheckStatus::Error => (FindingKind::CheckError, "a condition could not be evaluated"),
        CheckStatus::Unknown => (FindingKind::CheckUnknown, "the result is not known until apply"),
    };
    // Terraform plans and applies in spite of the problems of a check block, and stops at all others.
    let severity = match check.status == CheckStatus::Unknown || check.kind == *"check" {
        true => Severity::Warning,
        false => Severity::Error,
    };
    let finding = |message: &str| Finding {
        kind,
        severity,
        address: Some(check.address.to_string()).filter(|address| !address.is_empty()),
        message: message.to_owned(),
    };
    match check.problems.is_empty() {
        true => vec![finding(without_message)],
        false => check.problems.iter().map(|problem| finding(problem)).collect(),
    }
}
