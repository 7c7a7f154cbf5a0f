//! The report in JUnit's XML: a suite for the provider, a test case for each of its types.

use objchange_conform::{FindingReport, FindingSeverity, Report, Subject, TypeReport};
use objchange_text::visible;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus};

use super::FailOn;
use crate::reports::junit::case;

pub(super) fn cases(provider: &str, report: &Report, fail_on: FailOn) -> impl Iterator<Item = TestCase> {
    report.types.iter().map(move |of| {
        let name = if of.name.is_empty() { of.subject.noun() } else { &of.name };
        let mut case = case(of.subject.kind(), name, provider, 1, status(report, of, fail_on));
        // What does not fail is in the report nevertheless.
        let others = of.findings.iter().filter(|found| !fails(found, fail_on));
        let others: String = others.map(|found| format!("{}\n", visible(&line(found)))).collect();
        if !others.is_empty() {
            case.set_system_out(others);
        }
        case
    })
}

fn fails(found: &FindingReport, fail_on: FailOn) -> bool {
    let severity = found.finding.severity;
    !found.is_known
        && (severity.is_error() || fail_on == FailOn::Warning && severity != FindingSeverity::Note)
}

/// A finding in a line.
fn line(found: &FindingReport) -> String {
    let finding = &found.finding;
    let said = finding.terraform.as_deref().filter(|said| !finding.message.contains(said));
    let said = said.map(|said| format!(" ({said})")).unwrap_or_default();
    let location = found.location();
    let space = if location.is_empty() { "" } else { " " };
    format!("{}{space}{location}: {}{said}", finding.clause, finding.message)
}

/// Why a type was not checked, where nothing is wrong with it.
fn unchecked(report: &Report, of: &TypeReport) -> Option<String> {
    let not_reached = || {
        let reason = report.not_configured.as_ref().filter(|_| of.subject != Subject::Function)?;
        Some(format!("not checked: the provider is not configured: {reason}"))
    };
    let not_accepted = || (of.accepted == 0).then(|| "not checked: no configuration was accepted".to_owned());
    of.skipped.clone().or_else(not_reached).or_else(not_accepted)
}

fn status(report: &Report, of: &TypeReport, fail_on: FailOn) -> TestCaseStatus {
    let failing: Vec<&FindingReport> = of.findings.iter().filter(|found| fails(found, fail_on)).collect();
    if let Some(worst) = failing.first() {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        let lines: Vec<String> = failing.iter().map(|found| line(found)).collect();
        let described = |(found, line): (&&FindingReport, &String)| {
            let details = found.details(of);
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
    match unchecked(report, of) {
        Some(reason) => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(&*visible(&reason));
            status
        }
        None => TestCaseStatus::success(),
    }
}
