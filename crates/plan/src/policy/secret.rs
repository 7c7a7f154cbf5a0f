//! Documents with other values in place of what is sensitive.

use std::collections::BTreeSet;

use regorus::Value;
use regorus::unstable::Expr;

use super::InputMode;
use super::compile::Compiled;
use super::error::PolicyError;
use super::evaluate::document;
use super::input::Secrets;
use super::syntax::{for_each, package, rules};

/// As many of the values that a rule mentions are tried.
const MOST: usize = 12;

/// What is tried in place of secrets, to see what a rule says then. No two of them look the same when they are printed,
/// so that what is said for two of them holds neither.
pub(super) fn replacements() -> impl Iterator<Item = Value> {
    let long = "Aa1-".repeat(64);
    let plain = ["", "x", &long].map(Value::from).into_iter();
    let numbers = [0_i64, 1, 1 << 40].map(Value::from).into_iter();
    let others =
        [Value::Bool(true), Value::Bool(false), Value::Null, Value::new_array(), Value::new_object()];
    plain.chain(numbers).chain(others)
}

/// What is tried in place of unknown values, to see whether a rule says the same whatever they are: the same, and what
/// the rule mentions.
pub(super) fn guesses(policies: &Compiled, rule: usize) -> impl Iterator<Item = Value> {
    let mut mentioned = BTreeSet::new();
    for module in &policies.modules {
        let package = package(module);
        for (defined, name) in rules(module) {
            if policies.closures[rule].contains(&(package.clone(), name.to_owned())) {
                for_each(defined, &mut |expr| match expr.as_ref() {
                    Expr::String { value, .. }
                    | Expr::RawString { value, .. }
                    | Expr::Number { value, .. } => {
                        mentioned.insert(value.clone());
                    }
                    _ => {}
                });
            }
        }
    }
    replacements().chain(mentioned.into_iter().take(MOST))
}

/// The document with a value in place of everything that is sensitive.
pub(super) fn masked_with(
    policies: &Compiled,
    text: &str,
    mode: InputMode,
    replacement: Value,
) -> Result<Value, PolicyError> {
    document(policies, text, mode, &Secrets::Hidden(Some(replacement)))
}
