//! A type of blocks that becomes unknown, as OpenTofu shows it: as one block, which it takes for one of the schema of the
//! block around.

use objchange::schema::{Attribute, Block as Schema, NestedBlock as BlockSchema, NestedType, NestingMode};

use super::block::block;
use crate::diff::{Diff, DiffAction, Kind, Sensitivity};
use crate::walk::Change;

/// What is hidden because a schema calls it sensitive.
const HIDDEN: Sensitivity = Sensitivity { before: true, after: false, unchanged: false, whole_type: false };

/// The diff of the blocks of a type, all of which become unknown; `None` if there were none, and that is said.
pub(super) fn unknown_block<'t>(
    mut change: Change<'_, 't>,
    ty: &BlockSchema,
    around: &'t Schema,
) -> Option<Diff<'t>> {
    if ty.nesting == NestingMode::Map && !change.before.is_null() {
        // Its labels are not names.
        change.before = change.before.bool(true);
        change.before_sensitive = change.before_sensitive.bool(change.is_before_sensitive());
    }
    let shows_sensitive = change.dialect.shows_sensitive();
    let mut diff = block(change, around);
    if diff.action == DiffAction::NoOp {
        return None;
    }
    if !shows_sensitive && matches!(ty.nesting, NestingMode::Single | NestingMode::Group) {
        hide(&mut diff, &ty.block);
    }
    Some(diff)
}

/// Hides what the schema of the block itself calls sensitive, which is not the one by which it was read.
fn hide(diff: &mut Diff<'_>, own: &Schema) {
    let Kind::Unknown { before: Some(old) } = &mut diff.kind else { return };
    let Kind::Block(old) = &mut old.kind else { return };
    let hidden = old.attributes.iter().map(|entry| {
        let mut entry = entry.into_owned();
        if hides(own, &entry.key) {
            entry.diff.kind = Kind::Sensitive(HIDDEN);
        }
        entry
    });
    old.attributes = hidden.collect();
    for ty in old.blocks.iter_mut().filter(|ty| hides(own, &ty.name)) {
        let hidden = ty.blocks.iter().map(|nested| {
            let mut nested = nested.into_owned();
            nested.diff.kind = Kind::SensitiveBlock(HIDDEN);
            nested
        });
        ty.blocks = hidden.collect();
    }
}

/// Whether anything of this name, or below it, is sensitive.
fn hides(schema: &Schema, name: &str) -> bool {
    schema.attribute(name).is_some_and(is_sensitive)
        || schema.block_types().iter().any(|(other, nested)| other == name && has_sensitive(&nested.block))
}

fn has_sensitive(schema: &Schema) -> bool {
    schema.attributes().iter().any(|(_, attribute)| is_sensitive(attribute))
        || schema.block_types().iter().any(|(_, nested)| has_sensitive(&nested.block))
}

fn is_sensitive(attribute: &Attribute) -> bool {
    let below = |nested: &NestedType| nested.attributes().iter().any(|(_, a)| is_sensitive(a));
    attribute.sensitive || attribute.nested().is_some_and(below)
}
