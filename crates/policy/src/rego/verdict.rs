//! The verdict of policies on a document.

use std::fmt;

use serde::Serialize;
use serde_json::value::RawValue;

use super::error::PolicyLocation;
use super::rules::Severity;
use super::trace::{TracedCondition, TracedRule};

/// The verdicts of policies on one document.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct Verdicts {
    /// The verdict of each rule, in the order of the files.
    pub rules: Vec<RuleVerdict>,
    /// The output of `print` in the rules, each with its position.
    pub prints: Vec<String>,
    /// Failures of built-in functions, which made conditions undefined.
    pub warnings: Vec<Warning>,
    /// The conditions of rules and functions that the rules use, if they are asked for.
    #[serde(skip)]
    pub used: Vec<TracedRule>,
}

/// Something that a built-in function could not do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Warning {
    /// Where it is called.
    #[serde(flatten)]
    pub place: PolicyLocation,
    /// The failure.
    pub message: String,
}

/// The verdict of a rule: of all definitions of its name in its package.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct RuleVerdict {
    /// The package and the name of the rule.
    pub rule: String,
    /// The severity if it holds.
    pub severity: Severity,
    /// Where it is defined first.
    pub place: PolicyLocation,
    /// Findings that hold whatever the unknown values turn out to be.
    pub findings: Vec<Finding>,
    /// The undecided part: findings that depend on unknown values.
    pub undecided: Option<Undecided>,
    /// An `exception` of its package names the rule: what it says does not count.
    pub excepted: bool,
    /// Why it could not be evaluated.
    pub error: Option<String>,
    /// The conditions of each definition, if they are asked for.
    #[serde(skip)]
    pub trace: Vec<Vec<TracedCondition>>,
}

/// The undecided result of a rule that read unknown values.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct Undecided {
    /// The findings while the values are unknown.
    pub findings: Vec<Finding>,
    /// The unknown values that it depends on.
    pub waits_for: Vec<Unknown>,
}

impl Undecided {
    /// Adds values that it depends on; each is named once.
    pub(super) fn wait_for(&mut self, more: impl IntoIterator<Item = Unknown>) {
        self.waits_for.extend(more);
        self.waits_for.sort();
        self.waits_for.dedup();
    }
}

/// A value that is unknown until apply.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[non_exhaustive]
pub struct Unknown {
    /// The address of the resource, or `output.` and the name of an output.
    pub address: String,
    /// Where in its values; empty where all of it is unknown.
    pub path: String,
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.path {
            "" => f.write_str(&self.address),
            path => write!(f, "{path} of {}", self.address),
        }
    }
}

/// One thing that a rule says.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The definition that says it.
    #[serde(flatten)]
    pub place: PolicyLocation,
    /// The address of the resource that it is about, where that is known.
    pub address: Option<String>,
    /// The message; `None` if it contains something sensitive.
    pub message: Option<String>,
    /// The whole of what it says, where it is more than a text.
    pub details: Option<Box<RawValue>>,
}

/// The outcome of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It does not hold.
    Pass,
    /// An exception names it.
    Excepted,
    /// Whether it holds is not known until apply.
    Undecided,
    /// It holds.
    Fail,
    /// Evaluating it fails: what it says is not known.
    Error,
}

impl RuleVerdict {
    /// How many messages its outcome has.
    pub fn messages(&self) -> usize {
        match (self.outcome(), &self.undecided) {
            (Outcome::Fail, _) => self.findings.len(),
            (Outcome::Undecided, Some(undecided)) => undecided.findings.len(),
            _ => 0,
        }
    }

    /// The outcome.
    pub fn outcome(&self) -> Outcome {
        match self {
            // A rule that was not evaluated as a whole has not passed, whatever its other definitions say.
            Self { error: Some(_), .. } => Outcome::Error,
            // An exception counts only where the rule would say something.
            Self { findings, undecided: None, .. } if findings.is_empty() => Outcome::Pass,
            Self { excepted: true, .. } => Outcome::Excepted,
            Self { findings, .. } if findings.is_empty() => Outcome::Undecided,
            _ => Outcome::Fail,
        }
    }
}

/// Replaces a message that must not be shown.
pub const HIDDEN_MESSAGE: &str = "(message hidden: it holds a sensitive value)";

impl Finding {
    /// The message, or a text that says it is hidden.
    pub fn text(&self) -> &str {
        self.message.as_deref().unwrap_or(HIDDEN_MESSAGE)
    }
}
