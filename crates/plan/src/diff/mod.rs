//! The diff: the differences between the two sides of a change, as data.
//!
//! This is the contract between the differ and every printer. A printer needs only a [`Diff`] to show a
//! value: it contains no secrets, it says which values are unknown, it has the parts of JSON in strings, and
//! it includes unchanged parts, marked as [`DiffAction::NoOp`]. A report marks the parts that are hidden.
//! `schema/diff.schema.json` of the project describes the JSON form.

mod differ;
mod fold;
mod ignored;
mod leaves;
mod object;
mod owned;
mod parts;

use std::fmt;

use objchange_text::redact::SENSITIVE;
use serde::{Serialize, Serializer};

pub(crate) use self::differ::{body, output, typed};
pub use self::leaves::LeafChange;
pub use self::object::{ObjectChange, changed_leaves, diff_values};
pub use crate::diff_action::DiffAction;
#[cfg(test)]
pub(crate) use fold::Fold;
pub(crate) use fold::{Folding, fold, fold_recomputed};
pub(crate) use ignored::fold_ignored;
pub use parts::{CollectionPart, Parts};

use objchange_document::Text;

/// The difference in one part of a value, and below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diff<'t> {
    /// The action on this part: its own change, or the common action of its parts.
    pub action: DiffAction,
    /// A change here forces the replacement of the resource.
    #[serde(skip_serializing_if = "is_false")]
    pub replace: bool,
    /// It is counted and not shown: nothing changes here, and it does not help to recognise what changes around it.
    /// Always false before a report decides; what is below something hidden is hidden with it.
    #[serde(skip_serializing_if = "is_false")]
    pub hidden: bool,
    /// It is hidden because it is at an ignored path, and not because nothing changes. Always false before a report decides.
    #[serde(skip_serializing_if = "is_false")]
    pub ignored: bool,
    /// It is hidden because the object is replaced, and its provider computes it again. Always false before a report decides, and in
    /// the text of Terraform.
    #[serde(skip_serializing_if = "is_false")]
    pub recomputed: bool,
    /// Whether a note above it says that it becomes sensitive, or no longer is. Always false before a report
    /// decides.
    #[serde(skip_serializing_if = "is_false")]
    pub mark_changes: bool,
    /// The kind of this part of the value, and its own parts.
    #[serde(flatten)]
    pub kind: Kind<'t>,
}

/// The kind of a part of a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind<'t> {
    /// A value without parts: null, a bool, a number or a string of one line.
    Primitive(Primitive<'t>),
    /// A string of several lines on at least one side.
    Text {
        /// The lines of both sides in one order. Terraform leaves out white space around the whole text; formats of our own do not
        /// where it changes.
        lines: Vec<Line<'t>>,
        /// Nothing but white space changes, as formats of our own say.
        #[serde(skip_serializing_if = "is_false")]
        white_space: bool,
    },
    /// A string that holds JSON, on both sides if it has two.
    Json {
        /// The diff of the JSON. If it is empty and the string changes, only white space does, or the notation.
        value: Box<Diff<'t>>,
        /// The JSON stays the same, and more than white space changes in the string: the order of members, or how values are
        /// written. Formats of our own say so.
        #[serde(skip_serializing_if = "is_false")]
        notation: bool,
    },
    /// A string that holds YAML on both sides, where it was asked to compare such strings as documents.
    Yaml {
        /// The diff of the YAML.
        value: Box<Diff<'t>>,
    },
    /// An object: attributes sorted by name, without those that are null on both sides.
    Object {
        /// The attributes.
        attributes: Parts<'t, Entry<'t>>,
        /// The attributes have schemas of their own: the type is a nested one.
        nested: bool,
    },
    /// A map: elements in the order of their keys.
    Map {
        /// The elements.
        elements: Parts<'t, Entry<'t>>,
        /// The elements are objects with a nested type.
        nested: bool,
    },
    /// A list or tuple, or an array of JSON.
    List {
        /// The elements of both sides in one order.
        elements: Parts<'t, Diff<'t>>,
        /// Unchanged elements beside a changed one help to find the place.
        context: bool,
    },
    /// A set: the elements before, then the new ones.
    Set {
        /// The elements.
        elements: Parts<'t, Diff<'t>>,
        /// The elements are objects with a nested type.
        nested: bool,
    },
    /// A block.
    Block(Block<'t>),
    /// A value that is not known until the change has been applied.
    Unknown {
        /// The old value as it goes, if there is one.
        before: Option<Box<Diff<'t>>>,
    },
    /// A value that must not be shown.
    Sensitive(Sensitivity),
    /// A value that must not be shown, and is shown all the same, as it was asked for.
    Shown {
        /// The marks of it.
        marks: Sensitivity,
        /// The diff inside.
        value: Box<Diff<'t>>,
    },
    /// A block that must not be shown.
    SensitiveBlock(Sensitivity),
    /// A value that becomes one of another kind.
    TypeChange {
        /// The old value as it goes.
        before: Box<Diff<'t>>,
        /// The new value as it comes.
        after: Box<Diff<'t>>,
    },
    /// An attribute whose value never appears in plans or states.
    WriteOnly {
        /// It is also marked as sensitive.
        sensitive: bool,
    },
}

/// A value without parts, on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Primitive<'t> {
    /// The value before; null if absent.
    pub before: Scalar<'t>,
    /// The value after; null if absent.
    pub after: Scalar<'t>,
    /// The value before is a null string, or a null in JSON: Terraform prints such a null differently.
    #[serde(skip_serializing_if = "is_false")]
    pub null_string: bool,
    /// Both are strings, and nothing but white space changes, as formats of our own say.
    #[serde(skip_serializing_if = "is_false")]
    pub white_space: bool,
}

