//! The report for people: each finding with its lines.

use std::io::{self, Write};

use annotate_snippets::{Group, Level, Renderer};
use objchange_hcl::{LineIndex, Place, Span};
use objchange_sentinel::Severity;
use objchange_text::visible;

use super::Checked;
use crate::configuration::report;
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
        let lines = LineIndex::new(text);
        let mut out = crate::terminal::stdout();
        for finding in *findings {
            let level = match finding.severity {
                Severity::Error => Level::ERROR,
                Severity::Warning => Level::WARNING,
            };
            match finding.severity {
                Severity::Error => self.errors += 1,
                Severity::Warning => self.warnings += 1,
            }
            let span = Span { start: finding.span.start, end: finding.span.end };
            let title = level.primary_title(visible(&finding.message)).id(finding.kind);
            let mut group = report::placed(title, Place { name: file, lines: &lines, span });
            if let Some(help) = &finding.help {
                group = group.element(Level::HELP.message(visible(help)));
            }
            let group: [Group<'_>; 1] = [group];
            writeln!(out, "{}\n", Renderer::styled().render(&group))?;
        }
        out.flush()
    }

    pub(super) fn finish(self) -> io::Result<()> {
        let Self { files, errors, warnings } = self;
        let count = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
        let mut out = crate::terminal::stdout();
        let style = match (errors, warnings) {
            (0, 0) => GOOD,
            (0, _) => CHANGED,
            _ => BAD,
        };
        let found = format!("{}, {}", count(errors, "error"), count(warnings, "warning"));
        writeln!(out, "{}: {style}{found}{style:#}", count(files, "file"))?;
        out.flush()
    }
}
