//! Which rules are evaluated: those that are called as conftest calls them.

use regorus::unstable::{Module, Ref, Rule};

use super::error::Place;
use super::names::RuleKey;
use super::syntax::{name, package, rules};

/// How bad it is when a rule holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// `warn` and `warn_…`
    Warning,
    /// `deny`, `deny_…`, `violation` and `violation_…`
    Failure,
}

impl Severity {
    /// What the name of a rule says; `None` is no rule that is evaluated.
    fn of(rule: &str) -> Option<Self> {
        match rule.split_once('_').map_or(rule, |(first, _)| first) {
            "deny" | "violation" => Some(Self::Failure),
            "warn" => Some(Self::Warning),
            _ => None,
        }
    }
}

/// A rule that is evaluated: its definitions in one package.
#[derive(Debug, Clone)]
pub(super) struct Evaluated {
    pub(super) key: RuleKey,
    pub(super) severity: Severity,
    pub(super) definitions: Vec<Definition>,
}

#[derive(Debug, Clone)]
pub(super) struct Definition {
    /// Which module, and which rule in it.
    pub(super) module: usize,
    pub(super) rule: usize,
    pub(super) place: Place,
}

/// The rules to evaluate, in the order of the files; in these packages only, if there are any.
pub(super) fn evaluated(modules: &[Ref<Module>], packages: &[String]) -> Vec<Evaluated> {
    named(modules, |package, rule| {
        let is_asked = packages.is_empty() || packages.contains(&package.join("."));
        Severity::of(rule).filter(|_| is_asked)
    })
}

/// The rules whose names begin with `test_`, or with `todo_test_`.
pub(super) fn tests(modules: &[Ref<Module>]) -> Vec<Evaluated> {
    let is_test = |rule: &str| rule.starts_with("test_") || rule.starts_with("todo_test_");
    named(modules, |_, rule| is_test(rule).then_some(Severity::Failure))
}

/// The rules of this name.
pub(super) fn called(modules: &[Ref<Module>], wanted: &str) -> Vec<Evaluated> {
    named(modules, |_, rule| (rule == wanted).then_some(Severity::Failure))
}

fn named(modules: &[Ref<Module>], which: impl Fn(&[String], &str) -> Option<Severity>) -> Vec<Evaluated> {
    let mut found: Vec<Evaluated> = Vec::new();
    let mut known = std::collections::HashMap::<RuleKey, usize>::new();
    for (index, module) in modules.iter().enumerate() {
        let package = package(module);
        for (rule, text) in rules(module) {
            let Some(severity) = which(&package, text) else { continue };
            if name(rule).is_some_and(|(_, nested)| nested) || is_function(rule) {
                continue;
            }
            let key = (package.clone(), text.to_owned());
            let at = *known.entry(key.clone()).or_insert_with(|| {
                found.push(Evaluated { key, severity, definitions: Vec::new() });
                found.len() - 1
            });
            // A default has a place only as long as there is nothing else.
            if matches!(**rule, Rule::Spec { .. }) || found[at].definitions.is_empty() {
                let position = module.policy.iter().position(|other| other == rule).unwrap_or_default();
                found[at].definitions.push(Definition { module: index, rule: position, place: place(rule) });
            }
        }
    }
    found
}

fn is_function(rule: &Rule) -> bool {
    use regorus::unstable::RuleHead;
    matches!(rule, Rule::Spec { head: RuleHead::Func { args, .. }, .. } if !args.is_empty())
}

/// Where a rule is defined.
pub(super) fn place(rule: &Rule) -> Place {
    let span = rule.span();
    Place { file: span.source.get_path().clone(), line: span.line }
}

/// How a rule is called in reports: its package and its name.
pub(super) fn title(key: &RuleKey) -> String {
    key.0.iter().chain([&key.1]).map(String::as_str).collect::<Vec<_>>().join(".")
}

/// What a rule is called in Rego.
pub(super) fn reference(key: &RuleKey) -> String {
    let quoted = |name: &String| format!("[{}]", serde_json::Value::String(name.clone()));
    key.0.iter().chain([&key.1]).map(quoted).fold("data".to_owned(), |all, name| all + &name)
}
