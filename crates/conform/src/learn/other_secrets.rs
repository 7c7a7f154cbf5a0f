//! Replaces the secrets in the hints by others: an answer that changes with them contains a secret.

use std::convert::Infallible;

use objchange::Value;
use objchange::value::{Descend, Kind};
use objchange_provider::{Component, Schemas};

use super::Prepared;
use crate::Hints;

/// The least length, in characters, of a secret that is replaced inside other texts. Shorter ones are part of many words.
const MIN_PART: usize = 4;

/// The replacement of each secret.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct OtherSecrets {
    /// The longest first, because a secret may be a part of another one.
    texts: Vec<(String, String)>,
    numbers: Vec<(Value, Value)>,
}

/// The provider configurations with other secrets, best first: secrets of another length, then of equal length, which some
/// providers insist on. Empty if there are no secrets.
pub(super) fn other_settings(hints: &Hints, schemas: &Schemas, config: &Value) -> Vec<Prepared> {
    let mut secrets = hints.secrets();
    secrets.extend(hints.secrets_by(schemas));
    let (config, marked) = match schemas.block(Component::Provider, "") {
        Some(block) => (config.unmark_deep().0, block.mark_hidden(config)),
        None => (config.unmark_deep().0, config.clone()),
    };
    marked.visit(|_, part| {
        if part.is_marked() {
            secrets.push(part.clone());
            return Descend::Over;
        }
        Descend::Into
    });
    let with_length = |ending: &str| {
        let others = OtherSecrets::new(&secrets, ending);
        let config = others.replaced(&config);
        Prepared { config, others }
    };
    let mut settings = vec![with_length("x1"), with_length("")];
    settings.dedup();
    settings.retain(|settings| settings.others != OtherSecrets::default());
    settings
}

impl OtherSecrets {
    fn new(secrets: &[Value], ending: &str) -> Self {
        let mut others = Self::default();
        let mut add = |text: &str| {
            if !text.is_empty() && !others.texts.iter().any(|(known, _)| known == text) {
                others.texts.push((text.to_owned(), other_text(text, ending)));
            }
        };
        for secret in secrets {
            secret.unmark_deep().0.visit(|_, part| {
                match part.kind() {
                    Kind::String(text) => add(text),
                    Kind::Map(map) => map.iter().for_each(|(key, _)| add(key)),
                    Kind::Number(number) => {
                        let other = number.as_i64().and_then(|number| number.checked_add(1)).map(Value::from);
                        others.numbers.extend(other.map(|other| (part.clone(), other)));
                    }
                    _ => {}
                }
                Descend::Into
            });
        }
        others.texts.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        others
    }

    /// The value with each secret replaced.
    pub(super) fn replaced(&self, value: &Value) -> Value {
        let Ok(replaced) = value.transform(|_, part| {
            Ok::<_, Infallible>(match part.kind() {
                Kind::String(text) => Value::from(self.replaced_text(text)),
                Kind::Number(_) => {
                    let other = self.numbers.iter().find(|(number, _)| *number == part);
                    other.map_or(part.clone(), |(_, other)| other.clone())
                }
                Kind::Map(map) => {
                    let members = map.iter().map(|(key, value)| (self.replaced_text(key), value.clone()));
                    let element = part.ty().element().cloned().unwrap_or(objchange::Type::Dynamic);
                    Value::map(element, members).unwrap_or_else(|_| part.clone())
                }
                _ => part,
            })
        });
        replaced
    }

    fn replaced_text(&self, text: &str) -> String {
        if let Some((_, other)) = self.texts.iter().find(|(secret, _)| secret == text) {
            return other.clone();
        }
        let long = self.texts.iter().filter(|(secret, _)| secret.chars().count() >= MIN_PART);
        long.fold(text.to_owned(), |text, (secret, other)| text.replace(secret.as_str(), other))
    }
}

/// Another text of the same form: each letter and digit becomes the next one.
fn other_text(text: &str, ending: &str) -> String {
    let next = |c: char| match c {
        'z' => 'a',
        'Z' => 'A',
        '9' => '0',
        'a'..='y' | 'A'..='Y' | '0'..='8' => char::from(c as u8 + 1),
        c => c,
    };
    let other: String = text.chars().map(next).collect();
    // A text without letters and digits would stay the same.
    let ending = if other == text { "x1" } else { ending };
    format!("{other}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_become_others_of_the_same_form() {
        let secrets = [Value::from("s3cret-Z9").sensitive(), Value::from("ab").sensitive()];
        let others = OtherSecrets::new(&secrets, "");
        for (text, other) in [
            ("s3cret-Z9", "t4dsfu-A0"),
            ("https://s3cret-Z9@host", "https://t4dsfu-A0@host"),
            ("ab", "bc"),
            // Short secrets are part of many words.
            ("table", "table"),
        ] {
            assert_eq!(others.replaced(&Value::from(text)), Value::from(other));
        }
        let longer = OtherSecrets::new(&[Value::from("---").sensitive(), Value::from(7).sensitive()], "x1");
        assert_eq!(longer.replaced(&Value::from("---")), Value::from("---x1"));
        assert_eq!(longer.replaced(&Value::from(7)), Value::from(8));
    }
}
