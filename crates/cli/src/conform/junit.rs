//! The report in JUnit's XML: a suite for the provider, a test case for each of its types.

use objchange_conform::{FindingSeverity, Found, Report, TypeReport};
use objchange_text::visible;
use quick_junit::{NonSuccessKind, TestCaseStatus};

use super::{FailOn, details};
use crate::reports::junit::{Junit, case};

pub(super) fn report(provider: &str, report: &Report, fail_on: FailOn) -> String {
    let mut junit = Junit::new("objchange conform");
    let cases = report.types.iter().map(|of| {
        let name = if of.name.is_empty() { of.subject.noun() } else { &of.name };
        case(of.subject.kind(), name, provider, 1, status(of, fail_on))
    });
    junit.suite(provider, cases);
    junit.finish()
}

fn status(of: &TypeReport, fail_on: FailOn) -> TestCaseStatus {
    let fails = |found: &&Found| {
        let severity = found.finding.severity;
        !found.is_known
            && (severity.is_error() || fail_on == FailOn::Warning && severity != FindingSeverity::Note)
    };
    let failing: Vec<&Found> = of.findings.iter().filter(fails).collect();
    if let Some(worst) = failing.first() {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        let line = |found: &&Found| {
            let finding = &found.finding;
            let said = finding.terraform.as_deref().filter(|said| !finding.message.contains(said));
            let said = said.map(|said| format!(" ({said})")).unwrap_or_default();
            format!("{} {}: {}{said}", finding.clause, found.place, finding.message)
        };
        let lines: Vec<String> = failing.iter().map(line).collect();
        let described = |(found, line): (&&Found, &String)| {
            let details = details::details(of, found);
            let details: String = details.lines().map(|line| format!("  {}\n", visible(line))).collect();
            format!("{}\n{details}\n", visible(line))
        };
        let count =
            if failing.len() == 1 { "1 finding".to_owned() } else { format!("{} findings", failing.len()) };
        let message = format!("{count}, the first: {}", lines[0]);
        status
            .set_type(worst.finding.clause.code())
            .set_message(&*visible(&message))
            .set_description(failing.iter().zip(&lines).map(described).collect::<String>());
        return status;
    }
    match &of.skipped {
        Some(reason) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(&*visible(reason));
            status
        }
        None => TestCaseStatus::success(),
    }
}
