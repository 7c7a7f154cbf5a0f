//! The report as JSON (`schema/check-report.schema.json`), written as the run goes on.

use std::io::{self, BufWriter, StdoutLock, Write};

use objchange_case::FailureEntry;
use objchange_text::visible_json;
use serde::Serialize;

use objchange_project::UnusableCases;

use super::Counts;

/// The version of the report's form.
const FORMAT_VERSION: &str = "1.0";

pub(super) struct Json {
    out: BufWriter<StdoutLock<'static>>,
    failures: u64,
    unusable: Vec<UnusableEntry>,
}

#[derive(Serialize)]
struct UnusableEntry {
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    message: String,
}

impl Json {
    // The document is written piece by piece, because a run may have millions of cases.
    pub(super) fn start() -> io::Result<Self> {
        let mut out = BufWriter::new(io::stdout().lock());
        write!(out, r#"{{"format_version":"{FORMAT_VERSION}","failures":["#)?;
        Ok(Self { out, failures: 0, unusable: Vec::new() })
    }

    pub(super) fn failure(&mut self, failure: &FailureEntry<'_>) -> io::Result<()> {
        self.out.write_all(if self.failures == 0 { b"\n" } else { b",\n" })?;
        self.failures += 1;
        self.out.write_all(visible_json(&serde_json::to_string(failure)?).as_bytes())?;
        Ok(())
    }

    pub(super) fn unusable(&mut self, unusable: &UnusableCases) {
        self.unusable.push(UnusableEntry {
            file: unusable.input.clone(),
            line: unusable.place.map(|(line, _)| line),
            column: unusable.place.map(|(_, column)| column),
            message: unusable.message.clone(),
        });
    }

    pub(super) fn finish(mut self, counts: Counts) -> io::Result<()> {
        write!(self.out, r#"],"unusable":"#)?;
        self.out.write_all(visible_json(&serde_json::to_string(&self.unusable)?).as_bytes())?;
        writeln!(self.out, r#","passed":{},"failed":{}}}"#, counts.passed, counts.failed)?;
        self.out.flush()
    }
}
