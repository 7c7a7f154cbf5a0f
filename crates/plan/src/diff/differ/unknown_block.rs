//! Blocks of a type that becomes unknown. OpenTofu shows one block for all, and reads it by the schema of the enclosing
//! block.

use objchange::schema::{Attribute, Block as Schema, NestedBlock as BlockSchema, NestedType, NestingMode};

use super::block::block;
use crate::diff::{Diff, DiffAction, Kind, Sensitivity};
use crate::walk::Change;

/// The marks of values that a schema calls sensitive.
const HIDDEN: Sensitivity = Sensitivity { before: true, after: false, unchanged: false, whole_type: false };

/// The diff of blocks that all become unknown; `None` if there were none before and the plan says so.
pub(super) fn unknown_block<'t>(
    mut change: Change<'_, 't>,
    ty: &'t BlockSchema,
    around: &'t Schema,
) -> Option<Diff<'t>> {
    if ty.nesting == NestingMode::Map && !change.before.is_null() {
        // Its labels are not names.
        change.before = change.before.bool(true);
        change.before_sensitive = change.before_sensitive.bool(change.is_before_sensitive());
    }
    let shows_sensitive = change.dialect.shows_sensitive();
    let reads_own = change.dialect.reads_unknown_blocks();
    let mut diff = block(change, if reads_own { &ty.block } else { around });
    if diff.action == DiffAction::NoOp {
        return None;
    }
    // OpenTofu up to 1.12.6 reads the old block by the schema of the block around it, which does not say what is
    // sensitive in the nested one. It stays hidden here all the same.
    if !reads_own && !shows_sensitive && matches!(ty.nesting, NestingMode::Single | NestingMode::Group) {
        hide(&mut diff, &ty.block);
    }
    Some(diff)
}

/// Hides the values that the block's own schema calls sensitive: the block was read by another schema.
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
