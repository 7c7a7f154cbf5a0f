//! Parses text to a syntax tree.

pub(crate) mod ast;
mod lexer;
mod parser;

pub(crate) use parser::parse;
