//! Plans that a command judges although something is wrong with them.

use clap::Args;
use objchange_document::{PlanFile, incompleteness_warning};

use crate::exit;
use crate::module_plan::warn_of_trust;

/// Whether plans are accepted that end with an error.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct ErroredPlans {
    /// Accept plans with `"errored": true`, which lack every change after the error
    #[arg(long)]
    allow_errored: bool,
}

/// Which broken plans are accepted. Every command that judges many plans has these options.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct BrokenPlans {
    #[command(flatten)]
    pub(super) errored: ErroredPlans,

    /// Warn of files that cannot be read as plans, instead of failing
    #[arg(long)]
    pub(super) skip_unreadable: bool,
}

impl ErroredPlans {
    /// Refuses an errored plan, or warns of it where it is allowed.
    pub(crate) fn check(self, file: &PlanFile) -> Result<(), String> {
        let name = file.name();
        if let Some(warning) = incompleteness_warning(file.facts()) {
            exit::warn(&format!("{name}: {warning}"));
        }
        warn_of_trust(file);
        match file.facts().errored {
            true if self.allow_errored => {
                exit::warn(&format!("{name}: planning ended with an error; later changes are missing"));
                Ok(())
            }
            true => Err(format!(
                "{name}: planning ended with an error, so the plan lacks changes; fix the error and plan again, \
                 or accept such plans with --allow-errored"
            )),
            false => Ok(()),
        }
    }
}
