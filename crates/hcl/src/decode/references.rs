//! What a body refers to, by its schema: what must be known before dynamic blocks can be expanded, and what all of it
//! needs.

use objchange::schema::{Block, NestingMode};
use smol_str::SmolStr;

use super::attributes_as_blocks::BlockAttributes;
use super::expand::{has_label, iterator_root};
use super::find;
use crate::syntax::ast::{self, Body, Expr};
use crate::walk::{Reference, variables};

/// The purpose for which the references of a body are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To expand its dynamic blocks: what their `for_each` and labels need.
    Expansion,
    /// To expand and decode it.
    Everything,
    /// To decode it where dynamic blocks are no more than blocks of an unknown type.
    Unexpanded,
    /// What Terraform Core asks for: everything, also in blocks that are written for an attribute.
    Core,
}

/// The variables that a body needs for a purpose, in source order, as often as they are there. The names that
/// dynamic blocks and `for` give to their elements are none.
pub fn references<'b>(body: &'b Body, schema: &Block, purpose: Purpose) -> Vec<Reference<'b>> {
    let mut walk = Walk { purpose, found: Vec::new(), iterators: Vec::new() };
    walk.body(body, schema);
    walk.found
}

struct Walk<'b> {
    purpose: Purpose,
    found: Vec<Reference<'b>>,
    /// Those of the dynamic blocks around.
    iterators: Vec<&'b str>,
}

impl<'b> Walk<'b> {
    fn expr(&mut self, expr: &'b Expr) {
        let needed = variables(expr).into_iter();
        self.found.extend(needed.filter(|needed| !self.iterators.contains(&needed.name.as_str())));
    }

    fn body(&mut self, body: &'b Body, schema: &Block) {
        if self.purpose != Purpose::Expansion {
            let known =
                body.attributes.iter().filter(|attribute| schema.attribute(&attribute.name).is_some());
            known.for_each(|attribute| self.expr(&attribute.expr));
        }
        let written = BlockAttributes::new(schema, body, self.purpose == Purpose::Core);
        let mut met: Vec<&SmolStr> = Vec::new();
        for block in &body.blocks {
            if block.kind == "dynamic" {
                if self.purpose != Purpose::Unexpanded {
                    self.dynamic(block, schema, &written);
                }
                continue;
            }
            let Some(has_label) = has_label(&block.kind, schema, &written) else { continue };
            if block.labels.len() != usize::from(has_label) {
                continue;
            }
            let is_single = schema
                .block_type(&block.kind)
                .is_some_and(|nested| matches!(nested.nesting, NestingMode::Single | NestingMode::Group));
            if is_single && self.purpose == Purpose::Unexpanded {
                if met.contains(&&block.kind) {
                    continue;
                }
                met.push(&block.kind);
            }
            self.inside(&block.kind, &block.body, schema, &written);
        }
    }

    /// The content of a block of this type.
    fn inside(&mut self, kind: &str, body: &'b Body, schema: &Block, written: &BlockAttributes) {
        if let Some(nested) = schema.block_type(kind) {
            self.body(body, &nested.block);
        } else if let Some(block) = written.find(kind) {
            self.body(body, block);
        }
    }

    fn dynamic(&mut self, block: &'b ast::Block, schema: &Block, written: &BlockAttributes) {
        let [kind] = &block.labels[..] else { return };
        let attribute = |name: &str| find(&block.body.attributes, name).map(|attribute| &attribute.expr);
        let iterator = match attribute("iterator") {
            None => kind.text.as_str(),
            Some(expr) => match iterator_root(expr) {
                Some((name, _)) => name,
                None => return,
            },
        };
        if let Some(for_each) = attribute("for_each") {
            self.expr(for_each);
        }
        self.iterators.push(iterator);
        if let Some(labels) = attribute("labels") {
            self.expr(labels);
        }
        let contents =
            block.body.blocks.iter().filter(|block| block.kind == "content" && block.labels.is_empty());
        for content in contents {
            self.inside(&kind.text, &content.body, schema, written);
        }
        self.iterators.pop();
    }
}
