//! Verdicts and tests as test cases in JUnit's form.

use std::time::Duration;

use objchange_text::reports::{JunitCase, JunitStatus};
use objchange_text::visible_lines;

use super::{OnUnknown, description};
use crate::sentinel::judge::{self, Judged, show};
use crate::sentinel::set::AppliedPolicy;
use crate::sentinel::testing::Outcome;

/// The verdict of a policy on a plan. A broken policy that does not bind, because it is advisory or overridden, and an undecided
/// one that is accepted are skipped, with the reason.
pub fn policy_case(
    applied: &AppliedPolicy,
    judged: &Judged,
    unknown: OnUnknown,
    is_binding: bool,
) -> JunitCase {
    let is_broken = unknown.breaks(judged);
    let sort = match judged.outcome {
        judge::Outcome::Pass if judged.is_undecided => "undecided",
        outcome => outcome.name(),
    };
    let status = match judged.outcome {
        _ if is_broken && !is_binding => JunitStatus::SKIPPED.with_lines(sort, description(judged)),
        judge::Outcome::Error if is_broken => JunitStatus::ERROR.with_lines(sort, description(judged)),
        _ if is_broken => JunitStatus::FAILURE.with_lines(sort, description(judged)),
        judge::Outcome::Pass if !judged.is_undecided => JunitStatus::PASSED,
        _ => JunitStatus::SKIPPED.with_lines(sort, description(judged)),
    };
    let output = visible_lines(&judged.print);
    let line = judged.main_rule().map_or(1, |rule| rule.line);
    JunitCase {
        output: Some(output).filter(|output| !output.is_empty()),
        ..JunitCase::new(&*applied.name, status).at(applied.level.name(), &*applied.file, line)
    }
}

/// The result of a test case of this name.
pub fn test_case(outcome: &Outcome, name: &str, time: Duration) -> JunitCase {
    JunitCase {
        class: Some(outcome.policy.clone()),
        file: Some(outcome.case.clone()),
        time: Some(time),
        output: Some(visible_lines(&outcome.print)).filter(|output| !output.is_empty()),
        ..JunitCase::new(name, status(outcome))
    }
}

fn status(outcome: &Outcome) -> JunitStatus {
    let said = outcome.errors.iter().map(ToString::to_string);
    let said = said.chain(outcome.differences.iter().map(|difference| match &difference.got {
        None => format!("{}: the policy has no such rule", difference.rule),
        Some(got) => {
            format!("{}: expected {}, got {}", difference.rule, show(&difference.expected), show(got))
        }
    }));
    let status = match outcome.result() {
        "pass" => return JunitStatus::PASSED,
        "fail" => JunitStatus::FAILURE,
        _ => JunitStatus::ERROR,
    };
    let lines: Vec<String> = said.map(|line| objchange_text::visible(&line).into_owned()).collect();
    status.with_lines(outcome.result(), lines.join("\n"))
}
