//! Blocks and the block types nested in them.

use std::fmt;
use std::sync::{Arc, OnceLock};

use smol_str::SmolStr;

use super::attribute::{Attribute, NestingMode, Traits, find, sorted_by_name};
use super::members::Member;
use crate::value::{ObjectType, Type, Value};

/// The schema of an object: its attributes and nested block types.
///
/// A clone is O(1).
#[derive(Clone)]
pub struct Block(Arc<Inner>);

struct Inner {
    /// Sorted by name; names are unique.
    attributes: Box<[(SmolStr, Attribute)]>,
    /// Sorted by name; names are unique.
    blocks: Box<[(SmolStr, NestedBlock)]>,
    /// The position of each attribute in `object`.
    attribute_positions: Box<[usize]>,
    /// The position of each block in `object`.
    block_positions: Box<[usize]>,
    /// The member at each position of `object`.
    order: Box<[Slot]>,
    object: Arc<ObjectType>,
    implied: Type,
    /// A block type at any depth is computed.
    has_computed_blocks: bool,
    /// The traits of all attributes inside, at any depth.
    traits: Traits,
    /// Computed on first use.
    empty: OnceLock<Value>,
}

/// A member of a block by its position among the attributes or the block types.
#[derive(Debug, Clone, Copy)]
enum Slot {
    Attribute(usize),
    Blocks(usize),
}

impl PartialEq for Block {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || self.0.attributes == other.0.attributes && self.0.blocks == other.0.blocks
    }
}

impl fmt::Debug for Block {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map()
            .entries(self.0.attributes.iter().map(|(name, attribute)| (name, attribute)))
            .entries(self.0.blocks.iter().map(|(name, block)| (name, block)))
            .finish()
    }
}

/// A block type nested in a block.
#[derive(Debug, Clone, PartialEq)]
pub struct NestedBlock {
    /// The nesting mode of its blocks.
    pub nesting: NestingMode,
    /// The schema of each block.
    pub block: Block,
    /// The minimum number of blocks in a configuration.
    pub min_items: u64,
    /// The maximum number of blocks in a configuration; 0 means no limit.
    pub max_items: u64,
    /// Whether the provider may choose the blocks if the configuration has none.
    pub computed: bool,
}

impl Block {
    /// Creates a block. If a name is repeated among attributes or among block types, the last one wins.
    pub fn new<N: Into<SmolStr>>(
        attributes: impl IntoIterator<Item = (N, Attribute)>,
        blocks: impl IntoIterator<Item = (N, NestedBlock)>,
    ) -> Self {
        let attributes = sorted_by_name(attributes);
        let blocks = sorted_by_name(blocks);
        // `validate` reports a name that is both; here the attribute's type wins.
        let members = blocks
            .iter()
            .map(|(name, b)| (name.clone(), b.implied_type()))
            .chain(attributes.iter().map(|(name, a)| (name.clone(), a.implied_type().without_optional())));
        let object = Arc::new(ObjectType::new(members));
        let position = |name: &SmolStr| object.position(name).unwrap_or_default();
        let attribute_positions = attributes.iter().map(|(name, _)| position(name)).collect();
        let block_positions = blocks.iter().map(|(name, _)| position(name)).collect();
        let implied = Type::Object(object.clone());
        let has_computed_blocks = blocks.iter().any(|(_, b)| b.computed || b.block.has_computed_blocks());
        let mut order = vec![Slot::Attribute(0); object.attributes().len()];
        for (i, (name, _)) in blocks.iter().enumerate() {
            order[position(name)] = Slot::Blocks(i);
        }
        for (i, (name, _)) in attributes.iter().enumerate() {
            order[position(name)] = Slot::Attribute(i);
        }
        let order = order.into();
        let own = Traits::of_all(attributes.iter().map(|(_, a)| a));
        let traits = blocks.iter().fold(own, |all, (_, nested)| {
            all.and(nested.block.traits()).and(Traits::of_objects(nested.nesting))
        });
        let empty = OnceLock::new();
        Self(Arc::new(Inner {
            attributes,
            blocks,
            attribute_positions,
            block_positions,
            order,
            object,
            implied,
            has_computed_blocks,
            traits,
            empty,
        }))
    }

