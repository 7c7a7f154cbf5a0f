//! The report in JUnit's XML: a suite for each plan, a test case for each rule.

use objchange_policy::rego::{Outcome, Place, RuleVerdict, Severity};
use objchange_text::visible;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus};

use crate::reports::junit;

/// A test case with where it is defined.
pub(super) fn named(name: &str, place: &Place, status: TestCaseStatus) -> TestCase {
    let (package, rule) = name.rsplit_once('.').unwrap_or(("", name));
    junit::case(package, rule, &place.file, place.line.into(), status)
}

pub(super) fn case(verdict: &RuleVerdict) -> TestCase {
    let lines = |findings: &[objchange_policy::rego::Finding]| {
        let lines = findings.iter().map(|finding| match &finding.address {
            Some(address) => format!("{}: {}", visible(address), visible(finding.text())),
            None => visible(finding.text()).into_owned(),
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    let said = lines(&verdict.findings);
    let status = match (verdict.outcome(), verdict.severity) {
        (Outcome::Pass | Outcome::Excepted, _) | (Outcome::Fail, Severity::Warning) => {
            TestCaseStatus::success()
        }
        (Outcome::Fail, Severity::Failure) => junit::failed(NonSuccessKind::Failure, "deny", &said),
        (Outcome::Error, _) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
            let error = verdict.error.as_deref().unwrap_or_default();
            status.set_type("error").set_message(&*visible(error));
            status
        }
        (Outcome::Undecided, _) => {
            let waits = verdict.undecided.iter().flat_map(|undecided| &undecided.waits_for);
            let waits: Vec<String> = waits
                .map(|unknown| format!("{} of {}", visible(&unknown.path), visible(&unknown.address)))
                .collect();
            let mut status = TestCaseStatus::skipped();
            status.set_type("undecided").set_message(format!("not known until apply: {}", waits.join(", ")));
            status
        }
    };
    let mut case = named(&verdict.rule, &verdict.place, status);
    if verdict.severity == Severity::Warning && !said.is_empty() {
        case.set_system_out(said);
    }
    case
}
