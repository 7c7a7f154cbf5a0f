//! The report for programs: a line of JSON for each test case, and with coverage one for each policy.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::reports;
use objchange_policy::sentinel::Fault;
use objchange_policy::sentinel::judge::Rule;
use objchange_policy::sentinel::testing::{Coverage, Difference, Outcome};

#[derive(Serialize)]
struct Line<'a> {
    policy: &'a str,
    case: &'a str,
    result: &'a str,
    differences: Vec<Json>,
    errors: &'a [Fault],
    print: &'a str,
    rules: &'a [Rule],
}

pub(super) fn outcome(outcome: &Outcome) -> io::Result<()> {
    let difference = |difference: &Difference| {
        let Difference { rule, expected, got } = difference;
        let evaluated = outcome.rule(rule);
        let mut json = json!({
            "rule": rule,
            "expected": expected,
            "line": evaluated.map(|rule| rule.line),
            "col": evaluated.map(|rule| rule.col),
            "doc": evaluated.and_then(|rule| rule.doc.as_deref()),
        });
        if let Some(got) = got {
            json["got"] = got.clone();
        }
        json
    };
    line(&Line {
        policy: &outcome.policy,
        case: &outcome.case,
        result: outcome.result(),
        differences: outcome.differences.iter().map(difference).collect(),
        errors: &outcome.errors,
        print: &outcome.print,
        rules: &outcome.rules,
    })
}

pub(super) fn coverage(coverage: &Coverage) -> io::Result<()> {
    coverage.policies().iter().try_for_each(line)
}

fn line(json: &impl Serialize) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    reports::json::write_line(&mut out, json)?;
    out.flush()
}
