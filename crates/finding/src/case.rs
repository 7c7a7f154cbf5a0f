//! A case: one checked item, with its findings.

use std::time::Duration;

use crate::{Finding, Location, Outcome};

/// One checked item, with its findings. It passes if it has no findings and was not skipped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// The class that it belongs to.
    pub class: Option<String>,
    /// The place of its definition.
    pub location: Option<Location>,
    /// The duration of the check.
    pub time: Option<Duration>,
    /// Its output.
    pub output: Option<String>,
    /// Why it was not checked, if it was not.
    pub skipped: Option<String>,
    /// The findings.
    pub findings: Vec<Finding>,
    /// The subject of the messages. SARIF, which shows each message alone, puts it in front.
    pub subject: Option<String>,
    /// All findings in one sentence, if it differs from the message of the first one.
    pub summary: Option<String>,
    /// All findings in full, if the text says more than their messages.
    pub text: Option<String>,
}

/// The result of a case, ordered from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It passed.
    Passed,
    /// Not checked, or all its findings are accepted.
    Skipped,
    /// It depends on unknown values.
    Undecided,
    /// It violates a rule.
    Failed,
    /// The check could not be made.
    Error,
    /// The input could not be read.
    NotJudged,
}

impl Verdict {
    /// Whether it makes the report fail.
    pub fn fails(self) -> bool {
        self > Self::Skipped
    }
}

impl Case {
    /// A case that passes.
    pub fn new(name: impl Into<String>) -> Self {
        let (class, location, time, output, skipped) = Default::default();
        let (findings, subject, summary, text) = Default::default();
        Self { name: name.into(), class, location, time, output, skipped, findings, subject, summary, text }
    }

    /// Sets its class and the place of its definition.
    #[must_use]
    pub fn at(self, class: impl Into<String>, location: Location) -> Self {
        Self { class: Some(class.into()), location: Some(location), ..self }
    }

    /// Adds a finding.
    #[must_use]
    pub fn with(mut self, finding: Finding) -> Self {
        self.findings.push(finding);
        self
    }

    /// The result.
    pub fn verdict(&self) -> Verdict {
        match self.worst().map(|finding| finding.outcome) {
            Some(Outcome::NotJudged) => Verdict::NotJudged,
            Some(Outcome::Error) => Verdict::Error,
            // A note never fails, so it is never the worst.
            Some(Outcome::Failed | Outcome::Note) => Verdict::Failed,
            Some(Outcome::Undecided) => Verdict::Undecided,
            None if self.skipped.is_some() || self.accepted().next().is_some() => Verdict::Skipped,
            None => Verdict::Passed,
        }
    }

    /// The first of the worst findings that fail.
    pub(crate) fn worst(&self) -> Option<&Finding> {
        // Backwards, because `max_by_key` returns the last of several equal ones.
        self.failing().rev().max_by_key(|finding| finding.outcome)
    }

    pub(crate) fn failing(&self) -> impl DoubleEndedIterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.fails())
    }

    /// The findings that a gate lets pass.
    pub(crate) fn accepted(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| !finding.fails() && finding.outcome != Outcome::Note)
    }
}
