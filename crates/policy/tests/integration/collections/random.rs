//! Values of which parts are unknown or sensitive, and what a document says of them.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// A text that stands only where it must not be shown.
pub(crate) const SECRET: &str = "hunter2";

/// A value with its marks where they belong.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) sensitive: bool,
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Leaf(Value),
    Unknown,
    Object(BTreeMap<String, Node>),
    List(Vec<Node>),
}

/// Any value; it has few names, so that two have some in common.
pub(crate) fn node() -> impl Strategy<Value = Node> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2i64..2).prop_map(Value::from),
        "[a-c ]{0,3}".prop_map(Value::from),
    ];
    let kind = prop_oneof![4 => leaf.prop_map(Kind::Leaf), 1 => Just(Kind::Unknown)];
    let marked =
        |kind| (prop::bool::weighted(0.15), kind).prop_map(|(sensitive, kind)| Node { sensitive, kind });
    marked(kind.boxed()).prop_recursive(4, 40, 4, move |inner| {
        let name = prop::sample::select(vec!["a", "b", "a.b", "0", "c d"]).prop_map(str::to_owned);
        let object = prop::collection::btree_map(name, inner.clone(), 0..4).prop_map(Kind::Object);
        let kind = prop_oneof![2 => object, 1 => prop::collection::vec(inner, 0..4).prop_map(Kind::List)];
        marked(kind.boxed())
    })
}

/// An object, as resources are.
pub(crate) fn object() -> impl Strategy<Value = Node> {
    let name = prop::sample::select(vec!["a", "b", "tags"]).prop_map(str::to_owned);
    prop::collection::btree_map(name, node(), 0..4)
        .prop_map(|members| Node { sensitive: false, kind: Kind::Object(members) })
}

impl Node {
    /// The value with the secret in each text and name below what is sensitive.
    pub(crate) fn planted(self) -> Self {
        self.planted_below(false)
    }

    fn planted_below(self, is_secret: bool) -> Self {
        let is_secret = is_secret || self.sensitive;
        let kind = match self.kind {
            Kind::Leaf(Value::String(text)) if is_secret => Kind::Leaf(json!(format!("{text}{SECRET}"))),
            Kind::Object(members) => Kind::Object(
                members
                    .into_iter()
                    .map(|(name, node)| match is_secret {
                        true => (format!("{name}{SECRET}"), node.planted_below(true)),
                        false => (name, node.planted_below(false)),
                    })
                    .collect(),
            ),
            Kind::List(nodes) => {
                Kind::List(nodes.into_iter().map(|node| node.planted_below(is_secret)).collect())
            }
            other => other,
        };
        Self { kind, ..self }
    }

    /// Nothing of it is unknown.
    pub(crate) fn known(self) -> Self {
        let kind = match self.kind {
            Kind::Unknown => Kind::Leaf(json!(7)),
            Kind::Object(members) => {
                Kind::Object(members.into_iter().map(|(name, node)| (name, node.known())).collect())
            }
            Kind::List(nodes) => Kind::List(nodes.into_iter().map(Self::known).collect()),
            leaf => leaf,
        };
        Self { kind, ..self }
    }

    /// The value as `unknown` has it where something is unknown, if at all, and `hidden` what is sensitive.
    fn shown(&self, unknown: Option<&Value>, hidden: Option<&Value>) -> Option<Value> {
        match (&self.kind, hidden) {
            (Kind::Unknown, _) => unknown.cloned(),
            (_, Some(hidden)) if self.sensitive => Some(hidden.clone()),
            (Kind::Leaf(leaf), _) => Some(leaf.clone()),
            (Kind::Object(members), _) => {
                let shown = members
                    .iter()
                    .filter_map(|(name, node)| Some((name.clone(), node.shown(unknown, hidden)?)));
                Some(Value::Object(shown.collect()))
            }
            // A list has something in each place.
            (Kind::List(nodes), _) => {
                let placeholder =
                    |node: &Self| hidden.filter(|_| node.sensitive).cloned().unwrap_or_default();
                let shown = |node: &Self| node.shown(unknown, hidden).unwrap_or_else(|| placeholder(node));
                Some(nodes.iter().map(shown).collect())
            }
        }
    }

    /// The value as documents have it; `None` if all of it is unknown.
    pub(crate) fn value(&self) -> Option<Value> {
        self.shown(None, None)
    }

    /// The value with sensitive parts hidden.
    pub(crate) fn redacted(&self) -> Option<Value> {
        self.shown(None, Some(&json!("(sensitive value)")))
    }

    /// The value with markers for unknown parts.
    pub(crate) fn full(&self) -> Value {
        self.shown(Some(&json!({"$unknown": {}})), None).unwrap()
    }

    pub(crate) fn unknown(&self) -> Value {
        self.marks(&|node| matches!(node.kind, Kind::Unknown))
    }

    pub(crate) fn sensitive(&self) -> Value {
        self.marks(&|node| node.sensitive)
    }

    fn marks(&self, is_marked: &dyn Fn(&Self) -> bool) -> Value {
        match &self.kind {
            _ if is_marked(self) => json!(true),
            Kind::Leaf(_) | Kind::Unknown => json!(false),
            Kind::Object(members) => {
                let mut marks = Map::new();
                for (name, node) in members {
                    let mark = node.marks(is_marked);
                    if mark != json!(false) {
                        marks.insert(name.clone(), mark);
                    }
                }
                Value::Object(marks)
            }
            Kind::List(nodes) => nodes.iter().map(|node| node.marks(is_marked)).collect(),
        }
    }
}

/// The `change` of a plan from one value to another.
pub(crate) fn change(before: Option<&Node>, after: Option<&Node>) -> Value {
    let actions = match (before, after) {
        (None, _) => json!(["create"]),
        (_, None) => json!(["delete"]),
        _ => json!(["update"]),
    };
    let mut change = json!({
        "actions": actions,
        "before": before.and_then(Node::value),
        "after_unknown": after.map_or(json!(false), Node::unknown),
        "before_sensitive": before.map_or(json!(false), Node::sensitive),
        "after_sensitive": after.map_or(json!(false), Node::sensitive),
    });
    match after.map(Node::value) {
        // A wholly unknown value is left out.
        Some(None) => {}
        after => change["after"] = json!(after.flatten()),
    }
    change
}
