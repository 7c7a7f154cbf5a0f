//! Which conditions of rules held, and which lines were evaluated.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use objchange_rego::value::shown;
use objchange_rego::{Pass, Value};
use objchange_text::bounded_to;
use objchange_text::redact::SENSITIVE;

use super::PolicyFile;
use super::error::PolicyLocation;
use super::secret::depends_on_secret;
use super::unknown::Places;

/// The outcome of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TraceState {
    /// It held, perhaps for one of several values.
    Held,
    /// Whether it holds depends on unknown values.
    Undecided,
    /// It did not hold.
    Failed,
    /// A condition before it did not hold.
    NotReached,
}

impl TraceState {
    /// The word for it in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Held => "holds",
            Self::Undecided => "is undecided",
            Self::Failed => "does not hold",
            Self::NotReached => "is not reached",
        }
    }
}

/// A condition of a rule, and what came of it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TracedCondition {
    /// Where it is.
    pub place: PolicyLocation,
    /// The text of the policy, in one line.
    pub text: String,
    /// The outcome.
    pub state: TraceState,
    /// The values of its variables and references. Those of all conditions of a definition are of one case: of the first one that
    /// got furthest.
    pub values: Vec<TracedValue>,
}

/// The value of a variable or reference in a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TracedValue {
    /// The text of the policy.
    pub term: String,
    /// The value, which may be cut. Without anything that is or depends on a secret.
    pub value: String,
}

/// The conditions of a rule or a function that the evaluated rules use.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TracedRule {
    /// Its package and name.
    pub rule: String,
    /// The conditions of each definition.
    pub trace: Vec<Vec<TracedCondition>>,
}

/// The texts of policies, to cite from.
#[derive(Debug, Clone, Default)]
pub(super) struct Texts(BTreeMap<String, String>);

impl Texts {
    pub(super) fn new(files: &[PolicyFile]) -> Self {
        Self(files.iter().map(|file| (file.name.clone(), file.text.clone())).collect())
    }

    fn cited(&self, file: &str, text: Range<usize>) -> String {
        let text = self.0.get(file).and_then(|file| file.get(text));
        let words: Vec<&str> = text.unwrap_or_default().split_whitespace().collect();
        bounded_to(&words.join(" "), MOST_CITED).into_owned()
    }
}

/// The most bytes of a condition that are cited.
const MOST_CITED: usize = 120;

/// The conditions of one definition, in the order in which they are evaluated. `known` are the passes of a run over the
/// document without its secrets, whose values are shown.
pub(super) fn traced(
    texts: &Texts,
    passes: &[Pass],
    known: &[Pass],
    places: &Places,
) -> Vec<TracedCondition> {
    let outer: Vec<&Pass> = passes.iter().filter(|pass| !pass.is_inner).collect();
    let known: Vec<&Pass> = known.iter().filter(|pass| !pass.is_inner).collect();
    let mut conditions = Vec::new();
    let mut begin = 0;
    // The head ends each branch: that of the rule, and one for each `else`.
    for branch in outer.split_inclusive(|pass| pass.is_head) {
        let known = known.get(begin..begin + branch.len()).unwrap_or_default();
        begin += branch.len();
        // A condition held if evaluation came by what is behind it.
        let last = branch.iter().rposition(|pass| pass.certain + pass.possible > 0);
        let seen = last.and_then(|last| {
            known[..known.len().min(last + 1)].iter().rev().find(|pass| !pass.values.is_empty())
        });
        let mut named = BTreeSet::new();
        for (pass, next) in branch.iter().zip(branch.iter().skip(1)) {
            let file = &pass.location.file;
            let of_condition = seen.into_iter().flat_map(|seen| &seen.values);
            let of_condition = of_condition.filter(|value| value.condition == pass.text);
            let values = of_condition.filter_map(|value| {
                let term = texts.cited(file, value.text.clone());
                let value =
                    value.value.as_ref().map_or("(undefined)".to_owned(), |value| brief(value, places));
                named.insert(term.clone()).then_some(TracedValue { term, value })
            });
            conditions.push(TracedCondition {
                place: PolicyLocation::from(pass.location.clone()),
                text: texts.cited(file, pass.text.clone()),
                values: values.collect(),
                state: match (pass.certain + pass.possible, next.certain, next.possible) {
                    (0, ..) => TraceState::NotReached,
                    (_, 1.., _) => TraceState::Held,
                    (_, 0, 1..) => TraceState::Undecided,
                    (_, 0, 0) => TraceState::Failed,
                },
            });
        }
    }
    conditions
}

