//! The report as JSON.

use objchange_conform::Report;

#[derive(serde::Serialize)]
pub(super) struct Document<'r> {
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

pub(super) fn document<'r>(provider: &'r str, report: &'r Report) -> Document<'r> {
    let (errors, warnings) = report.new_findings();
    Document { format_version: "1", provider, report, new: New { errors, warnings } }
}
