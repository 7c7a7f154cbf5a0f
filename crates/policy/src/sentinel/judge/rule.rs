//! Rules that were evaluated, and other values of a run, as reports show them.

use objchange_sentinel::{Evaluated, Location, Run, Value};
use serde::Serialize;
use serde_json::{Value as Json, json};

/// A rule that was evaluated.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// The line on which it is.
    pub line: u32,
    /// The column in that.
    pub column: u32,
    /// The comment directly above it.
    pub doc: Option<String>,
    /// Its value, for reports.
    pub value: Json,
}

/// The maximum size of a value to report as JSON. A larger one is reported as text that is cut off.
const LARGEST: u64 = 1 << 20;

/// The maximum number of characters of a value to show to people.
const SHOWN: usize = 200;

impl Rule {
    /// A rule that a run has evaluated.
    pub fn new(run: &Run<'_>, rule: &Evaluated) -> Self {
        Self {
            name: rule.name.to_string(),
            line: rule.location.position.line,
            column: rule.location.position.column,
            doc: rule.doc.clone(),
            value: to_json(run, &rule.value),
        }
    }
}

/// A value as a report has it: undefined with where it arose.
pub fn to_json(run: &Run<'_>, value: &Value) -> Json {
    match value {
        Value::Undefined(place) => undefined(&run.location(*place)),
        // A value without a JSON form, or with a too large one.
        value => value.to_json_within(LARGEST).unwrap_or_else(|| json!({"text": format!("{value:?}")})),
    }
}

/// As a report has what is undefined: with where it arose.
pub fn undefined(at: &Location) -> Json {
    json!({"undefined": true, "at": at.to_string()})
}

/// A value for people, cut where it is long.
pub fn show(value: &Json) -> String {
    if let (Some(Json::Bool(true)), Some(Json::String(at))) = (value.get("undefined"), value.get("at")) {
        return format!("undefined (from {at})");
    }
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
