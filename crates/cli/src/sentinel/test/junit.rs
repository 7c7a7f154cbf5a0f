//! A test case in JUnit's XML.

use objchange_text::{visible, visible_lines};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus};

use crate::reports::junit::failed;
use objchange_policy::sentinel::judge::show;
use objchange_policy::sentinel::testing::Outcome;
use std::time::Duration;

pub(super) fn case(outcome: &Outcome, name: &str, duration: Duration) -> TestCase {
    let mut case = TestCase::new(&*visible(name), status(outcome));
    case.set_classname(&*visible(&outcome.policy));
    case.set_time(duration);
    case.extra.insert("file".into(), (&*visible(&outcome.case)).into());
    if !outcome.print.is_empty() {
        case.set_system_out(visible_lines(&outcome.print));
    }
    case
}

fn status(outcome: &Outcome) -> TestCaseStatus {
    let said = outcome.errors.iter().map(ToString::to_string);
    let said = said.chain(outcome.differences.iter().map(|difference| match &difference.got {
        None => format!("{}: the policy has no such rule", difference.rule),
        Some(got) => {
            format!("{}: expected {}, got {}", difference.rule, show(&difference.expected), show(got))
        }
    }));
    let kind = match outcome.result() {
        "pass" => return TestCaseStatus::success(),
        "fail" => NonSuccessKind::Failure,
        _ => NonSuccessKind::Error,
    };
    let lines: Vec<String> = said.map(|line| visible(&line).into_owned()).collect();
    failed(kind, outcome.result(), &lines.join("\n"))
}
