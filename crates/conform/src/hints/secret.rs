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
    /// All texts of at least four bytes in the file. They are inputs, which a model must not hold.
    pub(crate) fn texts(&self) -> Vec<String> {
        let values = self.values.iter().chain(self.types.iter().flat_map(|entry| &entry.values));
        let given = values.flat_map(|(_, given)| given.values());
        let updates = self.types.iter().flat_map(|entry| &entry.update).map(|(_, value)| value);
        let mut texts = Vec::new();
        for value in self.provider.iter().chain(given).chain(updates) {
            value.unmark_deep().0.visit(|_, part| {
                if let Kind::String(text) = part.kind() {
                    // Shorter texts are part of many words, whose constants would be lost.
                    texts.extend(Some(text.to_string()).filter(|text| text.len() >= 4));
                }
                Descend::Into
            });
        }
        texts
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
