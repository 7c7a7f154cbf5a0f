//! `objchange plan DIR --explain ADDRESS` and `objchange show tfplan --explain ADDRESS`: why something is as it is.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use objchange_module::DiagnosticPrinter;
use objchange_module::document::ExplanationReport;
use objchange_module::plan::plan_and_explain;

use super::{Args, PlanInputs, output, plan_directory_with};
use crate::exit::{self, CommandError, FAILED, unusable};

pub(super) fn run(args: &Args, address: &str) -> Result<ExitCode, CommandError> {
    explain(args.directory(), &args.inputs(), address, args.json)
}

/// Explains something in the plan of the module in a directory or plan file.
pub(crate) fn explain(
    directory: &Path,
    inputs: &PlanInputs<'_>,
    address: &str,
    is_json: bool,
) -> Result<ExitCode, CommandError> {
    let planned = plan_directory_with(directory, inputs, |input, providers| {
        let (plan, explanation) = plan_and_explain(input, providers, address);
        (plan, Some(explanation))
    })?;
    let Some((planned, explanation)) = planned else { return Ok(ExitCode::from(FAILED)) };
    output::diagnostics(&planned.config, &planned.schemas, &planned.plan.diagnostics)?;
    planned.state_note().iter().for_each(|note| exit::note(note));
    output::say_how_to_fill(&planned);
    let explanation = match explanation {
        Some(Ok(explanation)) => explanation,
        // Errors in the module were printed already.
        Some(Err(_)) | None if planned.plan.errored && !planned.plan.has_begun => {
            return Ok(ExitCode::from(FAILED));
        }
        Some(Err(error)) => return Err(unusable(error)),
        None => return Ok(ExitCode::from(FAILED)),
    };
    let shown = DiagnosticPrinter::new(&planned.config, &planned.schemas);
    let report = ExplanationReport::new(address, &explanation, &shown);
    let text = if is_json { report.json() } else { report.text() };
    let mut out = crate::terminal::stdout();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(if planned.plan.diagnostics.has_errors() { ExitCode::from(FAILED) } else { ExitCode::SUCCESS })
}
