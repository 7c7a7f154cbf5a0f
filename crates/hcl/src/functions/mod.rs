//! The functions of the configuration language that need nothing but their arguments, a file for each kind.

mod text;

use objchange::Type;

use crate::function::{Functions, Parameter};

/// All of them by name.
pub(crate) fn all() -> Functions {
    let mut functions = Functions::default();
    text::add(&mut functions);
    functions
}

/// A parameter of type string, with no flags.
fn string(name: &'static str) -> Parameter {
    Parameter::new(name, Type::String)
}
