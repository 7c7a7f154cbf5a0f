//! The items of plans, states and configurations: their fields as values of the language, and the parts of them that
//! are values of a document.

use std::sync::{LazyLock, OnceLock};

use objchange_document::{DocumentError, Index, Text};
use objchange_sentinel::Value;

use super::document::CollectionKind;
use super::place::ItemPlace;
use super::value::number;
use crate::collection::{FieldValue, Item, Read};
use crate::tfplan::{Change, RawMember};
use crate::{Collection, Field, Marked};

/// The fields by which policies mostly select resources; many resources share them.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Labels<'v> {
    pub(super) address: &'v str,
    pub(super) module_address: &'v str,
    pub(super) mode: &'v str,
    pub(super) resource_type: &'v str,
    pub(super) provider_name: &'v str,
}

/// A collection, whatever its items are.
pub(super) trait Items<'t> {
    fn count(&self) -> usize;
    fn key(&self, position: usize) -> &str;
    fn fields(&self) -> &'static [Field];
    fn labels(&self, position: usize) -> Labels<'_>;
    /// A field of an item, or of its change, as a value.
    fn field(&self, position: usize, field: Field, place: &ItemPlace) -> Value;
    /// A field that is a value of the document, which may be large.
    fn part(&self, position: usize, name: &str) -> Result<Option<Marked<'_, 't>>, DocumentError>;
}

impl<'t, T: Item<'t>> Items<'t> for Collection<'t, T> {
    fn count(&self) -> usize {
        self.len()
    }

    fn key(&self, position: usize) -> &str {
        self.at(position).map_or("", |(key, _)| key)
    }

    fn fields(&self) -> &'static [Field] {
        T::FIELDS
    }

    fn labels(&self, position: usize) -> Labels<'_> {
        let Some((_, item)) = self.at(position) else { return Labels::default() };
        let text = |name| match item.field(name) {
            Ok(Some(FieldValue::Text(text))) => text.as_str(),
            _ => "",
        };
        Labels {
            address: text("address"),
            module_address: text("module_address"),
            mode: text("mode"),
            resource_type: text("type"),
            provider_name: text("provider_name"),
        }
    }

    fn field(&self, position: usize, field: Field, place: &ItemPlace) -> Value {
        let Some((_, item)) = self.at(position) else { return Value::undefined() };
        // The document itself has no fields. Only it knows which of its members are open.
        if T::FIELDS.is_empty() {
            let document = place.context.documents.document(place.kind);
            let member = || {
                document
                    .at(place.kind, position, field.0, &[], |marked| Some(place.value(field, Some(marked))))
            };
            return place.hidden_in_raw().or_else(member).unwrap_or_else(Value::undefined);
        }
        match read(item, field.0) {
            Ok(Some(value)) => of_field(value, field, place),
            Ok(None) => Value::undefined(),
            Err(error) => place.failed(error),
        }
    }

    fn part(&self, position: usize, name: &str) -> Result<Option<Marked<'_, 't>>, DocumentError> {
        let Some((_, item)) = self.at(position) else { return Ok(None) };
        Ok(match read(item, name)? {
            Some(FieldValue::Value(value)) => value,
            Some(FieldValue::Marks(marks)) => Some(marks),
            Some(FieldValue::Expressions(expressions)) => expressions.exact().map(Marked::plain),
            _ => None,
        })
    }
}

/// A field of an item, or of its change.
fn read<'v, 't, T: Item<'t>>(item: &'v T, name: &str) -> Read<'v, 't> {
    match item.field(name)? {
        // No field of an item is called like one of its change, so that a single name says which is meant.
        None => match item.field("change")? {
            Some(FieldValue::Change(change)) => change.field(name),
            _ => Ok(None),
        },
        value => Ok(value),
    }
}

fn of_field(value: FieldValue<'_, '_>, field: Field, place: &ItemPlace) -> Value {
    match value {
        FieldValue::Text(text) => Value::from(&**text),
        FieldValue::Bool(bool) => Value::from(bool),
        FieldValue::Index(index) => of_index(index),
        FieldValue::Texts(texts) => of_texts(&texts),
        FieldValue::Actions { planned, is_known: true } => place.context.actions(planned),
        FieldValue::Actions { planned, .. } => place.unknown_as(&place.context.actions(planned), "actions"),
        FieldValue::Value(None) => place.unknown(),
        FieldValue::Value(value) => place.value(field, value),
        FieldValue::Marks(marks) => place.value(field, Some(marks)),
        FieldValue::Expressions(expressions) => place.expressions(field, expressions),
        FieldValue::Provisioners(all) => {
            let keys = all
                .iter()
                .map(|provisioner| format!("{}:{}", provisioner.resource_address, provisioner.index));
            Value::from(keys.map(|key| place.item(CollectionKind::Provisioners, &key)).collect::<Vec<_>>())
        }
        FieldValue::Change(_) => place.change(),
    }
}

/// The fields of the items of a collection in the order of their names, as maps have them.
pub(super) fn sorted(kind: CollectionKind, fields: &'static [Field]) -> &'static [Field] {
    static SORTED: [OnceLock<Vec<Field>>; CollectionKind::COUNT] =
        [const { OnceLock::new() }; CollectionKind::COUNT];
    SORTED[kind as usize].get_or_init(|| by_name(fields))
}

/// The fields of `change`, as [`sorted`].
pub(super) static CHANGE: LazyLock<Vec<Field>> = LazyLock::new(|| by_name(Change::FIELDS));

fn by_name(fields: &[Field]) -> Vec<Field> {
    let mut fields = fields.to_vec();
    fields.sort_unstable_by_key(|(name, _)| *name);
    fields
}

impl<'t> Item<'t> for RawMember<'t> {
    const FIELDS: &'static [Field] = &[];

    fn field(&self, _: &str) -> Read<'_, 't> {
        Ok(Some(FieldValue::Value(Some(Marked::plain(self.exact()?)))))
    }
}

fn of_index(index: Option<&Index<'_>>) -> Value {
    match index {
        None => Value::Null,
        Some(Index::Number(text)) => number(text),
        Some(Index::Key(key)) => Value::from(&**key),
    }
}

fn of_texts(texts: &[Text<'_>]) -> Value {
    Value::from(texts.iter().map(|text| Value::from(&**text)).collect::<Vec<_>>())
}
