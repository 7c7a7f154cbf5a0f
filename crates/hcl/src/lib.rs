//! Terraform's configuration language: from text to values, with unknowns, marks, exact numbers and positions.

#![forbid(unsafe_code)]

mod function;
mod functions;

pub use function::{Function, FunctionError, Functions, Parameter};
