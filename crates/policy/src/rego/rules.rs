//! Selects the rules to evaluate: by conftest's names, or by option.

use objchange_rego::{DeclaredRule, Program, RuleId, RuleInfo, SourceFile, Value, declared_rules};
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
    /// The severity of a rule by its name; `None` if only other rules use it.
    fn from_rule_name(rule: &str) -> Option<Self> {
        // As in conftest, `deny`, `violation` and `warn` may have a suffix: `deny_public`.
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
    /// Its package and all names of its head, such as those of `deny["a"]`.
    path: Vec<String>,
    /// How many of them are the package of its file.
    declared: usize,
    /// Which of them is its name: those before it are its package, as `x.deny` in package `p` is `deny` in package `p.x`.
    name: usize,
    pub(super) severity: Severity,
    /// Where its definitions are.
    pub(super) definitions: Vec<PolicyLocation>,
}

impl Evaluated {
    /// How it is called in reports: its package and its name.
    pub(super) fn title(&self) -> String {
        title(&self.path)
    }

    pub(super) fn package(&self) -> &[String] {
        &self.path[..self.name]
    }

    pub(super) fn name(&self) -> &str {
        &self.path[self.name]
    }

    /// It is a test that is not to be run.
    pub(super) fn is_skipped(&self) -> bool {
        self.path[self.declared..].iter().any(|name| is_skipped(name))
    }
}

/// Which of the names in the head of a rule is its own: the first that says how bad it is, or the first at all.
fn own_name(declared: usize, path: &[String]) -> usize {
    let says_severity = |at: &usize| Severity::from_rule_name(&path[*at]).is_some();
    // While only the first name counted, `x.deny contains …` was not evaluated, and nothing said so.
    (declared..path.len()).find(says_severity).unwrap_or(declared)
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

    /// Whether a rule is one of those that are chosen by name, if any are.
    fn has_name(&self, declared: usize, path: &[String]) -> bool {
        self.patterns.is_empty() || self.patterns.iter().any(|(_, pattern)| matches(pattern, declared, path))
    }

    /// The severity of a rule whose file has a package of so many names; `None` if it is not evaluated.
    fn severity(&self, declared: usize, path: &[String]) -> Option<Severity> {
        let name = own_name(declared, path);
        let is_of_package = self.packages.is_empty()
            || self.packages.iter().any(|package| is_of_package(package, declared, path));
        let of_name = Severity::from_rule_name(&path[name]);
        match self.patterns.is_empty() {
            _ if !is_of_package => None,
            true => of_name,
            false => self
                .patterns
                .iter()
                .any(|(_, pattern)| matches(pattern, declared, path))
                .then(|| of_name.unwrap_or(Severity::Failure)),
        }
    }
}

/// Whether a rule is in a package, which may be written with `*` and `?`.
fn is_of_package(package: &str, declared: usize, path: &[String]) -> bool {
    let pattern = WildMatch::new(package);
    [declared, own_name(declared, path)].into_iter().any(|end| pattern.matches(&title(&path[..end])))
}

/// Whether a pattern matches a rule's name, or its package and name. `x.deny` in package `p` also matches as `deny` in
/// package `p.x`, and the names after the rule's name in its head may be left out.
fn matches(pattern: &WildMatch, declared: usize, path: &[String]) -> bool {
    let mut begins = std::iter::once(0).chain(declared..path.len());
    begins.any(|begin| {
        let mut ends = (begin.max(declared) + 1)..=path.len();
        ends.any(|end| pattern.matches(&title(&path[begin..end])))
    })
}

/// Refuses options that select no rule, so that a misspelt rule is not taken for a checked one.
pub(super) fn refuse_unmatched(
    program: &Program,
    rules: &[Evaluated],
    options: &Options,
) -> Result<(), PolicyError> {
    let no_rules = |message: String| Err(PolicyError::new(PolicyErrorKind::NoRules, None, message));
    let all_selected = options.packages.is_empty() && options.rules.is_empty();
    if rules.is_empty() && all_selected {
        return no_rules(
            "no rule is called deny, violation or warn, or begins with one of these and _".into(),
        );
    }
    for wanted in &options.packages {
        if !rules.iter().any(|rule| is_of_package(wanted, rule.declared, &rule.path)) {
            return no_rules(format!(
                "no rule of package `{wanted}` is evaluated{}",
                packages_with_rules(program, options)
            ));
        }
    }
    for (wanted, pattern) in RuleSelection::new(options).patterns {
        if !rules.iter().any(|rule| matches(&pattern, rule.declared, &rule.path)) {
            return no_rules(format!("no rule matches `{wanted}`"));
        }
    }
    Ok(())
}

/// The packages that could be meant instead, for an error.
fn packages_with_rules(program: &Program, options: &Options) -> String {
    let all = Options { packages: Vec::new(), ..options.clone() };
    let selection = RuleSelection::new(&all);
    let mut packages: Vec<String> = program
        .rules()
        .filter(|rule| selection.severity(rule.package.len(), rule.path).is_some())
        .map(|rule| title(rule.package))
        .collect();
    packages.sort();
    packages.dedup();
    match &packages[..] {
        [] => String::new(),
        [one] => format!("; there are rules in the package {one}"),
        several => {
            let shown = several.iter().take(MOST_PACKAGES).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = if several.len() > MOST_PACKAGES { ", …" } else { "" };
            format!("; there are rules in the packages {shown}{more}")
        }
    }
}

