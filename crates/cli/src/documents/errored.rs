//! Plans whose planning ended with an error.

use clap::Args;
use objchange_plan::is_errored_plan;
use objchange_project::InputDocument;

use crate::exit;

/// What happens with plans whose planning ended with an error. Every command that judges plans has this option.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ErroredPlans {
    /// Accept plans with `"errored": true`, which lack every change after the error
    #[arg(long)]
    allow_errored: bool,
}

impl ErroredPlans {
    /// Refuses an errored plan, or warns of it where it is allowed. What cannot be read is left to whoever reads it.
    pub(super) fn check(self, document: &InputDocument) -> Result<(), String> {
        let name = &document.name;
        match is_errored_plan(&document.text) {
            Ok(true) if self.allow_errored => {
                exit::warn(&format!("{name}: planning ended with an error; later changes are missing"));
                Ok(())
            }
            Ok(true) => Err(format!(
                "{name}: planning ended with an error, so the plan lacks changes; fix the error and plan again, \
                 or accept such plans with --allow-errored"
            )),
            Ok(false) | Err(_) => Ok(()),
        }
    }
}
