//! The explanations for people.

use std::io::{self, Write};

use objchange_text::style::{BAD, CHANGED, FAINT};
use objchange_text::{joined_path, visible};

use super::{Evidence, ExplainedMessage, Trouble};
use crate::{Advice, Clause};

/// A value that is longer is cut.
const MAX_VALUE: usize = 400;
/// The maximum number of places of one sort that are named.
const MAX_PLACES: usize = 20;

/// Messages to which the same advice applies.
struct Group<'m> {
    clauses: &'m [Clause],
    advice: &'static Advice,
    messages: Vec<&'m ExplainedMessage>,
}

/// Writes the explanations of messages for people, those to which the same advice applies together.
///
/// # Errors
///
/// Writing fails.
pub fn write_text(out: &mut impl Write, messages: &[ExplainedMessage]) -> io::Result<()> {
    for (i, group) in groups(messages).iter().enumerate() {
        if i > 0 {
            writeln!(out)?;
        }
        write_group(out, group)?;
    }
    out.flush()
}

/// Groups messages with the same advice: there are few sorts of advice, however many messages.
fn groups(all: &[ExplainedMessage]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = Vec::new();
    for message in all {
        let explained = &message.explained;
        let Some(advice) = explained.advice() else { continue };
        // Several clauses may share advice, so the clauses are compared as well.
        let is_it = |group: &&mut Group<'_>| group.clauses == explained.clauses && group.advice == advice;
        match groups.iter_mut().find(is_it) {
            Some(group) => group.messages.push(message),
            None => groups.push(Group { clauses: &explained.clauses, advice, messages: vec![message] }),
        }
    }
    groups
}

fn write_group(out: &mut impl Write, group: &Group<'_>) -> io::Result<()> {
    match group.clauses {
        [] => {
            let trouble = group.messages.iter().find_map(|message| message.explained.trouble);
            writeln!(out, "{CHANGED}{}{CHANGED:#}", trouble.map_or("", Trouble::sentence))?;
        }
        [clause] => writeln!(out, "{CHANGED}{clause}{CHANGED:#}  {}", clause.sentence())?,
        several => {
            writeln!(out, "One of these, the message does not tell which:")?;
            for clause in several {
                writeln!(out, "{CHANGED}{clause}{CHANGED:#}  {}", clause.sentence())?;
            }
        }
    }
    for message in group.messages.iter().take(MAX_PLACES) {
        writeln!(out)?;
        write_message(out, message)?;
    }
    if let Some(more) = group.messages.len().checked_sub(MAX_PLACES).filter(|more| *more > 0) {
        writeln!(out, "\n  {FAINT}and {more} more{FAINT:#}")?;
    }
    let advice = group.advice;
    for (heading, text) in [
        ("What it means", advice.meaning),
        ("What you can do until it is fixed", advice.workaround),
        ("What most often causes it", advice.cause),
    ] {
        writeln!(out, "\n  {heading}\n    {text}")?;
    }
    writeln!(out, "\n  How it is fixed in the provider")?;
    for (sdk, text) in [
        ("terraform-plugin-framework", advice.framework),
        ("terraform-plugin-sdk/v2", advice.sdk_v2),
        ("others", advice.others),
    ] {
        writeln!(out, "    {sdk}: {text}")?;
    }
    Ok(())
}

fn write_message(out: &mut impl Write, message: &ExplainedMessage) -> io::Result<()> {
    let explained = &message.explained;
    let place = [explained.address.as_deref(), explained.schema_type.as_deref(), message.path()];
    let place = place.into_iter().flatten().fold(String::new(), |outer, inner| joined_path(&outer, inner));
    let by = match (&explained.provider, &explained.version) {
        (Some(by), Some(version)) => format!("{by} {version}"),
        (Some(by), None) => by.clone(),
        _ => String::new(),
    };
    let is_secret = message.is_secret();
    let words = explained.words.as_ref().filter(|_| !is_secret);
    // Some headings are all that is said.
    let is_said = words.is_some_and(|words| words.starts_with(explained.summary.trim_end_matches('.')));
    let place = if place.is_empty() && !is_said { message.summary() } else { &place };
    let parts = [
        (!place.is_empty()).then(|| cut(&visible(place))),
        (!by.is_empty()).then(|| format!("{FAINT}{}{FAINT:#}", visible(&by))),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    if !parts.is_empty() {
        writeln!(out, "  {}", parts.join("  "))?;
    }
    if let Some(words) = words {
        writeln!(out, "    {BAD}{}{BAD:#}", cut(&visible(words)))?;
    }
    match (&explained.call, &explained.frame) {
        (Some(call), Some(frame)) => writeln!(out, "    in {}, at {}", visible(call), visible(frame))?,
        (Some(call), None) => writeln!(out, "    in {}", visible(call))?,
        (None, Some(frame)) => writeln!(out, "    at {}", visible(frame))?,
        (None, None) => {}
    }
    let is_in_words = |value: &str| words.is_some_and(|words| words.contains(value));
    for (name, value) in explained.values.iter().filter(|(_, value)| !is_secret && !is_in_words(value)) {
        writeln!(out, "    {}: {}", name.replace('_', " "), cut(&visible(value)))?;
    }
    if explained.tolerated {
        let why = match explained.clauses[..] {
            [Clause::R5] => "the object may have changed, or may be gone, outside of it",
            _ => "the provider uses the legacy type system",
        };
        writeln!(out, "    Terraform goes on, because {why}.")?;
    }
    if let Some(similarity) = explained.similarity.filter(|_| !is_secret) {
        writeln!(out, "    {}", similarity.sentence())?;
    }
    message.evidence.as_ref().map_or(Ok(()), |evidence| write_evidence(out, evidence))
}

fn write_evidence(out: &mut impl Write, evidence: &Evidence) -> io::Result<()> {
    if let Some(schema) = &evidence.schema {
        writeln!(out, "    schema: {}", visible(schema))?;
    }
    for (name, value) in &evidence.values {
        writeln!(out, "    {name}: {}", cut(&visible(value)))?;
    }
    if !evidence.violations.is_empty() {
        writeln!(out, "    By the rules, of these objects:")?;
    }
    for (_, kind, sentence) in evidence.violations.iter().take(MAX_PLACES) {
        writeln!(out, "      {} {FAINT}{kind}{FAINT:#}", cut(&visible(sentence)))?;
    }
    Ok(())
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_VALUE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