/// An error names no more packages than this.
const MOST_PACKAGES: usize = 10;

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
                // Nobody evaluates these files here, so their mistakes must not stop the policies.
                let first = errors.0.first().map(ToString::to_string).unwrap_or_default();
                warnings.push(format!("this file of tests is not read: {first}"));
                continue;
            }
        };
        let is_evaluated = |rule: &DeclaredRule| {
            let declared = rule.package.len();
            selection.severity(declared, &rule.path).is_some() && !is_test(&rule.path[declared..])
        };
        if let Some(rule) = declared.into_iter().find(is_evaluated) {
            let message = format!(
                "the rule `{}` is not evaluated, because it is in a file of tests; move it to a file that is not called \
                 *_test.rego",
                title(&rule.path[rule.package.len()..])
            );
            let place = PolicyLocation::from(rule.location);
            return Err(PolicyError::new(PolicyErrorKind::Policy, Some(place), message));
        }
    }
    Ok(warnings)
}

/// Whether a name in the head of a rule marks a test.
fn is_test(names: &[String]) -> bool {
    // `test_a["b"]` is a test of OPA, too. It was not run while only whole names were looked at.
    names.iter().any(|name| name.starts_with("test_") || is_skipped(name))
}

fn is_skipped(name: &str) -> bool {
    // OPA skips such tests.
    name.starts_with("todo_test_")
}

/// The rules to evaluate, in the order of the files.
///
/// # Errors
///
/// One of them cannot be evaluated by its name, or would say the opposite of what it is for.
pub(super) fn evaluated(
    program: &Program,
    options: &Options,
    testing: bool,
) -> Result<Vec<Evaluated>, PolicyError> {
    let selection = RuleSelection::new(options);
    let mut rules = Vec::new();
    for rule in program.rules() {
        let declared = rule.package.len();
        let severity = match testing {
            true => (is_test(&rule.path[declared..]) && selection.has_name(declared, rule.path))
                .then_some(Severity::Failure),
            false => selection.severity(declared, rule.path),
        };
        let Some(severity) = severity else { continue };
        let name = own_name(declared, rule.path);
        match rule.is_function {
            true if testing || is_forgotten(program, &rule, name) => return Err(function(&rule, testing)),
            true => continue,
            false if !testing => refuse_permission(&rule, name)?,
            false => {}
        }
        rules.push(Evaluated {
            id: rule.id,
            path: rule.path.to_vec(),
            declared,
            name,
            severity,
            definitions: rule.definitions.into_iter().map(PolicyLocation::from).collect(),
        });
    }
    Ok(rules)
}

/// Refuses names that match no test.
pub(super) fn refuse_unmatched_tests(tests: &[Evaluated], options: &Options) -> Result<(), PolicyError> {
    let selection = RuleSelection::new(options);
    let is_unmatched = |(_, pattern): &&(&str, WildMatch)| {
        !tests.iter().any(|test| matches(pattern, test.declared, &test.path))
    };
    match selection.patterns.iter().find(is_unmatched) {
        Some((text, _)) => {
            Err(PolicyError::new(PolicyErrorKind::NoRules, None, format!("no test matches {text}")))
        }
        None => Ok(()),
    }
}

/// Whether a function is named like a rule and never called: it was probably meant as a rule.
fn is_forgotten(program: &Program, rule: &RuleInfo<'_>, name: usize) -> bool {
    Severity::from_rule_name(&rule.path[name]).is_some() && !program.is_mentioned(rule.id)
}

fn refused(rule: &RuleInfo<'_>, message: String) -> PolicyError {
    let place = rule.definitions.first().cloned().map(PolicyLocation::from);
    PolicyError::new(PolicyErrorKind::Policy, place, message)
}

fn function(rule: &RuleInfo<'_>, testing: bool) -> PolicyError {
    let name = title(&rule.path[rule.package.len()..]);
    let message = match testing {
        true => format!(
            "`{name}` is a function, which is not run as a test: take out its parameters, or give it another name"
        ),
        false => format!(
            "`{name}` is a function that no rule calls, so it is not evaluated: take out its parameters, or give it \
             another name"
        ),
    };
    refused(rule, message)
}

/// Refuses rules that say that something is allowed. A rule that is evaluated fails where it holds, so that these would
/// pass exactly what they are written against.
fn refuse_permission(rule: &RuleInfo<'_>, name: usize) -> Result<(), PolicyError> {
    let own = &rule.path[name];
    if Severity::from_rule_name(own).is_some() {
        return Ok(());
    }
    let own = title(&rule.path[rule.package.len()..]);
    let message = match rule.default {
        Some(Value::Bool(default)) => format!(
            "the rule `{own}` is {default} by default, as rules are that allow something; a rule of --rules fails where \
             it holds: take out the default, or evaluate a rule such as `deny contains \"not allowed\" if not {own}`"
        ),
        _ if own.split('_').any(|word| matches!(word, "allow" | "allowed" | "allows")) => format!(
            "the rule `{own}` says what is allowed, and a rule of --rules fails where it holds: evaluate a rule such as \
             `deny contains \"not allowed\" if not {own}`"
        ),
        _ => return Ok(()),
    };
    Err(refused(rule, message))
}

/// Names with dots between them.
pub(super) fn title(names: &[String]) -> String {
    names.join(".")
}
