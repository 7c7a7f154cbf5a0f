//! A finding: one result of a check, about one place.

use std::fmt;

use objchange_text::Severity;
use serde::{Serialize, Serializer};

/// One result of a check, about one place. It contains nothing sensitive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The place of the finding.
    #[serde(flatten)]
    pub location: Location,
    /// The stable name of its kind.
    pub kind: String,
    /// The rule, if it differs from the kind.
    #[serde(skip)]
    pub rule: Option<String>,
    /// How certain the finding is.
    pub outcome: Outcome,
    /// The severity.
    #[serde(serialize_with = "severity")]
    pub severity: Severity,
    /// The message, in one sentence.
    pub message: String,
    /// Details beyond the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// The address of the object that the finding concerns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The block of that object in the configuration, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<Location>,
    /// Distinguishes findings of one rule whose messages differ from run to run.
    #[serde(skip)]
    pub identity: Option<String>,
    /// Why the finding is accepted, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<String>,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Location {
    /// The name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// The column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// The line of the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u64>,
    /// The column of the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_column: Option<u32>,
}

/// Whether a finding is certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// A note: nothing is wrong.
    Note,
    /// It depends on unknown values.
    Undecided,
    /// A violation of the rule.
    #[serde(rename = "fail")]
    Failed,
    /// The check could not be made.
    Error,
    /// The input could not be read.
    NotJudged,
}

impl Location {
    /// The start of a line in a file.
    pub fn new(file: impl Into<String>, line: impl Into<u64>) -> Self {
        let (column, end_line, end_column) = Default::default();
        Self { file: file.into(), line: line.into(), column, end_line, end_column }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)?;
        self.column.map_or(Ok(()), |column| write!(f, ":{column}"))
    }
}

impl Finding {
    /// A finding of this kind.
    pub fn new(
        kind: impl Into<String>,
        outcome: Outcome,
        message: impl Into<String>,
        location: Location,
    ) -> Self {
        let (rule, details, address, block, identity, accepted) = Default::default();
        let (kind, message, severity) = (kind.into(), message.into(), Severity::Error);
        Self { location, kind, rule, outcome, severity, message, details, address, block, identity, accepted }
    }

    /// Accepts the finding for this reason.
    #[must_use]
    pub fn accepted(self, reason: impl Into<String>) -> Self {
        Self { accepted: Some(reason.into()), ..self }
    }

    /// The place to correct: the block of the object, or else the place of the finding.
    pub fn place(&self) -> &Location {
        self.block.as_ref().unwrap_or(&self.location)
    }

    /// Whether the finding makes a report fail.
    pub fn fails(&self) -> bool {
        self.accepted.is_none() && self.outcome != Outcome::Note
    }

    /// The rule of the finding.
    pub fn rule(&self) -> &str {
        self.rule.as_deref().unwrap_or(&self.kind)
    }
}

fn severity<S: Serializer>(severity: &Severity, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(severity.name())
}
