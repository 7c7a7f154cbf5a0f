//! Values that are made part by part, where there is no text to read them from.

use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use super::tree::{Builder, Built, Node, Open, Tag};
use super::{Json, Shape, View};

impl Builder<'_> {
    /// A builder of values that are in no document.
    pub fn of_made() -> Self {
        Self::new("", 0)
    }

    /// A string.
    pub fn make_string(&mut self, text: &str) -> Built {
        self.make(Tag::Unescaped, |unescaped| unescaped.push_str(text))
    }

    /// A number that is written as JSON writes numbers.
    pub fn make_number(&mut self, number: &impl Display) -> Built {
        // Writing to a string does not fail.
        self.make(Tag::MadeNumber, |unescaped| _ = write!(unescaped, "{number}"))
    }

    fn make(&mut self, tag: Tag, write: impl FnOnce(&mut String)) -> Built {
        let start = self.tree.unescaped.len();
        write(&mut self.tree.unescaped);
        Built(self.text(tag, start..self.tree.unescaped.len()))
    }

    /// An array of these parts, each made when it is its turn.
    pub fn make_array<P>(
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
    pub fn make_object<'k, P>(
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
/// use objchange_document::json::{Json, union_marks};
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

/// Recursion is safe: the depth of marks was limited when they were read.
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

/// Marks the places where marks of unknown parts are unknown themselves: if all of a value turns out known, the document has no
/// marks of its parts. Marks without any `true` stay as they are.
///
/// ```
/// use objchange_document::json::{Json, doubtful_marks};
///
/// let marks = Json::parse(r#"{"id":true,"rule":[],"tags":{"a":false,"b":true}}"#)?;
/// let doubtful = Json::parse(r#"{"id":true,"rule":true,"tags":{"a":true,"b":true}}"#)?;
/// assert_eq!(doubtful_marks(marks.view()).view(), doubtful.view());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn doubtful_marks<'t>(marks: View<'_, '_>) -> Json<'t> {
    let mut builder = Builder::of_made();
    let built = match marks.has_true() {
        true => doubtful(&mut builder, marks),
        false => union(&mut builder, &[marks]),
    };
    builder.finish()(built)
}

/// Recursion is safe: the depth of marks was limited when they were read.
fn doubtful(builder: &mut Builder<'_>, marks: View<'_, '_>) -> Built {
    match marks.shape() {
        Shape::Object(members) if marks.has_true() => builder.make_object(members.iter(), doubtful),
        // The number of marks in a list depends on them, too, so that all of it is open.
        _ => Built::bool(true),
    }
}

/// The marks of a value: one for a part that the value lacks marks all around it, so that a mistake hides and does not
/// show. `None` if all of them fit. Marks of unknown parts need no value.
pub fn fitted_marks<'t>(marks: View<'_, '_>, value: View<'_, '_>, unknown: View<'_, '_>) -> Option<Json<'t>> {
    if fits(marks, value, unknown) {
        return None;
    }
    let mut builder = Builder::of_made();
    let built = fitted(&mut builder, marks, value, unknown);
    Some(builder.finish()(built))
}

/// Recursion is safe: the depth of marks was limited when they were read.
fn fits(marks: View<'_, '_>, value: View<'_, '_>, unknown: View<'_, '_>) -> bool {
    match (marks.shape(), value.shape()) {
        (Shape::Null | Shape::Bool(_), _) => true,
        (Shape::Object(_) | Shape::Array(_), Shape::Null) => !marks.has_word(),
        (Shape::Object(members), Shape::Object(_)) => members.iter().all(|(key, marks)| {
            let unknown = unknown_member(unknown, key);
            value.get(key).map_or_else(|| may_lack(marks, unknown), |value| fits(marks, value, unknown))
        }),
        (Shape::Array(elements), Shape::Array(values)) => elements.iter().enumerate().all(|(i, marks)| {
            let unknown = unknown_element(unknown, i);
            values.get(i).map_or_else(|| may_lack(marks, unknown), |value| fits(marks, value, unknown))
        }),
        _ => !marks.says_something(),
    }
}

/// Whether what has these marks need not be there.
fn may_lack(marks: View<'_, '_>, unknown: View<'_, '_>) -> bool {
    !marks.says_something() || unknown.has_true()
}

fn unknown_member<'v, 't>(unknown: View<'v, 't>, key: &str) -> View<'v, 't> {
    if unknown.is_bool() { unknown } else { unknown.get(key).unwrap_or(unknown.bool(false)) }
}

fn unknown_element<'v, 't>(unknown: View<'v, 't>, index: usize) -> View<'v, 't> {
    if unknown.is_bool() { unknown } else { unknown.elements().get(index).unwrap_or(unknown.bool(false)) }
}

fn fitted(
    builder: &mut Builder<'_>,
    marks: View<'_, '_>,
    value: View<'_, '_>,
    unknown: View<'_, '_>,
) -> Built {
    match (marks.shape(), value.shape()) {
        (Shape::Object(members), Shape::Object(_)) => {
            let is_there =
                |(key, marks)| value.get(key).is_some() || may_lack(marks, unknown_member(unknown, key));
            if !members.iter().all(is_there) {
                return Built::bool(true);
            }
            builder.make_object(
                members.iter().map(|(key, marks)| (key, (key, marks))),
                |builder, (key, marks)| {
                    let value = value.get(key).unwrap_or(value.null());
                    fitted(builder, marks, value, unknown_member(unknown, key))
                },
            )
        }
        (Shape::Array(elements), Shape::Array(values)) => {
            let is_there =
                |(i, marks)| values.get(i).is_some() || may_lack(marks, unknown_element(unknown, i));
            if !elements.iter().enumerate().all(is_there) {
                return Built::bool(true);
            }
            builder.make_array(elements.iter().enumerate(), |builder, (i, marks)| {
                fitted(builder, marks, values.get(i).unwrap_or(value.null()), unknown_element(unknown, i))
            })
        }
        (_, Shape::Null) => union(builder, &[marks]),
        _ => Built::bool(marks.says_something()),
    }
}

impl Built {
    /// `true` or `false`.
    pub const fn bool(value: bool) -> Self {
        Self(if value { Node::TRUE } else { Node::FALSE })
    }
}
