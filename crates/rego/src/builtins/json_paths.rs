//! `json.filter` and `json.remove`: the parts of a document that paths lead to.

use std::collections::BTreeMap;

use super::arguments::{items, some};
use super::{Builtin, BuiltinError, Context, Types};
use crate::value::Value;

const PATHS: Types = Types::SET.or(Types::ARRAY);

pub(super) const FAMILY: &[Builtin] = &[
    Builtin::new("json.filter", &[Types::OBJECT, PATHS], |context, o| {
        let paths = PathTree::new(context, o)?;
        Ok(Some(paths.filter(context, &o[0])?))
    }),
    Builtin::new("json.remove", &[Types::OBJECT, PATHS], |context, o| {
        let paths = PathTree::new(context, o)?;
        some(paths.remove(context, &o[0])?)
    }),
];

/// Paths by their first steps.
#[derive(Default)]
struct PathTree {
    is_end: bool,
    children: BTreeMap<Value, PathTree>,
}

/// The steps of a path: an array, or a string whose steps are separated by slashes.
pub(crate) fn steps(path: &Value) -> Option<Vec<Value>> {
    match path {
        Value::String(text) if text.is_empty() => Some(Vec::new()),
        Value::String(text) => {
            let text = text.trim_start_matches('/');
            Some(
                text.split('/').map(|step| Value::from(step.replace("~1", "/").replace("~0", "~"))).collect(),
            )
        }
        Value::Array(steps) => Some(steps.items().to_vec()),
        _ => None,
    }
}

impl PathTree {
    fn new(context: &mut Context<'_>, operands: &[Value]) -> Result<Self, BuiltinError> {
        let mut root = Self::default();
        for path in items(operands, 1)? {
            let Some(steps) = steps(path) else {
                let want = "one of {set, array} containing string paths or array of path segments";
                return Err(super::arguments::mismatch(1, want, path.type_name()));
            };
            // OPA 1.20 ignores an empty path: `json.remove({"a": 1}, [""])` changes nothing.
            if steps.is_empty() {
                continue;
            }
            context.charge(steps.len() * 64)?;
            let mut at = &mut root;
            for step in steps {
                at = at.children.entry(step).or_default();
            }
            at.is_end = true;
        }
        Ok(root)
    }

    /// The paths behind an element of an array, whose index is a string in a path.
    fn element(&self, index: usize) -> Option<&Self> {
        // In OPA 1.20 `["a", "1"]` leads to an element of an array, and `["a", 1]` does not.
        self.children.get(&Value::from(index.to_string()))
    }

    /// The parts of the value that the paths lead to.
    fn filter(&self, context: &mut Context<'_>, value: &Value) -> Result<Value, BuiltinError> {
        if self.is_end {
            return Ok(value.clone());
        }
        Ok(match value {
            Value::Object(object) => {
                let mut entries = Vec::new();
                for (key, paths) in &self.children {
                    context.charge(64)?;
                    if let Some(value) = object.get(key) {
                        entries.push((key.clone(), paths.filter(context, value)?));
                    }
                }
                Value::object(entries)
            }
            Value::Set(set) => {
                let mut items = Vec::new();
                for (key, paths) in &self.children {
                    context.charge(64)?;
                    if let Some(value) = set.get(key) {
                        items.push(paths.filter(context, value)?);
                    }
                }
                Value::set(items)
            }
            Value::Array(array) => {
                let mut items = Vec::new();
                for (i, value) in array.iter().enumerate() {
                    context.charge(64)?;
                    if let Some(paths) = self.element(i) {
                        items.push(paths.filter(context, value)?);
                    }
                }
                Value::array(items)
            }
            other => other.clone(),
        })
    }

    /// The value without the parts that the paths lead to.
    fn remove(&self, context: &mut Context<'_>, value: &Value) -> Result<Value, BuiltinError> {
        if self.children.is_empty() {
            return Ok(value.clone());
        }
        Ok(match value {
            Value::Object(object) => {
                let mut entries = Vec::new();
                for (key, value) in object.iter() {
                    context.charge(64)?;
                    match self.children.get(key) {
                        Some(paths) if paths.is_end => {}
                        Some(paths) => entries.push((key.clone(), paths.remove(context, value)?)),
                        None => entries.push((key.clone(), value.clone())),
                    }
                }
                Value::object(entries)
            }
            Value::Set(set) => {
                let mut items = Vec::new();
                for value in set.iter() {
                    context.charge(64)?;
                    match self.children.get(value) {
                        Some(paths) if paths.is_end => {}
                        Some(paths) => items.push(paths.remove(context, value)?),
                        None => items.push(value.clone()),
                    }
                }
                Value::set(items)
            }
            Value::Array(array) => {
                let mut items = Vec::new();
                for (i, value) in array.iter().enumerate() {
                    context.charge(64)?;
                    match self.element(i) {
                        Some(paths) if paths.is_end => {}
                        Some(paths) => items.push(paths.remove(context, value)?),
                        None => items.push(value.clone()),
                    }
                }
                Value::array(items)
            }
            other => other.clone(),
        })
    }
}
