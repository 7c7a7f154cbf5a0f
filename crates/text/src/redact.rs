//! Hides secrets in text from other programs.
//!
//! A provider, a policy or an error may repeat a secret anywhere in its messages. [`Secrets`] learns the
//! secrets, and finds all of them in one pass.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::OnceLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::json::write_string;
use crate::quote::quote_into;

/// The text that replaces a secret.
pub const SENSITIVE: &str = "(sensitive value)";

/// A secret of fewer bytes is hidden only as a word of its own, because it is part of too many others.
pub const SHORT: usize = 4;

/// The maximum number of secrets. With more, every text is hidden as a whole.
const MAX_SECRETS: usize = 20_000;

/// The maximum number of shorter secrets that are replaced within one secret.
const MAX_WITHIN: usize = 16;

/// The maximum size of all secrets. Above it, every text is hidden as a whole.
const MAX_BYTES: usize = 4 << 20;

/// The secrets that must not appear in text.
///
/// ```
/// use objchange_text::redact::Secrets;
///
/// let mut secrets = Secrets::default();
/// secrets.add("pass");
/// secrets.add("password123");
/// assert_eq!(secrets.redact("login with password123 failed"), "login with (sensitive value) failed");
/// ```
#[derive(Clone, Default)]
pub struct Secrets {
    texts: BTreeSet<String>,
    bytes: usize,
    /// Finds the texts; built on first use.
    redactor: OnceLock<Redactor>,
}

impl Secrets {
    /// Adds a secret, its quoted forms, and each of its lines.
    ///
    /// An empty text is not a secret.
    pub fn add(&mut self, secret: &str) {
        // Every text is hidden already, so further secrets would only take memory.
        if self.is_too_many() {
            return;
        }
        self.insert(secret.to_owned());
        // Programs print secrets as Go's `%q` and as JSON do, sometimes both, and often one line of several.
        let mut forms = vec![secret.to_owned()];
        for _ in 0..2 {
            let quoted = forms.iter().flat_map(|form| [go_escaped(form), json_escaped(form)]);
            forms = quoted.filter(|form| form != secret).collect::<BTreeSet<_>>().into_iter().collect();
            forms.iter().for_each(|form| self.insert(form.clone()));
        }
        // Short lines, such as a closing brace, are part of too much other text.
        let lines = secret.lines().map(str::trim).filter(|line| line.len() >= SHORT);
        lines.for_each(|line| self.insert(line.to_owned()));
    }

    fn insert(&mut self, text: String) {
        if !text.is_empty() && !self.is_too_many() {
            let bytes = text.len();
            if self.texts.insert(text) {
                self.bytes += bytes;
                self.redactor = OnceLock::new();
            }
        }
    }

    /// Adds all secrets of others.
    pub fn extend(&mut self, others: &Secrets) {
        for text in &others.texts {
            self.insert(text.clone());
        }
    }

    /// Adds each secret in the form that it has in a text where shorter secrets within it are hidden already.
    ///
    /// ```
    /// use objchange_text::redact::Secrets;
    ///
    /// let mut secrets = Secrets::default();
    /// secrets.add("pass");
    /// let early = secrets.redact("login with pass-9312").into_owned();
    /// assert_eq!(early, "login with (sensitive value)-9312");
    ///
    /// secrets.add("pass-9312");
    /// secrets.add_partly_hidden();
    /// assert_eq!(secrets.redact(&early), "login with (sensitive value)");
    /// ```
    pub fn add_partly_hidden(&mut self) {
        let Redactor(Search::For(search)) = self.redactor().clone() else { return };
        for text in self.texts.clone() {
            let within = search.find_overlapping_iter(&text).map(|found| (found.start(), found.end()));
            let within: Vec<_> = within
                .filter(|(start, end)| end - start < text.len() && is_hidden(&text, *start, *end))
                .take(MAX_WITHIN)
                .collect();
            let forms = within.iter().map(|one| hide(&text, &[*one]));
            let all = hide(&text, &joined(within.iter().copied()));
            for form in forms.chain([all]).filter(|form| form != SENSITIVE && *form != text) {
                // Without room for these forms, the secrets themselves are still searched for.
                if self.texts.len() < MAX_SECRETS && self.bytes + form.len() < MAX_BYTES {
                    self.insert(form);
                }
            }
        }
    }

    /// Whether there are no secrets.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Whether a text is one of the secrets, whole.
    pub fn contains(&self, text: &str) -> bool {
        self.is_too_many() || self.texts.contains(text)
    }

    fn is_too_many(&self) -> bool {
        self.texts.len() > MAX_SECRETS || self.bytes > MAX_BYTES
    }

    /// The text with [`SENSITIVE`] in place of each secret. With too many secrets to search for, the whole text
    /// is hidden.
    ///
    /// Secrets that overlap or touch are hidden together, so that no rest of one remains. A secret of fewer
    /// than [`SHORT`] bytes is hidden only where no letter or digit is next to it.
    ///
    /// ```
    /// use objchange_text::redact::Secrets;
    ///
    /// let mut secrets = Secrets::default();
    /// ["abcd", "cdef", "12"].into_iter().for_each(|secret| secrets.add(secret));
    /// assert_eq!(secrets.redact("xabcdefx 12 123"), "x(sensitive value)x (sensitive value) 123");
    /// ```
    pub fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.redactor().redact(text)
    }

    /// Whether a text holds a secret.
    pub fn finds(&self, text: &str) -> bool {
        self.redactor().finds(text)
    }

    fn redactor(&self) -> &Redactor {
        self.redactor.get_or_init(|| self.new_redactor())
    }

    fn new_redactor(&self) -> Redactor {
        if self.texts.is_empty() {
            return Redactor(Search::Nothing);
        }
        if self.is_too_many() {
            return Redactor(Search::HideAll);
        }
        // Secrets may overlap, and only this kind of search reports overlapping matches.
        let found = AhoCorasick::builder().match_kind(MatchKind::Standard).build(&self.texts);
        // Without a search no secret is found, so nothing may be shown.
        Redactor(found.map_or(Search::HideAll, Search::For))
    }
}

