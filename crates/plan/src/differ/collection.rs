//! Lists, sets, maps and tuples of plain types.

use objchange::Type;

use super::attribute::value;
use super::sequence;
use crate::change::Change;
use crate::diff::{Diff, Entry, Kind};

pub(super) fn list<'t>(change: &Change<'_, 't>, element: &'t Type) -> Diff<'t> {
    let change = &change.wholly_relevant();
    let mut action = change.parent_action();
    let objects = matches!(element, Type::Object(_));
    let places = sequence::places(change.before.elements(), change.after.elements(), |_| objects);
    let mut elements = Vec::with_capacity(places.len());
    for (before, after) in places {
        let diff = value(change.element(before, after), element);
        action = action.and_part(diff.action);
        elements.push(diff);
    }
    Diff::new(action, Kind::List { elements, context: true }).replacing(change.forces_replacement())
}

pub(super) fn set<'t>(change: &Change<'_, 't>, element: &'t Type) -> Diff<'t> {
    let change = &change.wholly_relevant();
    let mut action = change.parent_action();
    let places = sequence::set_places(change);
    let mut elements = Vec::with_capacity(places.len());
    for (before, after) in places {
        let diff = value(change.element(before, after), element);
        action = action.and_part(diff.action);
        elements.push(diff);
    }
    Diff::new(action, Kind::Set { elements, nested: false }).replacing(change.forces_replacement())
}

pub(super) fn map<'t>(change: &Change<'_, 't>, element: &'t Type) -> Diff<'t> {
    let mut action = change.parent_action();
    let mut elements = Vec::new();
    for key in change.keys() {
        let diff = value(change.member(&key).if_relevant(), element);
        action = action.and_part(diff.action);
        elements.push(Entry { key, diff });
    }
    Diff::new(action, Kind::Map { elements, nested: false }).replacing(change.forces_replacement())
}

pub(super) fn tuple<'t>(change: &Change<'_, 't>, types: &'t [Type]) -> Diff<'t> {
    let mut action = change.parent_action();
    let mut elements = Vec::with_capacity(types.len());
    for (index, ty) in types.iter().enumerate() {
        let diff = value(change.element(Some(index), Some(index)).if_relevant(), ty);
        action = action.and_part(diff.action);
        elements.push(diff);
    }
    Diff::new(action, Kind::List { elements, context: true }).replacing(change.forces_replacement())
}
