//! Terraform's or OpenTofu's rules.

use objchange::schema::{Block, NestedBlock};

/// The implementation whose rules apply to the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Flavor {
    /// Terraform.
    #[default]
    Terraform,
    /// OpenTofu. It knows no computed blocks, and does not send the private data of the first plan when it plans
    /// again.
    OpenTofu,
}

impl Flavor {
    /// The name in arguments.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Terraform => "terraform",
            Self::OpenTofu => "opentofu",
        }
    }

    /// The schema as this implementation understands it.
    pub(super) fn understood(self, block: &Block) -> Block {
        match self {
            // Computed blocks are new in protocol 6.11, and OpenTofu 1.13 speaks 6.10.
            Self::OpenTofu if block.has_computed_blocks() => without_computed(block),
            _ => block.clone(),
        }
    }
}

fn without_computed(block: &Block) -> Block {
    let nested = block.block_types().iter().map(|(name, nested)| {
        let block = without_computed(&nested.block);
        let (min_items, max_items) = (nested.min_items, nested.max_items);
        (name.clone(), NestedBlock { min_items, max_items, ..NestedBlock::new(nested.nesting, block) })
    });
    Block::new(block.attributes().iter().cloned(), nested)
}
