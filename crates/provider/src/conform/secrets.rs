//! Keeping what is secret out of what a provider says.

use std::collections::BTreeSet;
use std::fmt::Write;

use objchange::Value;
use objchange::change::Diagnostic;
use objchange::internal::quote_into;
use objchange::schema::Block;
use objchange::value::{Descend, Kind};

const HIDDEN: &str = "(sensitive value)";

/// A text with more secrets than these is not searched for each of them.
const MOST: usize = 512;

/// Shorter secrets are hidden only where they stand alone: they are parts of too many words.
const SHORT: usize = 4;

/// The texts of what is sensitive or write-only. A provider may put them into what it says.
#[derive(Clone, Default)]
pub(super) struct Secrets(BTreeSet<String>);

impl Secrets {
    /// Learns what of an object is secret.
    pub(super) fn learn(&mut self, block: &Block, object: &Value) {
        block.mark_hidden(object).visit(|_, part| {
            if part.is_marked() {
                self.learn_all(&part.unmark_deep().0);
                return Descend::Over;
            }
            if part.contains_marked() { Descend::Into } else { Descend::Over }
        });
    }

    fn learn_all(&mut self, secret: &Value) {
        secret.visit(|_, part| {
            match part.kind() {
                Kind::String(text) => self.add(text),
                Kind::Number(number) => self.add(&number.to_string()),
                Kind::Map(map) => map.iter().for_each(|(key, _)| self.add(key)),
                Kind::Object(object) => object.iter().for_each(|(name, _)| self.add(name)),
                Kind::Unknown(refinements) => {
                    self.add(refinements.string_prefix.as_deref().unwrap_or_default());
                }
                _ => {}
            }
            Descend::Into
        });
    }

    fn add(&mut self, text: &str) {
        if text.is_empty() || self.0.len() > MOST {
            return;
        }
        self.0.insert(text.to_owned());
        // A provider may quote it, or say only one line of it.
        let mut quoted = String::new();
        quote_into(text, &mut quoted);
        self.0.insert(quoted.trim_matches('"').to_owned());
        self.0.extend(text.lines().filter(|line| line.len() >= SHORT).map(str::to_owned));
    }

    /// The text with the secrets hidden. Those that are short are taken for secrets only where they stand alone.
    pub(super) fn hide(&self, text: &str) -> String {
        if self.0.len() > MOST {
            return HIDDEN.to_owned();
        }
        let mut secrets: Vec<&String> = self.0.iter().collect();
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        secrets.into_iter().fold(text.to_owned(), |text, secret| hide_one(text, secret, secret.len() < SHORT))
    }

    /// The same for what was made of the objects by rules that know what is sensitive: a secret may have come out elsewhere.
    pub(super) fn hide_long(&self, text: String) -> String {
        let long = self.0.iter().filter(|secret| secret.len() >= SHORT);
        long.fold(text, |text, secret| hide_one(text, secret, false))
    }

    pub(super) fn hide_in(&self, block: &Block, diagnostic: &Diagnostic) -> Diagnostic {
        let mut hidden = diagnostic.clone();
        hidden.summary = self.hide(&diagnostic.summary);
        hidden.detail = self.hide(&diagnostic.detail);
        hidden.path = diagnostic.path.as_ref().map(|path| block.hide_keys(path));
        hidden
    }
}

fn hide_one(text: String, secret: &str, only_alone: bool) -> String {
    if !text.contains(secret) {
        return text;
    }
    let (mut out, mut rest, mut before) = (String::with_capacity(text.len()), text.as_str(), None);
    while let Some(at) = rest.find(secret) {
        let (head, tail) = (&rest[..at], &rest[at + secret.len()..]);
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_part = is_word(head.chars().next_back().or(before)) || is_word(tail.chars().next());
        let shown = if only_alone && is_part { secret } else { HIDDEN };
        // Writing to a string cannot fail.
        let _ = write!(out, "{head}{shown}");
        (rest, before) = (tail, secret.chars().next_back());
    }
    out.push_str(rest);
    out
}
