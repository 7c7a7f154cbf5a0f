//! Calls of built-ins, also with values that are not known yet.

use super::world::Mock;
use super::{Machine, Run, Stop};
use crate::Limit;
use crate::builtins::{Builtin, BuiltinErrorKind};
use crate::compile::program::{FunctionKey, SourcePlace};
use crate::value::{Hint, Unknown, Value};

impl Machine<'_> {
    pub(super) fn call_builtin(
        &mut self,
        builtin: &'static Builtin,
        arguments: &[Value],
        place: SourcePlace,
    ) -> Run<Option<Value>> {
        if !self.world.functions.is_empty() {
            match self.world.functions.get(&FunctionKey::Builtin(builtin.name)).cloned() {
                Some(Mock::Value(value)) => return Ok(Some(value)),
                Some(Mock::Function(FunctionKey::Builtin(name))) => {
                    return match crate::builtins::lookup(name) {
                        Some(other) => self.call_original(other, arguments, place),
                        None => Ok(None),
                    };
                }
                Some(Mock::Function(FunctionKey::Node(node))) => {
                    return self.call_rule(node, arguments.to_vec(), place);
                }
                None => {}
            }
        }
        self.call_original(builtin, arguments, place)
    }

    /// Calls a built-in that is not replaced.
    pub(super) fn call_original(
        &mut self,
        builtin: &'static Builtin,
        arguments: &[Value],
        place: SourcePlace,
    ) -> Run<Option<Value>> {
        if !arguments.iter().any(Value::contains_unknown) {
            return self.call_known(builtin, arguments, place);
        }
        let known_outside = arguments.iter().all(|argument| !matches!(argument, Value::Unknown(_)));
        if builtin.reads_partly_known() && known_outside {
            return self.call_known(builtin, arguments, place);
        }
        let of_all = || {
            let unknowns = arguments.iter().filter_map(Value::unknowns);
            unknowns.reduce(|all, one| all.union(&one)).unwrap_or_else(|| Unknown::from_ids([])).plain()
        };
        match (builtin.name, arguments) {
            ("count", [collection]) => {
                if let Some((min, max)) = count(collection) {
                    let hint = Hint::Count { min, max };
                    return Ok(Some(match max {
                        Some(max) if max == min => Value::int(i64::try_from(max).unwrap_or(i64::MAX)),
                        _ => Value::Unknown(of_all().with_hint(hint)),
                    }));
                }
            }
            ("object.get", [object, key, default]) if !key.contains_unknown() => {
                if let Some(found) = self.object_get(object, key, default) {
                    return Ok(Some(found));
                }
            }
            ("type_name", [Value::Unknown(_)]) => return Ok(Some(Value::Unknown(of_all()))),
            ("sprintf", [Value::String(format), Value::Array(parts)]) => {
                return self.sprintf(builtin, format, parts.items(), &of_all(), place);
            }
            ("json.marshal", [value]) => {
                let text = self.budget.text_of(value)?;
                let text = Value::from(text);
                return Ok(Some(Value::Unknown(of_all().with_hint(Hint::Text(text)))));
            }
            ("concat", [Value::String(_), Value::Array(parts)]) => {
                let placeholders: Vec<Value> = parts.iter().map(with_placeholder).collect();
                let known = [arguments[0].clone(), Value::array(placeholders)];
                let joined = self.quietly(builtin, &known)?;
                let unknown = of_all();
                self.add_doubt(&unknown);
                if self.is_strict {
                    self.add_may_fail(&unknown);
                }
                return Ok(joined.map(|text| Value::Unknown(unknown.with_hint(Hint::Text(text)))));
            }
            _ => {}
        }
        let unknown = of_all();
        self.add_doubt(&unknown);
        if self.is_strict {
            self.add_may_fail(&unknown);
        }
        Ok(Some(Value::Unknown(unknown)))
    }

    fn call_known(
        &mut self,
        builtin: &'static Builtin,
        arguments: &[Value],
        place: SourcePlace,
    ) -> Run<Option<Value>> {
        let error = match builtin.call(&mut self.context, arguments) {
            Ok(value) => return value.map(|value| self.budget.fits(value)).transpose(),
            Err(error) => error,
        };
        let message = format!("{}: {}", builtin.name, error.message);
        if let BuiltinErrorKind::Limit(limit) = error.kind {
            return Err(Stop::Limit(limit));
        }
        if self.is_strict || error.kind == BuiltinErrorKind::Refused {
            return self.failure(place, message);
        }
        self.complain(place, builtin.name, message);
        Ok(None)
    }

    /// Calls a built-in whose errors are not news.
    fn quietly(&mut self, builtin: &'static Builtin, arguments: &[Value]) -> Run<Option<Value>> {
        match builtin.call(&mut self.context, arguments) {
            Ok(value) => Ok(value),
            Err(error) => match error.kind {
                BuiltinErrorKind::Limit(limit) => Err(Stop::Limit(limit)),
                BuiltinErrorKind::Refused => Err(Stop::Limit(Limit::Memory)),
                BuiltinErrorKind::Type | BuiltinErrorKind::Failed => Ok(None),
            },
        }
    }

    /// The text with a placeholder for unknown parts. It certainly has a value.
    fn sprintf(
        &mut self,
        builtin: &'static Builtin,
        format: &str,
        parts: &[Value],
        unknown: &Unknown,
        place: SourcePlace,
    ) -> Run<Option<Value>> {
        let parts: Vec<Value> = parts.iter().map(with_placeholder).collect();
        let text = self.call_known(builtin, &[Value::from(format), Value::array(parts)], place)?;
        Ok(text.map(|text| {
            let text = match text.as_str() {
                Some(text) => Value::from(without_verb_errors(text)),
                None => text,
            };
            Value::Unknown(unknown.with_hint(Hint::Text(text)))
        }))
    }

    /// The result of `object.get` on an object with some unknown members.
    fn object_get(&mut self, object: &Value, key: &Value, default: &Value) -> Option<Value> {
        let is_known_object = |value: &Value| match value {
            Value::Object(object) => !object.keys().any(Value::contains_unknown),
            _ => false,
        };
        let one = std::slice::from_ref(key);
        let keys = match key {
            Value::Array(keys) => keys.items(),
            _ => one,
        };
        let mut at = object;
        for (index, key) in keys.iter().enumerate() {
            if !is_known_object(at) && (index == 0 || matches!(at, Value::Unknown(_))) {
                return None;
            }
            at = match at {
                Value::Object(object) => match object.get(key) {
                    Some(member) => member,
                    None => return Some(default.clone()),
                },
                Value::Array(array) => match array.get(key) {
                    Some(member) => member,
                    None => return Some(default.clone()),
                },
                Value::Set(set) if !set.contains_unknown() => match set.get(key) {
                    Some(member) => member,
                    None => return Some(default.clone()),
                },
                Value::Set(_) | Value::Unknown(_) => return None,
                _ => return Some(default.clone()),
            };
        }
        Some(at.clone())
    }
}

