//! Verdicts as JSON Lines: a line for each policy and plan.

use serde::Serialize;
use serde_json::Value as Json;

use crate::sentinel::Fault;
use crate::sentinel::judge::{Judged, Judgement, Unknown, WitnessReports};
use crate::sentinel::set::AppliedPolicy;

/// The result of a policy on a plan, as a line of JSON (`schema/sentinel-apply.schema.json`).
#[derive(Debug, Serialize)]
pub struct PolicyLine<'a> {
    plan: &'a str,
    policy: &'a str,
    file: &'a str,
    enforcement_level: &'static str,
    outcome: &'static str,
    error: Option<&'a Fault>,
    main: Option<&'a Json>,
    print: &'a str,
    rules: &'a [Judgement],
    witnesses: &'a WitnessReports,
    unknown: &'a [Unknown],
    undecided: bool,
}

impl<'a> PolicyLine<'a> {
    /// The result of a policy for the plan of this name.
    pub fn new(plan: &'a str, applied: &'a AppliedPolicy, judged: &'a Judged) -> Self {
        Self {
            plan,
            policy: &applied.name,
            file: &applied.file,
            enforcement_level: applied.level.name(),
            outcome: judged.outcome.name(),
            error: judged.error.as_ref(),
            main: judged.main.as_ref(),
            print: &judged.print,
            rules: &judged.rules,
            witnesses: &judged.witnesses,
            unknown: &judged.unknown,
            undecided: judged.is_undecided,
        }
    }
}
