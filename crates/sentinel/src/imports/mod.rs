//! The standard imports, one a file.

mod base64;
mod collection;
mod decimal;
mod json;
mod lists;
mod maps;
mod object;
mod sockaddr;
mod strings;
mod time;
mod version;

pub use object::Object;

use crate::builtins::{native, parse_float, parse_int};
use crate::run::{Machine, Setup};
use crate::value::{Code, Done, Function, Native, Value, fault, whole};

/// Looks up a member of an import by name.
pub(crate) type Members = fn(&Setup, &str) -> Option<Value>;

/// The standard import with this name.
pub(crate) fn standard(name: &str) -> Option<Members> {
    Some(match name {
        "base64" => |_, name| function(&base64::NATIVES, name),
        "collection" => |_, name| function(&collection::NATIVES, name),
        "collection/lists" => |_, name| function(&lists::NATIVES, name),
        "collection/maps" => |_, name| function(&maps::NATIVES, name),
        "decimal" => |_, name| decimal::member(name),
        "json" => |_, name| function(&json::NATIVES, name),
        // The documentation fixes no value. Policies compare it with the version that they need.
        "runtime" => |_, name| (name == "version").then(|| Value::from("0.40.0")),
        "sockaddr" => |_, name| function(&sockaddr::NATIVES, name),
        "strings" => |_, name| function(&strings::NATIVES, name),
        "time" => time::member,
        "types" => |_, name| function(&TYPES, name),
        "units" => |_, name| unit(name),
        "version" => |_, name| function(&version::NATIVES, name),
        _ => return None,
    })
}

/// The names of the members of a standard import.
pub(crate) fn names(import: &str) -> Vec<&'static str> {
    let natives: &'static [Native] = match import {
        "base64" => &base64::NATIVES,
        "collection" => &collection::NATIVES,
        "collection/lists" => &lists::NATIVES,
        "collection/maps" => &maps::NATIVES,
        "decimal" => return decimal::names(),
        "json" => &json::NATIVES,
        "runtime" => return vec!["version"],
        "sockaddr" => &sockaddr::NATIVES,
        "strings" => &strings::NATIVES,
        "time" => return time::names(),
        "types" => &TYPES,
        "units" => return UNITS.to_vec(),
        "version" => &version::NATIVES,
        _ => &[],
    };
    natives.iter().map(|native| native.name).collect()
}

/// The function with this name among those of an import.
fn function(natives: &'static [Native], name: &str) -> Option<Value> {
    let native = natives.iter().find(|native| native.name == name)?;
    Some(Value::Function(Function(Code::Native(native))))
}

static TYPES: [Native; 1] =
    [native("type_of", 1, 1, false, |_, arguments| Ok(Value::from(arguments[0].type_name())))];

const UNITS: [&str; 5] = ["kilobyte", "megabyte", "gigabyte", "terabyte", "petabyte"];

fn unit(name: &str) -> Option<Value> {
    let power = UNITS.iter().position(|unit| *unit == name)?;
    Some(Value::Int(1 << (10 * (power + 1))))
}

/// A parameter that is text: a string, or an int in decimal.
fn text(value: &Value) -> Done<Vec<u8>> {
    match value {
        Value::String(text) => Ok(text.as_bytes().to_vec()),
        Value::Int(int) => Ok(int.to_string().into_bytes()),
        other => fault(format!("expected a string, found {}", other.type_name())),
    }
}

/// A parameter that is text in UTF-8.
fn utf8(value: &Value) -> Done<String> {
    String::from_utf8(text(value)?).or_else(|_| fault("this string is not UTF-8"))
}

/// A parameter that is an int: one, or a string that says one.
fn int(value: &Value) -> Done<i64> {
    let int = match value {
        Value::Int(int) => Some(*int),
        Value::Float(float) => whole(*float),
        value => value.as_str().and_then(parse_int),
    };
    match int {
        Some(int) => Ok(int),
        None => fault(format!("expected an int, found {}", value.type_name())),
    }
}

/// A parameter that is a float: a number, or a string that says one.
fn float(value: &Value) -> Done<f64> {
    let float = match value {
        Value::Int(int) => Some(*int as f64),
        Value::Float(float) => Some(*float),
        value => value.as_str().and_then(parse_float),
    };
    match float {
        Some(float) => Ok(float),
        None => fault(format!("expected a number, found {}", value.type_name())),
    }
}

/// A parameter that is a list.
fn list(value: &Value) -> Done<Vec<Value>> {
    match value.seen() {
        Value::List(list) => Ok(list.items().to_vec()),
        other => fault(format!("expected a list, found {}", other.type_name())),
    }
}

/// A string that a function made.
fn made(machine: &mut Machine<'_>, bytes: Vec<u8>) -> Done<Value> {
    machine.budget.fits(bytes.len())?;
    machine.budget.make(bytes.len())?;
    Ok(Value::String(bytes.into()))
}

#[cfg(test)]
mod tests {
    use super::{names, standard};
    use crate::run::Setup;

    #[test]
    fn what_an_import_has_can_be_listed() {
        let imports = [
            "base64",
            "collection",
            "collection/lists",
            "collection/maps",
            "decimal",
            "json",
            "runtime",
            "sockaddr",
            "strings",
            "time",
            "types",
            "units",
            "version",
        ];
        for import in imports {
            let member = standard(import).unwrap();
            assert!(!names(import).is_empty(), "{import}");
            for name in names(import) {
                assert!(member(&Setup::default(), name).is_some(), "{import}.{name}");
            }
        }
    }
}
