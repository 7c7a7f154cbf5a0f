//! Reads Terraform's sentences about a provider.

use std::borrow::Cow;

use super::crash::{kind_of_rpc, rpc_error};
use super::place::{address_and_path, go_path, last_source_address, place, sentence_end, without_label};
use super::trouble::Trouble;
use crate::Clause;
use crate::sentences::{
    HEADINGS, RestForm, SENTENCES, Statement, is_about_type, matched, read_of_plan, read_of_result,
};

/// A parsed sentence about a provider.
#[derive(Debug, Default)]
pub(super) struct ParsedSentence<'t> {
    pub(super) clauses: Vec<Clause>,
    pub(super) provider: Option<&'t str>,
    pub(super) address: Option<&'t str>,
    pub(super) path: Option<Cow<'t, str>>,
    pub(super) said: Statement,
    /// The type whose schema is wrong.
    pub(super) schema: Option<&'t str>,
    /// The words about the value.
    pub(super) words: Option<&'t str>,
    /// Terraform continues: the provider uses the legacy type system, or something changed outside of
    /// Terraform.
    pub(super) is_tolerated: bool,
    /// The problem if no clause is broken.
    pub(super) trouble: Option<Trouble>,
}

/// The words before the reason why a schema cannot be loaded.
pub(super) const LOADING: &str = "failed to retrieve schema from provider \"";

/// Parses a paragraph about a provider.
pub(super) fn sentence(text: &str) -> Option<ParsedSentence<'_>> {
    let rpc_error = rpc_error(text);
    let address_first = address_first(text);
    SENTENCES.iter().find_map(|sentence| {
        let whole = text;
        let text = if sentence.template.starts_with("rpc error") { rpc_error? } else { text };
        let cut = || {
            let (address, rest) = address_first?;
            let (_, template) =
                sentence.template.split_once("{address}").filter(|(when, _)| when.starts_with("When "))?;
            let mut holes = matched(template, rest)?;
            holes.push(("address".to_owned(), address));
            Some(holes)
        };
        let holes = matched(sentence.template, text).or_else(cut)?;
        let mut found = ParsedSentence { clauses: sentence.clauses.to_vec(), ..ParsedSentence::default() };
        found.is_tolerated =
            ["tolerating it", "during refresh."].iter().any(|end| sentence.template.ends_with(end));
        if sentence.template.starts_with("Unable to Read Previously Saved State") {
            found.said.kind = Some("state_not_read");
        }
        for (name, text) in holes {
            match name.as_str() {
                "provider" => found.provider = Some(text).filter(|text| !text.is_empty()),
                // Versions before 1.0 do not quote it.
                "address" => found.address = Some(without_label(text.trim_matches('"'))),
                "plugin" => found.provider = plugin(text),
                "attribute" => {
                    // Where the sentence is quoted, it may end with its first full stop.
                    let (address, path) = split(text.trim_end_matches(['"', '`', '\'']));
                    (found.address, found.path) = (address, path.map(Cow::Borrowed));
                }
                "rest" => read_rest(sentence.rest, text, &mut found),
                _ => {}
            }
        }
        if sentence.rest == RestForm::AddressFirst && found.address.is_none() {
            return None;
        }
        // Where the beginning is cut off, the provider may be left of it.
        if let Some((before, _)) = text.split_once("produced an ").filter(|_| found.provider.is_none()) {
            found.provider = last_source_address(before).filter(|_| before.trim_end().ends_with('"'));
        }
        if found.clauses == [Clause::T1] {
            found.said.kind = kind_of_rpc(text);
        }
        // Terraform 0.11 lists what went wrong with the address before it.
        if sentence.template.starts_with("diffs didn't match") {
            found.words = Some("diffs didn't match during apply");
        }
        if sentence.template.starts_with("diffs didn't match") || sentence.template.starts_with("rpc error") {
            let place = whole.strip_prefix("* ").and_then(|text| text.split(": ").next());
            found.address = place.filter(|place| address_and_path(place).is_some());
        }
        if matches!(sentence.rest, RestForm::Whole | RestForm::Upgrader) {
            let text = text.find(LOADING).map_or(text, |at| {
                let reason = &text[at + LOADING.len()..];
                reason.split_once("\":").map_or(text, |(_, reason)| reason.trim().trim_end_matches('.'))
            });
            let words = text.split(" This is always").next().unwrap_or(text);
            found.words = Some(words.trim_start_matches(['#', ' ']));
        }
        Some(found)
    })
}