    /// The attributes, by name in byte order.
    pub fn attributes(&self) -> &[(SmolStr, Attribute)] {
        &self.0.attributes
    }

    /// The nested block types, by name in byte order.
    pub fn block_types(&self) -> &[(SmolStr, NestedBlock)] {
        &self.0.blocks
    }

    /// The attribute of this name.
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        find(&self.0.attributes, name)
    }

    /// The nested block type of this name.
    pub fn block_type(&self, name: &str) -> Option<&NestedBlock> {
        find(&self.0.blocks, name)
    }

    /// The type of the objects that this block describes.
    #[doc(alias = "ImpliedType")]
    pub fn implied_type(&self) -> &Type {
        &self.0.implied
    }

    /// The implied type as an object type.
    pub fn object_type(&self) -> &Arc<ObjectType> {
        &self.0.object
    }

    /// The object whose attributes are all null and which has no blocks.
    #[doc(alias = "EmptyValue")]
    #[doc(alias = "AllBlockAttrsNull")]
    pub fn empty_value(&self) -> &Value {
        self.0.empty.get_or_init(|| super::empty::empty_object(self))
    }

    /// Whether a block type at any depth is computed.
    ///
    /// ```
    /// use objchange::schema::{Block, NestedBlock, NestingMode};
    ///
    /// let disk = || NestedBlock::new(NestingMode::List, Block::new::<&str>([], []));
    /// assert!(Block::new([], [("disk", disk().computed())]).has_computed_blocks());
    /// assert!(!Block::new([], [("disk", disk())]).has_computed_blocks());
    /// ```
    pub fn has_computed_blocks(&self) -> bool {
        self.0.has_computed_blocks
    }

    /// All members in the order of the implied type.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&SmolStr, Member<'_>)> {
        let inner = &*self.0;
        inner.order.iter().map(|slot| match slot {
            Slot::Attribute(i) => {
                let (name, attribute) = &inner.attributes[*i];
                (name, Member::Attribute(attribute))
            }
            Slot::Blocks(i) => {
                let (name, nested) = &inner.blocks[*i];
                (name, Member::Blocks(nested))
            }
        })
    }

    /// Whether an attribute at any depth is write-only.
    pub(crate) fn has_write_only(&self) -> bool {
        self.traits().has(Traits::WRITE_ONLY)
    }

    pub(super) fn traits(&self) -> Traits {
        self.0.traits
    }

    /// The attributes with their positions in the implied type.
    pub(crate) fn positioned_attributes(&self) -> impl Iterator<Item = (usize, &SmolStr, &Attribute)> {
        std::iter::zip(&self.0.attribute_positions, &self.0.attributes).map(|(i, (n, a))| (*i, n, a))
    }

    /// The block types with their positions in the implied type.
    pub(crate) fn positioned_blocks(&self) -> impl Iterator<Item = (usize, &SmolStr, &NestedBlock)> {
        std::iter::zip(&self.0.block_positions, &self.0.blocks).map(|(i, (n, b))| (*i, n, b))
    }
}

impl NestedBlock {
    /// A nested block type without limits on the number of its blocks.
    pub fn new(nesting: NestingMode, block: Block) -> Self {
        Self { nesting, block, min_items: 0, max_items: 0, computed: false }
    }

    /// Makes the block type computed: the provider may fill it if it is not configured.
    #[must_use]
    pub fn computed(self) -> Self {
        Self { computed: true, ..self }
    }

    /// The type of all blocks of this kind together. List and map blocks that contain a dynamic type are
    /// dynamic themselves, because their elements may differ in type.
    pub fn implied_type(&self) -> Type {
        let object = self.block.implied_type();
        match self.nesting {
            NestingMode::Single | NestingMode::Group => object.clone(),
            NestingMode::List | NestingMode::Map if object.has_dynamic() => Type::Dynamic,
            NestingMode::List => Type::list(object.clone()),
            NestingMode::Map => Type::map(object.clone()),
            NestingMode::Set => Type::set(object.clone()),
        }
    }
}
