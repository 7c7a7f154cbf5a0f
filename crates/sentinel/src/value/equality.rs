//! When values are equal, which may be undefined.

use std::cmp::Ordering;
use std::rc::Rc;

use super::key::whole;
use super::{Budget, Done, Key, Map, SourcePlace, Value};

/// Whether two values are equal, or the place of the undefined part that leaves this open.
pub(crate) fn equal(a: &Value, b: &Value, budget: &mut Budget) -> Done<Result<bool, SourcePlace>> {
    let found = equal_parts(a, b, budget);
    if !budget.compared.is_empty() {
        // Only within one comparison: the collections may change before the next.
        budget.compared.clear();
    }
    found
}

fn equal_parts(a: &Value, b: &Value, budget: &mut Budget) -> Done<Result<bool, SourcePlace>> {
    budget.step(1)?;
    let (a, b) = (budget.look(a), budget.look(b));
    Ok(Ok(match (a, b) {
        (Value::Undefined(place), _) | (_, Value::Undefined(place)) => return Ok(Err(*place)),
        // Null against any other type is false, and so is each other mix of types. The documentation says
        // undefined, but 32 verdicts of public policies' tests need false.
        (Value::Null, Value::Null) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(_) | Value::Float(_), Value::Int(_) | Value::Float(_)) => {
            compare_numbers(a, b) == Some(Ordering::Equal)
        }
        (Value::String(a), Value::String(b)) => {
            budget.step(a.0.len() / 64)?;
            a == b
        }
        (Value::List(_) | Value::Map(_), Value::List(_) | Value::Map(_)) => {
            return equal_collections(a, b, budget);
        }
        (Value::Object(a), Value::Object(b)) => a.equals(b),
        _ => false,
    }))
}

/// Compares two collections, and each pair of shared ones once: nested sharing would double the time with
/// each level.
fn equal_collections(a: &Value, b: &Value, budget: &mut Budget) -> Done<Result<bool, SourcePlace>> {
    let (Some(one), Some(other)) = (shared(a), shared(b)) else { return compare_collections(a, b, budget) };
    if let Some((.., found)) = budget.compared.get(&(one, other)) {
        return Ok(*found);
    }
    let found = compare_collections(a, b, budget)?;
    budget.make(4 * size_of::<Value>() + 64)?;
    budget.compared.insert((one, other), (a.clone(), b.clone(), found));
    Ok(found)
}

/// The identity of a collection with more than two owners.
fn shared(value: &Value) -> Option<usize> {
    let (place, holders) = match value {
        Value::List(list) => (Rc::as_ptr(&list.0).cast::<()>(), Rc::strong_count(&list.0)),
        Value::Map(map) => (Rc::as_ptr(&map.0).cast(), Rc::strong_count(&map.0)),
        _ => return None,
    };
    // A collection that is not shared is reached once, and needs no entry.
    (holders > 2).then_some(place as usize)
}

fn compare_collections(a: &Value, b: &Value, budget: &mut Budget) -> Done<Result<bool, SourcePlace>> {
    if let (Value::Map(a), Value::Map(b)) = (a, b)
        && (lacks_certain(a, b, budget)? || lacks_certain(b, a, budget)?)
    {
        return Ok(Ok(false));
    }
    budget.touch(a);
    budget.touch(b);
    match (a, b) {
        (Value::List(a), Value::List(b)) => {
            if a.len() != b.len() {
                return Ok(Ok(false));
            }
            let (a, b) = (a.items(), b.items());
            let pairs = a.iter().cloned().zip(b.iter().cloned());
            budget.deeper(|budget| all_equal(pairs, budget))
        }
        (Value::Map(a), Value::Map(b)) => {
            if a.len() != b.len() {
                return Ok(Ok(false));
            }
            budget.step(a.len())?;
            let keys = a.keys();
            if keys != b.keys() {
                return Ok(Ok(false));
            }
            let value = |map: &Map, key: &Key| map.find(key).unwrap_or_else(Value::undefined);
            let pairs = keys.iter().map(|key| (value(a, key), value(b, key)));
            budget.deeper(|budget| all_equal(pairs, budget))
        }
        _ => Ok(Ok(false)),
    }
}

/// Whether a map that is known lacks a member that another has for certain. They differ then, whatever the unknown members
/// of the other turn out to be.
fn lacks_certain(open: &Map, known: &Map, budget: &mut Budget) -> Done<bool> {
    let is_changed = open.0.taint.get().is_some() || known.0.taint.get().is_some();
    if is_changed || open.unknowns().is_empty() || !known.unknowns().is_empty() {
        return Ok(false);
    }
    budget.step(open.len())?;
    let is_certain = |key: &Key| open.optional(key).is_none() && open.unknown(key).is_none();
    Ok(open.keys().iter().any(|key| is_certain(key) && known.find(key).is_none()))
}

/// A differing pair decides, whatever is undefined before it.
fn all_equal(
    pairs: impl Iterator<Item = (Value, Value)>,
    budget: &mut Budget,
) -> Done<Result<bool, SourcePlace>> {
    let mut result = Ok(true);
    for (a, b) in pairs {
        match equal_parts(&a, &b, budget)? {
            Ok(true) => {}
            // The documentation is silent; a definite difference decides here.
            Ok(false) => return Ok(Ok(false)),
            Err(place) => result = result.and(Err(place)),
        }
    }
    Ok(result)
}

/// The order of two numbers, exactly; none if one is not a number.
pub(crate) fn compare_numbers(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(b),
        (Value::Int(a), Value::Float(b)) => compare_mixed(*a, *b),
        (Value::Float(a), Value::Int(b)) => compare_mixed(*b, *a).map(Ordering::reverse),
        _ => None,
    }
}

fn compare_mixed(int: i64, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    // Conversion to a float would lose bits of integers above 2^53.
    Some(whole(float).map_or_else(|| Key::Int(int).cmp(&Key::Float(float)), |other| int.cmp(&other)))
}
