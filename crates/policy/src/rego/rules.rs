//! Selects the rules to evaluate: by conftest's names, or by option.

use objchange_rego::{Program, RuleId};
use wildmatch::WildMatch;

use super::Options;
use super::error::PolicyLocation;

/// The severity of a rule that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// `warn` and `warn_…`
    Warning,
    /// `deny`, `deny_…`, `violation` and `violation_…`
    Failure,
}

impl Severity {
    /// What the name of a rule says; `None` is not a rule that is evaluated without being asked for.
    fn from_rule_name(rule: &str) -> Option<Self> {
        match rule.split_once('_').map_or(rule, |(first, _)| first) {
            "deny" | "violation" => Some(Self::Failure),
            "warn" => Some(Self::Warning),
            _ => None,
        }
    }
}

/// A rule that is evaluated.
#[derive(Debug, Clone)]
pub(super) struct Evaluated {
    pub(super) id: RuleId,
    pub(super) package: Vec<String>,
    pub(super) name: String,
    pub(super) severity: Severity,
    /// Where its definitions are.
    pub(super) definitions: Vec<PolicyLocation>,
}

impl Evaluated {
    /// How it is called in reports: its package and its name.
    pub(super) fn title(&self) -> String {
        let names: Vec<String> = self.package.iter().chain([&self.name]).cloned().collect();
        title(&names)
    }
}

/// The rules to evaluate, in the order of the files.
pub(super) fn evaluated(program: &Program, options: &Options, testing: bool) -> Vec<Evaluated> {
    let patterns: Vec<WildMatch> = options.rules.iter().map(|pattern| WildMatch::new(pattern)).collect();
    let severity = |name: &str, package: &[String]| match testing {
        true => (name.starts_with("test_") || name.starts_with("todo_test_")).then_some(Severity::Failure),
        false if !options.packages.is_empty() && !options.packages.contains(&title(package)) => None,
        false if patterns.is_empty() => Severity::from_rule_name(name),
        false => {
            let whole = format!("{}.{name}", title(package));
            let is_asked = patterns.iter().any(|pattern| pattern.matches(name) || pattern.matches(&whole));
            is_asked.then(|| Severity::from_rule_name(name).unwrap_or(Severity::Failure))
        }
    };
    let rules = program.rules().filter(|rule| !rule.is_function && rule.path.len() == rule.package.len() + 1);
    rules
        .filter_map(|rule| {
            let severity = severity(rule.name, rule.package)?;
            Some(Evaluated {
                id: rule.id,
                package: rule.package.to_vec(),
                name: rule.name.to_owned(),
                severity,
                definitions: rule.definitions.into_iter().map(PolicyLocation::from).collect(),
            })
        })
        .collect()
}

/// Names with dots between them.
pub(super) fn title(names: &[String]) -> String {
    names.join(".")
}
