//! Messages without pieces of source that must not be shown.

use std::borrow::Cow;

use objchange_text::redact::{SENSITIVE, SHORT};
use objchange_text::{Diagnostic, Span};

use super::HiddenSource;
use super::search::ROOTS;
use crate::sources::{FileSpan, Places, Sources};

/// The maximum distance from a place, in bytes, at which words of a message are looked for.
const AROUND: u32 = 4096;

impl HiddenSource {
    /// The diagnostic without quoted names and texts that are part of the hidden source at its place: `"abc" is not a valid
    /// template control keyword` may name a word of a password.
    ///
    /// ```
    /// use objchange_hcl::{HiddenSource, Sources, parse_body};
    ///
    /// let text = "variable \"pin\" {\n  sensitive = true\n  default = \"%{swordfish}\"\n}\n";
    /// let sources = Sources::from_text("main.tf", text).unwrap();
    /// let hidden = HiddenSource::new(&sources, |_, _| None, []);
    /// let error = parse_body(text).unwrap_err().remove(0);
    /// assert!(error.detail.starts_with("\"swordfish\" is not"));
    /// let error = hidden.mask(&sources.places(), error);
    /// assert!(error.detail.starts_with("(sensitive value) is not"));
    /// ```
    #[must_use]
    pub fn mask(&self, places: &Places<'_>, mut diagnostic: Diagnostic) -> Diagnostic {
        let Some(subject) = diagnostic.subject.filter(|_| !self.spans.is_empty()) else { return diagnostic };
        let Some(place) = places.find(subject) else { return diagnostic };
        let around = diagnostic.context.map_or(subject, |context| subject.to(context));
        let secrets = self.near(&place, subject, around);
        if secrets.hidden.is_empty() {
            return diagnostic;
        }
        for text in [&mut diagnostic.summary, &mut diagnostic.detail] {
            if let Some(masked) = secrets.mask(text) {
                *text = Cow::Owned(masked);
            }
        }
        for hint in &mut diagnostic.hints {
            if let Some(masked) = secrets.mask(hint) {
                *hint = masked;
            }
        }
        // A name with a key in it, such as `local.logins["admin"]`.
        for (name, _) in &mut diagnostic.values {
            if let Some(masked) = secrets.mask(name) {
                *name = masked;
            }
        }
        diagnostic
    }

    /// Masks a reference in a message: a secret whose quotes were forgotten looks like an undeclared name.
    ///
    /// ```
    /// use objchange_hcl::{HiddenSource, Sources};
    ///
    /// let text = "output \"o\" {\n  sensitive = true\n  value = swordfish\n}\n";
    /// let sources = Sources::from_text("main.tf", text).unwrap();
    /// let hidden = HiddenSource::new(&sources, |_, _| None, []);
    /// assert_eq!(hidden.reference(&sources, "swordfish"), "(sensitive value)");
    /// assert_eq!(hidden.reference(&sources, "var.fish"), "var.fish");
    /// ```
    pub fn reference<'n>(&self, sources: &Sources, name: &'n str) -> Cow<'n, str> {
        let root = name.split(['.', '[']).next().unwrap_or(name);
        let is_hidden = || {
            sources.files().iter().any(|file| {
                let parts = self.within(file.start, file.text.len() as u32).iter();
                let mut texts = parts.filter_map(|part| {
                    let part = Span::new(part.start.checked_sub(file.start)?, part.end - file.start);
                    file.text.get(part.range())
                });
                texts.any(|text| text.contains(root))
            })
        };
        match !ROOTS.contains(&root) && is_hidden() {
            true => Cow::Borrowed(SENSITIVE),
            false => Cow::Borrowed(name),
        }
    }

    /// Collects the hidden texts near a place: those on its lines, up to `AROUND` bytes away.
    fn near<'p>(&self, place: &FileSpan<'p>, subject: Span, around: Span) -> Near<'p> {
        let text = place.lines.text();
        let file_start = subject.start - place.span.start;
        let local = |byte: u32| byte.saturating_sub(file_start).min(text.len() as u32);
        let lines =
            place.lines.position(local(around.start)).line..=place.lines.position(local(around.end)).line;
        let from = place.lines.start(*lines.start()).max(local(around.start).saturating_sub(AROUND));
        let to = place.lines.start(*lines.end() + 1).min(local(subject.end).saturating_add(AROUND));
        let part = |span: &Span| {
            let (from, to) = (local(span.start).max(from), local(span.end).min(to));
            text.get(boundary(text, from)..boundary(text, to.max(from))).filter(|part| !part.is_empty())
        };
        let window = Span::new(file_start + from, file_start + to);
        let references = self.references.partition_point(|span| span.start < window.start);
        let references = self.references[references..].iter().take_while(|span| span.start < window.end);
        // Those beside it, too: an error may be at the end of a string.
        let touching = self.within(window.start.saturating_sub(1), window.end - window.start + 2);
        Near {
            hidden: touching.iter().filter_map(part).collect(),
            references: references.filter_map(part).collect(),
        }
    }
}

