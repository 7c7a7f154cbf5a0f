//! Checks whether a schema is well-formed, by the rules of Terraform Core.

use smol_str::SmolStr;

use super::attribute::{Attribute, AttributeType, NestingMode};
use super::block::{Block, NestedBlock};
use crate::value::{Path, PathStack};

/// A problem with a schema, with its path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {kind}")]
#[non_exhaustive]
pub struct SchemaProblem {
    /// The attribute or block type, by the names from the root of the schema.
    pub path: Path,
    /// The problem with it.
    pub kind: SchemaProblemKind,
}

/// A problem with a schema itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaProblemKind {
    /// An attribute says neither who must nor who may set it.
    #[error("the attribute must be required, optional or computed")]
    NeitherRequiredOptionalNorComputed,
    /// An attribute must be set, and may be left out.
    #[error("the attribute cannot be both required and optional")]
    RequiredAndOptional,
    /// An attribute must be set, and the provider may choose its value.
    #[error("the attribute cannot be both required and computed")]
    RequiredAndComputed,
    /// A nested type has the nesting mode of blocks that are always there.
    #[error("a nested type cannot have the nesting mode group, which is for blocks only")]
    NestedTypeGroup,
    /// An attribute and a block type have one name.
    #[error("the name is that of an attribute and of a block type; each needs a name of its own")]
    AttributeAndBlock,
    /// The name of a block type cannot be written in a configuration.
    #[error("the name of a block type may have only lowercase letters, digits and underscores")]
    BlockName,
    /// A single block has limits other than none, or exactly one.
    #[error("a single block must have min_items and max_items both 0, or both 1")]
    SingleLimits,
    /// A group has limits on the number of its blocks.
    #[error("a group is always there once and cannot have min_items or max_items")]
    GroupLimits,
    /// A map of blocks has limits on their number.
    #[error("a map of blocks cannot have min_items or max_items")]
    MapLimits,
    /// The least number of blocks is above the largest.
    #[error("min_items must not be above max_items")]
    MinAboveMax,
    /// A type is dynamic inside of a set, whose elements must all have one known type.
    #[error("nothing inside of a set can have a dynamic type")]
    DynamicInSet,
    /// An attribute that no plan or state shows is in a set, whose elements are distinguished by content.
    #[error("no attribute inside of a set can be write-only")]
    WriteOnlyInSet,
    /// The provider chooses a block, but not all that is in it.
    #[error("everything inside of a computed block must be computed")]
    NotComputedInComputedBlock,
    /// A block that is always there cannot be left to the provider.
    #[error("a group is always there and cannot be computed")]
    ComputedGroup,
    /// Blocks that configuration must have cannot be left to the provider.
    #[error("a computed block cannot have min_items above 0")]
    ComputedMinItems,
}

impl SchemaProblemKind {
    /// The stable name of the kind of problem.
    pub fn kind(self) -> &'static str {
        match self {
            Self::NeitherRequiredOptionalNorComputed => "neither_required_optional_nor_computed",
            Self::RequiredAndOptional => "required_and_optional",
            Self::RequiredAndComputed => "required_and_computed",
            Self::NestedTypeGroup => "nested_type_group",
            Self::AttributeAndBlock => "attribute_and_block",
            Self::BlockName => "block_name",
            Self::SingleLimits => "single_limits",
            Self::GroupLimits => "group_limits",
            Self::MapLimits => "map_limits",
            Self::MinAboveMax => "min_above_max",
            Self::DynamicInSet => "dynamic_in_set",
            Self::WriteOnlyInSet => "write_only_in_set",
            Self::NotComputedInComputedBlock => "not_computed_in_computed_block",
            Self::ComputedGroup => "computed_group",
            Self::ComputedMinItems => "computed_min_items",
        }
    }
}

impl Block {
    /// Everything that is wrong with the schema itself, by name, attributes before blocks.
    ///
    /// The functions of this library work with such a schema nevertheless; Terraform refuses it.
    ///
    /// ```
    /// use objchange::Type;
    /// use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
    ///
    /// let rule = Block::new([("port", Attribute::optional(Type::Dynamic))], []);
    /// let block = Block::new(
    ///     [("id", Attribute { required: true, ..Attribute::computed(Type::String) })],
    ///     [("rule", NestedBlock::new(NestingMode::Set, rule))],
    /// );
    /// let problems: Vec<String> = block.validate().iter().map(ToString::to_string).collect();
    /// assert_eq!(problems, [
    ///     "id: the attribute cannot be both required and computed",
    ///     "rule.port: nothing inside of a set can have a dynamic type",
    /// ]);
    /// ```
    #[doc(alias = "InternalValidate")]
    #[must_use = "returns the violations; empty means valid"]
    pub fn validate(&self) -> Vec<SchemaProblem> {
        let mut problems = Vec::new();
        let outside = Enclosing { set: false, computed_block: false };
        Validator { problems: &mut problems }.block(self, outside, PathStack::ROOT);
        problems
    }
}

