//! Verdicts as text.

use std::io::{self, Write};

use objchange_finding::Tally;
use objchange_text::style::{BAD, CHANGED, FAINT, GOOD};
use objchange_text::visible;

use super::OnUnknown;
use crate::sentinel::configuration::Level;
use crate::sentinel::judge::{Judged, Judgement, Outcome, WitnessReports, show};
use crate::sentinel::set::AppliedPolicy;

/// The maximum number of elements to name, unless all rules are traced.
const SHOWN: usize = 10;
const MAX_INDENT: usize = 20;

/// Writes what policies say of plans, and counts that.
#[derive(Debug)]
pub struct TextReport {
    trace: bool,
    unknown: OnUnknown,
    outcomes: Tally<5>,
    plans: u64,
}

impl TextReport {
    /// Nothing is written yet. With `trace` every rule is shown that was evaluated.
    pub fn new(trace: bool, unknown: OnUnknown) -> Self {
        let words = ["failed", "undefined", "with errors", "not known until apply", "passed"];
        Self { trace, unknown, outcomes: Tally::new(words), plans: 0 }
    }

    /// Writes what all policies say of a plan; with its name where there are several.
    ///
    /// # Errors
    ///
    /// Returns the errors of the writer.
    pub fn answer<'a>(
        &mut self,
        out: &mut impl Write,
        plan: Option<&str>,
        all: impl Iterator<Item = (&'a AppliedPolicy, &'a Judged)>,
    ) -> io::Result<()> {
        self.plans += 1;
        for (applied, judged) in all {
            self.judged(out, plan, applied, judged)?;
        }
        out.flush()
    }

    fn judged(
        &mut self,
        out: &mut impl Write,
        plan: Option<&str>,
        applied: &AppliedPolicy,
        judged: &Judged,
    ) -> io::Result<()> {
        let is_broken = self.unknown.breaks(judged);
        let (word, counted) = match judged.outcome {
            // Only what is unknown breaks a policy that passes.
            Outcome::Pass if is_broken => ("Unknown", "not known until apply"),
            Outcome::Pass => ("Pass", "passed"),
            Outcome::Fail => ("Fail", "failed"),
            Outcome::Undefined => ("Undefined", "undefined"),
            Outcome::Error => ("Error", "with errors"),
        };
        self.outcomes.add(counted);
        let style = match (is_broken, applied.level) {
            (false, _) => GOOD,
            (true, Level::Advisory) => CHANGED,
            (true, _) => BAD,
        };
        let plan = plan.map(|plan| format!("{}: ", visible(plan))).unwrap_or_default();
        let file = visible(&applied.file);
        if !is_broken && !self.trace {
            writeln!(out, "{plan}{style}{word}{style:#} - {file}")?;
            print(out, judged)?;
            return self.unknown(out, judged);
        }
        writeln!(out, "{plan}{style}{word}{style:#} - {file} ({})", applied.level.name())?;
        if let Some(error) = &judged.error {
            writeln!(out, "  {BAD}error:{BAD:#} {}", visible(&error.to_string()))?;
        }
        print(out, judged)?;
        // A `main` that is no rule is not among the rules below.
        if let (Some(main), None) = (&judged.main, judged.main_rule()) {
            writeln!(out, "  main: {}", visible(&show(main)))?;
            self.witnesses(out, "    ", &judged.witnesses)?;
        }
        if self.trace {
            self.trace(out, &file, judged)?;
            return self.unknown(out, judged);
        }
        for (depth, Judgement { rule, witnesses, .. }) in judged.tree() {
            let indent = "  ".repeat(1 + depth.min(MAX_INDENT));
            let (name, value) = (visible(&rule.name), show(&rule.value));
            let (value, place) = (visible(&value), format!("{file}:{}:{}", rule.line, rule.column));
            writeln!(out, "{indent}{name}: {value} {FAINT}({place}){FAINT:#}")?;
            for line in rule.doc.iter().flat_map(|doc| doc.lines()) {
                writeln!(out, "{indent}  {FAINT}{}{FAINT:#}", visible(line))?;
            }
            self.witnesses(out, &format!("{indent}  "), witnesses)?;
        }
        self.unknown(out, judged)
    }

    /// The rules in the form of Sentinel's own program, `main` first.
    fn trace(&self, out: &mut impl Write, file: &str, judged: &Judged) -> io::Result<()> {
        for (_, Judgement { rule, witnesses, .. }) in judged.tree() {
            writeln!(out, "\n  {file}:{}:{} - Rule \"{}\"", rule.line, rule.column, visible(&rule.name))?;
            if let Some(doc) = &rule.doc {
                writeln!(out, "    Description:")?;
                doc.lines().try_for_each(|line| writeln!(out, "      {FAINT}{}{FAINT:#}", visible(line)))?;
                writeln!(out)?;
            }
            writeln!(out, "    Value:\n      {}", visible(&show(&rule.value)))?;
            self.witnesses(out, "      ", witnesses)?;
        }
        for (name, line, col) in &judged.unused {
            writeln!(out, "\n  {file}:{line}:{col} - Rule \"{}\"\n    Not evaluated", visible(name))?;
        }
        if judged.rules.is_empty() && judged.unused.is_empty() { Ok(()) } else { writeln!(out) }
    }

    fn witnesses(&self, out: &mut impl Write, indent: &str, all: &WitnessReports) -> io::Result<()> {
        let shown = if self.trace { usize::MAX } else { SHOWN };
        for seen in all.list.iter().take(shown) {
            writeln!(out, "{indent}{CHANGED}-{CHANGED:#} {}", visible(&seen.sentence()))?;
        }
        more(out, indent, all.more + all.list.len().saturating_sub(shown))
    }

    /// Writes the values that the policy read and that are unknown until apply.
    fn unknown(&self, out: &mut impl Write, judged: &Judged) -> io::Result<()> {
        if self.unknown == OnUnknown::Undefined || judged.unknown.is_empty() {
            return Ok(());
        }
        writeln!(out, "  not known until apply:")?;
        for unknown in judged.unknown.iter().take(SHOWN) {
            let rules = unknown.rules.iter().filter_map(|rule| judged.rules.get(*rule));
            let rules: Vec<_> = rules.map(|judgement| visible(&judgement.rule.name)).collect();
            let by = if rules.is_empty() {
                String::new()
            } else {
                format!(", which {} may depend on", rules.join(", "))
            };
            writeln!(out, "    {}{by}", visible(&unknown.what))?;
        }
        more(out, "    ", judged.unknown.len().saturating_sub(SHOWN))
    }

    /// Writes how many policies said what.
    ///
    /// # Errors
    ///
    /// Returns the errors of the writer.
    pub fn finish(self, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}", self.outcomes.line(["policy", "policies"], self.plans))?;
        out.flush()
    }
}

/// Writes the policy's own output.
fn print(out: &mut impl Write, judged: &Judged) -> io::Result<()> {
    if !judged.print.is_empty() {
        writeln!(out, "  print:")?;
    }
    judged.print.lines().try_for_each(|line| writeln!(out, "    {}", visible(line)))
}

fn more(out: &mut impl Write, indent: &str, count: usize) -> io::Result<()> {
    if count > 0 { writeln!(out, "{indent}and {count} more") } else { Ok(()) }
}
