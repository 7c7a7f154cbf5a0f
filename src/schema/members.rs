//! The members of an object as its schema describes them, in the order of the object's type.

use std::sync::Arc;

use smol_str::SmolStr;

use super::attribute::{Attribute, NestedType, Traits};
use super::block::{Block, NestedBlock};
use crate::value::ObjectType;

/// The schema of one object: a block, or the object of a nested type.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Members<'s> {
    Block(&'s Block),
    Nested(&'s NestedType),
}

/// The schema of one member of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Member<'s> {
    Attribute(&'s Attribute),
    Blocks(&'s NestedBlock),
}

impl<'s> Members<'s> {
    /// The type of the object; its attributes are the members, in the same order.
    pub(crate) fn object_type(self) -> &'s Arc<ObjectType> {
        match self {
            Self::Block(block) => block.object_type(),
            Self::Nested(nested) => nested.object_type(),
        }
    }

    /// Whether there are only attributes of plain types that are not computed.
    pub(crate) fn are_plain(self) -> bool {
        !self.traits().has(Traits::COMPUTED.and(Traits::OBJECTS))
    }

    /// Whether a set of objects is inside, at any depth.
    pub(crate) fn have_sets(self) -> bool {
        self.traits().has(Traits::SETS)
    }

    /// Whether an attribute at any depth is sensitive or write-only.
    pub(super) fn have_hidden(self) -> bool {
        self.traits().has(Traits::HIDDEN)
    }

    pub(super) fn traits(self) -> Traits {
        match self {
            Self::Block(block) => block.traits(),
            Self::Nested(nested) => nested.traits(),
        }
    }

    /// The member of that name.
    pub(crate) fn get(self, name: &str) -> Option<Member<'s>> {
        match self {
            Self::Block(block) => {
                let attribute = block.attribute(name).map(Member::Attribute);
                attribute.or_else(|| block.block_type(name).map(Member::Blocks))
            }
            Self::Nested(nested) => nested.attribute(name).map(Member::Attribute),
        }
    }

    /// The members with their names, in the order of the object's type.
    pub(crate) fn iter(self) -> impl Iterator<Item = (&'s SmolStr, Member<'s>)> {
        let (block, nested) = match self {
            Self::Block(block) => (Some(block.members()), None),
            Self::Nested(nested) => (None, Some(nested.attributes().iter())),
        };
        let attributes = nested.into_iter().flatten().map(|(name, a)| (name, Member::Attribute(a)));
        block.into_iter().flatten().chain(attributes)
    }
}
