//! What policies find, in SARIF.

use crate::reports::sarif::{Found, Sarif};
use objchange_policy::sentinel::configuration::Level;
use objchange_policy::sentinel::judge::{Judged, Outcome};
use objchange_policy::sentinel::report::OnUnknown;
use objchange_policy::sentinel::set::AppliedPolicy;

pub(super) fn add(
    report: &mut Sarif,
    plan: &str,
    applied: &AppliedPolicy,
    judged: &Judged,
    unknown: OnUnknown,
) {
    let level = if applied.level == Level::Advisory { "warning" } else { "error" };
    let main = judged.main_rule();
    let description = main.and_then(|main| main.doc.as_deref());
    let description = description.map_or_else(|| format!("The policy {}", applied.name), str::to_owned);
    report.rule(&applied.name, level, &description);
    if !unknown.breaks(judged) {
        return;
    }
    let line = judged.error.as_ref().and_then(|error| error.line).or(main.map(|main| main.line)).unwrap_or(1);
    let mut found = |line, text: &str, address| {
        let (rule, file) = (&applied.name, &applied.file);
        report.found(Found {
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
