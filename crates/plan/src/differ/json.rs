//! Values without a type: outputs, dynamic attributes and JSON strings. Their JSON shape decides.

use std::mem::discriminant;

use objchange::Type;

use super::{attribute, hidden, sequence, text};
use crate::change::{Change, Unknown};
use crate::diff::{Action, Diff, Entry, Kind};
use crate::json::Json;

/// The diff of an output.
pub(crate) fn output<'t>(change: Change<'_, 't>) -> Diff<'t> {
    let change = Change { modern: true, ..change };
    // What is hidden as a whole is a legacy value without what hides it, though not in its parts.
    let hidden = |change: &Change<'_, 't>| attribute::value(change.clone(), &Type::Dynamic);
    hidden::sensitive(&change, hidden)
        .or_else(|| hidden::unknown(&change, Unknown::NONE, hidden))
        .unwrap_or_else(|| visible(&change))
}

/// The diff of a dynamic value, which is neither sensitive nor unknown as a whole.
pub(super) fn dynamic<'t>(change: &Change<'_, 't>) -> Diff<'t> {
    visible(&change.wholly_relevant())
}

/// The diff of any value by its shape; shapes do not say that they force a replacement.
pub(crate) fn shape<'t>(change: &Change<'_, 't>) -> Diff<'t> {
    let hidden = hidden::sensitive(change, shape).or_else(|| {
        // Null becoming unknown is a creation here, wherever it stands.
        let change = Change { before_explicit: false, ..change.clone() };
        hidden::unknown(&change, Unknown::NONE, shape)
    });
    hidden.map_or_else(|| visible(change), |diff| diff.replacing(false))
}

fn visible<'t>(change: &Change<'_, 't>) -> Diff<'t> {
    let same = !change.before.is_null() && change.before == change.after;
    if same && !change.has_marks() {
        return unchanged(change.after, change.depth);
    }
    let (before, after) = (change.before, change.after);
    let one_sided =
        (after.is_null() && !change.after_explicit) || (before.is_null() && !change.before_explicit);
    if one_sided || discriminant(before) == discriminant(after) {
        return of_kind(change, if before.is_null() { after } else { before });
    }
    let old = of_kind(&change.deletion(), before);
    let new = of_kind(&change.creation(), after);
    let kind = Kind::TypeChange { before: Box::new(old), after: Box::new(new) };
    Diff::new(Action::Update, kind)
}

/// The diff of a value that stays as it is, without any mark in it.
fn unchanged<'t>(value: &Json<'t>, depth: usize) -> Diff<'t> {
    let part = |value: &Json<'t>| unchanged(value, depth + 1);
    let kind = match value {
        Json::Array(elements) => Kind::List { elements: elements.iter().map(part).collect(), context: true },
        Json::Object(members) => {
            let entry = |(key, value): &(_, _)| Entry { key: Clone::clone(key), diff: part(value) };
            Kind::Object { attributes: members.iter().map(entry).collect(), nested: false }
        }
        _ => return text::primitive(&Change { depth, ..Change::new(value, value) }, true),
    };
    Diff::new(Action::NoOp, kind)
}

fn of_kind<'t>(change: &Change<'_, 't>, example: &Json<'t>) -> Diff<'t> {
    match example {
        Json::Array(_) => array(change),
        Json::Object(_) => object(change),
        _ => text::primitive(change, true).replacing(false),
    }
}

fn array<'t>(change: &Change<'_, 't>) -> Diff<'t> {
    let mut action = change.parent_action();
    let is_object = |element: &Json<'_>| matches!(element, Json::Object(_));
    let places = sequence::places(change.before.elements(), change.after.elements(), is_object);
    let mut elements = Vec::with_capacity(places.len());
    for (before, after) in places {
        let diff = shape(&change.element(before, after));
        action = action.and_part(diff.action);
        elements.push(diff);
    }
    Diff::new(action, Kind::List { elements, context: true })
}

fn object<'t>(change: &Change<'_, 't>) -> Diff<'t> {
    let mut action = change.parent_action();
    let mut attributes = Vec::new();
    for key in change.keys() {
        let diff = shape(&change.member(&key));
        action = action.and_part(diff.action);
        attributes.push(Entry { key, diff });
    }
    Diff::new(action, Kind::Object { attributes, nested: false })
}
