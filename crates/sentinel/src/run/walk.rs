//! Loops and quantifiers.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::rc::Rc;

use super::{Done, Machine, fault};
use crate::compile::{Loop, LoopKind};
use crate::value::{Content, Env, Key, Lazy, List, Map, Place, Value};

/// A collection that is being walked.
pub(super) struct Walk {
    /// What is walked, as it was in the beginning.
    elements: Elements,
    /// How many elements were taken.
    taken: usize,
    /// The last one of them.
    current: Option<(Key, Option<Value>)>,
    /// The scope around.
    outer: Rc<Env>,
    /// Where the first undefined answer of an `any` arose.
    undefined: Option<Place>,
    /// What a `map` made, or a `filter` of a list kept.
    values: Vec<Value>,
    /// What a `filter` of a map kept.
    entries: Vec<(Key, Value)>,
}

enum Elements {
    List(Rc<Vec<Value>>),
    /// With the key of the last element.
    Map(Rc<BTreeMap<Key, Value>>, Option<Key>),
    /// A value is made when somebody asks for it.
    Lazy(Rc<Lazy>),
}

impl Elements {
    /// The key or index and the value of the element so many come before; the value only if it is asked for.
    fn next(&mut self, taken: usize, with_value: bool) -> Option<(Key, Option<Value>)> {
        match self {
            Elements::List(items) => {
                let value = items.get(taken)?;
                Some((Key::Int(taken as i64), Some(value.clone())))
            }
            Elements::Map(entries, last) => {
                let rest = match &*last {
                    Some(last) => (Bound::Excluded(last), Bound::Unbounded),
                    None => (Bound::Unbounded, Bound::Unbounded),
                };
                let (key, value) = entries.range::<Key, _>(rest).next()?;
                let next = (key.clone(), Some(value.clone()));
                *last = Some(next.0.clone());
                Some(next)
            }
            Elements::Lazy(lazy) => {
                let value = |lazy: &Lazy| with_value.then(|| lazy.value(taken));
                (taken < lazy.count()).then(|| (lazy.key(taken), value(lazy)))
            }
        }
    }

    /// Lets go of the element before the last one of so many.
    fn forget(&self, taken: usize) {
        if let (Elements::Lazy(lazy), Some(last)) = (self, taken.checked_sub(2)) {
            lazy.forget(last);
        }
    }
}

impl Machine<'_> {
    fn description(&mut self, index: u32) -> Loop {
        self.frame().unit.loops[index as usize]
    }

    pub(super) fn begin(&mut self, index: u32) -> Done<()> {
        let of = self.description(index);
        let elements = match self.pop() {
            Value::List(list) => Elements::List(list.items()),
            Value::Map(map) => match map.snapshot() {
                Content::Entries(entries) => Elements::Map(entries, None),
                Content::Lazy(lazy) => Elements::Lazy(lazy),
            },
            Value::Undefined(place) if of.kind != LoopKind::For => {
                self.stack.push(Value::Undefined(place));
                self.jump(of.done);
                return Ok(());
            }
            other => {
                return fault(format!("expected a list or map to walk over, found {}", other.type_name()));
            }
        };
        let outer = Rc::clone(&self.frame().env);
        self.walks.push(Walk {
            elements,
            taken: 0,
            current: None,
            outer,
            undefined: None,
            values: Vec::new(),
            entries: Vec::new(),
        });
        Ok(())
    }

    pub(super) fn next_element(&mut self, index: u32) -> Done<()> {
        let of = self.description(index);
        let Some(walk) = self.walks.last_mut() else { return fault("there is nothing to walk over") };
        let Some(element) = walk.elements.next(walk.taken, of.second.is_some()) else {
            return self.finish(&of);
        };
        walk.taken += 1;
        let is_list = matches!(walk.elements, Elements::List(_));
        walk.current = Some(element.clone());
        let (key, value) = element;
        let value = value.unwrap_or_else(Value::undefined);
        let (first, second) = match of.second {
            None if is_list => (value, None),
            None => (key.to_value(), None),
            Some(_) => (key.to_value(), Some(value)),
        };
        let outer = Rc::clone(&walk.outer);
        let env = if let Some(slots) = of.own_scope {
            self.budget.make(64 + 16 * slots as usize)?;
            let env = Env::new(slots, Some(outer));
            self.registry.env(&env);
            self.frame().env = Rc::clone(&env);
            env
        } else {
            for slot in of.slots.0..of.slots.1 {
                outer.set(slot, None);
            }
            outer
        };
        env.set(of.first, Some(first));
        if let Some(slot) = of.second {
            env.set(slot, second);
        }
        if let Some(walk) = self.walks.last() {
            walk.elements.forget(walk.taken);
        }
        Ok(())
    }

    /// Leaves a loop.
    pub(super) fn end_walk(&mut self, index: u32) {
        let done = self.description(index).done;
        self.leave_walk(done);
    }

    fn leave_walk(&mut self, done: u32) -> Option<Walk> {
        let walk = self.walks.pop()?;
        let frame = self.frame();
        frame.env = Rc::clone(&walk.outer);
        frame.next = done as usize;
        Some(walk)
    }

    /// After the last element.
    fn finish(&mut self, of: &Loop) -> Done<()> {
        let Some(walk) = self.leave_walk(of.done) else { return Ok(()) };
        let result = match of.kind {
            LoopKind::For => return Ok(()),
            LoopKind::All => Value::Bool(true),
            LoopKind::Any => walk.undefined.map_or(Value::Bool(false), Value::Undefined),
            LoopKind::Filter if !matches!(walk.elements, Elements::List(_)) => {
                self.budget.make_list(4 * walk.entries.len())?;
                Value::Map(walk.entries.into_iter().collect::<Map>())
            }
            LoopKind::Filter | LoopKind::Map => {
                self.budget.make_list(walk.values.len())?;
                Value::List(List::from(walk.values))
            }
        };
        self.stack.push(result);
        Ok(())
    }

    /// Takes what the body says of the element.
    pub(super) fn collect(&mut self, index: u32) -> Done<()> {
        let of = self.description(index);
        let answer = self.pop();
        let Some(walk) = self.walks.last_mut() else { return fault("there is nothing to walk over") };
        let settled = match (of.kind, answer) {
            (LoopKind::Map, answer) => {
                walk.values.push(answer);
                None
            }
            (LoopKind::Any, Value::Undefined(place)) => {
                walk.undefined.get_or_insert(place);
                None
            }
            (_, Value::Undefined(place)) => Some(Value::Undefined(place)),
            (LoopKind::Any, Value::Bool(true)) => Some(Value::Bool(true)),
            (LoopKind::All, Value::Bool(false)) => Some(Value::Bool(false)),
            (LoopKind::Filter, Value::Bool(true)) => {
                if let Some((key, value)) = walk.current.take() {
                    let value = value.or_else(|| match &walk.elements {
                        Elements::Lazy(lazy) => walk.taken.checked_sub(1).map(|last| lazy.value(last)),
                        _ => None,
                    });
                    let value = value.unwrap_or_else(Value::undefined);
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
        match settled {
            Some(value) => {
                self.leave_walk(of.done);
                self.stack.push(value);
            }
            None => self.jump(of.next),
        }
        Ok(())
    }
}
