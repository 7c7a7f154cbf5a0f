//! Loops and quantifiers.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::rc::Rc;
use std::vec;

use super::Machine;
use super::blame::MAX_CAUSES;
use crate::compile::{Loop, LoopKind};
use crate::value::{Content, Done, Env, Key, Lazy, List, Map, SourcePlace, Taint, Value, fault};

/// A collection that is being walked.
pub(super) struct Walk {
    elements: Elements,
    /// Which loop of the unit it is.
    pub(super) index: u32,
    /// How many elements were taken.
    taken: usize,
    /// The next elements of a map, and how many were fetched last.
    ahead: vec::IntoIter<(Key, Value)>,
    fetched: usize,
    /// The last element that was taken of a map.
    current: Option<(Key, Value)>,
    /// The scope around.
    outer: Rc<Env>,
    /// The number of causes of the code around.
    pub(super) causes: usize,
    /// The place of the first undefined answer of an `any`.
    undefined: Option<SourcePlace>,
    /// The number of elements for which a continued `all` was false.
    failed: usize,
    /// The map, if it has elements that may not be there.
    optional: Option<Map>,
    /// The collection, if it has elements that may not be there: an error about one of these may not happen.
    uncertain: Option<Value>,
    /// The unknown values that decide the collection.
    collection_taint: Taint,
    /// The unknown values that decide the answer.
    taint: Taint,
    /// The values that a `map` made, or that a `filter` of a list kept.
    values: Vec<Value>,
    /// The entries that a `filter` of a map kept.
    entries: Vec<(Key, Value)>,
}

/// How many elements of a map are fetched at once. Finding the place to continue costs as much as fetching
/// many, but most walks may end early.
const MAX_FETCHED: usize = 64;

impl Walk {
    /// Takes the next element: the values of its first and second name, as far as these are read.
    ///
    /// A lazy map makes no other values.
    fn next(&mut self, description: &Loop) -> Option<(Option<Value>, Option<Value>)> {
        let (one, two) = (description.first.is_some(), description.second.is_some());
        let next = match &self.elements {
            Elements::List(items) => {
                let value = items.get(self.taken)?;
                if description.two {
                    (Some(Value::Int(self.taken as i64)), two.then(|| value.clone()))
                } else {
                    (one.then(|| value.clone()), None)
                }
            }
            Elements::Map(entries) => {
                let next = match self.ahead.next() {
                    Some(next) => next,
                    None => {
                        let rest = match &self.current {
                            Some((last, _)) => (Bound::Excluded(last), Bound::Unbounded),
                            None => (Bound::Unbounded, Bound::Unbounded),
                        };
                        self.fetched = (2 * self.fetched).clamp(4, MAX_FETCHED);
                        let some = entries.range::<Key, _>(rest).take(self.fetched);
                        let some: Vec<_> = some.map(|(key, value)| (key.clone(), value.clone())).collect();
                        self.ahead = some.into_iter();
                        self.ahead.next()?
                    }
                };
                let (key, value) = self.current.insert(next);
                (one.then(|| key.to_value()), two.then(|| value.clone()))
            }
            Elements::Lazy(lazy) => {
                if self.taken >= lazy.count() {
                    return None;
                }
                let next =
                    (one.then(|| lazy.key(self.taken).to_value()), two.then(|| lazy.value(self.taken)));
                // The scope has let go of the element before the last one.
                if let Some(before) = self.taken.checked_sub(2) {
                    lazy.forget(before);
                }
                next
            }
        };
        self.taken += 1;
        Some(next)
    }

    /// The element that was taken last.
    pub(super) fn element(&self) -> Option<(Key, Value)> {
        let last = self.taken.checked_sub(1)?;
        match &self.elements {
            Elements::List(items) => Some((Key::Int(last as i64), items.get(last)?.clone())),
            Elements::Map(_) => self.current.clone(),
            Elements::Lazy(lazy) => Some((lazy.key(last), lazy.value(last))),
        }
    }
}

/// A snapshot of the collection that is walked.
#[derive(Clone)]
pub(super) enum Elements {
    List(Rc<Vec<Value>>),
    Map(Rc<BTreeMap<Key, Value>>),
    /// A map whose values are made on demand.
    Lazy(Rc<Lazy>),
}

impl Elements {
    pub(super) fn new(collection: &Value) -> Option<Elements> {
        Some(match collection {
            Value::List(list) => Elements::List(list.items()),
            Value::Map(map) => match map.snapshot() {
                Content::Entries(entries) => Elements::Map(entries),
                Content::Lazy(lazy) => Elements::Lazy(lazy),
            },
            _ => return None,
        })
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Elements::List(items) => items.len(),
            Elements::Map(entries) => entries.len(),
            Elements::Lazy(lazy) => lazy.count(),
        }
    }

    /// The first elements, at most `count`.
    pub(super) fn first(&self, count: usize) -> Vec<(Key, Value)> {
        match self {
            Elements::List(items) => (0..).map(Key::Int).zip(items.iter().cloned()).take(count).collect(),
            Elements::Map(entries) => {
                entries.iter().take(count).map(|(key, value)| (key.clone(), value.clone())).collect()
            }
            Elements::Lazy(lazy) => {
                (0..lazy.count().min(count)).map(|at| (lazy.key(at), lazy.value(at))).collect()
            }
        }
    }
}

