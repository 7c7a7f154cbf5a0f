//! Attributes and the values of plain types.

use objchange::Type;
use objchange::schema::{Attribute, AttributeType};

use super::{collection, hidden, json, nested, text};
use crate::diff::{Diff, DiffAction, Entry, Kind};
use crate::walk::{Change, Position, Unknown};
use objchange_document::Text;

/// The diff of an attribute's value.
pub(super) fn attribute<'t>(change: Change<'_, 't>, schema: &'t Attribute) -> Diff<'t> {
    let change = if schema.sensitive { change.hidden_by_schema() } else { change };
    match &schema.ty {
        AttributeType::Plain(ty) => value(change, ty),
        AttributeType::Nested(ty) => nested::nested(&change, ty),
    }
}

/// The diff of a value of a plain type.
pub(crate) fn value<'t>(change: Change<'_, 't>, ty: &'t Type) -> Diff<'t> {
    // Most attributes of most resources stay as they are.
    if let Some(diff) = text::unchanged(&change, ty) {
        return diff;
    }
    let change = change.with_null_for_empty();
    // Sensitive before unknown: Terraform 1.11 prints `(sensitive value)` for a value that is both.
    hidden::sensitive(&change, |change| value(change.clone(), ty))
        .or_else(|| hidden::unknown(&change, Unknown::Nothing, |change| value(change.clone(), ty)))
        .unwrap_or_else(|| match ty {
            Type::String => text::primitive(&change, true),
            Type::Number | Type::Bool => text::primitive(&change, false),
            Type::Dynamic => json::dynamic(&change),
            Type::List(element) => collection::list(&change, element),
            Type::Set(element) => collection::set(&change, element),
            Type::Map(element) => collection::map(&change, element),
            Type::Tuple(tuple) => collection::tuple(&change, tuple.elements()),
            Type::Object(object) => {
                // By name in byte order, as `terraform show` prints attributes.
                let members = object.attributes().iter().map(|(name, ty)| (Text::from(name.as_str()), ty));
                let (attributes, action) = members_of(&change, members, value);
                Diff::new(action, Kind::Object { attributes: attributes.into(), nested: false })
                    .replacing(change.forces_replacement())
            }
        })
}

/// The diffs of an object's attributes, and the action that they give the object.
///
/// An attribute that is null on both sides is left out.
pub(super) fn members_of<'v, 't, S>(
    change: &Change<'v, 't>,
    members: impl Iterator<Item = (Text<'t>, S)>,
    diff: impl Fn(Change<'v, 't>, S) -> Diff<'t>,
) -> (Vec<Entry<'t>>, DiffAction) {
    let mut action = change.parent_action();
    // Most have a value.
    let mut entries = Vec::with_capacity(members.size_hint().1.unwrap_or_default());
    let mut at = Position::default();
    for (name, schema) in members {
        let mut member = change.attribute(&name, &mut at).if_relevant();
        // To OpenTofu what is null in this way is not there either; Terraform counts it.
        if member.dialect.is_opentofu() {
            member = member.with_null_for_empty();
        }
        let null = member.is_null();
        let entry = diff(member, schema);
        // Null on both sides: neither shown nor counted among the hidden attributes.
        if null && entry.action == DiffAction::NoOp {
            continue;
        }
        action = action.and_part(entry.action);
        entries.push(Entry { key: name, diff: entry });
    }
    (entries, action)
}
