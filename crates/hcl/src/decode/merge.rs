//! Merges override files: arguments one by one, blocks all of a type at once.

use hashbrown::{HashMap, HashSet};
use smol_str::SmolStr;

use super::raw::RawBlock;
use crate::syntax::ast::{Attribute, Block, Body};

/// Changes a body as an overriding one says.
pub(crate) fn merge(body: &mut Body, Body { attributes, blocks, .. }: Body) {
    replace_attributes(&mut body.attributes, attributes);
    replace_blocks(body, blocks);
}

pub(crate) fn replace_attributes(all: &mut Vec<Attribute>, attributes: Vec<Attribute>) {
    let by_name: HashMap<SmolStr, usize> =
        all.iter().enumerate().map(|(i, attribute)| (attribute.name.clone(), i)).collect();
    for attribute in attributes {
        match by_name.get(&attribute.name) {
            Some(first) => all[*first] = attribute,
            None => all.push(attribute),
        }
    }
}

fn replace_blocks(body: &mut Body, blocks: Vec<Block>) {
    let kinds: HashSet<SmolStr> = blocks.iter().map(|block| made(block).into()).collect();
    body.blocks.retain(|block| !kinds.contains(made(block)));
    body.blocks.extend(blocks);
}

/// The type of the blocks that a block is or makes.
fn made(block: &Block) -> &str {
    match (&*block.kind, &block.labels[..]) {
        ("dynamic", [kind]) => &kind.text,
        (kind, _) => kind,
    }
}

/// Blocks whose labels say nothing about what they replace.
pub(crate) fn replace_raw_blocks<'t>(all: &mut Vec<RawBlock<'t>>, blocks: Vec<RawBlock<'t>>) {
    let kinds: HashSet<SmolStr> = blocks.iter().map(|block| block.kind.clone()).collect();
    all.retain(|block| !kinds.contains(&block.kind));
    all.extend(blocks);
}
