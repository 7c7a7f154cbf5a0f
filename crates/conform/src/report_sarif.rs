//! The report in SARIF 2.1.0: a rule is a clause of the contract, and its result is in the provider's program.

use objchange_text::reports::{Sarif, SarifResult};

use crate::{Clause, FindingReport, FindingSeverity, Report, TypeReport};

impl Report {
    /// Adds all clauses, and what is new among the findings, to a report. The file is the provider's program. With
    /// `warnings_fail` warnings are errors, too.
    pub fn add_to_sarif(&self, sarif: &mut Sarif, provider: &str, warnings_fail: bool) {
        for clause in Clause::ALL {
            let is_noticed = clause.terraform_summary().is_some();
            let level = if is_noticed { "error" } else { "warning" };
            let advice = clause.advice(None);
            let said = clause.terraform_summary().map(|summary| format!(" Terraform says: {summary}."));
            let full = format!("{} {}{}", clause.sentence(), advice.meaning, said.unwrap_or_default());
            sarif.rule_in_full(clause.code(), level, clause.sentence(), [full, advice.text()]);
        }
        for (of, found) in self.findings().filter(|(_, found)| !found.is_known) {
            sarif.found(SarifResult {
                rule: found.finding.clause.code(),
                level: match found.finding.severity {
                    FindingSeverity::Error => "error",
                    FindingSeverity::Note => "note",
                    _ if warnings_fail => "error",
                    _ => "warning",
                },
                text: &text(of, found),
                file: provider,
                line: 1,
                column: None,
                plan: None,
                address: Some(&format!("{}{}", of.name, found.place)),
                // A value that differs in the next run does not make another finding of it.
                identity: Some(&format!(
                    "{} {} {} {}",
                    of.subject.kind(),
                    of.name,
                    found.place,
                    found.finding.kind
                )),
            });
        }
    }
}

fn text(of: &TypeReport, found: &FindingReport) -> String {
    let finding = &found.finding;
    let said = match (finding.said_by_terraform(), &finding.terraform) {
        (Some(summary), Some(detail)) if !finding.message.contains(detail) => {
            format!(" {summary}: {detail}.")
        }
        (Some(summary), _) if !finding.message.contains(summary) => format!(" {summary}."),
        _ => String::new(),
    };
    let (noun, name, message) = (of.subject.noun(), &of.name, finding.described());
    format!("{noun} {name}: {message}.{said}\n\n{}", found.details(of))
}
