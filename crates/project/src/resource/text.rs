//! A planned change as text for people, as Terraform prints it, with notes.

use std::io::{self, Write};

use anstyle::Style;
use objchange::change::{PlanViolation, PlannedChange};
use objchange::schema::Block;
use objchange_hcl::SourcePlace;
use objchange_plan::render::render_planned_change;
use objchange_plan::{Colour, Options};
use objchange_text::style::{BAD, CHANGED, FAINT};
use objchange_text::visible;

pub(super) fn write(
    out: &mut impl Write,
    colour: Colour,
    address: &str,
    schema: &Block,
    plan: &PlannedChange,
    [places, at_apply]: &[Vec<Option<SourcePlace>>; 2],
) -> io::Result<()> {
    let options = Options { colour, ..Options::default() };
    out.write_all(render_planned_change(address, schema, plan, &options).as_bytes())?;
    if !plan.no_longer_sensitive.is_empty() {
        writeln!(out)?;
        writeln!(
            out,
            "{CHANGED}no longer sensitive after the change; their current values stay hidden here{CHANGED:#}"
        )?;
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
        write_violations(out, &plan.violations, places, style, what)?;
    }
    if !plan.at_apply.is_empty() {
        let what = "Terraform finds out when it applies the replacement";
        write_violations(out, &plan.at_apply, at_apply, CHANGED, what)?;
    }
    out.flush()
}

fn write_violations(
    out: &mut impl Write,
    violations: &[PlanViolation],
    places: &[Option<SourcePlace>],
    style: Style,
    what: &str,
) -> io::Result<()> {
    let count = match violations.len() {
        1 => "1 violation".to_owned(),
        n => format!("{n} violations"),
    };
    writeln!(out, "\n{style}{count} of the provider's contract: {what}{style:#}")?;
    for (i, violation) in violations.iter().enumerate() {
        writeln!(out, "  {BAD}!{BAD:#} {violation} {FAINT}({}){FAINT:#}", violation.kind())?;
        if let Some(Some(SourcePlace { file, line, column, source })) = places.get(i) {
            write!(out, "    {FAINT}at {}:{line}:{column}{FAINT:#}", visible(file))?;
            writeln!(
                out,
                "{}",
                source.as_ref().map(|text| format!("  {}", visible(text))).unwrap_or_default()
            )?;
        }
    }
    Ok(())
}