/// The facts about a sensitive value that may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sensitivity {
    /// It is sensitive before the change.
    pub before: bool,
    /// It is sensitive after the change.
    pub after: bool,
    /// The value itself stays the same.
    pub unchanged: bool,
    /// It is a block type that is sensitive as a whole: then the labels of its blocks are, too.
    #[serde(skip_serializing_if = "is_false")]
    pub whole_type: bool,
}

/// A value without parts; in JSON it is what it was in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scalar<'t> {
    /// No value.
    Null,
    /// A bool.
    Bool(bool),
    /// A number, as it is written in the document.
    Number(Text<'t>),
    /// A string.
    String(Text<'t>),
}

/// One line of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line<'t> {
    /// Whether the line stays, goes or comes.
    pub action: DiffAction,
    /// The line; `None` if there is no text on its side.
    pub text: Option<Text<'t>>,
}

/// A named part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry<'t> {
    /// The name of the attribute or the key of the element.
    pub key: Text<'t>,
    /// The difference there.
    #[serde(flatten)]
    pub diff: Diff<'t>,
}

/// The parts of a block.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Block<'t> {
    /// The attributes sorted by name, without those that are null on both sides.
    pub attributes: Parts<'t, Entry<'t>>,
    /// The nested blocks by type, in the order of the types' names.
    pub blocks: Vec<BlockType<'t>>,
    /// A block type that holds several blocks has a value: Terraform writes such a block, if it is empty, in its own way.
    #[serde(skip_serializing_if = "is_false")]
    pub has_repeated_types: bool,
}

impl Block<'_> {
    /// Whether there is nothing in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.attributes.is_empty() && self.blocks.is_empty() && !self.has_repeated_types
    }
}

/// The nested blocks of one type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BlockType<'t> {
    /// The name of the type.
    pub name: Text<'t>,
    /// The number of blocks is not known until the change has been applied: they are unknown, or a sensitive block, and
    /// do what the block around does. The blocks below are the old ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<Diff<'t>>,
    /// The blocks; those of a map with their labels.
    pub blocks: Parts<'t, NestedBlock<'t>>,
}

impl BlockType<'_> {
    /// The number of blocks that are hidden because they are ignored.
    pub(crate) fn ignored(&self) -> usize {
        let unknown = usize::from(self.unknown.as_ref().is_some_and(|unknown| unknown.ignored));
        unknown + (0..self.blocks.len()).filter(|index| self.blocks.is_ignored(*index)).count()
    }
}

/// One nested block.
///
/// In JSON, and to `Debug`, the label of a block whose type is sensitive as a whole is `(sensitive value)`. Terraform's
/// text shows it.
#[derive(Clone, PartialEq, Eq)]
pub struct NestedBlock<'t> {
    /// The label of a block in a map.
    pub label: Option<Text<'t>>,
    /// The difference in the block.
    pub diff: Diff<'t>,
}

impl NestedBlock<'_> {
    /// The label, unless it must not be shown.
    fn safe_label(&self) -> Option<&str> {
        let is_hidden = matches!(&self.diff.kind, Kind::SensitiveBlock(marks) if marks.whole_type);
        self.label.as_deref().map(|label| if is_hidden { SENSITIVE } else { label })
    }
}

impl fmt::Debug for NestedBlock<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NestedBlock").field("label", &self.safe_label()).field("diff", &self.diff).finish()
    }
}

impl Serialize for NestedBlock<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Shown<'d, 't> {
            #[serde(skip_serializing_if = "Option::is_none")]
            label: Option<&'d str>,
            #[serde(flatten)]
            diff: &'d Diff<'t>,
        }
        Shown { label: self.safe_label(), diff: &self.diff }.serialize(serializer)
    }
}

impl<'t> Diff<'t> {
    /// A diff at a place that does not force a replacement.
    pub(crate) fn new(action: DiffAction, kind: Kind<'t>) -> Self {
        Self {
            action,
            replace: false,
            hidden: false,
            ignored: false,
            recomputed: false,
            mark_changes: false,
            kind,
        }
    }

    pub(crate) fn replacing(self, replace: bool) -> Self {
        Self { replace, ..self }
    }

    /// It is a string that holds JSON, which stays the same: only white space changes, or the notation.
    pub fn keeps_its_json(&self) -> bool {
        let is_same = |value: &Diff<'_>| value.action == DiffAction::NoOp;
        self.action == DiffAction::Update && matches!(&self.kind, Kind::Json { value, .. } if is_same(value))
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for it")]
fn is_false(flag: &bool) -> bool {
    !flag
}

impl Serialize for Scalar<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Scalar::Null => serializer.serialize_unit(),
            Scalar::Bool(value) => serializer.serialize_bool(*value),
            Scalar::Number(text) => objchange_document::json::serialize_number(text, serializer),
            Scalar::String(text) => serializer.serialize_str(text),
        }
    }
}
