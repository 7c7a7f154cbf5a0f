//! Secrets in a hints file.

use objchange::Value;
use objchange::value::{Descend, Kind};
use objchange_provider::Schemas;

use super::Hints;
use super::check::each_attribute;
use super::hinted_value::HintedValue;
use crate::schemas::CHECKED_COMPONENTS;

impl Hints {
    /// All marked values in the file. A text with placeholders such as `{seq}` is split into the parts
    /// around them.
    pub fn secrets(&self) -> Vec<Value> {
        let values = self.values.iter().chain(self.types.iter().flat_map(|entry| &entry.values));
        let given = values.flat_map(|(_, given)| given.values());
        let updates = self.types.iter().flat_map(|entry| &entry.update).map(|(_, value)| value);
        let mut secrets = Vec::new();
        for value in self.provider.iter().chain(given).chain(updates) {
            value.visit(|_, part| {
                if part.is_marked() {
                    secrets.push(part.clone());
                    parts(part, &mut secrets);
                }
                if part.is_marked() { Descend::Over } else { Descend::Into }
            });
        }
        secrets
    }
}

impl Hints {
    /// All texts in the file. They are inputs, which a model must not hold.
    pub(crate) fn texts(&self) -> HintTexts {
        let values = self.values.iter().chain(self.types.iter().flat_map(|entry| &entry.values));
        let given = values.flat_map(|(_, given)| given.values());
        let updates = self.types.iter().flat_map(|entry| &entry.update).map(|(_, value)| value);
        let mut texts = Vec::new();
        for value in self.provider.iter().chain(given).chain(updates) {
            value.unmark_deep().0.visit(|_, part| {
                if let Kind::String(text) = part.kind() {
                    texts.extend(Some(text.to_string()).filter(|text| !text.is_empty()));
                }
                Descend::Into
            });
        }
        HintTexts(texts)
    }

    /// All values in the file for attributes that schemas call sensitive or write-only, each marked.
    pub fn secrets_by(&self, schemas: &Schemas) -> Vec<Value> {
        let mut secrets = Vec::new();
        let mut keep = |value: &Value| {
            let secret = value.unmark_deep().0.sensitive();
            parts(&secret, &mut secrets);
            secrets.push(secret);
        };
        for component in CHECKED_COMPONENTS {
            for (name, schema) in schemas.named(component) {
                let updates: Vec<_> = self.about(component, name).flat_map(|entry| &entry.update).collect();
                each_attribute(&schema.block, &mut String::new(), &mut |path, _, is_hidden| {
                    if is_hidden {
                        let given =
                            self.hinted(component, name, path).into_iter().flat_map(HintedValue::values);
                        let updates =
                            updates.iter().filter(|(updated, _)| updated == path).map(|(_, value)| value);
                        given.chain(updates).for_each(&mut keep);
                    }
                });
            }
        }
        secrets
    }
}

/// The texts in a hints file.
#[derive(Clone)]
pub(crate) struct HintTexts(Vec<String>);

impl HintTexts {
    /// Whether one of them is in a text. Those of fewer than four characters are part of many words, and must be a word.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let is_word = |word: &str| {
            let borders_on_letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            text.match_indices(word).any(|(at, _)| {
                let (before, after) = (&text[..at], &text[at + word.len()..]);
                !borders_on_letter(before.chars().next_back()) && !borders_on_letter(after.chars().next())
            })
        };
        self.0.iter().any(|own| if own.chars().count() < 4 { is_word(own) } else { text.contains(own) })
    }
}

/// The parts of a text around its placeholders.
fn parts(secret: &Value, parts: &mut Vec<Value>) {
    secret.unmark_deep().0.visit(|_, part| {
        if let Kind::String(text) = part.kind() {
            let split = text.split(['{', '}']).filter(|part| !part.is_empty() && *part != text);
            let split = split.filter(|part| !matches!(*part, "seq" | "seed"));
            parts.extend(split.map(|part| Value::from(part).sensitive()));
        }
        Descend::Into
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_texts_are_found_as_words() {
        let hints = Hints::parse(br#"{"provider": {"token": "t0k", "host": "local"}}"#).unwrap();
        for (text, is_in) in [
            ("t0k", true),
            ("https://t0k@host", true),
            ("at0ken", false),
            ("is-localhost", true),
            ("", false),
        ] {
            assert_eq!(hints.texts().is_in(text), is_in, "{text}");
        }
    }

    #[test]
    fn secrets_and_their_parts() {
        let hints = Hints::parse(
            br#"{"provider": {"host": "h", "token": {"$sensitive": "t0k"}},
                "values": {"key": {"$sensitive": "abc-{seq}-def"}, "name": "n-{seq}"}}"#,
        );
        let secrets = hints.unwrap().secrets();
        let secrets: Vec<_> = secrets.iter().map(|secret| secret.unmark_deep().0).collect();
        assert_eq!(secrets, ["t0k", "abc-{seq}-def", "abc-", "-def"].map(Value::from));
    }
}
