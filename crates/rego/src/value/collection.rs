//! Arrays, objects and sets. Objects and sets are sorted lists: they are read far more often than they are built.

use std::cmp::Ordering;

use super::Value;

/// An array.
#[derive(Clone, Default)]
pub struct Array {
    items: Vec<Value>,
    // These facts are computed once: a collection never changes, and evaluation asks for them at almost every
    // step.
    contains_unknown: bool,
    depth: u32,
    parts: u64,
}

impl Array {
    /// An array of these elements.
    pub fn new(items: Vec<Value>) -> Self {
        let contains_unknown = items.iter().any(Value::contains_unknown);
        let depth = 1 + items.iter().map(Value::depth).max().unwrap_or(0);
        // A value of shared parts that has been doubled 64 times has more than 2^64 of them, so the sum must
        // not overflow.
        let parts = items.iter().map(Value::parts).fold(1, u64::saturating_add);
        Self { items, contains_unknown, depth, parts }
    }

    /// Its elements.
    pub fn items(&self) -> &[Value] {
        &self.items
    }

    /// Its elements, one after another.
    pub fn iter(&self) -> std::slice::Iter<'_, Value> {
        self.items.iter()
    }

    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The element at this index, if it is a whole number within the array.
    pub fn get(&self, index: &Value) -> Option<&Value> {
        let index = index.as_number()?.as_index()?;
        self.items.get(index)
    }

    /// Whether something inside it is unknown.
    pub fn contains_unknown(&self) -> bool {
        self.contains_unknown
    }

    /// How many collections are within each other.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The number of values in it; shared ones count each time.
    pub fn parts(&self) -> u64 {
        self.parts
    }
}

impl<'a> IntoIterator for &'a Array {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// A set: its elements in ascending order, each once.
#[derive(Clone, Default)]
pub struct Set {
    items: Vec<Value>,
    contains_unknown: bool,
    depth: u32,
    parts: u64,
}

impl Set {
    /// A set of these elements. The first of equal elements stays, as numbers keep how they were written.
    pub fn new(mut items: Vec<Value>) -> Self {
        if !items.is_sorted_by(|a, b| a < b) {
            items.sort();
            // The sort is stable, so `{1.0, 1}` prints as `{1.0}`, as in OPA 1.20.
            items.dedup();
        }
        Self::from_sorted(items)
    }

    /// A set of elements in ascending order, each once.
    pub(crate) fn from_sorted(items: Vec<Value>) -> Self {
        debug_assert!(items.is_sorted_by(|a, b| a < b));
        let contains_unknown = items.iter().any(Value::contains_unknown);
        let depth = 1 + items.iter().map(Value::depth).max().unwrap_or(0);
        let parts = items.iter().map(Value::parts).fold(1, u64::saturating_add);
        Self { items, contains_unknown, depth, parts }
    }

    /// Its elements in ascending order.
    pub fn items(&self) -> &[Value] {
        &self.items
    }

    /// Its elements in ascending order, one after another.
    pub fn iter(&self) -> std::slice::Iter<'_, Value> {
        self.items.iter()
    }

    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether it has no elements.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The element that equals this value.
    pub fn get(&self, value: &Value) -> Option<&Value> {
        self.items.binary_search(value).ok().map(|at| &self.items[at])
    }

    /// Whether an element equals this value.
    pub fn contains(&self, value: &Value) -> bool {
        self.get(value).is_some()
    }

    /// Whether something inside it is unknown. Such a set may have fewer elements than it lists.
    pub fn contains_unknown(&self) -> bool {
        self.contains_unknown
    }

    /// How many collections are within each other.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The number of values in it; shared ones count each time.
    pub fn parts(&self) -> u64 {
        self.parts
    }
}

impl<'a> IntoIterator for &'a Set {
    type Item = &'a Value;
    type IntoIter = std::slice::Iter<'a, Value>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// An object: its members by ascending key.
#[derive(Clone, Default)]
pub struct Object {
    entries: Vec<(Value, Value)>,
    contains_unknown: bool,
    depth: u32,
    parts: u64,
}

impl Object {
    /// An object of these members. If a key is repeated the last value wins.
    pub fn new(mut entries: Vec<(Value, Value)>) -> Self {
        if !entries.is_sorted_by(|a, b| a.0 < b.0) {
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            entries.dedup_by(|later, earlier| {
                let same = later.0 == earlier.0;
                if same {
                    // The key of the first and the value of the last remain: OPA 1.20 prints
                    // `{1: "a", 1.0: "b"}` as `{1: "b"}`.
                    std::mem::swap(&mut later.1, &mut earlier.1);
                }
                same
            });
        }
        Self::from_sorted(entries)
    }

    /// An object of members by ascending key, each once.
    pub(crate) fn from_sorted(entries: Vec<(Value, Value)>) -> Self {
        debug_assert!(entries.is_sorted_by(|a, b| a.0 < b.0));
        let contains_unknown = entries.iter().any(|(k, v)| k.contains_unknown() || v.contains_unknown());
        let depth = 1 + entries.iter().map(|(k, v)| k.depth().max(v.depth())).max().unwrap_or(0);
        let parts = entries.iter().flat_map(|(k, v)| [k.parts(), v.parts()]).fold(1, u64::saturating_add);
        Self { entries, contains_unknown, depth, parts }
    }

    /// Its members by ascending key.
    pub fn entries(&self) -> &[(Value, Value)] {
        &self.entries
    }

    /// Its members by ascending key, one after another.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> + DoubleEndedIterator {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// Its keys in ascending order.
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &Value> + DoubleEndedIterator {
        self.entries.iter().map(|(key, _)| key)
    }

    /// Its values by ascending key.
    pub fn values(&self) -> impl ExactSizeIterator<Item = &Value> + DoubleEndedIterator {
        self.entries.iter().map(|(_, value)| value)
    }

    /// How many members it has.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether it has no members.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The value of this key.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        if let Value::String(key) = key {
            return self.get_str(key);
        }
        self.entries.binary_search_by(|(other, _)| other.cmp(key)).ok().map(|at| &self.entries[at].1)
    }

    /// The value of this key.
    pub fn get_str(&self, key: &str) -> Option<&Value> {
        let at = self.entries.binary_search_by(|(other, _)| match other {
            Value::String(other) => other.as_str().cmp(key),
            // The ranks of OPA's order, without making a `Value` of the key for each look-up.
            Value::Null | Value::Bool(_) | Value::Number(_) => Ordering::Less,
            _ => Ordering::Greater,
        });
        at.ok().map(|at| &self.entries[at].1)
    }

    /// Whether it has this key.
    pub fn contains_key(&self, key: &Value) -> bool {
        self.get(key).is_some()
    }

    /// Whether something inside it is unknown. If a key is, it may have fewer members than it lists.
    pub fn contains_unknown(&self) -> bool {
        self.contains_unknown
    }

    /// How many collections are within each other.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// The number of values in it; shared ones count each time.
    pub fn parts(&self) -> u64 {
        self.parts
    }
}
