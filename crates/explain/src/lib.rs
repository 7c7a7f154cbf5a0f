//! Explains Terraform's own messages about providers.
//!
//! [`explain`] finds them in the output of a terminal, in a build log or in an issue, whatever surrounds or wraps them, and
//! names the clause of the contract that each is about. [`advice`](crate::Clause::advice) tells how to fix it.
//!
//! ```
//! use objchange_explain::{Clause, Similarity, explain};
//!
//! let text = r#"
//! │ Error: Provider produced inconsistent result after apply
//! │
//! │ When applying changes to aws_instance.web, provider
//! │ "registry.terraform.io/hashicorp/aws" produced an unexpected new value:
//! │ .tags["Name"]: was cty.StringVal("Web"), but now cty.StringVal("web").
//! "#;
//! let explained = &explain(text)[0];
//! assert_eq!(explained.clauses, [Clause::A5]);
//! assert_eq!(explained.address.as_deref(), Some("aws_instance.web"));
//! assert_eq!(explained.path.as_deref(), Some(r#"tags["Name"]"#));
//! assert_eq!(explained.kind, Some("value_changed"));
//! assert_eq!(explained.similarity, Some(Similarity::LetterCase));
//! ```
//!
//! The [clauses](Clause), the [`Advice`] on each and Terraform's [`sentences`] are defined only here: the harness
//! `objchange-conform` prints them, and [`explain`] reads them.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod advice;
mod clause;
mod crash;
mod document;
mod evidence;
mod lines;
mod literal;
mod once;
mod page;
mod place;
mod plugin_log;
mod schema;
mod sentence;
pub mod sentences;
mod similarity;
mod text;
mod trouble;

use std::borrow::Cow;
use std::cell::LazyCell;
use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use regex::Regex;

pub use self::advice::Advice;
pub use self::clause::Clause;
use self::crash::Trace;
pub use self::document::ExplainDocument;
pub use self::evidence::{Evidence, ExplainedMessage, Objects};
use self::page::Message;
use self::sentence::ParsedSentence;
use self::sentences::{IDENTITY_TYPE, SEVERAL_IMPORTED, read_of_plan, read_of_result};
pub use self::similarity::Similarity;
pub use self::text::write_text;
pub use self::trouble::Trouble;

/// A parsed message of Terraform about a provider.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Explained {
    /// The heading of the message; empty if it has none.
    pub summary: String,
    /// The broken clause, or all possible ones if the message leaves that open, the most likely first.
    /// Empty if the message is about a [trouble](Self::trouble).
    pub clauses: Vec<Clause>,
    /// The stable name of the kind of violation, if the message tells, or of the trouble.
    pub kind: Option<&'static str>,
    /// The problem if no clause is broken.
    pub trouble: Option<Trouble>,
    /// Terraform continues: the provider uses the legacy type system, or something changed outside of
    /// Terraform.
    pub tolerated: bool,
    /// The provider's source address, or its name where the message has no more.
    pub provider: Option<String>,
    /// The provider's version, where the message names it.
    pub version: Option<String>,
    /// The call in which the provider crashed, where the message names it.
    pub call: Option<String>,
    /// The first place of the provider's own code in a stack trace.
    pub frame: Option<String>,
    /// The address of the resource instance.
    pub address: Option<String>,
    /// The type whose schema is not well-formed, where the message is about a schema.
    pub schema_type: Option<String>,
    /// Where in the object or schema: `tags["Name"]`.
    pub path: Option<String>,
    /// Terraform's words about the place.
    pub words: Option<String>,
    /// The values as the message prints them, by role: `planned`, `config`, `prior`, `actual`, `key`,
    /// `target_type`.
    pub values: BTreeMap<String, String>,
    /// The similarity of the two values.
    pub similarity: Option<Similarity>,
}

