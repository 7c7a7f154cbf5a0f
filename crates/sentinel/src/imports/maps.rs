//! `collection/maps`: values by paths of keys.

use std::collections::BTreeSet;

use super::{list, utf8};
use crate::builtins::native;
use crate::run::Machine;
use crate::value::{Budget, Done, Key, List, Map, Native, RunErrorKind, Text, Value, fault, fault_of};

pub(super) static NATIVES: [Native; 6] = [
    native("get", 2, 3, false, get),
    native("has", 2, 2, false, |machine, a| {
        if a[1].is_undefined() {
            return Ok(a[1].clone());
        }
        Ok(Value::Bool(find(&a[0], &path(&a[1])?, &mut machine.budget).is_some()))
    }),
    native("set", 3, 3, true, |machine, a| {
        check(&a[0])?;
        changed(machine, &a[0], &path(&a[1])?, &Change::Set(a[2].clone()))
    }),
    native("unset", 2, 2, true, |machine, a| {
        check(&a[0])?;
        changed(machine, &a[0], &path(&a[1])?, &Change::Unset)
    }),
    native("pick", 2, 2, true, |machine, a| {
        check(&a[0])?;
        // All paths at once: two paths into one list pick parts of one element, not one element each.
        let paths = list(&a[1])?.iter().map(path).collect::<Done<Vec<_>>>()?;
        let paths: Vec<&[String]> = paths.iter().map(Vec::as_slice).collect();
        Ok(picked(machine, &a[0], &paths)?.unwrap_or_else(|| Value::Map(Map::default())))
    }),
    native("omit", 2, 2, true, |machine, a| {
        check(&a[0])?;
        let mut result = a[0].clone();
        for omitted in list(&a[1])? {
            result = changed(machine, &result, &path(&omitted)?, &Change::Unset)?;
        }
        Ok(result)
    }),
];

fn check(value: &Value) -> Done<()> {
    match value {
        Value::Map(_) => Ok(()),
        other => fault(format!("expected a map, found {}", other.type_name())),
    }
}

/// How many keys a path may have: each takes some stack.
const MAX_PATH: usize = 200;

/// The keys of a path.
fn path(value: &Value) -> Done<Vec<String>> {
    let keys: Vec<String> = utf8(value)?.split('.').map(str::to_owned).collect();
    if keys.len() > MAX_PATH {
        return fault_of(RunErrorKind::Limit, format!("a path cannot have more than {MAX_PATH} keys"));
    }
    Ok(keys)
}

fn key(name: &str) -> Key {
    Key::String(Text::from(name))
}

/// The value under a name in a map, or at an index in a list.
fn part(value: &Value, name: &str, budget: &mut Budget) -> Option<Value> {
    match budget.look(value) {
        Value::Map(map) => {
            let key = key(name);
            let found = map.find(&key);
            budget.touch_member(map, &key, found.as_ref());
            found
        }
        Value::List(list) => {
            let index = name.parse().ok()?;
            budget.touch_element(list, Some(index));
            list.get(index)
        }
        _ => None,
    }
}

/// The value under a path. A star matches all elements of a list; the values found in them make a list.
fn find(value: &Value, path: &[String], budget: &mut Budget) -> Option<Value> {
    let mut value = value.clone();
    for (index, name) in path.iter().enumerate() {
        value = match budget.look(&value) {
            Value::List(list) if name == "*" => {
                budget.touch(value.seen());
                let rest = &path[index + 1..];
                let hits: Vec<Value> =
                    list.items().iter().filter_map(|item| find(item, rest, budget)).collect();
                return Some(Value::List(List::from(hits)));
            }
            _ => part(&value, name, budget)?,
        };
    }
    // A null that is present is found, so the default of `get` does not replace it.
    (!budget.look(&value).is_undefined()).then_some(value)
}

fn get(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    if arguments[1].is_undefined() {
        return Ok(arguments[1].clone());
    }
    let path = path(&arguments[1])?;
    let default = arguments.get(2).cloned();
    let found = find(&arguments[0], &path, &mut machine.budget).or(default);
    Ok(found.unwrap_or_else(|| Value::Undefined(machine.here())))
}

