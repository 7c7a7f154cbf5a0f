//! The items of plans and states: their fields, and the parts of them that are values of a document.

use crate::tfplan::{Change, OutputChange, RawMember, ResourceChange, Variable};
use crate::tfstate::{Output, Resource};
use crate::{Collection, Marked};
use objchange_plan::{DocumentError, Index};
use objchange_sentinel::Value;

use super::place::{Part, Place};
use super::value::number;

/// A part of an item: a value of the document, which may be large.
pub(super) type Read<'v, 't> = Result<Option<Marked<'v, 't>>, DocumentError>;

/// What resources are mostly told by. It is the same for many of them.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Labels<'v> {
    pub(super) address: &'v str,
    pub(super) module_address: &'v str,
    pub(super) mode: &'v str,
    pub(super) resource_type: &'v str,
    pub(super) provider_name: &'v str,
}

/// An item of a collection.
pub(super) trait Item<'t> {
    /// The names of its fields, in their order; none if it is but a part.
    const FIELDS: &'static [&'static str];

    fn labels(&self) -> Labels<'_> {
        Labels::default()
    }

    /// A field that is no label.
    fn field(&self, name: &str, place: &Place) -> Value;

    fn part(&self, part: Part) -> Read<'_, 't>;
}

/// A collection, whatever its items are.
pub(super) trait Items<'t> {
    fn count(&self) -> usize;
    fn key(&self, position: usize) -> &str;
    fn fields(&self) -> &'static [&'static str];
    fn labels(&self, position: usize) -> Labels<'_>;
    fn field(&self, position: usize, name: &str, place: &Place) -> Value;
    fn part(&self, position: usize, part: Part) -> Read<'_, 't>;
}

impl<'t, T: Item<'t>> Items<'t> for Collection<'t, T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn key(&self, position: usize) -> &str {
        self.at(position).map_or("", |(key, _)| key)
    }

    fn fields(&self) -> &'static [&'static str] {
        T::FIELDS
    }

    fn labels(&self, position: usize) -> Labels<'_> {
        self.at(position).map_or_else(Labels::default, |(_, item)| item.labels())
    }

    fn field(&self, position: usize, name: &str, place: &Place) -> Value {
        self.at(position).map_or_else(Value::undefined, |(_, item)| item.field(name, place))
    }

    fn part(&self, position: usize, part: Part) -> Read<'_, 't> {
        self.at(position).map_or(Ok(None), |(_, item)| item.part(part))
    }
}

/// The fields of `change`.
pub(super) const CHANGE: &[&str] = &["actions", "after", "after_unknown", "before"];

impl<'t> Item<'t> for ResourceChange<'t> {
    const FIELDS: &'static [&'static str] =
        &["address", "change", "deposed", "index", "mode", "module_address", "name", "provider_name", "type"];

    fn labels(&self) -> Labels<'_> {
        Labels {
            address: &self.address,
            module_address: &self.module_address,
            mode: &self.mode,
            resource_type: &self.resource_type,
            provider_name: &self.provider_name,
        }
    }

    fn field(&self, name: &str, place: &Place) -> Value {
        match name {
            "name" => Value::from(&*self.name),
            "index" => index(self.index.as_ref()),
            "deposed" => Value::from(&*self.deposed),
            "change" => place.change(),
            name => of_change(&self.change, name, place),
        }
    }

    fn part(&self, part: Part) -> Read<'_, 't> {
        part_of_change(&self.change, part)
    }
}

impl<'t> Item<'t> for OutputChange<'t> {
    const FIELDS: &'static [&'static str] = &["change", "name"];

    fn field(&self, name: &str, place: &Place) -> Value {
        match name {
            "name" => Value::from(&*self.name),
            "change" => place.change(),
            name => of_change(&self.change, name, place),
        }
    }

    fn part(&self, part: Part) -> Read<'_, 't> {
        part_of_change(&self.change, part)
    }
}

