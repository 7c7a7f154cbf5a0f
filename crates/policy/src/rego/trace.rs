//! Which conditions of rules held, and which lines were evaluated.

use std::collections::{BTreeMap, BTreeSet};

use objchange_rego::Pass;
use objchange_text::bounded_to;

use super::PolicyFile;
use super::error::PolicyLocation;

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
}

/// The texts of policies, to cite from.
#[derive(Debug, Clone, Default)]
pub(super) struct Texts(BTreeMap<String, String>);

impl Texts {
    pub(super) fn new(files: &[PolicyFile]) -> Self {
        Self(files.iter().map(|file| (file.name.clone(), file.text.clone())).collect())
    }

    fn cited(&self, pass: &Pass) -> String {
        let text = self.0.get(&pass.location.file).and_then(|text| text.get(pass.text.clone()));
        let words: Vec<&str> = text.unwrap_or_default().split_whitespace().collect();
        bounded_to(&words.join(" "), MOST_CITED).into_owned()
    }
}

/// The most bytes of a condition that are cited.
const MOST_CITED: usize = 120;

/// The conditions of one definition, in the order in which they are evaluated.
pub(super) fn traced(texts: &Texts, passes: &[Pass]) -> Vec<TracedCondition> {
    let outer: Vec<&Pass> = passes.iter().filter(|pass| !pass.is_inner).collect();
    let conditions = outer.iter().zip(outer.iter().skip(1)).filter(|(pass, _)| !pass.is_head);
    // A condition held if evaluation came by what is behind it.
    let conditions = conditions.map(|(pass, next)| TracedCondition {
        place: PolicyLocation::from(pass.location.clone()),
        text: texts.cited(pass),
        state: match (pass.certain + pass.possible, next.certain, next.possible) {
            (0, ..) => TraceState::NotReached,
            (_, 1.., _) => TraceState::Held,
            (_, 0, 1..) => TraceState::Undecided,
            (_, 0, 0) => TraceState::Failed,
        },
    });
    conditions.collect()
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
