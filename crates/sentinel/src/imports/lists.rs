//! `collection/lists`.

use super::{float, list};
use crate::builtins::native;
use crate::run::Machine;
use crate::value::{Done, List, Native, Value, equal, fault};

pub(super) static NATIVES: [Native; 6] = [
    native("concat", 0, usize::MAX, true, concat),
    native("sort", 2, 2, true, sort),
    native("sum", 1, 1, true, |machine, a| {
        let items = list(&a[0])?;
        machine.budget.step(items.len())?;
        let sum = items.iter().map(|item| float(machine.budget.look(item))).sum::<Done<f64>>()?;
        // The sum of nothing is negative zero in Rust.
        Ok(Value::Float(sum + 0.0))
    }),
    native("union", 2, 2, true, |machine, a| {
        let mut items = list(&a[0])?;
        items.extend(list(&a[1])?);
        distinct(machine, items, |_, _| Ok(true))
    }),
    native("difference", 2, 2, true, |machine, a| {
        let other = list(&a[1])?;
        distinct(machine, list(&a[0])?, |machine, item| Ok(!holds(machine, &other, item)?))
    }),
    native("intersection", 2, 2, true, |machine, a| {
        let other = list(&a[1])?;
        distinct(machine, list(&a[0])?, |machine, item| holds(machine, &other, item))
    }),
];

fn concat(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    let mut items = Vec::new();
    for argument in arguments {
        let more = list(argument)?;
        machine.budget.fits(items.len() + more.len())?;
        machine.budget.make_list(more.len())?;
        items.extend(more);
    }
    Ok(Value::List(List::from(items)))
}

fn holds(machine: &mut Machine<'_>, items: &[Value], item: &Value) -> Done<bool> {
    for other in items {
        if equal(other, item, &mut machine.budget)? == Ok(true) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The items that are wanted, each once.
fn distinct(
    machine: &mut Machine<'_>,
    items: Vec<Value>,
    mut is_wanted: impl FnMut(&mut Machine<'_>, &Value) -> Done<bool>,
) -> Done<Value> {
    let mut result: Vec<Value> = Vec::new();
    for item in items {
        if is_wanted(machine, &item)? && !holds(machine, &result, &item)? {
            result.push(item);
        }
    }
    machine.budget.make_list(result.len())?;
    Ok(Value::List(List::from(result)))
}

/// Merges longer and longer runs: an order that contradicts itself gives some order, and an error ends it.
fn sort(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    let mut items = list(&arguments[0])?;
    machine.budget.make_list(2 * items.len())?;
    let mut width = 1;
    while width < items.len() {
        let mut merged = Vec::with_capacity(items.len());
        for pair in items.chunks(2 * width) {
            let (mut left, mut right) = pair.split_at(width.min(pair.len()));
            while let ([first, left_rest @ ..], [second, right_rest @ ..]) = (left, right) {
                // Equal ones stay in their order.
                if is_above(machine, &arguments[1], first, second)? {
                    merged.push(second.clone());
                    right = right_rest;
                } else {
                    merged.push(first.clone());
                    left = left_rest;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        items = merged;
        width *= 2;
    }
    Ok(Value::List(List::from(items)))
}

fn is_above(machine: &mut Machine<'_>, function: &Value, first: &Value, second: &Value) -> Done<bool> {
    match machine.call_back(function, vec![first.clone(), second.clone()])? {
        Value::Int(order) => Ok(order > 0),
        Value::Float(order) => Ok(order > 0.0),
        other => fault(format!("expected an int from this function, found {}", other.type_name())),
    }
}
