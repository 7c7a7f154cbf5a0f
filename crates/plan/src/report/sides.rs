//! A change of a plan, read and made ready for the differ.

use hashbrown::HashMap;
use objchange::schema::Block;

use crate::diff;
use crate::diff::Diff;
use crate::walk::{Dialect, PathList, Paths, Sides};
use objchange_document::ChangeSet;
use objchange_document::changes::ChangedResource;
use objchange_document::changes::ResourceActions;
use objchange_document::json::Elements;
use objchange_document::{DocumentError, StatedMarks};

/// The relevant attributes of changes, by the resource that they are of.
pub(super) struct Relevant<'p, 't> {
    by_resource: HashMap<&'p str, PathList<'p, 't>>,
}

impl<'p, 't> Relevant<'p, 't> {
    pub(super) fn new(changes: &'p ChangeSet<'t>) -> Self {
        let mut by_resource: HashMap<&str, Vec<Elements<'_, 't>>> = HashMap::new();
        for attribute in &changes.relevant_attributes {
            by_resource.entry(&attribute.resource).or_default().push(attribute.path.view().elements());
        }
        Self {
            by_resource: by_resource
                .into_iter()
                .map(|(resource, paths)| (resource, paths.into_iter().collect()))
                .collect(),
        }
    }

    /// Those of a resource, among them those that name none.
    pub(super) fn of_resource(&self, address: &str) -> Paths<'_, 't> {
        // To Terraform a relevant attribute without a resource is one of every resource.
        let nameless = Some("").filter(|nameless| *nameless != address);
        Paths::subtrees(nameless.into_iter().chain([address]).filter_map(|name| self.by_resource.get(name)))
    }
}

pub(super) fn diff_resource<'t>(
    document: &str,
    resource: &ChangedResource<'t>,
    schema: Option<&'t Block>,
    relevant: Option<Paths<'_, 't>>,
    stated: Option<&StatedMarks<'_>>,
    dialect: Dialect,
) -> Result<Diff<'t>, DocumentError> {
    let mut sides =
        Sides::read(document, &resource.change.values, || format!("{}: change", resource.address))?;
    if let Some(stated) = stated {
        sides = sides.hiding(stated.view(&resource.address));
    }
    let replaced = sides.replaced();
    let mut change = sides.change(&replaced, dialect);
    if let Some(relevant) = relevant {
        change.relevant = relevant;
        change = change.if_relevant();
    }
    // Terraform shows a forgotten object as unchanged, and OpenTofu shows it as deleted.
    if resource.change.actions == ResourceActions::Forget && !dialect.is_opentofu() {
        change = change.unchanged();
    }
    Ok(diff::body(change, schema))
}
