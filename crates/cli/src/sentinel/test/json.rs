//! The report for programs: a line of JSON for each test case.

use serde::Serialize;
use serde_json::{Value as Json, json};

use objchange_policy::sentinel::Fault;
use objchange_policy::sentinel::judge::Rule;
use objchange_policy::sentinel::testing::{Difference, Outcome};

#[derive(Serialize)]
pub(super) struct Line<'a> {
    policy: &'a str,
    case: &'a str,
    result: &'a str,
    differences: Vec<Json>,
    errors: &'a [Fault],
    print: &'a str,
    rules: &'a [Rule],
}

pub(super) fn line(outcome: &Outcome) -> Line<'_> {
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
    Line {
        policy: &outcome.policy,
        case: &outcome.case,
        result: outcome.result(),
        differences: outcome.differences.iter().map(difference).collect(),
        errors: &outcome.errors,
        print: &outcome.print,
        rules: &outcome.rules,
    }
}
