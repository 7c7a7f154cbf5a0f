//! What must not be shown, wherever a provider repeats it: in what it says, in its log.

use std::cell::RefCell;

use objchange::Value;
use objchange::schema::Block;
use objchange::value::Descend;

/// What stands in its place.
const COVER: &str = "(sensitive value)";

/// What is shorter says too little to be found in a text.
const MIN_LENGTH: usize = 3;

/// The texts of all secrets that were seen.
#[derive(Debug, Default)]
pub(super) struct Hidden(RefCell<Vec<String>>);

impl Hidden {
    /// Remembers what of an object is sensitive: by its marks, and by its schema.
    pub(super) fn learn(&self, schema: &Block, object: &Value) {
        self.learn_marked(&schema.mark_hidden(object));
    }

    /// Remembers what is marked.
    pub(super) fn learn_marked(&self, value: &Value) {
        let mut found = self.0.borrow_mut();
        value.visit(|_, part| {
            if !part.is_marked() {
                return if part.contains_marked() { Descend::Into } else { Descend::Over };
            }
            part.unmark_deep().0.visit(|path, leaf| {
                // Keys of a secret map are secret as well.
                let keys = path.to_path();
                let keys = keys.steps().iter().filter_map(|step| match step {
                    objchange::value::PathStep::Index(key) => key.as_str().map(str::to_owned),
                    objchange::value::PathStep::Attribute(_) => None,
                });
                let text = leaf.as_str().map(str::to_owned);
                let number = leaf.as_number().map(ToString::to_string).filter(|text| text.len() > MIN_LENGTH);
                let all: Vec<String> = keys.chain(text).chain(number).collect();
                // A log has it line by line.
                let lines = all.iter().flat_map(|text| text.lines()).map(|line| line.trim().to_owned());
                let lines: Vec<String> = lines.collect();
                found.extend(all.into_iter().chain(lines).filter(|text| text.len() >= MIN_LENGTH));
                Descend::Into
            });
            Descend::Over
        });
        // The longest first: one may be a part of another.
        found.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        found.dedup();
    }

    /// The text without them.
    pub(super) fn cover(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for secret in self.0.borrow().iter() {
            if text.contains(secret.as_str()) {
                text = text.replace(secret.as_str(), COVER);
            }
            // As a provider writes it in JSON, or in Go's syntax.
            let quoted = serde_json::Value::from(secret.as_str()).to_string();
            let quoted = &quoted[1..quoted.len() - 1];
            if quoted != secret && text.contains(quoted) {
                text = text.replace(quoted, COVER);
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_found_wherever_they_stand() {
        let hidden = Hidden::default();
        hidden.learn_marked(&Value::object([
            ("a", Value::from("hunter").sensitive()),
            ("b", Value::from("hunter2").sensitive()),
            ("c", Value::object([("d", Value::from("two\nlines")), ("e", Value::from(12345))]).sensitive()),
            ("f", Value::from("open")),
        ]));
        let covered = hidden.cover(r#"hunter, hunter2, two\nlines, 12345 and open"#);
        assert_eq!(covered, format!("{COVER}, {COVER}, {COVER}, {COVER} and open"));
    }
}
