//! `strings`.

use super::{int, made, text, utf8};
use crate::builtins::native;
use crate::run::Machine;
use crate::value::{Done, List, Native, Value, fault, show_float};

pub(super) static NATIVES: [Native; 13] = [
    native("has_prefix", 2, 2, true, |_, a| Ok(Value::Bool(text(&a[0])?.starts_with(&text(&a[1])?)))),
    native("has_suffix", 2, 2, true, |_, a| Ok(Value::Bool(text(&a[0])?.ends_with(&text(&a[1])?)))),
    native("trim_prefix", 2, 2, true, |machine, a| {
        let (text, prefix) = (text(&a[0])?, text(&a[1])?);
        made(machine, text.strip_prefix(&*prefix).unwrap_or(&text).to_vec())
    }),
    native("trim_suffix", 2, 2, true, |machine, a| {
        let (text, suffix) = (text(&a[0])?, text(&a[1])?);
        made(machine, text.strip_suffix(&*suffix).unwrap_or(&text).to_vec())
    }),
    native("to_lower", 1, 1, true, |machine, a| {
        made(machine, changed(&a[0], |c| c.to_lowercase().collect())?)
    }),
    native("to_upper", 1, 1, true, |machine, a| {
        made(machine, changed(&a[0], |c| c.to_uppercase().collect())?)
    }),
    native("split", 2, 2, true, split),
    native("join", 2, 2, true, join),
    native("replace", 3, 4, true, replace),
    native("trim", 2, 2, true, |machine, a| trim(machine, a, true, true)),
    native("trim_left", 2, 2, true, |machine, a| trim(machine, a, true, false)),
    native("trim_right", 2, 2, true, |machine, a| trim(machine, a, false, true)),
    native("trim_space", 1, 1, true, |machine, a| made(machine, utf8(&a[0])?.trim().as_bytes().to_vec())),
];

/// A text with each character changed; only a single character takes the place of one.
fn changed(value: &Value, change: impl Fn(char) -> String) -> Done<Vec<u8>> {
    let one = |c: char| {
        let changed = change(c);
        let mut chars = changed.chars();
        match (chars.next(), chars.next()) {
            (Some(changed), None) => changed,
            // Go changes one character at a time, and `ß` has no single capital letter.
            _ => c,
        }
    };
    Ok(utf8(value)?.chars().map(one).collect::<String>().into_bytes())
}

fn split(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    if let Value::List(_) = &arguments[0] {
        return Ok(arguments[0].clone());
    }
    let (text, separator) = (utf8(&arguments[0])?, utf8(&arguments[1])?);
    machine.budget.make(64 * text.len())?;
    let parts: Vec<Value> = if separator.is_empty() {
        text.chars().map(|c| Value::from(c.to_string())).collect()
    } else {
        text.split(&separator).map(Value::from).collect()
    };
    Ok(Value::List(List::from(parts)))
}

fn join(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    let separator = text(&arguments[1])?;
    let Value::List(_) = &arguments[0] else {
        return fault(format!("expected a list, found {}", arguments[0].type_name()));
    };
    let mut out = Vec::new();
    let mut is_first = true;
    // Lists within are joined as if their elements stood there.
    let mut waiting = vec![arguments[0].clone()];
    while let Some(value) = waiting.pop() {
        machine.budget.step(1)?;
        let value = machine.budget.look(&value).clone();
        machine.budget.touch(&value);
        let part = match value {
            Value::List(list) => {
                machine.budget.make_list(list.len())?;
                waiting.extend(list.items().iter().rev().cloned());
                continue;
            }
            Value::Undefined(place) => return Ok(Value::Undefined(place)),
            Value::Float(float) => show_float(float).into_bytes(),
            Value::Bool(bool) => bool.to_string().into_bytes(),
            value => text(&value)?,
        };
        if !is_first {
            out.extend(&separator);
        }
        is_first = false;
        out.extend(part);
        machine.budget.fits(out.len())?;
    }
    made(machine, out)
}

fn replace(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    let (text, old, new) = (utf8(&arguments[0])?, utf8(&arguments[1])?, utf8(&arguments[2])?);
    let count = match arguments.get(3) {
        Some(count) => usize::try_from(int(count)?).unwrap_or(usize::MAX),
        None => usize::MAX,
    };
    // The size is known before the text is made: an empty `old` is found between all characters.
    let hits = text.matches(&old).count().min(count);
    machine.budget.fits(text.len().saturating_add(hits.saturating_mul(new.len())))?;
    made(machine, text.replacen(&old, &new, count).into_bytes())
}

fn trim(machine: &mut Machine<'_>, arguments: &[Value], left: bool, right: bool) -> Done<Value> {
    let (text, set) = (utf8(&arguments[0])?, utf8(&arguments[1])?);
    // Each character is searched for in the set.
    machine.budget.step(text.len().saturating_mul(set.len()) / 8)?;
    let is_cut = |c: char| set.contains(c);
    let mut rest = &*text;
    if left {
        rest = rest.trim_start_matches(is_cut);
    }
    if right {
        rest = rest.trim_end_matches(is_cut);
    }
    made(machine, rest.as_bytes().to_vec())
}
