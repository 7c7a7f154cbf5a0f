//! Lists and maps: shared, and changed in place.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use super::{Key, Lazy, MemberName, Members, Taint, Text, Value};

/// Values in their order.
#[derive(Clone)]
pub struct List(pub(crate) Rc<ListCell>);

pub(crate) struct ListCell {
    /// Shared with walks, and copied if the list changes meanwhile.
    pub(crate) items: RefCell<Rc<Vec<Value>>>,
    /// Whether a run has registered it as possibly cyclic.
    pub(crate) registered: Cell<bool>,
    /// The index and the host's name of each element that is, or contains, something unknown until apply.
    unknown: Box<[(usize, String)]>,
    /// The unknown values that decide its content.
    pub(crate) taint: Cell<Taint>,
    /// Whether it was changed after a point where the run may end.
    pub(crate) changed_late: Cell<bool>,
    /// Elements that several lists share; the elements have no parts.
    pub(super) shared: Option<Rc<Vec<Value>>>,
}

impl List {
    /// A list with elements that are unknown until apply: the index and the host's name of each. The values
    /// in their places carry no meaning. A run reports where a policy looks at them. `usize::MAX` is the index of
    /// elements that may exist besides: they may be at any position, and move the others.
    #[must_use]
    pub fn partly_unknown(items: Vec<Value>, unknown: Vec<(usize, String)>) -> List {
        let (items, registered) = (RefCell::new(Rc::new(items)), Cell::new(false));
        let (taint, changed_late) = Default::default();
        let unknown = unknown.into();
        List(Rc::new(ListCell { items, registered, unknown, taint, changed_late, shared: None }))
    }

    /// A list of plain values, which many lists share until one is changed.
    #[must_use]
    pub fn shared(items: &Rc<Vec<Value>>) -> List {
        let (shared, registered) = (Some(Rc::clone(items)), Cell::new(false));
        let items = RefCell::new(Rc::clone(items));
        let (unknown, taint, changed_late) = Default::default();
        List(Rc::new(ListCell { items, registered, unknown, taint, changed_late, shared }))
    }

    pub(crate) fn unknowns(&self) -> impl Iterator<Item = &str> {
        self.0.unknown.iter().map(|(_, what)| what.as_str())
    }

    pub(crate) fn unknown_at(&self, index: usize) -> Option<&str> {
        self.0.unknown.iter().find(|(at, _)| [index, usize::MAX].contains(at)).map(|(_, what)| what.as_str())
    }

    /// The number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.items.borrow().len()
    }

    /// Whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at an index.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Value> {
        self.0.items.borrow().get(index).cloned()
    }

    /// Its current elements.
    #[must_use]
    pub fn items(&self) -> Rc<Vec<Value>> {
        Rc::clone(&self.0.items.borrow())
    }

    /// How many values a change must copy, because a walk still uses them.
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
        List::partly_unknown(items, Vec::new())
    }
}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Value::List(self.clone()).fmt(f)
    }
}

/// Values under keys.
#[derive(Clone)]
pub struct Map(pub(crate) Rc<MapCell>);

pub(crate) struct MapCell {
    pub(crate) content: RefCell<Content>,
    /// Whether a run knows that it may hold itself.
    pub(crate) registered: Cell<bool>,
    /// The unknown values that decide its content.
    pub(crate) taint: Cell<Taint>,
    /// Whether it was changed after a point where the run may end.
    pub(crate) changed_late: Cell<bool>,
}

/// The content of a map at one time: shared with walks, and copied if the map changes meanwhile.
#[derive(Clone)]
pub(crate) enum Content {
    Entries(Rc<BTreeMap<Key, Value>>),
    /// Unchanged so far; values may not be made yet.
    Lazy(Rc<Lazy>),
}

impl Map {
    fn new(content: Content) -> Map {
        let (registered, taint, changed_late) = Default::default();
        Map(Rc::new(MapCell { content: RefCell::new(content), registered, taint, changed_late }))
    }

    /// A map whose values are made on demand.
    #[must_use]
    pub fn lazy(members: impl Members + 'static) -> Map {
        Map::new(Content::Lazy(Rc::new(Lazy::new(members))))
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        match &*self.0.content.borrow() {
            Content::Entries(entries) => entries.len(),
            Content::Lazy(lazy) => lazy.count(),
        }
    }

