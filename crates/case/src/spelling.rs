//! Finds misspelt names in a case: unknown fields and unknown kinds of errors.
//!
//! Unknown fields that resemble no known one are notes for readers, and ignored.

use objchange_text::json::from_str;
use objchange_text::similar;
use serde::Deserialize;

use super::{Case, CaseError, Operation};

/// The most similar name.
fn suggest(word: &str, names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    similar(word, names).first().copied()
}

/// The end of a message about an unknown name: `; did you mean …?`, or nothing.
pub(super) fn hint(word: &str, names: impl Iterator<Item = &'static str>) -> String {
    suggest(word, names).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

#[derive(Deserialize)]
struct Want {
    errors: Vec<WantedError>,
}

#[derive(Deserialize)]
struct WantedError {
    kind: String,
}

/// Checks the names in the case.
pub(super) fn check(case: &Case<'_>, operations: &[Operation]) -> Result<(), CaseError> {
    // The fields of an unknown operation cannot be checked.
    let Some(operation) = operations.iter().find(|operation| operation.name == case.op()) else {
        return Ok(());
    };
    let known = || operation.fields.iter().copied().chain(["id", "op", "note", "want"]);
    // Computed once, because a case may have any number of fields.
    let lacking: Vec<&str> =
        known().filter(|known| *known != "note" && case.optional_field(known).is_none()).collect();
    for name in case.field_names().filter(|name| !known().any(|known| known == *name)) {
        // `want` is always a candidate: a second one, misspelt, would not be checked.
        if let Some(meant) = suggest(name, lacking.iter().copied().chain(["want"])) {
            return Err(case.wrong_field(name, &format!("there is no such field; did you mean `{meant}`?")));
        }
    }
    let kinds = (operation.kinds)();
    if kinds.is_empty() {
        return Ok(());
    }
    // A `want` that is wrong in another way fails when the case runs.
    let Some(Ok(want)) = case.optional_field("want").map(from_str::<Want>) else { return Ok(()) };
    match want.errors.iter().find(|error| !kinds.contains(&error.kind.as_str())) {
        Some(WantedError { kind }) => {
            let hint = hint(kind, kinds.iter().copied());
            Err(case.wrong_field("want", &format!("this operation reports no errors of kind {kind:?}{hint}")))
        }
        None => Ok(()),
    }
}
