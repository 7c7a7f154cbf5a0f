//! The report for programs: a line of JSON for each plan.

use objchange_policy::rego::{Finding, Outcome, Severity, Undecided, Warning};
use serde::Serialize;

use super::Judged;

#[derive(Serialize)]
pub(super) struct Line<'a> {
    file: &'a str,
    rules: Vec<Rule<'a>>,
    prints: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    warnings: &'a [Warning],
}

#[derive(Serialize)]
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

pub(super) fn line(judged: &Judged) -> Line<'_> {
    let rules = judged.verdicts.rules.iter().map(|verdict| Rule {
        rule: &verdict.rule,
        severity: verdict.severity,
        outcome: verdict.outcome(),
        file: &verdict.place.file,
        line: verdict.place.line,
        findings: &verdict.findings,
        undecided: verdict.undecided.as_ref(),
        error: verdict.error.as_deref(),
    });
    let verdicts = &judged.verdicts;
    Line {
        file: &judged.file,
        rules: rules.collect(),
        prints: &verdicts.prints,
        warnings: &verdicts.warnings,
    }
}
