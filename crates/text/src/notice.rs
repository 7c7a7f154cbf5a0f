//! Notes and warnings that accompany a result.

use std::fmt;

/// A note or a warning that accompanies a result. A library returns it; the program prints it.
///
/// ```
/// use objchange_text::Notice;
///
/// let notice = Notice::Warning("line 1 is no part of the document".into());
/// assert_eq!(notice.to_string(), "line 1 is no part of the document");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// More that there is to know about the answer.
    Note(String),
    /// The answer does not show something, or cannot be relied on for it.
    Warning(String),
    /// A failure, although the work continues.
    Error(String),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Note(message) | Self::Warning(message) | Self::Error(message) => f.write_str(message),
        }
    }
}
