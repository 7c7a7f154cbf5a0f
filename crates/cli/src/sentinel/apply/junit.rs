//! The report in JUnit's XML: a suite for each plan, a test case for each policy.

use objchange::internal::visible;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus};

use super::judge::{Judged, Outcome};
use super::set::Applied;
use crate::reports::junit;
use crate::sentinel::configuration::Level;
use crate::sentinel::rule::show;

pub(super) fn case(applied: &Applied, judged: &Judged) -> TestCase {
    let said = said(judged);
    let kind = match (judged.outcome, applied.level) {
        (Outcome::Pass, _) | (_, Level::Advisory) => None,
        (Outcome::Error, _) => Some(NonSuccessKind::Error),
        _ => Some(NonSuccessKind::Failure),
    };
    let status = kind.map_or_else(TestCaseStatus::success, |kind| {
        let mut status = TestCaseStatus::non_success(kind);
        let message = said.lines().next().unwrap_or_default().to_owned();
        status.set_type(judged.outcome.name()).set_message(message).set_description(said.clone());
        status
    });
    let line = judged.rules.iter().find(|rule| rule.name == "main").map_or(1, |rule| rule.line);
    let mut case = junit::case(applied.level.name(), &applied.name, &applied.file, line, status);
    if judged.is_broken() && applied.level == Level::Advisory {
        case.set_system_out(said);
    } else if !judged.print.is_empty() {
        case.set_system_out(visible_lines(&judged.print));
    }
    case
}

/// What is said of a policy that is broken, on lines.
pub(super) fn said(judged: &Judged) -> String {
    if let Some(error) = &judged.error {
        return visible(&error.to_string()).into_owned();
    }
    let mut lines = vec![match judged.outcome {
        Outcome::Undefined => "main is undefined".to_owned(),
        _ => "the policy is broken".to_owned(),
    }];
    for rule in judged.main_first() {
        let value = visible(&show(&rule.value)).into_owned();
        lines.push(format!("{} ({}:{}): {value}", visible(&rule.name), rule.line, rule.col));
    }
    if !judged.print.is_empty() {
        lines.push(visible_lines(&judged.print));
    }
    lines.join("\n")
}

fn visible_lines(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}
