//! The inputs that a plan is made without: variables without a value, modules that are not installed, schemas that nobody has.
//!
//! All of it is unknown, and so is whatever depends on it. Terraform knows it, so what is unknown because of it is no error.

use std::cell::LazyCell;
use std::collections::{BTreeSet, HashMap};

use objchange_document::{Missing, MissingKind, MissingRange};
use objchange_hcl::{Body, Condition, Expr, Functions, Places, Span, called_functions, file_calls};

use super::graph::{Graph, Node, NodeKind};
use super::input::PlanInput;
use super::inventions::{OF_PROVIDERS, provider_of_function};
use super::references::{Observer, address};
use super::walk::Walk;
use crate::ProviderAddress;
use crate::config::file_reads::PathScope;
use crate::config::{Config, FileRead, ModuleId};

/// The missing inputs of a plan, and which nodes depend on them.
#[derive(Debug, Default)]
pub(crate) struct MissingInputs {
    inputs: Vec<Missing>,
    /// The nodes that lack inputs themselves, each with the position of an input in `inputs`.
    at: BTreeSet<(usize, usize)>,
    /// For each node: whether it depends on one, directly or not. Empty if nothing is missing.
    reached: Vec<bool>,
}

/// A missing input, and what it would make known.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RankedMissing {
    /// The input.
    pub missing: Missing,
    /// How many resource blocks depend on it, as far as they are there.
    pub resources: usize,
}

/// Ranks missing inputs while a plan is made.
#[derive(Debug, Default)]
pub(super) struct MissingObserver {
    pub(super) ranked: Vec<RankedMissing>,
}

impl Observer for MissingObserver {
    fn walked(&mut self, walk: &Walk<'_, '_>) {
        self.ranked = walk.missing.ranked(walk.graph);
    }
}

impl MissingInputs {
    /// All of them, the most useful ones first: those that most resources depend on.
    fn ranked(&self, graph: &Graph<'_>) -> Vec<RankedMissing> {
        let mut nodes = vec![Vec::new(); self.inputs.len()];
        self.at.iter().for_each(|(node, input)| nodes[*input].push(*node));
        let needed_by = graph.needed_by_value();
        // Each node holds the last input that reached it, so that one table serves all inputs.
        let mut seen = vec![usize::MAX; graph.nodes.len()];
        let count = |(input, own): (usize, Vec<usize>)| {
            let mut open = own;
            open.iter().for_each(|node| seen[*node] = input);
            let mut resources = 0;
            while let Some(node) = open.pop() {
                resources += usize::from(matches!(graph.nodes[node].kind, NodeKind::Resource(_)));
                for dependent in &needed_by[node] {
                    if std::mem::replace(&mut seen[*dependent], input) != input {
                        open.push(*dependent);
                    }
                }
            }
            RankedMissing { missing: self.inputs[input].clone(), resources }
        };
        let mut ranked: Vec<RankedMissing> = nodes.into_iter().enumerate().map(count).collect();
        ranked.sort_by(|a, b| {
            let key = |one: &RankedMissing| (one.missing.kind, one.missing.address.clone());
            b.resources.cmp(&a.resources).then_with(|| key(a).cmp(&key(b)))
        });
        ranked
    }

    /// Finds what is missing, as far as the plan may be made without it.
    pub(crate) fn find(input: &PlanInput<'_>, graph: &Graph<'_>) -> Self {
        let accepts = input.options.accepts;
        let mut found = Self::default();
        // Most plans have everything, and need no places.
        let places = LazyCell::new(|| input.config.sources.places());
        let mut schemas: HashMap<ProviderAddress, usize> = HashMap::new();
        for (index, node) in graph.nodes.iter().enumerate() {
            let name = || address(input.config, node).unwrap_or_default();
            let place = |span: Span| range(&places, span);
            let missing = match &node.kind {
                NodeKind::Variable(variable, declared)
                    if accepts.variables
                        && node.module == 0
                        && declared.default.is_none()
                        && !input.variables.contains_key(*variable) =>
                {
                    let mut missing = Missing::new(MissingKind::Variable, name());
                    missing.range = place(declared.header);
                    missing
                }
                NodeKind::Call(call, declared) => {
                    let Some(module) = input.config.missing_modules.get(&(node.module, (*call).clone()))
                    else {
                        continue;
                    };
                    let mut missing = module.as_input(name());
                    missing.range = place(declared.header);
                    missing
                }
                NodeKind::Resource(_) | NodeKind::Action(_) if without_schema(&node.kind).is_some() => {
                    let Some((provider, header)) = without_schema(&node.kind) else { continue };
                    // A provider is one input for all of its resources.
                    let known = *schemas.entry(provider.clone()).or_insert(found.inputs.len());
                    if known < found.inputs.len() {
                        found.at.insert((index, known));
                        continue;
                    }
                    let mut missing = Missing::new(MissingKind::Schema, provider.to_string());
                    missing.range = place(header);
                    missing
                }
                _ => continue,
            };
            found.add(index, missing);
        }
        let has_calls = input.config.sources.iter().any(|(_, text, _)| text.contains(OF_PROVIDERS));
        if accepts.schemas && has_calls {
            found.add_functions(input, graph, &mut schemas, &places);
        }
        if accepts.files {
            found.add_files(input.config, graph, &places);
        }
        if !found.inputs.is_empty() {
            found.reached = graph.dependents_by_value(found.at.iter().map(|(index, _)| *index));
            found.at.iter().for_each(|(index, _)| found.reached[*index] = true);
        }
        found
    }

    fn add(&mut self, index: usize, missing: Missing) {
        self.at.insert((index, self.inputs.len()));
        self.inputs.push(missing);
    }

