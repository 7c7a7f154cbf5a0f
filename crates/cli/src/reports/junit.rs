//! Reports in JUnit's XML: a suite for each document, a test case for each thing that was looked at in it.

use objchange_text::visible;
use quick_junit::{Report, TestCase, TestCaseStatus, TestSuite};

use crate::terminal;

#[derive(Debug)]
pub(crate) struct Junit(Report);

impl Junit {
    pub(crate) fn new(name: &str) -> Self {
        Self(Report::new(name))
    }

    pub(crate) fn suite(&mut self, name: &str, cases: impl IntoIterator<Item = TestCase>) {
        let mut suite = TestSuite::new(&*visible(name));
        suite.add_test_cases(cases);
        self.0.add_test_suite(suite);
    }

    pub(crate) fn finish(&self) -> String {
        // Writing XML to a string does not fail.
        terminal::visible(&self.0.to_string().unwrap_or_default()).into_owned()
    }
}

/// A test case with where it is defined.
pub(crate) fn case(class: &str, name: &str, file: &str, line: usize, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(&*visible(name), status);
    case.set_classname(&*visible(class));
    case.extra.insert("file".into(), (&*visible(file)).into());
    case.extra.insert("line".into(), line.to_string().into());
    case
}
