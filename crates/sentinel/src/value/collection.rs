//! Lists and maps: shared, and changed in place.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use super::{Key, MemberName, Text, Value};

/// Values in their order.
#[derive(Clone)]
pub struct List(pub(crate) Rc<ListCell>);

pub(crate) struct ListCell {
    /// Shared with whoever walks it, and copied if it is changed meanwhile.
    pub(crate) items: RefCell<Rc<Vec<Value>>>,
    /// Whether a run knows that it may hold itself.
    pub(crate) registered: Cell<bool>,
    /// The elements that are, or hold, what is unknown until apply, and what the host calls that.
    unknown: Box<[(usize, String)]>,
    /// What many lists share, whose values have no parts.
    shared: Option<Rc<Vec<Value>>>,
}

impl List {
    /// A list some elements of which are unknown until apply, so that what stands for them in the list tells nothing:
    /// their indexes, and what each is called. A run says where a policy looks at them.
    #[must_use]
    pub fn partly_unknown(items: Vec<Value>, unknown: Vec<(usize, String)>) -> List {
        let (items, registered) = (RefCell::new(Rc::new(items)), Cell::new(false));
        List(Rc::new(ListCell { items, registered, unknown: unknown.into(), shared: None }))
    }

    /// A list of values that many lists share, as long as nobody changes them: of plain values, without parts.
    #[must_use]
    pub fn shared(items: &Rc<Vec<Value>>) -> List {
        let (shared, registered) = (Some(Rc::clone(items)), Cell::new(false));
        let items = RefCell::new(Rc::clone(items));
        List(Rc::new(ListCell { items, registered, unknown: Box::default(), shared }))
    }

    pub(crate) fn unknowns(&self) -> impl Iterator<Item = &str> {
        self.0.unknown.iter().map(|(_, what)| what.as_str())
    }

    pub(crate) fn unknown_at(&self, index: usize) -> Option<&str> {
        self.0.unknown.iter().find(|(at, _)| *at == index).map(|(_, what)| what.as_str())
    }

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
        List::partly_unknown(items, Vec::new())
    }
}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Value::List(self.clone()).fmt(f)
    }
}

/// The members of a map that the host makes when they are asked for: each has a position, in the order of the keys.
pub trait Members {
    /// How many there are.
    fn count(&self) -> usize;

    /// Where the member with this key is.
    fn position(&self, key: &str) -> Option<usize>;

    /// The key of a member.
    fn key(&self, position: usize) -> Text;

    /// The value of a member, made anew each time.
    fn value(&self, position: usize) -> Value;

    /// The value at the end of a path of keys, if that is no list or map, where it can be had without the maps on the
    /// way; none where that is not so, or there is no such value. Paths have two keys at least.
    fn reach(&self, _path: &[&str]) -> Option<Value> {
        None
    }

    /// What the host calls the value under a key that is missing because the value is unknown until apply: a run says
    /// where a policy looked for it.
    fn unknown(&self, _key: &str) -> Option<String> {
        None
    }

    /// What the host calls whatever is missing because it is unknown until apply, for who looks at the whole.
    fn unknowns(&self) -> Vec<String> {
        Vec::new()
    }
}

/// Values under keys.
#[derive(Clone)]
pub struct Map(pub(crate) Rc<MapCell>);

pub(crate) struct MapCell {
    pub(crate) content: RefCell<Content>,
    /// Whether a run knows that it may hold itself.
    pub(crate) registered: Cell<bool>,
}

/// What is in a map at a time: shared with whoever walks it, and copied if it is changed meanwhile.
#[derive(Clone)]
pub(crate) enum Content {
    Entries(Rc<BTreeMap<Key, Value>>),
    /// Nobody has changed the map, and most of its values may not be made.
    Lazy(Rc<Lazy>),
}

/// The lists and maps that were made: who changes one changes it for all. Every other value is as good when it is made
/// anew.
enum Made {
    Nothing,
    /// As it is with most, with its position.
    One(usize, Value),
    Few(Vec<(usize, Value)>),
    /// By position.
    Many(Vec<Option<Value>>),
}

impl Made {
    const FEW: usize = 8;

