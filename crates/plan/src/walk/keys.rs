//! The keys of a collection on all its sides.

use objchange_document::Text;
use objchange_document::json::{Json, View};

/// Keys, sorted and each one once.
#[derive(Clone)]
pub(crate) enum Keys<'t> {
    /// Those of an object that has them all: of most collections one side does, and nothing is listed.
    PartKind(Json<'t>),
    /// These.
    Listed(Vec<Text<'t>>),
}

impl<'t> Keys<'t> {
    /// The keys that any of these has.
    pub(super) fn union<'v>(values: impl Iterator<Item = View<'v, 't>> + Clone) -> Self
    where
        't: 'v,
    {
        // Mostly one side has all keys, and then its own order serves without a copy.
        let longest = values.clone().max_by_key(|value| value.members().len());
        if let Some(longest) = longest
            && values.clone().all(|value| longest.members().has_keys_of(value.members()))
        {
            return Keys::PartKind(longest.to_json());
        }
        let mut keys: Vec<_> = values.flat_map(|value| value.members().keys()).collect();
        keys.sort();
        keys.dedup();
        Keys::Listed(keys)
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Keys::PartKind(object) => object.view().members().len(),
            Keys::Listed(keys) => keys.len(),
        }
    }

    pub(crate) fn get(&self, index: usize) -> Text<'t> {
        match self {
            Keys::PartKind(object) => object.view().members().key(index),
            Keys::Listed(keys) => keys[index].clone(),
        }
    }

    pub(crate) fn iter(&self) -> impl ExactSizeIterator<Item = Text<'t>> {
        (0..self.len()).map(|index| self.get(index))
    }
}
