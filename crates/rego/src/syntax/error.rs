//! Errors of syntax.

use super::ast::Span;

/// A part of a file that cannot be read.
#[derive(Debug, Clone)]
pub(crate) struct SyntaxError {
    pub(crate) span: Span,
    pub(crate) message: String,
}

impl SyntaxError {
    pub(crate) fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into() }
    }
}
