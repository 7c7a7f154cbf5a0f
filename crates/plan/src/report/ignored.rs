//! Changes that are folded because they are at ignored paths.

use serde::Serialize;

use super::{Entries, ResourceHeader};
use crate::text::Text;

/// Changes that are left out of a report and its counts, because they are at ignored paths alone.
#[derive(Debug, Serialize)]
pub struct IgnoredChanges<'p> {
    /// The paths, as they were given.
    pub paths: Vec<String>,
    /// Updates of these paths alone.
    pub updates: Entries<'p, ResourceHeader<'p>>,
    /// Changes outside of Terraform of these paths alone.
    pub drift: Entries<'p, ResourceHeader<'p>>,
    /// The names of outputs that are updated there alone.
    pub outputs: Vec<Text<'p>>,
}

impl IgnoredChanges<'_> {
    /// Whether nothing has been left out.
    pub fn is_empty(&self) -> bool {
        self.updates.is_empty() && self.drift.is_empty() && self.outputs.is_empty()
    }

    /// The numbers of what has been left out: `3 updates of ignored paths only`.
    pub fn counts(&self) -> String {
        let parts = [
            (self.updates.len(), "update"),
            (self.outputs.len(), "output"),
            (self.drift.len(), "change outside"),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, thing)| match thing {
                "change outside" if count > 1 => format!("{count} changes outside"),
                thing => objchange_text::counted(count, thing),
            })
            .collect();
        format!("{} of ignored paths only", parts.join(", "))
    }
}