/// The messages about providers in a text, in order. Other messages are left out.
pub fn explain(text: &str) -> Vec<Explained> {
    let mut messages = page::messages(text);
    // Before the lines of the plugin client are dropped, because one of them names the program that ended.
    let exited = crash::exited(&messages);
    for message in &mut messages {
        message.paragraphs.retain(|paragraph| !crash::is_housekeeping(paragraph));
    }
    let in_graph: Vec<Explained> = messages
        .iter()
        .flat_map(|message| &message.paragraphs)
        .filter_map(|paragraph| in_graph(paragraph))
        .collect();
    let (crashed, in_graph): (Vec<_>, Vec<_>) =
        in_graph.into_iter().partition(|one| one.clauses == [Clause::T2]);
    let mut all = crash::merged(messages.iter().flat_map(explained).chain(crashed).collect());
    if let Some((name, version)) = exited {
        for one in all.iter_mut().filter(|one| one.clauses == [Clause::T2] && one.provider.is_none()) {
            one.provider = Some(name.clone());
            one.version.clone_from(&version);
        }
    }
    // Terraform prints some messages twice: in its log, and at the end.
    let mut seen = HashSet::new();
    let mut all: Vec<Explained> = all.into_iter().filter(|one| seen.insert(one.clone())).collect();
    let in_graph = in_graph.into_iter().filter(|node| seen.insert(node.clone())).collect();
    once::add_nodes(&mut all, in_graph);
    once::complete_by_title(&mut all);
    once::without_titles(&all)
}

/// A message of Terraform's log about a node of its graph:
/// `vertex "aws_disk.a" error: Provider produced invalid plan`.
fn in_graph(paragraph: &str) -> Option<Explained> {
    let (_, rest) = paragraph.split_once("vertex \"").filter(|_| page::is_logged(paragraph))?;
    let (vertex, summary) = rest.split_once("\" error: ")?;
    let vertex = vertex.replace("\\\"", "\"");
    let vertex = vertex.strip_prefix("import ").unwrap_or(&vertex);
    let ends = [" result", " (destroy)", " (expand)", " (import"];
    let end = ends.iter().filter_map(|end| vertex.find(end)).min().unwrap_or(vertex.len());
    let address = vertex[..end].trim();
    let message = Message { summary: summary.trim().to_owned(), ..Message::default() };
    let found = by_summary(&message).or_else(|| sentence::sentence(&message.summary));
    let found = found.filter(|_| place::address_and_path(address).is_some())?;
    let mut one = Explained::new(&message.summary, found);
    one.address = one.address.or_else(|| Some(address.to_owned()));
    Some(one)
}

