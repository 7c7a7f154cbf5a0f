//! The parts of a schema that can be configured.

use objchange::Type;
use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
use smol_str::SmolStr;

/// The maximum number of parts. Large schemas have more than a run can try.
const MAX_SPOTS: usize = 4_000;

/// A part of a schema that can be configured.
#[derive(Clone)]
pub(in super::super) struct Spot<'s> {
    /// The names that lead to it.
    pub(in super::super) names: Vec<SmolStr>,
    pub(in super::super) part: SchemaPart<'s>,
}

#[derive(Clone, Copy)]
pub(in super::super) enum SchemaPart<'s> {
    Attribute(&'s Attribute),
    Blocks(&'s NestedBlock),
}

impl Spot<'_> {
    /// The type of its value.
    pub(in super::super) fn ty(&self) -> Type {
        match self.part {
            SchemaPart::Attribute(attribute) => attribute.implied_type().clone(),
            SchemaPart::Blocks(nested) => nested.implied_type(),
        }
    }

    /// Whether configuration must have it.
    pub(in super::super) fn is_required(&self) -> bool {
        match self.part {
            SchemaPart::Attribute(attribute) => attribute.required,
            SchemaPart::Blocks(nested) => nested.nesting == NestingMode::Single && nested.min_items > 0,
        }
    }

    /// Whether it holds blocks.
    pub(in super::super) fn is_block(&self) -> bool {
        matches!(self.part, SchemaPart::Blocks(_))
    }

    /// Whether only the provider sees its value.
    pub(in super::super) fn is_write_only(&self) -> bool {
        matches!(self.part, SchemaPart::Attribute(attribute) if attribute.write_only)
    }

    /// Whether it can be unknown as a whole. A single block cannot: it exists or does not.
    pub(in super::super) fn can_be_unknown(&self) -> bool {
        match self.part {
            SchemaPart::Attribute(_) => true,
            SchemaPart::Blocks(nested) => !matches!(nested.nesting, NestingMode::Single | NestingMode::Group),
        }
    }

    /// Whether it holds blocks, or objects that have a schema of their own.
    pub(in super::super) fn is_objects(&self) -> bool {
        match self.part {
            SchemaPart::Attribute(attribute) => attribute.nested().is_some(),
            SchemaPart::Blocks(_) => true,
        }
    }

    /// Its path, as text.
    pub(in super::super) fn path(&self) -> String {
        self.names
            .iter()
            .fold(objchange::value::Path::root(), |path, name| path.attribute(name.clone()))
            .to_string()
    }
}

/// All parts that can be configured, the outermost first.
pub(in super::super) fn spots(block: &Block) -> Vec<Spot<'_>> {
    let mut found = Vec::new();
    members(&[], block.attributes(), block.block_types(), &mut found);
    let mut next = 0;
    // Breadth first, so that the limit leaves out the innermost parts.
    while next < found.len() && found.len() < MAX_SPOTS {
        let Spot { names, part } = found[next].clone();
        match part {
            SchemaPart::Attribute(attribute) => {
                if let Some(nested) = attribute.nested() {
                    members(&names, nested.attributes(), &[], &mut found);
                }
            }
            SchemaPart::Blocks(nested) => {
                members(&names, nested.block.attributes(), nested.block.block_types(), &mut found);
            }
        }
        next += 1;
    }
    found
}

fn members<'s>(
    around: &[SmolStr],
    attributes: &'s [(SmolStr, Attribute)],
    blocks: &'s [(SmolStr, NestedBlock)],
    found: &mut Vec<Spot<'s>>,
) {
    let at = |name: &SmolStr| around.iter().chain([name]).cloned().collect();
    let attributes = attributes.iter().filter(|(_, attribute)| is_configurable(attribute));
    found.extend(attributes.map(|(name, a)| Spot { names: at(name), part: SchemaPart::Attribute(a) }));
    found.extend(blocks.iter().map(|(name, b)| Spot { names: at(name), part: SchemaPart::Blocks(b) }));
}

/// Whether configuration may set it.
pub(in super::super) fn is_configurable(attribute: &Attribute) -> bool {
    attribute.required || attribute.optional
}
