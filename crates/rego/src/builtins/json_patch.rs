//! `json.patch`: JSON Patch (RFC 6902), with sets, whose elements are their own keys.

use std::collections::{BTreeMap, BTreeSet};

use super::arguments::{array, mismatch, some};
use super::json_paths::steps;
use super::{Builtin, BuiltinError, Context, Outcome, Types};
use crate::value::{Object, Value};

pub(super) const FAMILY: &[Builtin] = &[Builtin::new("json.patch", &[Types::ANY, Types::ARRAY], patch)];

fn patch(context: &mut Context<'_>, operands: &[Value]) -> Outcome {
    let operations: Option<Vec<_>> = array(operands, 1)?.iter().map(Value::as_object).collect();
    let Some(operations) = operations else {
        return Err(fail(
            "must be an array of JSON-Patch objects, but at least one element is not an object",
        ));
    };
    let mut document = Draft::Value(operands[0].clone());
    for operation in operations {
        context.charge(64)?;
        apply(context, &mut document, operation)?;
    }
    some(document.finished())
}

/// A document that is being changed. The parts that an operation reaches are taken apart once, and not
/// copied for each operation.
#[derive(Debug)]
enum Draft {
    Value(Value),
    Object(BTreeMap<Value, Draft>),
    Array(Vec<Draft>),
    Set(BTreeSet<Value>),
}

fn fail(message: impl Into<String>) -> BuiltinError {
    BuiltinError::failed(message)
}

/// Applies one operation.
fn apply(context: &mut Context<'_>, document: &mut Draft, operation: &Object) -> Result<(), BuiltinError> {
    let attribute = |name: &str| {
        operation.get_str(name).ok_or_else(|| fail(format!("missing required attribute '{name}'")))
    };
    let path = |name: &str| {
        let path = attribute(name)?;
        steps(path).ok_or_else(|| {
            let want = "one of {set, array} containing string paths or array of path segments";
            mismatch(1, want, path.type_name())
        })
    };
    let Value::String(name) = attribute("op")? else {
        let got = attribute("op")?.type_name();
        return Err(fail(format!("attribute 'op' must be a string but found: {got}")));
    };
    let to = path("path")?;
    match name.as_str() {
        "add" => document.insert(context, &to, attribute("value")?.clone()),
        "replace" if to.is_empty() => {
            *document = Draft::Value(attribute("value")?.clone());
            Ok(())
        }
        "replace" => {
            document.remove(context, &to)?;
            document.insert(context, &to, attribute("value")?.clone())
        }
        "remove" => document.remove(context, &to).map(drop),
        "test" if document.find(context, &to)? == *attribute("value")? => Ok(()),
        "test" => Err(fail("value of the document does not equal the value of the operation 'test'")),
        "copy" => {
            let value = document.find(context, &path("from")?)?;
            document.insert(context, &to, value)
        }
        "move" => {
            let value = document.remove(context, &path("from")?)?;
            document.insert(context, &to, value)
        }
        other => Err(fail(format!("unrecognized op: '{other}'"))),
    }
}

/// The index that a step names in an array of this length.
fn index(step: &Value, len: usize) -> Result<usize, BuiltinError> {
    let index = match step {
        Value::String(text) if text == "-" => return Ok(len),
        Value::String(text) if text.len() > 1 && text.starts_with('0') => {
            return Err(fail("leading zeros are not allowed in JSON paths"));
        }
        Value::String(text) if text.bytes().all(|b| b.is_ascii_digit()) => text.parse().ok(),
        Value::Number(number) => number.as_index(),
        _ => None,
    };
    index.ok_or_else(|| fail("the index of an array must be a number"))
}

impl Draft {
    fn finished(self) -> Value {
        match self {
            Self::Value(value) => value,
            Self::Object(members) => Value::object(
                members.into_iter().map(|(key, value)| (key, value.finished())).collect::<Vec<_>>(),
            ),
            Self::Array(elements) => {
                Value::array(elements.into_iter().map(Self::finished).collect::<Vec<_>>())
            }
            Self::Set(elements) => Value::set(elements.into_iter().collect::<Vec<_>>()),
        }
    }

    /// How many elements it has where it is taken apart.
    fn len(&self) -> usize {
        match self {
            Self::Value(_) => 0,
            Self::Object(members) => members.len(),
            Self::Array(elements) => elements.len(),
            Self::Set(elements) => elements.len(),
        }
    }

