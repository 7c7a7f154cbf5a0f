//! Names in a case that are misspelt: a field that nobody reads, a kind of error that nobody reports.
//!
//! Other fields that the format does not name are ignored, for they are there for readers.

use objchange::case::{Case, CaseError};
use objchange::change::{InconsistentResultKind, InvalidPlanKind};
use serde::Deserialize;

/// What each operation reads.
const FIELDS: [(&str, &[&str]); 16] = [
    ("proposed_new", &["schema", "prior", "config"]),
    ("planned_data_resource", &["schema", "config"]),
    ("prepare_computed_blocks", &["schema", "value"]),
    ("normalize_legacy", &["schema", "value"]),
    ("all_attributes_null", &["schema"]),
    ("empty_value", &["schema"]),
    ("implied_type", &["schema"]),
    ("coerce_value", &["schema", "type", "value"]),
    ("assert_plan_valid", &["schema", "prior", "config", "planned"]),
    ("assert_object_compatible", &["schema", "planned", "actual"]),
    ("assert_value_compatible", &["type", "planned", "actual"]),
    ("action_for_change", &["type", "before", "after"]),
    ("lcs", &["type", "xs", "ys"]),
    ("render_plan", &["plan", "schemas", "options"]),
    ("render_state", &["state", "schemas", "options"]),
    ("render_resource_change", &["schema", "change", "options"]),
];

/// The names of all operations.
pub(super) fn operations() -> impl Iterator<Item = &'static str> {
    FIELDS.into_iter().map(|(op, _)| op)
}

/// The kinds of errors that an operation reports.
fn kinds(op: &str) -> Vec<&'static str> {
    match op {
        "assert_plan_valid" => InvalidPlanKind::ALL.iter().map(|kind| kind.slug()).collect(),
        "assert_object_compatible" | "assert_value_compatible" => {
            InconsistentResultKind::ALL.iter().map(|kind| kind.slug()).collect()
        }
        "coerce_value" => vec!["coerce"],
        _ => Vec::new(),
    }
}

/// The name that is meant, as far as one can tell: few letters are wrong, and not just any short name.
fn meant(word: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    // No name is this long, and what outside input says may be.
    if word.len() > 100 {
        return None;
    }
    let word = word.to_lowercase();
    names
        .map(|name| (strsim::osa_distance(&word, name), name))
        .filter(|(distance, name)| *distance <= name.len() / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// The end of a sentence about a name that is not known.
pub(super) fn hint(word: &str, names: impl Iterator<Item = &'static str>) -> String {
    meant(word, names).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

#[derive(Deserialize)]
struct Want {
    errors: Vec<WantedError>,
}

#[derive(Deserialize)]
struct WantedError {
    kind: String,
}

/// Whether the names in the case are those of the format.
pub(super) fn check(case: &Case<'_>) -> Result<(), CaseError> {
    // Of an unknown operation, nothing is known.
    let Some((_, fields)) = FIELDS.iter().find(|(op, _)| *op == case.op()) else { return Ok(()) };
    let known = || fields.iter().copied().chain(["id", "op", "note", "want"]);
    // Asked once: a case may have any number of fields.
    let lacking: Vec<&str> =
        known().filter(|known| *known != "note" && case.optional_field(known).is_none()).collect();
    for name in case.field_names().filter(|name| !known().any(|known| known == *name)) {
        if let Some(meant) = meant(name, lacking.iter().copied()) {
            return Err(case.wrong_field(name, &format!("there is no such field; did you mean `{meant}`?")));
        }
    }
    let kinds = kinds(case.op());
    if kinds.is_empty() {
        return Ok(());
    }
    // What is wrong with it otherwise is for the run to say.
    let Some(Ok(want)) = case.optional_field("want").map(serde_json::from_str::<Want>) else { return Ok(()) };
    match want.errors.iter().find(|error| !kinds.contains(&error.kind.as_str())) {
        Some(WantedError { kind }) => {
            let hint = hint(kind, kinds.iter().copied());
            Err(case.wrong_field("want", &format!("this operation reports no errors of kind {kind:?}{hint}")))
        }
        None => Ok(()),
    }
}
