//! The report for programs: a line of JSON for each plan.

use std::io::{self, Write};

use objchange_plan::policy::{Finding, Outcome, Severity, Undecided};
use serde::Serialize;

use super::Judged;
use crate::reports::json;

#[derive(Serialize)]
struct Line<'a> {
    file: &'a str,
    rules: Vec<Rule<'a>>,
    prints: &'a [String],
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
}

pub(super) fn write(judged: &Judged) -> io::Result<()> {
    let rules = judged.verdicts.rules.iter().map(|verdict| Rule {
        rule: &verdict.rule,
        severity: verdict.severity,
        outcome: verdict.outcome(),
        file: &verdict.place.file,
        line: verdict.place.line,
        findings: &verdict.findings,
        undecided: verdict.undecided.as_ref(),
    });
    let line = Line { file: &judged.file, rules: rules.collect(), prints: &judged.verdicts.prints };
    let mut out = io::BufWriter::new(io::stdout().lock());
    json::write_line(&mut out, &line)?;
    out.flush()
}
