//! Decides what policies expect as `input`: the collections, or the document itself.

use std::collections::BTreeSet;

use objchange_rego::Program;

use super::error::{PolicyError, PolicyErrorKind, PolicyLocation};
use super::rules::Evaluated;
use super::{InputMode, Options, PolicyFile};

const COLLECTIONS: [&str; 4] = ["tfplan", "tfstate", "tfconfig", "plan"];

/// The parts of plan documents, by Terraform and OpenTofu.
const OF_DOCUMENT: [&str; 22] = [
    "action_invocations",
    "applicable",
    "applyable",
    "checks",
    "complete",
    "configuration",
    "deferred_action_invocations",
    "deferred_changes",
    "errored",
    "format_version",
    "output_changes",
    "planned_values",
    "prior_state",
    "provider_format_version",
    "proposed_unknown",
    "relevant_attributes",
    "resource_changes",
    "resource_drift",
    "terraform_version",
    "timestamp",
    "values",
    "variables",
];

/// A collection that the text of a policy mentions, whatever it means by the word. `plan` is any variable's name.
fn collection_in(text: &str) -> Option<&'static str> {
    let words: BTreeSet<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    ["tfplan", "tfstate", "tfconfig"].into_iter().find(|name| words.contains(name))
}

/// What the policies see as `input`: what they look at.
///
/// A policy that looks at what is not there would pass every plan: it is refused.
pub(super) fn choose(
    program: &Program,
    files: &[PolicyFile],
    rules: &[Evaluated],
    options: &Options,
) -> Result<InputMode, PolicyError> {
    let first = |names: &[&str]| {
        program
            .input_references()
            .find(|one| one.path.first().is_some_and(|name| names.contains(&name.as_str())))
    };
    let (collections, document) = (first(&COLLECTIONS), first(&OF_DOCUMENT));
    let name = |path: &[String]| path.first().cloned().unwrap_or_default();
    let refused = |place: PolicyLocation, message: String| {
        Err(PolicyError::new(PolicyErrorKind::Policy, Some(place), message))
    };
    match (options.input, collections, document) {
        (InputMode::Auto, Some(one), Some(other)) => {
            let message = format!(
                "input.{} is looked at here and input.{} in {}: input is either the collections or the document, \
                 so choose one of them, or evaluate these policies apart",
                name(other.path),
                name(one.path),
                PolicyLocation::from(one.location),
            );
            refused(other.location.into(), message)
        }
        (InputMode::Raw, Some(one), None) => {
            let message = format!(
                "input.{} is a collection, which the raw document does not have: let the policies decide what input is",
                name(one.path)
            );
            refused(one.location.into(), message)
        }
        (InputMode::Collections, None, Some(one)) => {
            let message = format!(
                "input.{} is a part of the document, which is input.plan beside collections: let the policies decide what \
                 input is",
                name(one.path)
            );
            refused(one.location.into(), message)
        }
        (InputMode::Auto, None, Some(_)) => Ok(InputMode::Raw),
        (InputMode::Auto, Some(_), None) => Ok(InputMode::Collections),
        (InputMode::Auto, None, None) => {
            if let Some(whole) = program.input_references().find(|one| one.path.is_empty()) {
                return match files.iter().find_map(|file| collection_in(&file.text)) {
                    None => Ok(InputMode::Raw),
                    Some(name) => {
                        let message = format!(
                            "input is looked at as a whole here, and the policies mention {name}: choose the collections or \
                             the document as input"
                        );
                        refused(whole.location.into(), message)
                    }
                };
            }
            let names: BTreeSet<String> = program
                .input_references()
                .filter(|one| !one.path.is_empty())
                .map(|one| name(one.path))
                .collect();
            let other = program.input_references().find(|one| !one.path.is_empty());
            match other {
                Some(other) if rules.iter().all(|rule| program.reads_input(rule.id)) => {
                    let names: Vec<String> =
                        names.iter().take(3).map(|name| format!("input.{name}")).collect();
                    let message = format!(
                        "the policies look at {}, which plans do not have: they see input.tfplan, input.tfstate, \
                         input.tfconfig and input.plan, or the parts of the document such as input.resource_changes",
                        names.join(", ")
                    );
                    refused(other.location.into(), message)
                }
                _ => Ok(InputMode::Collections),
            }
        }
        (mode, ..) => Ok(mode),
    }
}
