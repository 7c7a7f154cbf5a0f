//! The references of a body under its schema: those needed to expand its dynamic blocks, and those of the whole body.

use objchange::Value;
use objchange::schema::{Block, NestingMode};
use objchange::value::Kind;
use smol_str::SmolStr;

use super::attributes_as_blocks::BlockAttributes;
use super::expand::{has_label, iterator_root};
use super::find;
use crate::eval::{Scope, dynamic, evaluate};
use crate::function::Functions;
use crate::syntax::ast::{self, Body, Expr};
use crate::walk::{Reference, variables};

/// The purpose for which the references of a body are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To expand its dynamic blocks: references in their `for_each` and labels.
    Expansion,
    /// To expand and decode it.
    Everything,
    /// To decode it without expansion: dynamic blocks are blocks of an unknown type.
    Unexpanded,
    /// As Terraform Core collects them: everything, including blocks written for an attribute.
    Core,
}

/// The variables that a body needs for a purpose, in source order, with repetitions. Iterators of dynamic blocks and
/// variables of `for` are left out.
pub fn references<'b>(body: &'b Body, schema: &Block, purpose: Purpose) -> Vec<Reference<'b>> {
    let mut walk = Walk { purpose, expansion: None, found: Vec::new(), iterators: Vec::new() };
    walk.body(body, schema);
    walk.found
}

/// The variables that a body needs once its dynamic blocks are expanded: those for Terraform Core, without the contents of
/// dynamic blocks whose `for_each` is empty, unknown or wrong.
pub fn expanded_references<'b>(
    body: &'b Body,
    schema: &Block,
    scope: &Scope<'_>,
    functions: &Functions,
) -> Vec<Reference<'b>> {
    let expansion = Some((scope, functions));
    let mut walk = Walk { purpose: Purpose::Core, expansion, found: Vec::new(), iterators: Vec::new() };
    walk.body(body, schema);
    walk.found
}

struct Walk<'b, 's> {
    purpose: Purpose,
    /// The values that dynamic blocks are expanded with.
    expansion: Option<(&'s Scope<'s>, &'s Functions)>,
    found: Vec<Reference<'b>>,
    /// Those of the dynamic blocks around, with their elements where blocks are expanded.
    iterators: Vec<(&'b str, Value)>,
}

impl<'b> Walk<'b, '_> {
    fn expr(&mut self, expr: &'b Expr) {
        let needed = variables(expr).into_iter();
        let is_iterator = |name: &str| self.iterators.iter().any(|(iterator, _)| *iterator == name);
        self.found.extend(needed.filter(|needed| !is_iterator(needed.name)));
    }

    fn body(&mut self, body: &'b Body, schema: &Block) {
        if self.purpose != Purpose::Expansion {
            let known =
                body.attributes.iter().filter(|attribute| schema.attribute(&attribute.name).is_some());
            known.for_each(|attribute| self.expr(&attribute.expr));
        }
        let written = BlockAttributes::new(schema, body, self.purpose == Purpose::Core);
        let mut visited: Vec<&SmolStr> = Vec::new();
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
            // `hcldec` without expansion walks only the first block of such a type.
            if is_single && self.purpose == Purpose::Unexpanded {
                if visited.contains(&&block.kind) {
                    continue;
                }
                visited.push(&block.kind);
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
                // An iterator that is not a traversal omits the whole dynamic block.
                None => return,
            },
        };
        let for_each = attribute("for_each");
        if let Some(for_each) = for_each {
            self.expr(for_each);
        }
        let elements = match self.expansion {
            Some(expansion) => self.elements(for_each, expansion),
            None => vec![dynamic()],
        };
        let is_content = |block: &&ast::Block| block.kind == "content" && block.labels.is_empty();
        let contents: Vec<&ast::Block> = block.body.blocks.iter().filter(is_content).collect();
        let has_dynamic = contents.iter().any(|content| content.body.blocks.iter().any(contains_dynamic));
        // Only expansions inside depend on the element.
        let rounds = if has_dynamic { elements.len() } else { elements.len().min(1) };
        if let Some(labels) = attribute("labels") {
            self.iterators.push((iterator, dynamic()));
            self.expr(labels);
            self.iterators.pop();
        }
        for element in elements.into_iter().take(rounds) {
            self.iterators.push((iterator, element));
            for content in &contents {
                self.inside(&kind.text, &content.body, schema, written);
            }
            self.iterators.pop();
        }
    }

    /// The values of the iterator of a dynamic block, one for each block that it generates.
    fn elements(&self, for_each: Option<&Expr>, (scope, functions): (&Scope<'_>, &Functions)) -> Vec<Value> {
        let Some(for_each) = for_each else { return Vec::new() };
        let (collection, errors) = evaluate(for_each, &scope.with(&self.iterators), functions);
        let each = |key: Value, value: &Value| Value::object([("key", key), ("value", value.clone())]);
        match collection.kind() {
            _ if !errors.is_empty() => Vec::new(),
            Kind::List(elements) | Kind::Tuple(elements) => {
                elements.iter().enumerate().map(|(i, value)| each(Value::from(i), value)).collect()
            }
            Kind::Set(elements) => elements.iter().map(|value| each(value.clone(), value)).collect(),
            Kind::Map(map) => map.iter().map(|(key, value)| each(Value::from(key.clone()), value)).collect(),
            Kind::Object(object) => {
                object.iter().map(|(name, value)| each(Value::from(name.clone()), value)).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn contains_dynamic(block: &ast::Block) -> bool {
    block.kind == "dynamic" || block.body.blocks.iter().any(contains_dynamic)
}
