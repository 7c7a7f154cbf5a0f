//! The report for programs: a line of JSON for each policy and plan.

use serde::Serialize;
use serde_json::Value as Json;

use objchange_policy::sentinel::Fault;
use objchange_policy::sentinel::judge::{Judged, Judgement, Unknown, WitnessReports};
use objchange_policy::sentinel::set::AppliedPolicy;

#[derive(Serialize)]
pub(super) struct Line<'a> {
    plan: &'a str,
    policy: &'a str,
    file: &'a str,
    enforcement_level: &'static str,
    result: &'static str,
    error: Option<&'a Fault>,
    main: Option<&'a Json>,
    print: &'a str,
    rules: &'a [Judgement],
    witnesses: &'a WitnessReports,
    unknown: &'a [Unknown],
    undecided: bool,
}

pub(super) fn line<'a>(plan: &'a str, applied: &'a AppliedPolicy, judged: &'a Judged) -> Line<'a> {
    Line {
        plan,
        policy: &applied.name,
        file: &applied.file,
        enforcement_level: applied.level.name(),
        result: judged.outcome.name(),
        error: judged.error.as_ref(),
        main: judged.main.as_ref(),
        print: &judged.print,
        rules: &judged.rules,
        witnesses: &judged.witnesses,
        unknown: &judged.unknown,
        undecided: judged.is_undecided,
    }
}