fn explained(message: &Message) -> Vec<Explained> {
    let whole = format!("{} {}", message.summary, message.paragraphs.join(" "));
    let mut all: Vec<ParsedSentence<'_>> = Vec::new();
    let mut log: Option<ParsedSentence<'_>> = None;
    for paragraph in &message.paragraphs {
        if let (Some(problem), Some(of)) = (paragraph.strip_prefix("- "), &log) {
            all.push(sentence::tolerated(problem, of));
            continue;
        }
        // The log names the resource in its own way.
        if in_graph(paragraph).is_some() {
            continue;
        }
        let Some(mut found) = sentence::sentence(paragraph) else {
            log = log.filter(|_| !page::is_logged(paragraph));
            continue;
        };
        found.provider = found.provider.or_else(|| place::provider_in(paragraph));
        if found.is_tolerated {
            // The problems come behind it.
            log = Some(found);
        } else {
            log = None;
            all.push(found);
        }
    }
    all.extend(message.paragraphs.iter().filter_map(|paragraph| crash::lost_connection(paragraph)));
    all.extend(load_failures(message));
    if let Some(crash) = crash::of_core(message) {
        all = vec![crash];
    }
    // From the most exact reader to the least exact one. Each is tried only if all before it found nothing.
    if all.is_empty() {
        all.extend(log.or_else(|| sentence::sentence(&message.summary)));
    }
    if all.is_empty() {
        all.extend(schema::internal_faults(message));
    }
    if all.is_empty() {
        all.extend(schema::faults(&whole, whole.contains("Internal validation")));
    }
    if all.is_empty() {
        all.extend(schema::other_fault(message));
    }
    if all.is_empty() && crash::is_crash(message) {
        all.push(ParsedSentence { clauses: vec![Clause::T2], ..ParsedSentence::default() });
    }
    if all.is_empty() {
        all.extend(set_failures(message));
    }
    if all.is_empty() {
        all.extend(crash::cancelled(message).or_else(|| by_trouble(message, &whole)));
    }
    if all.is_empty() {
        let paragraphs = message.paragraphs.iter();
        all.extend(paragraphs.filter_map(|text| sentence::without_place(text, &message.summary)));
    }
    if all.is_empty() {
        all.extend(by_summary(message));
    }
    if all.is_empty() {
        all.extend(message.paragraphs.iter().find_map(|text| mismatch(text)));
    }
    if all.is_empty() && message.paragraphs.iter().any(|text| text.starts_with("Current Identity:")) {
        // The beginning is cut off.
        all.push(ParsedSentence { clauses: vec![Clause::R4], ..ParsedSentence::default() });
    }
    if all.is_empty() {
        all.extend(message.paragraphs.iter().filter_map(|text| by_title(text)));
    }
    // The heading of an SDK is more exact than the sentence below it, whose end may be cut off.
    if let Some(heading) = sentence::sentence(&message.summary).filter(|_| !message.is_title) {
        let is_plain = |one: &&mut ParsedSentence<'_>| {
            one.address.is_none() && one.path.is_none() && one.said.kind.is_none() && one.trouble.is_none()
        };
        for one in all.iter_mut().filter(is_plain) {
            one.clauses.clone_from(&heading.clauses);
        }
    }
    // Several sentences may describe one crash.
    let mut crashed = HashSet::new();
    all.retain(|found| {
        let is_first = found.address.is_some() || crashed.is_empty();
        found.clauses != [Clause::T2] || (is_first && crashed.insert(found.address))
    });
    let is_alone = all.len() == 1;
    let provider = LazyCell::new(|| place::provider(message));
    let trace = LazyCell::new(|| Trace::new(message));
    let mut explained = Vec::new();
    for mut found in all {
        complete(&mut found, message);
        let is_crash = found.clauses == [Clause::T2];
        let is_import =
            matches!(found.clauses.first(), Some(Clause::I1 | Clause::I2 | Clause::I5 | Clause::I6));
        let mut one = Explained::new(&message.summary, found);
        one.address = one.address.or_else(|| message.address.clone());
        if is_import {
            one.address = one.address.or_else(|| message.importing.clone());
        }
        if one.clauses == [Clause::T1] {
            one.call = one.words.as_deref().and_then(crash::call);
        }
        if is_crash {
            trace.complete(&mut one);
        }
        if one.trouble.is_some_and(Trouble::is_of_package) {
            // Where the message is about one provider, any of its paragraphs may name the program.
            let paragraphs = message.paragraphs.iter().filter(|_| is_alone).map(String::as_str);
            let mut texts = one.words.as_deref().into_iter().chain(paragraphs);
            one.version = texts.find_map(place::version).map(str::to_owned);
        }
        one.provider = one.provider.or_else(|| message.provider.clone()).or_else(|| provider.clone());
        explained.push(one);
    }
    explained
}

/// Adds facts from separate paragraphs.
fn complete(found: &mut ParsedSentence<'_>, message: &Message) {
    let behind = |label: &str| {
        let text = message.paragraphs.iter().find_map(|paragraph| paragraph.strip_prefix(label))?;
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    };
    let said = &mut found.said;
    if found.clauses == [Clause::R4]
        && let (Some(prior), Some(actual)) = (behind("Current Identity:"), behind("New Identity:"))
    {
        said.kind = Some("identity_changed");
        said.values = vec![("prior".into(), prior), ("actual".into(), actual)];
    }
    if found.clauses == [Clause::F2]
        && found.path.is_none()
        && let Some(path) = message.paragraphs.iter().find_map(|text| mismatched_attribute(text))
    {
        found.path = Some(path.to_owned().into());
    }
    if found.clauses == [Clause::U5] && found.path.is_none() {
        found.path = message.paragraphs.iter().find_map(|text| place::go_path(text)).map(Cow::Owned);
    }
    if found.words.is_some_and(|words| words.starts_with("Error validating write-only")) {
        said.kind = Some("write_only_not_checked");
    }
    if found.clauses == [Clause::L2] && found.path.is_some() {
        said.kind = Some("wrong_value");
    }
    if found.trouble == Some(Trouble::ValueConversion)
        && let Some((_, place)) = message.paragraphs.iter().find_map(|text| conversion_place(text))
    {
        let (path, types) = place.split_once("Target Type: ").unwrap_or((place, ""));
        let path = path.trim();
        found.path = Some(path.to_owned().into()).filter(|_| !path.is_empty());
        let target = types.split(" Suggested ").next().unwrap_or_default().trim();
        if !target.is_empty() {
            said.values = vec![("target_type".into(), target.to_owned())];
        }
    }
}

