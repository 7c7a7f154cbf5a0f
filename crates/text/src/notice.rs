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
    /// Additional information about the answer.
    Note(String),
    /// A part that the answer does not show, or for which it is not reliable.
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

/// An answer with its notices. An error has them, too, because a warning often explains it.
///
/// ```
/// use objchange_text::{Notice, Noted};
///
/// let mut notices = vec![Notice::Note("the cached schemas of aws 5.1.0 are used".into())];
/// let noted = Noted { answer: 1, notices: vec![Notice::Warning("no variable is called nmae".into())] };
/// assert_eq!(noted.note_in(&mut notices), 1);
/// assert_eq!(notices.len(), 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[must_use]
pub struct Noted<T> {
    /// The answer.
    pub answer: T,
    /// The notices, in the order of their appearance.
    pub notices: Vec<Notice>,
}

impl<T> Noted<T> {
    /// The answer of work that adds notices to a list.
    pub fn by(work: impl FnOnce(&mut Vec<Notice>) -> T) -> Self {
        let mut notices = Vec::new();
        let answer = work(&mut notices);
        Self { answer, notices }
    }

    /// Appends the notices to a list, and returns the answer.
    pub fn note_in(self, notices: &mut Vec<Notice>) -> T {
        notices.extend(self.notices);
        self.answer
    }
}
