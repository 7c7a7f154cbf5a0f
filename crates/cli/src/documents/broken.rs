//! Plans that a command judges although something is wrong with them.

use clap::Args;
use objchange_document::{PlanFile, incompleteness_warning};

use crate::exit;
use crate::module_plan::warn_of_trust;

/// Which plans are accepted although they may not say what happens.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct DoubtfulPlans {
    /// Accept plans with `"errored": true`, which lack every change after the error
    #[arg(long)]
    allow_errored: bool,

    /// Accept plans that were made without their providers and without `--strict`: values that the providers may change
    /// decide as if they were known
    #[arg(long)]
    pub(super) allow_trusting: bool,
}

/// Which broken plans are accepted. Every command that judges many plans has these options.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct BrokenPlans {
    #[command(flatten)]
    pub(super) doubtful: DoubtfulPlans,

    /// Warn of files that cannot be read as plans, instead of failing
    #[arg(long)]
    pub(super) skip_unreadable: bool,
}

impl BrokenPlans {
    /// These, and trusting plans if nothing is decided by their values.
    pub(crate) fn or_trusting(mut self, nothing_decides: bool) -> Self {
        self.doubtful.allow_trusting |= nothing_decides;
        self
    }
}

impl DoubtfulPlans {
    /// Refuses a plan that ended with an error, or that takes values for known which its providers may change. Warns of either
    /// where it is allowed.
    pub(crate) fn check(self, file: &PlanFile) -> Result<(), String> {
        let name = file.name();
        if let Some(warning) = incompleteness_warning(file.facts()) {
            exit::warn(&format!("{name}: {warning}"));
        }
        if file.facts().unasked.is_trusting && !self.allow_trusting {
            return Err(format!(
                "{name}: planned without its providers and without --strict, so values that they may change would decide as \
                 if they were known; plan again with --strict, name the directory instead, or accept such plans with \
                 --allow-trusting"
            ));
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
