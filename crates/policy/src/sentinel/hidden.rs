//! Other values in place of what is sensitive.
//!
//! A policy may derive its output from secrets in any way. So a policy that read a secret runs again with other values
//! in place of secrets, and only equal output is shown.

use crate::{Collected, Redacted};
use objchange_document::json::Shape;
use objchange_sentinel::Value;
use objchange_text::redact::SENSITIVE;
use serde_json::{Value as Json, json};

/// Replaces sensitive values in a second and a third run. Their values have nothing in common, so output that is equal
/// in all three runs depends on none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Replacement {
    /// Short texts, small numbers, empty lists and maps.
    Short,
    /// Long texts, large numbers, lists and maps with elements.
    Long,
}

impl Replacement {
    /// Both.
    pub(super) const ALL: [Self; 2] = [Self::Short, Self::Long];

    fn text(self) -> String {
        match self {
            Self::Short => "x".to_owned(),
            Self::Long => "Aa1-".repeat(64),
        }
    }

    /// A value of the same type, so that the policy takes the same path.
    pub(super) fn stand_in(self, shape: Shape<'_, '_>) -> Value {
        let is_long = self == Self::Long;
        match shape {
            Shape::Bool(_) => Value::from(is_long),
            Shape::Number(_) => Value::from(if is_long { 1_i64 << 40 } else { 0 }),
            Shape::Array(_) if is_long => Value::from(vec![Value::from(self.text()), Value::from("x")]),
            Shape::Array(_) => Value::from(Vec::new()),
            Shape::Object(_) if is_long => Value::from_json(&json!({"Aa1-": self.text(), "x": "x"})),
            Shape::Object(_) => Value::from_json(&json!({})),
            Shape::Null | Shape::String(_) => Value::from(self.text()),
        }
    }
}

/// A part of a document with a replacement for each of its secrets.
pub(super) fn hidden<T: Collected>(part: &Redacted<'_, T>, replacement: Replacement) -> Value {
    fn replace(json: &mut Json, text: &str) {
        match json {
            Json::String(string) if string == SENSITIVE => text.clone_into(string),
            Json::Array(items) => items.iter_mut().for_each(|item| replace(item, text)),
            Json::Object(members) => members.values_mut().for_each(|member| replace(member, text)),
            _ => {}
        }
    }
    // It is JSON, and a value of the document.
    let mut json = serde_json::to_value(part).unwrap_or_default();
    replace(&mut json, &replacement.text());
    Value::from_json(&json)
}
