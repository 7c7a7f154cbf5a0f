//! Graphs: objects from nodes to their neighbours.

use std::collections::{BTreeSet, VecDeque};

use super::arguments::{items, object, some};
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::Limit;
use crate::error::MAX_ITEMS;
use crate::value::{Object, Value};

const NODES: Types = Types::SET.or(Types::ARRAY);

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("graph.reachable", &[Types::OBJECT, NODES], reachable),
    Builtin::new("graph.reachable_paths", &[Types::OBJECT, NODES], reachable_paths),
];

fn neighbours<'v>(graph: &'v Object, node: &Value) -> Option<&'v [Value]> {
    match graph.get(node)? {
        Value::Array(array) => Some(array.items()),
        Value::Set(set) => Some(set.items()),
        _ => Some(&[]),
    }
}

fn reachable(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let graph = object(operands, 0)?;
    let mut queue: VecDeque<&Value> = items(operands, 1)?.iter().collect();
    let mut reached = BTreeSet::new();
    while let Some(node) = queue.pop_front() {
        context.charge(64)?;
        // OPA 1.20 leaves out nodes that are no key of the graph.
        if let Some(next) = neighbours(graph, node)
            && reached.insert(node.clone())
        {
            queue.extend(next);
        }
    }
    some(Value::set(reached.into_iter().collect::<Vec<_>>()))
}

fn reachable_paths(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let graph = object(operands, 0)?;
    let mut paths = Paths::default();
    for root in items(operands, 1)? {
        if graph.contains_key(root) {
            extend_path(context, graph, &mut vec![root.clone()], &mut paths)?;
        }
    }
    some(Value::set(paths.found))
}

/// Paths through a graph; there may be exponentially many.
#[derive(Default)]
struct Paths {
    found: Vec<Value>,
    /// How many nodes they have together.
    nodes: usize,
}

/// Collects the longest paths that continue this one and visit no node twice.
fn extend_path(
    context: &mut Context<'_>,
    graph: &Object,
    path: &mut Vec<Value>,
    paths: &mut Paths,
) -> Result<(), BuiltinError> {
    // The function calls itself for each node of a path, and looks for a node in the whole path.
    const MAX_LENGTH: usize = 2_000;
    if path.len() > MAX_LENGTH {
        return Err(BuiltinError::refused(format!(
            "graph.reachable_paths: a path has more than {MAX_LENGTH} nodes"
        )));
    }
    let next = path.last().and_then(|node| neighbours(graph, node)).unwrap_or_default();
    let mut is_end = next.is_empty();
    for node in next {
        context.charge(64 + path.len())?;
        // OPA follows an edge from the first node to itself once.
        if !graph.contains_key(node) || (path.len() > 1 && path.contains(node)) {
            is_end = true;
            continue;
        }
        path.push(node.clone());
        extend_path(context, graph, path, paths)?;
        path.pop();
    }
    if is_end {
        paths.nodes += path.len();
        if paths.nodes > MAX_ITEMS {
            return Err(BuiltinError::limit(Limit::Size));
        }
        context.charge(path.len() * size_of::<Value>())?;
        paths.found.push(Value::array(path.clone()));
    }
    Ok(())
}
