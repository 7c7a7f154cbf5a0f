//! What the engine answers to a case.

use std::fmt::Display;

use crate::value::{Path, Type, Value};

/// An error that the engine answers with.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AnsweredError {
    /// Where.
    pub path: Path,
    /// Its kind, as cases name it.
    pub kind: &'static str,
    /// The same for people, with the place. Shows nothing that is marked.
    pub sentence: String,
}

impl AnsweredError {
    pub(super) fn new(path: &Path, kind: &'static str, error: &impl Display) -> Self {
        Self { path: path.clone(), kind, sentence: error.to_string() }
    }
}

/// What the engine answers to a case.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// A value, of this declared type.
    Value(Value, Type),
    /// A type.
    Type(Type),
    /// Errors, in no particular order.
    Errors(Vec<AnsweredError>),
    /// The name of an action.
    Action(&'static str),
    /// Values, of this declared type.
    Values(Vec<Value>, Type),
    /// What comes of a change, part by part: of each its name and an answer, names of actions standing for any word.
    Change(Vec<(&'static str, Answer)>),
    /// The engine cannot work with what it is given, and says why.
    Refused(String),
}
