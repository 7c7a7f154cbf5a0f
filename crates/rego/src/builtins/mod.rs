//! The built-in functions: one table of names, operand types and functions.

mod aggregates;
mod arguments;
mod arrays;
mod config;
mod context;
mod crypto;
mod encoding;
mod format;
mod globs;
mod graph;
mod http;
mod json_patch;
mod json_paths;
mod jwt;
mod net;
mod numbers;
mod objects;
mod regexes;
mod schema;
mod semver;
mod sets;
mod strings;
mod time;
mod types;
mod units;
mod unsupported;
mod uri;
mod uuid;
mod yaml;

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

pub use context::Context;
pub(crate) use json_paths::steps as steps_of_path;
pub use yaml::{YamlError, from_yaml};

use crate::Limit;
pub use crate::value::Types;
use crate::value::{ArithmeticError, Value};

/// The outcome of a call: no value means that the call is undefined.
pub type Outcome = Result<Option<Value>, BuiltinError>;

type Function = fn(&mut Context<'_>, &[Value]) -> Outcome;

/// A built-in function.
pub struct Builtin {
    /// Its name, such as `array.concat`. Operators have names, too: `a + b` is `plus(a, b)`.
    pub name: &'static str,
    /// The types that each operand may have.
    pub operands: &'static [Types],
    action: Action,
    reads_partly_known: bool,
    /// It needs the network of the host.
    pub(crate) needs_network: bool,
    /// It reads a file beside the policy that calls it.
    pub(crate) reads_files: bool,
}

enum Action {
    Call(Function),
    Unsupported(&'static str),
}

/// Why a call failed. Its name is not part of the message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
#[non_exhaustive]
pub struct BuiltinError {
    /// The kind of failure.
    pub kind: BuiltinErrorKind,
    /// The error, in OPA's words where OPA has some.
    pub message: String,
}

/// The kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum BuiltinErrorKind {
    /// An operand has the wrong type.
    Type,
    /// The function failed. The expression is undefined, unless errors of built-ins are strict.
    Failed,
    /// The call asks for more than the function may do. The evaluation ends.
    Refused,
    /// The evaluation has reached a limit, and ends.
    Limit(Limit),
}

impl BuiltinErrorKind {
    /// Whether the evaluation ends with it.
    pub(crate) fn ends(self) -> bool {
        matches!(self, Self::Refused | Self::Limit(_))
    }
}

impl BuiltinError {
    pub(crate) fn wrong_type(message: impl Into<String>) -> Self {
        Self { kind: BuiltinErrorKind::Type, message: message.into() }
    }

    pub(crate) fn failed(message: impl Into<String>) -> Self {
        Self { kind: BuiltinErrorKind::Failed, message: message.into() }
    }

    pub(crate) fn refused(message: impl Into<String>) -> Self {
        Self { kind: BuiltinErrorKind::Refused, message: message.into() }
    }

    pub(crate) fn limit(limit: Limit) -> Self {
        Self { kind: BuiltinErrorKind::Limit(limit), message: limit.to_string() }
    }
}

impl From<ArithmeticError> for BuiltinError {
    fn from(error: ArithmeticError) -> Self {
        Self::failed(error.to_string())
    }
}

impl fmt::Debug for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.signature())
    }
}

impl Builtin {
    const fn new(name: &'static str, operands: &'static [Types], function: Function) -> Self {
        Self {
            name,
            operands,
            action: Action::Call(function),
            reads_partly_known: false,
            needs_network: false,
            reads_files: false,
        }
    }

    const fn reading_files(name: &'static str, operands: &'static [Types], function: Function) -> Self {
        Self { reads_files: true, ..Self::new(name, operands, function) }
    }

    const fn networked(name: &'static str, operands: &'static [Types], function: Function) -> Self {
        Self { needs_network: true, ..Self::new(name, operands, function) }
    }

    const fn unsupported(name: &'static str, operands: &'static [Types], why: &'static str) -> Self {
        Self {
            name,
            operands,
            action: Action::Unsupported(why),
            reads_partly_known: false,
            needs_network: false,
            reads_files: false,
        }
    }

    /// Marks the function as one whose result holds for all values of the unknown parts inside its
    /// operands.
    const fn with_partly_known(self) -> Self {
        Self { reads_partly_known: true, ..self }
    }

    /// How many operands it has.
    pub fn arity(&self) -> usize {
        self.operands.len()
    }

    /// Why policies that call it are refused, if they are.
    pub fn unsupported_because(&self) -> Option<&'static str> {
        match self.action {
            Action::Unsupported(why) => Some(why),
            Action::Call(_) => None,
        }
    }

    /// Whether its result is right for operands that contain unknown values, as long as none of them is unknown as a
    /// whole. The result of all others is unknown then.
    pub fn reads_partly_known(&self) -> bool {
        self.reads_partly_known
    }

    /// Its name and the types of its operands, such as `array.slice(array, number, number)`.
    pub fn signature(&self) -> String {
        let operands: Vec<_> = self.operands.iter().map(ToString::to_string).collect();
        format!("{}({})", self.name, operands.join(", "))
    }

    /// Calls it.
    ///
    /// # Errors
    ///
    /// An operand has the wrong type, the function fails, or a limit is reached.
    pub fn call(&self, context: &mut Context<'_>, operands: &[Value]) -> Outcome {
        let Action::Call(function) = self.action else {
            return Err(BuiltinError::failed("is not supported"));
        };
        // Even a call that makes nothing counts, so that loops of them reach the time limit.
        context.charge(1)?;
        // One call may look at all parts of its operands.
        if operands.iter().any(|operand| operand.parts() > LARGE) {
            context.look()?;
        }
        if operands.len() != self.operands.len() {
            let want = self.operands.len();
            return Err(BuiltinError::wrong_type(format!("has {want} operands but got {}", operands.len())));
        }
        for (i, (types, operand)) in self.operands.iter().zip(operands).enumerate() {
            if !types.may_be(operand) {
                return Err(arguments::type_mismatch(i, *types, operand));
            }
        }
        function(context, operands)
    }
}

/// Operands larger than this are checked against the clock before a call.
// Looking at the clock for each small call would cost more than most calls.
const LARGE: u64 = 1 << 12;

static TABLE: LazyLock<HashMap<&'static str, &'static Builtin>> = LazyLock::new(|| {
    let families = [
        aggregates::FAMILY,
        arrays::FAMILY,
        config::FAMILY,
        crypto::FAMILY,
        encoding::FAMILY,
        format::FAMILY,
        globs::FAMILY,
        graph::FAMILY,
        http::FAMILY,
        json_paths::FAMILY,
        json_patch::FAMILY,
        jwt::FAMILY,
        net::FAMILY,
        numbers::FAMILY,
        objects::FAMILY,
        regexes::FAMILY,
        schema::FAMILY,
        semver::FAMILY,
        sets::FAMILY,
        strings::FAMILY,
        time::FAMILY,
        types::FAMILY,
        units::FAMILY,
        unsupported::FAMILY,
        uri::FAMILY,
        uuid::FAMILY,
        yaml::FAMILY,
    ];
    families.into_iter().flatten().map(|builtin| (builtin.name, builtin)).collect()
});

/// The built-in function of this name.
pub fn lookup(name: &str) -> Option<&'static Builtin> {
    TABLE.get(name).copied()
}

/// The names of all built-in functions, for suggestions; in no order.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLE.keys().copied()
}
