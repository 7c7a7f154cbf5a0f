//! The report for programs: a line of JSON for each finding.

use std::io::{self, Write};

use objchange_sentinel::{Position, Severity};
use serde::Serialize;

use super::Checked;
use crate::reports::json;

#[derive(Serialize)]
struct Line<'a> {
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

pub(super) fn write(checked: &Checked<'_>) -> io::Result<()> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    for finding in checked.findings {
        let end = Position::of(checked.text, finding.span.end);
        let line = Line {
            file: checked.file,
            line: finding.position.line,
            col: finding.position.column,
            end_line: end.line,
            end_col: end.column,
            kind: finding.kind,
            severity: severity(finding.severity),
            message: &finding.message,
            help: finding.help.as_deref(),
        };
        json::write_line(&mut out, &line)?;
    }
    out.flush()
}

/// What a severity is called in reports.
pub(super) fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}