/// The list of Terraform 0.11 below its sentence about two plans that differ.
fn mismatch(text: &str) -> Option<ParsedSentence<'_>> {
    let (_, rest) = text.split_once("Resource ID: ")?;
    let (address, reason) = rest.split_once(" Mismatch reason: ")?;
    Some(ParsedSentence {
        clauses: vec![Clause::F2],
        address: Some(address),
        words: reason.split(" Diff One").next(),
        ..ParsedSentence::default()
    })
}

/// The attribute in which the two plans differ, as Terraform 0.11 names it.
fn mismatched_attribute(text: &str) -> Option<&str> {
    const REASONS: [&str; 2] = ["attribute mismatch: ", "extra attributes: "];
    let (_, path) = REASONS.iter().find_map(|reason| text.split_once(reason))?;
    path.split([' ', ',']).next().filter(|path| !path.is_empty())
}

/// The providers that cannot be started, each for its reason.
fn load_failures(message: &Message) -> Vec<ParsedSentence<'_>> {
    let failure = |trouble, provider, words| ParsedSentence {
        trouble: Some(trouble),
        provider,
        words: Some(words),
        ..ParsedSentence::default()
    };
    let texts = || message.paragraphs.iter().map(String::as_str).chain([message.summary.as_str()]);
    let started = texts().filter_map(|text| {
        let (provider, words, trouble) = Trouble::find_start(text)?;
        Some((text, provider, words, trouble))
    });
    let started: Vec<_> = started.collect();
    if let [(text, provider, words, trouble)] = started[..] {
        // The reason may be below.
        let above = message.paragraphs.iter().position(|paragraph| paragraph == text);
        let below = message.paragraphs.iter().skip(above.map_or(0, |above| above + 1));
        let reason = below.filter(|_| trouble == Trouble::NotStarted).find_map(|below| {
            let (_, _, reason) = Trouble::find_start(&format!("{text} {below}"))?;
            (reason != trouble).then_some((reason, below.as_str()))
        });
        let (trouble, words) = reason.unwrap_or((trouble, words));
        let address = texts().find_map(place::quoted_address);
        return vec![ParsedSentence { address, ..failure(trouble, Some(provider), words) }];
    }
    if !started.is_empty() {
        return started
            .into_iter()
            .map(|(_, provider, words, trouble)| failure(trouble, Some(provider), words))
            .collect();
    }
    // The list also has providers that are not installed.
    let items = message.paragraphs.iter().filter_map(|paragraph| paragraph.strip_prefix("- "));
    let found = items.filter_map(|item| {
        let provider =
            place::source_address(item).filter(|provider| item.contains(&format!("{provider}: ")))?;
        let words = item.split_once(": ")?.1;
        let is_load = |trouble: &Trouble| matches!(trouble, Trouble::OtherChecksum | Trouble::NotInstalled);
        Some(failure(Trouble::find(item).filter(is_load)?, Some(provider), words))
    });
    found.collect()
}

