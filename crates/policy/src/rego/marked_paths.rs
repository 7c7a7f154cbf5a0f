//! Ends paths of unknown values where something sensitive begins: the keys below it may be secrets, too.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write;

use objchange_document::Plan;
use objchange_document::json::{Shape, View};

use super::error::PolicyError;
use super::unknown::step;
use super::verdict::{Unknown, Verdicts};
use crate::address::without_data;
use crate::collection::read;
use crate::tfplan::RawPlan;

/// Names no key below what the plan calls sensitive in any of its sections.
///
/// # Errors
///
/// A section of the plan has not the form that it is to have.
pub(super) fn end_paths(verdicts: &mut Verdicts, plan: &Plan<'_>) -> Result<(), PolicyError> {
    let undecided = verdicts.rules.iter().filter_map(|rule| rule.undecided.as_ref());
    let waits_for = undecided.flat_map(|undecided| &undecided.waits_for);
    let wanted = waits_for.filter(|one| !one.path.is_empty()).map(|one| one.address.clone());
    let wanted: BTreeSet<String> = wanted.collect();
    if wanted.is_empty() {
        return Ok(());
    }
    let sensitive = sensitive_paths(plan, &wanted)?;
    for undecided in verdicts.rules.iter_mut().filter_map(|rule| rule.undecided.as_mut()) {
        for unknown in &mut undecided.waits_for {
            end_path(unknown, sensitive.get(&unknown.address).map_or(&[], Vec::as_slice));
        }
        // Paths that have been cut at one mark are equal now.
        undecided.waits_for.sort();
        undecided.waits_for.dedup();
    }
    Ok(())
}

/// Where sensitive values begin, by these addresses.
fn sensitive_paths(
    plan: &Plan<'_>,
    wanted: &BTreeSet<String>,
) -> Result<HashMap<String, Vec<String>>, PolicyError> {
    let mut found: HashMap<String, Vec<String>> = HashMap::new();
    let mut add = |address: &str, marks: View<'_, '_>| {
        if wanted.contains(address) {
            paths(marks, &mut String::new(), found.entry(address.to_owned()).or_default());
        }
    };
    let raw = RawPlan::new(plan).map_err(PolicyError::of_document)?;
    for (address, marks) in raw.stated().instances() {
        add(address, marks);
        // Planned values have data sources by another address.
        add(&without_data(address), marks);
    }
    for address in wanted {
        if let Some(marks) = address.strip_prefix("output.").and_then(|name| raw.stated().output_view(name)) {
            add(address, marks);
        }
    }
    for invocation in plan.changes.all_invocations() {
        if let Some(marks) = invocation.config.written().and_then(|config| config.sensitive.as_ref()) {
            let location = format!("{}: config_sensitive", invocation.address);
            let marks = read(plan.text(), marks, &location).map_err(PolicyError::of_document)?;
            add(&invocation.address, marks.view());
        }
    }
    Ok(found)
}

/// The paths at which marks begin, as unknown values have them.
fn paths(marks: View<'_, '_>, path: &mut String, found: &mut Vec<String>) {
    let length = path.len();
    match marks.shape() {
        Shape::Null | Shape::Bool(false) => {}
        Shape::Object(members) => {
            for (key, marks) in members.iter() {
                step(path, key);
                paths(marks, path, found);
                path.truncate(length);
            }
        }
        Shape::Array(elements) => {
            for (index, marks) in elements.iter().enumerate() {
                // Writing to a string does not fail.
                _ = write!(path, "[{index}]");
                paths(marks, path, found);
                path.truncate(length);
            }
        }
        Shape::Bool(true) | Shape::Number(_) | Shape::String(_) => found.push(path.clone()),
    }
}

fn end_path(unknown: &mut Unknown, sensitive: &[String]) {
    let is_below = |sensitive: &&String| {
        let rest = unknown.path.strip_prefix(sensitive.as_str());
        sensitive.is_empty() || rest.is_some_and(|rest| rest.starts_with(['.', '[']))
    };
    if let Some(shortest) = sensitive.iter().filter(is_below).map(String::len).min() {
        unknown.path.truncate(shortest);
    }
}
