//! Reports in JUnit's XML: a suite for each document, a test case for each thing that was looked at in it.
//!
//! XML cannot hold every character, not even escaped, so all that is not printable is written as in the text report.

use objchange_text::{visible, visible_colored};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

/// Holds every case until the end, because the head of the report says how many there are.
#[derive(Debug)]
pub(crate) struct Junit {
    name: String,
    suites: Vec<TestSuite>,
}

impl Junit {
    pub(super) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), suites: Vec::new() }
    }

    pub(super) fn suite(&mut self, name: &str, cases: impl IntoIterator<Item = TestCase>) {
        let mut suite = TestSuite::new(&*visible(name));
        suite.add_test_cases(cases);
        self.suites.push(suite);
    }

    pub(super) fn case(&mut self, case: TestCase) {
        if let Some(suite) = self.suites.last_mut() {
            suite.add_test_case(case);
        }
    }

    pub(super) fn finish(self) -> String {
        let mut report = Report::new(self.name);
        report.add_test_suites(self.suites);
        // Writing XML to a string does not fail.
        visible_colored(&report.to_string().unwrap_or_default()).into_owned()
    }
}

/// A test case with where it is defined.
pub(crate) fn case(class: &str, name: &str, file: &str, line: u64, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(&*visible(name), status);
    case.set_classname(&*visible(class));
    case.extra.insert("file".into(), (&*visible(file)).into());
    case.extra.insert("line".into(), line.to_string().into());
    case
}

/// The status of a case that failed: of which sort, and all that there is to say, of which the first line is the message.
pub(crate) fn failed(kind: NonSuccessKind, sort: &str, text: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(sort).set_message(text.lines().next().unwrap_or_default()).set_description(text);
    status
}
