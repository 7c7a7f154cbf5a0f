//! The Rego policy language: from text to values.
//!
//! ```text
//! text ── Program::compile ──▶ program ── Program::run, with an input ──▶ values of rules, prints, warnings
//! ```
//!
//! ```
//! use objchange_rego::{Program, Setup, SourceFile, Value};
//!
//! let text = "package ports\n\nlow contains p if {\n\tsome p in input\n\tp < 1024\n}\n";
//! let file = SourceFile { name: "ports.rego".to_owned(), text: text.to_owned() };
//! let program = Program::compile(&[file], &Default::default())?;
//! let rule = program.rules().next().unwrap().id;
//!
//! let setup = Setup { input: Some(Value::from_json("[80, 8080, 22]").unwrap()), ..Setup::default() };
//! let (value, _) = program.run(setup, |session| session.rule(rule)).unwrap();
//! assert_eq!(value.unwrap().to_string(), "{22, 80}");
//! # Ok::<(), objchange_rego::CompileErrors>(())
//! ```
//!
//! # Unknown values
//!
//! A part of the input may be [`Unknown`]. A certain result of a rule then holds for all values of all
//! types in its place; every other result comes with the unknown values that it depends on.
//!
//! # Scope of this crate
//!
//! The language of OPA 1.x, with its older syntax for files that need it, and OPA's built-ins except those
//! that need a running OPA. The crate uses no file, no environment, no network and no clock: the host sets
//! the time, and provides the [`Network`] that policies may use.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod builtins;
mod compile;
mod config_files;
mod error;
mod format;
mod network;
mod program;
mod run;
mod syntax;
pub mod value;

pub use builtins::{YamlError, from_yaml};
pub use compile::{CompileOptions, DeclaredRule, NetworkAccess, SourceFile};
pub use config_files::{ConfigFileError, ConfigFiles};
pub use error::{
    CompileError, CompileErrors, EvalError, Limit, Location, MAX_ITEMS, MAX_PARTS, MAX_TEXT, NEEDS_NETWORK,
};
pub use format::{Format, InputFormat, MissingField, MissingPart, ObjectFormat};
pub use network::{HttpRequest, HttpResponse, Network, NetworkError};
pub use program::{
    InputReference, Pass, PassValue, Program, RuleId, RuleInfo, Session, Setup, Warning, declared_rules,
    unused_imports,
};
pub use run::{Limits, RuleResults};
pub use syntax::ast::{Dialect, Span};
pub use value::{TEXT_OF_PART, Unknown, Value};

/// Values and rules may nest deeper than the stack of most threads has room for.
// The tests call 8,000 functions, each by the one before. The system provides the pages of a stack only when
// they are first used, so small policies do not pay for this size.
pub(crate) const STACK: usize = 256 << 20;
