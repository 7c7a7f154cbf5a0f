//! Reports in SARIF 2.1.0. A result is at the block of its resource where the configuration is known, or else where its rule is
//! defined, because a repository has these; the rule and the plan are named beside it, and the address of the resource.

use std::collections::BTreeMap;

use objchange_text::Severity;
use objchange_text::json::to_pretty;
use serde_json::{Value, json};

use crate::{Case, Finding, Outcome};

/// All results of all plans, because they share one list of rules.
#[derive(Debug)]
pub(crate) struct Sarif {
    /// The name of what tells a result from others of other reports.
    fingerprint: &'static str,
    rules: BTreeMap<String, (usize, Rule)>,
    results: Vec<Value>,
    /// How often a rule has said something of one resource.
    repeated: BTreeMap<String, u64>,
    /// The file of the plan that cases are about.
    plan: Option<String>,
}

/// A rule, whether or not it finds anything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Its name.
    pub id: String,
    /// How bad its findings are, unless they say otherwise.
    pub severity: Severity,
    /// A sentence.
    pub description: String,
    /// All that there is to say of it.
    pub full: Option<String>,
    /// How to fix its findings.
    pub help: Option<String>,
}

impl Rule {
    /// A rule with a sentence.
    pub fn new(id: impl Into<String>, severity: Severity, description: impl Into<String>) -> Self {
        Self { id: id.into(), severity, description: description.into(), full: None, help: None }
    }
}

impl Sarif {
    pub(crate) fn new(fingerprint: &'static str) -> Self {
        let (rules, results, repeated, plan) = Default::default();
        Self { fingerprint, rules, results, repeated, plan }
    }

    pub(crate) fn rule(&mut self, rule: &Rule) {
        let index = self.rules.len();
        self.rules.entry(rule.id.clone()).or_insert_with(|| (index, rule.clone()));
    }

    /// Cases are about this plan from now on.
    pub(crate) fn suite(&mut self, plan: Option<&str>) {
        self.plan = plan.map(str::to_owned);
    }

    pub(crate) fn case(&mut self, case: &Case) {
        for finding in &case.findings {
            self.finding(case.subject.as_deref(), finding);
        }
    }

    fn finding(&mut self, subject: Option<&str>, finding: &Finding) {
        let Finding { location: rule_place, message, address, identity, accepted, .. } = finding;
        let location = finding.place();
        let (rule, plan) = (finding.rule(), self.plan.as_deref());
        // The levels agree with the exit code and JUnit, so the severity does not matter here: a warning that fails is an
        // error.
        let level = match finding.outcome {
            _ if finding.fails() => "error",
            Outcome::Note => "note",
            _ => "warning",
        };
        let physical = |file: &str, line: u64| json!({"artifactLocation": {"uri": uri(file)}, "region": {"startLine": line}});
        let mut place = json!({"physicalLocation": physical(&location.file, location.line)});
        if let Some(column) = location.column {
            place["physicalLocation"]["region"]["startColumn"] = column.into();
        }
        if let Some(address) = address {
            place["logicalLocations"] = json!([{"fullyQualifiedName": address, "kind": "resource"}]);
        }
        // Lines move; the plan that it is about, or the text, stays.
        let print = match plan {
            Some(plan) => format!("{rule} {plan} {}", address.as_deref().unwrap_or_default()),
            None => format!("{rule} {} {}", rule_place.file, identity.as_ref().unwrap_or(message)),
        };
        // Results with one fingerprint would be taken for one, so equal ones are numbered.
        let count = self.repeated.entry(print.clone()).and_modify(|count| *count += 1).or_insert(1);
        let subject = subject.map(|subject| format!("{subject}: ")).unwrap_or_default();
        let accepted = accepted.as_ref().map(|reason| format!(" (accepted: {reason})")).unwrap_or_default();
        let details = finding.details.as_ref().map(|details| format!("\n\n{details}")).unwrap_or_default();
        let mut result = json!({
            "ruleId": rule,
            "ruleIndex": self.rules.get(rule).map_or(0, |(index, _)| *index),
            "level": level,
            "message": {"text": format!("{subject}{message}{accepted}{details}")},
            "locations": [place],
            "partialFingerprints": {self.fingerprint: format!("{print} {count}")},
        });
        let related = |text: &str, file: &str, line: u64| json!({"message": {"text": text}, "physicalLocation": physical(file, line)});
        let policy = finding.block.as_ref().map(|_| related("the rule", &rule_place.file, rule_place.line));
        let plan = plan.map(|plan| related("the plan", plan, 1));
        let related: Vec<Value> = policy.into_iter().chain(plan).collect();
        if !related.is_empty() {
            result["relatedLocations"] = related.into();
        }
        self.results.push(result);
    }

    /// The text of the report.
    pub(crate) fn finish(self) -> String {
        let mut rules: Vec<_> = self.rules.into_iter().collect();
        rules.sort_by_key(|(_, (index, _))| *index);
        let rules = rules.into_iter().map(|(id, (_, rule))| {
            let mut json = json!({
                "id": id,
                "name": id,
                "shortDescription": {"text": rule.description},
                "defaultConfiguration": {"level": rule.severity.name()},
            });
            if let Some(full) = rule.full {
                json["fullDescription"] = json!({"text": full});
            }
            if let Some(help) = rule.help {
                json["help"] = json!({"text": help});
            }
            json
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
                // Columns come from `LineIndex::char_position`.
                "columnKind": "unicodeCodePoints",
                "results": self.results,
            }],
        });
        // Writing JSON to a string does not fail.
        to_pretty(&report).unwrap_or_default()
    }
}

/// A path as a URI reference: reserved and non-ASCII characters are escaped.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.trim_start_matches("./").bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            // Paths of Windows.
            b'\\' => uri.push('/'),
            byte => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
