//! `objchange plan DIR --missing`: what a plan is made without.

use std::io::Write;
use std::process::ExitCode;

use objchange_document::MissingKind;
use objchange_module::plan::{RankedMissing, plan_and_rank_missing};
use objchange_text::{visible, visible_json};
use serde_json::json;

use super::{Args, output, plan_directory_with};
use crate::exit::{self, CommandError, FAILED};

/// Prints the list of missing answers, and how to give them.
pub(super) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let planned = plan_directory_with(args.directory(), &args.inputs(), |input, providers| {
        plan_and_rank_missing(input, providers)
    })?;
    let Some((planned, ranked)) = planned else { return Ok(ExitCode::from(FAILED)) };
    output::diagnostics(&planned.config, &planned.schemas, &planned.plan.diagnostics)?;
    // The plan knows more than the walk that ranks: whether the state was read.
    let state = planned.plan.missing.iter().filter(|missing| missing.kind == MissingKind::State);
    let mut all: Vec<_> = state.map(|missing| (missing, planned.plan.changes.len())).collect();
    all.extend(ranked.iter().map(|RankedMissing { missing, resources, .. }| (missing, *resources)));
    let text = match args.json {
        true => {
            let list = all.iter().map(|(missing, resources)| {
                let mut one = json!(missing);
                one["resources"] = json!(resources);
                one
            });
            let document = json!({"format_version": "1.0", "missing": list.collect::<Vec<_>>()});
            visible_json(&document.to_string()) + "\n"
        }
        false => {
            let line = |(missing, resources): &(&objchange_document::Missing, usize)| {
                let place = missing
                    .range
                    .as_ref()
                    .map_or(String::new(), |range| format!("    {}:{}\n", visible(&range.file), range.line));
                format!("{missing}: {}\n{place}", objchange_text::counted(*resources, "resource"))
            };
            all.iter().map(line).collect()
        }
    };
    let mut out = crate::terminal::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    match all.is_empty() {
        true if planned.plan.diagnostics.has_errors() => {}
        true => exit::note("nothing is missing"),
        false => output::say_how_to_fill(&planned),
    }
    Ok(if planned.plan.diagnostics.has_errors() { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}
