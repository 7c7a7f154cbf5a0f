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
        let triggering = match ignored.is_empty() {
            true => HashSet::new(),
            false => triggering_resources(changes).collect(),
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
        let is_update = updates_values_alone(resource) && !self.triggering.contains(&*resource.address);
        if self.ignored.is_empty() || !is_update {
            return Ok(false);
        }
        let values = &resource.change.values;
        let sides = Sides::read(self.document, values, || format!("{}: change", resource.address))?;
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

/// The addresses of the resources whose changes invoke actions: these happen whatever is ignored.
pub fn triggering_resources<'c>(changes: &'c ChangeSet<'_>) -> impl Iterator<Item = &'c str> {
    let triggers = changes.all_invocations().filter_map(|invocation| invocation.trigger.as_ref());
    triggers.map(|trigger| &*trigger.resource_address)
}

/// Whether all that a plan does to a resource is to update values: it is neither moved nor imported, and keeps its identity.
pub fn updates_values_alone(resource: &ChangedResource<'_>) -> bool {
    let change = &resource.change;
    change.actions == ResourceActions::Update
        && !change.changes_identity
        && change.importing.is_none()
        && resource.previous_address.as_ref().is_none_or(|previous| *previous == resource.address)
}

/// The resource or output that the steps of a path start from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathRoot<'a> {
    /// The resource instance with this address.
    Resource(&'a str),
    /// The output with this name, whose paths begin with `output`.
    Output(&'a str),
}

/// The answer of [`differ_only_at`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DifferOnlyAt {
    /// Whether the sides differ, and at these paths alone.
    pub is_only: bool,
    /// For each path whether either side has it.
    pub are_found: Vec<bool>,
}

/// Whether two sides differ, and at these paths alone: a value is another one, becomes unknown, or gets another mark. Paths mean
/// what they mean where values are ignored: [`IgnoredPath`].
///
/// ```
/// use objchange_document::json::Json;
/// use objchange_plan::{PathRoot, Sides, differ_only_at};
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
/// let of = |path: &str| Ok::<_, objchange_plan::IgnoredPathError>(differ_only_at(&[path.parse()?], &sides, PathRoot::Resource("disk.a")));
/// assert!(of("tags")?.is_only && of("disk.*:tags.a")?.is_only);
/// assert!(!of("tags.b")?.is_only && !of("net.*:tags")?.is_only);
/// assert_eq!(of("tags.b")?.are_found, [false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn differ_only_at(paths: &[IgnoredPath], sides: &Sides<'_>, of: PathRoot<'_>) -> DifferOnlyAt {
    let ignored = IgnoredPaths::new(paths);
    let is_only = match of {
        PathRoot::Resource(address) => {
            differ_only_there(&ignored, sides, SchemaPart::Unknown, &[address], &[])
        }
        PathRoot::Output(name) => {
            differ_only_there(&ignored, sides, SchemaPart::Unknown, &[], &["output", name])
        }
    };
    DifferOnlyAt { is_only, are_found: ignored.are_found() }
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
