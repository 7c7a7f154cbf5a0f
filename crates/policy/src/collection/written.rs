//! How collections are written: as they are, or with what is sensitive hidden.

use objchange_document::json::{Shape, View, serialize_number};
use objchange_text::redact::SENSITIVE;
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use super::{Collection, Full, Marked};

/// Writes all of it, secrets included, with serde. For what is not to leave the program.
///
/// Numbers keep all of their digits: those that neither an integer of 64 bits nor a double would be written as are given
/// as raw JSON, which only the serializers of `serde_json` understand.
#[derive(Debug, Clone, Copy)]
pub struct Exact<'a, T: ?Sized>(pub &'a T);

/// Writes it with serde, and `(sensitive value)` in place of what is sensitive. Numbers are as with [`Exact`].
#[derive(Debug, Clone, Copy)]
pub struct Redacted<'a, T: ?Sized>(pub &'a T);

/// Whether what is sensitive is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    /// It is written as it is.
    Shown,
    /// `(sensitive value)` is in its place.
    Hidden,
}

/// Collections, their items and parts of values, which can be written [`Exact`] or [`Redacted`].
pub trait Collected {
    /// Writes it; [`Exact`] and [`Redacted`] are how this is asked for.
    #[doc(hidden)]
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error>;
}

impl<T: Collected + ?Sized> Serialize for Exact<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(Secrets::Shown, serializer)
    }
}

impl<T: Collected + ?Sized> Serialize for Redacted<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(Secrets::Hidden, serializer)
    }
}

/// A part of what is being written.
pub(crate) struct As<'a, T: ?Sized>(pub(crate) &'a T, pub(crate) Secrets);

impl<T: Collected + ?Sized> Serialize for As<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.write(self.1, serializer)
    }
}

impl<T: Collected> Collected for Collection<'_, T> {
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(key, item)| (key, As(item, secrets))))
    }
}

impl<T: Collected> Collected for [T] {
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(|item| As(item, secrets)))
    }
}

/// A value without sensitive parts.
impl Collected for View<'_, '_> {
    fn write<S: Serializer>(&self, _: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        Marked::known(*self, [self.bool(false); 2]).write(Secrets::Shown, serializer)
    }
}

impl Collected for Marked<'_, '_> {
    /// Leaves unknown parts out, as the document does.
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        write(*self, WriteOptions { secrets, is_full: false, hidden: Hidden::Text }, serializer)
    }
}

impl Collected for Full<'_, '_> {
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        write(self.0, WriteOptions { secrets, is_full: true, hidden: Hidden::Text }, serializer)
    }
}

/// A value whose sensitive parts are hidden in a manner of their own.
pub(crate) struct HiddenWith<'v, 't>(pub(crate) Marked<'v, 't>, pub(crate) Hidden);

impl Collected for HiddenWith<'_, '_> {
    fn write<S: Serializer>(&self, secrets: Secrets, serializer: S) -> Result<S::Ok, S::Error> {
        write(self.0, WriteOptions { secrets, is_full: false, hidden: self.1 }, serializer)
    }
}

/// The text that replaces a sensitive value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Hidden {
    /// `(sensitive value)`
    Text,
    /// Whether it contains `true`: for marks, whose keys may be secret.
    Truth,
}

/// How a hidden value is made up. Policies often ask for no more of a secret than its type, or whether it is long enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecretKind {
    Bool,
    SmallNumber,
    LargeNumber,
    ShortText,
    LongText,
    EmptyArray,
    Array,
    EmptyObject,
    Object,
}

impl SecretKind {
    const ALL: [(Self, &str); 9] = [
        (Self::Bool, "secret bool"),
        (Self::SmallNumber, "secret small number"),
        (Self::LargeNumber, "secret large number"),
        (Self::ShortText, "secret short text"),
        (Self::LongText, "secret long text"),
        (Self::EmptyArray, "secret empty array"),
        (Self::Array, "secret array"),
        (Self::EmptyObject, "secret empty object"),
        (Self::Object, "secret object"),
    ];

    /// Rules demand passwords of 8 to 16 characters.
    const SHORT: usize = 16;

    fn new(value: View<'_, '_>) -> Self {
        match value.shape() {
            Shape::Bool(_) => Self::Bool,
            Shape::Number(digits) if digits.len() < 7 => Self::SmallNumber,
            Shape::Number(_) => Self::LargeNumber,
            Shape::String(text) if text.len() >= Self::SHORT => Self::LongText,
            Shape::Null | Shape::String(_) => Self::ShortText,
            Shape::Array(elements) if elements.is_empty() => Self::EmptyArray,
            Shape::Array(_) => Self::Array,
            Shape::Object(members) if members.is_empty() => Self::EmptyObject,
            Shape::Object(_) => Self::Object,
        }
    }

    fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// The kind with the name of a newtype, if it is one.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, other)| *other == name).map(|(kind, _)| *kind)
    }
}

/// The name of a newtype: marks whose shape is hidden, as a single one.
pub(crate) const SECRET_MARKS: &str = "secret marks";

#[derive(Clone, Copy)]
struct WriteOptions {
    secrets: Secrets,
    is_full: bool,
    hidden: Hidden,
}

struct ValuePart<'v, 't>(Marked<'v, 't>, WriteOptions);

impl Serialize for ValuePart<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        write(self.0, self.1, serializer)
    }
}

/// Writes a value; how deep it nests was limited when it was read.
fn write<S: Serializer>(
    marked: Marked<'_, '_>,
    manner: WriteOptions,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if manner.is_full && marked.is_unknown() {
        let mut marker = serializer.serialize_map(Some(1))?;
        marker.serialize_entry("$unknown", &NoMembers {})?;
        return marker.end();
    }
    let Some(value) = marked.exact() else { return serializer.serialize_unit() };
    if manner.secrets == Secrets::Hidden && marked.is_sensitive() {
        return match manner.hidden {
            // The name is for serializers that put another value of this kind in its place.
            Hidden::Text => serializer.serialize_newtype_struct(SecretKind::new(value).name(), SENSITIVE),
            Hidden::Truth => match value.shape() {
                Shape::Bool(mark) => serializer.serialize_bool(mark),
                _ => serializer.serialize_newtype_struct(SECRET_MARKS, &value.has_true()),
            },
        };
    }
    match value.shape() {
        Shape::Null => serializer.serialize_unit(),
        Shape::Bool(value) => serializer.serialize_bool(value),
        Shape::Number(text) => serialize_number(text, serializer),
        Shape::String(text) => serializer.serialize_str(text),
        Shape::Array(elements) => {
            let length = if manner.is_full { None } else { Some(elements.len()) };
            let mut written = serializer.serialize_seq(length)?;
            let is_there = |(index, _): &(usize, _)| manner.is_full || *index < elements.len();
            for (_, element) in marked.elements().enumerate().take_while(is_there) {
                written.serialize_element(&ValuePart(element, manner))?;
            }
            written.end()
        }
        Shape::Object(members) => {
            // Unknown members come on top of those that the document has.
            let length = if manner.is_full { None } else { Some(members.len()) };
            let mut written = serializer.serialize_map(length)?;
            for (key, member) in marked.members() {
                if manner.is_full || member.exact().is_some() {
                    written.serialize_entry(key, &ValuePart(member, manner))?;
                }
            }
            written.end()
        }
    }
}

/// `{}`
#[derive(serde::Serialize)]
struct NoMembers {}
