//! Finds the parts of the input that policies read.

use std::collections::BTreeSet;

use objchange_document::PlanSection;
use objchange_rego::Program;

use super::InputMode;

/// The parts of the input that policies read, by their first two keys; others are not built.
#[derive(Debug, Default)]
pub(super) struct Members {
    /// Somewhere the whole input is meant, or a part of it that is computed.
    all: bool,
    parts: BTreeSet<(String, Option<String>)>,
    /// `after_full` is mentioned.
    pub(super) full: bool,
}

/// The planned values say nothing of what is unknown: these parts do.
const OF_UNKNOWNS: [&str; 2] = ["resource_changes", "output_changes"];

impl Members {
    pub(super) fn new(program: &Program, full: bool) -> Self {
        let mut members = Self { full, ..Self::default() };
        for reference in program.input_references() {
            match reference.path {
                [] => members.all = true,
                [first, rest @ ..] => {
                    members.parts.insert((first.clone(), rest.first().cloned()));
                }
            }
        }
        members
    }

    /// Whether a member of the input is looked at.
    pub(super) fn has(&self, name: &str) -> bool {
        let is_part = |name: &str| self.parts.iter().any(|(first, _)| first == name);
        self.all || is_part(name) || (OF_UNKNOWNS.contains(&name) && is_part("planned_values"))
    }

    /// The sections of the plan that are looked at by their names, so that a rule would pass without them.
    pub(super) fn sections(&self, mode: InputMode) -> impl Iterator<Item = PlanSection> {
        let section = move |(first, second): &(String, Option<String>)| match (mode, first.as_str(), second) {
            (InputMode::Raw, name, _) => PlanSection::named(name),
            (InputMode::Wrapped, "tfplan", Some(name)) => PlanSection::named(name),
            (InputMode::Wrapped, ..) => None,
            (_, "tfplan" | "plan", Some(name)) => PlanSection::named(name),
            (_, "tfstate", _) => Some(PlanSection::PriorState),
            (_, "tfconfig", _) => Some(PlanSection::Configuration),
            _ => None,
        };
        self.parts.iter().filter_map(section)
    }

    /// Whether a member of a member is looked at.
    pub(super) fn has_part(&self, name: &str, part: &str) -> bool {
        let is_part = |part: &str| {
            self.parts
                .iter()
                .any(|(first, second)| first == name && second.as_ref().is_none_or(|second| second == part))
        };
        self.all || is_part(part) || (OF_UNKNOWNS.contains(&part) && is_part("planned_values"))
    }
}
