//! Lists and maps: shared, and changed in place.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use super::{Key, Text, Value};

/// Values in their order.
#[derive(Clone)]
pub struct List(pub(crate) Rc<ListCell>);

pub(crate) struct ListCell {
    /// Shared with whoever walks it, and copied if it is changed meanwhile.
    pub(crate) items: RefCell<Rc<Vec<Value>>>,
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
    pub fn items(&self) -> Rc<Vec<Value>> {
        Rc::clone(&self.0.items.borrow())
    }

    /// How many values must be copied before it can be changed, because somebody walks it.
    pub(crate) fn to_copy(&self) -> usize {
        let items = self.0.items.borrow();
        if Rc::strong_count(&items) > 1 { items.len() } else { 0 }
    }

    pub(crate) fn push(&self, value: Value) {
        Rc::make_mut(&mut self.0.items.borrow_mut()).push(value);
    }

    /// Replaces the value at an index that there is.
    pub(crate) fn set(&self, index: usize, value: Value) {
        let old = Rc::make_mut(&mut self.0.items.borrow_mut())
            .get_mut(index)
            .map(|slot| std::mem::replace(slot, value));
        // Here, where nothing is borrowed: to drop it may be to drop much.
        drop(old);
    }
}

impl From<Vec<Value>> for List {
    fn from(items: Vec<Value>) -> List {
        List(Rc::new(ListCell { items: RefCell::new(Rc::new(items)), registered: Cell::new(false) }))
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
    /// Shared with whoever walks it, and copied if it is changed meanwhile.
    pub(crate) entries: RefCell<Rc<BTreeMap<Key, Value>>>,
    /// Where the entries are that are not yet made.
    source: RefCell<Option<Rc<Lazy>>>,
    /// Whether a run knows that it may hold itself.
    pub(crate) registered: Cell<bool>,
}

struct Lazy {
    members: Rc<dyn Members>,
    /// The keys in their order, once somebody asked for them.
    keys: OnceCell<Rc<[Key]>>,
}

impl Lazy {
    fn keys(&self) -> Rc<[Key]> {
        let sorted = || {
            let keys = self.members.keys().into_iter();
            let mut keys: Vec<Key> = keys.map(|key| Key::String(Text::from(key.into_bytes()))).collect();
            keys.sort();
            keys.into()
        };
        Rc::clone(self.keys.get_or_init(sorted))
    }
}

/// What is in a map at a time.
pub(crate) enum Snapshot {
    Entries(Rc<BTreeMap<Key, Value>>),
    /// Keys whose values are not all made.
    Keys(Rc<[Key]>),
}

impl Map {
    fn new(entries: BTreeMap<Key, Value>, source: Option<Lazy>) -> Map {
        let (entries, source) = (RefCell::new(Rc::new(entries)), RefCell::new(source.map(Rc::new)));
        Map(Rc::new(MapCell { entries, source, registered: Cell::new(false) }))
    }

    /// A map whose values are made when they are asked for, each once.
    #[must_use]
    pub fn lazy(source: Rc<dyn Members>) -> Map {
        Map::new(BTreeMap::new(), Some(Lazy { members: source, keys: OnceCell::new() }))
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

    fn source(&self) -> Option<Rc<Lazy>> {
        self.0.source.borrow().clone()
    }

    pub(crate) fn find(&self, key: &Key) -> Option<Value> {
        if let Some(value) = self.0.entries.borrow().get(key) {
            return Some(value.clone());
        }
        let source = self.source()?;
        let Key::String(text) = key else { return None };
        let value = source.members.get(text.as_str()?)?;
        Rc::make_mut(&mut self.0.entries.borrow_mut()).insert(key.clone(), value.clone());
        Some(value)
    }

    pub(crate) fn has(&self, key: &Key) -> bool {
        self.find(key).is_some()
    }

    /// The keys in their order.
    pub(crate) fn keys(&self) -> Vec<Key> {
        match self.source() {
            Some(source) => source.keys().to_vec(),
            None => self.0.entries.borrow().keys().cloned().collect(),
        }
    }

    /// What is in it now, in the order of keys.
    pub(crate) fn entries(&self) -> Vec<(Key, Value)> {
        self.make_all();
        self.0.entries.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect()
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        match self.source() {
            Some(source) => Snapshot::Keys(source.keys()),
            None => Snapshot::Entries(Rc::clone(&self.0.entries.borrow())),
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

    /// How many values must be copied before it can be changed, because somebody walks it.
    pub(crate) fn to_copy(&self) -> usize {
        let entries = self.0.entries.borrow();
        if Rc::strong_count(&entries) > 1 { entries.len() } else { 0 }
    }

    pub(crate) fn insert(&self, key: Key, value: Value) {
        self.make_all();
        let old = Rc::make_mut(&mut self.0.entries.borrow_mut()).insert(key, value);
        drop(old);
    }

    pub(crate) fn remove(&self, key: &Key) {
        self.make_all();
        let old = Rc::make_mut(&mut self.0.entries.borrow_mut()).remove(key);
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
