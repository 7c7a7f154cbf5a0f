//! Findings of policies in SARIF.

use objchange_sentinel::{Diagnostic, LineIndex, LintKind};
use objchange_text::reports::{Sarif, SarifResult};

use super::OnUnknown;
use crate::sentinel::configuration::Level;
use crate::sentinel::judge::{Judged, Outcome};
use crate::sentinel::set::AppliedPolicy;
use crate::sentinel::shapes::SYNTAX_ERROR;

/// Adds a policy, and what it says of the plan in this file, to a report. It is an error if the policy is binding.
pub fn add_policy(
    report: &mut Sarif,
    plan: &str,
    applied: &AppliedPolicy,
    judged: &Judged,
    unknown: OnUnknown,
    is_binding: bool,
) {
    let level = if applied.level == Level::Advisory { "warning" } else { "error" };
    let main = judged.main_rule();
    let description = main.and_then(|main| main.doc.as_deref());
    let description = description.map_or_else(|| format!("The policy {}", applied.name), str::to_owned);
    report.rule(&applied.name, level, &description);
    if !unknown.breaks(judged) && !judged.is_undecided {
        return;
    }
    let level = if unknown.breaks(judged) && is_binding { "error" } else { "warning" };
    let line = judged.error.as_ref().and_then(|error| error.line).or(main.map(|main| main.line)).unwrap_or(1);
    let mut found = |line, text: &str, address| {
        let (rule, file) = (&applied.name, &applied.file);
        report.found(SarifResult {
            rule,
            level,
            text,
            file,
            line,
            column: None,
            plan: Some(plan),
            address,
            identity: None,
        });
    };
    match (judged.outcome, &judged.error) {
        (_, Some(error)) => found(line, &error.to_string(), None),
        (Outcome::Pass, None) => {
            for unknown in &judged.unknown {
                found(unknown.line, &format!("not known until apply: {}", unknown.what), None);
            }
        }
        (Outcome::Undefined, None) if judged.witnesses.list.is_empty() => {
            found(line, "whether the policy is kept is undefined", None);
        }
        _ if judged.witnesses.list.is_empty() => found(line, "the policy is broken", None),
        // One for each resource.
        _ => {
            for seen in &judged.witnesses.list {
                let text = format!("the policy {} is broken: {}", applied.name, seen.sentence());
                found(line, &text, seen.address.as_deref());
            }
        }
    }
}

/// Adds all kinds of findings that checks of policies have, whether or not there are any.
pub fn add_lints(sarif: &mut Sarif) {
    sarif.rule(SYNTAX_ERROR, "error", "A text that cannot be read");
    for kind in LintKind::ALL {
        sarif.rule(kind.name(), kind.severity().name(), kind.title());
    }
}

/// Adds what was found in the text of a policy.
pub fn add_findings(sarif: &mut Sarif, file: &str, text: &str, findings: &[Diagnostic]) {
    let lines = LineIndex::new(text);
    for finding in findings {
        let said = [&*finding.summary].into_iter().chain(finding.hints.iter().map(|hint| &**hint));
        let said = said.collect::<Vec<_>>().join(": ");
        let position = lines.char_position(finding.subject.unwrap_or_default().start);
        sarif.found(SarifResult {
            rule: &finding.kind,
            level: finding.severity.name(),
            text: &said,
            file,
            line: position.line,
            column: Some(position.column),
            plan: None,
            address: None,
            identity: None,
        });
    }
}
