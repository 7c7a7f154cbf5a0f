//! Attributes with a nested type.

use objchange::schema::{Attribute, NestedType, NestingMode};
use smol_str::SmolStr;

use super::attribute::{attribute, members_of};
use super::block::{WriteOnly, add_write_only};
use super::{hidden, sequence};
use crate::change::{Change, Unknown};
use crate::diff::{Diff, Entry, Kind};
use crate::text::Text;

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
    add_write_only(&mut attributes, schema, action, |(name, attribute)| {
        let own = change.member(name);
        let sensitive = attribute.sensitive || own.is_before_sensitive() || own.is_after_sensitive();
        WriteOnly { sensitive, replaces: own.forces_replacement() }
    });
    Diff::new(action, Kind::Object { attributes, nested: true }).replacing(change.forces_replacement())
}

fn list<'t>(change: &Change<'_, 't>, attributes: &'t Attributes) -> Diff<'t> {
    let mut action = change.parent_action();
    let len = change.before.elements().len().max(change.after.elements().len());
    let elements = (0..len)
        .map(|i| {
            let element = change.element(Some(i), Some(i)).if_relevant();
            let diff = by_mode(&element, NestingMode::Single, attributes);
            action = action.and_part(diff.action);
            diff
        })
        .collect();
    Diff::new(action, Kind::List { elements, context: false }).replacing(change.forces_replacement())
}

fn set<'t>(change: &Change<'_, 't>, attributes: &'t Attributes) -> Diff<'t> {
    let change = &change.wholly_relevant();
    let mut action = change.parent_action();
    let elements = sequence::set_places(change)
        .into_iter()
        .map(|(before, after)| {
            let diff = by_mode(&change.element(before, after), NestingMode::Single, attributes);
            action = action.and_part(diff.action);
            let replace = diff.replace || change.forces_replacement();
            diff.replacing(replace)
        })
        .collect();
    Diff::new(action, Kind::Set { elements, nested: true }).replacing(change.forces_replacement())
}

fn map<'t>(change: &Change<'_, 't>, attributes: &'t Attributes) -> Diff<'t> {
    let mut action = change.parent_action();
    let elements = change
        .explicit_keys()
        .into_iter()
        .map(|key| {
            let element = change.member(&key).if_relevant();
            let diff = by_mode(&element, NestingMode::Single, attributes);
            action = action.and_part(diff.action);
            let replace = diff.replace || change.forces_replacement();
            Entry { key, diff: diff.replacing(replace) }
        })
        .collect();
    Diff::new(action, Kind::Map { elements, nested: true }).replacing(change.forces_replacement())
}
