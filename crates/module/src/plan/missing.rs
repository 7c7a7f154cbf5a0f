//! What a plan is made without: variables without a value, modules that are not installed, schemas that nobody has.
//!
//! All of it is unknown, and so is whatever depends on it. Terraform knows it, so what is unknown because of it is no error.

use std::collections::BTreeMap;

use objchange_hcl::Span;
use objchange_plan::{Missing, MissingKind, MissingRange};

use super::graph::{Graph, NodeKind};
use super::input::PlanInput;
use super::references::address;
use crate::config::Config;

/// The missing inputs of a plan, and which nodes depend on them.
#[derive(Debug, Default)]
pub(crate) struct MissingInputs {
    inputs: Vec<MissingInput>,
    /// For each node that lacks an input itself, which one.
    at: BTreeMap<usize, usize>,
    /// For each node: whether it depends on one, directly or not. Empty if nothing is missing.
    reached: Vec<bool>,
}

#[derive(Debug)]
struct MissingInput {
    missing: Missing,
    /// As references name it: `var.region`, `module.net`, `aws_vpc.main`.
    name: String,
}

impl MissingInputs {
    /// Finds what is missing, as far as the plan may be made without it.
    pub(crate) fn find(input: &PlanInput<'_>, graph: &Graph<'_>) -> Self {
        let accepts = input.options.accepts;
        let mut found = Self::default();
        for (index, node) in graph.nodes.iter().enumerate() {
            let name = || address(input.config, node).unwrap_or_default();
            let place = |span: Span| range(input.config, span);
            let (missing, name) = match &node.kind {
                NodeKind::Variable(variable, declared)
                    if accepts.variables
                        && node.module == 0
                        && declared.default.is_none()
                        && !input.variables.contains_key(*variable) =>
                {
                    let mut missing = Missing::new(MissingKind::Variable, name());
                    missing.range = place(declared.header);
                    (missing, name())
                }
                _ => continue,
            };
            found.add(index, missing, name);
        }
        if !found.inputs.is_empty() {
            found.reached = graph.dependents_by_value(found.at.keys().copied());
            found.at.keys().for_each(|index| found.reached[*index] = true);
        }
        found
    }

    fn add(&mut self, index: usize, missing: Missing, name: String) {
        self.at.insert(index, self.inputs.len());
        self.inputs.push(MissingInput { missing, name });
    }

    /// The missing inputs.
    pub(crate) fn list(&self) -> impl Iterator<Item = &Missing> {
        self.inputs.iter().map(|input| &input.missing)
    }

    /// The input that a node lacks itself.
    pub(crate) fn at(&self, index: usize) -> Option<&Missing> {
        Some(&self.inputs[*self.at.get(&index)?].missing)
    }

    /// The name of the input that a node lacks itself.
    pub(crate) fn name_at(&self, index: usize) -> Option<&str> {
        Some(&self.inputs[*self.at.get(&index)?].name)
    }

    /// Whether a node lacks an input, or depends on one that does.
    pub(crate) fn reaches(&self, index: usize) -> bool {
        self.reached.get(index).copied().unwrap_or_default()
    }
}

/// A place as documents have it.
fn range(config: &Config, span: Span) -> Option<MissingRange> {
    let places = config.sources.places();
    let place = places.find(span)?;
    let start = place.start();
    Some(MissingRange { file: place.name.to_owned(), line: start.line, column: start.column })
}
