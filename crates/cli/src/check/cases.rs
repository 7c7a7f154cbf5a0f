//! The lines of case files as cases of reports.

use objchange_case::CaseFailure;
use objchange_finding::{Case, Finding, Location, Outcome};
use objchange_project::CaseLine;
use objchange_text::visible;

pub(super) fn case(input: &str, line: &CaseLine) -> Case {
    let location = Location::new(input, line.line);
    let name = line.verdict.id.clone().unwrap_or_else(|| format!("line {}", line.line));
    let findings = line.verdict.failure.iter().map(|failure| finding(failure, location.clone())).collect();
    let case = Case::new(name).at(line.verdict.op.as_deref().unwrap_or("case"), location);
    Case { time: Some(line.duration), findings, ..case }
}

fn finding(failure: &CaseFailure, location: Location) -> Finding {
    match failure {
        CaseFailure::Different(difference) => {
            let place = match difference.path.is_root() {
                true => String::new(),
                false => format!("at {}: ", difference.path),
            };
            let note = difference.note.as_ref().map(|note| format!(" ({note})")).unwrap_or_default();
            let message = format!("{place}the answers differ{note}");
            let explained = difference.explained.iter().map(|sentence| format!("\n{}", visible(sentence)));
            let (got, want) = (visible(&difference.got), visible(&difference.want));
            let details = format!("got:  {got}\nwant: {want}{}", explained.collect::<String>());
            let finding = Finding::new("different", Outcome::Failed, message, location);
            Finding { details: Some(details), ..finding }
        }
        CaseFailure::Malformed(malformed) => {
            let message = format!("column {}: {}", malformed.column, malformed.message);
            Finding::new("malformed", Outcome::Error, message, location)
        }
        CaseFailure::UnknownOperation => {
            Finding::new("unknown_operation", Outcome::Error, "unknown operation", location)
        }
        CaseFailure::Panicked => {
            Finding::new("crashed", Outcome::Error, "objchange itself crashed on this case", location)
        }
    }
}
