//! `collection`.

use super::list;
use crate::builtins::native;
use crate::run::Machine;
use crate::value::{Code, Done, List, Map, Native, Value, equal, fault};

pub(super) static NATIVES: [Native; 5] = [
    native("filter", 2, 2, true, |machine, a| kept(machine, a, |answer| answer == Some(true))),
    // Undefined answers keep the element: only true rejects it.
    native("reject", 2, 2, true, |machine, a| kept(machine, a, |answer| answer != Some(true))),
    native("find", 2, 2, true, find),
    native("matches", 2, 2, true, matches),
    native("reduce", 2, 3, true, reduce),
];

/// The elements of a list with their indexes, or the values of a map with their keys.
fn elements(machine: &mut Machine<'_>, value: &Value) -> Done<Vec<(Value, Value)>> {
    let pairs: Vec<(Value, Value)> = match value {
        Value::Map(map) => map.entries().into_iter().map(|(key, value)| (value, key.to_value())).collect(),
        other => list(other)?.into_iter().zip((0..).map(Value::Int)).collect(),
    };
    machine.budget.make_list(2 * pairs.len())?;
    Ok(pairs)
}

/// Calls a function with as many arguments as it takes.
fn ask(machine: &mut Machine<'_>, function: &Value, mut arguments: Vec<Value>) -> Done<Value> {
    if let Value::Function(of) = function {
        arguments.truncate(match &of.0 {
            Code::Closure(closure) => closure.unit.params as usize,
            Code::Native(native) | Code::Method(native, _) => *native.arity.end(),

            Code::Host(host) => *host.arity.end(),
        });
    }
    machine.call_back(function, arguments)
}

fn answer(machine: &mut Machine<'_>, function: &Value, pair: &(Value, Value)) -> Done<Option<bool>> {
    match ask(machine, function, vec![pair.0.clone(), pair.1.clone()])? {
        Value::Bool(bool) => Ok(Some(bool)),
        Value::Undefined(_) => Ok(None),
        other => fault(format!("expected a bool from this function, found {}", other.type_name())),
    }
}

fn kept(machine: &mut Machine<'_>, arguments: &[Value], is_kept: fn(Option<bool>) -> bool) -> Done<Value> {
    let mut values = Vec::new();
    for pair in elements(machine, &arguments[0])? {
        if is_kept(answer(machine, &arguments[1], &pair)?) {
            values.push(pair.0);
        }
    }
    Ok(Value::List(List::from(values)))
}

fn find(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    for pair in elements(machine, &arguments[0])? {
        if answer(machine, &arguments[1], &pair)? == Some(true) {
            return Ok(pair.0);
        }
    }
    Ok(Value::Undefined(machine.here()))
}

fn matches(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    let Value::Map(partial) = &arguments[1] else {
        return fault(format!("expected a map, found {}", arguments[1].type_name()));
    };
    let mut values = Vec::new();
    for (value, _) in elements(machine, &arguments[0])? {
        if has_all(machine, &value, partial)? {
            values.push(value);
        }
    }
    Ok(Value::List(List::from(values)))
}

/// Whether a value is a map with all that a partial one has.
fn has_all(machine: &mut Machine<'_>, value: &Value, partial: &Map) -> Done<bool> {
    let value = machine.budget.look(value);
    machine.budget.touch(value);
    let Value::Map(map) = value else { return Ok(false) };
    let mut waiting = vec![(map.clone(), partial.clone())];
    while let Some((map, partial)) = waiting.pop() {
        for (key, expected) in partial.entries() {
            machine.budget.step(1)?;
            let found = map.find(&key);
            machine.budget.touch_member(&map, &key, found.as_ref());
            let found = found.map(|found| machine.budget.look(&found).clone());
            let expected = machine.budget.look(&expected).clone();
            machine.budget.touch(&expected);
            match (found, expected) {
                (Some(Value::Map(map)), Value::Map(partial)) => waiting.push((map, partial)),
                (Some(value), expected) if equal(&value, &expected, &mut machine.budget)? == Ok(true) => {}
                _ => return Ok(false),
            }
        }
    }
    Ok(true)
}

fn reduce(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    let mut pairs = elements(machine, &arguments[0])?.into_iter();
    // Without an initial value the first element is it, and is not passed to the function.
    let initial = arguments.get(2).cloned().or_else(|| pairs.next().map(|(value, _)| value));
    let Some(mut result) = initial else { return Ok(Value::Undefined(machine.here())) };
    for (value, key) in pairs {
        result = ask(machine, &arguments[1], vec![result, value, key])?;
    }
    Ok(result)
}
