//! What files that override others change: arguments one by one, blocks all of a type at once.

use hashbrown::{HashMap, HashSet};
use objchange_text::{Diagnostic, Span};
use smol_str::SmolStr;

use super::{Declarations, Module};
use crate::syntax::ast::{Attribute, Block, Body};

impl<'t> Module<'t> {
    /// Changes what is declared.
    pub(super) fn override_with(&mut self, file: Declarations<'t>, errors: &mut Vec<Diagnostic>) {
        for block in file.body.blocks {
            match (&*block.kind, &block.labels[..]) {
                ("variable", [name]) => match self.variables.get_mut(&name.text) {
                    Some(variable) => {
                        for rule in &block.body.blocks {
                            let detail = "Override files cannot override \"validation\" blocks.";
                            errors.push(Diagnostic::new(
                                "Can't override validation blocks",
                                rule.header,
                                detail,
                            ));
                        }
                        replace_attributes(&mut variable.body, block.body.attributes);
                    }
                    None => missing("variable declaration", "variable", &name.text, block.header, errors),
                },
                ("locals", []) => {
                    for local in block.body.attributes {
                        let place = local.name_span.to(local.expr.span);
                        match self.locals.get_mut(&local.name) {
                            Some(first) => *first = local,
                            None => {
                                missing("local value definition", "local value", &local.name, place, errors);
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        for resource in file.resources {
            let key = (resource.resource_type, resource.name);
            let Some(first) = self.by_name.get(&key).map(|index| &mut self.resources[*index]) else {
                let detail = format!(
                    "There is no {} resource named {:?}. An override file can only override a resource block defined in a \
                     primary configuration file.",
                    key.0, key.1
                );
                errors.push(Diagnostic::new("Missing resource to override", resource.header, detail));
                continue;
            };
            if let Some(depends_on) = resource.meta.attributes.iter().find(|a| a.name == "depends_on") {
                let detail = "The depends_on argument may not be overridden.";
                errors.push(Diagnostic::new("Unsupported override", depends_on.name_span, detail));
            }
            first.merge_meta(resource.meta);
            first.config.extend(resource.config);
        }
    }
}

fn missing(what: &str, kind: &str, name: &str, place: Span, errors: &mut Vec<Diagnostic>) {
    let made = if kind == "variable" { "declared" } else { "defined" };
    let detail = format!(
        "There is no {kind} named {name:?}. An override file can only override a {kind} that was already {made} in a \
         primary configuration file."
    );
    errors.push(Diagnostic::new(
        ("missing_base_to_override", format!("Missing base {what} to override")),
        place,
        detail,
    ));
}

impl super::Declared<'_> {
    /// Arguments are replaced one by one, also those of `lifecycle`; other blocks all of a type.
    fn merge_meta(&mut self, Body { attributes, blocks, .. }: Body) {
        replace_attributes(&mut self.meta, attributes);
        let (lifecycle, others): (Vec<Block>, Vec<Block>) =
            blocks.into_iter().partition(|block| block.kind == "lifecycle");
        for block in lifecycle {
            match self.meta.blocks.iter_mut().find(|other| other.kind == "lifecycle") {
                Some(first) => merge(&mut first.body, block.body),
                None => self.meta.blocks.push(block),
            }
        }
        replace_blocks(&mut self.meta, others);
    }
}

/// Changes a body as an overriding one says.
pub(super) fn merge(body: &mut Body, Body { attributes, blocks, .. }: Body) {
    replace_attributes(body, attributes);
    replace_blocks(body, blocks);
}

fn replace_attributes(body: &mut Body, attributes: Vec<Attribute>) {
    let by_name: HashMap<SmolStr, usize> =
        body.attributes.iter().enumerate().map(|(i, attribute)| (attribute.name.clone(), i)).collect();
    for attribute in attributes {
        match by_name.get(&attribute.name) {
            Some(first) => body.attributes[*first] = attribute,
            None => body.attributes.push(attribute),
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
