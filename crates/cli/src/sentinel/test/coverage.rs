//! Which rules the tests of a policy evaluate, and to what.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value as Json;

use super::case::Outcome;

/// The rules of one policy after another.
#[derive(Debug, Default)]
pub(super) struct Coverage {
    policies: Vec<Covered>,
}

/// The rules of a policy that have a name.
#[derive(Debug, Serialize)]
pub(super) struct Covered {
    pub(super) policy: String,
    #[serde(rename = "coverage")]
    pub(super) rules: Vec<Counted>,
}

/// In how many test cases a rule was what.
#[derive(Debug, Default, Serialize)]
pub(super) struct Counted {
    pub(super) name: Arc<str>,
    pub(super) line: u32,
    pub(super) col: u32,
    #[serde(rename = "true")]
    pub(super) holds: u64,
    #[serde(rename = "false")]
    pub(super) broken: u64,
    /// Something else than a bool.
    pub(super) other: u64,
}

impl Counted {
    /// What the tests do not show of the rule.
    pub(super) fn gap(&self) -> Option<&'static str> {
        match (self.holds, self.broken, self.other) {
            (0, 0, 0) => Some("is evaluated in no test"),
            (_, 0, 0) => Some("is never false"),
            (0, _, 0) => Some("is never true"),
            _ => None,
        }
    }
}

impl Coverage {
    pub(super) fn add(&mut self, outcome: &Outcome) {
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
                col: *col,
                ..Counted::default()
            };
            covered.rules = outcome.declared.iter().map(counted).collect();
        }
        let places: BTreeMap<(u32, u32), usize> =
            covered.rules.iter().enumerate().map(|(index, rule)| ((rule.line, rule.col), index)).collect();
        for rule in &outcome.rules {
            if let Some(counted) = places.get(&(rule.line, rule.col)).map(|index| &mut covered.rules[*index])
            {
                match rule.value {
                    Json::Bool(true) => counted.holds += 1,
                    Json::Bool(false) => counted.broken += 1,
                    _ => counted.other += 1,
                }
            }
        }
    }

    pub(super) fn policies(&self) -> &[Covered] {
        &self.policies
    }
}
