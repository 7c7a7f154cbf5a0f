//! The report in JUnit's XML: a suite for each policy, a test case for each test case.

use objchange_text::visible;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus};

use crate::reports::junit::Junit;
use objchange_policy::sentinel::judge::show;
use objchange_policy::sentinel::testing::Outcome;
use std::time::Duration;

/// Holds every case until the end, because the head of the report says how many there are.
#[derive(Default)]
pub(super) struct Suites {
    suites: Vec<(String, Vec<TestCase>)>,
}

impl Suites {
    pub(super) fn add(&mut self, outcome: &Outcome, name: &str, duration: Duration) {
        let mut case = TestCase::new(&*visible(name), status(outcome));
        case.set_classname(&*visible(&outcome.policy));
        case.set_time(duration);
        case.extra.insert("file".into(), (&*visible(&outcome.case)).into());
        if !outcome.print.is_empty() {
            case.set_system_out(lines(outcome.print.lines().map(str::to_owned)));
        }
        // The test cases of a policy come one after the other.
        match self.suites.last_mut() {
            Some((policy, cases)) if *policy == outcome.policy => cases.push(case),
            _ => self.suites.push((outcome.policy.clone(), vec![case])),
        }
    }

    pub(super) fn finish(self) -> String {
        let mut report = Junit::new("objchange sentinel test");
        self.suites.into_iter().for_each(|(policy, cases)| report.suite(&policy, cases));
        report.finish()
    }
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
    let said = lines(said);
    let mut status = TestCaseStatus::non_success(kind);
    status
        .set_type(outcome.result())
        .set_message(said.lines().next().unwrap_or_default())
        .set_description(said.clone());
    status
}

/// Lines of which each is legible.
fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.map(|line| visible(&line).into_owned()).collect::<Vec<_>>().join("\n")
}
