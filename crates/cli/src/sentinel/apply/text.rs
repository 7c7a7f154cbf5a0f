//! The report as people read it.

use std::collections::BTreeMap;
use std::io::{self, Write};

use objchange::internal::visible;

use super::judge::{Judged, Outcome};
use super::set::Applied;
use crate::sentinel::configuration::Level;
use crate::sentinel::rule::show;
use crate::style::{BAD, CHANGED, FAINT, GOOD};

/// Counts what it writes.
pub(super) struct Text {
    trace: bool,
    outcomes: BTreeMap<&'static str, u64>,
    plans: u64,
}

impl Text {
    pub(super) fn new(trace: bool) -> Self {
        Self { trace, outcomes: BTreeMap::new(), plans: 0 }
    }

    pub(super) fn answer<'a>(
        &mut self,
        plan: Option<&str>,
        all: impl Iterator<Item = (&'a Applied, &'a Judged)>,
    ) -> io::Result<()> {
        self.plans += 1;
        let mut out = anstream::stdout().lock();
        for (applied, judged) in all {
            self.judged(&mut out, plan, applied, judged)?;
        }
        out.flush()
    }

    fn judged(
        &mut self,
        out: &mut impl Write,
        plan: Option<&str>,
        applied: &Applied,
        judged: &Judged,
    ) -> io::Result<()> {
        let (word, counted) = match judged.outcome {
            Outcome::Pass => ("Pass", "passed"),
            Outcome::Fail => ("Fail", "failed"),
            Outcome::Undefined => ("Undefined", "undefined"),
            Outcome::Error => ("Error", "with errors"),
        };
        *self.outcomes.entry(counted).or_default() += 1;
        let style = match (judged.outcome, applied.level) {
            (Outcome::Pass, _) => GOOD,
            (_, Level::Advisory) => CHANGED,
            _ => BAD,
        };
        let plan = plan.map(|plan| format!("{}: ", visible(plan))).unwrap_or_default();
        let file = visible(&applied.file);
        if !judged.is_broken() && !self.trace {
            return writeln!(out, "{plan}{style}{word}{style:#} - {file}");
        }
        writeln!(out, "{plan}{style}{word}{style:#} - {file} ({})", applied.level.name())?;
        if let Some(error) = &judged.error {
            writeln!(out, "  {BAD}error:{BAD:#} {}", visible(&error.to_string()))?;
        }
        if !judged.print.is_empty() {
            writeln!(out, "  Print messages:")?;
            for line in judged.print.lines() {
                writeln!(out, "    {}", visible(line))?;
            }
        }
        if let Some(main) = &judged.main
            && judged.rules.iter().all(|rule| rule.name != "main")
        {
            writeln!(out, "  main: {}", visible(&show(main)))?;
        }
        for rule in judged.main_first() {
            let place = format!("{file}:{}:{}", rule.line, rule.col);
            writeln!(
                out,
                "  {} {FAINT}({place}){FAINT:#}: {}",
                visible(&rule.name),
                visible(&show(&rule.value))
            )?;
            for line in rule.doc.iter().flat_map(|doc| doc.lines()) {
                writeln!(out, "    {FAINT}{}{FAINT:#}", visible(line))?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(self) -> io::Result<()> {
        let policies: u64 = self.outcomes.values().sum();
        let order = ["failed", "undefined", "with errors", "passed"];
        let counts = order.iter().filter_map(|word| Some(format!("{} {word}", self.outcomes.get(word)?)));
        let plans = if self.plans == 1 { String::new() } else { format!(" in {} plans", self.plans) };
        let noun = if policies == 1 { "policy" } else { "policies" };
        let mut out = anstream::stdout().lock();
        writeln!(out, "{policies} {noun}{plans}: {}", counts.collect::<Vec<_>>().join(", "))?;
        out.flush()
    }
}
