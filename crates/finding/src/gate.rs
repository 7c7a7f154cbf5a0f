//! Decides which findings fail.

use objchange_text::Severity;

use crate::{Finding, Outcome};

/// Which findings fail. A check that could not be made fails unless nothing does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Gate {
    /// Nothing fails but what could not be read.
    pub never: bool,
    /// Warnings fail, and whatever is not decided.
    pub warnings: bool,
    /// Errors fail that are not decided.
    pub undecided: bool,
}

impl Gate {
    /// Errors fail, if they are certain.
    pub const ERRORS: Self = Self { never: false, warnings: false, undecided: false };
    /// Errors fail, also undecided ones.
    pub const UNDECIDED: Self = Self { undecided: true, ..Self::ERRORS };
    /// Errors and warnings fail, also undecided ones.
    pub const WARNINGS: Self = Self { warnings: true, ..Self::UNDECIDED };
    /// Nothing fails.
    pub const NEVER: Self = Self { never: true, ..Self::ERRORS };

    /// The finding, accepted for a reason if it does not fail.
    #[must_use]
    pub fn judge(self, finding: Finding) -> Finding {
        match self.reason(finding.outcome, finding.severity) {
            Some(reason) if finding.accepted.is_none() => finding.accepted(reason),
            _ => finding,
        }
    }

    /// Why a finding does not fail.
    fn reason(self, outcome: Outcome, severity: Severity) -> Option<&'static str> {
        match (outcome, severity) {
            // No gate lets an unreadable input pass, because it was not checked.
            (Outcome::Note | Outcome::NotJudged, _) => None,
            _ if self.never => Some("nothing fails"),
            (Outcome::Error, _) | (Outcome::Failed, Severity::Error) => None,
            (_, Severity::Warning) => (!self.warnings).then_some("warnings do not fail"),
            (Outcome::Undecided, Severity::Error) => {
                (!self.undecided && !self.warnings).then_some("undecided findings do not fail")
            }
        }
    }
}
