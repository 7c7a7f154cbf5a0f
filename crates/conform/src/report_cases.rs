//! The report as cases: one for each type of the provider. A rule is a clause of the contract, and its findings are in the
//! provider's program.

use objchange_finding::{Case, Finding, Gate, Location, Outcome, Rule};
use objchange_text::{Severity, joined_path};

use crate::{Clause, FindingReport, FindingSeverity, Report, Subject, TypeReport};

/// All clauses, as rules of reports.
pub fn reported_rules() -> impl Iterator<Item = Rule> {
    Clause::ALL.iter().map(|clause| {
        let is_noticed = clause.terraform_summary().is_some();
        let severity = if is_noticed { Severity::Error } else { Severity::Warning };
        let advice = clause.advice(None);
        let said = clause.terraform_summary().map(|summary| format!(" Terraform says: {summary}."));
        let full = format!("{} {}{}", clause.sentence(), advice.meaning, said.unwrap_or_default());
        Rule {
            full: Some(full),
            help: Some(advice.text()),
            ..Rule::new(clause.code(), severity, clause.sentence())
        }
    })
}

impl Report {
    /// A case for each type, as the gate judges it. `provider` is the provider's program. Findings in the baseline are
    /// accepted.
    pub fn cases(&self, provider: &str, gate: Gate) -> impl Iterator<Item = Case> {
        self.types.iter().map(move |of| {
            let name = if of.name.is_empty() { of.subject.noun() } else { &of.name };
            let place = Location::new(provider, 1_u32);
            let findings = of.findings.iter().map(|found| gate.judge(reported(of, found, place.clone())));
            let findings: Vec<Finding> = findings.collect();
            let mut failing = findings.iter().filter(|finding| finding.fails());
            let summary = failing.next().map(|first| match failing.count() {
                0 => format!("1 finding, the first: {}", first.message),
                more => format!("{} findings, the first: {}", more + 1, first.message),
            });
            // A finding tells more than the reason why the rest was not checked.
            let skipped = self.unchecked(of).filter(|_| findings.is_empty());
            let subject = Some(format!("{} {}", of.subject.noun(), of.name));
            Case { skipped, subject, summary, findings, ..Case::new(name).at(of.subject.kind(), place) }
        })
    }

    /// Why a type without findings was not checked.
    fn unchecked(&self, of: &TypeReport) -> Option<String> {
        let not_reached = || {
            let reason = self.not_configured.as_ref().filter(|_| of.subject != Subject::Function)?;
            Some(format!("not checked: the provider is not configured: {reason}"))
        };
        // Without this, a JUnit report was green for types that could not be checked.
        let not_accepted =
            || (of.accepted == 0).then(|| "not checked: no configuration was accepted".to_owned());
        of.skipped.clone().or_else(not_reached).or_else(not_accepted)
    }
}

fn reported(of: &TypeReport, found: &FindingReport, place: Location) -> Finding {
    let finding = &found.finding;
    let (outcome, severity) = match finding.severity {
        FindingSeverity::Note => (Outcome::Note, Severity::Warning),
        FindingSeverity::Unnoticed | FindingSeverity::Tolerated => (Outcome::Failed, Severity::Warning),
        FindingSeverity::Error => (Outcome::Failed, Severity::Error),
    };
    Finding {
        severity,
        address: Some(joined_path(&of.name, &found.place)),
        // A value that differs in the next run does not make another finding of it.
        identity: Some(format!("{} {} {} {}", of.subject.kind(), of.name, found.place, finding.kind)),
        details: Some(found.details(of)),
        accepted: found.is_known.then(|| "known in the baseline".to_owned()),
        ..Finding::new(finding.clause.code(), outcome, line(found), place)
    }
}

/// A finding in a line.
fn line(found: &FindingReport) -> String {
    let finding = &found.finding;
    let said = finding.terraform.as_deref().filter(|said| !finding.message.contains(said));
    let said = said.map(|said| format!(" ({said})")).unwrap_or_default();
    let location = found.location();
    let space = if location.is_empty() { "" } else { " " };
    format!("{}{space}{location}: {}{said}", finding.clause, finding.message)
}
