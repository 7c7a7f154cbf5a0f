//! What Terraform's own messages about providers mean.
//!
//! [`explain`] reads them from a terminal, a log of a build or an issue, in whatever box or width they come, and says which
//! clause of the contract each is about; [`advice`](crate::Clause::advice) says what to do.
//!
//! ```
//! use objchange_conform::Clause;
//! use objchange_conform::explain::{Likeness, explain};
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
//! assert_eq!(explained.path.as_deref(), Some(r#".tags["Name"]"#));
//! assert_eq!(explained.kind, Some("value_changed"));
//! assert_eq!(explained.likeness, Some(Likeness::LetterCase));
//! ```

mod likeness;
mod lines;
mod literal;
mod page;
mod place;
mod schema;
mod sentence;
mod trouble;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

pub use self::likeness::Likeness;
use self::page::Message;
use self::sentence::ParsedSentence;
pub use self::trouble::Trouble;
use crate::sentences::{IDENTITY_TYPE, SEVERAL_IMPORTED};
use crate::{Advice, Clause};

/// A message of Terraform's about a provider, understood.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Explained {
    /// What the message is headed with; empty where the text has no heading.
    pub summary: String,
    /// The clause that was broken. Where the message does not tell, all that it may be, the most likely first. None where the
    /// message is about a [trouble](Self::trouble).
    pub clauses: Vec<Clause>,
    /// The stable name of the way in which it was broken, where the message tells, or of the trouble.
    pub kind: Option<&'static str>,
    /// What is wrong where no clause is broken.
    pub trouble: Option<Trouble>,
    /// Terraform goes on: the provider uses the legacy type system, or something changed outside of Terraform.
    pub tolerated: bool,
    /// The provider's source address, or its name where the message has no more.
    pub provider: Option<String>,
    /// The address of the resource instance.
    pub address: Option<String>,
    /// The type whose schema is not well-formed, where the message is about a schema.
    pub schema_type: Option<String>,
    /// Where in the object or schema, as Terraform writes it.
    pub path: Option<String>,
    /// What is wrong there, in Terraform's words.
    pub words: Option<String>,
    /// The values of the message as it prints them, by what they are: `planned`, `config`, `prior`, `actual`, `key`.
    pub values: BTreeMap<String, String>,
    /// What the two values have in common.
    pub likeness: Option<Likeness>,
}

/// The messages about providers in a text, in their order. What is about something else is left out.
pub fn explain(text: &str) -> Vec<Explained> {
    // Terraform says some things twice, in its log and at the end.
    let mut seen = HashSet::new();
    let all = page::messages(text).into_iter().flat_map(|message| explained(&message));
    let all: Vec<Explained> = all.filter(|one| seen.insert(one.clone())).collect();
    let tells_more = |one: &Explained| {
        let has_clause = |other: &Explained| one.clauses.iter().any(|clause| other.clauses.contains(clause));
        all.iter().any(|other| !other.is_bare() && has_clause(other))
    };
    // The title of an issue is a heading without a message.
    all.iter().filter(|one| !(one.is_bare() && tells_more(one))).cloned().collect()
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
        let Some(found) = sentence::sentence(paragraph) else {
            log = log.filter(|_| !page::is_logged(paragraph));
            continue;
        };
        if found.is_tolerated {
            // The problems come behind it.
            log = Some(found);
        } else {
            log = None;
            all.push(found);
        }
    }
    all.extend(message.paragraphs.iter().filter_map(|paragraph| lost_connection(paragraph)));
    all.extend(load_failures(message));
    if all.is_empty() {
        all.extend(log.or_else(|| sentence::sentence(&message.summary)));
    }
    if all.is_empty() {
        all.extend(schema::faults(&whole));
    }
    if all.is_empty() {
        all.extend(by_trouble(message, &whole));
    }
    if all.is_empty() {
        all.extend(by_summary(message));
    }
    let panic = message.paragraphs.iter().find_map(|paragraph| panic(paragraph));
    if all.is_empty() && is_crash(message, panic.is_some()) {
        all.push(ParsedSentence { clauses: vec![Clause::T2], ..ParsedSentence::default() });
    }
    // A crash is told in several sentences.
    let mut crashed = HashSet::new();
    all.retain(|found| {
        let is_first = found.address.is_some() || crashed.is_empty();
        found.clauses != [Clause::T2] || (is_first && crashed.insert(found.address))
    });
    let mut explained = Vec::new();
    for mut found in all {
        if found.clauses == [Clause::T2] {
            found.words = panic.or(found.words);
        }
        let mut one = Explained::new(&message.summary, found);
        one.address = one.address.or_else(|| message.address.clone());
        one.provider = one.provider.or_else(|| place::provider(message));
        explained.push(one);
    }
    explained
}

/// What a program says when it crashes, without where.
fn panic(paragraph: &str) -> Option<&str> {
    // Terraform's log has the name of the program before it.
    let logged = paragraph
        .find("terraform-provider-")
        .filter(|_| page::is_logged(paragraph))
        .and_then(|name| Some(name + paragraph[name..].find(": ")? + 2));
    let said = &paragraph[logged.unwrap_or(0)..];
    let is_panic = ["panic: ", "fatal error: ", "[signal SIG"].iter().any(|word| said.starts_with(word));
    let end = [" [signal ", " goroutine "].iter().filter_map(|word| said.find(word)).min();
    is_panic.then(|| &said[..end.unwrap_or(said.len())])
}

/// Whether a stack trace is that of a provider, and not of Terraform itself.
fn is_crash(message: &Message, has_panic: bool) -> bool {
    let has =
        |words: &[&str]| message.paragraphs.iter().any(|text| words.iter().any(|word| text.contains(word)));
    const TERRAFORM: [&str; 3] = ["TERRAFORM CRASH", "hashicorp/terraform/", "opentofu/opentofu/"];
    has_panic && (has(&["terraform-p"]) || (has(&["goroutine "]) && !has(&TERRAFORM)))
}

