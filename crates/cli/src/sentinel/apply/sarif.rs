//! What policies find, in SARIF.

use super::judge::{Judged, Outcome};
use super::set::Applied;
use crate::reports::sarif::{Found, Sarif};
use crate::sentinel::configuration::Level;

pub(super) fn add(report: &mut Sarif, plan: &str, applied: &Applied, judged: &Judged) {
    let level = if applied.level == Level::Advisory { "warning" } else { "error" };
    let main = judged.rules.iter().find(|rule| rule.name == "main");
    let description = format!("The policy {}", applied.name);
    report.rule(&applied.name, level, &description);
    if !judged.is_broken() {
        return;
    }
    let text = match (&judged.error, judged.outcome, main.and_then(|rule| rule.doc.as_deref())) {
        (Some(error), ..) => error.to_string(),
        (None, Outcome::Undefined, _) => "whether the policy is kept is undefined".to_owned(),
        (None, _, Some(doc)) => format!("the policy is broken: {doc}"),
        (None, _, None) => "the policy is broken".to_owned(),
    };
    let line = judged.error.as_ref().and_then(|error| error.line).or(main.map(|main| main.line)).unwrap_or(1);
    report.found(Found {
        rule: &applied.name,
        level,
        text: &text,
        file: &applied.file,
        line,
        plan,
        address: None,
    });
}
