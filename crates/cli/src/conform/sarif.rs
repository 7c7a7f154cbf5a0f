//! The report in SARIF 2.1.0: a rule is a clause of the contract, and its result is in the provider's program.

use objchange_provider::conform::{Clause, Found as Finding, Report, TypeReport, Weight};

use crate::reports::sarif::{Found, Sarif};

pub(super) fn report(provider: &str, report: &Report) -> String {
    let mut sarif = Sarif::new("objchangeConform/v1");
    for clause in Clause::ALL {
        let is_noticed = clause.terraform_summary().is_some();
        sarif.rule(clause.code(), if is_noticed { "error" } else { "warning" }, clause.sentence());
    }
    for (of, found) in report.found().filter(|(_, found)| !found.is_known) {
        sarif.found(Found {
            rule: found.finding.clause.code(),
            level: match found.finding.weight {
                Weight::Error => "error",
                Weight::Note => "note",
                _ => "warning",
            },
            text: &text(of, found),
            file: provider,
            line: 1,
            column: None,
            plan: None,
            address: Some(&format!("{}{}", of.name, found.place)),
        });
    }
    sarif.finish()
}

fn text(of: &TypeReport, found: &Finding) -> String {
    let finding = &found.finding;
    let said = match (finding.said_by_terraform(), &finding.terraform) {
        (Some(summary), Some(detail)) => format!(" {summary}: {detail}."),
        (Some(summary), None) => format!(" {summary}."),
        (None, _) => String::new(),
    };
    format!("{} {}: {}.{said}", of.subject.noun(), of.name, finding.message)
}
