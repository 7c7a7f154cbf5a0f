//! The functions that need no import.

use crate::run::{Compared, Machine, order};
use crate::syntax::literal;
use crate::value::{Done, Key, List, Native, RunErrorKind, Text, Value, fault, fault_of, show, whole};

/// All of them.
static NATIVES: [Native; 13] = [
    // A strict function is undefined for any undefined argument. An undefined value may be put into a list,
    // printed and converted, so these functions are not strict.
    native("append", 2, 2, false, append),
    native("bool", 1, 1, false, bool),
    native("compare", 2, 2, true, compare),
    native("delete", 2, 2, false, delete),
    native("error", 0, usize::MAX, false, error),
    native("float", 1, 1, true, float),
    native("int", 1, 1, true, int),
    native("keys", 1, 1, true, keys),
    native("length", 1, 1, true, length),
    native("print", 0, usize::MAX, false, print),
    native("range", 1, 3, true, range),
    native("string", 1, 1, false, string),
    native("values", 1, 1, true, values),
];

/// A function of the language.
pub(crate) const fn native(
    name: &'static str,
    least: usize,
    most: usize,
    strict: bool,
    call: fn(&mut Machine<'_>, &[Value]) -> Done<Value>,
) -> Native {
    Native { name, arity: least..=most, strict, call }
}

pub(crate) fn find(name: &str) -> Option<&'static Native> {
    NATIVES.iter().find(|native| native.name == name)
}

/// Whether a name is one of the language.
pub(crate) fn is_name(name: &str) -> bool {
    find(name).is_some()
}

/// The names of all functions.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    NATIVES.iter().map(|native| native.name)
}

fn nothing(machine: &Machine<'_>) -> Value {
    Value::Undefined(machine.here())
}

fn expected<T>(what: &str, found: &Value) -> Done<T> {
    fault(format!("expected {what}, found {}", found.type_name()))
}

fn shown(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Vec<u8>> {
    let mut line = Vec::new();
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            line.push(b' ');
        }
        show(argument, false, &mut line, &mut machine.budget)?;
    }
    Ok(line)
}

fn print(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    let mut line = shown(machine, arguments)?;
    line.push(b'\n');
    machine.budget.fits(machine.printed.len() + line.len())?;
    machine.printed.append(&mut line);
    Ok(Value::Bool(true))
}

fn error(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    let line = shown(machine, arguments)?;
    fault_of(RunErrorKind::Raised, String::from_utf8_lossy(&line))
}

fn length(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    let length = match &arguments[0] {
        // Documented: `length` counts the bytes of a string.
        Value::String(text) => text.as_bytes().len(),
        Value::List(list) => list.len(),
        Value::Map(map) => map.len(),
        // The documentation does not say; null has no length here, as `is empty` is undefined for it.
        Value::Null => return Ok(nothing(machine)),
        other => return expected("a string, list or map", other),
    };
    Ok(Value::Int(length as i64))
}

fn keys(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    let Value::Map(map) = &arguments[0] else { return expected("a map", &arguments[0]) };
    machine.budget.make_list(map.len())?;
    Ok(Value::from(map.keys().iter().map(Key::to_value).collect::<Vec<_>>()))
}

fn values(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    let Value::Map(map) = &arguments[0] else { return expected("a map", &arguments[0]) };
    machine.budget.make_list(map.len())?;
    Ok(Value::from(map.entries().into_iter().map(|(_, value)| value).collect::<Vec<_>>()))
}

fn append(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    let Value::List(list) = &arguments[0] else { return expected("a list", &arguments[0]) };
    machine.budget.fits(list.len() + 1)?;
    machine.budget.make(32)?;
    // A walk over the list keeps a snapshot, so the change may have to copy all of it.
    machine.budget.step(list.to_copy() / 4)?;
    // A list may be appended to itself. The registry empties it at the end of the run, because reference
    // counts would never free it.
    machine.registry.changed(&arguments[0], &arguments[1]);
    // Documented: `append` changes the list in place and returns undefined, so `x = append(x, 1)` loses it.
    list.push(arguments[1].clone());
    Ok(nothing(machine))
}

