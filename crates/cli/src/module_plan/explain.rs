//! `objchange plan DIR --explain ADDRESS`: why something is as it is.

use std::io::Write;
use std::process::ExitCode;

use objchange_module::Shown;
use objchange_module::plan::{ExplanationStep, plan_and_explain};
use objchange_text::visible;
use serde::Serialize;

use super::{Args, output, plan_directory_by};
use crate::exit::{CommandError, FAILED, unusable};

/// A step as JSON.
#[derive(Serialize)]
struct Step<'s> {
    depth: usize,
    address: &'s str,
    what: &'s str,
    why: &'s str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    /// Without secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
}

impl<'s> Step<'s> {
    fn new(step: &'s ExplanationStep, shown: &Shown<'_>) -> Self {
        let place = step.span.and_then(|span| shown.line(span));
        let (mut file, mut line, mut column, mut source) = Default::default();
        if let Some(place) = place {
            (file, line, column, source) =
                (Some(place.file), Some(place.line), Some(place.column), place.text);
        }
        Self {
            depth: step.depth,
            address: &step.address,
            what: step.what,
            why: &step.why,
            file,
            line,
            column,
            source,
        }
    }

    fn text(&self) -> String {
        let indent = "  ".repeat(self.depth);
        let mut text = format!("{indent}{}: {} ({})\n", visible(self.address), self.what, visible(self.why));
        if let (Some(file), Some(line)) = (&self.file, self.line) {
            let source = self.source.as_deref().unwrap_or_default();
            text.push_str(&format!("{indent}    {}:{line}: {}\n", visible(file), visible(source)));
        }
        text
    }
}

pub(super) fn run(args: &Args, address: &str) -> Result<ExitCode, CommandError> {
    let planned = plan_directory_by(&args.directory, &args.inputs(), |input, providers| {
        let (plan, explanation) = plan_and_explain(input, providers, address);
        (plan, Some(explanation))
    })?;
    let Some((planned, explanation)) = planned else { return Ok(ExitCode::from(FAILED)) };
    output::diagnostics(&planned.config, &planned.schemas, &planned.plan.diagnostics)?;
    let explanation = match explanation {
        Some(Ok(explanation)) => explanation,
        // What is wrong with the module has been said.
        Some(Err(_)) | None if planned.plan.errored && !planned.plan.has_begun => {
            return Ok(ExitCode::from(FAILED));
        }
        Some(Err(error)) => return Err(unusable(error)),
        None => return Ok(ExitCode::from(FAILED)),
    };
    let shown = Shown::new(&planned.config, &planned.schemas);
    let steps: Vec<Step<'_>> = explanation.steps.iter().map(|step| Step::new(step, &shown)).collect();
    let mut out = crate::terminal::stdout();
    if args.json {
        let json = serde_json::to_string(&serde_json::json!({ "address": address, "steps": steps }));
        writeln!(out, "{}", objchange_text::visible_json(&json.map_err(unusable)?))?;
    } else {
        steps.iter().try_for_each(|step| out.write_all(step.text().as_bytes()))?;
    }
    out.flush()?;
    Ok(if planned.plan.errored { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}
