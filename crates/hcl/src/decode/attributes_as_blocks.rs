//! Attributes that may be written as blocks: lists and sets of objects, in schemas as old providers have them.

use objchange::Type;
use objchange::schema::{Attribute, Block};
use smol_str::SmolStr;

use super::find;
use crate::syntax::ast::Body;

/// Whether a schema is one in which attributes may be written as blocks: one that has nothing that could not be said
/// in the type system of old providers.
pub(super) fn may_be_legacy(schema: &Block) -> bool {
    let fits = |attribute: &Attribute| {
        if attribute.nested().is_some() {
            return false;
        }
        match attribute.implied_type() {
            Type::Tuple(_) | Type::Object(_) => false,
            Type::Map(element) => !matches!(**element, Type::Object(_) | Type::Tuple(_)) && is_flat(element),
            Type::List(element) | Type::Set(element) => is_flat(element),
            _ => true,
        }
    };
    schema.attributes().iter().all(|(_, attribute)| fits(attribute))
        && schema.block_types().iter().all(|(_, nested)| !nested.computed && may_be_legacy(&nested.block))
}

/// Whether an element is not a collection of anything but primitives.
fn is_flat(element: &Type) -> bool {
    element.element().is_none_or(Type::is_primitive)
}

/// The attributes that a body writes as blocks, or not at all, with a schema for such blocks.
#[derive(Default)]
pub(super) struct BlockAttributes(Vec<(SmolStr, Block)>);

impl BlockAttributes {
    pub(super) fn new(schema: &Block, body: &Body, is_legacy: bool) -> Self {
        if !is_legacy {
            return Self::default();
        }
        let attributes = schema.attributes().iter();
        let unwritten = attributes.filter(|(name, _)| find(&body.attributes, name).is_none());
        Self(unwritten.filter_map(|(name, attribute)| Some((name.clone(), as_block(attribute)?))).collect())
    }

    pub(super) fn find(&self, name: &str) -> Option<&Block> {
        self.0.iter().find(|(other, _)| other == name).map(|(_, block)| block)
    }
}

/// The schema of one block of an attribute, if it may be written so.
pub(super) fn as_block(attribute: &Attribute) -> Option<Block> {
    let (Type::List(element) | Type::Set(element)) = attribute.implied_type() else { return None };
    let object = element.as_object()?;
    let attributes =
        object.attributes().iter().map(|(name, ty)| (name.clone(), Attribute::optional(ty.clone())));
    Some(Block::new(attributes, []))
}
