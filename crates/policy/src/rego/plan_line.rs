//! The report for programs: a line of JSON for each plan.

use serde::Serialize;

use super::{Finding, Outcome, Severity, Undecided, Verdicts, Warning};

/// The results of rules for a plan (`schema/policy-report.schema.json`).
#[derive(Debug, Serialize)]
pub struct PlanLine<'a> {
    file: &'a str,
    rules: Vec<Rule<'a>>,
    prints: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [Warning],
}

#[derive(Debug, Serialize)]
struct Rule<'a> {
    rule: &'a str,
    severity: Severity,
    outcome: Outcome,
    file: &'a str,
    line: u32,
    findings: &'a [Finding],
    undecided: Option<&'a Undecided>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

impl<'a> PlanLine<'a> {
    /// The results for the plan in this file.
    pub fn new(file: &'a str, verdicts: &'a Verdicts) -> Self {
        let rules = verdicts.rules.iter().map(|verdict| Rule {
            rule: &verdict.rule,
            severity: verdict.severity,
            outcome: verdict.outcome(),
            file: &verdict.place.file,
            line: verdict.place.line,
            findings: &verdict.findings,
            undecided: verdict.undecided.as_ref(),
            error: verdict.error.as_deref(),
        });
        Self { file, rules: rules.collect(), prints: &verdicts.prints, warnings: &verdicts.warnings }
    }
}
