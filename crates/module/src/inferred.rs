//! Schemas of resources whose provider has none: what is written in their blocks.

use std::collections::BTreeMap;

use objchange::Type;
use objchange::change::IgnoreChanges;
use objchange::schema::{Attribute, Block, NestedBlock, NestingMode, Schema};
use objchange::value::PathStep;
use objchange_hcl::{ActionConfig, Body, ResourceConfig};
use smol_str::SmolStr;

/// The schema of one resource block, which has exactly what is written in it. Its types are those of the expressions.
pub(crate) fn inferred_schema(config: &ResourceConfig) -> Schema {
    let body = config.body.generic();
    let mut names: BTreeMap<SmolStr, Attribute> = BTreeMap::new();
    // An ignored attribute is no mistake, and nobody knows its type.
    if let IgnoreChanges::Paths(paths) = &config.lifecycle.ignore_changes {
        for path in paths {
            if let Some(PathStep::Attribute(name)) = path.steps().first()
                && !body.blocks.iter().any(|block| block.kind == *name)
            {
                names.insert(name.clone(), Attribute::optional_computed(Type::Dynamic));
            }
        }
    }
    Schema::new(0, block(&[&body], names))
}

/// The schema of the configuration of one action, which has exactly what is written in it.
pub(crate) fn inferred_action_schema(config: &ActionConfig) -> Schema {
    let body = config.config.as_ref().map(|(_, body)| body.generic()).unwrap_or_default();
    Schema::new(0, block(&[&body], BTreeMap::new()))
}

/// A block with all that these bodies have.
fn block(bodies: &[&Body], mut attributes: BTreeMap<SmolStr, Attribute>) -> Block {
    let mut blocks: BTreeMap<SmolStr, Vec<&Body>> = BTreeMap::new();
    for body in bodies {
        for attribute in &body.attributes {
            attributes.insert(attribute.name.clone(), Attribute::optional(Type::Dynamic));
        }
        for block in &body.blocks {
            match (block.kind.as_str(), block.labels.first()) {
                ("dynamic", Some(label)) => {
                    let contents = block.body.blocks.iter().filter(|inner| inner.kind == "content");
                    blocks
                        .entry(label.text.as_str().into())
                        .or_default()
                        .extend(contents.map(|inner| &inner.body));
                }
                (kind, _) => blocks.entry(kind.into()).or_default().push(&block.body),
            }
        }
    }
    let blocks: Vec<_> = blocks
        .into_iter()
        .filter(|(name, _)| !attributes.contains_key(name))
        .map(|(name, bodies)| (name, NestedBlock::new(NestingMode::List, block(&bodies, BTreeMap::new()))))
        .collect();
    Block::new(attributes, blocks)
}
