//! The report as test cases in JUnit's form: one for each type of the provider.

use objchange_text::reports::{JunitCase, JunitStatus};

use crate::{FindingReport, FindingSeverity, Report, Subject, TypeReport};

impl Report {
    /// A test case for each type of the provider. With `warnings_fail` also those fail that have what Terraform tolerates or
    /// does not notice.
    pub fn junit_cases(&self, provider: &str, warnings_fail: bool) -> impl Iterator<Item = JunitCase> {
        self.types.iter().map(move |of| {
            let name = if of.name.is_empty() { of.subject.noun() } else { &of.name };
            let case = JunitCase::new(name, self.junit_status(of, warnings_fail));
            // What does not fail is in the report nevertheless.
            let others = of.findings.iter().filter(|found| !fails(found, warnings_fail));
            let others: String = others.map(|found| format!("{}\n", line(found))).collect();
            let output = Some(others).filter(|others| !others.is_empty());
            JunitCase { output, ..case.at(of.subject.kind(), provider, 1_u64) }
        })
    }

    fn junit_status(&self, of: &TypeReport, warnings_fail: bool) -> JunitStatus {
        let failing: Vec<&FindingReport> =
            of.findings.iter().filter(|found| fails(found, warnings_fail)).collect();
        if let Some(worst) = failing.first() {
            let described = |found: &&FindingReport| {
                let details = found.details(of);
                let details: String = details.lines().map(|line| format!("  {line}\n")).collect();
                format!("{}\n{details}\n", line(found))
            };
            let count = match failing.len() {
                1 => "1 finding".to_owned(),
                count => format!("{count} findings"),
            };
            let message = format!("{count}, the first: {}", line(worst));
            let text: String = failing.iter().map(described).collect();
            return JunitStatus::FAILURE.with(worst.finding.clause.code(), message).with_text(text);
        }
        match self.unchecked(of) {
            Some(reason) => JunitStatus::SKIPPED.with_message(reason),
            None => JunitStatus::PASSED,
        }
    }

    /// Why a type was not checked, where nothing is wrong with it.
    fn unchecked(&self, of: &TypeReport) -> Option<String> {
        let not_reached = || {
            let reason = self.not_configured.as_ref().filter(|_| of.subject != Subject::Function)?;
            Some(format!("not checked: the provider is not configured: {reason}"))
        };
        let not_accepted =
            || (of.accepted == 0).then(|| "not checked: no configuration was accepted".to_owned());
        of.skipped.clone().or_else(not_reached).or_else(not_accepted)
    }
}

fn fails(found: &FindingReport, warnings_fail: bool) -> bool {
    let severity = found.finding.severity;
    !found.is_known && (severity.is_error() || warnings_fail && severity != FindingSeverity::Note)
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
