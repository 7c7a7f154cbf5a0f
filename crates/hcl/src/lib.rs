//! Terraform's configuration language: from text to values, with unknowns, marks, exact numbers and positions.

#![forbid(unsafe_code)]

mod decode;
mod diagnostic;
mod eval;
mod function;
mod functions;
mod source;
mod syntax;

mod walk;

pub use decode::{Purpose, decode, references};
pub use diagnostic::Diagnostic;
pub use eval::{Scope, Variables, evaluate, evaluate_template};
pub use function::{Function, FunctionError, Functions, Parameter, Reach};
pub use source::{Lines, Position, Span};
pub use syntax::{Attribute, Block, Body, Expr, Label, parse_body, parse_expression, parse_template};
pub use walk::{Reference, variables};
