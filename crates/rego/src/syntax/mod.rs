//! Parses text to a syntax tree.

pub(crate) mod ast;
mod error;
mod lexer;
mod parser;

pub(crate) use error::SyntaxError;
pub(crate) use parser::parse;
