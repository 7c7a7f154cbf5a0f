//! The facts about a part of a value that comparisons need from a schema: which arrays are sets, and what is
//! sensitive.

use objchange::Type;
use objchange::schema::{Attribute, AttributeType, Block, NestedType, NestingMode};

/// The schema of a part of a value.
#[derive(Clone, Copy)]
pub(crate) enum SchemaPart<'s> {
    /// No schema is known.
    Unknown,
    Block(&'s Block),
    /// The blocks of a type that may have several.
    Blocks(NestingMode, &'s Block),
    /// An object of a nested type.
    Object(&'s NestedType),
    /// The objects of a nested type that may have several.
    Objects(&'s NestedType),
    Type(&'s Type),
}

impl<'s> SchemaPart<'s> {
    pub(crate) fn of_block(block: Option<&'s Block>) -> Self {
        block.map_or(Self::Unknown, Self::Block)
    }

    fn of_attribute(attribute: &'s Attribute) -> (Self, bool) {
        let part = match &attribute.ty {
            AttributeType::Plain(ty) => Self::Type(ty),
            AttributeType::Nested(nested) if nested.nesting() == NestingMode::Single => Self::Object(nested),
            AttributeType::Nested(nested) => Self::Objects(nested),
        };
        (part, attribute.sensitive)
    }

    /// The schema of a member, and whether that calls it sensitive.
    pub(crate) fn member(self, key: &str) -> (Self, bool) {
        let unknown = (Self::Unknown, false);
        match self {
            Self::Block(block) => match (block.attribute(key), block.block_type(key)) {
                (Some(attribute), _) => Self::of_attribute(attribute),
                (None, Some(nested)) => match nested.nesting {
                    NestingMode::Single | NestingMode::Group => (Self::Block(&nested.block), false),
                    nesting => (Self::Blocks(nesting, &nested.block), false),
                },
                (None, None) => unknown,
            },
            Self::Object(nested) => nested.attribute(key).map_or(unknown, Self::of_attribute),
            Self::Blocks(NestingMode::Map, block) => (Self::Block(block), false),
            Self::Objects(nested) if nested.nesting() == NestingMode::Map => (Self::Object(nested), false),
            Self::Type(Type::Map(element)) => (Self::Type(element), false),
            Self::Type(Type::Object(object)) => {
                (object.attribute(key).map_or(Self::Unknown, Self::Type), false)
            }
            _ => unknown,
        }
    }

    /// The schema of an element.
    pub(crate) fn element(self, index: usize) -> Self {
        match self {
            Self::Blocks(NestingMode::List | NestingMode::Set, block) => Self::Block(block),
            Self::Objects(nested) if nested.nesting() != NestingMode::Map => Self::Object(nested),
            Self::Type(Type::List(element) | Type::Set(element)) => Self::Type(element),
            Self::Type(Type::Tuple(tuple)) => tuple.elements().get(index).map_or(Self::Unknown, Self::Type),
            _ => Self::Unknown,
        }
    }

    /// Whether an array here is a set.
    pub(crate) fn is_set(self) -> bool {
        match self {
            Self::Blocks(nesting, _) => nesting == NestingMode::Set,
            Self::Objects(nested) => nested.nesting() == NestingMode::Set,
            Self::Type(ty) => matches!(ty, Type::Set(_)),
            _ => false,
        }
    }
}
