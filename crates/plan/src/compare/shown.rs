//! Values as a comparison shows them: without what must not be shown.

use std::collections::BTreeMap;

use objchange_text::redact::SENSITIVE;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

use crate::canonical::{Node, NodeKind};
use objchange_document::Text;
use objchange_document::json::{Shape, View, serialize_number};

/// A value as a comparison shows it.
///
/// In JSON an unknown value is `{"$unknown":{}}` and a hidden one `{"$sensitive":"(sensitive value)"}`, as in case
/// files. Absent values are left out.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShownValue<'t> {
    /// There is no value.
    Absent,
    /// The value is known after apply.
    Unknown,
    /// The value must not be shown.
    Sensitive,
    /// Null.
    Null,
    /// A bool.
    Bool(bool),
    /// A number, as it is written in the document.
    Number(Text<'t>),
    /// A string.
    String(Text<'t>),
    /// A list, a set or a tuple.
    List(Vec<ShownValue<'t>>),
    /// An object or a map.
    Object(Vec<(Text<'t>, ShownValue<'t>)>),
}

impl ShownValue<'_> {
    /// Whether there is no value.
    pub fn is_absent(&self) -> bool {
        *self == Self::Absent
    }
}

/// The words that have a meaning in the JSON of case files.
const MARKERS: [&str; 4] = ["$unknown", "$sensitive", "$ephemeral", "$literal"];

impl Serialize for ShownValue<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let marker = |serializer: S, name: &str, value: &str| {
            let mut map = serializer.serialize_map(Some(1))?;
            match value {
                "" => map.serialize_entry(name, &BTreeMap::<&str, ()>::new())?,
                value => map.serialize_entry(name, value)?,
            }
            map.end()
        };
        match self {
            Self::Absent | Self::Null => serializer.serialize_unit(),
            Self::Unknown => marker(serializer, "$unknown", ""),
            Self::Sensitive => marker(serializer, "$sensitive", SENSITIVE),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(text) => serialize_number(text, serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::List(elements) => {
                let mut seq = serializer.serialize_seq(Some(elements.len()))?;
                elements.iter().try_for_each(|element| seq.serialize_element(element))?;
                seq.end()
            }
            Self::Object(members) => {
                let is_marker = matches!(&members[..], [(key, _)] if MARKERS.contains(&&**key));
                let mut map = serializer.serialize_map(None)?;
                if is_marker {
                    map.serialize_entry("$literal", &Members(members))?;
                } else {
                    members.iter().try_for_each(|(key, value)| map.serialize_entry(key, value))?;
                }
                map.end()
            }
        }
    }
}

struct Members<'m, 't>(&'m [(Text<'t>, ShownValue<'t>)]);

impl Serialize for Members<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// The parts of a resource that are sensitive in any plan, before or after. All elements of a collection share marks,
/// because an element may have another position in each plan.
#[derive(Default)]
pub(super) struct Hidden {
    is_whole: bool,
    members: BTreeMap<String, Hidden>,
    elements: Option<Box<Hidden>>,
}

impl Hidden {
    /// Hides what these marks say, too.
    pub(super) fn add(&mut self, marks: View<'_, '_>) {
        match marks.shape() {
            Shape::Bool(true) => self.is_whole = true,
            Shape::Object(members) => {
                for (key, marks) in members.iter().filter(|(_, marks)| marks.has_true()) {
                    self.members.entry(key.to_owned()).or_default().add(marks);
                }
            }
            Shape::Array(elements) => {
                for marks in elements.iter().filter(|marks| marks.has_true()) {
                    self.elements.get_or_insert_default().add(marks);
                }
            }
            _ => {}
        }
    }

    /// Everything below the root.
    pub(super) fn root(&self) -> Cover<'_> {
        Cover(Some(self))
    }
}

/// The hidden parts at a place and below.
#[derive(Clone, Copy)]
pub(super) struct Cover<'h>(Option<&'h Hidden>);

impl Cover<'_> {
    /// Whether all of the place is hidden.
    pub(super) fn is_whole(self) -> bool {
        self.0.is_some_and(|hidden| hidden.is_whole)
    }

    /// Whether the place or anything below is hidden.
    pub(super) fn hides_some(self) -> bool {
        self.0
            .is_some_and(|hidden| hidden.is_whole || !hidden.members.is_empty() || hidden.elements.is_some())
    }

    pub(super) fn member(self, key: &str) -> Self {
        Self(self.0.filter(|hidden| !hidden.is_whole).and_then(|hidden| hidden.members.get(key)))
    }

    pub(super) fn element(self) -> Self {
        Self(self.0.filter(|hidden| !hidden.is_whole).and_then(|hidden| hidden.elements.as_deref()))
    }
}

/// A part as it is shown.
pub(super) fn shown<'t>(node: &Node<'_, 't>, cover: Cover<'_>) -> ShownValue<'t> {
    if cover.is_whole() {
        return ShownValue::Sensitive;
    }
    match &node.kind {
        NodeKind::Null => ShownValue::Null,
        NodeKind::Unknown => ShownValue::Unknown,
        NodeKind::Sensitive(_) => ShownValue::Sensitive,
        NodeKind::Scalar(view) => match view.shape() {
            Shape::Bool(value) => ShownValue::Bool(value),
            Shape::Number(_) => ShownValue::Number(view.text().unwrap_or_default()),
            _ => ShownValue::String(view.text().unwrap_or_default()),
        },
        NodeKind::List(elements) | NodeKind::Set(elements) => {
            ShownValue::List(elements.iter().map(|element| shown(element, cover.element())).collect())
        }
        NodeKind::Object(members) => ShownValue::Object(
            members.iter().map(|(key, member)| (key.clone(), shown(member, cover.member(key)))).collect(),
        ),
    }
}
