//! The diff: what differs between the two sides of a change, as data.
//!
//! This is the contract between the differ and every renderer. A renderer needs nothing else than a [`Diff`]
//! to show a value: secrets are gone from it, unknown values are named, strings that hold JSON are taken
//! apart, and what stayed the same is there too, marked as [`Action::NoOp`], so that a renderer may count it,
//! hide it or show it. The JSON form is described in the project's `schema/diff.schema.json`.

mod action;
mod owned;
mod parts;

use serde::{Serialize, Serializer};

pub use action::Action;
pub use parts::{Part, Parts};

use crate::text::Text;

/// What differs at one place, and below it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diff<'t> {
    /// What happens to this place: its own change, or what its parts have in common.
    pub action: Action,
    /// A change here forces the replacement of the resource.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replace: bool,
    /// What kind of thing is at this place, and its parts.
    #[serde(flatten)]
    pub kind: Kind<'t>,
}

/// What kind of thing stands at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Kind<'t> {
    /// A value without parts: null, a bool, a number or a string of one line.
    Primitive(Primitive<'t>),
    /// A string of several lines on at least one side.
    Text {
        /// The lines of both sides in one order, white space around the whole text left out.
        lines: Vec<Line<'t>>,
    },
    /// A string that holds JSON, on both sides if it has two.
    Json {
        /// What differs in the JSON. If nothing does, and yet the string changes, only its white space does.
        value: Box<Diff<'t>>,
    },
    /// An object: attributes in the order of their names, without those that are null on both sides.
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
    /// The value before; null where there is none.
    pub before: Scalar<'t>,
    /// The value after; null where there is none.
    pub after: Scalar<'t>,
    /// A null is that of a string, or has no type. Not in JSON: it decides only how Terraform writes a null.
    #[serde(skip)]
    pub string: bool,
}

/// What is known of something that must not be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Sensitivity {
    /// It is sensitive before the change.
    pub before: bool,
    /// It is sensitive after the change.
    pub after: bool,
    /// The value itself stays the same.
    pub unchanged: bool,
    /// It is a block type that is sensitive as a whole: then the labels of its blocks are, too.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
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
    pub action: Action,
    /// The line; `None` if there is no text on its side.
    pub text: Option<Text<'t>>,
}

/// A named part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry<'t> {
    /// The name of the attribute or the key of the element.
    pub key: Text<'t>,
    /// What differs there.
    #[serde(flatten)]
    pub diff: Diff<'t>,
}

/// The parts of a block.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Block<'t> {
    /// The attributes in the order of their names, without those that are null on both sides.
    pub attributes: Parts<'t, Entry<'t>>,
    /// The nested blocks by type, in the order of the types' names.
    pub blocks: Vec<BlockType<'t>>,
    /// The schema has block types that hold several blocks. Not in JSON: it decides only how Terraform writes an
    /// empty block.
    #[serde(skip)]
    pub has_repeated_types: bool,
}

/// The nested blocks of one type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BlockType<'t> {
    /// The name of the type.
    pub name: Text<'t>,
    /// The number of blocks is not known until the change has been applied; what happens to the block
    /// around. The blocks below are the old ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unknown: Option<UnknownBlocks>,
    /// The blocks; those of a map with their labels.
    pub blocks: Parts<'t, NestedBlock<'t>>,
}

/// Blocks of which not even the number is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct UnknownBlocks {
    /// What happens to the block around them.
    pub action: Action,
    /// That they change forces the replacement of the resource.
    pub replace: bool,
    /// The type is marked as sensitive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive: Option<Sensitivity>,
}

/// One nested block.
///
/// In JSON the label of a block whose type is sensitive as a whole is `(sensitive value)`. Terraform's text shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NestedBlock<'t> {
    /// The label of a block in a map.
    pub label: Option<Text<'t>>,
    /// What differs in the block.
    pub diff: Diff<'t>,
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
        let is_hidden = matches!(&self.diff.kind, Kind::SensitiveBlock(marks) if marks.whole_type);
        let label = self.label.as_deref().map(|label| if is_hidden { "(sensitive value)" } else { label });
        Shown { label, diff: &self.diff }.serialize(serializer)
    }
}

impl<'t> Diff<'t> {
    /// A diff at a place that does not force a replacement.
    pub(crate) fn new(action: Action, kind: Kind<'t>) -> Self {
        Self { action, replace: false, kind }
    }

    pub(crate) fn replacing(self, replace: bool) -> Self {
        Self { replace, ..self }
    }
}

impl Serialize for Scalar<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Scalar::Null => serializer.serialize_unit(),
            Scalar::Bool(value) => serializer.serialize_bool(*value),
            Scalar::Number(text) => crate::json::serialize_number(text, serializer),
            Scalar::String(text) => serializer.serialize_str(text),
        }
    }
}
