//! Secrets that providers receive, and may repeat in their messages.

use std::fmt;

use objchange::change::Diagnostic;
use objchange::schema::Block;
use objchange::value::Descend;
use objchange::{Type, Value};
use objchange_text::redact::{Redactor, Secrets};

/// Sensitive values of the objects that providers received or returned, by marks and schemas.
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

    /// Whether a part of an object is sensitive and has a value.
    pub(crate) fn are_in(schema: &Block, object: &Value) -> bool {
        let mut found = false;
        schema.mark_hidden(object).visit(|_, part| {
            found = found || part.is_marked() && part.is_known() && !part.is_null();
            if found || !part.contains_marked() { Descend::Over } else { Descend::Into }
        });
        found
    }

    fn learn_texts(&mut self, declared: &Type, value: &Value) {
        if value.contains_marked() {
            self.redactor = None;
            value.visit_marked_texts(declared, &mut |text| self.secrets.add(text));
        }
    }

    /// A text without secrets.
    pub(crate) fn hide_text(&mut self, text: String) -> String {
        if self.secrets.is_empty() {
            return text;
        }
        self.redactor.get_or_insert_with(|| self.secrets.redactor()).redact(&text).into_owned()
    }

    /// Hides secrets in the diagnostics of a provider.
    pub(crate) fn hide(&mut self, found: Vec<Diagnostic>) -> Vec<Diagnostic> {
        let hide = |mut diagnostic: Diagnostic| {
            diagnostic.summary = self.hide_text(diagnostic.summary);
            diagnostic.detail = self.hide_text(diagnostic.detail);
            diagnostic
        };
        found.into_iter().map(hide).collect()
    }
}
