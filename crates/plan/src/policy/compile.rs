//! From files to policies that are ready to be evaluated.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use regorus::unstable::{Module, Ref};
use regorus::{Engine, PolicyLengthConfig};

use super::error::{PolicyError, PolicyErrorKind};
use super::members::Members;
use super::names::{Names, RuleKey, closure};
use super::rules::{Evaluated, evaluated, place, reference, tests};
use super::syntax::name;
use super::trace::{Look, traced};
use super::{Options, PolicyFile};

/// The package that calls the rules.
pub(super) const CALLER: &str = "objchange_caller";
/// The function that tells which rule is evaluated now.
pub(super) const NOW: &str = "objchange_now";

/// Brackets within each other. Reading takes twice as long for each, so that 30 of them take minutes.
const MAX_BRACKETS: usize = 20;

/// Policies that are ready to be evaluated.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) engine: Engine,
    /// The rule that was begun last.
    pub(super) begun: Arc<AtomicUsize>,
    pub(super) modules: Vec<Ref<Module>>,
    pub(super) rules: Vec<Evaluated>,
    /// The rules called `exception`, by package.
    pub(super) exceptions: BTreeMap<Vec<String>, Evaluated>,
    pub(super) members: Members,
    /// For each rule that is evaluated all those that it leads to.
    pub(super) closures: Vec<BTreeSet<RuleKey>>,
    /// For each rule that is evaluated, whether it or one that it leads to asks for the marker of unknown values.
    pub(super) asks: Vec<bool>,
    pub(super) traced: Option<Traced>,
    /// What is to be known of the policies.
    pub(super) notes: Vec<String>,
}

/// The same policies, made to tell what they look at.
#[derive(Debug)]
pub(super) struct Traced {
    pub(super) engine: Engine,
    pub(super) modules: Vec<Ref<Module>>,
    pub(super) looks: Arc<[Look]>,
}

/// The rule that calls all rules of a part.
pub(super) fn caller(part: usize) -> String {
    format!("data.{CALLER}.part_{part}")
}

pub(super) fn compile(
    files: &[PolicyFile],
    options: &Options,
    testing: bool,
) -> Result<Compiled, PolicyError> {
    let mut engine = new_engine();
    let mut versions = Vec::new();
    for file in files {
        versions.push(add(&mut engine, &file.name, &file.text)?);
    }
    let modules = engine.get_modules().clone();
    let names = Names::of(&modules);
    let references = names.references(&modules);
    refuse_recursion(&names, &names.calls(&modules))?;
    let (rules, packages) = match testing {
        true => (tests(&modules), BTreeSet::new()),
        false => {
            let rules = evaluated(&modules, &options.packages);
            let packages: BTreeSet<Vec<String>> = rules.iter().map(|rule| rule.key.0.clone()).collect();
            (rules, packages)
        }
    };
    let exceptions = exceptions(&modules, &packages);
    let closures: Vec<_> = rules.iter().map(|rule| closure(&references, &rule.key)).collect();
    let asks = closures.iter().map(|closure| closure.iter().any(|key| asks(&names, key))).collect();
    let callers = callers(&rules, options.parts());
    let mut notes = Vec::new();
    let traced = match testing {
        true => None,
        false => trace(&modules, &names, &versions, &callers, &mut notes),
    };
    engine.set_rego_v0(false);
    prepare(&mut engine, &callers)?;
    Ok(Compiled {
        members: Members::of(&modules, &names),
        engine,
        begun: Arc::new(AtomicUsize::new(usize::MAX)),
        modules,
        rules,
        exceptions,
        closures,
        asks,
        traced,
        notes,
    })
}

fn new_engine() -> Engine {
    let mut engine = Engine::new();
    let wide = NonZero::new(1 << 20).unwrap_or(NonZero::<u32>::MAX);
    let long = NonZero::new(8 << 20).unwrap_or(NonZero::<usize>::MAX);
    engine.set_policy_length_config(PolicyLengthConfig {
        max_col: wide,
        max_file_bytes: long,
        ..PolicyLengthConfig::default()
    });
    engine.set_gather_prints(true);
    // As OPA does: what a function cannot do is undefined.
    engine.set_strict_builtin_errors(false);
    engine
}

/// Reads a policy in the syntax of today, or else in that from before OPA 1.0. Whether it is the latter is answered.
fn add(engine: &mut Engine, name: &str, text: &str) -> Result<bool, PolicyError> {
    refuse_nesting(name, text)?;
    let mut add = |v0| {
        engine.set_rego_v0(v0);
        engine.add_policy(name.to_owned(), text.to_owned())
    };
    let Err(error) = add(false) else { return Ok(false) };
    match add(true) {
        Ok(_) => Ok(true),
        Err(_) => Err(PolicyError::of(PolicyErrorKind::Policy, &error, None)),
    }
}

/// Makes everything ready that does not depend on a document, and finds what is wrong between policies.
fn prepare(engine: &mut Engine, callers: &str) -> Result<(), PolicyError> {
    let wrong = |error: anyhow::Error| PolicyError::of(PolicyErrorKind::Policy, &error, None);
    engine.add_policy(CALLER.to_owned(), callers.to_owned()).map_err(wrong)?;
    engine.eval_rule(format!("data.{CALLER}.ready")).map_err(wrong)?;
    Ok(())
}

