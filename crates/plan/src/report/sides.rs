//! A change of a plan, read and made ready for the differ.

use hashbrown::HashMap;
use objchange::schema::Block;

use crate::diff::Diff;
use crate::differ;
use crate::document::{ChangedResource, DocumentError, Plan, ResourceActions, ValueChange};
use crate::json::{Builder, Built, Elements, JsonError, closed};
use crate::walk::{PathList, Paths, Sides};

/// The relevant attributes of a plan, by the resource that they are of.
pub(super) struct Relevant<'p, 't> {
    of: HashMap<&'p str, PathList<'p, 't>>,
}

impl<'p, 't> Relevant<'p, 't> {
    pub(super) fn new(plan: &'p Plan<'t>) -> Self {
        let mut of: HashMap<&str, Vec<Elements<'_, 't>>> = HashMap::new();
        for attribute in &plan.relevant_attributes {
            of.entry(&attribute.resource).or_default().push(attribute.path.view().elements());
        }
        Self { of: of.into_iter().map(|(resource, paths)| (resource, paths.into_iter().collect())).collect() }
    }

    /// Those of a resource, among them those that name none.
    pub(super) fn of(&self, address: &str) -> Paths<'_, 't> {
        let nameless = Some("").filter(|nameless| *nameless != address);
        Paths::subtrees(nameless.into_iter().chain([address]).filter_map(|name| self.of.get(name)))
    }
}

impl<'t> Sides<'t> {
    pub(super) fn read(
        document: &str,
        change: &ValueChange<'t>,
        location: impl Fn() -> String,
    ) -> Result<Self, DocumentError> {
        let placed = |value: Result<Built, JsonError>, part: &str| {
            value.map_err(|error| {
                DocumentError::from_json(&error, document, &format!("{}.{part}", location()))
            })
        };
        let ValueChange { before, after, after_unknown, before_sensitive, after_sensitive, .. } = change;
        let parts = [before, after, after_unknown, before_sensitive, after_sensitive, &change.replace_paths];
        let mut builder = Builder::of(&parts);
        let (before, after) = builder.read_sides(before, after);
        let (before, after) = (placed(before, "before")?, placed(after, "after")?);
        let have_same_marks = before_sensitive.text() == after_sensitive.text();
        let before_sensitive = placed(builder.read(before_sensitive), "before_sensitive")?;
        let after_sensitive = match have_same_marks {
            true => before_sensitive,
            false => placed(builder.read(after_sensitive), "after_sensitive")?,
        };
        let unknown = placed(builder.read(after_unknown), "after_unknown")?;
        let replace = placed(builder.read(&change.replace_paths), "replace_paths")?;
        let built = builder.finish();
        let (before, after) = (built(before), built(after));
        Ok(Self {
            before_sensitive: closed(built(before_sensitive), &before),
            after_sensitive: closed(built(after_sensitive), &after),
            before,
            after,
            unknown: built(unknown),
            replace: built(replace),
        })
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
