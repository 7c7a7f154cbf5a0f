//! Updates of ignored paths alone: reports, gates, comparisons and hashes treat them as no change.

use hashbrown::HashSet;
use objchange::schema::Block;

use crate::canonical::{CanonicalWriter, SchemaPart, Secrets, Side};
use crate::ignore::{IgnoredPath, IgnoredPaths};
use crate::walk::Sides;
use objchange_document::ChangeSet;
use objchange_document::DocumentError;
use objchange_document::changes::{ChangedResource, OutputChange, ResourceActions};

/// Finds the updates of a plan that change nothing but values at ignored paths.
pub(crate) struct IgnoredUpdates<'c> {
    document: &'c str,
    ignored: &'c IgnoredPaths,
    /// The resources whose changes trigger actions: these happen whatever is ignored.
    triggering: HashSet<&'c str>,
}

impl<'c> IgnoredUpdates<'c> {
    pub(crate) fn new(changes: &'c ChangeSet<'_>, ignored: &'c IgnoredPaths) -> Self {
        let triggers = changes.all_invocations().filter_map(|invocation| invocation.trigger.as_ref());
        let triggering = match ignored.is_empty() {
            true => HashSet::new(),
            false => triggers.map(|trigger| &*trigger.resource_address).collect(),
        };
        Self { document: changes.document.0, ignored, triggering }
    }

    /// Whether nothing is ignored.
    pub(crate) fn is_none(&self) -> bool {
        self.ignored.is_empty()
    }

    /// Whether all that a change does is to update values at ignored paths. Moved and imported objects are not ignored, and
    /// neither is an update that shows no difference at all: its cause is not at any path.
    pub(crate) fn has_resource(
        &self,
        resource: &ChangedResource<'_>,
        schema: Option<&Block>,
        addresses: &[&str],
    ) -> Result<bool, DocumentError> {
        let change = &resource.change;
        let is_update = change.actions == ResourceActions::Update
            && !change.changes_identity
            && change.importing.is_none()
            && resource.previous_address.as_ref().is_none_or(|previous| *previous == resource.address);
        if self.ignored.is_empty() || !is_update || self.triggering.contains(&*resource.address) {
            return Ok(false);
        }
        let sides = Sides::read(self.document, &change.values, || format!("{}: change", resource.address))?;
        Ok(self.differ_only_there(&sides, SchemaPart::of_block(schema), addresses, &[]))
    }

    /// Whether all that happens to an output is an update of ignored paths.
    pub(crate) fn has_output(&self, output: &OutputChange<'_>) -> Result<bool, DocumentError> {
        if self.ignored.is_empty() || output.change.actions != ResourceActions::Update {
            return Ok(false);
        }
        let name = &output.name;
        let sides = Sides::read(self.document, &output.change.values, || format!("output_changes.{name}"))?;
        Ok(self.differ_only_there(&sides, SchemaPart::Unknown, &[], &["output", name]))
    }

    fn differ_only_there(
        &self,
        sides: &Sides<'_>,
        schema: SchemaPart<'_>,
        addresses: &[&str],
        prefix: &[&str],
    ) -> bool {
        differ_only_there(self.ignored, sides, schema, addresses, prefix)
    }
}

/// Whether two sides differ, and at these paths alone: a value is another one, becomes unknown, or gets another mark.
///
/// ```
/// use objchange_document::json::Json;
/// use objchange_plan::{Sides, differ_only_at};
///
/// let json = |text: &'static str| Json::parse(text);
/// let sides = Sides {
///     before: json(r#"{"size":1,"tags":{"a":"1"}}"#)?,
///     after: json(r#"{"size":1,"tags":{"a":"2"}}"#)?,
///     unknown: json("{}")?,
///     before_sensitive: json("false")?,
///     after_sensitive: json("false")?,
///     replace: json("null")?,
/// };
/// assert!(differ_only_at(&["tags".parse()?], &sides));
/// assert!(!differ_only_at(&["tags.b".parse()?], &sides));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn differ_only_at(paths: &[IgnoredPath], sides: &Sides<'_>) -> bool {
    differ_only_there(&IgnoredPaths::new(paths), sides, SchemaPart::Unknown, &[], &[])
}

fn differ_only_there(
    ignored: &IgnoredPaths,
    sides: &Sides<'_>,
    schema: SchemaPart<'_>,
    addresses: &[&str],
    prefix: &[&str],
) -> bool {
    let nothing = IgnoredPaths::new(&[]);
    let is_same = |ignored| {
        let mut writer = CanonicalWriter::new(Secrets::Included, ignored);
        let [before, after] = [Side::before(sides), Side::after(sides)]
            .map(|side| writer.side(side, schema, addresses, prefix));
        before.bytes() == after.bytes()
    };
    is_same(ignored) && !is_same(&nothing)
}
