//! A case in JUnit's form.

use objchange::case::CaseFailure;
use objchange_project::{CaseLine, UnusableCases};
use objchange_text::reports::{JunitCase, JunitStatus};

pub(super) fn verdict(input: &str, verdict: &CaseLine) -> JunitCase {
    let status = match &verdict.verdict.failure {
        None => JunitStatus::PASSED,
        Some(failure) => failure_status(failure),
    };
    let line = || format!("line {}", verdict.line);
    let name = verdict.verdict.id.clone().unwrap_or_else(line);
    let case =
        JunitCase::new(name, status).at(verdict.verdict.op.as_deref().unwrap_or("case"), input, verdict.line);
    JunitCase { time: Some(verdict.duration), ..case }
}

pub(super) fn unusable(unusable: &UnusableCases) -> JunitCase {
    JunitCase::new("(reading the input)", JunitStatus::ERROR.with_message(unusable.to_string()))
}

fn failure_status(failure: &CaseFailure) -> JunitStatus {
    match failure {
        CaseFailure::Different(difference) => {
            let place =
                if difference.path.is_root() { String::new() } else { format!("at {}: ", difference.path) };
            let note = difference.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
            let lines = |text: &str| objchange_text::visible(text).into_owned();
            let explained = difference.explained.iter().map(|sentence| format!("\n{}", lines(sentence)));
            JunitStatus::FAILURE.with("different", format!("{place}the answers differ{note}")).with_text(
                format!(
                    "got:  {}\nwant: {}{}",
                    lines(&difference.got),
                    lines(&difference.want),
                    explained.collect::<String>()
                ),
            )
        }
        CaseFailure::Malformed(malformed) => {
            let message = format!("column {}: {}", malformed.column, malformed.message);
            JunitStatus::ERROR.with("malformed", message)
        }
        CaseFailure::UnknownOperation => JunitStatus::ERROR.with("unknown_operation", "unknown operation"),
        CaseFailure::Panicked => JunitStatus::ERROR.with("crashed", "objchange itself crashed on this case"),
    }
}