    /// Adds the providers without schemas whose functions are called.
    fn add_functions(
        &mut self,
        input: &PlanInput<'_>,
        graph: &Graph<'_>,
        known: &mut HashMap<ProviderAddress, usize>,
        places: &Places<'_>,
    ) {
        let config = input.config;
        for (index, node) in graph.nodes.iter().enumerate() {
            for expr in expressions(config, node) {
                for name in called_functions(expr) {
                    let Some(local) = provider_of_function(name) else { continue };
                    let provider = config.provider_named(node.scope, local);
                    if input.schemas.has_provider(&provider) {
                        continue;
                    }
                    let at = *known.entry(provider.clone()).or_insert_with(|| {
                        let mut missing = Missing::new(MissingKind::Schema, provider.to_string());
                        missing.range = range(places, expr.span);
                        self.inputs.push(missing);
                        self.inputs.len() - 1
                    });
                    self.at.insert((index, at));
                }
            }
        }
    }

    /// Adds the files that functions read, as far as their paths are known without planning. A file is one input for all
    /// nodes that read it.
    fn add_files(&mut self, config: &Config, graph: &Graph<'_>, places: &Places<'_>) {
        let mut scopes: HashMap<ModuleId, PathScope<'_>> = HashMap::new();
        let mut known: HashMap<String, usize> = HashMap::new();
        for (index, node) in graph.nodes.iter().enumerate() {
            for call in expressions(config, node).into_iter().flat_map(file_calls) {
                let module = &config.modules[node.scope];
                let scope =
                    scopes.entry(node.scope).or_insert_with(|| PathScope::new(module, Functions::pure()));
                let FileRead { path, is_whole, .. } = scope.read(&call, String::new());
                let path = path.strip_prefix("./").unwrap_or(&path);
                let name = if is_whole { path.to_owned() } else { format!("{path}*") };
                let input = *known.entry(name.clone()).or_insert_with(|| {
                    let mut missing = Missing::new(MissingKind::File, name);
                    missing.range = range(places, call.span);
                    self.inputs.push(missing);
                    self.inputs.len() - 1
                });
                self.at.insert((index, input));
            }
        }
    }

    /// The missing inputs.
    pub(crate) fn list(&self) -> impl Iterator<Item = &Missing> {
        self.inputs.iter()
    }

    /// The input that a node lacks itself; the first of several files.
    pub(crate) fn at(&self, index: usize) -> Option<&Missing> {
        let (_, input) = self.at.range((index, 0)..(index + 1, 0)).next()?;
        self.inputs.get(*input)
    }

    /// The module that a call lacks.
    pub(crate) fn module_at(&self, index: usize) -> Option<&Missing> {
        self.at(index).filter(|missing| missing.kind == MissingKind::Module)
    }

    /// The name of a node that lacks an input itself, as references have it.
    pub(crate) fn name_at(&self, config: &Config, node: &Node<'_>, index: usize) -> Option<String> {
        self.at(index).and_then(|_| address(config, node))
    }

    /// Whether a node lacks an input, or depends on one that does.
    pub(crate) fn reaches(&self, index: usize) -> bool {
        self.reached.get(index).copied().unwrap_or_default()
    }
}

/// The expressions of a node, as far as planning evaluates them.
fn expressions<'e>(config: &'e Config, node: &'e Node<'_>) -> Vec<&'e Expr> {
    fn in_body<'e>(body: &'e Body, found: &mut Vec<&'e Expr>) {
        found.extend(body.attributes.iter().map(|attribute| &attribute.expr));
        body.blocks.iter().for_each(|block| in_body(&block.body, found));
    }
    let mut found = Vec::new();
    let mut conditions: Vec<&[Condition]> = Vec::new();
    match &node.kind {
        NodeKind::Variable(name, _) => {
            let call = super::variable::call_of(config, node.module);
            let arguments = call.map(|call| call.arguments.iter()).into_iter().flatten();
            found.extend(arguments.filter(|one| one.name == **name).map(|one| &one.expr));
        }
        NodeKind::Validation(_, declared) => conditions.push(&declared.validations),
        NodeKind::Local(_, local) => found.push(&local.expr),
        NodeKind::Output(_, output) => {
            found.push(&output.value);
            conditions.push(&output.preconditions);
        }
        NodeKind::Call(_, call) => found.extend(call.count.iter().chain(&call.for_each)),
        NodeKind::CallClose(_) => {}
        NodeKind::Check(_, check) => conditions.push(&check.asserts),
        NodeKind::Provider(provider) => in_body(&provider.body, &mut found),
        NodeKind::Action(action) => {
            found.extend(action.config.count.iter().chain(&action.config.for_each));
            in_body(&action.body, &mut found);
        }
        NodeKind::Resource(resource) => {
            found.extend(resource.config.count.iter().chain(&resource.config.for_each));
            in_body(&resource.body, &mut found);
            let lifecycle = &resource.config.lifecycle;
            conditions.extend([&*lifecycle.preconditions, &*lifecycle.postconditions]);
        }
    }
    found.extend(conditions.into_iter().flatten().flat_map(|one| [&one.condition, &one.error_message]));
    found
}

/// A place as documents have it.
fn range(places: &Places<'_>, span: Span) -> Option<MissingRange> {
    let place = places.find(span)?;
    let start = place.start();
    Some(MissingRange { file: place.name.to_owned(), line: start.line, column: start.column })
}

/// The provider whose schema is missing, and where something of it is declared.
fn without_schema<'n>(kind: &'n NodeKind<'_>) -> Option<(&'n ProviderAddress, Span)> {
    match kind {
        NodeKind::Resource(resource) if resource.is_inferred => {
            Some((&resource.provider, resource.config.header))
        }
        NodeKind::Action(action) if action.is_inferred => {
            Some((&action.provider_config.provider, action.config.header))
        }
        _ => None,
    }
}
