//! The common parts of the collections of plans, states and configuration: items by key, values with marks,
//! serialization.

mod answer;
mod change;
mod expressions;
mod field;
mod marked;
mod same;
mod written;

use std::fmt;

use indexmap::IndexMap;
use objchange_document::json::{Json, Raw};
use objchange_document::{DocumentError, Text};

pub(crate) use crate::address::{instance_address, prefixed};
pub use answer::Answer;
pub use change::{Change, OutputChange, ResourceChange};
pub(crate) use expressions::{Constant, HiddenIn};
pub use expressions::{Expressions, Provisioner};
pub use field::{Field, FieldKind};
pub(crate) use field::{FieldValue, Item, Read, items, write_fields};
pub(crate) use marked::simplified;
pub use marked::{Full, Marked, ObjectValueError};
pub(crate) use written::{As, Hidden, HiddenWith};
pub use written::{Collected, Exact, Redacted, Secrets};
#[cfg(feature = "rego")]
pub(crate) use written::{SECRET_MARKS, SecretKind};

/// Items by key, in the order of the document; an object's members are in byte order, as Terraform writes them.
///
/// To filter is to iterate: `changes.values().filter(|change| change.mode == *"managed")`.
pub struct Collection<'t, T>(IndexMap<Text<'t>, T, foldhash::fast::RandomState>);

impl<'t, T> Collection<'t, T> {
    /// The item with this key, in O(1).
    pub fn get(&self, key: &str) -> Option<&T> {
        self.0.get(key)
    }

    /// The item at a position, and its key.
    pub fn at(&self, position: usize) -> Option<(&str, &T)> {
        self.0.get_index(position).map(|(key, item)| (key.as_str(), item))
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The items with their keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &T)> + DoubleEndedIterator {
        self.0.iter().map(|(key, item)| (key.as_str(), item))
    }

    /// The keys.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> + DoubleEndedIterator {
        self.0.keys().map(Text::as_str)
    }

    /// The items.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &T> + DoubleEndedIterator {
        self.0.values()
    }

    /// Adds an item; where two have one key, the later one counts, at the place of the first.
    pub(crate) fn insert(&mut self, key: Text<'t>, item: T) {
        self.0.insert(key, item);
    }

    /// The items, to change them.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.values_mut()
    }

    /// Makes room for items to come.
    pub(crate) fn with_capacity(items: usize) -> Self {
        Self(IndexMap::with_capacity_and_hasher(items, Default::default()))
    }
}

impl<T> Default for Collection<'_, T> {
    fn default() -> Self {
        Self(IndexMap::default())
    }
}

impl<T: fmt::Debug> fmt::Debug for Collection<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<'c, 't, T> IntoIterator for &'c Collection<'t, T> {
    type Item = (&'c Text<'t>, &'c T);
    type IntoIter = indexmap::map::Iter<'c, Text<'t>, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

/// Whether a part is in its document. A reader's default for an absent part has the offset 0, which no part has.
pub(crate) fn is_there(part: &Raw<'_>) -> bool {
    part.offset() > 0
}

/// Reads a part of a document, with its place in errors.
pub(crate) fn read<'t>(document: &str, part: &Raw<'t>, location: &str) -> Result<Json<'t>, DocumentError> {
    Json::read(part).map_err(|error| DocumentError::from_json(&error, document, location))
}
