//! Blocks.

use objchange::Type;
use objchange::schema::{Attribute, Block as Schema, NestedBlock as BlockSchema, NestingMode};
use smol_str::SmolStr;

use super::attribute::{attribute, members_of};
use super::parts::{At, PartKind, parts};
use super::sequence::Places;
use super::unknown_block::unknown_block;
use super::{hidden, json};
use crate::diff::{Block, BlockType, Diff, DiffAction, Entry, Kind, NestedBlock, Sensitivity};
use crate::walk::{Change, Unknown};
use objchange_document::Text;

/// The diff of the body of a resource: by its schema, or by its shape where that is not known.
pub(crate) fn body<'t>(change: Change<'_, 't>, schema: Option<&'t Schema>) -> Diff<'t> {
    match schema {
        Some(schema) => block(change, schema),
        None => block_by_shape(change),
    }
}

/// The diff of a block: the body of a resource, or a nested one.
pub(crate) fn block<'t>(change: Change<'_, 't>, schema: &'t Schema) -> Diff<'t> {
    // Terraform decides per block whether its schema is a legacy one, in which `""` counts as null. Single, group and
    // map blocks inherit the answer; list and set blocks start anew.
    let change = Change { dialect: change.dialect.in_block(|| is_modern(schema)), ..change };
    hidden::sensitive_block(&change, |change| block(change.clone(), schema))
        .or_else(|| {
            let parts = Unknown::Members(schema.attributes());
            hidden::unknown(&change, parts, |change| block(change.clone(), schema))
        })
        .unwrap_or_else(|| unhidden(&change, schema))
}

/// The diff of a resource's body whose schema is not known: everything is an attribute.
fn block_by_shape<'t>(change: Change<'_, 't>) -> Diff<'t> {
    let change = Change { dialect: change.dialect.without_schema(), ..change };
    let shape = |change: &Change<'_, 't>| {
        let keys = change.keys();
        let members = keys.iter().map(|key| (key, ()));
        let (attributes, action) = members_of(change, members, |c, ()| {
            // Shapes do not say that they force a replacement, attributes do.
            json::shape(&c).replacing(c.forces_replacement())
        });
        Diff::new(action, Kind::Block(Block { attributes: attributes.into(), ..Block::default() }))
            .replacing(change.forces_replacement())
    };
    hidden::sensitive_block(&change, shape).unwrap_or_else(|| shape(&change))
}

fn unhidden<'t>(change: &Change<'_, 't>, schema: &'t Schema) -> Diff<'t> {
    // Write-only attributes come last, because they take the action that all others have together.
    let members = schema.attributes().iter().filter(|(_, a)| !a.write_only);
    let (mut attributes, mut action) =
        members_of(change, members.map(|(n, a)| (Text::from(n.as_str()), a)), attribute);
    if change.dialect.is_opentofu() {
        action = add_write_only_by_themselves(&mut attributes, schema.attributes(), action, change);
    }
    let (mut blocks, mut has_repeated_types) = (Vec::new(), false);
    for (name, ty) in schema.block_types() {
        let nested = change.member(name).if_relevant();
        let is_repeated = matches!(ty.nesting, NestingMode::List | NestingMode::Set | NestingMode::Map);
        has_repeated_types |= is_repeated && !nested.is_null();
        let (nested, nested_action) = block_type(nested, name, ty, schema);
        action = action.and_part(nested_action);
        if nested.unknown.is_some() || !nested.blocks.is_empty() {
            blocks.push(nested);
        }
    }
    if !change.dialect.is_opentofu() || change.dialect.is_own_format() {
        // Blocks of unknown number take the block's action, and do not change it (seen with Terraform 1.11.4).
        for unknown in blocks.iter_mut().filter_map(|b: &mut BlockType<'_>| b.unknown.as_mut()) {
            unknown.action = action;
            if let Kind::SensitiveBlock(marks) = unknown.kind {
                unknown.kind = unknown_blocks(hidden::marks_for(action, marks));
            }
        }
    }
    if !change.dialect.is_opentofu() {
        // For a block's own write-only attributes the replacement is forced by the block.
        let replaces = change.forces_replacement();
        let (action, sensitive) = (write_only_action(action), false);
        add_write_only(&mut attributes, schema.attributes(), |_| WriteOnly { action, sensitive, replaces });
    }
    Diff::new(action, Kind::Block(Block { attributes: attributes.into(), blocks, has_repeated_types }))
        .replacing(change.forces_replacement())
}

/// The entry of a write-only attribute.
pub(super) struct WriteOnly {
    pub(super) action: DiffAction,
    pub(super) sensitive: bool,
    pub(super) replaces: bool,
}

/// The action of a write-only attribute in an object with this action.
pub(super) fn write_only_action(action: DiffAction) -> DiffAction {
    // On update a write-only attribute is hidden and counted: both sides are always null.
    if action == DiffAction::Update { DiffAction::NoOp } else { action }
}

