//! The fields of items: one table for each kind of item, and one function that reads a field.
//!
//! Everything that writes items, or makes values of a language from them, goes by these: serde, queries, Rego, Sentinel
//! with its checks and mocks.

use std::borrow::Cow;

use objchange_document::changes::ResourceActions;
use objchange_document::{DocumentError, Index, Text};
use serde::ser::{Error, SerializeMap, Serializer};

use super::{As, Change, Expressions, Hidden, HiddenWith, Marked, Provisioner, Secrets};

/// A field of an item: its name, and what it holds.
pub type Field = (&'static str, FieldKind);

/// The kind of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldKind {
    /// A text; empty if absent.
    Text,
    /// The mode of a resource, such as `managed`.
    Mode,
    /// The status of a check, such as `pass`.
    Status,
    /// True or false.
    Bool,
    /// The `count` index or `for_each` key of an instance; null without one.
    Index,
    /// A list of texts.
    Texts,
    /// Terraform's actions, in words such as `create`.
    Actions,
    /// A value of the document.
    Value,
    /// The unknown marks of a value, in its shape.
    Marks,
    /// The arguments of a configuration block, or an expression.
    Expressions,
    /// The provisioners of a resource.
    Provisioners,
    /// The change of a resource or an output.
    Change,
}

/// The value of a field.
pub(crate) enum FieldValue<'v, 't> {
    Text(&'v Text<'t>),
    Bool(bool),
    Index(Option<&'v Index<'t>>),
    Texts(Cow<'v, [Text<'t>]>),
    /// The planned actions, and whether they are certain: a missing provider may decide otherwise.
    Actions {
        planned: ResourceActions,
        is_known: bool,
    },
    /// None if all of it is unknown, and the document has nothing.
    Value(Option<Marked<'v, 't>>),
    Marks(Marked<'v, 't>),
    Expressions(&'v Expressions<'t>),
    Provisioners(&'v [Provisioner<'t>]),
    Change(&'v Change<'t>),
}

/// The value of a field; `None` for an unknown field.
pub(crate) type Read<'v, 't> = Result<Option<FieldValue<'v, 't>>, DocumentError>;

/// An item of a collection.
pub(crate) trait Item<'t> {
    /// Its fields, in the order in which they are written.
    const FIELDS: &'static [Field];

    /// Reads the field of this name.
    fn field(&self, name: &str) -> Read<'_, 't>;
}

/// Writes an item.
pub(crate) fn write_fields<'t, T: Item<'t>, S: Serializer>(
    item: &T,
    secrets: Secrets,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let mut fields = serializer.serialize_map(None)?;
    for (name, _) in T::FIELDS {
        let Some(value) = item.field(name).map_err(S::Error::custom)? else { continue };
        match value {
            FieldValue::Text(text) => fields.serialize_entry(name, text)?,
            FieldValue::Bool(bool) => fields.serialize_entry(name, &bool)?,
            FieldValue::Index(index) => fields.serialize_entry(name, &index)?,
            FieldValue::Texts(texts) => fields.serialize_entry(name, &texts)?,
            FieldValue::Actions { planned, .. } => fields.serialize_entry(name, &planned)?,
            // Sentinel has no key here: `after` and `value` of an output that is unknown are undefined.
            FieldValue::Value(None) => {}
            FieldValue::Value(Some(value)) => fields.serialize_entry(name, &As(&value, secrets))?,
            FieldValue::Marks(marks) => {
                fields.serialize_entry(name, &As(&HiddenWith(marks, Hidden::Truth), secrets))?;
            }
            FieldValue::Expressions(expressions) => {
                fields.serialize_entry(name, &As(expressions, secrets))?;
            }
            FieldValue::Provisioners(all) => fields.serialize_entry(name, &As(all, secrets))?,
            FieldValue::Change(change) => fields.serialize_entry(name, &As(change, secrets))?,
        }
    }
    fields.end()
}

/// The items of the collections: their fields by name, which write them, too.
macro_rules! items {
    ($($item:ident($this:ident) { $($name:literal: $kind:ident = $value:expr,)* })*) => {
        $(
            impl $item<'_> {
                /// Its fields, in the order in which they are written.
                pub const FIELDS: &'static [$crate::Field] = &[$(($name, $crate::FieldKind::$kind)),*];
            }

            impl<'t> $crate::collection::Item<'t> for $item<'t> {
                const FIELDS: &'static [$crate::Field] = $item::FIELDS;

                fn field(&self, name: &str) -> $crate::collection::Read<'_, 't> {
                    use $crate::collection::FieldValue::*;
                    let $this = self;
                    Ok(Some(match name {
                        $($name => $value,)*
                        _ => return Ok(None),
                    }))
                }
            }

            impl $crate::Collected for $item<'_> {
                fn write<S: serde::Serializer>(
                    &self,
                    secrets: $crate::Secrets,
                    serializer: S,
                ) -> Result<S::Ok, S::Error> {
                    $crate::collection::write_fields(self, secrets, serializer)
                }
            }
        )*
    };
}
pub(crate) use items;
