//! Converts JSON syntax to a body of the native syntax, guided by a schema.

use std::borrow::Cow;

use hashbrown::HashSet;
use objchange::schema::{Block, NestingMode};
use objchange_text::{Diagnostic, Span};
use smol_str::SmolStr;

use super::attributes_as_blocks::{as_block, may_be_legacy};
use super::body::BodyPart;
use super::raw::{Content, RawBlock, RawBody};
use super::shape::Shape;
use crate::edition::Edition;
use crate::suggestion::did_you_mean;
use crate::syntax::ast::{self, Body, Label};
use crate::syntax::json::{JsonBody, Node, NodeKind, Property, Style};

/// The property name for comments in HCL's JSON syntax.
const COMMENT: &str = "//";

impl<'t> JsonBody<'t> {
    /// The properties whose names are distinguished so, and the others.
    pub(crate) fn split(&self, is_first: impl Fn(&str) -> bool) -> (JsonBody<'t>, JsonBody<'t>) {
        let [first, second] = [true, false].map(|wanted| {
            let part = |object: &Node<'t>| match &object.kind {
                NodeKind::Object(properties) => {
                    let chosen = properties.iter().filter(|property| is_first(&property.name) == wanted);
                    Node { span: object.span, kind: NodeKind::Object(chosen.cloned().collect()) }
                }
                _ => object.clone(),
            };
            let kind = match &self.node.kind {
                NodeKind::Array(elements) => NodeKind::Array(elements.iter().map(part).collect()),
                _ => part(&self.node).kind,
            };
            JsonBody { source: self.source, node: Node { span: self.node.span, kind } }
        });
        (first, second)
    }

    /// Reads the arguments and blocks that a shape names, and reports the rest unless the shape is open.
    pub(crate) fn content(&self, shape: &'static Shape, edition: Edition) -> (Content<'t>, Vec<Diagnostic>) {
        let mut reading = Reading { json: self, is_legacy: false, errors: Vec::new() };
        let mut blocks = Vec::new();
        let mut body = reading.begun(&self.node);
        let mut names = HashSet::new();
        for (properties, depth) in reading.objects(&self.node) {
            for property in properties {
                let name = &*property.name;
                let is_known = shape.is_known(name, edition);
                match (shape.argument(name), shape.labels(name)) {
                    (Some(style), _) if is_known => {
                        reading.argument(property, style, depth, &mut names, &mut body);
                    }
                    (_, Some(labels)) if is_known => {
                        reading.raw_blocks(property, &property.value, labels, &mut Vec::new(), &mut blocks);
                    }
                    _ if shape.is_open || name == COMMENT => {}
                    _ => {
                        let known = shape.argument_names(edition).chain(shape.block_names(edition));
                        reading.extraneous(property, known);
                    }
                }
            }
        }
        let rest = self.part(shape);
        let errors = reading.into_diagnostics();
        let body = body.moved(self.source.start);
        (Content { attributes: body.attributes, blocks, missing: body.missing, rest }, errors)
    }

    /// The body without the shape's own arguments, for the schema; empty unless the shape is open.
    pub(crate) fn part(&self, shape: &'static Shape) -> BodyPart {
        if shape.is_open {
            let (text, start) = self.source.slice(self.node.span);
            BodyPart::Json { text: text.into(), start, shape }
        } else {
            BodyPart::Native(Body::default())
        }
    }

    /// Whether no property says anything.
    pub(crate) fn is_empty(&self) -> bool {
        let is_empty = |node: &Node<'_>| match &node.kind {
            NodeKind::Object(properties) => properties.iter().all(|property| property.name == COMMENT),
            _ => true,
        };
        match &self.node.kind {
            NodeKind::Array(elements) => elements.iter().all(is_empty),
            _ => is_empty(&self.node),
        }
    }

    /// All properties as arguments whose strings are templates.
    pub(crate) fn templates(&self) -> (Body, Vec<Diagnostic>) {
        self.read(&Rules::Arguments(Style::Template), false)
    }

    /// The equivalent body in the native syntax, with the errors. The schema tells which properties are arguments and
    /// which are blocks.
    pub fn under(&self, schema: &Block) -> (Body, Vec<Diagnostic>) {
        self.read(&Rules::Body(Cow::Borrowed(schema)), may_be_legacy(schema))
    }

    /// All properties as arguments with literal values, as in a file of values for variables, with the errors.
    pub fn constants(&self) -> (Body, Vec<Diagnostic>) {
        self.read(&Rules::Arguments(Style::Constant), false)
    }

    fn read(&self, rules: &Rules<'_>, is_legacy: bool) -> (Body, Vec<Diagnostic>) {
        let mut reading = Reading { json: self, is_legacy, errors: Vec::new() };
        let body = reading.body(&self.node, rules, 1);
        (body.moved(self.source.start), reading.into_diagnostics())
    }
}

