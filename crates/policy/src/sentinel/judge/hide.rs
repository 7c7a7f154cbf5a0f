//! Hides the output of a policy that depends on secrets.
//!
//! Whether something holds is shown: a verdict that is about a secret is one that people asked for. Texts, numbers and
//! collections are shown where all of them are the same with other values in place of the secrets. If one differs none is
//! shown: which of them are the same could spell a secret, guess by guess.

use objchange_text::redact::SENSITIVE;
use serde_json::Value as Json;

use super::super::Imports;
use super::{Judged, Judgement};

impl Judged {
    /// Hides what may be made from secrets, as the answers of the same policy tell that has seen other values.
    pub(super) fn hide_secrets(&mut self, others: &[Judged], imports: &Imports) {
        if others.iter().all(|other| self.texts().eq(other.texts())) {
            return;
        }
        if !self.print.is_empty() {
            self.print = format!("{SENSITIVE}\n");
        }
        if let Some(error) = &mut self.error {
            SENSITIVE.clone_into(&mut error.message);
        }
        for Judgement { rule, witnesses, .. } in &mut self.rules {
            hide(&mut rule.value);
            witnesses.hide(imports);
        }
        self.main.iter_mut().for_each(hide);
        self.witnesses.hide(imports);
    }

    /// All that is shown and not only whether something holds.
    fn texts(&self) -> impl Iterator<Item = (u32, Json)> {
        let message = self.error.iter().map(|error| (0, Json::from(error.message.as_str())));
        let rules = self.rules.iter().map(|judgement| (judgement.rule.line, &judgement.rule.value));
        let values = rules.chain(self.main.iter().map(|main| (0, main))).filter(|(_, value)| !is_open(value));
        let values = values.map(|(line, value)| (line, value.clone()));
        let witnesses = self.rules.iter().map(|judgement| &judgement.witnesses).chain([&self.witnesses]);
        let witnesses = witnesses.map(|seen| (0, serde_json::to_value(seen).unwrap_or_default()));
        [(0, Json::from(self.print.as_str()))].into_iter().chain(message).chain(values).chain(witnesses)
    }
}

fn is_open(value: &Json) -> bool {
    // Undefined is an object in JSON, like one that a policy may make itself.
    matches!(value, Json::Bool(_) | Json::Null)
}

fn hide(value: &mut Json) {
    if !is_open(value) {
        *value = Json::from(SENSITIVE);
    }
}
