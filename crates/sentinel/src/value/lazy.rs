//! Maps whose values are made on demand.

use std::cell::RefCell;
use std::rc::Rc;

use super::{Content, Key, Text, Value};

/// The members of a map that the host makes on demand. Each has a position, in the order of the keys.
pub trait Members {
    /// How many there are.
    fn count(&self) -> usize;

    /// The position of the member with this key.
    fn position(&self, key: &str) -> Option<usize>;

    /// The key of a member.
    fn key(&self, position: usize) -> Text;

    /// The value of a member, made anew each time.
    fn value(&self, position: usize) -> Value;

    /// The value at the end of a path of two or more keys, without making the maps on the way. `None` if the
    /// value is a list or a map, does not exist, or cannot be found in this way.
    fn reach(&self, _path: &[&str]) -> Option<Value> {
        None
    }

    /// The host's name for the value under a key that is missing because it is unknown until apply. A run
    /// reports where a policy looked for it.
    fn unknown(&self, _key: &str) -> Option<String> {
        None
    }

    /// The host's names for all members that are missing because they are unknown until apply. Used if a
    /// policy looks at the whole map.
    fn unknowns(&self) -> Vec<String> {
        Vec::new()
    }

    /// The host's name for a member that may not be there, which is unknown until apply.
    fn optional(&self, _key: &str) -> Option<String> {
        None
    }

    /// The host's names for all members that may not be there.
    fn optionals(&self) -> Vec<String> {
        Vec::new()
    }
}

/// The lists and maps that were made. They are kept because a change of one must be seen everywhere.
enum MadeValues {
    Nothing,
    /// A single value with its position, which is the usual case.
    One(usize, Value),
    Few(Vec<(usize, Value)>),
    /// By position.
    Many(Vec<Option<Value>>),
}

impl MadeValues {
    const FEW: usize = 8;

    fn get(&self, position: usize) -> Option<&Value> {
        match self {
            MadeValues::Nothing => None,
            MadeValues::One(at, value) => (*at == position).then_some(value),
            MadeValues::Few(few) => few.iter().find(|(at, _)| *at == position).map(|(_, value)| value),
            MadeValues::Many(many) => many.get(position)?.as_ref(),
        }
    }

    /// Adds one of `count` values.
    fn insert(&mut self, position: usize, value: Value, count: usize) {
        match self {
            MadeValues::Nothing => *self = MadeValues::One(position, value),
            MadeValues::One(..) => {
                if let MadeValues::One(at, first) = std::mem::replace(self, MadeValues::Nothing) {
                    *self = MadeValues::Few(vec![(at, first), (position, value)]);
                }
            }
            MadeValues::Few(few) if few.len() < Self::FEW => few.push((position, value)),
            MadeValues::Few(few) => {
                let mut many = vec![None; count.max(position + 1)];
                for (at, value) in few.drain(..).chain([(position, value)]) {
                    if let Some(slot) = many.get_mut(at) {
                        *slot = Some(value);
                    }
                }
                *self = MadeValues::Many(many);
            }
            MadeValues::Many(many) => {
                if let Some(slot) = many.get_mut(position) {
                    *slot = Some(value);
                }
            }
        }
    }

    fn remove_if(&mut self, position: usize, is_unneeded: impl Fn(&Value) -> bool) {
        match self {
            MadeValues::Nothing => {}
            MadeValues::One(at, value) => {
                if *at == position && is_unneeded(value) {
                    *self = MadeValues::Nothing;
                }
            }
            MadeValues::Few(few) => few.retain(|(at, value)| *at != position || !is_unneeded(value)),
            MadeValues::Many(many) => {
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
            MadeValues::Nothing => true,
            MadeValues::Few(few) => few.is_empty(),
            MadeValues::One(..) | MadeValues::Many(_) => false,
        }
    }

    /// Whether all of it is as the host made it.
    fn is_as_made(&self) -> bool {
        match self {
            MadeValues::Nothing => true,
            MadeValues::One(_, value) => value.is_as_made(),
            MadeValues::Few(few) => few.iter().all(|(_, value)| value.is_as_made()),
            // With many values the check would take too long.
            MadeValues::Many(_) => false,
        }
    }
}

impl Value {
    /// Whether the value is certainly as the host made it: then its parts nest no deeper than the host
    /// makes them.
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

    /// Whether there is no other owner of the value or, as far as can be told, of a part of it.
    fn is_alone(&self) -> bool {
        match self {
            Value::Map(map) => {
                Rc::strong_count(&map.0) == 1
                    && match &*map.0.content.borrow() {
                        Content::Lazy(lazy) => match &*lazy.made.borrow() {
                            MadeValues::Nothing => true,
                            MadeValues::One(_, value) => value.is_alone(),
                            MadeValues::Few(few) => few.iter().all(|(_, value)| value.is_alone()),
                            MadeValues::Many(_) => false,
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
    made: RefCell<MadeValues>,
    pub(super) members: M,
}

impl<M> Lazy<M> {
    pub(super) fn new(members: M) -> Lazy<M> {
        Lazy { made: RefCell::new(MadeValues::Nothing), members }
    }
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
        // A plain value cannot be changed, so it is as good when it is made anew. Lists and maps have an
        // identity: a change of one must be seen wherever it is read again.
        if matches!(value, Value::List(_) | Value::Map(_)) {
            self.made.borrow_mut().insert(position, value.clone(), self.count());
        }
        value
    }

    /// Drops a value that nobody holds or has changed, which holds for most values that a policy walks
    /// over. It is made again on demand.
    pub(crate) fn forget(&self, position: usize) {
        self.made.borrow_mut().remove_if(position, |value| value.is_alone() && value.is_as_made());
    }

    pub(crate) fn is_as_made(&self) -> bool {
        self.made.borrow().is_as_made()
    }

    /// Takes the values made so far.
    pub(crate) fn take(&mut self) -> Vec<Value> {
        match std::mem::replace(self.made.get_mut(), MadeValues::Nothing) {
            MadeValues::Nothing => Vec::new(),
            MadeValues::One(_, value) => vec![value],
            MadeValues::Few(few) => few.into_iter().map(|(_, value)| value).collect(),
            MadeValues::Many(many) => many.into_iter().flatten().collect(),
        }
    }

    /// The value under a name.
    pub(super) fn member(&self, name: &str) -> Option<Value> {
        Some(self.value(self.members.position(name)?))
    }

    pub(super) fn find(&self, key: &Key) -> Option<Value> {
        let Key::String(text) = key else { return None };
        self.member(text.as_str()?)
    }

    /// The value at the end of a path of names, if it can be had without the maps on the way. Maps that
    /// exist already are used.
    pub(super) fn reach(&self, path: &[&str]) -> Option<Value> {
        let [first, rest @ ..] = path else { return None };
        if rest.is_empty() {
            return Some(self.value(self.members.position(first)?));
        }
        let made = self.made.borrow();
        if !made.is_empty()
            && let Some(position) = self.members.position(first)
            && let Some(value) = made.get(position)
        {
            // The policy may have changed the map that exists, so the host is not asked.
            return if let Value::Map(map) = value { map.reach(rest) } else { None };
        }
        self.members.reach(path)
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = (Key, Value)> {
        (0..self.count()).map(|position| (self.key(position), self.value(position)))
    }
}
