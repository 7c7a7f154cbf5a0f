//! Values without a type: outputs, dynamic attributes and JSON strings. Their JSON shape decides.

use std::mem::discriminant;

use objchange::Type;

use super::parts::{At, PartKind, parts};
use super::{attribute, hidden, sequence, text};
use crate::diff::{Diff, DiffAction, Kind};
use crate::walk::{Change, Unknown};
use objchange_document::json::{Shape, View};

/// The diff of an output.
pub(crate) fn output<'t>(change: Change<'_, 't>) -> Diff<'t> {
    let change = Change { dialect: change.dialect.without_schema(), ..change };
    // Terraform reads a wholly sensitive or unknown output as a legacy value, where `""` is null, though not its parts.
    let hidden = |change: &Change<'_, 't>| attribute::value(change.clone(), &Type::Dynamic);
    hidden::sensitive(&change, hidden)
        .or_else(|| hidden::unknown(&change, Unknown::Nothing, hidden))
        .unwrap_or_else(|| unhidden(&change))
}

/// The diff of a dynamic value that is neither wholly sensitive nor wholly unknown.
pub(super) fn dynamic<'t>(change: &Change<'_, 't>) -> Diff<'t> {
    let mut diff = unhidden(change);
    if let Kind::Primitive(value) = &mut diff.kind {
        // `terraform show` prints `null -> null` for a deleted null of dynamic type, and `null` alone for one of type
        // string.
        value.null_string = false;
    }
    diff
}

/// The diff of any value by its shape; shapes do not say that they force a replacement.
pub(crate) fn shape<'t>(change: &Change<'_, 't>) -> Diff<'t> {
    let hidden = hidden::sensitive(change, shape).or_else(|| {
        // Null becoming unknown is a creation here, wherever it stands.
        let change = Change { before_explicit: false, ..change.clone() };
        hidden::unknown(&change, Unknown::Nothing, shape)
    });
    hidden.map_or_else(|| unhidden(change), |diff| diff.replacing(false))
}

fn unhidden<'t>(change: &Change<'_, 't>) -> Diff<'t> {
    // Both sides share equal values, so that this costs little. It saved a third of the differ's instructions for a
    // plan of 62 MB.
    let same = !change.before.is_null() && change.before == change.after;
    if same && !change.has_marks() {
        return unchanged(change);
    }
    let (before, after) = (change.before, change.after);
    let one_sided =
        (after.is_null() && !change.after_explicit) || (before.is_null() && !change.before_explicit);
    if one_sided || discriminant(&before.shape()) == discriminant(&after.shape()) {
        return of_kind(change, if before.is_null() { after } else { before });
    }
    // Another JSON type: the old value is shown as deleted and the new one as created, each with its own marks.
    let old = of_kind(&change.deletion(), before);
    let new = of_kind(&change.creation(), after);
    let kind = Kind::TypeChange { before: Box::new(old), after: Box::new(new) };
    Diff::new(DiffAction::Update, kind)
}

/// The diff of a value that stays as it is, without any mark in it.
pub(super) fn unchanged<'t>(change: &Change<'_, 't>) -> Diff<'t> {
    let kind = match change.after.shape() {
        Shape::Array(elements) => {
            let (elements, _) = parts(change, PartKind::Same, At::positions(elements.len()));
            Kind::List { elements, context: true }
        }
        Shape::Object(_) => {
            let (attributes, _) = parts(change, PartKind::Same, At::Keys(change.explicit_keys()));
            Kind::Object { attributes, nested: false }
        }
        _ => {
            let value = Change::new(change.after, change.after, change.dialect);
            return text::primitive(&Change { depth: change.depth, ..value }, true);
        }
    };
    Diff::new(DiffAction::NoOp, kind)
}

fn of_kind<'t>(change: &Change<'_, 't>, example: View<'_, 't>) -> Diff<'t> {
    match example.shape() {
        Shape::Array(_) => array(change),
        Shape::Object(_) => object(change),
        _ => text::primitive(change, true).replacing(false),
    }
}

fn array<'t>(change: &Change<'_, 't>) -> Diff<'t> {
    let is_object = |element: View<'_, '_>| matches!(element.shape(), Shape::Object(_));
    let at = At::of_list(change, || sequence::places(change, is_object));
    let (elements, action) = parts(change, PartKind::Elements, at);
    Diff::new(action, Kind::List { elements, context: true })
}

fn object<'t>(change: &Change<'_, 't>) -> Diff<'t> {
    let (attributes, action) = parts(change, PartKind::Shaped, At::Keys(change.keys()));
    Diff::new(action, Kind::Object { attributes, nested: false })
}
