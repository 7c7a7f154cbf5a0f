//! Paths in JSON reports: the form of case files.

use objchange::value::{Path, PathStep};
use serde_json::{Value as Json, json};

/// The steps as in a case file; a key that is marked is left out.
pub(crate) fn to_json(path: &Path) -> Vec<Json> {
    path.steps()
        .iter()
        .map(|step| match step {
            PathStep::Attribute(name) => json!({ "attr": name.as_str() }),
            PathStep::Index(key) if key.contains_marked() => json!({ "index": "(sensitive value)" }),
            PathStep::Index(key) => {
                let text = key.to_marker_json(key.ty()).ok();
                json!({ "index": text.and_then(|text| serde_json::from_str::<Json>(&text).ok()) })
            }
        })
        .collect()
}
