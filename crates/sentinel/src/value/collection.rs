//! Lists and maps: shared, and changed in place.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use super::{Key, Text, Value};

/// Values in their order.
#[derive(Clone)]
pub struct List(pub(crate) Rc<ListCell>);

pub(crate) struct ListCell {
    pub(crate) items: RefCell<Vec<Value>>,
    /// Whether a run knows that it may hold itself.
    pub(crate) registered: Cell<bool>,
}

impl List {
    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.items.borrow().len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at an index.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Value> {
        self.0.items.borrow().get(index).cloned()
    }

    /// What is in it now.
    #[must_use]
    pub fn items(&self) -> Vec<Value> {
        self.0.items.borrow().clone()
    }

    pub(crate) fn push(&self, value: Value) {
        self.0.items.borrow_mut().push(value);
    }

    /// Replaces the value at an index that there is.
    pub(crate) fn set(&self, index: usize, value: Value) {
        let old = self.0.items.borrow_mut().get_mut(index).map(|slot| std::mem::replace(slot, value));
        // Here, where nothing is borrowed: to drop it may be to drop much.
        drop(old);
    }
}

impl From<Vec<Value>> for List {
    fn from(items: Vec<Value>) -> List {
        List(Rc::new(ListCell { items: RefCell::new(items), registered: Cell::new(false) }))
    }
}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Value::List(self.clone()).fmt(f)
    }
}

/// The members of a map that the host makes when they are asked for.
pub trait Members {
    /// The keys that there are.
    fn keys(&self) -> Vec<String>;

    /// The value under a key, made anew each time.
    fn get(&self, key: &str) -> Option<Value>;
}

/// Values under keys.
#[derive(Clone)]
pub struct Map(pub(crate) Rc<MapCell>);

pub(crate) struct MapCell {
    pub(crate) entries: RefCell<BTreeMap<Key, Value>>,
    /// Where the entries are that are not yet made.
    source: RefCell<Option<Rc<dyn Members>>>,
    /// Whether a run knows that it may hold itself.
    pub(crate) registered: Cell<bool>,
}

impl Map {
    fn new(entries: BTreeMap<Key, Value>, source: Option<Rc<dyn Members>>) -> Map {
        let (entries, source) = (RefCell::new(entries), RefCell::new(source));
        Map(Rc::new(MapCell { entries, source, registered: Cell::new(false) }))
    }

    /// A map whose values are made when they are asked for, each once.
    #[must_use]
    pub fn lazy(source: Rc<dyn Members>) -> Map {
        Map::new(BTreeMap::new(), Some(source))
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match self.source() {
            Some(source) => source.keys().len(),
            None => self.0.entries.borrow().len(),
        }
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value under a string.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Value> {
        self.find(&Key::String(Text::from(key)))
    }

    fn source(&self) -> Option<Rc<dyn Members>> {
        self.0.source.borrow().clone()
    }

    pub(crate) fn find(&self, key: &Key) -> Option<Value> {
        if let Some(value) = self.0.entries.borrow().get(key) {
            return Some(value.clone());
        }
        let source = self.source()?;
        let Key::String(text) = key else { return None };
        let value = source.get(text.as_str()?)?;
        self.0.entries.borrow_mut().insert(key.clone(), value.clone());
        Some(value)
    }

    pub(crate) fn has(&self, key: &Key) -> bool {
        self.find(key).is_some()
    }

    /// The keys in their order.
    pub(crate) fn keys(&self) -> Vec<Key> {
        match self.source() {
            Some(source) => {
                let mut keys: Vec<Key> =
                    source.keys().into_iter().map(|key| Key::String(Text::from(key.into_bytes()))).collect();
                keys.sort();
                keys
            }
            None => self.0.entries.borrow().keys().cloned().collect(),
        }
    }

    /// What is in it now, in the order of keys.
    pub(crate) fn entries(&self) -> Vec<(Key, Value)> {
        self.make_all();
        self.0.entries.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect()
    }

    /// The keys, with the values that are made already.
    pub(crate) fn snapshot(&self) -> Vec<(Key, Option<Value>)> {
        match self.source() {
            Some(_) => self.keys().into_iter().map(|key| (key, None)).collect(),
            None => self.entries().into_iter().map(|(key, value)| (key, Some(value))).collect(),
        }
    }

    /// Takes everything from the source, so that the map can be changed.
    fn make_all(&self) {
        if self.source().is_some() {
            for key in self.keys() {
                self.find(&key);
            }
            self.0.source.borrow_mut().take();
        }
    }

    pub(crate) fn insert(&self, key: Key, value: Value) {
        self.make_all();
        let old = self.0.entries.borrow_mut().insert(key, value);
        drop(old);
    }

    pub(crate) fn remove(&self, key: &Key) {
        self.make_all();
        let old = self.0.entries.borrow_mut().remove(key);
        drop(old);
    }
}

impl Default for Map {
    fn default() -> Map {
        Map::new(BTreeMap::new(), None)
    }
}

impl FromIterator<(Key, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (Key, Value)>>(entries: I) -> Map {
        Map::new(entries.into_iter().collect(), None)
    }
}

impl<'k> FromIterator<(&'k str, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (&'k str, Value)>>(entries: I) -> Map {
        entries.into_iter().map(|(key, value)| (Key::String(Text::from(key)), value)).collect()
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Value::Map(self.clone()).fmt(f)
    }
}
