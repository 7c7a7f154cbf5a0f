//! The report in JUnit's XML: a suite for each plan, a test case for each policy.

use objchange_text::visible_lines;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus};

use crate::reports::junit;
use objchange_policy::sentinel::configuration::Level;
use objchange_policy::sentinel::judge::{Judged, Outcome};
use objchange_policy::sentinel::report::{OnUnknown, description};
use objchange_policy::sentinel::set::AppliedPolicy;

pub(super) fn case(applied: &AppliedPolicy, judged: &Judged, unknown: OnUnknown) -> TestCase {
    let said = description(judged);
    let is_broken = unknown.breaks(judged);
    let kind = match (judged.outcome, applied.level) {
        _ if !is_broken => None,
        (_, Level::Advisory) => None,
        (Outcome::Error, _) => Some(NonSuccessKind::Error),
        _ => Some(NonSuccessKind::Failure),
    };
    let status =
        kind.map_or_else(TestCaseStatus::success, |kind| junit::failed(kind, judged.outcome.name(), &said));
    let line = judged.main_rule().map_or(1, |rule| rule.line.into());
    let mut case = junit::case(applied.level.name(), &applied.name, &applied.file, line, status);
    if is_broken && applied.level == Level::Advisory {
        case.set_system_out(said);
    } else if !judged.print.is_empty() {
        case.set_system_out(visible_lines(&judged.print));
    }
    case
}
