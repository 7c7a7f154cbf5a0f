//! Dynamic blocks: one block of a body becomes as many as its `for_each` has elements.

use hashbrown::HashMap;
use objchange::schema::{Block, NestingMode};
use objchange::value::{Kind, Marks};
use objchange::{Type, Value};
use objchange_text::Span;
use smol_str::SmolStr;

use super::attributes_as_blocks::BlockAttributes;
use super::{Content, Decoder, Surroundings, find};
use crate::eval::{Scope, dynamic};
use crate::syntax::ast::{self, Body, Expr, ExprKind};

/// A block after expansion: a literal one, or an instance of a dynamic block.
pub(super) struct Instance<'b> {
    pub(super) body: &'b Body,
    pub(super) label: Option<SmolStr>,
    /// Type and labels, as written.
    pub(super) header: Span,
    /// The iterator of the enclosing dynamic block: its name and its value for this instance.
    pub(super) iterator: Option<(&'b str, Value)>,
    pub(super) surroundings: Surroundings,
}

/// The blocks of a body by their type, in source order.
#[derive(Default)]
pub(super) struct Instances<'b>(HashMap<SmolStr, Vec<Instance<'b>>>);

impl<'b> Instances<'b> {
    pub(super) fn take(&mut self, name: &str) -> Vec<Instance<'b>> {
        if self.0.is_empty() { Vec::new() } else { self.0.remove(name).unwrap_or_default() }
    }

    fn of_type(&mut self, kind: &SmolStr) -> &mut Vec<Instance<'b>> {
        self.0.entry_ref(kind).or_default()
    }
}

/// Whether blocks of a type have a label; `None` if there is no such type.
pub(super) fn has_label(kind: &str, schema: &Block, written: &BlockAttributes) -> Option<bool> {
    match schema.block_type(kind) {
        Some(nested) => Some(nested.nesting == NestingMode::Map),
        None => written.find(kind).map(|_| false),
    }
}

/// The header of a dynamic block.
struct Dynamic<'b> {
    kind: &'b SmolStr,
    header: Span,
    iterator: &'b str,
    label: Option<&'b Expr>,
    content: &'b Body,
}

