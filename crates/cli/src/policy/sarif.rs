//! The report in SARIF 2.1.0. A result is where its rule stands, because that is what a repository has; the plan is
//! named beside it, and the address of the resource.

use std::collections::BTreeMap;

use objchange_plan::policy::{Finding, Outcome, RuleVerdict, Severity};
use serde_json::{Value, json};

use super::Judged;

/// All results of all plans, because they share one list of rules.
#[derive(Default)]
pub(super) struct Sarif {
    rules: BTreeMap<String, (usize, Severity)>,
    results: Vec<Value>,
    /// How often the same rule has said something of the same resource.
    repeated: BTreeMap<String, u64>,
}

impl Sarif {
    pub(super) fn judged(&mut self, judged: &Judged) {
        for verdict in &judged.verdicts.rules {
            let next = self.rules.len();
            self.rules.entry(verdict.rule.clone()).or_insert((next, verdict.severity));
            if verdict.outcome() == Outcome::Excepted {
                continue;
            }
            let level = match verdict.severity {
                Severity::Failure => "error",
                Severity::Warning => "warning",
            };
            for finding in &verdict.findings {
                self.result(judged, verdict, level, finding.text(), finding.address.as_deref());
            }
            if let Some(undecided) = &verdict.undecided {
                let waits = undecided
                    .waits_for
                    .iter()
                    .map(|unknown| format!("{} of {}", unknown.path, unknown.address));
                let waits = waits.take(5).collect::<Vec<_>>().join(", ");
                let first = undecided.waits_for.first().map(|unknown| unknown.address.as_str());
                let said = undecided.findings.iter().map(|Finding { address, .. }| address.as_deref());
                let addresses: Vec<Option<&str>> =
                    if undecided.findings.is_empty() { vec![first] } else { said.collect() };
                let texts = undecided.findings.iter().map(|finding| format!("{}: ", finding.text()));
                for (address, text) in addresses.into_iter().zip(texts.chain([String::new()])) {
                    let text = format!("{text}not known until apply (waits for {waits})");
                    self.result(judged, verdict, "note", &text, address);
                }
            }
        }
    }

    fn result(
        &mut self,
        judged: &Judged,
        verdict: &RuleVerdict,
        level: &str,
        text: &str,
        address: Option<&str>,
    ) {
        let physical = |file: &str, line: u32| json!({"artifactLocation": {"uri": uri(file)}, "region": {"startLine": line}});
        let mut location = json!({"physicalLocation": physical(&verdict.place.file, verdict.place.line)});
        if let Some(address) = address {
            location["logicalLocations"] = json!([{"fullyQualifiedName": address, "kind": "resource"}]);
        }
        let print = format!("{} {} {}", verdict.rule, judged.file, address.unwrap_or_default());
        let count = self.repeated.entry(print.clone()).and_modify(|count| *count += 1).or_insert(1);
        self.results.push(json!({
            "ruleId": verdict.rule,
            "ruleIndex": self.rules.get(&verdict.rule).map_or(0, |(index, _)| *index),
            "level": level,
            "message": {"text": text},
            "locations": [location],
            "relatedLocations": [{
                "message": {"text": "the plan"},
                "physicalLocation": physical(&judged.file, 1),
            }],
            "partialFingerprints": {"objchangePolicy/v1": format!("{print} {count}")},
        }));
    }

    pub(super) fn finish(self) -> String {
        let mut rules: Vec<_> = self.rules.into_iter().collect();
        rules.sort_by_key(|(_, (index, _))| *index);
        let rules = rules.into_iter().map(|(rule, (_, severity))| {
            let level = if severity == Severity::Failure { "error" } else { "warning" };
            json!({
                "id": rule,
                "name": rule,
                "shortDescription": {"text": format!("The rule {rule}")},
                "defaultConfiguration": {"level": level},
            })
        });
        let report = json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": "objchange",
                    "version": env!("CARGO_PKG_VERSION"),
                    "informationUri": env!("CARGO_PKG_REPOSITORY"),
                    "rules": rules.collect::<Vec<_>>(),
                }},
                "columnKind": "unicodeCodePoints",
                "results": self.results,
            }],
        });
        format!("{report:#}\n")
    }
}

/// A path as a reference: what has a meaning in those, or is no ASCII, is escaped.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.trim_start_matches("./").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            b'\\' => uri.push('/'),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
