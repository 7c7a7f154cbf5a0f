//! How bad a finding is.

/// Whether a text or a document can be used in spite of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// Usable, but probably not as its author wants it.
    Warning,
    /// It cannot be used.
    Error,
}

impl Severity {
    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}