/// The address that a text begins with where the words before it are cut off, and the rest.
fn address_first(text: &str) -> Option<(&str, &str)> {
    let end = place(text, &[" "]).map_or(text.len(), |(word, _)| word.len());
    let address = text[..end].trim_end_matches(',');
    let is_whole = address_and_path(address).is_some_and(|(_, path)| path.is_empty());
    is_whole.then(|| text.split_at(address.len()))
}

/// Parses a sentence whose beginning is cut off: `.path: what is wrong`. Below one of Terraform's headings
/// it need not be about a value.
pub(super) fn without_place<'t>(text: &'t str, summary: &str) -> Option<ParsedSentence<'t>> {
    let text = text.trim_start_matches(['-', '`', ' ']);
    let (path, words) = place(text, &[": "]).filter(|(at, _)| at.starts_with('.') && !at.contains(' '))?;
    let words = sentence_end(words).trim_end_matches('`');
    let has_value = ["cty.", "null", "sensitive"].iter().any(|word| words.contains(word));
    let (plan, result) = (read_of_plan(words), read_of_result(words));
    let (mut clauses, said) = match (plan.kind, result.kind) {
        (Some(_), _) => (vec![Clause::P5], plan),
        (None, Some(_)) => (vec![Clause::A5, Clause::F2], result),
        (None, None) => return None,
    };
    let is_below = clauses.iter().any(|clause| clause.terraform_summary() == Some(summary));
    clauses.retain(|clause| !is_below || clause.terraform_summary() == Some(summary));
    let found = ParsedSentence {
        clauses,
        path: Some(path.into()),
        words: Some(words),
        said,
        ..ParsedSentence::default()
    };
    (has_value || is_below).then_some(found)
}

/// One of the problems that Terraform tolerates: `.path: what is wrong`.
pub(super) fn tolerated<'t>(text: &'t str, parsed: &ParsedSentence<'t>) -> ParsedSentence<'t> {
    let rest = if parsed.clauses == [Clause::P5] { RestForm::PlanAt } else { RestForm::ResultAt };
    let mut found = ParsedSentence {
        clauses: parsed.clauses.clone(),
        provider: parsed.provider,
        address: parsed.address,
        is_tolerated: true,
        ..ParsedSentence::default()
    };
    read_rest(rest, text, &mut found);
    found
}

/// The name of the provider whose program is called `terraform-provider-aws_v5.0.0_x5`.
fn plugin(program: &str) -> Option<&str> {
    let name = program.split_whitespace().next_back()?.rsplit(['/', '\\']).next()?;
    let name = name.strip_prefix("terraform-provider-").unwrap_or(name);
    let name = name.split("_v").next().unwrap_or(name).trim_end_matches(".exe");
    Some(name).filter(|name| !name.is_empty() && *name != "plugin")
}

fn split(text: &str) -> (Option<&str>, Option<&str>) {
    if let Some((address, rest)) = text.split_once(" (")
        && let Some((_, path)) = rest.split_once(')')
        && address_and_path(address).is_some_and(|(_, path)| path.is_empty())
        && (path.is_empty() || path.starts_with(['.', '[']))
    {
        return (Some(address), Some(path).filter(|path| !path.is_empty()));
    }
    // Keys have escaped quotes where the whole is in quotes.
    let plain = text.replace("\\\"", "\"");
    let Some((_, path)) = address_and_path(&plain) else { return (None, Some(text)) };
    let (mut left, mut at) = (plain.len() - path.len(), 0);
    while let Some(letter) = text[at..].chars().next().filter(|_| left > 0) {
        if !text[at..].starts_with("\\\"") {
            left -= letter.len_utf8();
        }
        at += letter.len_utf8();
    }
    let (address, path) = text.split_at(at);
    (Some(address), Some(path).filter(|path| !path.is_empty()))
}

/// A place and the words about it, which may be cut off.
fn place_and_words(text: &str) -> Option<(&str, &str)> {
    place(text, &[": "]).or_else(|| Some((text.strip_suffix(':')?, "")))
}

