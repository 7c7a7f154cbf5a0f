//! The report for programs: a line of JSON for each finding.

use objchange_sentinel::{Position, Severity};
use serde::Serialize;

use super::Checked;

#[derive(Serialize)]
pub(super) struct Line<'a> {
    file: &'a str,
    line: usize,
    col: usize,
    end_line: usize,
    end_col: usize,
    kind: &'a str,
    severity: &'a str,
    message: &'a str,
    help: Option<&'a str>,
}

pub(super) fn lines<'a>(checked: &'a Checked<'_>) -> impl Iterator<Item = Line<'a>> {
    checked.findings.iter().map(move |finding| {
        let end = Position::of(checked.text, finding.span.end);
        Line {
            file: checked.file,
            line: finding.position.line,
            col: finding.position.column,
            end_line: end.line,
            end_col: end.column,
            kind: finding.kind,
            severity: severity(finding.severity),
            message: &finding.message,
            help: finding.help.as_deref(),
        }
    })
}

/// What a severity is called in reports.
pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}
