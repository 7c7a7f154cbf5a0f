//! Changes that are folded because they are at ignored paths.

use objchange::schema::Block;
use serde::Serialize;

use super::{Entries, ResourceHeader, ShowError};
use crate::canonical::{CanonicalWriter, SchemaPart, Secrets, Side};
use crate::changes::{ChangeSet, ChangeValues};
use crate::document::Schemas;
use crate::ignore::{IgnoredPath, IgnoredPaths};
use crate::text::Text;
use crate::walk::Sides;

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

/// The paths of these that lead to nothing in a plan, on either side of any change. They may be misspelt.
///
/// # Errors
///
/// A change, or the schema of its type, cannot be read.
///
/// ```
/// use objchange_plan::{Plan, Schemas, unmatched_paths};
///
/// let plan = Plan::parse(
///     r#"{"format_version":"1.2","output_changes":{"url":{"actions":["create"],"before":null,"after":"x"}}}"#,
/// )?;
/// let paths = ["output.url".parse()?, "output.uri".parse()?];
/// assert_eq!(unmatched_paths(&plan.changes, &Schemas::none(), &paths)?, paths[1..]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn unmatched_paths(
    changes: &ChangeSet<'_>,
    schemas: &Schemas,
    paths: &[IgnoredPath],
) -> Result<Vec<IgnoredPath>, ShowError> {
    let ignored = IgnoredPaths::new(paths);
    let document = changes.document.0;
    let look = |values: &ChangeValues<'_>, schema: Option<&Block>, addresses: &[&str], prefix: &[&str]| {
        let sides = Sides::read(document, values, || addresses.iter().chain(prefix).copied().collect())?;
        let mut writer = CanonicalWriter::new(Secrets::Included, &ignored);
        for side in [Side::before(&sides), Side::after(&sides)] {
            writer.side(side, SchemaPart::of_block(schema), addresses, prefix);
        }
        Ok::<_, ShowError>(ignored.unmatched().next().is_none())
    };
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let deferred = changes.deferred.iter().map(|deferred| &deferred.resource);
    for resource in changes.resources.iter().chain(&changes.drift).chain(deferred) {
        let schema = schemas.of_change(resource)?;
        if look(&resource.change.values, schema, &[&resource.address], &[])? {
            return Ok(Vec::new());
        }
    }
    for output in &changes.outputs {
        if look(&output.change.values, None, &[], &["output", &output.name])? {
            return Ok(Vec::new());
        }
    }
    Ok(ignored.unmatched().cloned().collect())
}
