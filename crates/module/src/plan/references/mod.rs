//! The references of a module tree as data: the graph, with what of it is unknown, and why something is as it is.

mod explain;
mod find;
mod graph;

use objchange_hcl::Span;

pub(super) use explain::ExplainObserver;
pub use explain::{ExplainError, Explanation, ExplanationStep};
pub(super) use find::{ObjectPart, in_body, key_of, subjects};
pub(super) use graph::GraphObserver;
pub use graph::{ReferenceGraph, ReferenceKind, ReferenceNode};

use super::graph::{Graph, Node, NodeKind, resource_text};
use super::walk::Walk;
use crate::config::Config;

/// Looks at a plan while it is made.
pub(crate) trait Observer {
    /// The graph is there.
    fn graph(&mut self, _config: &Config, _graph: &Graph<'_>) {}

    /// Everything is evaluated.
    fn walked(&mut self, _walk: &Walk<'_, '_>) {}
}

/// Ignores everything.
pub(crate) struct NoObserver;

impl Observer for NoObserver {}

/// The name of a node in its module tree, as references write it; none of what is only a step of the evaluation.
pub(super) fn address(config: &Config, node: &Node<'_>) -> Option<String> {
    let name = match &node.kind {
        NodeKind::Variable(name, _) => format!("var.{name}"),
        NodeKind::Local(name, _) => format!("local.{name}"),
        NodeKind::Output(name, _) => format!("output.{name}"),
        NodeKind::Resource(resource) => resource_text(resource.name),
        NodeKind::Call(name, _) => format!("module.{name}"),
        NodeKind::Check(name, _) => format!("check.{name}"),
        NodeKind::Action(action) => action.name.to_string(),
        NodeKind::Provider(provider) => return Some(provider.address.to_string()),
        NodeKind::Validation(..) | NodeKind::CallClose(_) => return None,
    };
    let modules = config.modules[node.module].path.iter();
    let prefix: String = modules.map(|name| format!("module.{name}.")).collect();
    Some(prefix + &name)
}

/// Where a node is declared.
pub(super) fn header(node: &Node<'_>) -> Option<Span> {
    Some(match &node.kind {
        NodeKind::Variable(_, variable) | NodeKind::Validation(_, variable) => variable.header,
        NodeKind::Local(_, local) => local.name_span,
        NodeKind::Output(_, output) => output.header,
        NodeKind::Resource(resource) => resource.config.header,
        NodeKind::Call(_, call) => call.header,
        NodeKind::Provider(provider) => provider.config?.header,
        NodeKind::Check(_, check) => check.header,
        NodeKind::Action(action) => action.config.header,
        NodeKind::CallClose(_) => return None,
    })
}
