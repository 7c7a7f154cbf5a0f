//! The report in JUnit's XML: a suite for each plan, a test case for each rule.

use objchange::internal::visible;
use objchange_plan::policy::{Outcome, Place, RuleVerdict, Severity};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::Judged;

pub(super) struct Junit(Report);

impl Junit {
    pub(super) fn new(name: &str) -> Self {
        Self(Report::new(name))
    }

    pub(super) fn judged(&mut self, judged: &Judged) {
        let mut suite = TestSuite::new(&*visible(&judged.file));
        suite.add_test_cases(judged.verdicts.rules.iter().map(case));
        self.0.add_test_suite(suite);
    }

    pub(super) fn suite(&mut self, suite: TestSuite) {
        self.0.add_test_suite(suite);
    }

    pub(super) fn finish(self) -> String {
        // Writing XML to a string does not fail.
        self.0.to_string().unwrap_or_default()
    }
}

/// A test case with where it is defined.
pub(super) fn named(name: &str, place: &Place, status: TestCaseStatus) -> TestCase {
    let (package, rule) = name.rsplit_once('.').unwrap_or(("", name));
    let mut case = TestCase::new(&*visible(rule), status);
    case.set_classname(&*visible(package));
    case.extra.insert("file".into(), (&*visible(&place.file)).into());
    case.extra.insert("line".into(), place.line.to_string().into());
    case
}

fn case(verdict: &RuleVerdict) -> TestCase {
    let lines = |findings: &[objchange_plan::policy::Finding]| {
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
        (Outcome::Fail, Severity::Failure) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status
                .set_type("deny")
                .set_message(said.lines().next().unwrap_or_default())
                .set_description(said.clone());
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
