//! What the engine answers to a case.

use crate::value::{Path, Type, Value};

/// What the engine answers to a case.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// A value, of this declared type.
    Value(Value, Type),
    /// A type.
    Type(Type),
    /// Errors by path and kind, in no particular order.
    Errors(Vec<(Path, &'static str)>),
    /// The name of an action.
    Action(&'static str),
    /// Values, of this declared type.
    Values(Vec<Value>, Type),
    /// What comes of a change, part by part: of each its name and an answer, names of actions standing for any word.
    Change(Vec<(&'static str, Answer)>),
    /// The engine cannot work with what it is given, and says why.
    Refused(String),
}
