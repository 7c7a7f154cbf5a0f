//! A baseline of known findings, so that only new ones fail.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::finding::common_kind;
use super::report::{FindingReport, Report, TypeReport};

/// The known findings. Their JSON file is sorted, so that two versions of it can be compared.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Baseline {
    known: BTreeSet<Known>,
}

/// The identity of a finding, independent of the configuration that shows it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Known {
    subject: String,
    name: String,
    clause: String,
    kind: String,
    place: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format_version: String,
    findings: BTreeSet<Known>,
}

/// Why a file is not a baseline.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// It does not have the form of a baseline.
    #[error("this is no baseline: {0}")]
    Form(#[from] serde_json::Error),
    /// It was written by a later version.
    #[error("this baseline is of format version {0}, and only 1 is known: a newer objchange reads it")]
    Version(String),
}

impl BaselineError {
    /// The stable name of the kind of error.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Form(_) => "form",
            Self::Version(_) => "version",
        }
    }
}

impl Known {
    fn new(of: &TypeReport, found: &FindingReport) -> Self {
        Self {
            subject: of.subject.kind().to_owned(),
            name: of.name.clone(),
            clause: found.finding.clause.code().to_owned(),
            kind: common_kind(&found.finding.kind).to_owned(),
            place: found.place.clone(),
        }
    }
}

/// Whether the run tried the type of a known finding.
fn was_tried(report: &Report, known: &Known) -> bool {
    let is_it = |of: &TypeReport| of.subject.kind() == known.subject && of.name == known.name;
    report.types.iter().any(|of| is_it(of) && of.skipped.is_none())
}

impl Baseline {
    /// A baseline of all findings of a run.
    pub fn new(report: &Report) -> Self {
        Self { known: report.findings().map(|(of, found)| Known::new(of, found)).collect() }
    }

    /// Updates the baseline after a run: findings of the tried types are replaced, and all others stay.
    #[must_use]
    pub fn updated(&self, report: &Report) -> Self {
        let is_kept = |known: &&Known| !was_tried(report, known);
        let mut new = Self::new(report);
        new.known.extend(self.known.iter().filter(is_kept).cloned());
        new
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// It is not a baseline, or a baseline of a later version.
    pub fn parse(text: &str) -> Result<Self, BaselineError> {
        let file: File = serde_json::from_str(text)?;
        if file.format_version != "1" {
            return Err(BaselineError::Version(file.format_version));
        }
        // Older baselines may have kinds that were merged since.
        let common = |known: Known| Known { kind: common_kind(&known.kind).to_owned(), ..known };
        Ok(Self { known: file.findings.into_iter().map(common).collect() })
    }

    /// The content of the file.
    pub fn to_json(&self) -> String {
        let file = File { format_version: "1".into(), findings: self.known.clone() };
        // Only texts, which can always be written.
        let mut text = serde_json::to_string_pretty(&file).unwrap_or_default();
        text.push('\n');
        text
    }

    /// Marks the known findings in a report. Returns the number of known findings that the run looked for and did not find.
    pub fn apply(&self, report: &mut Report) -> usize {
        let mut seen = BTreeSet::new();
        for of in &mut report.types {
            let TypeReport { findings, .. } = &of;
            let known: Vec<Known> = findings.iter().map(|found| Known::new(of, found)).collect();
            for (found, known) in of.findings.iter_mut().zip(known) {
                found.is_known = self.known.contains(&known);
                seen.insert(known);
            }
        }
        self.known
            .iter()
            .filter(|known| was_tried(report, known))
            .filter(|known| !seen.contains(known))
            .count()
    }
}
