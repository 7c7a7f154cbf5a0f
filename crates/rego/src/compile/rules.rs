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

/// How many rules an error names on the way from one to itself.
const MOST_NAMED: usize = 8;

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
                    let has_members = rule.head.member.is_some();
                    shapes.push(RuleShape { kind, has_members, package: module.package.clone(), name });
                    id
                }
            };
            let place = SourcePlace { file: unit.file, span: rule.span };
            let shape = &shapes[id as usize];
            if shape.kind != kind || shape.has_members != rule.head.member.is_some() {
                let message = format!("conflicting rules data.{} found", path.join("."));
                let first = placed.iter().find(|one: &&Placed<'_>| one.id == id);
                let first =
                    first.map(|one| SourcePlace { file: modules[one.module].0.file, span: one.rule.span });
                let location = Some(location(&files, first.unwrap_or(place)));
                errors.push(CompileError { code: "rego_type_error", location, message });
                continue;
            }
            placed.push(Placed { rule, module: index, id, keys });
        }
    }
    tree.finish();
    refuse_parts(&files, &tree, modules, &placed, &shapes, &mut errors);
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
        marks: options.marks.then(Vec::new),
        first_mark: 0,
        current: (0, 0),
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
        let number = u32::try_from(set.definitions.len()).unwrap_or(u32::MAX);
        // A default has no body to come by.
        shared.current = (one.id, if one.rule.is_default { u32::MAX } else { number });
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
            let name = tree.node(set.node).path.join(".");
            let places = set.default.iter().map(|one| one.place).chain([definition.place]);
            let places: Vec<String> = places.map(|place| location(&files, place).to_string()).collect();
            let location = Some(location(&files, definition.place));
            let message = format!("multiple default rules data.{name} found at {}", places.join(", "));
            shared.errors.push(CompileError { code: "rego_type_error", location, message });
        }
    }
    let Shared { mut errors, data_references, input_references, mocked, marks, .. } = shared;
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
        marks: marks.unwrap_or_default(),
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
    let mut branches = vec![lowerer.branch(rule.span, &rule.body, keys, value, is_member)];
    for other in &rule.elses {
        let span = other.value.as_ref().map(|value| value.span);
        let span = span.or_else(|| other.body.first().map(|literal| literal.span)).unwrap_or(rule.span);
        branches.push(lowerer.branch(span, &other.body, keys, other.value.as_ref(), is_member));
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

/// Reports rules below another one that makes no object, and packages whose name is that of a rule.
fn refuse_parts(
    files: &[String],
    tree: &Tree,
    modules: &[(Unit, Module)],
    placed: &[Placed<'_>],
    shapes: &[RuleShape],
    errors: &mut Vec<CompileError>,
) {
    let mut places: Vec<Option<SourcePlace>> = vec![None; shapes.len()];
    let mut nodes = vec![0; shapes.len()];
    for one in placed {
        let (unit, module) = &modules[one.module];
        let first = &mut places[one.id as usize];
        if first.is_none() {
            *first = Some(SourcePlace { file: unit.file, span: one.rule.span });
            nodes[one.id as usize] = follow(tree, &path(&module.package, one.rule).0);
        }
    }
    let name = |rule: RuleId| format!("data.{}", tree.node(nodes[rule as usize]).path.join("."));
    let mut refuse = |place: SourcePlace, message: String| {
        errors.push(CompileError {
            code: "rego_type_error",
            location: Some(location(files, place)),
            message,
        });
    };
    for (id, place) in (0..).zip(&places) {
        let Some(place) = *place else { continue };
        let node = tree.node(nodes[id as usize]);
        let Some(upper) = node.above.and_then(|above| tree.node(above).rule) else { continue };
        let is_function = |rule: RuleId| matches!(shapes[rule as usize].kind, RuleKind::Function(_));
        // Rules make one object together with another one that has variable keys, functions do not.
        if (shapes[upper as usize].kind != RuleKind::Object || is_function(id))
            && let Some(of_upper) = places[upper as usize]
        {
            let at = location(files, place);
            let (upper, lower) = (name(upper), name(id));
            let message = format!("rule {upper} conflicts with:\n  rule {lower} at {}:{}", at.file, at.line);
            refuse(of_upper, message);
        }
    }
    for (unit, module) in modules {
        let node = tree.node(follow(tree, &module.package));
        let rules = [node.rule, node.above.and_then(|above| tree.node(above).rule)];
        let first = rules.into_iter().flatten().find(|rule| shapes[*rule as usize].kind != RuleKind::Object);
        if let Some(rule) = first
            && let Some(of_rule) = places[rule as usize]
        {
            let at = location(files, of_rule);
            let package = module.package.join(".");
            let shape = &shapes[rule as usize];
            let message = format!(
                "package {package} conflicts with rule {} defined at {}:{}",
                shape.name, at.file, at.line
            );
            refuse(SourcePlace { file: unit.file, span: module.package_span }, message);
        }
    }
}

/// The position of a path that is in the tree.
fn follow(tree: &Tree, path: &[String]) -> NodeId {
    tree.follow(path.iter().map(String::as_str)).0
}

/// The shortest way in a group of the graph from a position back to it, without its end.
fn way_back(graph: &[Vec<NodeId>], group: &[NodeId], begin: NodeId) -> Vec<NodeId> {
    let mut before: HashMap<NodeId, NodeId> = HashMap::new();
    let mut pending = std::collections::VecDeque::from([begin]);
    while let Some(at) = pending.pop_front() {
        for next in &graph[at as usize] {
            if group.binary_search(next).is_ok() && !before.contains_key(next) {
                before.insert(*next, at);
                pending.push_back(*next);
            }
        }
    }
    let mut way = Vec::new();
    let mut at = begin;
    while let Some(node) = before.get(&at) {
        at = *node;
        way.push(at);
        if at == begin {
            break;
        }
    }
    way.reverse();
    way
}

fn refuse_recursion(
    files: &[String],
    tree: &Tree,
    rules: &[RuleSet],
    edges: &[Vec<NodeId>],
    errors: &mut Vec<CompileError>,
) {
    // A position leads to its rule, to one above it that makes an object, and to the positions below it; a rule
    // to the positions that it mentions. Rules have the numbers behind those of the positions.
    let of_rules = NodeId::try_from(tree.nodes.len()).unwrap_or(NodeId::MAX);
    let nodes = tree.nodes.iter().map(|node| {
        let above = node.above.and_then(|above| tree.node(above).rule);
        let rules = node.rule.into_iter().chain(above).map(|rule| of_rules + rule);
        node.children.values().copied().chain(rules).collect()
    });
    let graph: Vec<Vec<NodeId>> = nodes.chain(edges.iter().cloned()).collect();
    for cycle in cycles(&graph) {
        let in_cycle: Vec<RuleId> = cycle.iter().filter_map(|node| node.checked_sub(of_rules)).collect();
        let first = in_cycle.iter().copied().min();
        let Some(set) = first.map(|rule| &rules[rule as usize]) else { continue };
        let Some(place) = set.definitions.first().or(set.default.as_deref()).map(|one| one.place) else {
            continue;
        };
        let name = |rule: &RuleId| format!("data.{}", tree.node(rules[*rule as usize].node).path.join("."));
        let begin = first.iter().map(name).collect::<String>();
        let way = first.map(|first| way_back(&graph, &cycle, of_rules + first)).unwrap_or_default();
        let rules_on_way = way.iter().filter_map(|node| node.checked_sub(of_rules)).take(MOST_NAMED);
        let mut way: Vec<String> = rules_on_way.map(|rule| name(&rule)).collect();
        way.push(begin.clone());
        let message = format!("rule {begin} is recursive: {}", way.join(" -> "));
        let location = Some(location(files, place));
        errors.push(CompileError { code: "rego_recursion_error", location, message });
    }
}