/// The problem if no clause is broken.
fn by_trouble<'m>(message: &'m Message, whole: &str) -> Option<ParsedSentence<'m>> {
    let trouble = Trouble::find(whole)?;
    let said = message.paragraphs.iter().map(String::as_str).chain([message.summary.as_str()]);
    // Source lines below a message are not part of its text.
    let mut sentences = said.clone().filter(|text| !page::is_place(text));
    // The SDK explains more below the sentence that identifies it.
    let below = message.paragraphs.iter().skip_while(|text| Trouble::find(text) != Some(trouble)).nth(1);
    let words = match trouble {
        Trouble::ValueConversion => conversion(message),
        Trouble::OwnFault => below.map(String::as_str),
        _ => None,
    };
    let words = words
        .or_else(|| said.clone().find(|text| Trouble::find(text) == Some(trouble)))
        .or_else(|| sentences.next())
        .map(|words| page::without_log(words).trim_start_matches(['-', '*', '#', ' ']).trim_end_matches("**"))
        .map(|words| match words.split_once("Error: ") {
            Some((_, words)) => words.split('`').next().unwrap_or(words),
            None => words,
        });
    let address = said.clone().find_map(place::quoted_address);
    let provider = match trouble {
        Trouble::NewerState => said.clone().find_map(|text| {
            let (_, rest) = text.split_once("Upgrade the ")?;
            Some(rest.split_once(" provider to work")?.0)
        }),
        Trouble::OtherChecksum => words.and_then(place::source_address),
        _ => None,
    };
    Some(ParsedSentence { trouble: Some(trouble), words, address, provider, ..ParsedSentence::default() })
}

/// Each value that the SDK cannot store: `Invalid address to set: []string{"disk", "0", "size"}`, or
/// `disk.0.size: '' expected type 'string', got unconvertible type 'int'`.
static SET_FAILURE: LazyLock<Regex> = LazyLock::new(|| {
    lines::pattern(
        r#"Invalid address to set: \[\]string\{([^}]*)\}|([A-Za-z0-9_.]+): '[^']*' expected type '[^']*', got unconvertible type '[^']*'"#,
    )
});

fn set_failures(message: &Message) -> Vec<ParsedSentence<'_>> {
    let texts = [&message.summary].into_iter().chain(&message.paragraphs);
    let found = texts.flat_map(|text| SET_FAILURE.captures_iter(text).map(move |found| (text, found)));
    let failures = found.map(|(text, found)| {
        let part = |at| found.get(at).map(|part| part.as_str());
        let steps = part(1).map(|steps| steps.replace(['"', ' '], "").replace(',', "."));
        let steps = steps.or_else(|| part(2).map(str::to_owned)).unwrap_or_default();
        let path = steps.split('.').fold(String::new(), |path, step| match step.parse::<usize>() {
            Ok(index) => format!("{path}[{index}]"),
            Err(_) => format!("{path}.{step}"),
        });
        // Terraform 0.11 lists what went wrong with the address before it.
        let place = text.strip_prefix("* ").and_then(|text| text.split(": ").next());
        ParsedSentence {
            trouble: Some(Trouble::SetFailed),
            address: place.filter(|place| place::address_and_path(place).is_some()),
            path: Some(path.into()),
            words: part(0),
            ..ParsedSentence::default()
        }
    });
    failures.collect()
}

/// Splits the paragraph that names the path of a value that the SDK cannot convert: the text before the path, and the path.
fn conversion_place(text: &str) -> Option<(&str, &str)> {
    if let Some(place) = text.strip_prefix("Path:").filter(|rest| rest.is_empty() || rest.starts_with(' ')) {
        return Some(("", place));
    }
    text.split_once(" Path: ")
}

/// The framework's words about a value that it cannot convert: the sentence before the path.
fn conversion(message: &Message) -> Option<&str> {
    let at = message.paragraphs.iter().position(|text| conversion_place(text).is_some());
    if at.is_none() {
        return message.paragraphs.iter().map(String::as_str).find(|text| text.starts_with("Received "));
    }
    let before = &message.paragraphs[..at.unwrap_or(message.paragraphs.len())];
    let last = match at.and_then(|at| conversion_place(&message.paragraphs[at])) {
        Some((before, _)) if !before.is_empty() => before,
        _ => before.iter().rfind(|text| !page::is_place(text))?.as_str(),
    };
    let last = last.split_once("provider developer: ").map_or(last, |(_, reason)| reason);
    if !last.starts_with("An unexpected error") {
        return Some(last);
    }
    last.split_once(": ").map(|(_, reason)| reason.trim()).filter(|reason| !reason.is_empty())
}