    fn get(&self, position: usize) -> Option<&Value> {
        match self {
            Made::Nothing => None,
            Made::One(at, value) => (*at == position).then_some(value),
            Made::Few(few) => few.iter().find(|(at, _)| *at == position).map(|(_, value)| value),
            Made::Many(many) => many.get(position)?.as_ref(),
        }
    }

    /// Adds one of so many.
    fn insert(&mut self, position: usize, value: Value, count: usize) {
        match self {
            Made::Nothing => *self = Made::One(position, value),
            Made::One(..) => {
                if let Made::One(at, first) = std::mem::replace(self, Made::Nothing) {
                    *self = Made::Few(vec![(at, first), (position, value)]);
                }
            }
            Made::Few(few) if few.len() < Self::FEW => few.push((position, value)),
            Made::Few(few) => {
                let mut many = vec![None; count.max(position + 1)];
                for (at, value) in few.drain(..).chain([(position, value)]) {
                    if let Some(slot) = many.get_mut(at) {
                        *slot = Some(value);
                    }
                }
                *self = Made::Many(many);
            }
            Made::Many(many) => {
                if let Some(slot) = many.get_mut(position) {
                    *slot = Some(value);
                }
            }
        }
    }

    fn remove_if(&mut self, position: usize, is_unneeded: impl Fn(&Value) -> bool) {
        match self {
            Made::Nothing => {}
            Made::One(at, value) => {
                if *at == position && is_unneeded(value) {
                    *self = Made::Nothing;
                }
            }
            Made::Few(few) => few.retain(|(at, value)| *at != position || !is_unneeded(value)),
            Made::Many(many) => {
                if let Some(slot) = many.get_mut(position)
                    && slot.as_ref().is_some_and(is_unneeded)
                {
                    *slot = None;
                }
            }
        }
    }

    fn is_empty(&self) -> bool {
        match self {
            Made::Nothing => true,
            Made::Few(few) => few.is_empty(),
            Made::One(..) | Made::Many(_) => false,
        }
    }

    /// Whether all of it is as the host made it.
    fn is_as_made(&self) -> bool {
        match self {
            Made::Nothing => true,
            Made::One(_, value) => value.is_as_made(),
            Made::Few(few) => few.iter().all(|(_, value)| value.is_as_made()),
            // Of some it takes too long to find out.
            Made::Many(_) => false,
        }
    }
}

impl Value {
    /// Whether it is certain that it is as the host made it: then its parts nest no deeper than the host makes them.
    fn is_as_made(&self) -> bool {
        match self {
            Value::Map(map) => match &*map.0.content.borrow() {
                Content::Lazy(lazy) => lazy.is_as_made(),
                Content::Entries(_) => false,
            },
            Value::List(list) => {
                let is_shared = |shared| Rc::ptr_eq(shared, &*list.0.items.borrow());
                list.0.shared.as_ref().is_some_and(is_shared)
            }
            _ => true,
        }
    }

    /// Whether nobody else has it or, as far as that is certain, a part of it.
    fn is_alone(&self) -> bool {
        match self {
            Value::Map(map) => {
                Rc::strong_count(&map.0) == 1
                    && match &*map.0.content.borrow() {
                        Content::Lazy(lazy) => match &*lazy.made.borrow() {
                            Made::Nothing => true,
                            Made::One(_, value) => value.is_alone(),
                            Made::Few(few) => few.iter().all(|(_, value)| value.is_alone()),
                            Made::Many(_) => false,
                        },
                        Content::Entries(_) => false,
                    }
            }
            Value::List(list) => Rc::strong_count(&list.0) == 1,
            _ => true,
        }
    }
}

/// Members of the host, and which of their values are made.
pub(crate) struct Lazy<M: ?Sized = dyn Members> {
    made: RefCell<Made>,
    members: M,
}

impl Lazy {
    pub(crate) fn count(&self) -> usize {
        self.members.count()
    }

    pub(crate) fn key(&self, position: usize) -> Key {
        Key::String(self.members.key(position))
    }

