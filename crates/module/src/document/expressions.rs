//! Expressions of the configuration: constant values, or what they refer to.

use objchange::Value;
use objchange::schema::{Block, NestingMode};
use objchange::value::PathStep;
use objchange_hcl::{Body, Expr, Reference, WrittenAsBlocks, constant_value, may_be_legacy, variables};

use super::json::JsonWriter;
use crate::plan::answer_checks::has_infinity;

impl JsonWriter {
    /// The value of an expression, if it is constant, and what the expression refers to.
    pub(super) fn expression(&mut self, expr: &Expr) {
        // Terraform takes what is written in JSON as it is written, also where it is a template.
        let written = self.sources().json_value(expr.span);
        let value = written.or_else(|| constant_value(expr, self.language()));
        self.constant_or_references(value, &variables(expr));
    }

    fn constant_or_references(&mut self, value: Option<Value>, references: &[Reference<'_>]) {
        self.object(|json| {
            // Terraform leaves out what is no JSON.
            if let Some(value) = value.filter(|value| !has_infinity(value)) {
                json.member("constant_value", |json| json.known(&value));
            }
            json.strings_member("references", references.iter().flat_map(names));
        });
    }

    /// `count` or `for_each`, left out if there is nothing to say of it.
    pub(super) fn repetition(&mut self, name: &str, expr: Option<&Expr>) {
        if let Some(expr) = expr {
            self.member_unless_empty(name, |json| json.expression(expr));
        }
    }

    /// The arguments and blocks of a body, by its schema. Dynamic blocks are left out, as Terraform leaves them out.
    pub(super) fn expressions(&mut self, body: &Body, schema: &Block) {
        self.arguments(body, schema, schema);
    }

    /// Writes the arguments of a nested block. Under a legacy `whole` schema, attributes may be written as blocks.
    fn arguments(&mut self, body: &Body, schema: &Block, whole: &Block) {
        let is_block = |name: &str| body.blocks.iter().any(|block| block.kind == name);
        let written = |name: &str| {
            let attribute = schema.attribute(name).filter(|_| is_block(name) && may_be_legacy(whole))?;
            Some((WrittenAsBlocks::new(body, name, attribute)?, attribute))
        };
        let mut attributes: Vec<_> = body
            .attributes
            .iter()
            .filter(|attribute| schema.attribute(&attribute.name).is_some())
            .map(|attribute| (attribute.name.as_str(), Some(&attribute.expr)))
            .collect();
        let kinds = schema.block_types().iter().map(|(name, _)| name);
        let kinds =
            kinds.chain(schema.attributes().iter().map(|(name, _)| name)).map(|name| (name.as_str(), None));
        attributes.extend(kinds.filter(|(name, _)| {
            is_block(name) && (schema.block_type(name).is_some() || written(name).is_some())
        }));
        attributes.sort_by_key(|(name, _)| *name);
        self.object(|json| {
            for (name, expr) in attributes {
                match (expr, written(name)) {
                    (Some(expr), _) => json.member(name, |json| json.expression(expr)),
                    (None, Some((blocks, attribute))) => json.member(name, |json| {
                        let value = blocks.constant_value(name, attribute, json.language());
                        json.constant_or_references(value, &blocks.references());
                    }),
                    (None, None) => json.blocks(name, body, schema, whole),
                }
            }
        });
    }

    fn blocks(&mut self, name: &str, body: &Body, schema: &Block, whole: &Block) {
        let Some(nested) = schema.block_type(name) else { return };
        let mut blocks = body.blocks.iter().filter(|block| block.kind == name);
        self.member(name, |json| match nested.nesting {
            NestingMode::List | NestingMode::Set => {
                json.array(|json| blocks.for_each(|block| json.arguments(&block.body, &nested.block, whole)));
            }
            NestingMode::Single | NestingMode::Group => {
                if let Some(block) = blocks.next() {
                    json.arguments(&block.body, &nested.block, whole);
                }
            }
            // By label.
            _ => {
                let label = |block: &objchange_hcl::Block| {
                    block.labels.first().map(|label| label.text.clone()).unwrap_or_default()
                };
                let mut labelled: Vec<_> = blocks.map(|block| (label(block), block)).collect();
                labelled.sort_by(|(a, _), (b, _)| a.cmp(b));
                json.object(|json| {
                    for (label, block) in labelled {
                        json.member(&label, |json| json.arguments(&block.body, &nested.block, whole));
                    }
                });
            }
        });
    }
}

/// A reference as documents have it: all of it, then shorter and shorter down to the object that it refers to.
fn names(reference: &Reference<'_>) -> Vec<String> {
    let steps: Vec<PathStep> = reference.path().map(|(step, _)| step).collect();
    let named = |i: usize| match steps.get(i) {
        Some(PathStep::Attribute(name)) => Some(name.as_str()),
        _ => None,
    };
    // How many steps name the object.
    let object = match named(0) {
        Some("self") => 1,
        // An instance of a module with an output of it ends there; alone it is followed by the module.
        Some("module") if matches!(steps.get(2), Some(PathStep::Index(_))) && steps.len() > 3 => 3,
        Some("data" | "ephemeral" | "resource") => 3,
        _ => 2,
    };
    let object = object.min(steps.len());
    (object..=steps.len()).rev().map(|length| reference.prefix(length)).collect()
}
