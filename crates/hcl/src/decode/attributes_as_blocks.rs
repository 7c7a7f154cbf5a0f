//! Attributes that may be written as blocks: lists and sets of objects, in schemas as old providers have them.

use objchange::schema::{Attribute, Block};
use objchange::{Type, Value};
use smol_str::SmolStr;

use super::{decode, find};
use crate::eval::{Scope, Variables};
use crate::function::Functions;
use crate::syntax::ast::{self, Body};
use crate::walk::{Reference, variables};

/// An attribute that a body writes as blocks.
#[derive(Debug, Clone)]
pub struct WrittenAsBlocks<'b> {
    blocks: Vec<&'b ast::Block>,
    /// The schema of one of the blocks.
    schema: Block,
}

impl<'b> WrittenAsBlocks<'b> {
    /// The blocks that a body has in place of an attribute of a [legacy](may_be_legacy) schema, if any. Dynamic blocks
    /// are left out.
    pub fn new(body: &'b Body, name: &str, attribute: &Attribute) -> Option<Self> {
        if find(&body.attributes, name).is_some() {
            return None;
        }
        let is_one = |block: &&ast::Block| block.kind == name && block.labels.is_empty();
        let blocks: Vec<_> = body.blocks.iter().filter(is_one).collect();
        let schema = as_block(attribute)?;
        (!blocks.is_empty()).then_some(Self { blocks, schema })
    }

    /// The value of the attribute, if it is constant, by the rules of a version of the language.
    pub fn constant_value(&self, name: &str, attribute: &Attribute, version: (u32, u32)) -> Option<Value> {
        let blocks = self.blocks.iter().map(|block| (*block).clone()).collect();
        let body = Body { blocks, ..Body::default() };
        let schema = Block::new([(name, attribute.clone())], []);
        let variables = Variables::default();
        let scope = Scope::new(&variables);
        let decoded = decode(&body, &schema, &scope, &Functions::none_of_version(version));
        decoded.value.attribute(name).filter(|value| value.is_wholly_known()).cloned()
    }

    /// The references in arguments of the blocks, in source order. Blocks inside of them are left out, as Terraform
    /// does.
    pub fn references(&self) -> Vec<Reference<'b>> {
        let arguments = self.blocks.iter().flat_map(|block| &block.body.attributes);
        let known = arguments.filter(|argument| self.schema.attribute(&argument.name).is_some());
        known.flat_map(|argument| variables(&argument.expr)).collect()
    }
}

/// Whether a schema is one in which attributes may be written as blocks: one that has nothing that could not be said
/// in the type system of old providers.
pub fn may_be_legacy(schema: &Block) -> bool {
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
    // In a block each attribute may be left out, and is null then; in an object all are required.
    let attributes =
        object.attributes().iter().map(|(name, ty)| (name.clone(), Attribute::optional(ty.clone())));
    Some(Block::new(attributes, []))
}
