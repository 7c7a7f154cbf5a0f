//! Schemas of resources whose provider has none: what is written in their blocks.

use std::collections::{BTreeMap, BTreeSet};

use objchange::Type;
use objchange::change::IgnoreChanges;
use objchange::schema::{Attribute, Block, NestedBlock, NestingMode, Schema};
use objchange::value::PathStep;
use objchange_hcl::{ActionConfig, Body, ResourceConfig};
use smol_str::SmolStr;

/// The schema of one resource block, which has exactly what is written in it. Its types are those of the expressions.
pub(crate) fn inferred_schema(config: &ResourceConfig) -> Schema {
    let mut written = Written::new(&[&config.body.generic()]);
    if let IgnoreChanges::Paths(paths) = &config.lifecycle.ignore_changes {
        paths.iter().for_each(|path| written.add_ignored(path.steps()));
    }
    Schema::new(0, written.block())
}

/// The schema of the configuration of one action, which has exactly what is written in it.
pub(crate) fn inferred_action_schema(config: &ActionConfig) -> Schema {
    let body = config.config.as_ref().map(|(_, body)| body.generic()).unwrap_or_default();
    Schema::new(0, Written::new(&[&body]).block())
}

/// The names that are written in bodies.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) attributes: BTreeSet<SmolStr>,
    /// Parts that `ignore_changes` names alone.
    ignored: BTreeSet<SmolStr>,
    /// The blocks by their names, with all that is written in blocks of one name.
    pub(crate) blocks: BTreeMap<SmolStr, Written>,
}

impl Written {
    /// All that these bodies have together.
    pub(crate) fn new(bodies: &[&Body]) -> Self {
        let mut written = Self::default();
        let mut blocks: BTreeMap<SmolStr, Vec<&Body>> = BTreeMap::new();
        for body in bodies {
            written.attributes.extend(body.attributes.iter().map(|attribute| attribute.name.clone()));
            for block in &body.blocks {
                match (block.kind.as_str(), block.labels.first()) {
                    ("dynamic", Some(label)) => {
                        let contents = block.body.blocks.iter().filter(|inner| inner.kind == "content");
                        let inner = contents.map(|inner| &inner.body);
                        blocks.entry(label.text.as_str().into()).or_default().extend(inner);
                    }
                    (kind, _) => blocks.entry(kind.into()).or_default().push(&block.body),
                }
            }
        }
        written.blocks = blocks.into_iter().map(|(name, bodies)| (name, Self::new(&bodies))).collect();
        written
    }

    /// Adds the first part of an ignored path that no block has. It is no mistake, and nobody knows its type.
    fn add_ignored(&mut self, steps: &[PathStep]) {
        let Some((PathStep::Attribute(name), rest)) = steps.split_first() else { return };
        match self.blocks.get_mut(name) {
            Some(inner) => {
                let key = rest.iter().take_while(|step| matches!(step, PathStep::Index(_))).count();
                inner.add_ignored(&rest[key..]);
            }
            None => drop(self.ignored.insert(name.clone())),
        }
    }

    /// A block that has them.
    fn block(&self) -> Block {
        let ignored =
            self.ignored.iter().map(|name| (name.clone(), Attribute::optional_computed(Type::Dynamic)));
        let mut attributes: BTreeMap<SmolStr, Attribute> = ignored.collect();
        for name in &self.attributes {
            attributes.insert(name.clone(), Attribute::optional(Type::Dynamic));
        }
        let blocks = self.blocks.iter().filter(|(name, _)| !attributes.contains_key(*name));
        let blocks: Vec<_> = blocks
            .map(|(name, inner)| (name.clone(), NestedBlock::new(NestingMode::List, inner.block())))
            .collect();
        Block::new(attributes, blocks)
    }
}