impl Decoder<'_> {
    /// All blocks of a body.
    pub(super) fn instances<'b>(
        &mut self,
        content: Content<'b, '_>,
        schema: &Block,
        written: &BlockAttributes,
    ) -> Instances<'b> {
        let mut instances = Instances::default();
        for block in &content.body.blocks {
            // A schema may have blocks of its own named `dynamic`.
            if block.kind == "dynamic" && schema.block_type("dynamic").is_none() {
                self.expand(block, content, schema, written, &mut instances);
            } else {
                let Some(has_label) = has_label(&block.kind, schema, written) else {
                    self.unsupported_block(&block.kind, block.kind_span, schema);
                    continue;
                };
                let needed: &[&str] = if has_label { &["key"] } else { &[] };
                if self.check_labels(block, needed) {
                    // Marks of an outer `for_each` reach nested blocks only if the outer dynamic block is unknown.
                    let is_unknown = content.surroundings.is_unknown;
                    // Labels make map blocks; no other nesting has any.
                    let marks = if is_unknown { content.surroundings.marks } else { Default::default() };
                    instances.of_type(&block.kind).push(Instance {
                        body: &block.body,
                        label: block.labels.first().map(|label| label.text.clone()),
                        header: block.header,
                        iterator: None,
                        surroundings: Surroundings { marks, is_unknown },
                    });
                }
            }
        }
        instances
    }

    fn unsupported_block(&mut self, kind: &str, span: Span, schema: &Block) {
        let detail = if schema.attribute(kind).is_some() {
            format!(
                "Blocks of type {kind:?} are not expected here. Did you mean to define argument {kind:?}? If so, use the equals sign to assign it a value."
            )
        } else {
            format!("Blocks of type {kind:?} are not expected here.")
        };
        self.error("Unsupported block type", span, detail);
    }

    /// Whether a block has as many labels as it needs.
    fn check_labels(&mut self, block: &ast::Block, needed: &[&str]) -> bool {
        let kind = &block.kind;
        if let Some(extra) = block.labels.get(needed.len()) {
            let detail = match needed.len() {
                0 => format!("No labels are expected for {kind} blocks."),
                n => format!("Only {n} labels ({}) are expected for {kind} blocks.", needed.join(", ")),
            };
            self.error(("extraneous_label", format!("Extraneous label for {kind}")), extra.span, detail);
            return false;
        }
        if let Some(missing) = needed.get(block.labels.len()) {
            let detail =
                format!("All {kind} blocks must have {} labels ({}).", needed.len(), needed.join(", "));
            self.error(("missing_label", format!("Missing {missing} for {kind}")), block.open, detail);
            return false;
        }
        true
    }

    fn expand<'b>(
        &mut self,
        block: &'b ast::Block,
        content: Content<'b, '_>,
        schema: &Block,
        written: &BlockAttributes,
        instances: &mut Instances<'b>,
    ) {
        if !self.check_labels(block, &["type"]) {
            return;
        }
        let Some(kind) = block.labels.first() else { return };
        let Some(has_label) = has_label(&kind.text, schema, written) else {
            return self.unsupported_block(&kind.text, kind.span, schema);
        };
        let Some(for_each) = self.dynamic_body(block, has_label) else { return };
        // The order of HCL's `dynblock`: body, iterator, `for_each`, labels, content. A failing block is dropped and
        // the others go on.
        let Some(iterator) = self.iterator(block, &kind.text) else { return };
        let errors = self.evaluator.diagnostics.len();
        let collection = self.evaluator.explained(for_each, content.scope);
        if self.evaluator.diagnostics.len() > errors {
            return;
        }
        // Checked by type, so an unknown string fails, too.
        if collection.is_null() || collection.ty().is_primitive() {
            let detail = if collection.is_null() {
                "Cannot use a null value in for_each.".to_owned()
            } else {
                format!(
                    "Cannot use a {} value in for_each. An iterable collection is required.",
                    collection.ty().friendly_name()
                )
            };
            return self.error("Invalid dynamic for_each value", for_each.span, detail);
        }
        let Ok(label) = self.label_expr(block, has_label) else { return };
        let Some(inside) = self.content_block(block) else { return };
        let dynamic_block =
            Dynamic { kind: &kind.text, header: block.header, iterator, label, content: &inside.body };
        let marks = collection.marks();
        let around = content.surroundings;
        let mut round = |decoder: &mut Self, key: Value, value: Value, is_unknown: bool| {
            let is_unknown = is_unknown || around.is_unknown;
            let marks = if around.is_unknown { marks | around.marks } else { marks };
            let surroundings = Surroundings { marks, is_unknown };
            let before = decoder.evaluator.hide(marks);
            decoder.round(&dynamic_block, key, value, surroundings, content.scope, instances);
            decoder.evaluator.hides = before;
        };
        match collection.kind() {
            // With an unknown number of blocks, the structure of one is checked.
            Kind::Unknown(_) => round(self, dynamic(), dynamic(), true),
            Kind::List(elements) | Kind::Tuple(elements) => {
                for (i, element) in elements.iter().enumerate() {
                    round(self, Value::from(i), element.clone(), false);
                }
            }
            Kind::Set(elements) => elements.iter().for_each(|e| round(self, e.clone(), e.clone(), false)),
            Kind::Map(map) => {
                map.iter()
                    .for_each(|(key, value)| round(self, Value::from(key.clone()), value.clone(), false));
            }
            Kind::Object(object) => {
                object
                    .iter()
                    .for_each(|(name, value)| round(self, Value::from(name.clone()), value.clone(), false));
            }
            _ => {}
        }
    }

    /// Checks which arguments and blocks a dynamic block has; gives its `for_each`.
    fn dynamic_body<'b>(&mut self, block: &'b ast::Block, has_label: bool) -> Option<&'b Expr> {
        let errors = self.evaluator.diagnostics.len();
        for attribute in &block.body.attributes {
            let is_known = matches!(&*attribute.name, "for_each" | "iterator")
                || has_label && attribute.name == "labels";
            // `labels` without labels in the schema is an unknown argument, as in `dynblock`.
            if !is_known {
                let detail = format!("An argument named {:?} is not expected here.", attribute.name);
                self.error("Unsupported argument", attribute.name_span, detail);
            }
        }
        for nested in &block.body.blocks {
            if nested.kind == "content" {
                self.check_labels(nested, &[]);
            } else {
                let detail = format!("Blocks of type {:?} are not expected here.", nested.kind);
                self.error("Unsupported block type", nested.kind_span, detail);
            }
        }
        let needed: &[&str] = if has_label { &["for_each", "labels"] } else { &["for_each"] };
        for name in needed {
            if find(&block.body.attributes, name).is_none() {
                let detail = format!("The argument {name:?} is required, but no definition was found.");
                self.error("Missing required argument", block.body.missing, detail);
            }
        }
        let is_fine = self.evaluator.diagnostics.len() == errors;
        find(&block.body.attributes, "for_each").map(|attribute| &attribute.expr).filter(|_| is_fine)
    }

    /// The name by which the content refers to its element.
    fn iterator<'b>(&mut self, block: &'b ast::Block, kind: &'b SmolStr) -> Option<&'b str> {
        let Some(attribute) = find(&block.body.attributes, "iterator") else { return Some(kind) };
        let summary = match iterator_root(&attribute.expr) {
            Some((name, true)) => return Some(name),
            Some((_, false)) => "Invalid dynamic iterator name",
            None => "Invalid expression",
        };
        let detail = "Dynamic iterator must be a single variable name.";
        self.error(summary, attribute.expr.span, detail.to_owned());
        None
    }

    /// The expression of the label, if the blocks have one.
    fn label_expr<'b>(&mut self, block: &'b ast::Block, has_label: bool) -> Result<Option<&'b Expr>, ()> {
        let Some(labels) = find(&block.body.attributes, "labels").filter(|_| has_label) else {
            return Ok(None);
        };
        let ExprKind::Tuple(items) = &labels.expr.kind else {
            let detail = "A static list expression is required.".to_owned();
            self.error("Invalid expression", labels.expr.start(), detail);
            return Err(());
        };
        if let Some(extra) = items.get(1) {
            let detail = "Blocks of this type have one label.".to_owned();
            self.error("Extraneous dynamic block label", extra.span, detail);
            return Err(());
        }
        match items.first() {
            Some(label) => Ok(Some(label)),
            None => {
                let detail = "Blocks of this type need a label.".to_owned();
                self.error("Insufficient dynamic block labels", labels.expr.span, detail);
                Err(())
            }
        }
    }

    fn content_block<'b>(&mut self, block: &'b ast::Block) -> Option<&'b ast::Block> {
        let mut contents = block.body.blocks.iter().filter(|block| block.kind == "content");
        let first = contents.next();
        if first.is_none() {
            let detail = "A dynamic block must have a nested block of type \"content\" to describe the body of each \
                          generated block.";
            self.error("Missing dynamic content block", block.body.missing, detail.to_owned());
        }
        if let Some(extra) = contents.next() {
            let detail = "Only one nested content block is allowed for each dynamic block.";
            self.error("Extraneous dynamic content block", extra.kind_span, detail.to_owned());
            return None;
        }
        first
    }

    /// One block.
    fn round<'b>(
        &mut self,
        block: &Dynamic<'b>,
        key: Value,
        value: Value,
        surroundings: Surroundings,
        scope: &Scope<'_>,
        instances: &mut Instances<'b>,
    ) {
        let each = Value::object([("key", key), ("value", value)]);
        let names = [(block.iterator, each)];
        let label = match block.label {
            None => None,
            Some(expr) => match self.label(expr, &scope.with(&names)) {
                Some(label) => Some(label),
                None => return,
            },
        };
        let [iterator] = names;
        instances.of_type(block.kind).push(Instance {
            body: block.content,
            label,
            header: block.header,
            iterator: Some(iterator),
            surroundings,
        });
    }

    fn label(&mut self, expr: &Expr, scope: &Scope<'_>) -> Option<SmolStr> {
        let errors = self.evaluator.diagnostics.len();
        let value = self.evaluator.explained(expr, scope);
        if self.evaluator.diagnostics.len() > errors {
            return None;
        }
        let wrong = if value.is_null() {
            "Cannot use a null value as a dynamic block label."
        } else if !value.marks().without(Marks::INVENTED).is_empty() {
            "This value cannot be a dynamic block label: it is sensitive or ephemeral, and labels are shown."
        } else {
            match value.convert(&Type::String) {
                Ok(label) => match label.as_str() {
                    Some(label) => return Some(SmolStr::new(label)),
                    None => {
                        "This value is not yet known. Dynamic block labels must be immediately-known values."
                    }
                },
                Err(_) => "Cannot use this value as a dynamic block label: a string is required.",
            }
        };
        self.error("Invalid dynamic block label", expr.span, wrong.to_owned());
        None
    }
}

/// The name that an iterator expression begins with, and whether there is nothing else.
pub(super) fn iterator_root(expr: &Expr) -> Option<(&str, bool)> {
    let name = match &expr.kind {
        ExprKind::Variable(variable) => return Some((&variable.name, variable.steps.is_empty())),
        // `hcl.AbsTraversalForExpr` takes these words for names.
        ExprKind::Literal(value) if value.is_null() => "null",
        ExprKind::Literal(value) if value.as_bool()? => "true",
        ExprKind::Literal(_) => "false",
        _ => return None,
    };
    Some((name, true))
}
