//! Reports in JUnit's XML: a suite for each document, a test case for each thing that was looked at in it.
//!
//! XML cannot hold every character, not even escaped, so all that is not printable is written as in the text report.

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::case::Kind;
use super::{JunitCase, JunitStatus};
use crate::{visible, visible_colored, visible_lines};

/// Holds every case until the end, because the head of the report says how many there are.
#[derive(Debug)]
pub struct Junit {
    name: String,
    suites: Vec<TestSuite>,
}

impl Junit {
    /// A report of this name without cases.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), suites: Vec::new() }
    }

    /// Adds a suite.
    pub fn suite(&mut self, name: &str, cases: impl IntoIterator<Item = JunitCase>) {
        let mut suite = TestSuite::new(&*visible(name));
        suite.add_test_cases(cases.into_iter().map(test_case));
        self.suites.push(suite);
    }

    /// Adds a case to the last suite.
    pub fn case(&mut self, case: JunitCase) {
        if let Some(suite) = self.suites.last_mut() {
            suite.add_test_case(test_case(case));
        }
    }

    /// The text of the report.
    pub fn finish(self) -> String {
        let mut report = Report::new(self.name);
        report.add_test_suites(self.suites);
        // Writing XML to a string does not fail.
        visible_colored(&report.to_string().unwrap_or_default()).into_owned()
    }
}

fn test_case(case: JunitCase) -> TestCase {
    let mut test = TestCase::new(&*visible(&case.name), status(case.status));
    if let Some(class) = case.class {
        test.set_classname(&*visible(&class));
    }
    if let Some(file) = case.file {
        test.extra.insert("file".into(), (&*visible(&file)).into());
    }
    if let Some(line) = case.line {
        test.extra.insert("line".into(), line.to_string().into());
    }
    if let Some(time) = case.time {
        test.set_time(time);
    }
    if let Some(output) = case.output {
        test.set_system_out(lines(&output));
    }
    test
}

fn status(JunitStatus { kind, sort, message, text }: JunitStatus) -> TestCaseStatus {
    let mut status = match kind {
        Kind::Passed => return TestCaseStatus::success(),
        Kind::Skipped => TestCaseStatus::skipped(),
        Kind::Failure => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Kind::Error => TestCaseStatus::non_success(NonSuccessKind::Error),
    };
    if let Some(sort) = sort {
        status.set_type(sort);
    }
    if let Some(message) = message {
        status.set_message(&*visible(&message));
    }
    if let Some(text) = text {
        status.set_description(lines(&text));
    }
    status
}

/// Lines with everything escaped that is not to be seen, and the line end of the last one, if it has one.
fn lines(text: &str) -> String {
    let end = if text.ends_with('\n') { "\n" } else { "" };
    visible_lines(text) + end
}
