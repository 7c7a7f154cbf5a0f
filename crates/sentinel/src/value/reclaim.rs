//! How values end: without recursion, however deep they nest, and all of them, though they may hold themselves.

use std::mem;
use std::rc::{Rc, Weak};

use super::callable::{Closure, Code, Rule, RuleState};
use super::collection::{ListCell, MapCell};
use super::{Content, Env, Value};

/// Drops values one after the other, without recursion.
// A policy may nest a list a million deep with `x = [x]`, and a derived `drop` would overflow the stack.
fn take_apart(mut values: Vec<Value>) {
    while let Some(value) = values.pop() {
        match value {
            Value::List(list) => {
                if let Some(mut cell) = Rc::into_inner(list.0) {
                    values.extend(of_list(cell.items.get_mut()));
                }
            }
            Value::Map(map) => {
                if let Some(mut cell) = Rc::into_inner(map.0) {
                    values.extend(of_map(cell.content.get_mut()));
                }
            }
            Value::Unknown(unknown) => {
                if let Some(unknown) = Rc::into_inner(unknown) {
                    values.push(unknown.seen);
                }
            }
            Value::Function(function) => {
                if let Code::Closure(closure) = function.0
                    && let Some(Closure { env, .. }) = Rc::into_inner(closure)
                {
                    of_env(env, &mut values);
                }
            }
            Value::Rule(rule) => {
                if let Some(Rule { env, state, .. }) = Rc::into_inner(rule.0) {
                    if let RuleState::Done(value) = state.into_inner() {
                        values.push(value);
                    }
                    of_env(env, &mut values);
                }
            }
            _ => {}
        }
    }
}

/// Takes the elements if nobody else holds them.
fn of_list(items: &mut Rc<Vec<Value>>) -> Vec<Value> {
    Rc::get_mut(items).map(mem::take).unwrap_or_default()
}

/// Takes the values of a map if nobody else holds them.
fn of_map(content: &mut Content) -> Vec<Value> {
    match content {
        Content::Entries(entries) => {
            Rc::get_mut(entries).map(mem::take).unwrap_or_default().into_values().collect()
        }
        Content::Lazy(lazy) => Rc::get_mut(lazy).map(super::Lazy::take).unwrap_or_default(),
    }
}

fn of_env(env: Rc<Env>, values: &mut Vec<Value>) {
    let mut next = Some(env);
    while let Some(mut env) = next.and_then(Rc::into_inner) {
        values.extend(env.slots.get_mut().drain(..).flatten());
        next = env.outer.take();
    }
}

/// Whether there is anything to take apart in a value.
fn is_deep(value: &Value) -> bool {
    matches!(value.seen(), Value::List(_) | Value::Map(_) | Value::Function(_) | Value::Rule(_))
}

impl Drop for ListCell {
    fn drop(&mut self) {
        let items = self.items.get_mut();
        if items.iter().any(is_deep) {
            take_apart(of_list(items));
        }
    }
}

impl Drop for MapCell {
    fn drop(&mut self) {
        let content = self.content.get_mut();
        let is_deep = match &*content {
            Content::Entries(entries) => entries.values().any(is_deep),
            // A host's values nest no deeper than its documents.
            Content::Lazy(lazy) => !lazy.is_as_made(),
        };
        if is_deep {
            take_apart(of_map(content));
        }
    }
}

impl Drop for Env {
    fn drop(&mut self) {
        let mut values: Vec<Value> = self.slots.get_mut().drain(..).flatten().collect();
        values.retain(is_deep);
        if let Some(outer) = self.outer.take() {
            of_env(outer, &mut values);
        }
        if !values.is_empty() {
            take_apart(values);
        }
    }
}

/// Collections of a run that may hold themselves: emptied at its end.
#[derive(Default)]
pub(crate) struct Registry {
    cells: Vec<Cell>,
    /// The length at which dead entries are removed next.
    next: usize,
}

enum Cell {
    Env(Weak<Env>),
    List(Weak<ListCell>),
    Map(Weak<MapCell>),
    Rule(Weak<Rule>),
}

impl Cell {
    fn is_alive(&self) -> bool {
        match self {
            Cell::Env(cell) => cell.strong_count() > 0,
            Cell::List(cell) => cell.strong_count() > 0,
            Cell::Map(cell) => cell.strong_count() > 0,
            Cell::Rule(cell) => cell.strong_count() > 0,
        }
    }
}

impl Registry {
    fn push(&mut self, cell: Cell) {
        if self.cells.len() >= self.next {
            self.cells.retain(Cell::is_alive);
            // Twice the length, so that the searches for dead entries take linear time in all.
            self.next = 64 + 2 * self.cells.len();
        }
        self.cells.push(cell);
    }

    pub(crate) fn env(&mut self, env: &Rc<Env>) {
        self.push(Cell::Env(Rc::downgrade(env)));
    }

    /// Only a value that is put into an existing collection can close a cycle.
    pub(crate) fn changed(&mut self, collection: &Value, put: &Value) {
        if !is_deep(put) {
            return;
        }
        match collection {
            Value::List(list) if !list.0.registered.replace(true) => {
                self.push(Cell::List(Rc::downgrade(&list.0)));
            }
            Value::Map(map) if !map.0.registered.replace(true) => {
                self.push(Cell::Map(Rc::downgrade(&map.0)));
            }
            _ => {}
        }
    }

    pub(crate) fn rule(&mut self, rule: &Rc<Rule>, result: &Value) {
        if is_deep(result) {
            self.push(Cell::Rule(Rc::downgrade(rule)));
        }
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        // Reference counts never free a list that holds itself, or a function that is in the scope that it
        // sees.
        for cell in mem::take(&mut self.cells) {
            match cell {
                Cell::Env(cell) => {
                    if let Some(env) = cell.upgrade() {
                        take_apart(env.slots.borrow_mut().drain(..).flatten().collect());
                    }
                }
                Cell::List(cell) => {
                    if let Some(list) = cell.upgrade() {
                        take_apart(of_list(&mut list.items.borrow_mut()));
                    }
                }
                Cell::Map(cell) => {
                    if let Some(map) = cell.upgrade() {
                        take_apart(of_map(&mut map.content.borrow_mut()));
                    }
                }
                Cell::Rule(cell) => {
                    if let Some(rule) = cell.upgrade() {
                        let old = rule.state.replace(RuleState::New);
                        if let RuleState::Done(value) = old {
                            take_apart(vec![value]);
                        }
                    }
                }
            }
        }
    }
}
