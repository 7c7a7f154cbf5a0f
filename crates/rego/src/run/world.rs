//! The values that `with` has replaced.

use hashbrown::HashMap;

use super::call::Calls;
use super::{Cache, Machine, Run};
use crate::compile::program::{Change, FunctionKey, Replacement};
use crate::value::Value;

/// The documents that rules are evaluated over, and the results so far.
#[derive(Default)]
pub(super) struct World {
    /// `with` replaces something.
    pub(super) is_changed: bool,
    pub(super) input: Option<Value>,
    /// Replacements in `data` by path; the last one wins.
    pub(super) data: Vec<(Vec<String>, Value)>,
    pub(super) functions: HashMap<FunctionKey, Mock>,
    pub(super) rules: Cache,
    /// The objects that several rules make together, by position.
    pub(super) objects: Cache,
    pub(super) calls: Calls,
}

/// The replacement of a function.
#[derive(Debug, Clone)]
pub(super) enum Mock {
    Value(Value),
    Function(FunctionKey),
}

impl<'p> Machine<'p> {
    /// The world after these changes; `None` if one of the values is undefined.
    pub(super) fn changed(&mut self, frame: &mut super::Frame, changes: &'p [Change]) -> Run<Option<World>> {
        let mut world = World {
            is_changed: true,
            input: self.world.input.clone(),
            data: self.world.data.clone(),
            functions: self.world.functions.clone(),
            // Results of rules and calls are not taken over: any of them may depend on the replaced parts.
            ..World::default()
        };
        for change in changes {
            match change {
                Change::Input(path, value) => {
                    let Some(value) = self.eval(frame, value)? else { return Ok(None) };
                    // Later replacements see the earlier ones: `with input.a as {"c": 1} with input.a.b as 4`
                    // keeps both members.
                    world.input = Some(replaced(world.input.as_ref(), path, value));
                }
                Change::Data(path, value) => {
                    let Some(value) = self.eval(frame, value)? else { return Ok(None) };
                    world.data.push((path.clone(), value));
                }
                Change::Function(key, Replacement::Function(other)) => {
                    world.functions.insert(key.clone(), Mock::Function(other.clone()));
                }
                Change::Function(key, Replacement::Value(value)) => {
                    let Some(value) = self.eval(frame, value)? else { return Ok(None) };
                    world.functions.insert(key.clone(), Mock::Value(value));
                }
            }
        }
        Ok(Some(world))
    }
}

/// A value with another one at a path; missing parts on the way become objects.
pub(super) fn replaced(value: Option<&Value>, path: &[String], new: Value) -> Value {
    let Some((first, rest)) = path.split_first() else { return new };
    let key = Value::from(first.as_str());
    let mut entries = match value {
        Some(Value::Object(object)) => object.entries().to_vec(),
        // A scalar on the way is replaced as well: in OPA 1.20 `input` is `{"a": {"b": 4}}` within
        // `with input.a.b as 4`, even if it was 5 before.
        _ => Vec::new(),
    };
    let at = entries.iter().position(|(other, _)| *other == key);
    let old = at.map(|at| entries.swap_remove(at).1);
    entries.push((key, replaced(old.as_ref(), rest, new)));
    Value::object(entries)
}
