//! Loops and quantifiers.

use std::rc::Rc;

use super::{Done, Machine, fault};
use crate::compile::{Loop, LoopKind};
use crate::value::{Env, Key, List, Map, Place, Value};

/// A collection that is being walked.
pub(super) struct Walk {
    /// What is walked, as it was in the beginning.
    elements: Elements,
    /// How many elements were taken.
    taken: usize,
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
    List(Vec<Value>),
    /// The values are taken when it is their turn, if they are not made before.
    Map(Map, Vec<(Key, Option<Value>)>),
}

impl Walk {
    fn len(&self) -> usize {
        match &self.elements {
            Elements::List(items) => items.len(),
            Elements::Map(_, entries) => entries.len(),
        }
    }

    /// The value under a key of a map; it is looked up only if somebody asks for it.
    fn value(map: &Map, (key, value): &(Key, Option<Value>)) -> Value {
        value.clone().or_else(|| map.find(key)).unwrap_or_else(Value::undefined)
    }
}

impl Machine<'_> {
    fn description(&mut self, index: u32) -> Loop {
        self.frame().unit.loops[index as usize]
    }

    pub(super) fn begin(&mut self, index: u32) -> Done<()> {
        let of = self.description(index);
        let elements = match self.pop() {
            Value::List(list) => {
                self.budget.make(16 * list.len())?;
                Elements::List(list.items())
            }
            Value::Map(map) => {
                let entries = map.snapshot();
                self.budget.make(32 * entries.len())?;
                Elements::Map(map, entries)
            }
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
        if walk.taken == walk.len() {
            return self.finish(&of);
        }
        let at = walk.taken;
        walk.taken += 1;
        let (first, second) = match (&walk.elements, of.second) {
            (Elements::List(items), None) => (items[at].clone(), None),
            (Elements::List(items), Some(_)) => (Value::Int(at as i64), Some(items[at].clone())),
            (Elements::Map(_, entries), None) => (entries[at].0.to_value(), None),
            (Elements::Map(map, entries), Some(_)) => {
                (entries[at].0.to_value(), Some(Walk::value(map, &entries[at])))
            }
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
            LoopKind::Filter if matches!(walk.elements, Elements::Map(..)) => {
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
                let at = walk.taken - 1;
                match &walk.elements {
                    Elements::List(items) => walk.values.push(items[at].clone()),
                    Elements::Map(map, entries) => {
                        let value = Walk::value(map, &entries[at]);
                        walk.entries.push((entries[at].0.clone(), value));
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