/// Adds the write-only attributes of a block as OpenTofu does: they do what the other attributes do, and the block does
/// what they do.
fn add_write_only_by_themselves<'t>(
    entries: &mut Vec<Entry<'t>>,
    attributes: &'t [(SmolStr, Attribute)],
    of_others: DiffAction,
    change: &Change<'_, 't>,
) -> DiffAction {
    let mut action = of_others;
    add_write_only(entries, attributes, |(name, _)| {
        let replaces = change.member(name).forces_replacement();
        let own = if replaces && of_others == DiffAction::NoOp { DiffAction::Update } else { of_others };
        action = action.and_part(own);
        WriteOnly { action: own, sensitive: false, replaces }
    });
    action
}

/// Adds the write-only attributes.
pub(super) fn add_write_only<'t>(
    entries: &mut Vec<Entry<'t>>,
    attributes: &'t [(SmolStr, Attribute)],
    mut write_only: impl FnMut(&(SmolStr, Attribute)) -> WriteOnly,
) {
    let count = entries.len();
    for attribute in attributes.iter().filter(|(_, a)| a.write_only) {
        let WriteOnly { action, sensitive, replaces } = write_only(attribute);
        let diff = Diff::new(action, Kind::WriteOnly { sensitive }).replacing(replaces);
        entries.push(Entry { key: attribute.0.as_str().into(), diff });
    }
    if entries.len() > count {
        // Back into byte order, among the other attributes.
        entries.sort_by(|a, b| a.key.cmp(&b.key));
    }
}

/// The nested blocks of one type, and the action that they give the block around, of this schema.
fn block_type<'t>(
    change: Change<'_, 't>,
    name: &'t str,
    ty: &'t BlockSchema,
    around: &'t Schema,
) -> (BlockType<'t>, DiffAction) {
    let replace = change.forces_replacement();
    let found = |blocks, unknown| BlockType { name: name.into(), unknown, blocks };
    // OpenTofu 1.12 shows an unknown block type as one block, whatever its nesting. Formats of our own show what goes.
    if change.is_unknown() && change.dialect.is_opentofu() && !change.dialect.is_own_format() {
        return (found(Vec::new().into(), unknown_block(change, ty, around)), DiffAction::NoOp);
    }
    if let NestingMode::Single | NestingMode::Group = ty.nesting {
        let (null, unknown) = (change.is_null(), change.is_unknown());
        let diff = block(change, &ty.block);
        // An absent block that stays absent is not counted as a hidden block.
        if null && !unknown && diff.action == DiffAction::NoOp {
            return (found(Vec::new().into(), None), DiffAction::NoOp);
        }
        let (action, replace) = (diff.action, replace || diff.replace);
        let single = NestedBlock { label: None, diff: diff.replacing(replace) };
        return (found(vec![single].into(), None), action);
    }
    let unknown = change.is_unknown();
    let marks = hidden::sensitivity_of(&change);
    // Marks of the type apply to each block, but do not make two blocks different.
    let change = if unknown { change.deletion() } else { change };
    let mut change = change.without_whole_marks();
    let at = match ty.nesting {
        NestingMode::Map => At::Keys(change.explicit_keys()),
        // Terraform matches sets as a whole against the relevant paths of drift.
        NestingMode::Set => {
            change = change.wholly_relevant();
            At::of_set(&change)
        }
        // List blocks are compared by position, never by the longest common subsequence.
        _ => {
            let len = change.before.elements().len().max(change.after.elements().len());
            At::of_list(&change, || Places::Positions(len))
        }
    };
    let (blocks, action) = parts(&change, PartKind::Blocks(&ty.block, marks), at);
    let unknown = unknown.then(|| Diff::new(DiffAction::NoOp, unknown_blocks(marks)).replacing(replace));
    (found(blocks, unknown), action)
}

/// The entry for blocks of unknown number.
fn unknown_blocks<'t>(marks: Option<Sensitivity>) -> Kind<'t> {
    marks.map_or(Kind::Unknown { before: None }, Kind::SensitiveBlock)
}

/// Whether the block uses what the legacy SDK could not express, so that it tells `""` from null.
fn is_modern(schema: &Schema) -> bool {
    let by_attribute = schema.attributes().iter().any(|(_, a)| match a.nested() {
        Some(_) => true,
        None => is_modern_type(a.implied_type()),
    });
    by_attribute
        || schema
            .block_types()
            .iter()
            .any(|(_, b)| matches!(b.nesting, NestingMode::Map | NestingMode::Group))
}

fn is_modern_type(ty: &Type) -> bool {
    // Signs of a modern schema to Terraform 1.11's renderer. A list, set or map of objects is none.
    if ty.has_dynamic() {
        return true;
    }
    match ty {
        Type::Tuple(_) | Type::Object(_) => true,
        Type::List(element) | Type::Set(element) | Type::Map(element) => {
            element.element().is_some_and(|inner| !inner.is_primitive())
        }
        _ => false,
    }
}
