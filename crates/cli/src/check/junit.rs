//! The report in JUnit's XML, as CI systems read it: a suite for each input, a test case for each case.
//!
//! XML cannot hold every character, not even escaped, so all that is not printable is written as in the text report.

use objchange_text::visible;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::Unusable;
use super::run::{Failure, Verdict};

/// Unlike the other reports this one holds every case until the end, because its head says how many there are.
#[derive(Default)]
pub(super) struct Junit {
    suites: Vec<TestSuite>,
}

impl Junit {
    pub(super) fn input(&mut self, name: &str) {
        self.suites.push(TestSuite::new(&*visible(name)));
    }

    pub(super) fn verdict(&mut self, input: &str, verdict: &Verdict) {
        let status = match &verdict.result {
            Ok(()) => TestCaseStatus::success(),
            Err(failure) => failure_status(failure),
        };
        let name = match &verdict.id {
            Some(id) => visible(id).into_owned(),
            None => format!("line {}", verdict.line),
        };
        let mut case = TestCase::new(name, status);
        case.set_classname(&*visible(verdict.op.as_deref().unwrap_or("case")));
        case.set_time(verdict.duration);
        case.extra.insert("file".into(), (&*visible(input)).into());
        case.extra.insert("line".into(), verdict.line.to_string().into());
        self.add(case);
    }

    pub(super) fn unusable(&mut self, unusable: &Unusable) {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status.set_message(&*visible(&unusable.to_string()));
        self.add(TestCase::new("(reading the input)", status));
    }

    fn add(&mut self, case: TestCase) {
        if let Some(suite) = self.suites.last_mut() {
            suite.add_test_case(case);
        }
    }

    pub(super) fn finish(self) -> String {
        let mut report = Report::new("objchange check");
        report.add_test_suites(self.suites);
        // Writing XML to a string does not fail.
        report.to_string().unwrap_or_default()
    }
}

fn failure_status(failure: &Failure) -> TestCaseStatus {
    let (kind, ty, message) = match failure {
        Failure::Different(difference) => {
            let place =
                if difference.path.is_root() { String::new() } else { format!("at {}: ", difference.path) };
            let note = difference.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status
                .set_type("different")
                .set_message(format!("{place}the answers differ{note}"))
                .set_description(format!(
                    "got:  {}\nwant: {}{}",
                    visible(&difference.got),
                    visible(&difference.want),
                    difference.explained.iter().map(|s| format!("\n{}", visible(s))).collect::<String>()
                ));
            return status;
        }
        Failure::Malformed(malformed) => (
            NonSuccessKind::Error,
            "malformed",
            format!("column {}: {}", malformed.column, visible(&malformed.message)),
        ),
        Failure::UnknownOperation => {
            (NonSuccessKind::Error, "unknown_operation", "unknown operation".to_owned())
        }
        Failure::Panicked => {
            (NonSuccessKind::Error, "crashed", "objchange itself crashed on this case".to_owned())
        }
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(ty).set_message(message);
    status
}