/// What Terraform 0.11 says of each resource when the provider has crashed: `* aws_vpc.a: aws_vpc.a: unexpected EOF`.
fn lost_connection(paragraph: &str) -> Option<ParsedSentence<'_>> {
    let said = paragraph.strip_prefix("* ")?.trim_end_matches('.');
    let (places, words) = said.rsplit_once(": ")?;
    let is_it = ["connection is shut down", "unexpected EOF"].contains(&words)
        && !places.replace(": ", "").contains(' ');
    let place = places.split(": ").next()?;
    let (provider, address) = match place.rsplit_once("provider.") {
        Some((_, name)) => (Some(name), None),
        None => (None, place::address_and_path(place).map(|_| place)),
    };
    let found = ParsedSentence {
        clauses: vec![Clause::T2],
        provider,
        address,
        words: Some(words),
        ..ParsedSentence::default()
    };
    is_it.then_some(found)
}

/// The providers that cannot be started, where a message lists several.
fn load_failures(message: &Message) -> Vec<ParsedSentence<'_>> {
    if !["Failed to load plugin schemas", "Could not load plugin"].contains(&message.summary.as_str()) {
        return Vec::new();
    }
    let items = message.paragraphs.iter().filter(|paragraph| paragraph.starts_with("- "));
    let found = items.filter_map(|item| {
        let trouble = Some(Trouble::find(item)?);
        Some(ParsedSentence {
            trouble,
            provider: place::source_address(item),
            words: Some(item.trim_start_matches("- ")),
            ..ParsedSentence::default()
        })
    });
    found.collect()
}

/// What is wrong where no clause is broken.
fn by_trouble<'m>(message: &'m Message, whole: &str) -> Option<ParsedSentence<'m>> {
    let trouble = Trouble::find(whole)?;
    let said = message.paragraphs.iter().map(String::as_str).chain([message.summary.as_str()]);
    // The line of the source is not what is said.
    let mut sentences = said.clone().filter(|text| !text.starts_with("on ") && !text.starts_with("with "));
    let words = said.clone().find(|text| Trouble::find(text) == Some(trouble)).or_else(|| sentences.next());
    let address = words.and_then(place::quoted_address);
    Some(ParsedSentence { trouble: Some(trouble), words, address, ..ParsedSentence::default() })
}

/// Headings that say what others do.
const OTHER_SUMMARIES: [(&str, &str); 2] = [
    (IDENTITY_TYPE, "Provider produced invalid identity"),
    (SEVERAL_IMPORTED, "Import returned no resources"),
];

/// What can be told from the heading alone.
fn by_summary(message: &Message) -> Option<ParsedSentence<'_>> {
    let summary = message.summary.as_str();
    if let Some(found) = sentence::heading(summary).or_else(|| sentence::wrong_type(summary)) {
        return Some(found);
    }
    let detail = message.paragraphs.first().map(String::as_str);
    let summary =
        OTHER_SUMMARIES.iter().find(|(other, _)| *other == summary).map_or(summary, |(_, usual)| usual);
    let clauses: Vec<Clause> =
        Clause::ALL.iter().copied().filter(|clause| clause.terraform_summary() == Some(summary)).collect();
    if clauses.contains(&Clause::N1) {
        // Functions fail for reasons of their own, too. The paragraphs above say where the call stands.
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

    /// What to do; where the message may be about several clauses, about the most likely.
    pub fn advice(&self) -> Option<&'static Advice> {
        let of_clause = || {
            let advice = self.clauses.first()?.advice(self.kind);
            let names_it = self.address.is_some() && *advice == crate::advice::WRONG_TYPE;
            Some(if names_it { &crate::advice::WRONG_TYPE_AT } else { advice })
        };
        self.trouble.map(Trouble::advice).or_else(of_clause)
    }

    /// Whether it tells no more than a heading.
    fn is_bare(&self) -> bool {
        let is_vague = self.clauses.len() > 1 || self.summary.is_empty();
        is_vague
            && self.trouble.is_none()
            && self.address.is_none()
            && self.path.is_none()
            && self.kind.is_none()
    }

    fn new(summary: &str, found: ParsedSentence<'_>) -> Self {
        let values: BTreeMap<String, String> = found.said.values.into_iter().collect();
        let value = |name: &str| values.get(name).map(String::as_str);
        let null = matches!(found.said.kind, Some("value_now_null" | "null_now_value")).then_some("null");
        let one = value("planned").or(null);
        let other = value("actual").or_else(|| value("config")).or(null);
        let likeness = one.zip(other).and_then(|(one, other)| likeness::likeness(one, other));
        Self {
            summary: summary.to_owned(),
            clauses: found.clauses,
            kind: found.said.kind.or(found.trouble.map(Trouble::kind)),
            trouble: found.trouble,
            tolerated: found.is_tolerated,
            provider: found.provider.map(source),
            address: found.address.map(|address| address.replace("\\\"", "\"")),
            schema_type: found.schema.map(str::to_owned),
            path: found.path.map(Cow::into_owned),
            words: found.words.map(str::to_owned),
            values,
            likeness,
        }
    }
}

/// The provider's address of `"provider[\"registry.terraform.io/hashicorp/aws\"].west"`.
fn source(text: &str) -> String {
    if let Some(address) = place::source_address(text) {
        return address.to_owned();
    }
    let inside = text.split_once('[').and_then(|(_, rest)| Some(rest.split_once(']')?.0)).unwrap_or(text);
    inside.trim_matches(['"', '\\', ' ']).to_owned()
}