impl Machine<'_> {
    pub(super) fn description(&mut self, index: u32) -> Loop {
        self.frame.unit.loops[index as usize]
    }

    pub(super) fn begin(&mut self, index: u32) -> Done<()> {
        let description = self.description(index);
        let collection = self.pop();
        // The answer for an element that may not be there counts only if it changes the result.
        let mut optional = None;
        match &collection {
            Value::Map(map)
                if matches!(description.kind, LoopKind::All | LoopKind::Any | LoopKind::Filter) =>
            {
                self.budget.touch_elements(&collection);
                optional = (!map.optionals().is_empty()).then(|| map.clone());
            }
            _ => self.budget.touch(&collection),
        }
        let may_lack = match &collection {
            Value::Map(map) => !map.optionals().is_empty(),
            Value::List(list) => list.unknown_at(usize::MAX).is_some(),
            _ => false,
        };
        let uncertain = may_lack.then(|| collection.clone());
        let taint = self.choose_elements(&description)?;
        let elements = match (Elements::new(&collection), collection) {
            (Some(elements), _) => elements,
            (None, Value::Undefined(place)) if description.kind != LoopKind::For => {
                let undefined = self.wrap(Value::Undefined(place), taint, false);
                self.stack.push(undefined);
                self.jump(description.done);
                return Ok(());
            }
            // The documentation does not say what a `for` over undefined does. It is an error here: a loop
            // that is silently skipped could let a broken policy pass.
            (None, other) => {
                return fault(format!("expected a list or map to walk over, found {}", other.type_name()));
            }
        };
        let outer = Rc::clone(&self.frame.env);
        self.walks.push(Walk {
            elements,
            index,
            taken: 0,
            ahead: Vec::new().into_iter(),
            fetched: 0,
            current: None,
            outer,
            causes: self.causes.len(),
            undefined: None,
            failed: 0,
            optional,
            uncertain,
            collection_taint: taint,
            taint,
            values: Vec::new(),
            entries: Vec::new(),
        });
        Ok(())
    }

    pub(super) fn next_element(&mut self, index: u32) -> Done<()> {
        let (frame, Some(walk)) = (&mut self.frame, self.walks.last_mut()) else {
            return fault("there is nothing to walk over");
        };
        let description = &frame.unit.loops[index as usize];
        let Some((first, second)) = walk.next(description) else {
            let description = *description;
            return self.finish(&description);
        };
        self.causes.forget(walk.causes);
        let env = if let Some(slots) = description.own_scope {
            self.budget.make(64 + 16 * slots as usize)?;
            let env = Env::new(slots, Some(Rc::clone(&walk.outer)));
            self.registry.env(&env);
            frame.env = Rc::clone(&env);
            &frame.env
        } else {
            // The variables of the body are new for each element. The element's own names are always set
            // below.
            for slot in description.declared.0..description.declared.1 {
                walk.outer.set(slot, None);
            }
            &walk.outer
        };
        if let Some(slot) = description.first {
            env.set(slot, first);
        }
        if let Some(slot) = description.second {
            env.set(slot, second);
        }
        Ok(())
    }

    /// The host's name for an element that may not be there, and that a loop is at.
    pub(super) fn uncertain_element(&self) -> Option<String> {
        self.walks.iter().find_map(|walk| match walk.uncertain.as_ref()? {
            Value::Map(map) => map.optional(&walk.element()?.0),
            // Lists do not say which of their elements may be missing.
            Value::List(list) => list.unknown_at(usize::MAX).map(str::to_owned),
            _ => None,
        })
    }

    /// Leaves a loop.
    pub(super) fn end_walk(&mut self, index: u32) {
        let done = self.description(index).done;
        if let Some(walk) = self.leave_walk(done) {
            self.causes.forget(walk.causes);
        }
    }

    fn leave_walk(&mut self, done: u32) -> Option<Walk> {
        let walk = self.walks.pop()?;
        let frame = &mut self.frame;
        frame.env = Rc::clone(&walk.outer);
        frame.next = done as usize;
        Some(walk)
    }

    /// After the last element.
    fn finish(&mut self, description: &Loop) -> Done<()> {
        let Some(walk) = self.leave_walk(description.done) else { return Ok(()) };
        self.causes.forget(walk.causes);
        let taint = walk.taint;
        let result = match description.kind {
            LoopKind::For => return Ok(()),
            LoopKind::All => Value::Bool(walk.failed == 0),
            LoopKind::Any => {
                let result = walk.undefined.map_or(Value::Bool(false), Value::Undefined);
                if description.blame.is_on(&result) {
                    self.none_fits(description, walk.elements, walk.taken);
                }
                result
            }
            // A `filter` of a map keeps its keys, while `map` makes a list of any collection.
            LoopKind::Filter if !matches!(walk.elements, Elements::List(_)) => {
                self.budget.make_map(walk.entries.len())?;
                Value::Map(walk.entries.into_iter().collect::<Map>())
            }
            LoopKind::Filter | LoopKind::Map => {
                self.budget.make_list(walk.values.len())?;
                Value::List(List::from(walk.values))
            }
        };
        let result = self.wrap(result, taint, matches!(description.kind, LoopKind::All | LoopKind::Any));
        self.stack.push(result);
        Ok(())
    }

    /// Takes the body's answer for the element.
    pub(super) fn collect(&mut self, index: u32) -> Done<()> {
        self.see_optional(index);
        let (taint, is_answer) = self.choose_next(index)?;
        let answer = self.pop();
        let answer = self.wrap(answer, taint, is_answer);
        let (frame, Some(walk)) = (&mut self.frame, self.walks.last_mut()) else {
            return fault("there is nothing to walk over");
        };
        let description = &frame.unit.loops[index as usize];
        let settled = match (description.kind, answer.seen().clone()) {
            (LoopKind::Map, _) => {
                walk.values.push(answer);
                None
            }
            // Documented: like a chain of `or`, a later true wins over undefined.
            (LoopKind::Any, Value::Undefined(place)) => {
                walk.undefined.get_or_insert(place);
                None
            }
            (LoopKind::All, Value::Undefined(_)) if walk.failed > 0 => None,
            // Documented: like a chain of `and`, an undefined answer ends an `all`, even if a later one is
            // false.
            (_, Value::Undefined(place)) => Some(Value::Undefined(place)),
            (LoopKind::Any, Value::Bool(true)) => Some(Value::Bool(true)),
            (LoopKind::All, Value::Bool(false)) => Some(Value::Bool(false)),
            (LoopKind::Filter, Value::Bool(true)) => {
                if let Some((key, value)) = walk.element() {
                    match &walk.elements {
                        Elements::List(_) => walk.values.push(value),
                        _ => walk.entries.push((key, value)),
                    }
                }
                None
            }
            (_, Value::Bool(_)) => None,
            (_, other) => return fault(format!("expected a bool, found {}", other.type_name())),
        };
        let Some(value) = settled else {
            frame.next = description.next as usize;
            return Ok(());
        };
        let description = *description;
        let is_failure = description.kind == LoopKind::All
            && matches!(value, Value::Bool(false))
            && description.blame.is_on(&value);
        if is_failure && self.setup.every_witness && walk.failed < MAX_CAUSES {
            walk.failed += 1;
            let (mark, element) = (walk.causes, walk.element());
            frame.next = description.done as usize;
            if let Some(element) = element {
                self.settled_by(&description, mark, element, &value);
            }
            self.jump(description.next);
            // The next element must not drop the causes of this one.
            let found = self.causes.len();
            if let Some(walk) = self.walks.last_mut() {
                walk.causes = found;
            }
            return Ok(());
        }
        let mut decides = Taint::NONE;
        if let Some(walk) = self.leave_walk(description.done) {
            // An `any` is settled by one element that surely holds, whatever the others are.
            let is_certain = description.kind == LoopKind::Any && !taint.is_some();
            decides = if is_certain { walk.collection_taint } else { walk.taint };
            match walk.element().filter(|_| description.blame.is_on(&value)) {
                Some(element) => self.settled_by(&description, walk.causes, element, &value),
                None => self.causes.forget(walk.causes),
            }
        }
        let value = self.wrap(value, decides, true);
        self.stack.push(value);
        Ok(())
    }

    /// The answer depends on whether the element is there, unless it changes nothing.
    fn see_optional(&mut self, index: u32) {
        let Some(walk) = self.walks.last() else { return };
        let Some(map) = &walk.optional else { return };
        let changes_nothing = match (self.frame.unit.loops[index as usize].kind, self.stack.last()) {
            (LoopKind::All, Some(answer)) => matches!(answer.seen(), Value::Bool(true)),
            (_, Some(answer)) => matches!(answer.seen(), Value::Bool(false)),
            (_, None) => false,
        };
        let element = walk.element().filter(|_| !changes_nothing);
        if let Some(name) = element.and_then(|(key, _)| map.optional(&key)) {
            self.budget.touch_optional(name);
        }
    }

    /// Adds unknown values that the walk depends on from here on.
    pub(super) fn taint_walk(&mut self, taint: Taint) {
        if let Some(before) = self.walks.last().map(|walk| walk.taint) {
            let joined = self.join(before, taint);
            self.walks.iter_mut().next_back().into_iter().for_each(|walk| walk.taint = joined);
        }
    }
}
