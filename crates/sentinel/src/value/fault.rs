//! Why a run ends before its time.

use std::fmt;
use std::sync::Arc;

use objchange_text::Position;

use super::SourcePlace;

/// A place in a source text, as people look for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The name of the text.
    pub file: Arc<str>,
    /// The position in the text.
    pub position: Position,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.position)
    }
}

/// The kind of the error, for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RunErrorKind {
    /// An operation on a value of the wrong type, or outside of its range.
    Value,
    /// An integer is divided by zero.
    DivisionByZero,
    /// An element is put where a list has none.
    Range,
    /// A function is called with a wrong number of arguments.
    Arguments,
    /// There is no variable of a name.
    Name,
    /// There is no import of a name, or it cannot be read.
    Import,
    /// A parameter has no value.
    Parameter,
    /// A rule or module needs itself.
    Circle,
    /// The policy calls `error`.
    Raised,
    /// A function of the host refuses.
    Host,
    /// It would take more steps, or make larger values, than are allowed.
    Limit,
    /// It would make more values than the memory that is allowed holds.
    Memory,
    /// The host has ended it.
    Interrupted,
    /// The policy has no `main`, or a `main` that is no answer.
    Main,
}

impl RunErrorKind {
    /// A stable name for it.
    #[must_use]
    pub fn kind(self) -> &'static str {
        match self {
            RunErrorKind::Value => "value",
            RunErrorKind::DivisionByZero => "division_by_zero",
            RunErrorKind::Range => "range",
            RunErrorKind::Arguments => "arguments",
            RunErrorKind::Name => "name",
            RunErrorKind::Import => "import",
            RunErrorKind::Parameter => "parameter",
            RunErrorKind::Circle => "circle",
            RunErrorKind::Raised => "raised",
            RunErrorKind::Host => "host",
            RunErrorKind::Limit => "limit",
            RunErrorKind::Memory => "memory",
            RunErrorKind::Interrupted => "interrupted",
            RunErrorKind::Main => "main",
        }
    }
}

/// Why a policy could not be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{location}: {message}")]
#[non_exhaustive]
pub struct RunError {
    /// The kind of the error, for programs.
    pub kind: RunErrorKind,
    /// The message, for people.
    pub message: String,
    /// The place of the error.
    pub location: Location,
    /// The name of the missing import.
    pub import: Option<Box<str>>,
}

/// The reason why a run ends early.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) kind: RunErrorKind,
    pub(crate) message: String,
    /// Where, if it is not the instruction that is executed.
    pub(crate) place: Option<SourcePlace>,
    /// The missing import.
    pub(crate) import: Option<Box<str>>,
}

/// Boxed, because errors are rare, and operations are so small that a larger return value would cost time.
pub(crate) type Done<T> = Result<T, Box<Fault>>;

/// An error of an operation on a value.
#[cold]
pub(crate) fn fault<T>(message: impl Into<String>) -> Done<T> {
    fault_of(RunErrorKind::Value, message)
}

#[cold]
pub(crate) fn fault_of<T>(kind: RunErrorKind, message: impl Into<String>) -> Done<T> {
    Err(Box::new(Fault { kind, message: message.into(), place: None, import: None }))
}

/// An error about a missing import.
#[cold]
pub(crate) fn no_import<T>(name: &str) -> Done<T> {
    let (kind, message) = (RunErrorKind::Import, format!("there is no import {name}"));
    Err(Box::new(Fault { kind, message, place: None, import: Some(name.into()) }))
}