    pub(crate) fn value(&self, position: usize) -> Value {
        if let Some(value) = self.made.borrow().get(position) {
            return value.clone();
        }
        let value = self.members.value(position);
        if matches!(value, Value::List(_) | Value::Map(_)) {
            self.made.borrow_mut().insert(position, value.clone(), self.count());
        }
        value
    }

    /// Lets a value go that nobody has and nobody has changed, as most are that a policy walks over: it is made again
    /// if it is asked for.
    pub(crate) fn forget(&self, position: usize) {
        self.made.borrow_mut().remove_if(position, |value| value.is_alone() && value.is_as_made());
    }

    pub(crate) fn is_as_made(&self) -> bool {
        self.made.borrow().is_as_made()
    }

    /// What was made.
    pub(crate) fn take(&mut self) -> Vec<Value> {
        match std::mem::replace(self.made.get_mut(), Made::Nothing) {
            Made::Nothing => Vec::new(),
            Made::One(_, value) => vec![value],
            Made::Few(few) => few.into_iter().map(|(_, value)| value).collect(),
            Made::Many(many) => many.into_iter().flatten().collect(),
        }
    }

    fn find(&self, key: &Key) -> Option<Value> {
        let Key::String(text) = key else { return None };
        Some(self.value(self.members.position(text.as_str()?)?))
    }

    fn entries(&self) -> impl Iterator<Item = (Key, Value)> {
        (0..self.count()).map(|position| (self.key(position), self.value(position)))
    }
}

impl Map {
    fn new(content: Content) -> Map {
        Map(Rc::new(MapCell { content: RefCell::new(content), registered: Cell::new(false) }))
    }

    /// A map whose values are made when they are asked for.
    #[must_use]
    pub fn lazy(members: impl Members + 'static) -> Map {
        Map::new(Content::Lazy(Rc::new(Lazy { made: RefCell::new(Made::Nothing), members })))
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        match &*self.0.content.borrow() {
            Content::Entries(entries) => entries.len(),
            Content::Lazy(lazy) => lazy.count(),
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

    /// Whether its values are made when they are asked for.
    pub(crate) fn is_lazy(&self) -> bool {
        matches!(&*self.0.content.borrow(), Content::Lazy(_))
    }

    /// The value at the end of a path of names, if it can be had without the maps on the way: what is in those that
    /// there are already counts.
    pub(crate) fn reach(&self, path: &[&str]) -> Option<Value> {
        let content = self.0.content.borrow();
        let Content::Lazy(lazy) = &*content else { return None };
        let [first, rest @ ..] = path else { return None };
        if rest.is_empty() {
            return Some(lazy.value(lazy.members.position(first)?));
        }
        let made = lazy.made.borrow();
        if !made.is_empty()
            && let Some(position) = lazy.members.position(first)
            && let Some(value) = made.get(position)
        {
            return if let Value::Map(map) = value { map.reach(rest) } else { None };
        }
        lazy.members.reach(path)
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
            Content::Lazy(lazy) => Some(lazy.value(lazy.members.position(&name.text)?)),
        }
    }

    /// What is missing under a key because it is unknown until apply.
    pub(crate) fn unknown(&self, key: &Key) -> Option<String> {
        match (&*self.0.content.borrow(), key) {
            (Content::Lazy(lazy), Key::String(text)) => lazy.members.unknown(text.as_str()?),
            _ => None,
        }
    }

    /// Whatever is missing because it is unknown until apply.
    pub(crate) fn unknowns(&self) -> Vec<String> {
        match &*self.0.content.borrow() {
            Content::Lazy(lazy) => lazy.members.unknowns(),
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

    /// What is in it now, in the order of keys.
    pub(crate) fn entries(&self) -> Vec<(Key, Value)> {
        match &*self.0.content.borrow() {
            Content::Entries(entries) => {
                entries.iter().map(|(key, value)| (key.clone(), value.clone())).collect()
            }
            Content::Lazy(lazy) => lazy.entries().collect(),
        }
    }

    /// What is in it now, to be walked.
    pub(crate) fn snapshot(&self) -> Content {
        self.0.content.borrow().clone()
    }

    /// How many values must be made or copied before it can be changed, because somebody walks it.
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