/// Adds the passes of another evaluation of the same definition.
pub(super) fn add_passes(all: &mut Vec<Pass>, more: Vec<Pass>) {
    if all.is_empty() {
        *all = more;
        return;
    }
    for (pass, more) in all.iter_mut().zip(more) {
        pass.certain = pass.certain.saturating_add(more.certain);
        pass.possible = pass.possible.saturating_add(more.possible);
        if pass.values.is_empty() {
            pass.values = more.values;
        }
    }
}

/// About how many bytes of a value are shown.
const MOST_OF_VALUE: usize = 100;
const MOST_OF_STRING: usize = 60;

/// A value in one short line. Secrets are unknown in it.
fn brief(value: &Value, places: &Places) -> String {
    let mut text = String::new();
    write_brief(value, places, &mut text);
    text
}

fn write_brief(value: &Value, places: &Places, out: &mut String) {
    match value {
        Value::Unknown(unknown) if depends_on_secret(unknown) => out.push_str(SENSITIVE),
        Value::Unknown(unknown) => match places.find(unknown).next() {
            Some(place) => {
                out.push_str("(unknown: ");
                out.push_str(&place.address);
                out.push(')');
            }
            None => out.push_str("(unknown)"),
        },
        Value::String(text) => {
            let text = shown(text);
            match text.char_indices().nth(MOST_OF_STRING) {
                Some((end, _)) => {
                    out.push_str(&Value::from(&text[..end]).to_string());
                    out.push('…');
                }
                None => out.push_str(&Value::from(&*text).to_string()),
            }
        }
        Value::Array(items) => {
            write_all(out, ["[", "]"], items.items(), |item, out| write_brief(item, places, out));
        }
        Value::Set(items) if items.items().is_empty() => out.push_str("set()"),
        Value::Set(items) => {
            write_all(out, ["{", "}"], items.items(), |item, out| write_brief(item, places, out));
        }
        Value::Object(members) => {
            // The address says which resource it is.
            let is_address = |key: &Value| key.as_str() == Some("address");
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(key, _)| !is_address(key));
            write_all(out, ["{", "}"], &members, |(key, value), out| {
                write_brief(key, places, out);
                out.push_str(": ");
                write_brief(value, places, out);
            });
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            out.push_str(&bounded_to(&value.to_string(), MOST_OF_STRING));
        }
    }
}

fn write_all<T>(
    out: &mut String,
    [open, close]: [&str; 2],
    all: &[T],
    mut write: impl FnMut(&T, &mut String),
) {
    out.push_str(open);
    for (index, one) in all.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        if out.len() > MOST_OF_VALUE {
            out.push('…');
            break;
        }
        write(one, out);
    }
    out.push_str(close);
}

/// The lines of policies that tests have evaluated, and the others.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Coverage {
    /// By file.
    pub files: BTreeMap<String, FileCoverage>,
}

/// The lines of one file on which a condition or the head of a rule begins.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct FileCoverage {
    /// Lines that were evaluated.
    pub covered: BTreeSet<u32>,
    /// Lines of which nothing was evaluated.
    pub not_covered: BTreeSet<u32>,
}

impl Coverage {
    pub(super) fn add(&mut self, passes: &[Pass]) {
        for pass in passes {
            let file = self.files.entry(pass.location.file.clone()).or_default();
            let line = pass.location.line;
            if pass.certain > 0 || pass.possible > 0 {
                file.covered.insert(line);
                file.not_covered.remove(&line);
            } else if !file.covered.contains(&line) {
                file.not_covered.insert(line);
            }
        }
    }

    /// How many lines were evaluated, and of how many.
    pub fn lines(&self) -> (usize, usize) {
        let covered = self.files.values().map(|file| file.covered.len()).sum();
        let others: usize = self.files.values().map(|file| file.not_covered.len()).sum();
        (covered, covered + others)
    }
}

impl FileCoverage {
    /// The lines of which nothing was evaluated, as ranges: `3, 7-9`.
    pub fn missing(&self) -> String {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for line in &self.not_covered {
            match ranges.last_mut() {
                Some((_, end)) if *end + 1 == *line => *end = *line,
                _ => ranges.push((*line, *line)),
            }
        }
        let range = |(begin, end): &(u32, u32)| match begin == end {
            true => begin.to_string(),
            false => format!("{begin}-{end}"),
        };
        ranges.iter().map(range).collect::<Vec<_>>().join(", ")
    }
}
