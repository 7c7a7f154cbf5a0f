//! Collections and items as maps.

use std::rc::Rc;

use objchange_document::PlanSection;
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
    pub(super) fn table(self: &Rc<Self>, kind: CollectionKind) -> Value {
        let document = self.documents.document(kind);
        // A collection that cannot be read must not be taken for one that is empty.
        if let Err(error) = document.items(kind, |_| ()) {
            self.noted.failed(error);
        }
        let count = document.order(kind).len();
        Value::Map(Map::lazy(Table { context: Rc::clone(self), kind, count }))
    }

    /// The item at a position in the order of keys.
    pub(super) fn item(self: &Rc<Self>, kind: CollectionKind, position: usize) -> Value {
        let document = self.documents.document(kind);
        let Some(index) = document.order(kind).get(position).copied() else { return Value::undefined() };
        let place = ItemPlace { context: Rc::clone(self), kind, position: position as u32, index };
        let item = document.items(kind, |items| match items.fields() {
            [] => items.field(index as usize, RAW, &place),
            fields => Value::Map(Map::lazy(Record { place: place.clone(), fields: sorted(kind, fields) })),
        });
        item.unwrap_or_else(|error| place.failed(error))
    }
}

struct Table {
    context: Rc<RunContext>,
    kind: CollectionKind,
    count: usize,
}

impl Members for Table {
    fn count(&self) -> usize {
        self.count
    }

    fn position(&self, key: &str) -> Option<usize> {
        // A section that somebody has left out of the plan must not be taken for an empty one.
        if self.kind == CollectionKind::Raw
            && let Some(section) = PlanSection::named(key)
            && let Err(error) = self.context.documents.document(self.kind).require(section)
        {
            self.context.noted.failed(error);
        }
        self.context.documents.find(self.kind, key)
    }

    fn key(&self, position: usize) -> Text {
        let row = self.context.documents.rows(self.kind).get(position);
        row.map_or_else(|| Text::from(""), |row| row.key.clone())
    }

    fn value(&self, position: usize) -> Value {
        self.context.item(self.kind, position)
    }

    fn unknown(&self, key: &str) -> Option<String> {
        let of_document = || match self.kind {
            CollectionKind::Raw => self.context.documents.document(self.kind).possible_member(key),
            _ => None,
        };
        self.possible(|item| item.may_have(key)).into_iter().next().or_else(of_document)
    }

    fn unknowns(&self) -> Vec<String> {
        self.possible(|_| true)
    }

    fn optional(&self, key: &str) -> Option<String> {
        let document = self.context.documents.document(self.kind);
        let may_lack = document.plan(|plan| match self.kind {
            CollectionKind::Changes => plan.simulated.may_lack(false, key),
            CollectionKind::PlannedResources => plan.simulated.may_lack(true, key),
            // A document has no empty list, so one whose items may all be missing may be missing, too.
            CollectionKind::Raw => {
                let mut changes = plan.resource_changes.iter();
                key == "resource_changes"
                    && !plan.resource_changes.is_empty()
                    && changes.all(|(key, _)| plan.simulated.may_lack(false, key))
            }
            _ => false,
        });
        may_lack.unwrap_or_default().then(|| format!("actions of {key}"))
    }

    fn optionals(&self) -> Vec<String> {
        let document = self.context.documents.document(self.kind);
        let names = document.plan(|plan| match self.kind {
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
        let kind = self.kind;
        let names = self.context.documents.document(kind).plan(|plan| {
            let (what, items) = match kind {
                CollectionKind::Changes | CollectionKind::PlannedResources => {
                    ("instances", &plan.simulated.instances)
                }
                CollectionKind::Drift => ("drift", &plan.simulated.drift),
                CollectionKind::Resources => ("instances", &plan.simulated.prior),
                CollectionKind::Outputs => ("instances", &plan.simulated.prior_outputs),
                CollectionKind::Providers
                | CollectionKind::ConfigResources
                | CollectionKind::Provisioners
                | CollectionKind::ConfigVariables
                | CollectionKind::ConfigOutputs
                | CollectionKind::ModuleCalls => ("configuration", &plan.simulated.modules),
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
        let ItemPlace { context, kind, position: row, index } = &self.place;
        let field @ (name, _) = self.fields[position];
        if kind.has_labels() {
            let label = |label: fn(&super::cache::Row) -> &Text| {
                let row = context.documents.rows(*kind).get(*row as usize);
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
        let document = context.documents.document(*kind);
        // The planned value lacks unknown parts; they are marked separately.
        if let (CollectionKind::PlannedResources | CollectionKind::PlannedOutputs, "values" | "value") =
            (kind, name)
        {
            let planned = document
                .at(*kind, *index as usize, name, &[], |marked| Some(self.place.value(field, Some(marked))));
            if let Some(planned) = planned {
                return planned;
            }
        }
        let field = document.items(*kind, |items| items.field(*index as usize, field, &self.place));
        field.unwrap_or_else(|error| self.place.failed(error))
    }

    fn reach(&self, path: &[&str]) -> Option<Value> {
        // A record is an item or a change, and only changes have this list of fields.
        let is_change = std::ptr::eq(self.fields, &**CHANGE);
        let part = |name: &str| {
            // Actions are words, and no value of the document that a path could lead into.
            let is_part = |field: &&Field| field.0 == name && field.1 != FieldKind::Actions;
            CHANGE.iter().find(is_part).copied()
        };
        match (self.place.kind, path) {
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