/// A package with a rule for each part, whose value is a list with an empty list for each rule that is undefined, and
/// else with its value in a list.
fn callers(rules: &[Evaluated], parts: usize) -> String {
    use std::fmt::Write;
    let mut text = format!("package {CALLER}\n\nready := true\n");
    for part in 0..parts {
        _ = writeln!(text, "\npart_{part} := [");
        for (index, rule) in rules.iter().enumerate().filter(|(index, _)| index % parts == part) {
            _ = writeln!(text, "\t[{index}, [value | {NOW}({index}); value := {}]],", reference(&rule.key));
        }
        text.push_str("]\n");
    }
    text
}

fn trace(
    modules: &[Ref<Module>],
    names: &Names,
    versions: &[bool],
    callers: &str,
    notes: &mut Vec<String>,
) -> Option<Traced> {
    let mut failed = None;
    // A name that stands for a value in one part of a rule may be free in another, where it must stay as it is.
    for variables in [true, false] {
        match trace_with(modules, names, versions, callers, variables) {
            Ok((traced, more)) => {
                notes.extend(more);
                return Some(traced);
            }
            Err(error) => failed = Some(error),
        }
    }
    let error = failed.map(|error| format!(" ({error})")).unwrap_or_default();
    notes.push(format!("what the policies look at cannot be followed{error}: nothing is undecided"));
    None
}

fn trace_with(
    modules: &[Ref<Module>],
    names: &Names,
    versions: &[bool],
    callers: &str,
    variables: bool,
) -> Result<(Traced, Vec<String>), PolicyError> {
    let mut engine = new_engine();
    let mut looks = Vec::new();
    let mut notes = Vec::new();
    for (module, v0) in std::iter::zip(modules, versions) {
        let source = &module.package.span.source;
        let file = source.get_path();
        engine.set_rego_v0(*v0);
        let text = traced(module, names, variables, &mut looks);
        let added = text.is_some_and(|text| engine.add_policy(file.clone(), text).is_ok());
        if !added {
            notes.push(format!(
                "{file}: what this policy looks at cannot be followed: nothing is undecided for it"
            ));
            let wrong = |error: anyhow::Error| PolicyError::of(PolicyErrorKind::Policy, &error, None);
            engine.add_policy(file.clone(), source.get_contents().clone()).map_err(wrong)?;
        }
    }
    let modules = engine.get_modules().clone();
    engine.set_rego_v0(false);
    prepare(&mut engine, callers)?;
    Ok((Traced { engine, modules, looks: looks.into() }, notes))
}

fn exceptions(modules: &[Ref<Module>], packages: &BTreeSet<Vec<String>>) -> BTreeMap<Vec<String>, Evaluated> {
    let found = super::rules::called(modules, "exception").into_iter();
    found.filter(|rule| packages.contains(&rule.key.0)).map(|rule| (rule.key.0.clone(), rule)).collect()
}

/// Whether a rule asks for the marker itself.
fn asks(names: &Names, key: &RuleKey) -> bool {
    names.definitions(key).iter().any(|rule| {
        let span = rule.span();
        let text = span.source.get_contents().get(span.start as usize..span.end as usize);
        text.is_some_and(|text| text.contains("$unknown"))
    })
}

/// A function that calls itself takes the stack. Of rules that lead to themselves the interpreter says so.
fn refuse_recursion(names: &Names, calls: &BTreeMap<RuleKey, BTreeSet<RuleKey>>) -> Result<(), PolicyError> {
    for (key, next) in calls {
        let leads_back = next.iter().any(|next| closure(calls, next).contains(key));
        if leads_back && let Some(rule) = names.definitions(key).first() {
            let text = name(rule).map_or("", |(name, _)| name);
            let message = format!("{text} calls itself, which Rego does not allow");
            return Err(PolicyError::new(PolicyErrorKind::Policy, Some(place(rule)), message));
        }
    }
    Ok(())
}

/// Refuses texts that take exponential time to read.
fn refuse_nesting(file: &str, text: &str) -> Result<(), PolicyError> {
    let mut depth = 0_usize;
    for (index, line) in text.lines().enumerate() {
        let mut quote = None;
        let mut escaped = false;
        for c in line.chars() {
            match (quote, c) {
                _ if std::mem::take(&mut escaped) => {}
                (Some('"'), '\\') => escaped = true,
                (Some(open), c) if open == c => quote = None,
                (Some(_), _) => {}
                (None, '#') => break,
                (None, '"' | '`') => quote = Some(c),
                (None, '[' | '{' | '(') => depth += 1,
                (None, ']' | '}' | ')') => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth > MAX_BRACKETS {
                let line = u32::try_from(index + 1).unwrap_or(u32::MAX);
                let place = super::Place { file: file.to_owned(), line };
                let message = format!("more than {MAX_BRACKETS} brackets stand within each other");
                return Err(PolicyError::new(PolicyErrorKind::Policy, Some(place), message));
            }
        }
    }
    Ok(())
}
