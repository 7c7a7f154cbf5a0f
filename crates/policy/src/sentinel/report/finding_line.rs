//! Errors in the text of a policy as JSON Lines.

use objchange_sentinel::{Diagnostic, LineIndex};
use serde::Serialize;

/// A finding (`schema/sentinel-check.schema.json`).
#[derive(Debug, Serialize)]
pub struct FindingLine<'a> {
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

impl<'a> FindingLine<'a> {
    /// The findings in the text of a file.
    pub fn all(file: &'a str, text: &'a str, findings: &'a [Diagnostic]) -> impl Iterator<Item = Self> {
        let lines = LineIndex::new(text);
        findings.iter().map(move |finding| {
            let subject = finding.subject.unwrap_or_default();
            let (start, end) = (lines.char_position(subject.start), lines.char_position(subject.end));
            Self {
                file,
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
}
