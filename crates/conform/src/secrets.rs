//! Keeps secrets out of the messages of a provider.

use std::collections::HashSet;

use objchange::change::{Diagnostic, ProviderSecrets};
use objchange::schema::Block;
use objchange::value::{Descend, Kind, Path, PathStep};
use objchange::{Type, Value};
use objchange_text::redact::SHORT;

use super::Finding;
use super::finding::shortened;

/// The author of a configuration.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Origin {
    /// People: values of sensitive attributes are secret.
    #[default]
    People,
    /// The generator: only values that hints call secret, which are marked, are secret. Generated values of
    /// sensitive attributes are shown, because a finding cannot be reproduced without them.
    Generated,
}

/// The author of a configuration, and secrets of earlier ones. A provider may repeat an earlier
/// configuration's secret, and a shorter secret may be a part of it.
#[derive(Clone, Default)]
pub(super) struct Provenance {
    pub(super) origin: Origin,
    pub(super) secrets: Secrets,
}

/// The secrets of a provider, without generated values.
#[derive(Clone, Default)]
pub(super) struct Secrets {
    texts: ProviderSecrets,
    /// Generated texts, which are not secret even in sensitive attributes.
    ours: HashSet<String>,
}

impl Secrets {
    /// Registers the secrets of a configuration.
    pub(super) fn learn_config(&mut self, block: &Block, config: &Value, origin: Origin) {
        match origin {
            Origin::People => self.learn(block, config),
            Origin::Generated => {
                self.learn_texts(block.implied_type(), config);
                unmarked_texts(config, &mut self.ours);
            }
        }
    }

    /// Registers the secrets of an answer: all sensitive values by the schema, without generated ones.
    pub(super) fn learn(&mut self, block: &Block, object: &Value) {
        self.learn_texts(block.implied_type(), &block.mark_hidden(object));
    }

    /// Registers the marked parts of a value without a declared type.
    pub(super) fn learn_marked(&mut self, value: &Value) {
        self.learn_texts(&Type::Dynamic, value);
    }

    fn learn_texts(&mut self, declared: &Type, value: &Value) {
        self.texts.learn_where(declared, value, &|text| !self.ours.contains(text));
    }

    /// Finds secrets also where a part of them was hidden before they were known.
    pub(super) fn add_partly_hidden(&mut self) {
        self.texts.add_partly_hidden();
    }

    /// The text with the secrets hidden.
    pub(super) fn hide(&self, text: &str) -> String {
        self.texts.hide(text).into_owned()
    }

    /// Whether a text that is not a sentence, such as a value or a key, holds a secret.
    pub(super) fn finds(&self, text: &str) -> bool {
        self.texts.finds(text)
    }

    /// The value with marks on the parts that hold a secret.
    pub(super) fn mark_in(&self, value: &Value) -> Value {
        self.texts.mark_in(value)
    }

    pub(super) fn hide_in(&self, block: &Block, diagnostic: &Diagnostic) -> Diagnostic {
        let mut hidden = self.texts.hide_in(diagnostic.clone());
        hidden.summary = shortened(&hidden.summary);
        hidden.detail = shortened(&hidden.detail);
        hidden.path = hidden.path.map(|path| block.hide_keys(&path));
        hidden
    }

    /// Hides secrets in a finding, whose texts may quote the provider.
    pub(super) fn hide_in_finding(&self, finding: Finding) -> Finding {
        let path = self.hide_path(&finding.path);
        Finding { path, ..finding.map_texts(|text| shortened(&self.hide(&text))) }
    }

    /// The path up to the first key or name that is secret.
    pub(super) fn hide_path(&self, path: &Path) -> Path {
        let is_shown = |step: &&PathStep| match step {
            PathStep::Attribute(name) => !self.finds(name),
            PathStep::Index(key) => !key.is_marked() && !key.as_str().is_some_and(|key| self.finds(key)),
        };
        path.steps().iter().take_while(is_shown).cloned().collect()
    }

    /// Whether a text in a line of JSON holds a secret.
    pub(super) fn finds_in_json(&self, line: &str) -> bool {
        fn any(json: &serde_json::Value, finds: &dyn Fn(&str) -> bool) -> bool {
            match json {
                serde_json::Value::String(text) => finds(text),
                serde_json::Value::Array(all) => all.iter().any(|one| any(one, finds)),
                serde_json::Value::Object(all) => {
                    all.iter().any(|(name, one)| finds(name) || any(one, finds))
                }
                serde_json::Value::Number(number) => {
                    let text = number.to_string();
                    // A short number, such as 0 or a port, equals a secret only by chance.
                    text.len() >= SHORT && finds(&text)
                }
                _ => false,
            }
        }
        // A line that cannot be read counts as one with a secret.
        let json = serde_json::from_str(line);
        !self.texts.is_empty() && json.map_or(true, |json| any(&json, &|text| self.finds(text)))
    }
}

/// A configuration that people have changed, with marks on the values that the schema hides and that the one before
/// lacks.
pub(super) fn mark_given(block: &Block, changed: &Value, before: &Value) -> Value {
    let mut ours = HashSet::new();
    unmarked_texts(before, &mut ours);
    let is_ours = |part: &Value| match part.kind() {
        Kind::String(text) => ours.contains(text),
        Kind::Number(number) => ours.contains(&number.to_string()),
        _ => true,
    };
    let marked = block.mark_hidden(changed).transform(|path, part| {
        let was_marked = || changed.at(&path.to_path()).is_some_and(Value::is_marked);
        Ok::<_, std::convert::Infallible>(if part.is_marked() && is_ours(part.unmarked()) && !was_marked() {
            part.unmark().0
        } else {
            part
        })
    });
    marked.unwrap_or_else(|never| match never {})
}

/// The texts of a value that are not marked.
pub(super) fn unmarked_texts(value: &Value, texts: &mut HashSet<String>) {
    value.visit(|_, part| {
        if part.is_marked() {
            return Descend::Over;
        }
        match part.kind() {
            Kind::String(text) => drop(texts.insert(text.to_owned())),
            Kind::Number(number) => drop(texts.insert(number.to_string())),
            Kind::Map(map) => texts.extend(map.iter().map(|(key, _)| key.to_string())),
            Kind::Object(object) => texts.extend(object.iter().map(|(name, _)| name.to_string())),
            _ => {}
        }
        Descend::Into
    });
}

/// The diagnostic without the marked texts of a value, which a provider may quote.
///
/// ```
/// use objchange::Value;
/// use objchange::change::{Diagnostic, Severity};
/// use objchange_conform::without_secrets;
///
/// let config = Value::object([("token", Value::from("s3cr3t").sensitive())]);
/// let said = Diagnostic::error(r#"token "s3cr3t" is too short"#);
/// assert_eq!(without_secrets(&said, &config).summary, r#"token "(sensitive value)" is too short"#);
/// ```
pub fn without_secrets(diagnostic: &Diagnostic, value: &Value) -> Diagnostic {
    let mut secrets = ProviderSecrets::default();
    secrets.learn_marked(value);
    secrets.hide_in(diagnostic.clone())
}