fn read_rest<'t>(rest: RestForm, text: &'t str, found: &mut ParsedSentence<'t>) {
    // The next paragraph may have run into this one.
    let text = text.split(" This is a bug in the provider").next().unwrap_or(text);
    // The doubled negation is Terraform's.
    let text = text.split(" The result cannot not be saved").next().unwrap_or(text).trim_end_matches('.');
    match rest {
        RestForm::Other => found.words = Some(text),
        // The words are the whole sentence.
        RestForm::Whole => {}
        RestForm::Upgrader => found.said.kind = Some("no_state_upgrader"),
        RestForm::GoPath => {
            found.words = Some(text);
            found.path = go_path(text).map(Cow::Owned);
        }
        RestForm::TypeAt => read_type(text, found),
        RestForm::Address => found.address = Some(without_label(text)),
        RestForm::AddressFirst => found.address = address_first(text).map(|(address, _)| address),
        RestForm::PlanAt => {
            let (at, words) = place_and_words(text).unwrap_or(("", text));
            let (address, path) = if at.starts_with(['.', '[']) { (None, Some(at)) } else { split(at) };
            let words = sentence_end(words);
            found.address = address.or(found.address);
            found.path = path.map(Cow::Borrowed);
            found.words = Some(words).filter(|words| !words.is_empty());
            found.said = read_of_plan(words);
        }
        RestForm::ResultAt => {
            let is_path = |at: &str| at.starts_with(['.', '[']) && !at.contains(" was ");
            let at = place_and_words(text).filter(|(at, _)| is_path(at));
            // The text may have been typed by hand.
            let typed = || place(text, &[" was "]).filter(|(at, _)| at.starts_with('.') && !at.contains(' '));
            let (path, words) = match at {
                Some((at, words)) => (Some(at), words),
                None => typed().map_or((None, text), |(at, _)| (Some(at), text[at.len()..].trim_start())),
            };
            let words = sentence_end(words);
            found.path = path.map(Cow::Borrowed);
            found.words = Some(words).filter(|words| !words.is_empty());
            found.said = read_of_result(words);
            // Terraform 0.12 does not name the root.
            if found.path.is_none() && found.said.kind == Some("object_now_absent") {
                found.said.kind = Some("no_object");
            }
            if found.said.kind == Some("no_object") && found.clauses == [Clause::A5] {
                found.clauses = vec![Clause::A6, Clause::A1];
            }
        }
    }
}

/// A value of the wrong type: `t_disk.a.size: a number is required`, or its path behind the colon.
fn read_type<'t>(text: &'t str, found: &mut ParsedSentence<'t>) {
    let mut words = text;
    if found.address.is_none()
        && let Some((at, rest)) = place(text, &[": "])
        && let (Some(address), path) = split(at)
    {
        words = rest;
        (found.address, found.path) = (Some(address), path.map(Cow::Borrowed));
    }
    if found.path.is_none()
        && let Some((at, rest)) = place(words, &[": "]).filter(|(at, _)| at.starts_with(['.', '[']))
    {
        words = rest;
        found.path = Some(Cow::Borrowed(at));
    }
    if found.address.is_none() && address_and_path(words).is_some() {
        found.address = Some(words);
        return;
    }
    let is_ephemeral = |address: &str| address.starts_with("ephemeral.") || address.contains(".ephemeral.");
    if found.clauses == [Clause::D1] && found.address.is_some_and(is_ephemeral) {
        found.clauses = vec![Clause::E2];
    }
    found.words = Some(sentence_end(words));
}

/// Parses a heading that has no detail.
pub(super) fn heading(summary: &str) -> Option<ParsedSentence<'_>> {
    HEADINGS.iter().find_map(|(template, clause)| {
        let mut found = ParsedSentence { clauses: vec![*clause], ..ParsedSentence::default() };
        for (name, text) in matched(template, summary)? {
            match name.as_str() {
                "address" => found.address = Some(text),
                "provider" => found.provider = Some(text).filter(|text| !text.is_empty()),
                _ => {}
            }
        }
        Some(found)
    })
}

/// Clauses about values of the wrong type.
const WRONG_TYPES: [Clause; 9] = [
    Clause::P4,
    Clause::A2,
    Clause::R2,
    Clause::U2,
    Clause::D1,
    Clause::M2,
    Clause::E2,
    Clause::I2,
    Clause::I9,
];

/// Parses a sentence about a value of the wrong type, which names neither the resource nor the call.
pub(super) fn wrong_type(summary: &str) -> Option<ParsedSentence<'_>> {
    let (path, words) = match place(summary, &[": "]).filter(|(at, _)| at.starts_with(['[', '.'])) {
        Some((path, words)) => (Some(Cow::Borrowed(path)), words),
        None => (None, summary),
    };
    let clauses = WRONG_TYPES.to_vec();
    is_about_type(words).then(|| ParsedSentence {
        clauses,
        path,
        words: Some(words),
        ..ParsedSentence::default()
    })
}
