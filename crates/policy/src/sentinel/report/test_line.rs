//! Results of test cases as JSON Lines: a line for each test case.

use serde::Serialize;
use serde_json::{Value as Json, json};

use crate::sentinel::Fault;
use crate::sentinel::judge::Rule;
use crate::sentinel::testing::{Difference, Outcome};

/// The result of a test case (`schema/sentinel-test.schema.json`).
#[derive(Debug, Serialize)]
pub struct TestLine<'a> {
    policy: &'a str,
    case: &'a str,
    outcome: &'a str,
    differences: Vec<Json>,
    errors: &'a [Fault],
    print: &'a str,
    rules: &'a [Rule],
}

impl<'a> TestLine<'a> {
    /// A line for this outcome.
    pub fn new(outcome: &'a Outcome) -> Self {
        let difference = |difference: &Difference| {
            let Difference { rule, expected, got } = difference;
            let evaluated = outcome.rule(rule);
            let mut json = json!({
                "rule": rule,
                "expected": expected,
                "line": evaluated.map(|rule| rule.line),
                "column": evaluated.map(|rule| rule.column),
                "doc": evaluated.and_then(|rule| rule.doc.as_deref()),
            });
            if let Some(got) = got {
                json["got"] = got.clone();
            }
            json
        };
        Self {
            policy: &outcome.policy,
            case: &outcome.case,
            outcome: outcome.result(),
            differences: outcome.differences.iter().map(difference).collect(),
            errors: &outcome.errors,
            print: &outcome.print,
            rules: &outcome.rules,
        }
    }
}
