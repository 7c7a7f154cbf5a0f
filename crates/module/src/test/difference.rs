//! Both sides of an assertion as JSON, and the lines in which they differ.

use objchange::Value;
use objchange::value::{Kind, Marks};
use objchange_text::redact::SENSITIVE;

use crate::diagnostics::Comparison;
use crate::document::JsonWriter;

/// Replaces an unknown value.
const UNKNOWN: &str = "(not yet known)";

/// Replaces an ephemeral value.
const EPHEMERAL: &str = "(ephemeral value)";

/// A value as JSON on several lines, without what must not be shown.
pub(super) fn shown_json(value: &Value) -> String {
    let mut json = JsonWriter::default();
    json.known(&covered(value));
    objchange_text::json::indented(&json.into_string(), "\n")
}

/// The maximum number of characters to show of a value in a line.
const IN_LINE: usize = 200;

/// A value as JSON in one line, without what must not be shown. Long ones are cut.
pub(super) fn shown_in_line(value: &Value) -> String {
    let mut json = JsonWriter::default();
    json.known(&covered(value));
    let mut text = json.into_string();
    if let Some((end, _)) = text.char_indices().nth(IN_LINE) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// The value with texts in place of what is sensitive or unknown.
fn covered(value: &Value) -> Value {
    let marks = value.marks();
    if marks.contains(Marks::SENSITIVE) {
        return Value::from(SENSITIVE);
    }
    if marks.contains(Marks::EPHEMERAL) {
        return Value::from(EPHEMERAL);
    }
    if !value.is_known() {
        return Value::from(UNKNOWN);
    }
    if !value.contains_marked() && value.is_wholly_known() {
        return value.clone();
    }
    match value.kind() {
        Kind::List(elements) | Kind::Set(elements) | Kind::Tuple(elements) => {
            Value::tuple(elements.iter().map(covered).collect::<Vec<_>>())
        }
        Kind::Map(map) => {
            Value::object(map.iter().map(|(key, value)| (key.clone(), covered(value))).collect::<Vec<_>>())
        }
        Kind::Object(object) => Value::object(
            object.iter().map(|(name, value)| (name.clone(), covered(value))).collect::<Vec<_>>(),
        ),
        _ => value.clone(),
    }
}

impl Comparison {
    /// The lines of both sides: shared ones after two blanks, left ones after `- `, right ones after `+ `. Empty if
    /// both are equal.
    ///
    /// Lines are paired by number, without alignment. In a row of differing lines those of the left come first.
    pub(crate) fn lines(&self) -> Vec<String> {
        if self.left == self.right {
            return Vec::new();
        }
        let (left, right): (Vec<&str>, Vec<&str>) =
            (self.left.split('\n').collect(), self.right.split('\n').collect());
        let mut lines = Vec::with_capacity(left.len().max(right.len()));
        // Terraform 1.15 does not align the sides either: after an inserted line all lines differ.
        let mut added: Vec<&str> = Vec::new();
        for i in 0..left.len().max(right.len()) {
            match (left.get(i), right.get(i)) {
                (Some(a), Some(b)) if a == b => {
                    lines.extend(added.drain(..).map(|line| format!("+ {line}")));
                    lines.push(format!("  {a}"));
                }
                (a, b) => {
                    lines.extend(a.map(|line| format!("- {line}")));
                    added.extend(b);
                }
            }
        }
        lines.extend(added.drain(..).map(|line| format!("+ {line}")));
        lines
    }
}

#[cfg(test)]
mod tests {
    use objchange::Value;

    use super::shown_json;
    use crate::diagnostics::Comparison;

    fn lines(left: &Value, right: &Value) -> Vec<String> {
        let (left, right) = (shown_json(left), shown_json(right));
        Comparison { left, right, types_differ: false, is_verbose: false }.lines()
    }

    #[test]
    fn lines_are_compared_by_their_numbers() {
        assert_eq!(
            lines(&Value::tuple([1, 2]), &Value::tuple([1])),
            ["  [", "-   1,", "-   2", "- ]", "+   1", "+ ]"]
        );
        assert_eq!(lines(&Value::from(3), &Value::from("3")), ["- 3", "+ \"3\""]);
        assert!(lines(&Value::from(3), &Value::from(3)).is_empty());
    }

    #[test]
    fn what_is_sensitive_is_not_shown() {
        let value = Value::object([("a", Value::from("x").sensitive()), ("b", Value::from(1))]);
        assert_eq!(shown_json(&value), "{\n  \"a\": \"(sensitive value)\",\n  \"b\": 1\n}");
    }
}
