//! Values that are made part by part, where there is no text to read them from.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use super::tree::{Builder, Built, Node, Open, Tag};
use super::{Json, Shape, View};

impl Builder<'_> {
    /// A builder of values that are in no document.
    pub(crate) fn of_made() -> Self {
        Self::new("", 0)
    }

    pub(crate) fn make_string(&mut self, text: &str) -> Built {
        self.make(Tag::Unescaped, |unescaped| unescaped.push_str(text))
    }

    /// A number that is written as JSON writes numbers.
    pub(crate) fn make_number(&mut self, number: &impl Display) -> Built {
        // Writing to a string does not fail.
        self.make(Tag::MadeNumber, |unescaped| _ = write!(unescaped, "{number}"))
    }

    fn make(&mut self, tag: Tag, write: impl FnOnce(&mut String)) -> Built {
        let start = self.tree.unescaped.len();
        write(&mut self.tree.unescaped);
        Built(self.text(tag, start..self.tree.unescaped.len()))
    }

    /// An array of these parts, each made when it is its turn.
    pub(crate) fn make_array<P>(
        &mut self,
        parts: impl IntoIterator<Item = P>,
        mut make: impl FnMut(&mut Self, P) -> Built,
    ) -> Built {
        let mut open = self.open();
        for part in parts {
            let Built(node) = make(self, part);
            self.push(node, &mut open);
        }
        Built(self.close(open, Tag::Array, Tag::LargeArray))
    }

    /// An object of these members, each made when it is its turn.
    pub(crate) fn make_object<'k, P>(
        &mut self,
        members: impl IntoIterator<Item = (&'k str, P)>,
        mut make: impl FnMut(&mut Self, P) -> Built,
    ) -> Built {
        let mut open: Open = self.open();
        for (key, part) in members {
            let Built(key) = self.make_string(key);
            self.unfinished.push(key);
            let Built(node) = make(self, part);
            self.push(node, &mut open);
        }
        Built(self.object(open))
    }
}

/// Unites marks: `true` where any of them is, or where two have different shapes and are not empty.
///
/// ```
/// use objchange_plan::{Json, union_marks};
///
/// let (one, other) = (Json::parse(r#"{"a":true,"b":{"c":false}}"#)?, Json::parse(r#"{"b":{"c":true}}"#)?);
/// let union = union_marks(&[one.view(), other.view()]);
/// assert_eq!(union.view(), Json::parse(r#"{"a":true,"b":{"c":true}}"#)?.view());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn union_marks<'t>(marks: &[View<'_, '_>]) -> Json<'t> {
    let mut builder = Builder::of_made();
    let built = union(&mut builder, marks);
    builder.finish()(built)
}

/// How deep marks nest was limited when they were read.
fn union(builder: &mut Builder<'_>, marks: &[View<'_, '_>]) -> Built {
    let speaking: Vec<View<'_, '_>> = marks.iter().copied().filter(|marks| marks.says_something()).collect();
    if speaking.is_empty() {
        return Built::bool(false);
    }
    if speaking.iter().all(|marks| matches!(marks.shape(), Shape::Object(_))) {
        let mut members: BTreeMap<&str, Vec<View<'_, '_>>> = BTreeMap::new();
        for (key, member) in speaking.iter().flat_map(|marks| marks.members().iter()) {
            members.entry(key).or_default().push(member);
        }
        return builder.make_object(members, |builder, marks| union(builder, &marks));
    }
    if speaking.iter().all(|marks| matches!(marks.shape(), Shape::Array(_))) {
        let length = speaking.iter().map(|marks| marks.elements().len()).max().unwrap_or(0);
        return builder.make_array(0..length, |builder, index| {
            let marks: Vec<_> = speaking.iter().filter_map(|marks| marks.elements().get(index)).collect();
            union(builder, &marks)
        });
    }
    Built::bool(true)
}

impl Built {
    pub(crate) const fn bool(value: bool) -> Self {
        Self(if value { Node::TRUE } else { Node::FALSE })
    }
}
