//! The action on a value, and how actions of parts combine.

use serde::{Deserialize, Serialize};

/// The action on one part of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DiffAction {
    /// Nothing.
    NoOp,
    /// It comes into being.
    Create,
    /// It goes away.
    Delete,
    /// It, or something in it, changes.
    Update,
}

impl DiffAction {
    /// The action of a whole after one more of its parts: unchanged parts do not count, and parts that differ
    /// from the whole make it an update.
    #[must_use]
    pub(crate) fn and_part(self, part: DiffAction) -> DiffAction {
        if part == DiffAction::NoOp || part == self { self } else { DiffAction::Update }
    }
}
