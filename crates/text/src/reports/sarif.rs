//! Reports in SARIF 2.1.0. A result is where its rule stands, because that is what a repository has; the plan is named
//! beside it, and the address of the resource.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::json::to_pretty;

/// All results of all plans, because they share one list of rules.
#[derive(Debug)]
pub struct Sarif {
    /// The name of what tells a result from others of other reports.
    fingerprint: &'static str,
    rules: BTreeMap<String, Rule>,
    results: Vec<Value>,
    /// How often the same rule has said something of the same resource.
    repeated: BTreeMap<String, u64>,
}

#[derive(Debug)]
struct Rule {
    index: usize,
    level: &'static str,
    description: String,
    /// All that there is to say of it, and what to do.
    in_full: Option<[String; 2]>,
}

/// Something that a rule says.
#[derive(Debug, Clone, Copy)]
pub struct SarifResult<'a> {
    /// Which.
    pub rule: &'a str,
    /// `error`, `warning` or `note`.
    pub level: &'static str,
    /// What it says.
    pub text: &'a str,
    /// Where the rule stands.
    pub file: &'a str,
    /// The line there, from 1.
    pub line: u32,
    /// The column there, from 1.
    pub column: Option<u32>,
    /// The file of the plan, if it is about one.
    pub plan: Option<&'a str>,
    /// The resource.
    pub address: Option<&'a str>,
    /// What tells it from others of its rule whatever the text says, if the text is not that.
    pub identity: Option<&'a str>,
}

impl Sarif {
    /// A report without results. The version is that of their fingerprints.
    pub fn new(fingerprint: &'static str) -> Self {
        Self { fingerprint, rules: BTreeMap::new(), results: Vec::new(), repeated: BTreeMap::new() }
    }

    /// A rule, whether or not it says anything.
    pub fn rule(&mut self, id: &str, level: &'static str, description: &str) {
        let index = self.rules.len();
        let rule = || Rule { index, level, description: description.to_owned(), in_full: None };
        self.rules.entry(id.to_owned()).or_insert_with(rule);
    }

    /// The same with all that there is to say of the rule, and what to do about what it finds.
    pub fn rule_in_full(&mut self, id: &str, level: &'static str, description: &str, in_full: [String; 2]) {
        self.rule(id, level, description);
        if let Some(rule) = self.rules.get_mut(id) {
            rule.in_full = Some(in_full);
        }
    }

    /// Adds something that a rule says.
    pub fn found(&mut self, found: SarifResult<'_>) {
        let SarifResult { rule, level, text, file, line, column, plan, address, identity } = found;
        let physical = |file: &str, line: u32| json!({"artifactLocation": {"uri": uri(file)}, "region": {"startLine": line}});
        let mut location = json!({"physicalLocation": physical(file, line)});
        if let Some(column) = column {
            location["physicalLocation"]["region"]["startColumn"] = column.into();
        }
        if let Some(address) = address {
            location["logicalLocations"] = json!([{"fullyQualifiedName": address, "kind": "resource"}]);
        }
        // Lines move; what is said of the plan, or of the file itself, stays.
        let print = match plan {
            Some(plan) => format!("{rule} {plan} {}", address.unwrap_or_default()),
            None => format!("{rule} {file} {}", identity.unwrap_or(text)),
        };
        let count = self.repeated.entry(print.clone()).and_modify(|count| *count += 1).or_insert(1);
        let mut result = json!({
            "ruleId": rule,
            "ruleIndex": self.rules.get(rule).map_or(0, |rule| rule.index),
            "level": level,
            "message": {"text": text},
            "locations": [location],
            "partialFingerprints": {self.fingerprint: format!("{print} {count}")},
        });
        if let Some(plan) = plan {
            let place = json!({"message": {"text": "the plan"}, "physicalLocation": physical(plan, 1)});
            result["relatedLocations"] = json!([place]);
        }
        self.results.push(result);
    }

    /// The text of the report.
    pub fn finish(self) -> String {
        let mut rules: Vec<_> = self.rules.into_iter().collect();
        rules.sort_by_key(|(_, rule)| rule.index);
        let rules = rules.into_iter().map(|(id, rule)| {
            let mut json = json!({
                "id": id,
                "name": id,
                "shortDescription": {"text": rule.description},
                "defaultConfiguration": {"level": rule.level},
            });
            if let Some([full, help]) = rule.in_full {
                json["fullDescription"] = json!({"text": full});
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
                "columnKind": "unicodeCodePoints",
                "results": self.results,
            }],
        });
        // Writing JSON to a string does not fail.
        to_pretty(&report).unwrap_or_default()
    }
}

/// A path as a reference: what has a meaning in those, or is not ASCII, is escaped.
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
