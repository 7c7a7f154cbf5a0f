//! Collects all rules and their definitions, and reports conflicts.

use hashbrown::HashMap;

use super::lower::{Lowerer, Shared, Unit};
use super::program::{Definition, NodeId, RuleId, RuleKind, RuleSet, SourcePlace};
use super::recursion::cycles;
use super::tree::Tree;
use super::types;
use super::{CompileOptions, Compiled, RuleShape, SourceFile, check_deadline, location, metadata};
use crate::error::{CompileError, CompileErrors};
use crate::syntax::ast::{Module, Rule, Term, TermKind};
use crate::value::Value;

/// How many errors are reported.
pub(super) const MOST_ERRORS: usize = 20;

/// A rule and where it belongs.
struct Placed<'m> {
    rule: &'m Rule,
    module: usize,
    id: RuleId,
    /// The variable part of the path in its head.
    keys: &'m [Term],
}

pub(super) fn compile(
    sources: &[SourceFile],
    modules: &[(Unit, Module)],
    options: &CompileOptions,
) -> Result<Compiled, CompileErrors> {
    let files: Vec<String> = sources.iter().map(|file| file.name.clone()).collect();
    let mut tree = Tree::new();
    let mut shapes: Vec<RuleShape> = Vec::new();
    let mut rules: Vec<RuleSet> = Vec::new();
    let mut errors = Vec::new();
    let mut placed = Vec::new();
    for (index, (unit, module)) in modules.iter().enumerate() {
        tree.insert(&module.package);
        for rule in &module.rules {
            let (path, keys) = path(&module.package, rule);
            let node = tree.insert(&path);
            let kind = kind(rule, keys);
            let id = match tree.node(node).rule {
                Some(id) => id,
                None => {
                    let id = RuleId::try_from(rules.len()).unwrap_or(RuleId::MAX);
                    tree.nodes[node as usize].rule = Some(id);
                    rules.push(RuleSet { node, kind, definitions: Vec::new(), default: None });
                    let name = rule.head.name.clone();
                    shapes.push(RuleShape { kind, package: module.package.clone(), name });
                    id
                }
            };
            let place = SourcePlace { file: unit.file, span: rule.span };
            if shapes[id as usize].kind != kind {
                let name = &rule.head.name;
                let message = match (shapes[id as usize].kind, kind) {
                    (RuleKind::Function(one), RuleKind::Function(other)) => {
                        format!("{name} is defined with {one} and with {other} parameters")
                    }
                    _ => format!(
                        "{name} is defined in different ways: as one value, a set, an object or a function"
                    ),
                };
                let location = Some(location(&files, place));
                errors.push(CompileError { code: "rego_type_error", location, message });
                continue;
            }
            placed.push(Placed { rule, module: index, id, keys });
        }
    }
    tree.sort();
    let mut shared = Shared {
        tree: &tree,
        shapes: &shapes,
        files: &files,
        network: options.network,
        errors,
        data_references: Vec::new(),
        input_references: Vec::new(),
        mocked: Vec::new(),
        edges: Vec::new(),
        metadata: (Value::Null, Value::Null),
    };
    let mut edges: Vec<Vec<NodeId>> = vec![Vec::new(); rules.len()];
    let mut reads_input = vec![false; rules.len()];
    let mut first_of_text = HashMap::new();
    let annotations: Vec<_> = modules.iter().map(|(_, module)| metadata::read(module)).collect();
    for one in placed {
        check_deadline(options)?;
        let (unit, module) = &modules[one.module];
        let set = &mut rules[one.id as usize];
        shared.metadata = annotations[one.module].of_rule(module, one.rule, &tree.node(set.node).path);
        // References are collected for all rules together, so those of this rule are the ones added from here
        // on.
        let mentions_before = shared.input_references.len();
        let mut definition = definition(unit, &mut shared, &one);
        let text = sources.get(unit.file as usize).map_or("", |file| &file.text);
        let text = text.get(one.rule.span.start as usize..one.rule.span.end as usize).unwrap_or_default();
        // A library that is loaded twice defines everything twice. Two copies of a function gave two unknown
        // values that were not known to be equal, which left all rules of the Azure library undecided on 37
        // of 51 public plans.
        let first = first_of_text.entry((one.id, text)).or_insert(one.module);
        // Annotations are not in the text of the rule.
        definition.is_copy =
            *first != one.module && unit.is_like(&modules[*first].0) && !text.contains("rego.metadata");
        reads_input[one.id as usize] |= shared.input_references.len() > mentions_before;
        edges[one.id as usize].append(&mut shared.edges);
        if !one.rule.is_default {
            set.definitions.push(definition);
        } else if set.default.is_none() {
            set.default = Some(Box::new(definition));
        } else {
            let location = Some(location(&files, definition.place));
            let message = format!("{} has two defaults", one.rule.head.name);
            shared.errors.push(CompileError { code: "rego_type_error", location, message });
        }
    }
    let Shared { mut errors, data_references, input_references, mocked, .. } = shared;
    // A rule may mention another one thousands of times, and the graph is walked several times.
    for edges in &mut edges {
        edges.sort_unstable();
        edges.dedup();
    }
    refuse_recursion(&files, &tree, &rules, &edges, &mut errors);
    if errors.is_empty() {
        types::check(&files, &tree.nodes, &rules, options, &mut errors)?;
    }
    if !errors.is_empty() {
        // Errors come from several passes over the rules.
        errors.sort_by(|a, b| a.location.cmp(&b.location));
        errors.truncate(MOST_ERRORS);
        return Err(CompileErrors(errors));
    }
    let nodes = tree.nodes;
    Ok(Compiled {
        files,
        nodes,
        rules,
        shapes,
        edges,
        reads_input,
        data_references,
        mocked,
        input_references,
    })
}