enum Change {
    Set(Value),
    Unset,
}

/// A copy of a collection with one change under a path. Unchanged parts are shared.
fn changed(machine: &mut Machine<'_>, value: &Value, path: &[String], change: &Change) -> Done<Value> {
    let Some((name, rest)) = path.split_first() else {
        let Change::Set(new) = change else { return Ok(value.clone()) };
        return Ok(new.clone());
    };
    let value = machine.budget.look(value);
    machine.budget.touch(value);
    match value {
        Value::List(list) => {
            let mut items = list.items().to_vec();
            machine.budget.make_list(items.len())?;
            let chosen: Vec<usize> = match name.parse() {
                Ok(index) if index < items.len() => vec![index],
                _ if name == "*" => (0..items.len()).collect(),
                _ => return Ok(value.clone()),
            };
            if rest.is_empty() && matches!(change, Change::Unset) {
                let mut index = 0;
                items.retain(|_| {
                    index += 1;
                    !chosen.contains(&(index - 1))
                });
            } else {
                for index in chosen {
                    items[index] = changed(machine, &items[index], rest, change)?;
                }
            }
            Ok(Value::List(List::from(items)))
        }
        Value::Map(map) => {
            let entries = map.entries();
            machine.budget.make_map(entries.len())?;
            let map: Map = entries.into_iter().collect();
            let old = map.find(&key(name));
            match (change, old) {
                (Change::Unset, _) if rest.is_empty() => map.remove(&key(name)),
                (Change::Unset, None) => {}
                (_, old) => {
                    let old = old.unwrap_or_else(|| Value::Map(Map::default()));
                    map.insert(key(name), changed(machine, &old, rest, change)?);
                }
            }
            Ok(Value::Map(map))
        }
        // Anything else has no members: setting a path creates the levels.
        _ if matches!(change, Change::Set(_)) => changed(machine, &Value::Map(Map::default()), path, change),
        _ => Ok(value.clone()),
    }
}

/// The values under some paths, in the collections that contain them; `None` if there are none.
fn picked(machine: &mut Machine<'_>, value: &Value, paths: &[&[String]]) -> Done<Option<Value>> {
    machine.budget.step(1 + paths.len())?;
    if paths.iter().any(|path| path.is_empty()) {
        return Ok((!machine.budget.look(value).is_undefined()).then(|| value.clone()));
    }
    let below = |name: &str| -> Vec<&[String]> {
        paths.iter().filter(|path| path[0] == *name).map(|path| &path[1..]).collect()
    };
    let value = machine.budget.look(value);
    machine.budget.touch(value);
    match value {
        Value::Map(map) => {
            let mut kept = Vec::new();
            let names: BTreeSet<&str> = paths.iter().map(|path| path[0].as_str()).collect();
            for name in names {
                if let Some(part) = part(value, name, &mut machine.budget)
                    && let Some(part) = picked(machine, &part, &below(name))?
                {
                    kept.push((key(name), part));
                }
            }
            machine.budget.make_map(kept.len())?;
            Ok((!kept.is_empty() || map.is_empty()).then(|| Value::Map(kept.into_iter().collect())))
        }
        Value::List(list) => {
            let stars = below("*");
            let mut kept = Vec::new();
            for (index, item) in list.items().iter().enumerate() {
                let mut of_item = below(&index.to_string());
                let is_named = !of_item.is_empty();
                of_item.extend(&stars);
                match picked(machine, item, &of_item)? {
                    Some(part) => kept.push(part),
                    // With a star each element keeps its place.
                    None if !stars.is_empty() && !is_named => kept.push(Value::Map(Map::default())),
                    None => {}
                }
            }
            machine.budget.make_list(kept.len())?;
            Ok((!kept.is_empty() || !stars.is_empty()).then(|| Value::List(List::from(kept))))
        }
        _ => Ok(None),
    }
}