fn of_change(change: &Change<'_>, name: &str, place: &Place) -> Value {
    match name {
        "actions" => place.visit.actions(change.actions),
        "before" => place.value(Part::Before, change.before().map(Some)),
        "after_unknown" => place.value(Part::Unknown, change.unknown().map(Some)),
        // That of an output which is all unknown.
        "after" if is_undefined(change) => place.unknown(),
        "after" => place.value(Part::After, change.after().map(Some)),
        _ => Value::undefined(),
    }
}

fn is_undefined(change: &Change<'_>) -> bool {
    let is_missing = change.after().is_ok_and(|after| after.exact().is_none());
    is_missing && change.after_unknown().is_ok_and(objchange_plan::View::is_true)
}

fn part_of_change<'v, 't>(change: &'v Change<'t>, part: Part) -> Read<'v, 't> {
    match part {
        Part::Before => change.before().map(Some),
        Part::After => change.after().map(Some),
        Part::Unknown => change.unknown().map(Some),
        _ => Ok(None),
    }
}

impl<'t> Item<'t> for Variable<'t> {
    const FIELDS: &'static [&'static str] = &["name", "value"];

    fn field(&self, name: &str, place: &Place) -> Value {
        match name {
            "name" => Value::from(&*self.name),
            _ => place.value(Part::Value, self.part(Part::Value)),
        }
    }

    fn part(&self, _: Part) -> Read<'_, 't> {
        Ok(Some(self.value()))
    }
}

impl<'t> Item<'t> for Resource<'t> {
    const FIELDS: &'static [&'static str] = &[
        "address",
        "depends_on",
        "deposed_key",
        "index",
        "mode",
        "module_address",
        "name",
        "provider_name",
        "tainted",
        "type",
        "values",
    ];

    fn labels(&self) -> Labels<'_> {
        Labels {
            address: &self.address,
            module_address: &self.module_address,
            mode: &self.mode,
            resource_type: &self.resource_type,
            provider_name: &self.provider_name,
        }
    }

    fn field(&self, name: &str, place: &Place) -> Value {
        match name {
            "name" => Value::from(&*self.name),
            "index" => index(self.index.as_ref()),
            "tainted" => Value::from(self.tainted),
            "deposed_key" => Value::from(&*self.deposed_key),
            "depends_on" => match self.depends_on() {
                Ok(addresses) => texts(&addresses),
                Err(error) => place.failed(error),
            },
            _ => place.value(Part::Value, self.part(Part::Value)),
        }
    }

    fn part(&self, _: Part) -> Read<'_, 't> {
        self.values().map(Some)
    }
}

impl<'t> Item<'t> for Output<'t> {
    const FIELDS: &'static [&'static str] = &["name", "sensitive", "value"];

    fn field(&self, name: &str, place: &Place) -> Value {
        match name {
            "name" => Value::from(&*self.name),
            "sensitive" => Value::from(self.sensitive),
            _ => match self.value() {
                Ok(None) => place.unknown(),
                value => place.value(Part::Value, value),
            },
        }
    }

    fn part(&self, _: Part) -> Read<'_, 't> {
        self.value()
    }
}

impl<'t> Item<'t> for RawMember<'t> {
    const FIELDS: &'static [&'static str] = &[];

    fn field(&self, _: &str, place: &Place) -> Value {
        match place.hidden_in_raw() {
            Some(value) => value,
            None => place.value(Part::Value, self.part(Part::Value)),
        }
    }

    fn part(&self, _: Part) -> Read<'_, 't> {
        self.exact().map(|value| Some(Marked::plain(value)))
    }
}

fn index(index: Option<&Index<'_>>) -> Value {
    match index {
        None => Value::Null,
        Some(Index::Number(text)) => number(text),
        Some(Index::Key(key)) => Value::from(&**key),
    }
}

pub(super) fn texts(texts: &[objchange_plan::Text<'_>]) -> Value {
    Value::from(texts.iter().map(|text| Value::from(&**text)).collect::<Vec<_>>())
}
