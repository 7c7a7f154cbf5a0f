//! Secrets that a provider receives or answers with, and may repeat anywhere.

use std::borrow::Cow;

use objchange_text::redact::Secrets;

use super::Diagnostic;
use crate::schema::Block;
use crate::value::{Descend, Kind, Marks, Type, Value};

/// The secrets in the objects of a provider, to be hidden in its messages, log and answers.
///
/// ```
/// use objchange::Value;
/// use objchange::change::ProviderSecrets;
///
/// let mut secrets = ProviderSecrets::default();
/// secrets.learn_marked(&Value::object([("token", Value::from("s3cr3t").sensitive())]));
/// assert_eq!(secrets.hide(r#"token "s3cr3t" is too short"#), r#"token "(sensitive value)" is too short"#);
/// assert!(!format!("{secrets:?}").contains("s3cr3t"));
/// ```
#[derive(Debug, Clone, Default)]
pub struct ProviderSecrets(Secrets);

impl ProviderSecrets {
    /// Adds the sensitive parts of an object: those that are marked, and those that the schema hides.
    pub fn learn(&mut self, schema: &Block, object: &Value) {
        self.learn_where(schema.implied_type(), &schema.mark_hidden(object), &|_| true);
    }

    /// Adds the marked parts of a value of no declared type.
    pub fn learn_marked(&mut self, value: &Value) {
        self.learn_where(&Type::Dynamic, value, &|_| true);
    }

    /// Adds those texts in marked parts that are secrets. Names that the type does not declare are content.
    pub fn learn_where(&mut self, declared: &Type, value: &Value, is_secret: &dyn Fn(&str) -> bool) {
        value.visit_marked_texts(declared, &mut |text| {
            if is_secret(text) {
                self.0.add(text);
            }
        });
    }

    /// Finds secrets also where a part of them was hidden before they were known.
    pub fn add_partly_hidden(&mut self) {
        self.0.add_partly_hidden();
    }

    /// Whether there are no secrets.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A text with the secrets in it hidden.
    pub fn hide<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.0.redact(text)
    }

    /// A diagnostic with the secrets in its texts hidden.
    #[must_use]
    pub fn hide_in(&self, diagnostic: Diagnostic) -> Diagnostic {
        let [summary, detail] =
            [&diagnostic.summary, &diagnostic.detail].map(|text| self.hide(text).into_owned());
        Diagnostic { summary, detail, ..diagnostic }
    }

    /// Diagnostics with the secrets in their texts hidden.
    #[must_use]
    pub fn hide_all(&self, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        diagnostics.into_iter().map(|diagnostic| self.hide_in(diagnostic)).collect()
    }

    /// Whether a text, such as a value or a key, holds a secret.
    pub fn finds(&self, text: &str) -> bool {
        self.0.finds(text)
    }

    /// The value with those parts marked that hold a secret, wherever the provider has put it.
    #[must_use]
    pub fn mark_in(&self, value: &Value) -> Value {
        let mut found = Vec::new();
        if !self.is_empty() {
            value.visit(|path, part| {
                let holds = !part.is_marked()
                    && match part.kind() {
                        Kind::String(text) => self.finds(text),
                        Kind::Map(map) => map.iter().any(|(key, _)| self.finds(key)),
                        Kind::Object(object) => object.iter().any(|(name, _)| self.finds(name)),
                        _ => false,
                    };
                if holds {
                    found.push((path.to_path(), Marks::SENSITIVE));
                }
                if holds || part.is_marked() { Descend::Over } else { Descend::Into }
            });
        }
        value.mark_where_present(&found)
    }
}
