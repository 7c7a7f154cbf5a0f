//! How much is known about a part of a value.

use super::Marked;

/// The answer about a path: the value there, as far as it is known before apply.
#[derive(Debug, Clone, Copy)]
pub enum Answer<'v, 't> {
    /// It is there; parts of it may be unknown.
    Known(Marked<'v, 't>),
    /// It is unknown until apply.
    Unknown {
        /// It is sensitive, too.
        sensitive: bool,
    },
    /// There is nothing, now and after apply.
    Absent,
}

impl<'v, 't> Answer<'v, 't> {
    /// The value there.
    pub fn known(self) -> Option<Marked<'v, 't>> {
        match self {
            Self::Known(marked) => Some(marked),
            Self::Unknown { .. } | Self::Absent => None,
        }
    }

    /// Whether it is unknown until apply.
    pub fn is_unknown(self) -> bool {
        matches!(self, Self::Unknown { .. })
    }

    /// Whether there is nothing.
    pub fn is_absent(self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Whether it must not be shown.
    pub fn is_sensitive(self) -> bool {
        match self {
            Self::Known(marked) => marked.is_sensitive(),
            Self::Unknown { sensitive } => sensitive,
            Self::Absent => false,
        }
    }
}
