//! Results of test cases as text: a line for each, with the differences of those that fail.

use std::io::{self, Write};

use objchange_finding::Case;
use objchange_text::style::{BAD, FAINT, GOOD};
use objchange_text::visible;
use serde_json::Value as Json;

use crate::sentinel::judge::{Rule, show};
use crate::sentinel::testing::{Coverage, Difference, Outcome};

/// The maximum number of printed lines to show. Further ones are counted.
const PRINTED_SHOWN: usize = 50;
/// The maximum number of rules to show of a test case.
const RULES_SHOWN: usize = 50;

/// Writes what came of a test case, with its rules if it failed or they are asked for.
///
/// # Errors
///
/// Returns the errors of the writer.
pub fn write_test(out: &mut impl Write, outcome: &Outcome, case: &Case, verbose: bool) -> io::Result<()> {
    objchange_finding::write_test(out, &outcome.case, case)?;
    for error in &outcome.errors {
        writeln!(out, "    {}", visible(&error.to_string()))?;
    }
    for difference in &outcome.differences {
        self::difference(out, outcome, difference)?;
    }
    if verbose || !outcome.is_pass() {
        rules(out, &outcome.rules)?;
        printed(out, &outcome.print)?;
    }
    out.flush()
}

fn difference(out: &mut impl Write, outcome: &Outcome, difference: &Difference) -> io::Result<()> {
    let Difference { rule, expected, got } = difference;
    let rule_shown = visible(rule);
    match got {
        None => writeln!(out, "    {rule_shown}: the policy has no such rule")?,
        Some(got) => {
            let (expected, got) = (show(expected), show(got));
            writeln!(out, "    {rule_shown}: expected {}, got {}", visible(&expected), visible(&got))?;
        }
    }
    if let Some(evaluated) = outcome.rule(rule) {
        let place = format!("{}:{}:{}", outcome.policy, evaluated.line, evaluated.column);
        writeln!(out, "        {FAINT}{}{FAINT:#}", visible(&place))?;
        for line in evaluated.doc.iter().flat_map(|doc| doc.lines()) {
            writeln!(out, "        {FAINT}{}{FAINT:#}", visible(line))?;
        }
    }
    Ok(())
}

/// Writes the evaluated rules, `main` first.
fn rules(out: &mut impl Write, rules: &[Rule]) -> io::Result<()> {
    if rules.is_empty() {
        return Ok(());
    }
    writeln!(out, "    rules:")?;
    let (main, others): (Vec<&Rule>, Vec<&Rule>) = rules.iter().partition(|rule| rule.name == "main");
    for rule in main.into_iter().chain(others).take(RULES_SHOWN) {
        let style = match rule.value {
            Json::Bool(true) => GOOD,
            Json::Bool(false) => BAD,
            _ => FAINT,
        };
        let (value, name) = (show(&rule.value), visible(&rule.name));
        writeln!(
            out,
            "        {name} = {style}{}{style:#} {FAINT}({}:{}){FAINT:#}",
            visible(&value),
            rule.line,
            rule.column
        )?;
    }
    if let more @ 1.. = rules.len().saturating_sub(RULES_SHOWN) {
        writeln!(out, "        and {more} more")?;
    }
    Ok(())
}

fn printed(out: &mut impl Write, print: &str) -> io::Result<()> {
    if print.is_empty() {
        return Ok(());
    }
    writeln!(out, "    printed:")?;
    for line in print.lines().take(PRINTED_SHOWN) {
        writeln!(out, "        {}", visible(line))?;
    }
    if let more @ 1.. = print.lines().count().saturating_sub(PRINTED_SHOWN) {
        writeln!(out, "        and {more} more lines")?;
    }
    Ok(())
}

/// Writes which rules the tests do not show.
///
/// # Errors
///
/// Returns the errors of the writer.
pub fn write_coverage(out: &mut impl Write, coverage: &Coverage) -> io::Result<()> {
    let rules = || coverage.policies().iter().flat_map(|covered| &covered.rules);
    for covered in coverage.policies() {
        for rule in &covered.rules {
            if let Some(gap) = rule.gap() {
                let place = format!("{}:{}:{}", covered.policy, rule.line, rule.column);
                writeln!(out, "uncovered: {}: {} {gap}", visible(&place), visible(&rule.name))?;
            }
        }
    }
    let evaluated = rules().filter(|rule| rule.holds + rule.broken + rule.other > 0).count();
    let whole = rules().filter(|rule| rule.gap().is_none()).count();
    writeln!(
        out,
        "{evaluated} of {} rules were evaluated, {whole} of them to all that they can be",
        rules().count()
    )?;
    out.flush()
}

/// Writes how many tests of how many policies passed.
///
/// # Errors
///
/// Returns the errors of the writer.
pub fn write_summary(out: &mut impl Write, passed: usize, tests: usize, policies: usize) -> io::Result<()> {
    let of = if policies == 1 { String::new() } else { format!(" of {policies} policies") };
    writeln!(out, "{passed} of {tests} tests{of} passed")?;
    out.flush()
}