/// Headings that mean the same as others.
const OTHER_SUMMARIES: [(&str, &str); 2] = [
    (IDENTITY_TYPE, "Provider produced invalid identity"),
    (SEVERAL_IMPORTED, "Import returned no resources"),
];

/// A heading of Terraform and the text that somebody appended: `Provider produced invalid plan - planned value …`.
fn heading_and_detail(text: &str) -> Option<(&'static str, &str)> {
    const SEPARATORS: [&str; 8] = [" - ", " – ", " — ", ": ", " (", ", ", "... ", "… "];
    Clause::ALL.iter().filter_map(|clause| clause.terraform_summary()).find_map(|heading| {
        let (_, rest) = text.split_once(heading)?;
        Some((heading, SEPARATORS.iter().find_map(|separator| rest.strip_prefix(separator))?))
    })
}

/// The words about a value behind a heading, in a title or in prose.
fn by_title(text: &str) -> Option<ParsedSentence<'_>> {
    let (heading, detail) = heading_and_detail(text)?;
    let (path, words) = match place::place(detail, &[": "]).filter(|(at, _)| at.starts_with('.')) {
        Some((path, words)) => (Some(path.into()), words),
        None => (None, detail),
    };
    // A quotation ends before the prose around it goes on.
    let quoted = words.rfind('"').filter(|_| words.matches('"').count() % 2 == 1);
    let words = place::sentence_end(&words[..quoted.unwrap_or(words.len())]).trim_end_matches('`');
    let plain = words.replace('`', "");
    let is_about = |clauses: &[Clause]| {
        clauses.iter().filter(|clause| clause.terraform_summary() == Some(heading)).copied().collect()
    };
    let (plan, result) = (read_of_plan(&plain), read_of_result(&plain));
    let (clauses, said): (Vec<Clause>, _) = if plan.kind.is_some() {
        (is_about(&[Clause::P5]), plan)
    } else {
        (is_about(&[Clause::A5, Clause::F2]), result)
    };
    let is_it = said.kind.is_some() && !clauses.is_empty();
    is_it.then(|| ParsedSentence { clauses, said, path, words: Some(words), ..ParsedSentence::default() })
}

/// The clauses of most messages with their headings.
const LIKELIEST: [Clause; 4] = [Clause::P5, Clause::F2, Clause::A5, Clause::D1];

/// The meaning of a heading alone.
fn by_summary(message: &Message) -> Option<ParsedSentence<'_>> {
    let summary = message.summary.as_str();
    if let Some(found) = sentence::heading(summary).or_else(|| sentence::wrong_type(summary)) {
        return Some(found);
    }
    if let Some(found) = by_title(summary) {
        return Some(found);
    }
    let detail = message.paragraphs.iter().map(String::as_str).find(|text| !page::is_place(text));
    // Text below a title is prose, not part of the message.
    let detail = detail.filter(|text| page::is_sentence_start(text));
    let summary =
        OTHER_SUMMARIES.iter().find(|(other, _)| *other == summary).map_or(summary, |(_, usual)| usual);
    let with = |is_it: &dyn Fn(&str) -> bool| -> Vec<Clause> {
        let is_it = |clause: &Clause| clause.terraform_summary().is_some_and(is_it);
        let mut clauses: Vec<Clause> = Clause::ALL.iter().copied().filter(is_it).collect();
        clauses.sort_by_key(|clause| !LIKELIEST.contains(clause));
        clauses
    };
    let mut clauses = with(&|heading| heading == summary);
    if clauses.is_empty() {
        // A title goes on behind the heading.
        let goes_on = |heading: &str| summary.strip_prefix(heading).is_some_and(|rest| rest.starts_with(' '));
        clauses = with(&goes_on);
    }
    if clauses.contains(&Clause::N1) {
        // Functions fail for reasons of their own, too. The paragraphs above say where the call is.
        let words = message.paragraphs.last().filter(|text| text.ends_with("required."))?;
        let words = words.find("Call to function").map_or(words.as_str(), |start| &words[start..]);
        return Some(ParsedSentence {
            clauses: vec![Clause::N1],
            words: Some(words),
            ..ParsedSentence::default()
        });
    }
    if clauses.is_empty() {
        return None;
    }
    Some(ParsedSentence { clauses, words: detail, ..ParsedSentence::default() })
}

