//! A case in JUnit's XML.

use objchange_text::visible;
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus};

use super::Unusable;
use super::run::{Failure, Verdict};
use crate::reports::junit::case;

pub(super) fn verdict(input: &str, verdict: &Verdict) -> TestCase {
    let status = match &verdict.result {
        Ok(()) => TestCaseStatus::success(),
        Err(failure) => failure_status(failure),
    };
    let line = || format!("line {}", verdict.line);
    let name = verdict.id.clone().unwrap_or_else(line);
    let mut case = case(verdict.op.as_deref().unwrap_or("case"), &name, input, verdict.line, status);
    case.set_time(verdict.duration);
    case
}

pub(super) fn unusable(unusable: &Unusable) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    status.set_message(&*visible(&unusable.to_string()));
    TestCase::new("(reading the input)", status)
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
