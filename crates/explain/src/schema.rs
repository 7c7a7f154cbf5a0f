//! Reads faults of schemas. Terraform, the SDK and the framework each name the attribute and the problem.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

use super::lines::pattern;
use super::page::Message;
use super::place::last_source_address;
use super::sentence::{LOADING, ParsedSentence};
use crate::Clause;
use crate::sentences::{SCHEMA_SENTENCES, Statement};

/// `name: what is wrong`; the framework quotes the name.
static FAULTS: LazyLock<Regex> = LazyLock::new(|| {
    let words: Vec<String> = SCHEMA_SENTENCES
        .iter()
        .map(|(words, _, _)| regex::escape(words).replace("\\{mode\\}", "[A-Za-z]+"))
        .collect();
    pattern(&format!(
        r#"(?:(?P<path>[^\s:"'*]+): |"(?P<name>[^"\s]+)" (?:at schema path "(?P<at>[^"]*)" )?)(?P<words>{})"#,
        words.join("|")
    ))
});

/// The type that a schema belongs to.
static TYPE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"\btype "([^"\s]+)"|\b(?:resource|data source) ([a-z0-9_]+): "#));

/// The sentence of terraform-plugin-sdk above its list of faults.
const INTERNAL: &str = "Internal validation of the provider failed!";

/// An item of that list: a type and usually a path, as in `resource acme_disk: size: …`.
static ITEM: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(?:resource|data source) ([a-z0-9_]+): (?:([a-z0-9_.]+): )?(.+)$"));

/// The faults that terraform-plugin-sdk lists, including those that this crate does not know.
pub(super) fn internal_faults(message: &Message) -> Vec<ParsedSentence<'_>> {
    let texts = [&message.summary].into_iter().chain(&message.paragraphs).map(String::as_str);
    let list = texts.skip_while(|text| !text.contains(INTERNAL));
    let items = list.flat_map(|text| text.split_once("this bug:").map_or(text, |(_, list)| list).split("* "));
    items.map(str::trim).filter_map(internal_fault).flatten().collect()
}

fn internal_fault(item: &str) -> Option<Vec<ParsedSentence<'_>>> {
    let found = ITEM.captures(item)?;
    let known = faults(item, true);
    if !known.is_empty() {
        return Some(known);
    }
    let part = |at| found.get(at).map(|part: regex::Match<'_>| part.as_str());
    Some(vec![ParsedSentence {
        clauses: vec![Clause::S0],
        schema: part(1),
        path: part(2).map(Cow::Borrowed),
        words: part(3),
        ..ParsedSentence::default()
    }])
}

/// The faults of schemas that a message lists, in its order.
pub(super) fn faults(whole: &str, is_schema: bool) -> Vec<ParsedSentence<'_>> {
    if !is_schema && !whole.contains("schema") {
        return Vec::new();
    }
    let mut all = Vec::new();
    // Each text is read once, however many faults it lists.
    let (mut from, mut schema, mut provider) = (0, None, None);
    for fault in FAULTS.captures_iter(whole) {
        let Some(said) = fault.name("words") else { continue };
        let Some((_, clause, kind)) = SCHEMA_SENTENCES.iter().find(|(words, _, _)| {
            words.split("{mode}").next().is_some_and(|start| said.as_str().starts_with(start))
        }) else {
            continue;
        };
        let before = &whole[from..fault.get(0).map_or(from, |fault| fault.end())];
        from += before.len();
        let name = |found: regex::Captures<'_>| found.get(1).or(found.get(2)).map(|name| name.range());
        if let Some(range) = TYPE.captures_iter(before).last().and_then(name) {
            schema = Some(&before[range]);
        }
        provider = last_source_address(before).or(provider);
        let part = |name| fault.name(name).map(|part| part.as_str());
        let path =
            part("at").filter(|at| !at.is_empty()).or(part("path")).or(part("name")).unwrap_or_default();
        let path =
            schema.and_then(|schema: &str| path.strip_prefix(schema)?.strip_prefix('.')).unwrap_or(path);
        all.push(ParsedSentence {
            clauses: vec![*clause],
            provider,
            schema,
            path: Some(Cow::Borrowed(path)),
            said: Statement { kind: Some(kind), values: Vec::new() },
            words: Some(said.as_str()),
            ..ParsedSentence::default()
        });
    }
    all
}

/// The reason that a running provider gives for not returning its schemas.
pub(super) fn other_fault(message: &Message) -> Option<ParsedSentence<'_>> {
    let reason = |text: &'_ String| {
        let at = text.find(LOADING)? + LOADING.len();
        let (provider, reason) = text[at..].split_once("\":")?;
        let from = at + provider.len() + "\":".len();
        Some((at..at + provider.len(), from, reason.trim().is_empty()))
    };
    message.paragraphs.iter().chain([&message.summary]).find_map(|text| {
        let (provider, from, is_empty) = reason(text)?;
        (!is_empty).then(|| ParsedSentence {
            clauses: vec![Clause::S0],
            provider: Some(&text[provider]),
            words: Some(text[from..].trim().trim_end_matches('.')),
            ..ParsedSentence::default()
        })
    })
}
