//! What of a policy's answer is shown that has seen secrets: what is the same with other values in their place.

use serde_json::Value as Json;

use super::judge::{Judged, Judgement};
use crate::sentinel::imports::{Imports, SENSITIVE};

impl Judged {
    /// Hides what is different in the answer of the same policy that has seen other values. What the policy says in the
    /// end stays: it may be about secrets.
    pub(super) fn hide_what_differs(&mut self, other: &Judged, imports: &Imports) {
        self.print = same_lines(&self.print, &other.print);
        if let Some(error) = &mut self.error
            && other.error.as_ref().is_none_or(|other| other.message != error.message)
        {
            SENSITIVE.clone_into(&mut error.message);
        }
        match (&mut self.main, &other.main) {
            // As the verdict.
            (Some(Json::Bool(_)) | None, _) => {}
            (Some(main), Some(other)) => hide(main, other),
            (Some(main), None) => *main = Json::from(SENSITIVE),
        }
        for Judgement { rule, witnesses, .. } in &mut self.rules {
            let is_same = |other: &&Judgement| (other.rule.line, other.rule.col) == (rule.line, rule.col);
            let other = other.rules.iter().find(is_same);
            match other {
                Some(other) => hide(&mut rule.value, &other.rule.value),
                None => rule.value = Json::from(SENSITIVE),
            }
            witnesses.hide_what_differs(other.map(|other| &other.witnesses), imports);
        }
        self.witnesses.hide_what_differs(Some(&other.witnesses), imports);
    }
}

/// The lines that are the same in the same places.
fn same_lines(text: &str, other: &str) -> String {
    let mut others = other.split('\n');
    let lines = text.split('\n').map(|line| if others.next() == Some(line) { line } else { SENSITIVE });
    lines.collect::<Vec<_>>().join("\n")
}

/// Hides the parts that are not the same; where even their number or names differ, the whole.
fn hide(value: &mut Json, other: &Json) {
    match (&mut *value, other) {
        (Json::Array(items), Json::Array(others)) if items.len() == others.len() => {
            items.iter_mut().zip(others).for_each(|(item, other)| hide(item, other));
        }
        (Json::Object(members), Json::Object(others)) if members.keys().eq(others.keys()) => {
            members.values_mut().zip(others.values()).for_each(|(member, other)| hide(member, other));
        }
        (value, other) if *value == *other => {}
        _ => *value = Json::from(SENSITIVE),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_the_same_is_left() {
        let mut value = json!({"a": [1, {"b": "secret", "c": null}], "d": ["x"], "e": "same"});
        hide(&mut value, &json!({"a": [1, {"b": "x", "c": null}], "d": [], "e": "same"}));
        assert_eq!(value, json!({"a": [1, {"b": SENSITIVE, "c": null}], "d": SENSITIVE, "e": "same"}));
        assert_eq!(same_lines("a\nsecret\nc\n", "a\nx\nc\n"), format!("a\n{SENSITIVE}\nc\n"));
        // What stands in other places is not the same, as it may be the place that tells.
        assert_eq!(same_lines("a\nb", "x\na\nb"), format!("{SENSITIVE}\n{SENSITIVE}"));
    }
}
