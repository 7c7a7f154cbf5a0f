//! A change of a plan, read and made ready for the differ.

use hashbrown::HashMap;
use objchange::schema::Block;

use crate::change::{Change, PathList, Paths, Unknown};
use crate::diff::Diff;
use crate::differ;
use crate::document::{ChangedResource, DocumentError, Plan, ResourceActions, ValueChange};
use crate::json::{Json, JsonError, Raw, closed};

/// The relevant attributes of a plan, by the resource that they are of.
pub(super) struct Relevant<'p, 't> {
    of: HashMap<&'p str, PathList<'p, 't>>,
}

impl<'p, 't> Relevant<'p, 't> {
    pub(super) fn new(plan: &'p Plan<'t>) -> Self {
        let mut of: HashMap<&str, Vec<&[Json<'t>]>> = HashMap::new();
        for attribute in &plan.relevant_attributes {
            of.entry(&attribute.resource).or_default().push(attribute.path.elements());
        }
        Self { of: of.into_iter().map(|(resource, paths)| (resource, paths.into_iter().collect())).collect() }
    }

    /// Those of a resource, among them those that name none.
    pub(super) fn of(&self, address: &str) -> Paths<'_, 't> {
        let nameless = Some("").filter(|nameless| *nameless != address);
        Paths::subtrees(nameless.into_iter().chain([address]).filter_map(|name| self.of.get(name)))
    }
}

/// The two sides of a change and their marks, read.
pub(super) struct Sides<'t> {
    before: Json<'t>,
    after: Json<'t>,
    unknown: Json<'t>,
    before_sensitive: Json<'t>,
    after_sensitive: Json<'t>,
    replace: Json<'t>,
}

impl<'t> Sides<'t> {
    pub(super) fn read(
        document: &str,
        change: &ValueChange<'t>,
        location: impl Fn() -> String,
    ) -> Result<Self, DocumentError> {
        let placed = |value: Result<Json<'t>, JsonError>, part: &str| {
            value.map_err(|error| {
                DocumentError::from_json(&error, document, &format!("{}.{part}", location()))
            })
        };
        let read = |raw: &Raw<'t>, part: &str| placed(raw.read(), part);
        let (before, after) = Raw::read_sides(&change.before, &change.after);
        let (before, after) = (placed(before, "before")?, placed(after, "after")?);
        Ok(Self {
            before_sensitive: closed(read(&change.before_sensitive, "before_sensitive")?, &before),
            after_sensitive: closed(read(&change.after_sensitive, "after_sensitive")?, &after),
            before,
            after,
            unknown: read(&change.after_unknown, "after_unknown")?,
            replace: read(&change.replace_paths, "replace_paths")?,
        })
    }

    /// The paths that force the replacement.
    pub(super) fn replaced(&self) -> PathList<'_, 't> {
        self.replace.elements().iter().map(Json::elements).collect()
    }

    pub(super) fn change<'v>(&'v self, replaced: &'v PathList<'_, 't>) -> Change<'v, 't> {
        Change {
            unknown: Unknown::Marks(&self.unknown),
            before_sensitive: &self.before_sensitive,
            after_sensitive: &self.after_sensitive,
            replace: Paths::places(replaced),
            ..Change::new(&self.before, &self.after)
        }
    }
}

pub(super) fn diff_resource<'t>(
    document: &str,
    resource: &ChangedResource<'t>,
    schema: Option<&'t Block>,
    relevant: Option<Paths<'_, 't>>,
) -> Result<Diff<'t>, DocumentError> {
    let sides = Sides::read(document, &resource.change, || format!("{}: change", resource.address))?;
    let replaced = sides.replaced();
    let mut change = sides.change(&replaced);
    if let Some(relevant) = relevant {
        change.relevant = relevant;
        change = change.if_relevant();
    }
    if resource.change.actions == ResourceActions::Forget {
        change = change.unchanged();
    }
    Ok(match schema {
        Some(schema) => differ::block(change, schema),
        None => differ::block_by_shape(change),
    })
}
