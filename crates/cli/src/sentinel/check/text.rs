//! The report for people: each finding with its lines.

use std::io::{self, Write};

use objchange_hcl::{HiddenSource, Sources, snippet};
use objchange_sentinel::Severity;
use objchange_text::counted;

use super::Checked;
use crate::style::{BAD, CHANGED, GOOD};

/// How many findings there were.
#[derive(Default)]
pub(super) struct Text {
    files: usize,
    errors: usize,
    warnings: usize,
}

impl Text {
    pub(super) fn checked(&mut self, checked: &Checked<'_>) -> io::Result<()> {
        let Checked { file, text, findings } = checked;
        self.files += 1;
        if findings.is_empty() {
            return Ok(());
        }
        let sources = Sources::from_text(*file, *text).unwrap_or_default();
        let places = sources.places();
        let mut out = crate::terminal::stdout();
        for finding in *findings {
            match finding.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
            }
            writeln!(out, "{}\n", snippet(&places, &HiddenSource::default(), finding, true))?;
        }
        out.flush()
    }

    pub(super) fn finish(self) -> io::Result<()> {
        let Self { files, errors, warnings } = self;
        let mut out = crate::terminal::stdout();
        let style = match (errors, warnings) {
            (0, 0) => GOOD,
            (0, _) => CHANGED,
            _ => BAD,
        };
        let found = format!("{}, {}", counted(errors, "error"), counted(warnings, "warning"));
        writeln!(out, "{}: {style}{found}{style:#}", counted(files, "file"))?;
        out.flush()
    }
}
