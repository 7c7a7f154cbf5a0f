//! Attributes with a nested type.

use objchange::schema::{Attribute, NestedType, NestingMode};
use smol_str::SmolStr;

use super::attribute::{attribute, members_of};
use super::block::{WriteOnly, add_write_only, write_only_action};
use super::hidden;
use super::parts::{At, PartKind, parts};
use super::sequence::Places;
use crate::diff::{Diff, DiffAction, Kind};
use crate::walk::{Change, Unknown};
use objchange_document::Text;

type Attributes = [(SmolStr, Attribute)];

/// The diff of an attribute with a nested type.
pub(super) fn nested<'t>(change: &Change<'_, 't>, ty: &'t NestedType) -> Diff<'t> {
    by_mode(change, ty.nesting(), ty.attributes())
}

fn by_mode<'t>(change: &Change<'_, 't>, mode: NestingMode, attributes: &'t Attributes) -> Diff<'t> {
    if let Some(diff) = hidden::sensitive(change, |change| by_mode(change, mode, attributes)) {
        return diff;
    }
    // The attributes of one object become unknown one by one.
    let parts = Unknown::Members(attributes);
    if let Some(diff) = hidden::unknown(change, parts, |change| by_mode(change, mode, attributes)) {
        return diff;
    }
    match mode {
        NestingMode::List => list(change, attributes),
        NestingMode::Set => set(change, attributes),
        NestingMode::Map => map(change, attributes),
        _ => object(change, attributes),
    }
}

/// The diff of one object with a nested type.
fn object<'t>(change: &Change<'_, 't>, schema: &'t Attributes) -> Diff<'t> {
    let members =
        schema.iter().filter(|(_, a)| !a.write_only).map(|(name, a)| (Text::from(name.as_str()), a));
    let (mut attributes, action) = members_of(change, members, attribute);
    let is_opentofu = change.dialect.is_opentofu();
    // Terraform hides a write-only attribute on update; OpenTofu shows it with the object's action.
    let of_write_only = if is_opentofu { action } else { write_only_action(action) };
    // Null as they are, OpenTofu leaves them out where nothing happens.
    if !is_opentofu || action != DiffAction::NoOp {
        add_write_only(&mut attributes, schema, |(name, attribute)| {
            let own = change.member(name);
            let is_marked = attribute.sensitive || own.is_before_sensitive() || own.is_after_sensitive();
            let (sensitive, replaces) = (is_marked && !is_opentofu, own.forces_replacement());
            WriteOnly { action: of_write_only, sensitive, replaces }
        });
    }
    Diff::new(action, Kind::Object { attributes: attributes.into(), nested: true })
        .replacing(change.forces_replacement())
}

/// The diff of one element of a collection with a nested type.
pub(super) fn single<'t>(change: &Change<'_, 't>, attributes: &'t Attributes) -> Diff<'t> {
    by_mode(change, NestingMode::Single, attributes)
}

fn list<'t>(change: &Change<'_, 't>, attributes: &'t Attributes) -> Diff<'t> {
    // Lists of a nested type are compared by position (Terraform 1.11), unlike lists of objects.
    let len = change.before.elements().len().max(change.after.elements().len());
    let at = At::of_list(change, || Places::Positions(len));
    let (elements, action) = parts(change, PartKind::Nested { attributes, all_replace: false }, at);
    Diff::new(action, Kind::List { elements, context: false }).replacing(change.forces_replacement())
}

fn set<'t>(change: &Change<'_, 't>, attributes: &'t Attributes) -> Diff<'t> {
    let change = &change.wholly_relevant();
    let places = At::of_set(change);
    let (elements, action) = parts(change, PartKind::Nested { attributes, all_replace: true }, places);
    Diff::new(action, Kind::Set { elements, nested: true }).replacing(change.forces_replacement())
}

fn map<'t>(change: &Change<'_, 't>, attributes: &'t Attributes) -> Diff<'t> {
    // Only keys of the values: a new element that is wholly unknown is not shown, as in Terraform 1.11.
    let keys = At::Keys(change.explicit_keys());
    let (elements, action) = parts(change, PartKind::Nested { attributes, all_replace: true }, keys);
    Diff::new(action, Kind::Map { elements, nested: true }).replacing(change.forces_replacement())
}