    /// Whether the map is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value under a string.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<Value> {
        self.find(&Key::String(Text::from(key)))
    }

    /// Whether its values are made on demand.
    pub(crate) fn is_lazy(&self) -> bool {
        matches!(&*self.0.content.borrow(), Content::Lazy(_))
    }

    /// The value at the end of a path of names, if it can be had without the maps on the way. Maps that
    /// exist already are used.
    pub(crate) fn reach(&self, path: &[&str]) -> Option<Value> {
        // The shortcut would skip the look at the map, on which the value depends.
        if self.0.taint.get().is_some() {
            return None;
        }
        let content = self.0.content.borrow();
        let Content::Lazy(lazy) = &*content else { return None };
        lazy.reach(path)
    }

    pub(crate) fn find(&self, key: &Key) -> Option<Value> {
        match &*self.0.content.borrow() {
            Content::Entries(entries) => entries.get(key).cloned(),
            Content::Lazy(lazy) => lazy.find(key),
        }
    }

    /// The value under a name.
    pub(crate) fn member(&self, name: &MemberName) -> Option<Value> {
        match &*self.0.content.borrow() {
            Content::Entries(entries) => entries.get(&name.key).cloned(),
            Content::Lazy(lazy) => lazy.member(&name.text),
        }
    }

    /// The host's name for the unknown value that is missing under a key.
    pub(crate) fn unknown(&self, key: &Key) -> Option<String> {
        match (&*self.0.content.borrow(), key) {
            (Content::Lazy(lazy), Key::String(text)) => lazy.members.unknown(text.as_str()?),
            _ => None,
        }
    }

    /// The host's names for all values that are missing because they are unknown until apply.
    pub(crate) fn unknowns(&self) -> Vec<String> {
        match &*self.0.content.borrow() {
            Content::Lazy(lazy) => lazy.members.unknowns(),
            Content::Entries(_) => Vec::new(),
        }
    }

    /// The name of a member that may not be there, which is unknown until apply.
    pub(crate) fn optional(&self, key: &Key) -> Option<String> {
        match (&*self.0.content.borrow(), key) {
            (Content::Lazy(lazy), Key::String(text)) => lazy.members.optional(text.as_str()?),
            _ => None,
        }
    }

    /// The host's names for all members that may not be there.
    pub(crate) fn optionals(&self) -> Vec<String> {
        match &*self.0.content.borrow() {
            Content::Lazy(lazy) => lazy.members.optionals(),
            Content::Entries(_) => Vec::new(),
        }
    }

    /// The keys in their order.
    pub(crate) fn keys(&self) -> Vec<Key> {
        match &*self.0.content.borrow() {
            Content::Entries(entries) => entries.keys().cloned().collect(),
            Content::Lazy(lazy) => (0..lazy.count()).map(|position| lazy.key(position)).collect(),
        }
    }

    /// Its current entries, sorted by key.
    pub(crate) fn entries(&self) -> Vec<(Key, Value)> {
        match &*self.0.content.borrow() {
            Content::Entries(entries) => {
                entries.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
            }
            Content::Lazy(lazy) => lazy.entries().collect(),
        }
    }

    /// Its first values, at most `count`.
    pub(crate) fn values_up_to(&self, count: usize) -> Vec<Value> {
        match &*self.0.content.borrow() {
            Content::Entries(entries) => entries.values().take(count).cloned().collect(),
            Content::Lazy(lazy) => (0..lazy.count().min(count)).map(|at| lazy.value(at)).collect(),
        }
    }

    /// A snapshot of its content, for a walk.
    pub(crate) fn snapshot(&self) -> Content {
        self.0.content.borrow().clone()
    }

    /// How many values a change must make or copy, because a walk still uses them.
    pub(crate) fn to_copy(&self) -> usize {
        match &*self.0.content.borrow() {
            Content::Entries(entries) if Rc::strong_count(entries) == 1 => 0,
            Content::Entries(entries) => entries.len(),
            Content::Lazy(lazy) => lazy.count(),
        }
    }

    pub(crate) fn insert(&self, key: Key, value: Value) {
        let old = self.change(|entries| entries.insert(key, value));
        // Here, where nothing is borrowed: to drop it may be to drop much.
        drop(old);
    }

    pub(crate) fn remove(&self, key: &Key) {
        let old = self.change(|entries| entries.remove(key));
        drop(old);
    }

    fn change<T>(&self, change: impl FnOnce(&mut BTreeMap<Key, Value>) -> T) -> T {
        let mut content = self.0.content.borrow_mut();
        // The first change makes all values of a lazy map, because a map has one form of content.
        let mut entries = match &mut *content {
            Content::Entries(entries) => return change(Rc::make_mut(entries)),
            Content::Lazy(lazy) => lazy.entries().collect(),
        };
        let result = change(&mut entries);
        *content = Content::Entries(Rc::new(entries));
        result
    }
}

impl Default for Map {
    fn default() -> Map {
        Map::new(Content::Entries(Rc::default()))
    }
}

impl FromIterator<(Key, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (Key, Value)>>(entries: I) -> Map {
        Map::new(Content::Entries(Rc::new(entries.into_iter().collect())))
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
