//! Reports in JUnit's XML: a suite for each document, a test case for each thing that was checked in it.
//!
//! XML cannot hold every character, not even escaped, so all that is not printable is written as in the text report.

use objchange_text::{visible, visible_colored, visible_lines};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use crate::{Case, Finding, Outcome, Verdict};

/// Holds every case until the end, because the head of the report says how many there are.
#[derive(Debug)]
pub(crate) struct Junit {
    name: String,
    suites: Vec<TestSuite>,
}

impl Junit {
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), suites: Vec::new() }
    }

    pub(crate) fn suite(&mut self, name: &str) {
        self.suites.push(TestSuite::new(&*visible(name)));
    }

    /// Adds a case to the last suite.
    pub(crate) fn case(&mut self, case: &Case) {
        if let Some(suite) = self.suites.last_mut() {
            suite.add_test_case(test_case(case));
        }
    }

    pub(crate) fn finish(self) -> String {
        let mut report = quick_junit::Report::new(self.name);
        report.add_test_suites(self.suites);
        // Writing XML to a string does not fail.
        visible_colored(&report.to_string().unwrap_or_default()).into_owned()
    }
}

fn test_case(case: &Case) -> TestCase {
    let mut test = TestCase::new(&*visible(&case.name), status(case));
    if let Some(class) = &case.class {
        test.set_classname(&*visible(class));
    }
    if let Some(location) = &case.location {
        test.extra.insert("file".into(), (&*visible(&location.file)).into());
        test.extra.insert("line".into(), location.line.to_string().into());
    }
    if let Some(time) = case.time {
        test.set_time(time);
    }
    let output = output(case);
    if !output.is_empty() {
        test.set_system_out(lines(&output));
    }
    test
}

/// The printed text of the check, and findings that the status does not have.
fn output(case: &Case) -> String {
    // Asked once: with a rule of 8,000 messages, asking for each took 3.2 s, and four times as long for twice as many.
    let verdict = case.verdict();
    let others = case.findings.iter().filter(|finding| match verdict {
        Verdict::Passed | Verdict::Skipped => finding.outcome == Outcome::Note,
        _ => !finding.fails(),
    });
    let others = others.map(|finding| format!("{}\n", visible(&finding.message)));
    case.output.iter().cloned().chain(others).collect()
}

fn status(case: &Case) -> TestCaseStatus {
    let skipped = |reason: &str| {
        let mut status = TestCaseStatus::skipped();
        status.set_message(&*visible(reason));
        status
    };
    let kind = match case.verdict() {
        Verdict::Passed => return TestCaseStatus::success(),
        Verdict::Skipped => {
            let Some(first) = case.accepted().next() else {
                return skipped(case.skipped.as_deref().unwrap_or_default());
            };
            let reason = first.accepted.as_deref().unwrap_or_default();
            let mut status = skipped(&format!("{reason}: {}", summary(case, first)));
            status.set_type(&*first.kind);
            if let Some(text) = text(case, first, case.accepted()) {
                status.set_description(lines(&text));
            }
            return status;
        }
        Verdict::Undecided | Verdict::Failed => NonSuccessKind::Failure,
        Verdict::Error | Verdict::NotJudged => NonSuccessKind::Error,
    };
    let mut status = TestCaseStatus::non_success(kind);
    if let Some(worst) = case.worst() {
        status.set_type(&*worst.kind);
        status.set_message(&*visible(summary(case, worst)));
        if let Some(text) = text(case, worst, case.failing()) {
            status.set_description(lines(&text));
        }
    }
    status
}

fn summary<'c>(case: &'c Case, first: &'c Finding) -> &'c str {
    case.summary.as_deref().unwrap_or(&first.message)
}

/// Everything that the message does not say yet: details, and the other findings. Readers show both, one below the other.
fn text<'c>(case: &Case, first: &Finding, findings: impl Iterator<Item = &'c Finding>) -> Option<String> {
    if let Some(text) = &case.text {
        return Some(text.clone());
    }
    let said = findings.filter_map(|finding| {
        let is_said = case.summary.is_none() && std::ptr::eq(finding, first);
        match (&finding.details, is_said) {
            (None, true) => None,
            (Some(details), true) => Some(details.clone()),
            (Some(details), false) => Some(format!("{}\n{details}", visible(&finding.message))),
            (None, false) => Some(visible(&finding.message).into_owned()),
        }
    });
    let said: Vec<String> = said.collect();
    (!said.is_empty()).then(|| said.join("\n"))
}

/// Lines with everything escaped that is not to be seen, and the line end of the last one, if it has one.
fn lines(text: &str) -> String {
    // Terraform writes U+FFFE into the CDATA of its report, which no XML parser accepts. Here it is escaped.
    let end = if text.ends_with('\n') { "\n" } else { "" };
    visible_lines(text) + end
}
