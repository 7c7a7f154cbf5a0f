//! Errors in an expression, with their positions.

use std::fmt;
use std::ops::Range;

use cel::ExecutionError;

use super::unknown::{UNKNOWN, UNKNOWN_MEMBER};

/// A problem with an expression, or why it has no value for an item. It holds nothing of the document.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueryError {
    /// The kind of the error.
    pub kind: QueryErrorKind,
    /// Where in the text of the expression, in bytes.
    pub place: Range<usize>,
    /// The problem.
    pub message: String,
    /// A suggestion.
    pub help: Option<String>,
}

/// The kind of the error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum QueryErrorKind {
    /// The text is not an expression.
    Syntax,
    /// There is no such name, field or function.
    Name,
    /// A function is not called like this.
    Argument,
    /// A value has no such key or element.
    Absent,
    /// An operation does not fit the type of a value.
    Type,
    /// The answer depends on a value that is unknown until apply.
    Unknown,
    /// It would take too many steps, or make too much.
    Limit,
}

impl QueryErrorKind {
    /// The stable name of the kind of error.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Name => "name",
            Self::Argument => "argument",
            Self::Absent => "absent",
            Self::Type => "type",
            Self::Unknown => "unknown",
            Self::Limit => "limit",
        }
    }
}

impl QueryError {
    pub(super) fn new(kind: QueryErrorKind, place: Range<usize>, message: impl Into<String>) -> Self {
        Self { kind, place, message: message.into(), help: None }
    }

    pub(super) fn help(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }

    /// The answer depends on what is unknown.
    pub(super) fn undecided(place: Range<usize>) -> Self {
        Self::new(QueryErrorKind::Unknown, place, "this depends on values that are unknown until apply")
    }

    /// Explains why an expression has no value. The evaluator's own messages may hold values, so none of their text is
    /// used.
    pub(super) fn of_evaluation(error: &ExecutionError, place: Range<usize>) -> Self {
        let mut help = None;
        let (kind, message) = match error {
            ExecutionError::NoSuchKey(_) | ExecutionError::IndexOutOfBounds(_) => {
                (QueryErrorKind::Absent, "there is nothing of this name or at this position".to_owned())
            }
            // Null has no members, and what is read of it is absent.
            ExecutionError::NoSuchOverload(overload)
                if LOOKUPS.contains(&overload.function())
                    && overload.argument_types().first().is_some_and(|name| name == "null_type") =>
            {
                (QueryErrorKind::Absent, "this is null, and has nothing in it".to_owned())
            }
            ExecutionError::NoSuchOverload(overload) => {
                let types = overload.argument_types();
                let is_in_list =
                    overload.function() == "contains" && types.first().is_some_and(|ty| ty == "list");
                help = is_in_list.then(|| "`x in list` tells whether a list has the element x".to_owned());
                (QueryErrorKind::Type, format!("{} is not for {}", spoken(overload.function()), and(types)))
            }
            // No name in CEL begins with `@`: such an error is one of ours, and its message holds no value.
            ExecutionError::FunctionError { function, message } if function.starts_with('@') => {
                let kind = match function.as_str() {
                    LIMIT => QueryErrorKind::Limit,
                    UNKNOWN | UNKNOWN_MEMBER => QueryErrorKind::Unknown,
                    _ => QueryErrorKind::Type,
                };
                (kind, message.clone())
            }
            ExecutionError::UnsupportedBinaryOperator(..) => {
                (QueryErrorKind::Type, "this operator is not for values of these types".to_owned())
            }
            ExecutionError::DivisionByZero(_) | ExecutionError::RemainderByZero(_) => {
                (QueryErrorKind::Type, "this divides by zero".to_owned())
            }
            ExecutionError::Overflow(..) => (QueryErrorKind::Type, "the number is too large".to_owned()),
            ExecutionError::DuplicateKey(_) => (QueryErrorKind::Type, "two keys are the same".to_owned()),
            ExecutionError::InvalidArgumentCount { .. } => {
                (QueryErrorKind::Type, "the number of arguments is another one".to_owned())
            }
            // The function's own words about its argument may hold a value.
            ExecutionError::FunctionError { function, .. } => {
                let wanted = match function.as_str() {
                    "timestamp" => "this is no time such as 2026-01-31T12:00:00Z",
                    "duration" => "this is no duration such as 1h30m",
                    "int" | "uint" | "double" => "this is no number",
                    _ => "this is not for such a value",
                };
                (QueryErrorKind::Type, wanted.to_owned())
            }
            _ => (QueryErrorKind::Type, "this is not for a value of this type".to_owned()),
        };
        Self::new(kind, place, message).help(help)
    }
}

/// The function name in the evaluator's error for an exhausted budget.
const LIMIT: &str = "@limit";

/// The error of an evaluation that takes too much.
pub(super) fn limit(message: &str) -> ExecutionError {
    ExecutionError::function_error(LIMIT, message)
}

/// An error of one of our functions, whose message holds no value.
pub(super) fn refused(message: &str) -> ExecutionError {
    ExecutionError::function_error("@", message)
}

/// The operators that look into a value.
const LOOKUPS: [&str; 4] = ["_[_]", "_[?_]", "_._", "_?._"];

/// An operator or function as it is written in an expression.
fn spoken(function: &str) -> String {
    let written = match function {
        "_[_]" | "_[?_]" => "[…]",
        "_._" | "_?._" => "a field",
        "@contained" => "in",
        "_?_:_" => "? :",
        other => other.trim_matches(['_', '@']),
    };
    if written == "a field" { written.to_owned() } else { format!("`{written}`") }
}

fn and(types: &[String]) -> String {
    let names: Vec<&str> = types.iter().map(|name| if name == "null_type" { "null" } else { name }).collect();
    match &names[..] {
        [] => "nothing".to_owned(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.message)?;
        match &self.help {
            Some(help) => write!(f, "; {help}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for QueryError {}
