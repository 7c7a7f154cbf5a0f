//! Ignored paths that lead to nothing, and may be misspelt.

use super::address_map::Maps;
use super::error::{CompareError, ComparedPlan};
use super::steps::{Group, PlanStep};
use crate::canonical::{CanonicalWriter, Secrets};
use crate::ignore::{IgnoredPath, IgnoredPaths};
use objchange_document::ChangeSet;
use objchange_document::Schemas;

/// The paths of these that lead to nothing in a plan: in no value, identity or action that it lists, on either side. They may be
/// misspelt.
///
/// ```
/// use objchange_document::{Plan, Schemas};
/// use objchange_plan::IgnoredPath;
/// use objchange_plan::compare::unmatched_paths;
///
/// let plan = Plan::parse(
///     r#"{"format_version":"1.2","output_changes":{"url":{"actions":["create"],"before":null,"after":"x"}}}"#,
/// )?;
/// let paths: [IgnoredPath; 2] = ["output.url".parse()?, "output.uri".parse()?];
/// assert_eq!(unmatched_paths(&plan.changes, &Schemas::none(), &paths)?, paths[1..]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// A change, or the schema of its type, cannot be read.
pub fn unmatched_paths(
    changes: &ChangeSet<'_>,
    schemas: &Schemas,
    paths: &[IgnoredPath],
) -> Result<Vec<IgnoredPath>, CompareError> {
    let (ignored, maps) = (IgnoredPaths::new(paths), Maps::new(&[]));
    let mut writer = CanonicalWriter::new(Secrets::Included, &ignored);
    let listed = changes.resources.iter().chain(&changes.drift).map(|resource| (resource, false));
    let deferred = changes.deferred.iter().map(|deferred| (&deferred.resource, true));
    let resources = listed.chain(deferred);
    let steps = resources
        .filter_map(|(resource, deferred)| PlanStep::resource(resource, Group::Resource, deferred, &maps))
        .chain(changes.outputs.iter().map(PlanStep::output))
        .chain(changes.all_invocations().map(|invocation| PlanStep::invocation(invocation, false, &maps)));
    for step in steps {
        // Most paths are found soon, and plans are large.
        if ignored.unmatched().next().is_none() {
            break;
        }
        step.import(&mut writer);
        if let Some(identities) = step.identities(changes, ComparedPlan::A)? {
            identities.canonical(&mut writer);
        }
        let values = step.read(changes, schemas, ComparedPlan::A)?;
        values.before(&mut writer);
        values.after(&mut writer);
    }
    Ok(ignored.unmatched().cloned().collect())
}
