//! Selects the rules to evaluate: by conftest's names, or by option.

use objchange_rego::{DeclaredRule, Program, RuleId, SourceFile, declared_rules};
use wildmatch::WildMatch;

use super::error::{PolicyError, PolicyErrorKind, PolicyLocation};
use super::{Options, PolicyFile};

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

/// Which rules are evaluated, by their names and packages.
struct RuleSelection<'o> {
    packages: &'o [String],
    patterns: Vec<(&'o str, WildMatch)>,
}

impl<'o> RuleSelection<'o> {
    fn new(options: &'o Options) -> Self {
        let patterns = options.rules.iter().map(|pattern| (pattern.as_str(), WildMatch::new(pattern)));
        Self { packages: &options.packages, patterns: patterns.collect() }
    }

    /// The severity of a rule; `None` if it is not evaluated.
    fn severity(&self, name: &str, package: &[String]) -> Option<Severity> {
        let is_of_package = self.packages.is_empty() || self.packages.contains(&title(package));
        let of_name = Severity::from_rule_name(name);
        match self.patterns.is_empty() {
            _ if !is_of_package => None,
            true => of_name,
            false => self
                .patterns
                .iter()
                .any(|(_, pattern)| matches(pattern, name, package))
                .then(|| of_name.unwrap_or(Severity::Failure)),
        }
    }
}

/// Whether a pattern is that of a rule: of its name, or of its package and name.
fn matches(pattern: &WildMatch, name: &str, package: &[String]) -> bool {
    pattern.matches(name) || pattern.matches(&format!("{}.{name}", title(package)))
}

/// Refuses options of which one selects none of the rules that are evaluated: whoever misspells a rule must not believe
/// that it is checked.
pub(super) fn refuse_unmatched(rules: &[Evaluated], options: &Options) -> Result<(), PolicyError> {
    let no_rules = |message: String| Err(PolicyError::new(PolicyErrorKind::NoRules, None, message));
    let all_selected = options.packages.is_empty() && options.rules.is_empty();
    if rules.is_empty() && all_selected {
        return no_rules(
            "no rule is called deny, violation or warn, or begins with one of these and _".into(),
        );
    }
    for wanted in &options.packages {
        if !rules.iter().any(|rule| title(&rule.package) == *wanted) {
            return no_rules(format!("no rule of package `{wanted}` is evaluated"));
        }
    }
    for (wanted, pattern) in RuleSelection::new(options).patterns {
        if !rules.iter().any(|rule| matches(&pattern, &rule.name, &rule.package)) {
            return no_rules(format!("no rule matches `{wanted}`"));
        }
    }
    Ok(())
}

/// Refuses files of tests with a rule that would be evaluated in another file. Returns warnings about files that are
/// not Rego.
///
/// # Errors
///
/// The first such rule.
pub fn refuse_rules_in_tests(tests: &[PolicyFile], options: &Options) -> Result<Vec<String>, PolicyError> {
    let selection = RuleSelection::new(options);
    let mut warnings = Vec::new();
    for PolicyFile { name, text } in tests {
        let declared = match declared_rules(&SourceFile { name: name.clone(), text: text.clone() }) {
            Ok(declared) => declared,
            Err(errors) => {
                let first = errors.0.first().map(ToString::to_string).unwrap_or_default();
                warnings.push(format!("this file of tests is not read: {first}"));
                continue;
            }
        };
        let is_evaluated = |rule: &DeclaredRule| {
            selection.severity(&rule.name, &rule.package).is_some() && !is_test(&rule.name)
        };
        if let Some(rule) = declared.into_iter().find(is_evaluated) {
            let message = format!(
                "the rule `{}` is not evaluated, because it is in a file of tests; move it to a file that is not called \
                 *_test.rego",
                rule.name
            );
            let place = PolicyLocation::from(rule.location);
            return Err(PolicyError::new(PolicyErrorKind::Policy, Some(place), message));
        }
    }
    Ok(warnings)
}

fn is_test(rule: &str) -> bool {
    rule.starts_with("test_") || rule.starts_with("todo_test_")
}

/// The rules to evaluate, in the order of the files.
pub(super) fn evaluated(program: &Program, options: &Options, testing: bool) -> Vec<Evaluated> {
    let selection = RuleSelection::new(options);
    let severity = |name: &str, package: &[String]| match testing {
        true => is_test(name).then_some(Severity::Failure),
        false => selection.severity(name, package),
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
