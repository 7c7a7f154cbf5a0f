//! Verdicts in SARIF.

use objchange_text::reports::{Sarif, SarifResult};

use super::{Finding, Outcome, RuleVerdict, Severity, Verdicts};

impl Verdicts {
    /// Adds all rules, and what they say of the plan in this file, to a report. It is an error exactly if the gate fails
    /// because of it, as `fails` says, and else a warning.
    pub fn add_to_sarif(&self, report: &mut Sarif, plan: &str, fails: impl Fn(&RuleVerdict) -> bool) {
        for verdict in &self.rules {
            let level = match verdict.severity {
                Severity::Failure => "error",
                Severity::Warning => "warning",
            };
            report.rule(&verdict.rule, level, &format!("The rule {}", verdict.rule));
            let level = if fails(verdict) { "error" } else { "warning" };
            if verdict.outcome() == Outcome::Excepted {
                continue;
            }
            let mut result = |level, text: &str, address| {
                report.found(SarifResult {
                    rule: &verdict.rule,
                    level,
                    text,
                    file: &verdict.place.file,
                    line: verdict.place.line,
                    column: None,
                    plan: Some(plan),
                    address,
                    identity: None,
                });
            };
            if let Some(error) = &verdict.error {
                result(level, error, None);
            }
            for finding in &verdict.findings {
                result(level, finding.text(), finding.address.as_deref());
            }
            if let Some(undecided) = &verdict.undecided {
                let waits = undecided.waits_for.iter().map(ToString::to_string);
                let waits = waits.take(5).collect::<Vec<_>>().join(", ");
                let first = undecided.waits_for.first().map(|unknown| unknown.address.as_str());
                let said = undecided.findings.iter().map(|Finding { address, .. }| address.as_deref());
                let addresses: Vec<Option<&str>> =
                    if undecided.findings.is_empty() { vec![first] } else { said.collect() };
                let texts = undecided.findings.iter().map(|finding| format!("{}: ", finding.text()));
                for (address, text) in addresses.into_iter().zip(texts.chain([String::new()])) {
                    let text = format!("{text}not known until apply (waits for {waits})");
                    result(level, &text, address);
                }
            }
        }
    }
}