/// The constructs around a part of the schema, at any depth.
#[derive(Clone, Copy)]
struct Enclosing {
    set: bool,
    computed_block: bool,
}

impl Enclosing {
    fn inside_of(self, nesting: NestingMode) -> Self {
        Self { set: self.set || nesting == NestingMode::Set, ..self }
    }
}

struct Validator<'p> {
    problems: &'p mut Vec<SchemaProblem>,
}

impl Validator<'_> {
    fn block(&mut self, block: &Block, around: Enclosing, path: PathStack<'_>) {
        for (name, attribute) in block.attributes() {
            self.attribute(attribute, around, path.attribute(name));
            if around.computed_block && !attribute.computed {
                self.add(path.attribute(name), SchemaProblemKind::NotComputedInComputedBlock);
            }
        }
        for (name, nested) in block.block_types() {
            let path = path.attribute(name);
            if block.attribute(name).is_some() {
                self.add(path, SchemaProblemKind::AttributeAndBlock);
            }
            self.nested_block(name, nested, around, path);
        }
    }

    fn attribute(&mut self, attribute: &Attribute, around: Enclosing, path: PathStack<'_>) {
        let Attribute { required, optional, computed, .. } = *attribute;
        // The rules are those of Terraform 1.16's `InternalValidate`. All problems are reported, not only
        // the first.
        if !(required || optional || computed) {
            self.add(path, SchemaProblemKind::NeitherRequiredOptionalNorComputed);
        }
        if required && optional {
            self.add(path, SchemaProblemKind::RequiredAndOptional);
        }
        if required && computed {
            self.add(path, SchemaProblemKind::RequiredAndComputed);
        }
        // Set elements have no identity but their value, so there would be no path to a write-only value in
        // one.
        if around.set && attribute.write_only {
            self.add(path, SchemaProblemKind::WriteOnlyInSet);
        }
        match &attribute.ty {
            AttributeType::Plain(ty) => {
                // Elements of a set must have one type, which a dynamic part would leave open.
                if around.set && ty.has_dynamic() {
                    self.add(path, SchemaProblemKind::DynamicInSet);
                }
            }
            AttributeType::Nested(nested) => {
                if nested.nesting() == NestingMode::Group {
                    self.add(path, SchemaProblemKind::NestedTypeGroup);
                }
                for (name, attribute) in nested.attributes() {
                    self.attribute(attribute, around.inside_of(nested.nesting()), path.attribute(name));
                }
            }
        }
    }

    fn nested_block(&mut self, name: &SmolStr, nested: &NestedBlock, around: Enclosing, path: PathStack<'_>) {
        // `InternalValidate` checks only the names of blocks so strictly, not those of attributes.
        let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_';
        if name.is_empty() || !name.bytes().all(allowed) {
            self.add(path, SchemaProblemKind::BlockName);
        }
        let limits = (nested.min_items, nested.max_items);
        match nested.nesting {
            // `min_items` of 1 is how a schema requires a single block.
            NestingMode::Single if !matches!(limits, (0, 0) | (1, 1)) => {
                self.add(path, SchemaProblemKind::SingleLimits);
            }
            NestingMode::Group if limits != (0, 0) => self.add(path, SchemaProblemKind::GroupLimits),
            NestingMode::Map if limits != (0, 0) => self.add(path, SchemaProblemKind::MapLimits),
            NestingMode::List | NestingMode::Set if nested.max_items != 0 && limits.0 > limits.1 => {
                self.add(path, SchemaProblemKind::MinAboveMax);
            }
            _ => {}
        }
        // A group always exists, so nothing would be left for the provider to decide.
        if nested.computed && nested.nesting == NestingMode::Group {
            self.add(path, SchemaProblemKind::ComputedGroup);
        }
        if nested.computed && nested.min_items > 0 {
            self.add(path, SchemaProblemKind::ComputedMinItems);
        }
        if around.computed_block && !nested.computed {
            self.add(path, SchemaProblemKind::NotComputedInComputedBlock);
        }
        let computed_block = around.computed_block || nested.computed;
        let inside = Enclosing { computed_block, ..around.inside_of(nested.nesting) };
        self.block(&nested.block, inside, path);
    }

    fn add(&mut self, path: PathStack<'_>, kind: SchemaProblemKind) {
        self.problems.push(SchemaProblem { path: path.to_path(), kind });
    }
}
