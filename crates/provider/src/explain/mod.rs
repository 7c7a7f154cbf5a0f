//! What Terraform's own messages about providers mean.
//!
//! [`explain`] reads them from a terminal, a log of a build or an issue, in whatever box or width they come, and says which
//! clause of the contract each is about; [`advice`](crate::conform::Clause::advice) says what to do.
//!
//! ```
//! use objchange_provider::conform::Clause;
//! use objchange_provider::explain::{Likeness, explain};
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
mod literal;
mod page;
mod place;
mod said;
mod sentence;
mod template;

use std::collections::{BTreeMap, HashSet};

pub use self::likeness::Likeness;
use self::page::Message;
use self::sentence::Found;
use crate::conform::{Advice, Clause};

/// A message of Terraform's about a provider, understood.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Explained {
    /// What the message is headed with; empty where the text has no heading.
    pub summary: String,
    /// The clause that was broken. Where the message does not tell, all that it may be, the most likely first.
    pub clauses: Vec<Clause>,
    /// The stable name of the way in which it was broken, where the message tells.
    pub kind: Option<&'static str>,
    /// Terraform goes on, as the provider uses the legacy type system.
    pub tolerated: bool,
    /// The provider's source address.
    pub provider: Option<String>,
    /// The address of the resource instance.
    pub address: Option<String>,
    /// Where in the object, as Terraform writes it.
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
    all.filter(|one| seen.insert(one.clone())).collect()
}

fn explained(message: &Message) -> Vec<Explained> {
    let summary = message.summary.as_str();
    let mut all: Vec<Explained> = Vec::new();
    let mut log: Option<Found<'_>> = None;
    for paragraph in &message.paragraphs {
        if let (Some(problem), Some(of)) = (paragraph.strip_prefix("- "), &log) {
            all.push(Explained::new(summary, sentence::tolerated(problem, of)));
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
            all.push(Explained::new(summary, found));
        }
    }
    if all.is_empty()
        && let Some(found) = log.or_else(|| by_summary(message))
    {
        all.push(Explained::new(summary, found));
    }
    all
}

/// Headings that say what others do.
const OTHER_SUMMARIES: [(&str, &str); 2] = [
    ("Provider produced an identity that doesn't match the schema", "Provider produced invalid identity"),
    ("Multiple import states not supported", "Import returned no resources"),
];

/// What can be told from the heading alone.
fn by_summary(message: &Message) -> Option<Found<'_>> {
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
        return Some(Found { clauses: vec![Clause::N1], words: Some(words), ..Found::default() });
    }
    if clauses.is_empty() {
        return None;
    }
    Some(Found { clauses, words: detail, ..Found::default() })
}

impl Explained {
    /// The type of the resource.
    pub fn resource_type(&self) -> Option<&str> {
        place::resource_type(self.address.as_deref()?)
    }

    /// What to do; where the message may be about several clauses, about the most likely.
    pub fn advice(&self) -> Option<&'static Advice> {
        self.clauses.first().map(|clause| clause.advice(self.kind))
    }

    fn new(summary: &str, found: Found<'_>) -> Self {
        let values: BTreeMap<String, String> = found.said.values.into_iter().collect();
        let value = |name: &str| values.get(name).map(String::as_str);
        let null = matches!(found.said.kind, Some("value_now_null" | "null_now_value")).then_some("null");
        let one = value("planned").or(null);
        let other = value("actual").or_else(|| value("config")).or(null);
        let likeness = one.zip(other).and_then(|(one, other)| likeness::likeness(one, other));
        Self {
            summary: summary.to_owned(),
            clauses: found.clauses,
            kind: found.said.kind,
            tolerated: found.is_tolerated,
            provider: found.provider.map(source),
            address: found.address.map(str::to_owned),
            path: found.path.map(str::to_owned),
            words: found.words.map(str::to_owned),
            values,
            likeness,
        }
    }
}

/// The provider's address of `"provider[\"registry.terraform.io/hashicorp/aws\"].west"`.
fn source(text: &str) -> String {
    let inside = text.split_once('[').and_then(|(_, rest)| Some(rest.split_once(']')?.0)).unwrap_or(text);
    inside.trim_matches(['"', '\\', ' ']).to_owned()
}
