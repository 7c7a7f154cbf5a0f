//! The Rego policy language.
#![forbid(unsafe_code)]

mod error;
mod syntax;

pub use error::{CompileError, CompileErrors, Location};
pub use syntax::ast::{Dialect, Span};
