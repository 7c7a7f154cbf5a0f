//! How bad a finding is.

/// Whether a text or a document can be used in spite of what is reported about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Severity {
    /// It can be used, but is probably not what its author wants.
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