impl Explained {
    /// The type of the resource.
    pub fn resource_type(&self) -> Option<&str> {
        self.address.as_deref().and_then(place::resource_type).or(self.schema_type.as_deref())
    }

    /// The advice; for the most likely clause, if there are several.
    pub fn advice(&self) -> Option<&'static Advice> {
        if let (Some(Trouble::ValueConversion), Some(words)) = (self.trouble, &self.words)
            && words.contains("unknown value")
        {
            return Some(&trouble::UNKNOWN_CONVERSION);
        }
        // The planned value is another one than an unknown one of the configuration.
        if matches!(self.kind, Some("not_config" | "not_config_nor_prior"))
            && self.values.get("config").is_some_and(|config| config.starts_with("cty.UnknownVal"))
        {
            return Some(&crate::advice::PLANNED_FOR_UNKNOWN);
        }
        let is_built_in =
            self.provider.as_deref().is_some_and(|name| name.starts_with("terraform.io/builtin/"));
        let of_clause = || {
            if is_built_in && matches!(self.clauses[..], [Clause::F2 | Clause::A5 | Clause::P5]) {
                return Some(&crate::advice::BUILT_IN);
            }
            let advice = self.clauses.first()?.advice(self.kind);
            let names_it = self.address.is_some() && *advice == crate::advice::WRONG_TYPE;
            Some(if names_it { &crate::advice::WRONG_TYPE_AT } else { advice })
        };
        self.trouble.map(Trouble::advice).or_else(of_clause)
    }

    /// Whether this only mentions a message, in a title or in prose.
    fn is_mention(&self) -> bool {
        self.summary.is_empty() || heading_and_detail(&self.summary).is_some()
    }

    /// Whether the message has more than a heading.
    fn has_detail(&self) -> bool {
        self.words.as_deref().is_some_and(|words| !self.summary.contains(words))
    }

    /// Whether the message tells no more than its heading.
    fn is_bare(&self) -> bool {
        let is_vague = self.clauses.len() > 1 || self.summary.is_empty();
        (is_vague || !self.has_detail() && self.provider.is_none())
            && self.trouble.is_none()
            && self.address.is_none()
            && self.path.is_none()
            && self.kind.is_none()
            && crash::reason(self).is_none()
    }

    fn new(summary: &str, found: ParsedSentence<'_>) -> Self {
        let values: BTreeMap<String, String> = found.said.values.into_iter().collect();
        let value = |name: &str| values.get(name).map(String::as_str);
        let null = matches!(found.said.kind, Some("value_now_null" | "null_now_value")).then_some("null");
        let one = value("planned").or(null);
        let other = value("actual").or_else(|| value("config")).or(null);
        let similarity = one.zip(other).and_then(|(one, other)| similarity::similarity(one, other));
        Self {
            summary: summary.to_owned(),
            clauses: found.clauses,
            kind: found.said.kind.or(found.trouble.map(Trouble::kind)),
            trouble: found.trouble,
            tolerated: found.is_tolerated,
            provider: found.provider.map(source),
            version: None,
            call: None,
            frame: None,
            address: found.address.map(address),
            schema_type: found.schema.map(str::to_owned),
            path: found
                .path
                .map(|path| path.strip_prefix('.').unwrap_or(&path).to_owned())
                .filter(|path| !path.is_empty()),
            words: found.words.map(str::to_owned),
            values,
            similarity,
        }
    }
}

/// An address as Terraform prints it.
fn address(text: &str) -> String {
    let plain = text.replace("\\\"", "\"");
    // References may begin with the kind of the block.
    plain.strip_prefix("resource.").map(str::to_owned).unwrap_or(plain)
}

/// The provider's address of `"provider[\"registry.terraform.io/hashicorp/aws\"].west"`.
fn source(text: &str) -> String {
    if let Some(address) = place::source_address(text) {
        return address.to_owned();
    }
    let inside = text.split_once('[').and_then(|(_, rest)| Some(rest.split_once(']')?.0)).unwrap_or(text);
    inside.trim_matches(['"', '\\', ' ']).to_owned()
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
