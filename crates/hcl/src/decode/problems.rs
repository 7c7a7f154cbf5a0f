//! Errors in the files of a module.

use std::borrow::Cow;

use crate::edition::Edition;
use objchange_text::{Diagnostic, Span, Summary};

/// A problem with the files of a module.
#[derive(Debug, Clone, Default)]
pub struct Problems {
    /// There is no plan.
    pub errors: Vec<Diagnostic>,
    /// People should read them.
    pub warnings: Vec<Diagnostic>,
    /// The version of the language that names are looked up in.
    pub(crate) edition: Edition,
}

impl Problems {
    pub(crate) fn error(
        &mut self,
        summary: impl Into<Summary>,
        place: Span,
        detail: impl Into<Cow<'static, str>>,
    ) {
        self.errors.push(Diagnostic::new(summary, place, detail));
    }

    pub(crate) fn warning(
        &mut self,
        summary: impl Into<Summary>,
        place: Span,
        detail: impl Into<Cow<'static, str>>,
    ) {
        self.warnings.push(Diagnostic::new(summary, place, detail));
    }
}
