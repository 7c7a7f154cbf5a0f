//! One thing that a check says of a place.

use std::fmt;

use objchange_text::Severity;
use serde::{Serialize, Serializer};

/// One thing that a check says of a place. Nothing sensitive is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Where it is.
    #[serde(flatten)]
    pub location: Location,
    /// The stable name of its kind.
    pub kind: String,
    /// The rule that it is about, if the kind is not that.
    #[serde(skip)]
    pub rule: Option<String>,
    /// Whether it is certain.
    pub outcome: Outcome,
    /// How bad it is.
    #[serde(serialize_with = "severity")]
    pub severity: Severity,
    /// A sentence.
    pub message: String,
    /// All that there is to say beside the sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// The address of the object that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// The block of that object in the configuration, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<Location>,
    /// Tells it from others of its rule, where the message differs from run to run.
    #[serde(skip)]
    pub identity: Option<String>,
    /// Why it does not fail, if it does not.
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
    /// Worth knowing, and nothing is wrong.
    Note,
    /// It depends on unknown values.
    Undecided,
    /// Something is not as it should be.
    #[serde(rename = "fail")]
    Failed,
    /// The check could not be made.
    Error,
    /// The input could not be read.
    NotJudged,
}

impl Location {
    /// A line of a file.
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

    /// Accepts it for this reason.
    #[must_use]
    pub fn accepted(self, reason: impl Into<String>) -> Self {
        Self { accepted: Some(reason.into()), ..self }
    }

    /// Where people correct it: the block of its object, or else where it is.
    pub fn place(&self) -> &Location {
        self.block.as_ref().unwrap_or(&self.location)
    }

    /// Whether it fails.
    pub fn fails(&self) -> bool {
        self.accepted.is_none() && self.outcome != Outcome::Note
    }

    /// The rule that it is about.
    pub fn rule(&self) -> &str {
        self.rule.as_deref().unwrap_or(&self.kind)
    }
}

fn severity<S: Serializer>(severity: &Severity, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(severity.name())
}
