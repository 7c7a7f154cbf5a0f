//! A set of values that have been seen.

use hashbrown::HashTable;
use objchange::Value;

/// Values that were seen before. Values that are not wholly known cannot be compared.
#[derive(Default)]
pub(super) struct SeenValues<'v>(HashTable<&'v Value>);

impl<'v> SeenValues<'v> {
    /// Says whether the value is met for the first time.
    pub(super) fn insert(&mut self, value: &'v Value) -> bool {
        if self.contains(value) {
            return false;
        }
        self.0.insert_unique(value.content_hash(), value, |value| value.content_hash());
        true
    }

    pub(super) fn contains(&self, value: &Value) -> bool {
        self.0.find(value.content_hash(), |other| other.definitely_equals(value)).is_some()
    }
}

impl<'v> FromIterator<&'v Value> for SeenValues<'v> {
    fn from_iter<I: IntoIterator<Item = &'v Value>>(values: I) -> Self {
        let mut seen = Self::default();
        for value in values {
            seen.insert(value);
        }
        seen
    }
}