/// The arguments and blocks that a body may have.
enum Rules<'s> {
    /// Those of a schema, and dynamic blocks.
    Body(Cow<'s, Block>),
    /// Those of a dynamic block; `content` is the schema of its content, unknown types have none.
    Dynamic { content: Option<Cow<'s, Block>>, has_label: bool },
    /// Any arguments, no blocks.
    Arguments(Style),
}

/// The role of a property.
enum Meaning<'r> {
    Argument(Style),
    Blocks { label: Option<&'static str>, inside: Rules<'r> },
    Dynamic(&'r Block),
}

impl Rules<'_> {
    /// The names that a schema has.
    fn names(&self) -> Vec<&str> {
        let Self::Body(schema) = self else { return Vec::new() };
        let attributes = schema.attributes().iter().map(|(name, _)| name.as_str());
        attributes.chain(schema.block_types().iter().map(|(name, _)| name.as_str())).collect()
    }

    fn meaning(&self, name: &str, value: &Node<'_>, is_legacy: bool) -> Option<Meaning<'_>> {
        match self {
            Self::Arguments(style) => Some(Meaning::Argument(*style)).filter(|_| name != COMMENT),
            Self::Dynamic { content, has_label } => match name {
                "for_each" => Some(Meaning::Argument(Style::Template)),
                "labels" if *has_label => Some(Meaning::Argument(Style::Template)),
                "iterator" => Some(Meaning::Argument(Style::Name)),
                "content" => {
                    let schema = content.as_deref().map(Cow::Borrowed);
                    Some(Meaning::Blocks {
                        label: None,
                        inside: schema.map_or(Rules::Arguments(Style::Template), Rules::Body),
                    })
                }
                _ => None,
            },
            Self::Body(schema) => {
                if let Some(nested) = schema.block_type(name) {
                    let label = (nested.nesting == NestingMode::Map).then_some("key");
                    return Some(Meaning::Blocks {
                        label,
                        inside: Rules::Body(Cow::Borrowed(&nested.block)),
                    });
                }
                if let Some(attribute) = schema.attribute(name) {
                    let block = if is_legacy && are_blocks(value) { as_block(attribute) } else { None };
                    return Some(block.map_or(Meaning::Argument(Style::Template), |block| Meaning::Blocks {
                        label: None,
                        inside: Rules::Body(Cow::Owned(block)),
                    }));
                }
                // A block type or an attribute of this name comes first.
                (name == "dynamic").then_some(Meaning::Dynamic(schema))
            }
        }
    }
}

/// Whether a property may be blocks, where it may be an argument as well. An empty array is the argument.
fn are_blocks(value: &Node<'_>) -> bool {
    let is_object = |node: &Node<'_>| matches!(node.kind, NodeKind::Object(_));
    match &value.kind {
        NodeKind::Array(elements) => !elements.is_empty() && elements.iter().all(is_object),
        _ => is_object(value),
    }
}

struct Reading<'j, 't> {
    json: &'j JsonBody<'t>,
    is_legacy: bool,
    errors: Vec<Diagnostic>,
}

impl<'j, 't> Reading<'j, 't> {
    /// Returns the errors, with spans in the whole configuration.
    fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.errors.into_iter().map(|error| error.moved(self.json.source.start)).collect()
    }

    fn error(&mut self, summary: &'static str, span: Span, detail: String) {
        self.errors.push(Diagnostic::new(summary, span, detail));
    }

    /// The body from an object, from several objects in an array, or from null.
    fn body(&mut self, node: &'j Node<'t>, rules: &Rules<'_>, depth: u32) -> Body {
        let mut body = self.begun(node);
        let mut names = HashSet::new();
        for (properties, inner) in self.objects(node) {
            self.properties(properties, rules, depth - 1 + inner, &mut names, &mut body);
        }
        body
    }

    /// A body without anything in it.
    fn begun(&self, node: &Node<'t>) -> Body {
        let missing = match &node.kind {
            NodeKind::Object(_) => Span::new(node.span.end - 1, node.span.end),
            _ => node.open(),
        };
        Body { missing, ..Body::default() }
    }

    /// The objects of a body, each with its nesting depth.
    fn objects(&mut self, node: &'j Node<'t>) -> Vec<(&'j [Property<'t>], u32)> {
        const MISMATCH: &str = "Incorrect JSON value type";
        match &node.kind {
            // HCL 2.24 reads null as an empty body.
            NodeKind::Null => Vec::new(),
            NodeKind::Object(properties) => vec![(properties, 1)],
            NodeKind::Array(elements) => {
                let object = |element: &'j Node<'t>| match &element.kind {
                    NodeKind::Object(properties) => Some((&properties[..], 2)),
                    _ => {
                        let detail = "A JSON object is required here, to define arguments and child blocks.";
                        self.error(MISMATCH, element.span, detail.to_owned());
                        None
                    }
                };
                elements.iter().filter_map(object).collect()
            }
            _ => {
                let detail = "Either a JSON object or JSON array of objects is required here, to define arguments \
                              and child blocks.";
                self.error(MISMATCH, node.span, detail.to_owned());
                Vec::new()
            }
        }
    }

    fn properties(
        &mut self,
        properties: &'j [Property<'t>],
        rules: &Rules<'_>,
        depth: u32,
        names: &mut HashSet<&'j str>,
        body: &mut Body,
    ) {
        for property in properties {
            let Property { name, value, .. } = property;
            let Some(meaning) = rules.meaning(name, value, self.is_legacy) else {
                if name != COMMENT {
                    let is_free = |name: &&str| properties.iter().all(|property| property.name != *name);
                    self.extraneous(property, rules.names().into_iter().filter(is_free));
                }
                continue;
            };
            match meaning {
                Meaning::Argument(style) => self.argument(property, style, depth, names, body),
                Meaning::Blocks { label: None, inside } => {
                    self.blocks(property, None, &inside, depth, &mut body.blocks);
                }
                Meaning::Blocks { label: Some(label), inside } => {
                    for labelled in self.labelled(name, value, label) {
                        self.blocks(property, Some(labelled), &inside, depth, &mut body.blocks);
                    }
                }
                Meaning::Dynamic(schema) => {
                    for labelled in self.labelled(name, value, "type") {
                        let inside = self.dynamic(schema, &labelled.name);
                        self.blocks(property, Some(labelled), &inside, depth, &mut body.blocks);
                    }
                }
            }
        }
    }

    fn extraneous<'n>(&mut self, property: &Property<'t>, names: impl IntoIterator<Item = &'n str>) {
        let name = &property.name;
        let hint = did_you_mean(name, names);
        let detail = format!("No argument or block type is named {name:?}.{hint}");
        self.error("Extraneous JSON object property", property.name_span, detail);
    }

    /// Adds an argument.
    fn argument(
        &mut self,
        property: &'j Property<'t>,
        style: Style,
        depth: u32,
        names: &mut HashSet<&'j str>,
        body: &mut Body,
    ) {
        let Property { name, name_span, value } = property;
        // An argument is repeated even if different objects of an array set it.
        if !names.insert(&**name) {
            let detail = format!("The argument {name:?} was already set.");
            self.error("Duplicate argument", *name_span, detail);
            return;
        }
        let expr = self.json.source.expr(value, style, depth, &mut self.errors);
        body.attributes.push(ast::Attribute { name: SmolStr::new(name), name_span: *name_span, expr });
    }

    /// The blocks in the value of a property, below its labels.
    fn raw_blocks(
        &mut self,
        property: &'j Property<'t>,
        value: &'j Node<'t>,
        missing: &[&'static str],
        labels: &mut Vec<Label>,
        blocks: &mut Vec<RawBlock<'t>>,
    ) {
        let source = self.json.source;
        if let [label, missing @ ..] = missing {
            for labelled in self.labelled(&property.name, value, label) {
                let span = labelled.name_span.moved(source.start);
                labels.push(Label { text: SmolStr::new(&labelled.name), span });
                self.raw_blocks(property, &labelled.value, missing, labels, blocks);
                labels.pop();
            }
            return;
        }
        let open = value.open().moved(source.start);
        blocks.extend(self.bodies(&property.name, value).iter().map(|node| RawBlock {
            kind: SmolStr::new(&property.name),
            kind_span: property.name_span.moved(source.start),
            labels: labels.clone(),
            header: open,
            body: RawBody::Json(JsonBody { source, node: node.clone() }),
        }));
    }

    /// The rules of a dynamic block. An unknown block type is reported later, on expansion.
    fn dynamic<'s>(&self, schema: &'s Block, kind: &str) -> Rules<'s> {
        let nested = schema.block_type(kind);
        let legacy = || schema.attribute(kind).filter(|_| self.is_legacy).and_then(as_block).map(Cow::Owned);
        Rules::Dynamic {
            content: nested.map(|nested| Cow::Borrowed(&nested.block)).or_else(legacy),
            has_label: nested.is_some_and(|nested| nested.nesting == NestingMode::Map),
        }
    }

    /// The properties whose names are labels.
    fn labelled(&mut self, kind: &str, value: &'j Node<'t>, label: &str) -> Vec<&'j Property<'t>> {
        let elements = match &value.kind {
            NodeKind::Null => &[],
            NodeKind::Array(elements) => &elements[..],
            _ => std::slice::from_ref(value),
        };
        let mut found = Vec::new();
        for element in elements {
            match &element.kind {
                NodeKind::Object(properties) => found.extend(properties.iter()),
                _ => {
                    let detail = "Either a JSON object or JSON array of objects is required here, to specify type \
                                  labels for this block.";
                    self.error("Incorrect JSON value type", element.open(), detail.to_owned());
                }
            }
        }
        if found.is_empty() {
            let detail = format!(
                "At least one object property is required, whose name represents the {kind} block's {label}."
            );
            self.error("Missing block label", value.open(), detail);
        }
        found
    }

    /// The blocks in the value of a property, below the next label.
    fn blocks(
        &mut self,
        property: &'j Property<'t>,
        label: Option<&'j Property<'t>>,
        inside: &Rules<'_>,
        depth: u32,
        blocks: &mut Vec<ast::Block>,
    ) {
        let value = &label.unwrap_or(property).value;
        let bodies = self.bodies(&property.name, value);
        for body in bodies {
            let body = self.body(body, inside, depth + 3);
            let labels = label
                .map(|Property { name, name_span, .. }| Label { text: SmolStr::new(name), span: *name_span });
            blocks.push(ast::Block {
                kind: SmolStr::new(&property.name),
                kind_span: property.name_span,
                labels: labels.into_iter().collect(),
                header: value.open(),
                open: value.open(),
                close: value.open(),
                body,
            });
        }
    }

    /// The bodies of blocks of one type and labels.
    fn bodies(&mut self, kind: &str, value: &'j Node<'t>) -> &'j [Node<'t>] {
        match &value.kind {
            NodeKind::Null => &[],
            NodeKind::Object(_) => std::slice::from_ref(value),
            // Unlike a body, each element is a block of its own.
            NodeKind::Array(elements) => elements,
            _ => {
                let detail = format!(
                    "Either a JSON object or a JSON array is required, representing the contents of one or more {kind:?} \
                     blocks."
                );
                self.error("Incorrect JSON value type", value.span, detail);
                &[]
            }
        }
    }
}