fn definition<'a>(unit: &'a Unit, shared: &mut Shared<'a>, placed: &Placed<'_>) -> Definition {
    let (rule, keys) = (placed.rule, placed.keys);
    let place = SourcePlace { file: unit.file, span: rule.span };
    let mut lowerer = Lowerer::new(unit, shared);
    let terms = rule.head.params.as_deref().unwrap_or_default();
    lowerer.open_parameters(terms);
    let params = terms.iter().map(|param| lowerer.pattern(param)).collect();
    let is_member = rule.head.member.is_some();
    let value = rule.head.member.as_ref().or(rule.head.value.as_ref());
    let mut branches = vec![lowerer.branch(&rule.body, keys, value, is_member)];
    for other in &rule.elses {
        branches.push(lowerer.branch(&other.body, keys, other.value.as_ref(), is_member));
    }
    let slots = u32::try_from(lowerer.is_bound.len()).unwrap_or(u32::MAX);
    Definition { place, is_copy: false, params, slots, branches }
}

/// The path of a rule in `data`, and the keys of its head that are not constant.
pub(super) fn path<'r>(package: &[String], rule: &'r Rule) -> (Vec<String>, &'r [Term]) {
    let mut path = package.to_vec();
    path.push(rule.head.name.clone());
    let mut keys = &rule.head.path[..];
    // Everything behind the first variable key is made when the rule is evaluated: in `x[i].y` also `y`.
    while let [Term { kind: TermKind::String(name), .. }, rest @ ..] = keys {
        path.push(name.clone());
        keys = rest;
    }
    (path, keys)
}

fn kind(rule: &Rule, keys: &[Term]) -> RuleKind {
    match (&rule.head.params, &rule.head.member) {
        (Some(params), _) => RuleKind::Function(params.len()),
        _ if !keys.is_empty() => RuleKind::Object,
        (None, Some(_)) => RuleKind::Set,
        (None, None) => RuleKind::Complete,
    }
}

fn refuse_recursion(
    files: &[String],
    tree: &Tree,
    rules: &[RuleSet],
    edges: &[Vec<NodeId>],
    errors: &mut Vec<CompileError>,
) {
    // A position leads to its rule and to the positions below it, a rule to the positions that it mentions.
    let graph: Vec<Vec<NodeId>> = tree
        .nodes
        .iter()
        .map(|node| {
            let of_rule = node.rule.iter().flat_map(|rule| &edges[*rule as usize]);
            node.children.values().chain(of_rule).copied().collect()
        })
        .collect();
    for cycle in cycles(&graph) {
        let in_cycle: Vec<RuleId> = cycle.iter().filter_map(|node| tree.node(*node).rule).collect();
        let first = in_cycle.iter().copied().min();
        let Some(set) = first.map(|rule| &rules[rule as usize]) else { continue };
        let Some(place) = set.definitions.first().or(set.default.as_deref()).map(|one| one.place) else {
            continue;
        };
        let name = |rule: &RuleId| {
            let path = &tree.node(rules[*rule as usize].node).path;
            path.last().cloned().unwrap_or_default()
        };
        let verb = if matches!(set.kind, RuleKind::Function(_)) { "calls" } else { "leads to" };
        let mut message = format!(
            "{} {verb} itself, which Rego does not allow",
            first.iter().map(name).collect::<String>()
        );
        let others: Vec<String> =
            in_cycle.iter().filter(|rule| Some(**rule) != first).take(3).map(name).collect();
        if !others.is_empty() {
            message.push_str(&format!(" (by {})", others.join(", ")));
        }
        let location = Some(location(files, place));
        errors.push(CompileError { code: "rego_recursion_error", location, message });
    }
}
