//! The functions of the configuration language that need nothing but their arguments, a file for each kind.

mod collections;
mod conversion;
mod csv;
mod dates;
mod directory;
mod encoding;
mod files;
mod format;
mod format_list;
mod glob;
mod gzip;
mod hashing;
mod json;
mod limits;
mod lookup;
mod maps;
mod network;
mod numbers;
mod paths;
mod regex;
mod rsa;
mod seen;
mod sequences;
mod sets;
mod terraform;
mod text;
mod unpredictable;
mod verbs;
mod yaml;

pub(crate) use collections::contains_without_null;
pub use files::{BaseDirectory, KnownFiles, OUTSIDE, relative_path};
pub(crate) use regex::PatternCache;

use objchange::value::{ConstructError, Number, Refinements};
use objchange::{Type, Value};

use crate::function::{FunctionError, Functions, Parameter};

type Answer = Result<Value, FunctionError>;

/// All of them by name.
pub(crate) fn all() -> Functions {
    let mut functions = Functions::default();
    for add in [
        collections::add,
        conversion::add,
        csv::add,
        dates::add,
        encoding::add,
        format::add,
        format_list::add,
        hashing::add,
        json::add,
        lookup::add,
        maps::add,
        network::add,
        numbers::add,
        paths::add,
        regex::add,
        rsa::add,
        sequences::add,
        sets::add,
        text::add,
        unpredictable::add,
        yaml::add,
        // The last: a template may call those before.
        files::add,
    ] {
        add(&mut functions);
    }
    functions
}

/// A parameter of type string, with no flags.
fn string(name: &'static str) -> Parameter {
    Parameter::new(name, Type::String)
}

/// A parameter of type number, with no flags.
fn number(name: &'static str) -> Parameter {
    Parameter::new(name, Type::Number)
}

/// A parameter that takes any value without conversion, with no flags.
fn any(name: &'static str) -> Parameter {
    Parameter::new(name, Type::Dynamic)
}

/// The text of an argument that is a known string.
fn text(arguments: &[Value], position: usize) -> &str {
    arguments[position].as_str().unwrap_or_default()
}

/// A text as errors quote it.
fn quote(text: &str) -> String {
    let mut quoted = String::new();
    objchange_text::quote_into(text, &mut quoted);
    quoted
}

/// The elements of an argument that is a known list, set or tuple.
fn elements(argument: &Value) -> &[Value] {
    argument.as_elements().unwrap_or_default()
}

/// The number as an integer.
fn whole(value: &Value) -> Result<i64, FunctionError> {
    let number = value.as_number().filter(|number| number.is_integer());
    number.and_then(Number::as_i64).ok_or(FunctionError::new(
        "value must be a whole number, between -9223372036854775808 and 9223372036854775807",
    ))
}

/// The number as an integer, with its name in errors.
fn whole_named(value: &Value, name: &str) -> Result<i64, FunctionError> {
    whole(value).map_err(|error| FunctionError { message: format!("{name}: {error}").into(), ..error })
}

/// Reads an argument as an integer; the error points to it.
fn whole_argument(arguments: &[Value], position: usize) -> Result<i64, FunctionError> {
    whole(&arguments[position]).map_err(|error| FunctionError { argument: Some(position), ..error })
}

/// The unknown value of a type with these refinements.
fn refined(ty: Type, refinements: Refinements) -> Value {
    Value::refined_unknown(ty.clone(), refinements).unwrap_or_else(|_| Value::unknown(ty))
}

/// The unknown value of a type that will not be null.
fn unknown(ty: Type) -> Value {
    refined(ty, Refinements::not_null())
}

impl From<ConstructError> for FunctionError {
    fn from(error: ConstructError) -> Self {
        Self::new(error.to_string())
    }
}
