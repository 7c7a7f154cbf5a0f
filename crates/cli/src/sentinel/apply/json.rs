//! The report for programs: a line of JSON for each policy and plan.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value as Json;

use crate::reports::json;
use objchange_policy::sentinel::Fault;
use objchange_policy::sentinel::judge::{Judged, Judgement, Unknown, WitnessReports};
use objchange_policy::sentinel::set::AppliedPolicy;

#[derive(Serialize)]
struct Line<'a> {
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

pub(super) fn write<'a>(
    plan: &str,
    all: impl Iterator<Item = (&'a AppliedPolicy, &'a Judged)>,
) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for (applied, judged) in all {
        let line = Line {
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
        };
        json::write_line(&mut out, &line)?;
    }
    out.flush()
}
