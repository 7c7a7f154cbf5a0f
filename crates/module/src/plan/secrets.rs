//! Secrets that providers are told, and may repeat in what they say.

use std::fmt;

use objchange::change::Diagnostic;
use objchange::schema::Block;
use objchange::{Type, Value};
use objchange_text::redact::{Redactor, Secrets};

/// What is sensitive of the objects that providers were told or have read: by their marks, or by their schemas.
#[derive(Default)]
pub(crate) struct ToldSecrets {
    secrets: Secrets,
    /// Made of the secrets when it is needed.
    redactor: Option<Redactor>,
}

impl fmt::Debug for ToldSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToldSecrets").finish_non_exhaustive()
    }
}

impl ToldSecrets {
    /// Remembers what of an object is sensitive.
    pub(crate) fn learn(&mut self, schema: &Block, object: &Value) {
        self.learn_texts(schema.implied_type(), &schema.mark_hidden(object));
    }

    /// Remembers what of a value is marked.
    pub(crate) fn learn_marked(&mut self, value: &Value) {
        self.learn_texts(value.ty(), value);
    }

    fn learn_texts(&mut self, declared: &Type, value: &Value) {
        if value.contains_marked() {
            self.redactor = None;
            value.visit_marked_texts(declared, &mut |text| self.secrets.add(text));
        }
    }

    /// What a provider says, without secrets.
    pub(crate) fn cover(&mut self, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
        if found.is_empty() || self.secrets.is_empty() {
            return found;
        }
        let redactor = self.redactor.get_or_insert_with(|| self.secrets.redactor());
        let cover = |mut diagnostic: Diagnostic| {
            diagnostic.summary = redactor.redact(&diagnostic.summary).into_owned();
            diagnostic.detail = redactor.redact(&diagnostic.detail).into_owned();
            diagnostic
        };
        found.into_iter().map(cover).collect()
    }
}
