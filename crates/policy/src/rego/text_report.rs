//! The report as people read it: a line for each thing that a rule says.

use std::io::{self, Write};

use objchange_finding::{Tally, write_test};
use objchange_text::style::{BAD, CHANGED, GOOD};
use objchange_text::visible;

use super::{
    Coverage, Outcome, PolicyLocation, Severity, TestResult, TestVerdict, TracedCondition, TracedRule,
    Verdicts,
};

/// Writes what rules say of plans, and counts that.
#[derive(Debug)]
pub struct TextReport {
    outcomes: Tally<6>,
    plans: u64,
}

impl Default for TextReport {
    fn default() -> Self {
        let words = ["failed", "not evaluated", "warned", "undecided until apply", "excepted", "passed"];
        Self { outcomes: Tally::new(words), plans: 0 }
    }
}

/// Writes the conditions of each definition, and the values in them.
fn write_trace(out: &mut impl Write, definitions: &[Vec<TracedCondition>]) -> io::Result<()> {
    for (number, conditions) in (1..).zip(definitions) {
        if definitions.len() > 1 {
            writeln!(out, "    definition {number}")?;
        }
        for condition in conditions {
            let (place, text) = (condition.place.to_string(), visible(&condition.text));
            writeln!(out, "    {}: {text}: {}", visible(&place), condition.state.word())?;
            for value in &condition.values {
                writeln!(out, "        {} = {}", visible(&value.term), visible(&value.value))?;
            }
        }
    }
    Ok(())
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
            self.outcomes.add_messages(word, verdict.messages());
            let rule = |place: &PolicyLocation| {
                format!(" ({}, {})", visible(&verdict.rule), visible(&place.to_string()))
            };
            if !verdict.trace.is_empty() {
                writeln!(out, "trace: {name}{}: {word}", visible(&verdict.rule))?;
            }
            write_trace(out, &verdict.trace)?;
            if let Some(error) = &verdict.error {
                writeln!(out, "{BAD}error{BAD:#}: {name}{}{}", visible(error), rule(&verdict.place))?;
            }
            if verdict.excepted {
                continue;
            }
            for finding in &verdict.findings {
                let word = if verdict.severity == Severity::Warning { "warning" } else { "failure" };
                writeln!(
                    out,
                    "{style}{word}{style:#}: {name}{}{}",
                    visible(&finding.addressed()),
                    rule(&finding.place)
                )?;
            }
            if let Some(undecided) = &verdict.undecided {
                for finding in &undecided.findings {
                    writeln!(
                        out,
                        "{CHANGED}undecided{CHANGED:#}: {name}{}{}",
                        visible(&finding.addressed()),
                        rule(&finding.place)
                    )?;
                }
                if undecided.findings.is_empty() {
                    writeln!(
                        out,
                        "{CHANGED}undecided{CHANGED:#}: {name}not known until apply{}",
                        rule(&verdict.place)
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
        for TracedRule { rule, trace } in &verdicts.used {
            writeln!(out, "trace: {name}{}, which rules use", visible(rule))?;
            write_trace(out, trace)?;
        }
        out.flush()
    }

    /// Writes how many rules said what.
    ///
    /// # Errors
    ///
    /// The writer fails.
    pub fn finish(self, out: &mut impl Write) -> io::Result<()> {
        if self.plans > 0 {
            writeln!(out, "{}", self.outcomes.line(["rule", "rules"], self.plans))?;
        }
        out.flush()
    }
}

/// Writes which lines of policies tests have evaluated.
///
/// # Errors
///
/// The writer fails.
pub fn write_coverage(out: &mut impl Write, coverage: &Coverage) -> io::Result<()> {
    for (file, lines) in &coverage.files {
        let (covered, all) = (lines.covered.len(), lines.covered.len() + lines.not_covered.len());
        write!(out, "{}: {covered} of {all} lines evaluated", visible(file))?;
        match lines.not_covered.is_empty() {
            true => writeln!(out)?,
            false => writeln!(out, "; not {}", lines.missing())?,
        }
    }
    let (covered, all) = coverage.lines();
    let percent = (covered as f64 * 100.0) / (all.max(1) as f64);
    writeln!(out, "coverage: {percent:.1} % of {all} lines")?;
    out.flush()
}

/// Writes what came of tests: a line for each, and how many passed. Where `is_verbose`, also how long each took, and what it
/// printed.
///
/// # Errors
///
/// The writer fails.
pub fn write_tests(out: &mut impl Write, tests: &[TestVerdict], is_verbose: bool) -> io::Result<()> {
    for test in tests {
        let mut named = format!("{} ({})", test.test, test.place);
        if is_verbose {
            named = format!("{named} in {:.1} ms", test.duration.as_secs_f64() * 1000.0);
        }
        if let TestResult::Error(error) = &test.result {
            named = format!("{named}: {error}");
        }
        write_test(out, &named, &test.case())?;
        for print in test.prints.iter().filter(|_| is_verbose) {
            writeln!(out, "    {}", visible(print))?;
        }
    }
    let passed = tests.iter().filter(|test| test.result == TestResult::Pass).count();
    writeln!(out, "{passed} of {} tests passed", tests.len())?;
    out.flush()
}
