//! Calls of built-ins, also with values that are not known yet.

use super::compare::{Truth, equal, is_one_of, maybe};
use super::expr::{OWN_BYTES, made_by};
use super::world::Mock;
use super::{Machine, Run, Stop};
use crate::Limit;
use crate::builtins::{Builtin, BuiltinErrorKind};
use crate::compile::program::{FunctionKey, SourcePlace};
use crate::compile::types;
use crate::value::{Edges, Hint, Object, OperationName, Text, Types, Unknown, Value, bounds_of};

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
        let result = self.call_with_unknown(builtin, arguments, place)?;
        // Equal requests need not have equal answers, so a result has no origin.
        if builtin.needs_network {
            return Ok(result);
        }
        let name = OperationName::Builtin(builtin.name);
        // A value that a function takes out of its arguments keeps its origin.
        Ok(result.map(|result| match &result {
            Value::Unknown(unknown) if unknown.origin().is_none() => made_by(result, name, arguments),
            _ => result,
        }))
    }

    fn call_with_unknown(
        &mut self,
        builtin: &'static Builtin,
        arguments: &[Value],
        place: SourcePlace,
    ) -> Run<Option<Value>> {
        if !arguments.iter().any(Value::contains_unknown) {
            return self.call_known(builtin, arguments, place);
        }
        // The call fails whatever the unknown values are.
        if builtin.operands.iter().zip(arguments).any(|(types, argument)| !types.may_be(argument)) {
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
        self.has_read_number |= builtin.name == "to_number";
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
            ("object.keys", [Value::Object(object)]) if has_known_keys(object) => {
                return self.call_known(builtin, arguments, place);
            }
            ("object.remove" | "object.filter", [Value::Object(object), listed])
                if has_known_keys(object) && lists_known(listed) =>
            {
                return self.call_known(builtin, arguments, place);
            }
            ("json.remove" | "json.filter", [object @ Value::Object(_), paths])
                if !paths.contains_unknown() && leads_along_known(object, paths) =>
            {
                return self.call_known(builtin, arguments, place);
            }
            ("object.union", [one, other]) => {
                if let Some(both) = self.union_of([one, other].into_iter())? {
                    return Ok(Some(both));
                }
            }
            ("object.union_n", [Value::Array(objects)]) => {
                if let Some(all) = self.union_of(objects.iter())? {
                    return Ok(Some(all));
                }
            }
            ("object.subset", [large, small]) => {
                if let Some(truth) = is_subset(large, small) {
                    return Ok(Some(truth.into_value()));
                }
            }
            // With schemas, the types of unknown values are known: nothing is in an unknown string, number or bool, which
            // decides conditions over all values of `walk`.
            (name, [value]) if asks_for(name).is_some_and(|types| !types.may_be(value)) => {
                return Ok(Some(Value::Bool(false)));
            }
            (name, [value]) if asks_for(name).is_some_and(|types| types == Types::of(value)) => {
                return Ok(Some(Value::Bool(true)));
            }
            ("type_name", [Value::Unknown(_)]) => return Ok(Some(Value::Unknown(of_all()))),
            ("sprintf", [Value::String(format), Value::Array(parts)]) => {
                return self.sprintf(builtin, format, parts.items(), &of_all(), place);
            }
            ("json.marshal", [value]) => {
                let text = self.budget.text_of(value)?;
                let text = Value::from(text);
                if value.number_not_in_json().is_some() {
                    return self.call_known(builtin, arguments, place);
                }
                if let Some(unknown) = value.possible_numbers().filter(|_| self.has_read_number) {
                    self.add_doubt(&unknown);
                    if self.is_strict {
                        self.add_may_fail(&unknown);
                    }
                }
                return Ok(Some(Value::Unknown(of_all().with_hint(Hint::Text(Text::open(text))))));
            }
            ("startswith" | "endswith" | "contains", [Value::Unknown(unknown), Value::String(part)]) => {
                if let Some(Hint::Text(text)) = unknown.hint() {
                    let answer = match builtin.name {
                        "startswith" => text.starts_with(part),
                        "endswith" => text.ends_with(part),
                        _ => text.contains(part).then_some(true),
                    };
                    // The call does not fail: its operands are strings.
                    let open = || Value::Unknown(unknown.plain().with_hint(Hint::Bool));
                    return Ok(Some(answer.map_or_else(open, Value::Bool)));
                }
            }
            ("concat", [Value::String(separator), Value::Array(parts)]) => {
                let placeholders: Vec<Value> = parts.iter().map(with_placeholder).collect();
                let known = [arguments[0].clone(), Value::array(placeholders)];
                // The call may be right with the final values, so a failure with placeholders is no warning.
                let joined = self.quietly(builtin, &known)?;
                let unknown = of_all();
                self.add_doubt(&unknown);
                if self.is_strict {
                    self.add_may_fail(&unknown);
                }
                let mut edges = Edges::default();
                for (index, part) in parts.iter().enumerate() {
                    if index > 0 {
                        edges.add(separator);
                    }
                    match part {
                        Value::String(text) => edges.add(text),
                        part => edges.add_unknown(part),
                    }
                }
                return Ok(
                    joined.map(|text| Value::Unknown(unknown.with_hint(Hint::Text(Text::new(text, edges)))))
                );
            }
            _ => {}
        }
        let unknown = of_all();
        self.add_doubt(&unknown);
        if self.is_strict {
            self.add_may_fail(&unknown);
        }
        // Whether the call fails is not known, but of which type its result is.
        Ok(Some(Value::Unknown(match types::result(builtin) {
            Types::ANY => unknown,
            types => unknown.with_hint(Hint::Types(types)),
        })))
    }

    /// The union of objects whose keys are known.
    fn union_of<'v>(&mut self, objects: impl Iterator<Item = &'v Value>) -> Run<Option<Value>> {
        let mut entries: Vec<(Value, Value)> = Vec::new();
        let mut count = 0;
        for object in objects {
            let Value::Object(object) = object else { return Ok(None) };
            if !has_known_keys(object) {
                return Ok(None);
            }
            count += object.len();
            self.budget.take(object.len() * 2 * OWN_BYTES)?;
            entries.extend(object.entries().iter().cloned());
        }
        if count > crate::error::MAX_ITEMS {
            return Err(Stop::Limit(Limit::Size));
        }
        // The sort is stable: of one key, the values stay in order.
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        let mut members = Vec::new();
        for of_key in entries.chunk_by(|(one, _), (other, _)| one == other) {
            let [(key, first), rest @ ..] = of_key else { continue };
            let mut value = first.clone();
            for (_, next) in rest {
                value = match (&value, next) {
                    (Value::Object(_), Value::Object(_)) => {
                        match self.union_of([&value, next].into_iter())? {
                            Some(both) => both,
                            None => either_or_both(&value, next),
                        }
                    }
                    // If both turn out to be objects, they are united.
                    (one, other) if Types::OBJECT.may_be(one) && Types::OBJECT.may_be(other) => {
                        either_or_both(one, other)
                    }
                    _ => next.clone(),
                };
            }
            members.push((key.clone(), value));
        }
        self.budget.fits(Value::object(members)).map(Some)
    }

    fn call_known(
        &mut self,
        builtin: &'static Builtin,
        arguments: &[Value],
        place: SourcePlace,
    ) -> Run<Option<Value>> {
        if builtin.reads_files {
            let policy = self.program.files.get(place.file as usize);
            self.context.called_from(policy.map_or("", String::as_str));
        }
        let error = match builtin.call(&mut self.context, arguments) {
            Ok(value) => return value.map(|value| self.budget.fits(value)).transpose(),
            Err(error) => error,
        };
        let message = format!("{}: {}", builtin.name, error.message);
        if let BuiltinErrorKind::Limit(limit) = error.kind {
            return Err(Stop::Limit(limit));
        }
        // A call that is refused would have a result in OPA, so its condition must not just become undefined.
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
        let edges = self.edges(builtin, format, parts)?.unwrap_or_default();
        let parts: Vec<Value> = parts.iter().map(with_placeholder).collect();
        let text = self.call_known(builtin, &[Value::from(format), Value::array(parts)], place)?;
        Ok(text.map(|text| {
            let text = match text.as_str() {
                Some(text) => Value::from(without_verb_errors(text)),
                None => text,
            };
            Value::Unknown(unknown.with_hint(Hint::Text(Text::new(text, edges))))
        }))
    }

    /// The known parts of the text of a format in which each verb is one letter.
    fn edges(&mut self, sprintf: &'static Builtin, format: &str, parts: &[Value]) -> Run<Option<Edges>> {
        let mut edges = Edges::default();
        let mut parts = parts.iter();
        let mut rest = format;
        while let Some(at) = rest.find('%') {
            edges.add(&rest[..at]);
            let Some(verb) = rest[at + 1..].chars().next() else { return Ok(None) };
            match (verb, parts.as_slice().first()) {
                ('%', _) => edges.add("%"),
                ('s' | 'v' | 'd', Some(part)) if part.contains_unknown() => edges.add_unknown(part),
                ('s' | 'v' | 'd', Some(part)) => {
                    let call = [Value::from(&rest[at..at + 2]), Value::array([part.clone()])];
                    match self.quietly(sprintf, &call)?.as_ref().and_then(Value::as_str) {
                        Some(text) => edges.add(text),
                        None => return Ok(None),
                    }
                }
                _ => return Ok(None),
            }
            if verb != '%' {
                parts.next();
            }
            rest = &rest[at + 2..];
        }
        edges.add(rest);
        // Other parts are written behind the text.
        Ok(parts.as_slice().is_empty().then_some(edges))
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

fn has_known_keys(object: &Object) -> bool {
    !object.keys().any(Value::contains_unknown)
}

/// Whether the keys are known that a list, a set or an object has.
fn lists_known(listed: &Value) -> bool {
    match listed {
        Value::Object(object) => has_known_keys(object),
        Value::Unknown(_) => false,
        listed => !listed.contains_unknown(),
    }
}

/// Whether paths lead only through collections whose keys are known.
fn leads_along_known(object: &Value, paths: &Value) -> bool {
    let paths = match paths {
        Value::Array(paths) => paths.items(),
        Value::Set(paths) => paths.items(),
        _ => return false,
    };
    paths.iter().all(|path| {
        let Some(steps) = crate::builtins::steps_of_path(path) else { return true };
        let mut at = object;
        for step in &steps {
            at = match at {
                Value::Object(object) if !has_known_keys(object) => return false,
                Value::Set(items) if items.contains_unknown() => return false,
                Value::Unknown(_) => return false,
                Value::Object(object) => match object.get(step) {
                    Some(member) => member,
                    None => return true,
                },
                Value::Array(items) => {
                    let index = step.as_str().and_then(|step| step.parse::<usize>().ok());
                    match index.and_then(|index| items.items().get(index)) {
                        Some(item) => item,
                        None => return true,
                    }
                }
                _ => return true,
            };
        }
        true
    })
}

/// The second value, or the union of both.
fn either_or_both(one: &Value, other: &Value) -> Value {
    let unknowns = [one, other].into_iter().filter_map(Value::unknowns);
    let unknown = unknowns.reduce(|all, one| all.union(&one)).unwrap_or_else(|| Unknown::from_ids([]));
    let name = OperationName::Builtin("object.union[]");
    Value::Unknown(unknown.plain().made_by(name, &[one.clone(), other.clone()]))
}

/// Whether all members of the second are in the first; `None` if they are no such collections.
fn is_subset(large: &Value, small: &Value) -> Option<Truth> {
    match (large, small) {
        (Value::Object(large), Value::Object(small)) if has_known_keys(large) && has_known_keys(small) => {
            Some(all_of(small.iter().map(|(key, value)| match large.get(key) {
                None => Truth::False,
                Some(one) => has_part(one, value),
            })))
        }
        (Value::Set(large), Value::Set(small)) => {
            Some(all_of(small.iter().map(|item| is_one_of(item, large.iter()))))
        }
        (Value::Array(large), Value::Set(small)) => {
            Some(all_of(small.iter().map(|item| is_one_of(item, large.iter()))))
        }
        (Value::Array(large), Value::Array(small))
            if !large.contains_unknown() && !small.contains_unknown() =>
        {
            let mut windows = large.items().windows(small.len().max(1));
            Some(Truth::from(small.is_empty() || windows.any(|window| window == small.items())))
        }
        _ => None,
    }
}

/// Whether a member of an object has the parts of another: collections of one kind are compared part by part.
fn has_part(one: &Value, other: &Value) -> Truth {
    match (one, other) {
        (Value::Object(_), Value::Object(_))
        | (Value::Set(_), Value::Set(_))
        | (Value::Array(_), Value::Array(_)) => match (is_subset(one, other), equal(one, other)) {
            (Some(truth), _) | (None, truth @ Truth::True) => truth,
            (None, _) => maybe(one, other),
        },
        _ => match equal(one, other) {
            Truth::False if may_have_parts(one, other) || may_have_parts(other, one) => maybe(one, other),
            truth => truth,
        },
    }
}

fn may_have_parts(unknown: &Value, other: &Value) -> bool {
    matches!(unknown, Value::Unknown(_))
        && Types::COLLECTIONS.may_be(unknown)
        && Types::COLLECTIONS.may_be(other)
}

/// The type that a function such as `is_array` asks for.
fn asks_for(name: &str) -> Option<Types> {
    Some(match name {
        "is_null" => Types::NULL,
        "is_boolean" => Types::BOOLEAN,
        "is_number" => Types::NUMBER,
        "is_string" => Types::STRING,
        "is_array" => Types::ARRAY,
        "is_object" => Types::OBJECT,
        "is_set" => Types::SET,
        _ => return None,
    })
}

fn all_of(truths: impl Iterator<Item = Truth>) -> Truth {
    let mut all = Truth::True;
    for truth in truths {
        all = match (truth, all) {
            (Truth::False, _) => return Truth::False,
            (Truth::True, all) => all,
            (Truth::Maybe(one), Truth::Maybe(other)) => Truth::Maybe(one.union(&other)),
            (maybe, _) => maybe,
        };
    }
    all
}

/// How many members a collection has at least and at most.
fn count(collection: &Value) -> Option<(usize, Option<usize>)> {
    match collection {
        Value::Array(array) => Some((array.len(), Some(array.len()))),
        Value::Object(object) if !object.keys().any(Value::contains_unknown) => {
            Some((object.len(), Some(object.len())))
        }
        // Members of one origin are one; others that look alike may be several.
        Value::Set(set) => Some((distinct(set.items()), collection.has_origin().then_some(set.len()))),
        Value::Unknown(unknown) => match unknown.hint()? {
            Hint::Set { certain, possible } => {
                let is_listed = certain.iter().chain(possible).all(Value::has_origin);
                Some((distinct(certain), is_listed.then_some(certain.len() + possible.len())))
            }
            Hint::Array(items) => Some(bounds_of(items)),
            Hint::Object { certain, .. } => Some((certain.len(), None)),
            // Also an empty text has a `count`.
            Hint::Text(text) => Some((text.least_count(), None)),
            _ => None,
        },
        _ => None,
    }
}

/// How many of the members of a set cannot turn out to be equal.
fn distinct(members: &[Value]) -> usize {
    let known = members.iter().filter(|member| !member.contains_unknown()).count();
    // Unknown members may all turn out to equal known ones, or each other.
    known.max(usize::from(!members.is_empty()))
}

fn with_placeholder(value: &Value) -> Value {
    match value {
        Value::Unknown(unknown) => match unknown.hint() {
            Some(Hint::Text(text)) => text.shown.clone(),
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
        // The verb is one character, so an `%!` further away belongs to another error.
        let begin = before.rfind("%!").filter(|begin| before[begin + 2..].chars().count() == 1);
        out.push_str(&before[..begin.unwrap_or(at)]);
        out.push_str(PLACEHOLDER);
        rest = &rest[at + error.len()..];
    }
    out.push_str(rest);
    out
}
