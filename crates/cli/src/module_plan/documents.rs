//! Plans for commands that take a plan or the directory of a module.

use std::path::Path;

use objchange_document::{Plan, PlanFile, document_warnings};
use objchange_project::PlanFileReader;

use super::{PlanInputs, is_module, output, plan_directory};
use crate::exit::{self, CommandError, unusable};
use crate::hints;
use crate::input::Source;

/// The plan of the module in a directory, after its errors and warnings are printed.
///
/// # Errors
///
/// It cannot be planned. The error does not repeat the printed reasons.
pub(crate) fn planned_file(directory: &Path, inputs: &PlanInputs<'_>) -> Result<PlanFile, CommandError> {
    let failed =
        || CommandError::NotPlanned(format!("{}: the module cannot be planned", directory.display()));
    let planned = plan_directory(directory, inputs)?.ok_or_else(failed)?;
    output::diagnostics(&planned.config, &planned.schemas, &planned.plan.diagnostics)?;
    if !planned.has_plan() {
        return Err(failed());
    }
    output::say_what_is_missing(&planned);
    let origin = planned.origin(directory);
    let file = planned.into_plan_file(directory.display().to_string()).map_err(unusable)?;
    file.with_origin(origin).with_masked_names(&inputs.mask.names()).map_err(unusable)
}

/// The plan or state in a file or from standard input, or the plan of the module in a directory. Prints its notices.
///
/// # Errors
///
/// There is no document, or the module cannot be planned.
pub(crate) fn read_plan_file(
    path: &Path,
    inputs: &PlanInputs<'_>,
    plan_files: &PlanFileReader,
) -> Result<PlanFile, CommandError> {
    if is_module(path) {
        return planned_file(path, inputs);
    }
    let read = plan_files.read(&Source::new(path), inputs.max_input.0);
    let file = read.map_err(|error| unusable(hints::plan_input(&error)))?;
    exit::notices(file.notices());
    Ok(file)
}

/// The plan of a file, for a command that decides by it. Warns of everything that may make its answer incomplete.
///
/// # Errors
///
/// It is a state, or something is missing from it.
pub(crate) fn judged(file: &PlanFile) -> Result<&Plan<'_>, CommandError> {
    let plan = file.judged().map_err(unusable)?;
    for warning in document_warnings(file.facts()) {
        exit::warn(&format!("{}: {warning}", file.name()));
    }
    if !warn_of_trust(file) && file.facts().simulated {
        exit::warn(&format!(
            "{}: planned without its providers: what only they know is unknown here, and may turn out otherwise",
            file.name()
        ));
    }
    Ok(plan)
}

/// Warns of a saved plan that takes values for known which its providers may change, and says whether it is one.
pub(crate) fn warn_of_trust(file: &PlanFile) -> bool {
    let is_trusting = file.facts().unasked.is_trusting;
    if is_trusting {
        exit::warn(&format!(
            "{}: planned without its providers and without --strict: values that they may change count as known",
            file.name()
        ));
    }
    is_trusting
}
