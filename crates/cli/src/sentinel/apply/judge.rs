//! What a policy says of a plan, or why it cannot be read.

use std::ops::Deref;

use objchange_plan::DocumentError;
use objchange_policy::sentinel::Imports;
use objchange_policy::sentinel::judge;
pub(super) use objchange_policy::sentinel::judge::{Judgement, Outcome, Unknown, WitnessReports};
use objchange_sentinel::Setup;

use super::set::Applied;
use crate::sentinel::fault::Fault;
use crate::sentinel::limits::RunLimits;

/// What a policy says of a plan.
#[derive(Debug)]
pub(super) struct Judged {
    report: judge::Judged,
    /// Why it could not be read or evaluated.
    pub(super) error: Option<Fault>,
}

impl Deref for Judged {
    type Target = judge::Judged;

    fn deref(&self) -> &judge::Judged {
        &self.report
    }
}

/// How policies are run.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunOptions {
    /// What time it is, in nanoseconds since 1970.
    pub(super) now: i64,
    pub(super) limits: RunLimits,
}

/// What a policy says of a plan; an error is one of the plan.
pub(super) fn judge(
    applied: &Applied,
    imports: &Imports,
    options: RunOptions,
) -> Result<Judged, DocumentError> {
    let compiled = match &applied.compiled {
        Ok(compiled) => compiled,
        Err(faults) => {
            let mut report = judge::Judged::default();
            report.outcome = Outcome::Error;
            return Ok(Judged { report, error: faults.first().cloned() });
        }
    };
    let setup = || {
        let mut setup = Setup::default();
        setup.params.clone_from(&applied.params);
        setup.globals.clone_from(&applied.globals);
        setup.now = options.now;
        options.limits.apply(&mut setup);
        setup.imports.clone_from(&compiled.imports);
        setup
    };
    let report = judge::judge(&compiled.policy, imports, setup)?;
    let error = report.error.clone().map(|error| Fault::from(options.limits.explain(error)));
    Ok(Judged { report, error })
}
