//! Directories of modules where commands take plans: they are planned, and the plan is as good as a file with it.

use std::path::Path;

use objchange_plan::NoState;

use super::{PlanInputs, output, plan_directory};
use crate::exit::{CommandError, unusable};

/// The plan of a module.
pub(crate) struct PlannedModule {
    /// Its document.
    pub(crate) text: String,
    /// It was made from no state.
    pub(crate) no_state: Option<NoState>,
}

/// The plan of the module in a directory as a document, after its errors and warnings are printed.
///
/// # Errors
///
/// It cannot be planned: then nothing is said of it.
pub(crate) fn planned_document(
    directory: &Path,
    inputs: &PlanInputs<'_>,
) -> Result<PlannedModule, CommandError> {
    let failed = || unusable(format!("{}: the module cannot be planned", directory.display()));
    let planned = plan_directory(directory, inputs)?.ok_or_else(failed)?;
    output::diagnostics(&planned.config, &planned.schemas, &planned.plan.diagnostics)?;
    if planned.plan.errored && !planned.plan.has_begun {
        return Err(failed());
    }
    output::say_what_is_missing(&planned);
    Ok(PlannedModule { text: planned.document(), no_state: planned.no_state })
}
