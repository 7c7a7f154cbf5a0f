//! Collections and items as maps.

use std::rc::Rc;

use objchange_sentinel::{Map, Members, Text, Value};

use super::document::CollectionKind;
use super::items::{CHANGE, sorted};
use super::place::{ItemPlace, RAW, RunContext};
use crate::simulated::PossibleItem;
use crate::{Field, FieldKind};

impl CollectionKind {
    /// Whether its items have the labels of a resource: address, type and so on.
    fn has_labels(self) -> bool {
        matches!(
            self,
            Self::Changes | Self::Drift | Self::PlannedResources | Self::Resources | Self::ConfigResources
        )
    }
}

impl RunContext {
    /// A collection.
    pub(super) fn table(self: &Rc<Self>, of: CollectionKind) -> Value {
        let document = self.shelf.document(of);
        // A collection that cannot be read must not be taken for one that is empty.
        if let Err(error) = document.items(of, |_| ()) {
            self.noted.failed(error);
        }
        let count = document.order(of).len();
        Value::Map(Map::lazy(Table { visit: Rc::clone(self), of, count }))
    }

    /// The item at a position in the order of keys.
    pub(super) fn item(self: &Rc<Self>, of: CollectionKind, position: usize) -> Value {
        let document = self.shelf.document(of);
        let Some(index) = document.order(of).get(position).copied() else { return Value::undefined() };
        let place = ItemPlace { visit: Rc::clone(self), of, position: position as u32, index };
        let item = document.items(of, |items| match items.fields() {
            [] => items.field(index as usize, RAW, &place),
            fields => Value::Map(Map::lazy(Record { place: place.clone(), fields: sorted(of, fields) })),
        });
        item.unwrap_or_else(|error| place.failed(error))
    }
}

struct Table {
    visit: Rc<RunContext>,
    of: CollectionKind,
    count: usize,
}

impl Members for Table {
    fn count(&self) -> usize {
        self.count
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.visit.shelf.find(self.of, key)
    }

    fn key(&self, position: usize) -> Text {
        let row = self.visit.shelf.rows(self.of).get(position);
        row.map_or_else(|| Text::from(""), |row| row.key.clone())
    }

    fn value(&self, position: usize) -> Value {
        self.visit.item(self.of, position)
    }

    fn unknown(&self, key: &str) -> Option<String> {
        let is_instance = |address: &str| {
            key.strip_prefix(address).is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
        };
        let of_document = || match self.of {
            CollectionKind::Raw => self.visit.shelf.document(self.of).possible_member(key),
            _ => None,
        };
        self.possible(|item| is_instance(&item.address)).into_iter().next().or_else(of_document)
    }

    fn unknowns(&self) -> Vec<String> {
        self.possible(|_| true)
    }

    fn optional(&self, key: &str) -> Option<String> {
        let document = self.visit.shelf.document(self.of);
        let may_lack = document.plan(|plan| match self.of {
            CollectionKind::Changes => plan.simulated.may_lack(false, key),
            CollectionKind::PlannedResources => plan.simulated.may_lack(true, key),
            _ => false,
        });
        may_lack.unwrap_or_default().then(|| format!("actions of {key}"))
    }

    fn optionals(&self) -> Vec<String> {
        let document = self.visit.shelf.document(self.of);
        let names = document.plan(|plan| match self.of {
            CollectionKind::Changes | CollectionKind::PlannedResources => {
                plan.simulated.reads.iter().map(|key| format!("actions of {key}")).collect()
            }
            _ => Vec::new(),
        });
        names.unwrap_or_default()
    }
}

impl Table {
    /// The items that there may be, or not.
    fn possible(&self, is_wanted: impl Fn(&PossibleItem<'_>) -> bool) -> Vec<String> {
        let of = self.of;
        let names = self.visit.shelf.document(of).plan(|plan| {
            let (what, items) = match of {
                CollectionKind::Changes | CollectionKind::PlannedResources => {
                    ("instances", &plan.simulated.instances)
                }
                CollectionKind::Drift => ("drift", &plan.simulated.drift),
                CollectionKind::Resources | CollectionKind::Outputs => ("instances", &plan.simulated.prior),
                _ => return Vec::new(),
            };
            let items = items.iter().filter(|item| is_wanted(item));
            items.map(|item| format!("{what} of {}", item.address)).collect()
        });
        names.unwrap_or_default()
    }
}

/// An item, or the change of one.
pub(super) struct Record {
    pub(super) place: ItemPlace,
    pub(super) fields: &'static [Field],
}

impl Members for Record {
    fn count(&self) -> usize {
        self.fields.len()
    }

    fn position(&self, key: &str) -> Option<usize> {
        self.fields.iter().position(|(field, _)| *field == key)
    }

    fn key(&self, position: usize) -> Text {
        Text::from(self.fields[position].0)
    }

    fn value(&self, position: usize) -> Value {
        let ItemPlace { visit, of, position: row, index } = &self.place;
        let field @ (name, _) = self.fields[position];
        if of.has_labels() {
            let label = |label: fn(&super::cache::Row) -> &Text| {
                let row = visit.shelf.rows(*of).get(*row as usize);
                row.map_or_else(Value::undefined, |row| Value::String(label(row).clone()))
            };
            match name {
                "address" => return label(|row| &row.address),
                "mode" => return label(|row| &row.mode),
                "module_address" => return label(|row| &row.module_address),
                "provider_name" => return label(|row| &row.provider_name),
                "type" => return label(|row| &row.resource_type),
                _ => {}
            }
        }
        let document = visit.shelf.document(*of);
        // The planned value lacks unknown parts; they are marked separately.
        if let (CollectionKind::PlannedResources | CollectionKind::PlannedOutputs, "values" | "value") =
            (of, name)
        {
            let planned = document
                .at(*of, *index as usize, name, &[], |marked| Some(self.place.value(field, Some(marked))));
            if let Some(planned) = planned {
                return planned;
            }
        }
        let field = document.items(*of, |items| items.field(*index as usize, field, &self.place));
        field.unwrap_or_else(|error| self.place.failed(error))
    }

    fn reach(&self, path: &[&str]) -> Option<Value> {
        let is_change = std::ptr::eq(self.fields, &**CHANGE);
        let part = |name: &str| {
            let is_part = |field: &&Field| field.0 == name && field.1 != FieldKind::Actions;
            CHANGE.iter().find(is_part).copied()
        };
        match (self.place.of, path) {
            (
                CollectionKind::Changes | CollectionKind::Drift | CollectionKind::OutputChanges,
                [field, rest @ ..],
            ) if is_change => self.place.reach(part(field)?, &[], rest),
            (
                CollectionKind::Changes | CollectionKind::Drift | CollectionKind::OutputChanges,
                ["change", field, rest @ ..],
            ) if !rest.is_empty() => self.place.reach(part(field)?, &[], rest),
            (CollectionKind::PlannedResources | CollectionKind::Resources, ["values", rest @ ..]) => {
                self.place.reach(("values", FieldKind::Value), &[], rest)
            }
            _ => None,
        }
    }
}
