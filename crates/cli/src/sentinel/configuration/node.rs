//! What a configuration holds before anybody asks what it means: values with the places where they stand.

use objchange_sentinel::Position;
use serde_json::Value as Json;

/// A value.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) at: Position,
    pub(super) kind: NodeKind,
}

#[derive(Debug)]
pub(super) enum NodeKind {
    Null,
    Bool(bool),
    Number(serde_json::Number),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Member>),
}

/// A member of an object, or an attribute of a block. A block without labels in a block is one, too: people write
/// `data { … }` and `data = { … }`, and mean the same.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) at: Position,
    pub(super) value: Node,
}

/// A block at the top: `kind "label" { … }`.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) kind: String,
    pub(super) at: Position,
    pub(super) labels: Vec<String>,
    pub(super) body: Node,
}

impl Node {
    /// What an error calls it.
    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            NodeKind::Null => "null",
            NodeKind::Bool(_) => "a bool",
            NodeKind::Number(_) => "a number",
            NodeKind::Text(_) => "a string",
            NodeKind::List(_) => "a list",
            NodeKind::Object(_) => "an object",
        }
    }

    pub(super) fn members(&self) -> Option<&[Member]> {
        match &self.kind {
            NodeKind::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The only member of an object that has one.
    pub(super) fn only(&self, name: &str) -> Option<&Node> {
        match self.members()? {
            [member] if member.name == name => Some(&member.value),
            _ => None,
        }
    }

    pub(super) fn into_json(self) -> Json {
        match self.kind {
            NodeKind::Null => Json::Null,
            NodeKind::Bool(bool) => Json::Bool(bool),
            NodeKind::Number(number) => Json::Number(number),
            NodeKind::Text(text) => Json::String(text),
            NodeKind::List(items) => items.into_iter().map(Node::into_json).collect(),
            NodeKind::Object(members) => {
                members.into_iter().map(|member| (member.name, member.value.into_json())).collect()
            }
        }
    }
}
