//! A planned change as text for people.

use std::fmt::Write as _;
use std::io::{self, Write};

use anstream::AutoStream;
use anstyle::Style;
use objchange::Value;
use objchange::change::{Action, PlanViolation, PlannedChange, ReplaceReason};
use objchange::internal::visible;

use super::changes::PathChange;
use super::reason;
use crate::style::{BAD, CHANGED, FAINT, GOOD, STRONG};

/// What is longer is cut.
const MAX_VALUE: usize = 80;
/// Longer paths do not move the others to the right.
const MAX_PATH: usize = 50;

pub(super) fn write(label: &str, plan: &PlannedChange, changes: &[PathChange<'_>]) -> io::Result<()> {
    let mut out = AutoStream::auto(io::stdout().lock());
    let what = match plan.action {
        Action::NoOp => "no changes",
        Action::Create => "will be created",
        Action::Update => "will be updated in place",
        Action::Delete => "will be destroyed",
        Action::DeleteThenCreate => "must be replaced: destroyed, then created",
        Action::CreateThenDelete => "must be replaced: created, then destroyed",
        other => other.slug(),
    };
    writeln!(out, "{STRONG}{}: {what}{STRONG:#}", visible(label))?;
    writeln!(out, "  reason: {}", reason::sentence(plan))?;
    if !changes.is_empty() {
        writeln!(out)?;
    }
    let paths: Vec<String> = changes.iter().map(|change| change.path.to_string()).collect();
    let width = paths.iter().map(|path| path.chars().count()).max().unwrap_or(0).min(MAX_PATH);
    for (change, path) in std::iter::zip(changes, &paths) {
        writeln!(out, "  {}", line(plan, change, path, width))?;
    }
    if !plan.no_longer_sensitive.is_empty() {
        writeln!(out)?;
        writeln!(out, "{CHANGED}no longer sensitive after the change; hidden here all the same{CHANGED:#}")?;
        for path in &plan.no_longer_sensitive {
            writeln!(out, "  {CHANGED}!{CHANGED:#} {path}")?;
        }
    }
    if !plan.violations.is_empty() {
        let (style, what) = if plan.legacy_type_system {
            (CHANGED, "tolerated, because the provider uses the legacy type system")
        } else {
            (BAD, "Terraform would refuse this plan")
        };
        write_violations(&mut out, &plan.violations, style, what)?;
    }
    if !plan.at_apply.is_empty() {
        let what = "Terraform finds out when it applies the replacement";
        write_violations(&mut out, &plan.at_apply, CHANGED, what)?;
    }
    out.flush()
}

fn write_violations(
    out: &mut impl Write,
    violations: &[PlanViolation],
    style: Style,
    what: &str,
) -> io::Result<()> {
    let count = match violations.len() {
        1 => "1 violation".to_owned(),
        n => format!("{n} violations"),
    };
    writeln!(out, "\n{style}{count} of the provider's contract: {what}{style:#}")?;
    for violation in violations {
        writeln!(out, "  {BAD}!{BAD:#} {violation} {FAINT}({}){FAINT:#}", violation.kind())?;
    }
    Ok(())
}

fn line(plan: &PlannedChange, change: &PathChange<'_>, path: &str, width: usize) -> String {
    let text =
        |value: &Value| if change.is_hidden() { "(sensitive value)".to_owned() } else { shortened(value) };
    let padding = " ".repeat(width.saturating_sub(path.chars().count()));
    let mut line = match (change.before, change.after) {
        (None, Some(after)) => format!("{GOOD}+{GOOD:#} {path}{padding}  {}", text(after)),
        (Some(before), None) if plan.action == Action::Delete => {
            format!("{BAD}-{BAD:#} {path}{padding}  {}", text(before))
        }
        (Some(before), None) => format!("{BAD}-{BAD:#} {path}{padding}  {} → null", text(before)),
        (Some(before), Some(after)) => {
            let style = CHANGED;
            format!("{style}~{style:#} {path}{padding}  {} → {}", text(before), text(after))
        }
        (None, None) => return String::new(),
    };
    if change.is_of_marks() {
        line.push_str("  (only whether it is sensitive changes)");
    }
    if let Some(ReplaceReason::CannotUpdate(paths)) = &plan.replace_reason
        && paths.iter().any(|path| change.path.starts_with(path))
    {
        let _ = write!(line, "  {BAD}# forces replacement{BAD:#}");
    }
    line
}

fn shortened(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(MAX_VALUE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
