//! The Rego policy language: from text to values.

#![forbid(unsafe_code)]

mod error;
mod syntax;
pub mod value;

pub use error::{CompileError, CompileErrors, Location};
pub use syntax::ast::{Dialect, Span};
pub use value::Value;
