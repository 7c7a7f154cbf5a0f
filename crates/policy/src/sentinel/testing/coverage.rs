//! Records which rules the tests of a policy evaluate, and their results.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value as Json;

use super::Outcome;

/// The rules of one policy after another.
#[derive(Debug, Default)]
pub struct Coverage {
    policies: Vec<Covered>,
}

/// The rules of a policy that have a name.
#[derive(Debug, Serialize)]
pub struct Covered {
    /// The file of the policy.
    pub policy: String,
    /// Its rules, in the order of the text.
    #[serde(rename = "coverage")]
    pub rules: Vec<Counted>,
}

/// In how many test cases a rule was what.
#[derive(Debug, Default, Serialize)]
pub struct Counted {
    /// The name of the rule.
    pub name: Arc<str>,
    /// The line.
    pub line: u32,
    /// The column in that.
    pub column: u32,
    /// True.
    #[serde(rename = "true")]
    pub holds: u64,
    /// False.
    #[serde(rename = "false")]
    pub broken: u64,
    /// Something else than a bool.
    pub other: u64,
}

impl Counted {
    /// The gap in the tests of the rule.
    pub fn gap(&self) -> Option<&'static str> {
        match (self.holds, self.broken, self.other) {
            (0, 0, 0) => Some("is evaluated in no test"),
            (_, 0, 0) => Some("is never false"),
            (0, _, 0) => Some("is never true"),
            _ => None,
        }
    }
}

impl Coverage {
    /// Counts the rules of an outcome.
    pub fn add(&mut self, outcome: &Outcome) {
        // The test cases of a policy come one after the other.
        if self.policies.last().is_none_or(|covered| covered.policy != outcome.policy) {
            self.policies.push(Covered { policy: outcome.policy.clone(), rules: Vec::new() });
        }
        let Some(covered) = self.policies.last_mut() else { return };
        // A policy that could not be read in one test case may be in none.
        if covered.rules.is_empty() {
            let counted = |(name, line, col): &(Arc<str>, u32, u32)| Counted {
                name: Arc::clone(name),
                line: *line,
                column: *col,
                ..Counted::default()
            };
            covered.rules = outcome.declared.iter().map(counted).collect();
        }
        let places: BTreeMap<(u32, u32), usize> =
            covered.rules.iter().enumerate().map(|(index, rule)| ((rule.line, rule.column), index)).collect();
        for rule in &outcome.rules {
            if let Some(counted) =
                places.get(&(rule.line, rule.column)).map(|index| &mut covered.rules[*index])
            {
                match rule.value {
                    Json::Bool(true) => counted.holds += 1,
                    Json::Bool(false) => counted.broken += 1,
                    _ => counted.other += 1,
                }
            }
        }
    }

    /// The coverage, by policy.
    pub fn policies(&self) -> &[Covered] {
        &self.policies
    }
}
