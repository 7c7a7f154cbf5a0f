//! What is wrong with a module: how it is collected, and how it is shown.

mod json;
mod shown;
mod text;

use std::borrow::Cow;

use objchange_hcl::{Diagnostic, Severity, Span, Summary};

pub use shown::{Shown, ShownLine};

/// The kind of what a provider says; its summary is its own.
pub(crate) const PROVIDER: &str = "provider";

/// A place that Terraform prints as line 0 of a file without a name.
pub const NOWHERE: Span = Span { start: u32::MAX, end: u32::MAX };

/// Something that people must read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleDiagnostic {
    /// What it is about, in the places of all files together.
    pub diagnostic: Diagnostic,
    /// The address of the resource instance that it is about, where a provider said it.
    pub address: Option<String>,
}

/// All errors and warnings, in the order in which they were found.
#[derive(Debug, Clone, Default)]
pub struct Diagnostics {
    all: Vec<ModuleDiagnostic>,
}

impl Diagnostics {
    /// Adds an error at a place, or at none.
    pub fn error(
        &mut self,
        summary: impl Into<Summary>,
        span: impl Into<Option<Span>>,
        detail: impl Into<Cow<'static, str>>,
    ) {
        self.push(Severity::Error, Diagnostic::new(summary, span, detail));
    }

    /// Adds a warning at a place, or at none.
    pub fn warning(
        &mut self,
        summary: impl Into<Summary>,
        span: impl Into<Option<Span>>,
        detail: impl Into<Cow<'static, str>>,
    ) {
        self.push(Severity::Warning, Diagnostic::new(summary, span, detail));
    }

    /// Adds something that has no place.
    pub fn without_place(
        &mut self,
        severity: Severity,
        summary: impl Into<Summary>,
        detail: impl Into<Cow<'static, str>>,
    ) {
        self.push(severity, Diagnostic::new(summary, None, detail));
    }

    /// Adds what is about no resource instance, as an error or a warning.
    pub fn push(&mut self, severity: Severity, diagnostic: Diagnostic) {
        self.all.push(ModuleDiagnostic { diagnostic: Diagnostic { severity, ..diagnostic }, address: None });
    }

    /// Adds errors that reading or evaluating has found.
    pub fn errors(&mut self, found: impl IntoIterator<Item = Diagnostic>) {
        found.into_iter().for_each(|diagnostic| self.push(Severity::Error, diagnostic));
    }

    /// Adds something that is made elsewhere.
    pub fn add(&mut self, diagnostic: ModuleDiagnostic) {
        self.all.push(diagnostic);
    }

    /// Adds all of another collection.
    pub fn append(&mut self, other: Self) {
        self.all.extend(other.all);
    }

    /// Whether there is an error.
    pub fn has_errors(&self) -> bool {
        self.all.iter().any(|diagnostic| diagnostic.diagnostic.severity == Severity::Error)
    }

    /// How many errors there are.
    pub fn error_count(&self) -> usize {
        self.all.iter().filter(|all| all.diagnostic.severity == Severity::Error).count()
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &ModuleDiagnostic> {
        self.all.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}
