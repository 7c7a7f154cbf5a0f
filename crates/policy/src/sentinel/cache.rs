//! The documents with the texts that policies ask for most, made once for all runs of a thread: to count who has a text
//! is costly where threads share it.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use objchange_sentinel::Text;

use super::document::{CollectionKind, Document};
use super::items::Labels;

#[derive(Debug)]
pub(super) struct DocumentCache {
    plan: Arc<Document>,
    state: Option<Arc<Document>>,
    rows: [OnceLock<Box<[Row]>>; CollectionKind::COUNT],
}

/// The key and the labels of an item.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) key: Text,
    pub(super) address: Text,
    pub(super) module_address: Text,
    pub(super) mode: Text,
    pub(super) resource_type: Text,
    pub(super) provider_name: Text,
}

impl DocumentCache {
    pub(super) fn new(plan: Arc<Document>, state: Option<Arc<Document>>) -> Self {
        Self { plan, state, rows: Default::default() }
    }

    /// The document that a collection is of.
    pub(super) fn document(&self, kind: CollectionKind) -> &Document {
        match (kind, &self.state) {
            (CollectionKind::Resources | CollectionKind::Outputs, Some(state)) => state,
            _ => &self.plan,
        }
    }

    /// Where the item with a key is, in the order of keys.
    pub(super) fn find(&self, kind: CollectionKind, key: &str) -> Option<usize> {
        let document = self.document(kind);
        let order = document.order(kind);
        let find =
            document.items(kind, |items| order.binary_search_by(|index| items.key(*index as usize).cmp(key)));
        find.ok()?.ok()
    }

    /// The items of a collection, in the order of their keys.
    pub(super) fn rows(&self, kind: CollectionKind) -> &[Row] {
        self.rows[kind as usize].get_or_init(|| {
            let document = self.document(kind);
            let rows = document.items(kind, |items| {
                let mut texts = Texts::default();
                let row = |index: &u32| {
                    let index = *index as usize;
                    let Labels { address, module_address, mode, resource_type, provider_name } =
                        items.labels(index);
                    let key = Text::from(items.key(index));
                    Row {
                        // Only deposed objects have another key than their address, so both mostly share a text.
                        address: if address == items.key(index) { key.clone() } else { Text::from(address) },
                        key,
                        module_address: texts.get(module_address),
                        mode: texts.get(mode),
                        resource_type: texts.get(resource_type),
                        provider_name: texts.get(provider_name),
                    }
                };
                document.order(kind).iter().map(row).collect()
            });
            rows.unwrap_or_default()
        })
    }
}

/// Each text once.
#[derive(Default)]
struct Texts<'v>(HashMap<&'v str, Text>);

impl<'v> Texts<'v> {
    fn get(&mut self, text: &'v str) -> Text {
        self.0.entry(text).or_insert_with(|| Text::from(text)).clone()
    }
}
