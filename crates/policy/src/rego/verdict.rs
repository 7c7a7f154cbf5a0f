//! The verdict of policies on a document.

use serde::Serialize;
use serde_json::value::RawValue;

use super::error::PolicyLocation;
use super::rules::Severity;

/// What policies say of one document.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct Verdicts {
    /// What each rule says, in the order of the files. A rule of several definitions comes once for each that says
    /// anything, and once if none does.
    pub rules: Vec<RuleVerdict>,
    /// What the rules have printed, after the place of the `print`.
    pub prints: Vec<String>,
    /// What built-in functions could not do, so that conditions were undefined.
    pub warnings: Vec<Warning>,
}

/// Something that a built-in function could not do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Warning {
    /// Where it is called.
    pub place: PolicyLocation,
    /// What it could not do.
    pub message: String,
}

/// What one definition of a rule says.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct RuleVerdict {
    /// The package and the name of the rule.
    pub rule: String,
    /// How bad it is when it holds.
    pub severity: Severity,
    /// Where it is defined.
    pub place: PolicyLocation,
    /// What is so whatever becomes of what is unknown.
    pub findings: Vec<Finding>,
    /// What may be so and depends on what is unknown until apply.
    pub undecided: Option<Undecided>,
    /// An `exception` of its package names the rule: what it says does not count.
    pub excepted: bool,
    /// Why it could not be evaluated.
    pub error: Option<String>,
}

/// What a rule that looked at something unknown says.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct Undecided {
    /// What it says as long as it is unknown.
    pub findings: Vec<Finding>,
    /// What it waits for.
    pub waits_for: Vec<Unknown>,
}

/// A value that is unknown until apply.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[non_exhaustive]
pub struct Unknown {
    /// The address of the resource, or `output.` and the name of an output.
    pub address: String,
    /// Where in its values.
    pub path: String,
}

/// One thing that a rule says.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// The address of the resource that it is about, where that is known.
    pub address: Option<String>,
    /// What it says; `None` if that holds something sensitive.
    pub message: Option<String>,
    /// The whole of what it says, where it is more than a text.
    pub details: Option<Box<RawValue>>,
}

/// How the verdict on a rule turns out.
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
    pub(super) fn says_something(&self) -> bool {
        !self.findings.is_empty() || self.undecided.is_some() || self.error.is_some()
    }

    /// How it turns out.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self { error: Some(_), .. } => Outcome::Error,
            Self { findings, undecided: None, .. } if findings.is_empty() => Outcome::Pass,
            Self { excepted: true, .. } => Outcome::Excepted,
            Self { findings, .. } if findings.is_empty() => Outcome::Undecided,
            _ => Outcome::Fail,
        }
    }
}

/// What stands for a message that must not be shown.
pub const HIDDEN_MESSAGE: &str = "(message hidden: it holds a sensitive value)";

impl Finding {
    /// The message, or what stands for it.
    pub fn text(&self) -> &str {
        self.message.as_deref().unwrap_or(HIDDEN_MESSAGE)
    }
}