/// How many members a collection has at least and at most.
fn count(collection: &Value) -> Option<(usize, Option<usize>)> {
    match collection {
        Value::Array(array) => Some((array.len(), Some(array.len()))),
        Value::Object(object) if !object.keys().any(Value::contains_unknown) => {
            Some((object.len(), Some(object.len())))
        }
        Value::Set(set) => Some((distinct(set.items()), Some(set.len()))),
        Value::Unknown(unknown) => match unknown.hint()? {
            Hint::Set { certain, .. } => Some((distinct(certain), None)),
            Hint::Array(items) => Some((items.iter().filter(|(_, is_possible)| !is_possible).count(), None)),
            Hint::Object { certain, .. } => Some((certain.len(), None)),
            Hint::Text(_) => Some((0, None)),
            _ => None,
        },
        _ => None,
    }
}

/// How many of the members of a set cannot turn out to be equal.
fn distinct(members: &[Value]) -> usize {
    let known = members.iter().filter(|member| !member.contains_unknown()).count();
    known.max(usize::from(!members.is_empty()))
}

fn with_placeholder(value: &Value) -> Value {
    match value {
        Value::Unknown(unknown) => match unknown.hint() {
            Some(Hint::Text(text)) => text.clone(),
            _ => Value::from(value.to_string()),
        },
        _ => value.clone(),
    }
}

/// Removes Go's error of a numeric verb with the placeholder, which is a string.
fn without_verb_errors(text: &str) -> String {
    const PLACEHOLDER: &str = "(known after apply)";
    let error = format!("(string={PLACEHOLDER})");
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(&error) {
        // `%!d(string=…)`
        let before = &rest[..at];
        let begin = before.rfind("%!").filter(|begin| before[begin + 2..].chars().count() == 1);
        out.push_str(&before[..begin.unwrap_or(at)]);
        out.push_str(PLACEHOLDER);
        rest = &rest[at + error.len()..];
    }
    out.push_str(rest);
    out
}
