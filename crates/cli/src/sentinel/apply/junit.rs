//! The report in JUnit's XML: a suite for each plan, a test case for each policy.

use objchange_text::{visible, visible_lines};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus};

use super::OnUnknown;
use crate::reports::junit;
use objchange_policy::sentinel::configuration::Level;
use objchange_policy::sentinel::judge::{Judged, Judgement, Outcome, show};
use objchange_policy::sentinel::set::AppliedPolicy;

pub(super) fn case(applied: &AppliedPolicy, judged: &Judged, unknown: OnUnknown) -> TestCase {
    let said = said(judged);
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

/// What is said of a policy that is broken, on lines.
pub(super) fn said(judged: &Judged) -> String {
    if let Some(error) = &judged.error {
        return visible(&error.to_string()).into_owned();
    }
    let mut lines = vec![match judged.outcome {
        Outcome::Undefined => "main is undefined".to_owned(),
        Outcome::Pass => "this is not known until apply".to_owned(),
        _ => "the policy is broken".to_owned(),
    }];
    lines.extend(judged.witnesses.list.iter().map(|seen| visible(&seen.sentence()).into_owned()));
    if judged.outcome == Outcome::Pass {
        lines.extend(judged.unknown.iter().map(|unknown| visible(&unknown.what).into_owned()));
    }
    for (depth, Judgement { rule, .. }) in judged.tree() {
        let value = show(&rule.value);
        let (indent, name, value) = ("  ".repeat(depth.min(20)), visible(&rule.name), visible(&value));
        lines.push(format!("{indent}{name} ({}:{}): {value}", rule.line, rule.col));
    }
    if !judged.print.is_empty() {
        lines.push(visible_lines(&judged.print));
    }
    lines.join("\n")
}
