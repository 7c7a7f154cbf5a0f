//! Lists, sets, maps and tuples of plain types.

use objchange::Type;

use super::attribute::value;
use super::parts::{At, PartKind, parts};
use super::sequence;
use crate::diff::{Diff, Kind};
use crate::walk::Change;

pub(super) fn list<'t>(change: &Change<'_, 't>, element: &'t Type) -> Diff<'t> {
    // Relevant paths match ordinary lists and sets as a whole (Terraform 1.11).
    let change = &change.wholly_relevant();
    let objects = matches!(element, Type::Object(_));
    let at = At::of_list(change, || sequence::places(change, |_| objects));
    let (elements, action) = parts(change, PartKind::Typed(element), at);
    Diff::new(action, Kind::List { elements, context: true }).replacing(change.forces_replacement())
}

pub(super) fn set<'t>(change: &Change<'_, 't>, element: &'t Type) -> Diff<'t> {
    let change = &change.wholly_relevant();
    let (elements, action) = parts(change, PartKind::Typed(element), At::of_set(change));
    Diff::new(action, Kind::Set { elements, nested: false }).replacing(change.forces_replacement())
}

pub(super) fn map<'t>(change: &Change<'_, 't>, element: &'t Type) -> Diff<'t> {
    // Marks may name keys that neither side has; these elements are shown, too.
    let (elements, action) = parts(change, PartKind::Typed(element), At::Keys(change.keys()));
    Diff::new(action, Kind::Map { elements, nested: false }).replacing(change.forces_replacement())
}

pub(super) fn tuple<'t>(change: &Change<'_, 't>, types: &'t [Type]) -> Diff<'t> {
    // Tuples are compared by position, because their types are.
    let mut action = change.parent_action();
    let mut elements = Vec::with_capacity(types.len());
    for (index, ty) in types.iter().enumerate() {
        let diff = value(change.element(Some(index), Some(index)).if_relevant(), ty);
        action = action.and_part(diff.action);
        elements.push(diff);
    }
    Diff::new(action, Kind::List { elements: elements.into(), context: true })
        .replacing(change.forces_replacement())
}
