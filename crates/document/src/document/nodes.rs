//! Parts of JSON trees with positions.

use objchange_text::json::{Node, NodeKind};

/// The last member of this name, as readers take it.
pub(super) fn member<'n, 't>(node: &'n Node<'t>, name: &str) -> Option<&'n Node<'t>> {
    let NodeKind::Object(members) = &node.kind else { return None };
    members.iter().rev().find(|member| member.name == name).map(|member| &member.value)
}

/// The elements of an array; none if it is absent or no array.
pub(super) fn elements<'n, 't>(node: Option<&'n Node<'t>>) -> std::slice::Iter<'n, Node<'t>> {
    match node.map(|node| &node.kind) {
        Some(NodeKind::Array(elements)) => elements.iter(),
        _ => [].iter(),
    }
}

/// The text of a member; `None` if it is absent or no string.
pub(super) fn text_of<'n>(node: &'n Node<'_>, name: &str) -> Option<&'n str> {
    match &member(node, name)?.kind {
        NodeKind::String(text) => Some(text),
        _ => None,
    }
}
