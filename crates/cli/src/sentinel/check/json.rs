//! The report for programs: a line of JSON for each finding.

use objchange_sentinel::LineIndex;
use serde::Serialize;

use super::Checked;

#[derive(Serialize)]
pub(super) struct Line<'a> {
    file: &'a str,
    line: u32,
    col: u32,
    end_line: u32,
    end_col: u32,
    kind: &'a str,
    severity: &'a str,
    message: &'a str,
    help: Option<&'a str>,
}

pub(super) fn lines<'a>(checked: &'a Checked<'_>) -> impl Iterator<Item = Line<'a>> {
    let lines = LineIndex::new(checked.text);
    checked.findings.iter().map(move |finding| {
        let subject = finding.subject.unwrap_or_default();
        let (start, end) = (lines.char_position(subject.start), lines.char_position(subject.end));
        Line {
            file: checked.file,
            line: start.line,
            col: start.column,
            end_line: end.line,
            end_col: end.column,
            kind: &finding.kind,
            severity: finding.severity.name(),
            message: &finding.summary,
            help: finding.hints.first().map(|hint| &**hint),
        }
    })
}
