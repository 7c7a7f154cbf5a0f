//! The report as JSON.

use std::io::{self, Write};

use objchange_conform::Report;

use crate::reports::json;

#[derive(serde::Serialize)]
struct Document<'r> {
    format_version: &'static str,
    provider: &'r str,
    #[serde(flatten)]
    report: &'r Report,
    new: New,
}

/// How much was found that is not in the baseline.
#[derive(serde::Serialize)]
struct New {
    errors: usize,
    warnings: usize,
}

pub(super) fn write(provider: &str, report: &Report) -> io::Result<()> {
    let (errors, warnings) = report.new_findings();
    let new = New { errors, warnings };
    let document = Document { format_version: "1", provider, report, new };
    let mut out = io::stdout().lock();
    json::write_line(&mut out, &document)?;
    out.flush()
}
