//! The report as people read it: a line for each thing that a rule says.

use std::collections::BTreeMap;
use std::io::{self, Write};

use objchange_text::style::{BAD, CHANGED, GOOD};
use objchange_text::visible;

use super::{Finding, Outcome, RuleVerdict, Severity, TestResult, TestVerdict, Verdicts};

/// Writes what rules say of plans, and counts that.
#[derive(Debug, Default)]
pub struct TextReport {
    outcomes: BTreeMap<&'static str, u64>,
    plans: u64,
}

/// The maximum number of unknown values to name for a rule.
const WAITS_SHOWN: usize = 3;

impl TextReport {
    /// Writes what rules say of a plan; with its name where there are several.
    ///
    /// # Errors
    ///
    /// The writer fails.
    pub fn verdicts(
        &mut self,
        out: &mut impl Write,
        name: Option<&str>,
        verdicts: &Verdicts,
    ) -> io::Result<()> {
        self.plans += 1;
        let name = name.map(|name| format!("{}: ", visible(name))).unwrap_or_default();
        for verdict in &verdicts.rules {
            let (word, style) = match (verdict.outcome(), verdict.severity) {
                (Outcome::Pass, _) => ("passed", GOOD),
                (Outcome::Excepted, _) => ("excepted", GOOD),
                (Outcome::Undecided, _) => ("undecided until apply", CHANGED),
                (Outcome::Fail, Severity::Warning) => ("warned", CHANGED),
                (Outcome::Fail, Severity::Failure) => ("failed", BAD),
                (Outcome::Error, _) => ("not evaluated", BAD),
            };
            *self.outcomes.entry(word).or_default() += 1;
            if verdict.excepted {
                continue;
            }
            if let Some(error) = &verdict.error {
                writeln!(out, "{BAD}error{BAD:#}: {name}{}{}", visible(error), rule(verdict))?;
            }
            for finding in &verdict.findings {
                let word = if verdict.severity == Severity::Warning { "warning" } else { "failure" };
                writeln!(out, "{style}{word}{style:#}: {name}{}{}", said(finding), rule(verdict))?;
            }
            if let Some(undecided) = &verdict.undecided {
                for finding in &undecided.findings {
                    writeln!(out, "{CHANGED}undecided{CHANGED:#}: {name}{}{}", said(finding), rule(verdict))?;
                }
                if undecided.findings.is_empty() {
                    writeln!(
                        out,
                        "{CHANGED}undecided{CHANGED:#}: {name}not known until apply{}",
                        rule(verdict)
                    )?;
                }
                for unknown in undecided.waits_for.iter().take(WAITS_SHOWN) {
                    writeln!(out, "    waits for {}", visible(&unknown.to_string()))?;
                }
                if let more @ 1.. = undecided.waits_for.len().saturating_sub(WAITS_SHOWN) {
                    writeln!(out, "    and {more} more")?;
                }
            }
        }
        out.flush()
    }

    /// Writes how many rules said what.
    ///
    /// # Errors
    ///
    /// The writer fails.
    pub fn finish(self, out: &mut impl Write) -> io::Result<()> {
        let rules: u64 = self.outcomes.values().sum();
        if self.plans == 0 {
            return Ok(());
        }
        let order = ["failed", "not evaluated", "warned", "undecided until apply", "excepted", "passed"];
        let counts = order.iter().filter_map(|word| Some(format!("{} {word}", self.outcomes.get(word)?)));
        let plans = if self.plans == 1 { String::new() } else { format!(" in {} plans", self.plans) };
        let noun = if rules == 1 { "rule" } else { "rules" };
        let counts: Vec<String> = counts.collect();
        let counts = if counts.is_empty() { String::new() } else { format!(": {}", counts.join(", ")) };
        writeln!(out, "{rules} {noun}{plans}{counts}")?;
        out.flush()
    }
}

/// Formats a finding, with its address unless the text contains it.
fn said(finding: &Finding) -> String {
    match &finding.address {
        Some(address) if !finding.text().contains(address.as_str()) => {
            format!("{}: {}", visible(address), visible(finding.text()))
        }
        _ => visible(finding.text()).into_owned(),
    }
}

fn rule(verdict: &RuleVerdict) -> String {
    format!(" ({}, {})", visible(&verdict.rule), visible(&verdict.place.to_string()))
}

/// Writes what came of tests: a line for each, and how many passed.
///
/// # Errors
///
/// The writer fails.
pub fn write_tests(out: &mut impl Write, tests: &[TestVerdict]) -> io::Result<()> {
    let mut passed = 0;
    for test in tests {
        let named = format!("{} ({})", visible(&test.test), visible(&test.place.to_string()));
        match &test.result {
            TestResult::Pass => {
                passed += 1;
                writeln!(out, "{GOOD}passed{GOOD:#}:  {named}")?;
            }
            TestResult::Fail => writeln!(out, "{BAD}failed{BAD:#}:  {named}")?,
            TestResult::Skip => writeln!(out, "{CHANGED}skipped{CHANGED:#}: {named}")?,
            TestResult::Error(error) => writeln!(out, "{BAD}failed{BAD:#}:  {named}: {}", visible(error))?,
        }
    }
    writeln!(out, "{passed} of {} tests passed", tests.len())?;
    out.flush()
}