    /// Takes a collection apart.
    fn open(&mut self, context: &mut Context<'_>) -> Result<(), BuiltinError> {
        let Self::Value(value) = self else { return Ok(()) };
        // It is put together again in the end.
        let cost = |length: usize| 4 * length * size_of::<Value>();
        *self = match value {
            Value::Object(object) => {
                context.charge(cost(2 * object.len()))?;
                let members = object.entries().iter().cloned();
                Self::Object(members.map(|(key, value)| (key, Self::Value(value))).collect())
            }
            Value::Array(array) => {
                context.charge(cost(array.len()))?;
                Self::Array(array.items().iter().cloned().map(Self::Value).collect())
            }
            Value::Set(set) => {
                context.charge(cost(set.len()))?;
                Self::Set(set.items().iter().cloned().collect())
            }
            _ => return Err(fail(format!("expected composite type, found {}", value.type_name()))),
        };
        Ok(())
    }

    /// The part at a path as a value.
    fn find(&mut self, context: &mut Context<'_>, path: &[Value]) -> Result<Value, BuiltinError> {
        self.at(context, path, &mut |context, found| {
            context.charge(4 * found.len() * size_of::<Value>())?;
            let value = std::mem::replace(found, Self::Value(Value::Null)).finished();
            *found = Self::Value(value.clone());
            Ok(value)
        })
    }

    /// Runs a function on the part at a path.
    fn at<T>(
        &mut self,
        context: &mut Context<'_>,
        path: &[Value],
        action: &mut dyn FnMut(&mut Context<'_>, &mut Self) -> Result<T, BuiltinError>,
    ) -> Result<T, BuiltinError> {
        let Some((step, rest)) = path.split_first() else { return action(context, self) };
        self.open(context)?;
        let absent = |kind: &str| fail(format!("path {step} does not exist in {kind} term"));
        match self {
            Self::Object(members) => {
                members.get_mut(step).ok_or_else(|| absent("object"))?.at(context, rest, action)
            }
            Self::Array(elements) => {
                let index = index(step, elements.len())?;
                elements.get_mut(index).ok_or_else(|| absent("array"))?.at(context, rest, action)
            }
            // Another element is at another place.
            Self::Set(elements) => {
                let mut element = Self::Value(elements.take(step).ok_or_else(|| absent("set"))?);
                let done = element.at(context, rest, action)?;
                elements.insert(element.finished());
                Ok(done)
            }
            Self::Value(_) => Err(absent("scalar")),
        }
    }

    fn insert(
        &mut self,
        context: &mut Context<'_>,
        path: &[Value],
        value: Value,
    ) -> Result<(), BuiltinError> {
        let Some((last, outer)) = path.split_last() else {
            *self = Self::Value(value);
            return Ok(());
        };
        let mut value = Some(value);
        self.at(context, outer, &mut |context, collection| {
            collection.open(context)?;
            let Some(value) = value.take() else { return Ok(()) };
            match collection {
                Self::Object(members) => {
                    members.insert(last.clone(), Self::Value(value));
                }
                Self::Array(elements) => {
                    let index = index(last, elements.len())?;
                    if index > elements.len() {
                        return Err(fail("index for array insertion out of bounds"));
                    }
                    context.charge(elements.len() - index)?;
                    elements.insert(index, Self::Value(value));
                }
                // As in OPA 1.20: "set key 3 does not equal value to be inserted 4".
                Self::Set(_) if *last != value => {
                    return Err(fail("set key does not equal value to be inserted"));
                }
                Self::Set(elements) => {
                    elements.insert(value);
                }
                Self::Value(_) => {}
            }
            Ok(())
        })
    }

    /// Removes the part at a path.
    fn remove(&mut self, context: &mut Context<'_>, path: &[Value]) -> Result<Value, BuiltinError> {
        let Some((last, outer)) = path.split_last() else {
            // OPA 1.20 panics in this case.
            return Err(fail("the whole document cannot be removed"));
        };
        self.at(context, outer, &mut |context, collection| {
            collection.open(context)?;
            let absent = |kind: &str| fail(format!("path {last} does not exist in {kind} term"));
            match collection {
                Self::Object(members) => Ok(members.remove(last).ok_or_else(|| absent("object"))?.finished()),
                Self::Array(elements) => {
                    let index = index(last, elements.len())?;
                    if index >= elements.len() {
                        return Err(absent("array"));
                    }
                    context.charge(elements.len() - index)?;
                    Ok(elements.remove(index).finished())
                }
                Self::Set(elements) => elements.take(last).ok_or_else(|| absent("set")),
                Self::Value(_) => Err(absent("scalar")),
            }
        })
    }
}
