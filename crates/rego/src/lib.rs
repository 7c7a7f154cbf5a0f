//! The Rego policy language: from text to values.

#![forbid(unsafe_code)]

pub mod builtins;
pub mod value;

pub use value::Value;