/// The nearest place between two characters, further back.
fn boundary(text: &str, byte: u32) -> usize {
    let byte = (byte as usize).min(text.len());
    (0..=byte).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Source texts around a place.
struct Near<'t> {
    hidden: Vec<&'t str>,
    /// Names in these that may be shown.
    references: Vec<&'t str>,
}

impl Near<'_> {
    /// A text of a message without hidden pieces in quotes, if there are any.
    fn mask(&self, text: &str) -> Option<String> {
        let mut masked = String::new();
        let mut rest = text;
        while let Some(open) = rest.find(['"', '`']) {
            let quote = &rest[open..=open];
            let inside = &rest[open + 1..];
            let end = closing(inside, quote);
            if self.has(&inside[..end]) {
                masked.push_str(&rest[..open]);
                masked.push_str(SENSITIVE);
            } else {
                masked.push_str(&rest[..(open + 1 + end + 1).min(rest.len())]);
            }
            rest = inside.get(end + 1..).unwrap_or_default();
        }
        masked.push_str(rest);
        // Functions repeat strings without quotes.
        for literal in self.literals() {
            masked = without(&masked, &literal);
        }
        (masked != text).then_some(masked)
    }

    /// The hidden strings that are long enough to be recognized in a sentence, the longest first.
    fn literals(&self) -> Vec<String> {
        let mut found = Vec::new();
        self.hidden.iter().for_each(|text| strings_in(text, &mut found));
        // A string of JSON may be an expression.
        for text in found.clone().iter().filter(|text| text.contains('"')) {
            strings_in(text, &mut found);
        }
        found.retain(|literal| literal.len() + 1 >= SHORT && !SENSITIVE.contains(literal.as_str()));
        found.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
        found.dedup();
        found
    }

    /// Whether a quoted text has a word of the hidden source.
    fn has(&self, quoted: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || !c.is_ascii();
        let words = |text: &'_ str| -> Vec<String> {
            text.split(|c| !is_word(c)).filter(|word| !word.is_empty()).map(str::to_owned).collect()
        };
        let of_references: Vec<String> = self.references.iter().flat_map(|text| words(text)).collect();
        let unescaped = serde_json::from_str::<String>(&format!("\"{quoted}\"")).ok();
        let quoted = unescaped.as_deref().unwrap_or(quoted);
        words(quoted).iter().filter(|word| !of_references.contains(word)).any(|word| {
            self.hidden.iter().any(|hidden| match word.len() >= SHORT {
                true => hidden.contains(word.as_str()),
                false => words(hidden).contains(word),
            })
        })
    }
}

/// Adds the strings in a source text, as they are written and without escapes.
fn strings_in(text: &str, found: &mut Vec<String>) {
    let mut rest = text;
    while let Some(open) = rest.find('"') {
        let inside = &rest[open + 1..];
        let end = closing(inside, "\"");
        let written = &inside[..end];
        found.extend(serde_json::from_str::<String>(&format!("\"{written}\"")).ok());
        found.push(written.to_owned());
        rest = inside.get(end + 1..).unwrap_or_default();
    }
}

/// The text without a secret. A short one is only replaced where it is a word.
fn without(text: &str, secret: &str) -> String {
    let is_in_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let mut masked = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(secret) {
        let (before, behind) = (&rest[..at], &rest[at + secret.len()..]);
        let is_word = !is_in_word(before.chars().next_back()) && !is_in_word(behind.chars().next());
        masked.push_str(before);
        masked.push_str(if is_word || secret.len() >= SHORT { SENSITIVE } else { secret });
        rest = behind;
    }
    masked + rest
}

/// Where a quoted text ends: at the closing quote, or at the end of all.
fn closing(inside: &str, quote: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in inside.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if quote == "\"" => is_escaped = true,
            _ if quote.starts_with(c) => return at,
            _ => {}
        }
    }
    inside.len()
}