fn delete(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    let Value::Map(map) = &arguments[0] else { return expected("a map", &arguments[0]) };
    machine.budget.step(map.to_copy())?;
    // To delete an absent key does nothing, and a value that cannot be a key is absent from every map.
    if let Some(key) = Key::from_value(&arguments[1]) {
        map.remove(&key);
    }
    Ok(nothing(machine))
}

fn range(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    let mut bounds = Vec::new();
    for argument in arguments {
        match argument {
            Value::Int(int) => bounds.push(*int),
            Value::Float(float) if whole(*float).is_some() => bounds.extend(whole(*float)),
            other => return expected("an int", other),
        }
    }
    let (start, end, step) = match bounds[..] {
        [end] => (0, end, 1),
        [start, end] => (start, end, 1),
        [start, end, step] => (start, end, step),
        _ => (0, 0, 1),
    };
    if step == 0 {
        // The range would never end.
        return fault("the step of a range cannot be 0");
    }
    // In 128 bits no distance of two integers overflows.
    let (distance, stride) = (i128::from(end) - i128::from(start), i128::from(step));
    let count = if distance.signum() == stride.signum() {
        (distance.abs() + stride.abs() - 1) / stride.abs()
    } else {
        0
    };
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    // Charged before the list is made: `range(1000000000000)` would fill the memory.
    machine.budget.make_list(count)?;
    let items = (0..count as i64).map(|index| Value::Int(start.wrapping_add(index.wrapping_mul(step))));
    Ok(Value::List(List::from(items.collect::<Vec<_>>())))
}

fn compare(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    match order(&arguments[0], &arguments[1]) {
        Compared::Ordered(ordering) => Ok(Value::Int(ordering as i64)),
        Compared::NotANumber => Ok(nothing(machine)),
        Compared::Unlike => {
            let (left, right) = (arguments[0].type_name(), arguments[1].type_name());
            fault(format!("{left} and {right} cannot be compared"))
        }
    }
}

/// The integer that a text says as a literal would, with a sign.
pub(crate) fn parse_int(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let size = i128::from(literal::int(digits).ok()?);
    i64::try_from(if negative { -size } else { size }).ok()
}

/// The float that a text says in decimal.
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    // Rust also reads `inf` and `nan`, which the documentation does not have.
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
        && text.ends_with(|c: char| c.is_ascii_digit() || c == '.');
    if is_number { text.parse().ok() } else { None }
}

fn int(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    let int = match &arguments[0] {
        Value::Int(int) => Some(*int),
        // Rounds down, also below zero: `int(-1.5)` is -2.
        Value::Float(float) => whole(float.floor()),
        Value::Bool(bool) => Some(i64::from(*bool)),
        value => value.as_str().and_then(parse_int),
    };
    Ok(int.map_or_else(|| nothing(machine), Value::Int))
}

fn float(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    let float = match &arguments[0] {
        Value::Int(int) => Some(*int as f64),
        Value::Float(float) => Some(*float),
        Value::Bool(bool) => Some(f64::from(u8::from(*bool))),
        value => value.as_str().and_then(parse_float),
    };
    Ok(float.map_or_else(|| nothing(machine), Value::Float))
}

fn string(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    Ok(match &arguments[0] {
        Value::String(text) => Value::String(text.clone()),
        Value::Int(int) => Value::from(int.to_string()),
        // Six decimal places, as Go's `%f`.
        Value::Float(float) if float.is_finite() => Value::String(Text::from(format!("{float:.6}").as_str())),
        value @ Value::Float(_) => Value::from(format!("{value:?}")),
        Value::Bool(bool) => Value::from(bool.to_string()),
        Value::Undefined(place) => Value::Undefined(*place),
        _ => nothing(machine),
    })
}

fn bool(machine: &mut Machine<'_>, arguments: &[Value]) -> Done<Value> {
    let bool = match &arguments[0] {
        Value::Bool(bool) => Some(*bool),
        Value::Int(int) => Some(*int != 0),
        Value::Float(float) => Some(*float != 0.0),
        Value::Undefined(place) => return Ok(Value::Undefined(*place)),
        value => match value.as_str() {
            Some("1" | "t" | "T" | "TRUE" | "true" | "True") => Some(true),
            Some("0" | "f" | "F" | "FALSE" | "false" | "False") => Some(false),
            _ => None,
        },
    };
    Ok(bool.map_or_else(|| nothing(machine), Value::Bool))
}