/// The text as Go's `%q` escapes it, without its quotes.
fn go_escaped(text: &str) -> String {
    let mut quoted = String::new();
    quote_into(text, &mut quoted);
    quoted[1..quoted.len() - 1].to_owned()
}

/// The text as JSON escapes it, without its quotes.
fn json_escaped(text: &str) -> String {
    let mut quoted = String::new();
    write_string(text, &mut quoted);
    quoted[1..quoted.len() - 1].to_owned()
}

/// Shows the number of texts, never their content.
impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets").field("texts", &self.texts.len()).finish()
    }
}

/// Searches texts for the secrets.
#[derive(Clone)]
struct Redactor(Search);

#[derive(Clone)]
enum Search {
    Nothing,
    For(AhoCorasick),
    HideAll,
}

impl Redactor {
    fn redact<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let search = match &self.0 {
            Search::Nothing => return Cow::Borrowed(text),
            Search::HideAll if text.is_empty() => return Cow::Borrowed(text),
            Search::HideAll => return Cow::Borrowed(SENSITIVE),
            Search::For(search) => search,
        };
        let found = search.find_overlapping_iter(text).map(|found| (found.start(), found.end()));
        let hidden = joined(found.filter(|(start, end)| is_hidden(text, *start, *end)));
        if hidden.is_empty() { Cow::Borrowed(text) } else { Cow::Owned(hide(text, &hidden)) }
    }

    fn finds(&self, text: &str) -> bool {
        matches!(self.redact(text), Cow::Owned(_)) || matches!(self.0, Search::HideAll) && !text.is_empty()
    }
}

/// Joins ranges that overlap or touch. They come in the order of their ends.
fn joined(found: impl Iterator<Item = (usize, usize)>) -> Vec<(usize, usize)> {
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for (mut start, end) in found {
        // A match may begin before those found earlier.
        while let Some((from, _)) = joined.pop_if(|(_, before)| *before >= start) {
            start = start.min(from);
        }
        joined.push((start, end));
    }
    joined
}

/// The text with the marker in place of each of the ranges.
fn hide(text: &str, ranges: &[(usize, usize)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut shown_from = 0;
    for (start, end) in ranges {
        out.push_str(&text[shown_from..*start]);
        out.push_str(SENSITIVE);
        shown_from = *end;
    }
    out.push_str(&text[shown_from..]);
    out
}

/// Whether a match is hidden: it is long enough, or a word of its own.
fn is_hidden(text: &str, start: usize, end: usize) -> bool {
    end - start >= SHORT || stands_alone(text, start, end)
}

fn stands_alone(text: &str, start: usize, end: usize) -> bool {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !is_word(text[..start].chars().next_back()) && !is_word(text[end..].chars().next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn secrets<'s>(texts: impl IntoIterator<Item = &'s str>) -> Secrets {
        let mut secrets = Secrets::default();
        texts.into_iter().for_each(|text| secrets.add(text));
        secrets
    }

    #[test]
    fn quoted_secrets_and_their_lines_are_hidden() {
        let redactor = secrets(["line one\n\"two\"<3"]);
        for text in ["line one\n\"two\"<3", "line one\\n\\\"two\\\"<3", "line one\\n\\\"two\\\"\\u003c3"] {
            assert_eq!(redactor.redact(text), SENSITIVE);
        }
        assert_eq!(redactor.redact(r#"line one\\n\\\"two\\\"<3"#), SENSITIVE);
        assert_eq!(redactor.redact("it was `line one`"), "it was `(sensitive value)`");
    }

    #[test]
    fn too_many_secrets_hide_everything() {
        let many: Vec<String> = (0..=MAX_SECRETS).map(|i| format!("secret-{i}-")).collect();
        let many = secrets(many.iter().map(String::as_str));
        assert_eq!(many.redact("anything"), SENSITIVE);
        let long = "x".repeat(MAX_BYTES + 1);
        assert_eq!(secrets([long.as_str()]).redact("anything"), SENSITIVE);
        assert!(secrets([long.as_str()]).contains("anything"));
    }

    #[test]
    fn content_is_not_debugged() {
        let secrets = secrets(["hunter2"]);
        assert!(!format!("{secrets:?}").contains("hunter2"));
    }

    proptest! {
        /// No byte of an occurrence of a long secret is shown, wherever it is and whatever other secrets
        /// there are.
        #[test]
        fn no_part_of_a_secret_remains(
            texts in prop::collection::vec("[ab]{4,7}", 1..6),
            between in prop::collection::vec("[AB.]{0,3}", 1..12),
            picks in prop::collection::vec(any::<prop::sample::Index>(), 0..10),
        ) {
            let mut text = between[0].clone();
            for (pick, between) in picks.iter().zip(between.iter().skip(1)) {
                text.push_str(pick.get::<String>(&texts));
                text.push_str(between);
            }
            let shown = secrets(texts.iter().map(String::as_str)).redact(&text).replace(SENSITIVE, "");
            prop_assert!(!shown.contains(['a', 'b']), "{text} is shown as {shown}");
        }
    }
}
