//! A review: what plans would do and what was found about them, as one page for people or as data.
//!
//! The changes of each plan are those of the page of `show` (`markdown`, `summary`, `json`); here is what stands around them.

mod html;
mod markdown;
mod text;

use std::borrow::Cow;
use std::io::Write;

use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};

use crate::report::{Report, ShowError};

/// Plans, and everything that was found about them.
#[derive(Debug, Default)]
pub struct Review<'p> {
    /// The plans, in the order in which they were named.
    pub plans: Vec<ReviewedPlan<'p>>,
    /// Why inputs could not be reviewed.
    pub problems: Vec<String>,
    /// Why other inputs were not, where the reader accepts that.
    pub skipped: Vec<String>,
    /// The commit that is reviewed.
    pub commit: Option<String>,
}

/// A plan, and what was found about it.
#[derive(Debug, Default)]
pub struct ReviewedPlan<'p> {
    /// The name of its file or directory.
    pub name: String,
    /// Its changes.
    pub report: Report<'p>,
    /// The program that made it, with its version.
    pub made_by: Option<String>,
    /// When it was made.
    pub made_at: Option<String>,
    /// The workspace that it is for.
    pub workspace: Option<String>,
    /// Its approval hash.
    pub hash: Option<String>,
    /// Why it is refused, whatever the policies say.
    pub refused: Vec<String>,
    /// The results of policies that did not just pass.
    pub policies: Vec<PolicyResult>,
    /// The number of policies that passed.
    pub passed: usize,
}

/// A policy's answer about a plan. Nothing sensitive is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PolicyResult {
    /// The name of the rule or policy.
    pub policy: String,
    /// Its file and line.
    pub place: String,
    /// The file and line of the block that it is about, where the configuration is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub block: Option<String>,
    /// Its message.
    pub outcome: PolicyOutcome,
    /// Whether it refuses the plan.
    pub refuses: bool,
    /// A sentence; of an undecided one also the unknown values that it waits for.
    pub message: String,
    /// The address of the object that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
}

/// The outcome of a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyOutcome {
    /// It could not be evaluated.
    Error,
    /// It does not hold.
    Failed,
    /// It depends on values that are not known yet.
    Undecided,
}

impl PolicyOutcome {
    /// In a word.
    fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Failed => "failed",
            Self::Undecided => "undecided",
        }
    }
}

impl PolicyResult {
    /// The block that it is about, where that is known, and the place of the policy.
    fn places(&self) -> Cow<'_, str> {
        match &self.block {
            Some(block) => Cow::Owned(format!("{block}, by {}", self.place)),
            None => Cow::Borrowed(&self.place),
        }
    }
}

impl ReviewedPlan<'_> {
    /// Whether it is refused.
    pub fn is_refused(&self) -> bool {
        !self.refused.is_empty() || self.policies.iter().any(|result| result.refuses)
    }

    /// The numbers of the results of policies, such as `1 failed, 4 passed`; empty without policies.
    fn policy_counts(&self) -> String {
        let count = |outcome, refuses| {
            let results = self.policies.iter();
            results.filter(|result| result.outcome == outcome && result.refuses == refuses).count()
        };
        let parts = [
            (count(PolicyOutcome::Error, true), "with errors"),
            (count(PolicyOutcome::Failed, true), "failed"),
            (count(PolicyOutcome::Undecided, true), "undecided"),
            (self.policies.iter().filter(|result| !result.refuses).count(), "accepted"),
            (self.passed, "passed"),
        ];
        let parts = parts.iter().filter(|(count, _)| *count > 0);
        parts.map(|(count, what)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
    }

    /// How it was made, if anything is known of that: by which program, in which workspace, and when. `quoted` formats each.
    fn made(&self, quoted: impl Fn(&str) -> String) -> Option<String> {
        let parts =
            [(" by ", &self.made_by), (" in the workspace ", &self.workspace), (" at ", &self.made_at)];
        let parts = parts.into_iter().filter_map(|(word, what)| what.as_ref().map(|what| (word, what)));
        let parts: String = parts.map(|(word, what)| format!("{word}{}", quoted(what))).collect();
        (!parts.is_empty()).then(|| format!("Made{parts}"))
    }

    /// The results, those that refuse the plan first.
    fn sorted_policies(&self) -> Vec<&PolicyResult> {
        let mut results: Vec<_> = self.policies.iter().collect();
        results.sort_by_key(|result| (!result.refuses, result.outcome));
        results
    }
}

impl Review<'_> {
    /// Whether a plan is refused.
    pub fn is_refused(&self) -> bool {
        self.plans.iter().any(ReviewedPlan::is_refused)
    }

    /// `accepted`, `refused`, or `not_reviewed` if an input could not be reviewed.
    pub fn verdict(&self) -> &'static str {
        match (self.problems.is_empty(), self.is_refused()) {
            (false, _) => "not_reviewed",
            (true, true) => "refused",
            (true, false) => "accepted",
        }
    }

    /// Writes the review as JSON (`schema/review.schema.json`).
    ///
    /// # Errors
    ///
    /// A change, or the schema of its type, cannot be read, or the text cannot be written.
    pub fn write_json(&self, out: &mut dyn Write) -> Result<(), ShowError> {
        match super::json::write_lines(self, out) {
            Ok(()) => Ok(()),
            Err(error) if error.is_io() => Err(ShowError::Write(error.into())),
            Err(error) => {
                let first = self.plans.iter().find_map(|plan| plan.report.first_error());
                Err(first.unwrap_or_else(|| ShowError::Write(error.into())))
            }
        }
    }
}

impl Serialize for Review<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown<'r, 'p> {
            format_version: &'static str,
            verdict: &'static str,
            #[serde(skip_serializing_if = "Option::is_none")]
            commit: Option<&'r str>,
            plans: Plans<'r, 'p>,
            problems: &'r [String],
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            skipped: &'r [String],
        }
        let shown = Shown {
            format_version: "1.0",
            verdict: self.verdict(),
            commit: self.commit.as_deref(),
            plans: Plans(&self.plans),
            problems: &self.problems,
            skipped: &self.skipped,
        };
        shown.serialize(serializer)
    }
}

struct Plans<'r, 'p>(&'r [ReviewedPlan<'p>]);

impl Serialize for Plans<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown<'r, 'p> {
            name: &'r str,
            verdict: &'static str,
            total: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            made_by: Option<&'r str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            made_at: Option<&'r str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            workspace: Option<&'r str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            hash: Option<&'r str>,
            refused: &'r [String],
            policies: &'r [PolicyResult],
            policies_passed: usize,
            report: &'r Report<'p>,
        }
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        for plan in self.0 {
            list.serialize_element(&Shown {
                name: &plan.name,
                verdict: if plan.is_refused() { "refused" } else { "accepted" },
                total: plan.report.total(),
                made_by: plan.made_by.as_deref(),
                made_at: plan.made_at.as_deref(),
                workspace: plan.workspace.as_deref(),
                hash: plan.hash.as_deref(),
                refused: &plan.refused,
                policies: &plan.policies,
                policies_passed: plan.passed,
                report: &plan.report,
            })?;
        }
        list.end()
    }
}

/// Whether the plan destroys or replaces something.
fn has_losses(report: &Report<'_>) -> bool {
    report.counts.delete + report.counts.replace > 0
}
