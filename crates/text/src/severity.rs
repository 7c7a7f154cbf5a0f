//! The severity of a problem in a text.

/// The severity of a problem in a text or a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// It can be used, but probably does not do what its author wants.
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
