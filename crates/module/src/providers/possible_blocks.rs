//! Blocks that a provider may compute, in schemas that do not say which ones it computes.
//!
//! Computed blocks came with Terraform 1.16. A document that an older version wrote has no flag for them.

use objchange::schema::{Block, NestedBlock, NestingMode, ProviderSchemas};

use super::legacy::is_legacy;

/// Schemas in which each block is computed that may be, so that it is unknown where configuration leaves it out. Types with
/// a computed block stay as they are, because their schemas have the flag. So do types of the older SDK, which knows no computed
/// blocks.
///
/// ```
/// use objchange::schema::{ProviderSchemas, SchemaKind};
/// use objchange_module::with_possible_computed_blocks;
///
/// let text = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/hashicorp/x":{
///     "resource_schemas":{"x_thing":{"version":0,"block":{"block_types":{
///         "made":{"nesting_mode":"list","block":{"attributes":{
///             "k":{"type":"string","optional":true,"computed":true}}}},
///         "given":{"nesting_mode":"list","block":{"attributes":{
///             "k":{"type":"string","optional":true}}}}}}}}}}}"#;
/// let schemas = with_possible_computed_blocks(ProviderSchemas::parse(text)?);
/// let schema = schemas.find(SchemaKind::Resource, "x_thing")?.unwrap();
/// assert!(schema.block.block_type("made").unwrap().computed);
/// assert!(!schema.block.block_type("given").unwrap().computed);
/// # Ok::<(), objchange::schema::SchemaDocumentError>(())
/// ```
pub fn with_possible_computed_blocks(schemas: ProviderSchemas) -> ProviderSchemas {
    schemas.adjusting_resources(|block| {
        let has_flags = block.has_computed_blocks() || is_legacy(block);
        (!has_flags && has_possible(block)).then(|| assuming(block))
    })
}

/// Whether a schema may call a block type computed: then everything in it must be, and none of its blocks may be required.
fn may_be_computed(nested: &NestedBlock) -> bool {
    let attributes = nested.block.attributes();
    nested.nesting != NestingMode::Group
        && nested.min_items == 0
        && attributes.iter().all(|(_, attribute)| attribute.computed)
        && nested.block.block_types().iter().all(|(_, nested)| may_be_computed(nested))
}

fn has_possible(block: &Block) -> bool {
    block.block_types().iter().any(|(_, nested)| may_be_computed(nested) || has_possible(&nested.block))
}

fn assuming(block: &Block) -> Block {
    let nested = block.block_types().iter().map(|(name, nested)| {
        let computed = may_be_computed(nested);
        (name.clone(), NestedBlock { computed, block: assuming(&nested.block), ..nested.clone() })
    });
    Block::new(block.attributes().iter().cloned(), nested)
}
