//! Errors in policies, and errors of their evaluation.

use std::fmt;

/// A position in a policy file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The name of the file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The code of the error of a policy that calls a built-in which needs the network, where policies may not use it.
pub const NEEDS_NETWORK: &str = "needs_network";

/// A problem with a policy.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompileError {
    /// OPA's name for errors of this kind, such as `rego_parse_error`; or [`NEEDS_NETWORK`], which OPA does not have.
    pub code: &'static str,
    /// Its place.
    pub location: Option<Location>,
    /// The message.
    pub message: String,
}

impl fmt::Display for CompileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.location {
            Some(location) => write!(f, "{location}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// All errors that were found in policies: at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompileErrors(pub Vec<CompileError>);

impl fmt::Display for CompileErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            error.fmt(f)?;
        }
        Ok(())
    }
}

impl std::error::Error for CompileErrors {}

/// Why the evaluation of a rule ended.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct EvalError {
    /// The limit that was reached, if it is one: no other rule is evaluated, either.
    pub limit: Option<Limit>,
    /// Its place.
    pub location: Option<Location>,
    /// The error message. It may hold values of the input.
    pub message: String,
    /// The unknown values that decide whether the rule fails; `None` if it fails in any case.
    pub doubt: Option<crate::Unknown>,
}

impl fmt::Display for EvalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.location {
            Some(location) => write!(f, "{location}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for EvalError {}

/// The maximum number of values that one value consists of; a plan of a gigabyte has that many.
/// [`TEXT_OF_PART`](crate::TEXT_OF_PART) bytes of a text count as one.
// Parts may be shared, so the memory limit does not catch them: 25 doublings make a value of 2^25 parts, and
// putting 10,000 such values in order takes hours.
pub const MAX_PARTS: u64 = 1 << 26;

/// The maximum size in bytes of a text that is made of others.
// The memory limit alone comes too late: a text that `sprintf` or `yaml.marshal` doubled until the limit was
// reached took 4.2 GB.
pub const MAX_TEXT: usize = 64 << 20;

/// The maximum number of elements of one array, set or object.
// Doubling an array with `array.concat` took 3.1 GB before collections had a limit.
pub const MAX_ITEMS: usize = 1 << 24;

/// A limit of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    /// It takes longer than is allowed.
    Time,
    /// The values that are made take too much memory.
    Memory,
    /// A single value is larger than [`MAX_PARTS`], [`MAX_ITEMS`] or [`MAX_TEXT`] allows.
    Size,
    /// Rules and functions lead to each other more deeply than the stack has room for.
    Depth,
}

impl Limit {
    /// A name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Time => "time_limit",
            Self::Memory => "memory_limit",
            Self::Size => "size_limit",
            Self::Depth => "depth_limit",
        }
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Time => f.write_str("evaluation took longer than the time limit"),
            Self::Memory => f.write_str("evaluation takes more memory than is allowed"),
            Self::Size => write!(
                f,
                "a value has more than {MAX_ITEMS} elements, more than {MAX_PARTS} values within it, those that \
                 are there several times counted each time, or is made of texts of more than {} MiB",
                MAX_TEXT >> 20
            ),
            Self::Depth => f.write_str("rules and functions lead to each other too deeply"),
        }
    }
}
