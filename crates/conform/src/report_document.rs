//! The report as a document (`schema/conform-report.schema.json`).

use super::Report;

/// A report with the name of the provider, for JSON.
#[derive(Debug, serde::Serialize)]
pub struct ReportDocument<'r> {
    provider: &'r str,
    #[serde(flatten)]
    report: &'r Report,
    new: New,
}

/// The numbers of findings that are not in the baseline.
#[derive(Debug, serde::Serialize)]
struct New {
    errors: usize,
    warnings: usize,
}

impl Report {
    /// The report as a document, with this name of the provider.
    pub fn document<'r>(&'r self, provider: &'r str) -> ReportDocument<'r> {
        let (errors, warnings) = self.new_findings();
        ReportDocument { provider, report: self, new: New { errors, warnings } }
    }
}
