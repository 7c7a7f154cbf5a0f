//! What JSON says under a schema: the body that would say the same in the native syntax.

use std::borrow::Cow;

use hashbrown::HashSet;
use objchange::schema::{Block, NestingMode};
use smol_str::SmolStr;

use super::attributes_as_blocks::{as_block, may_be_legacy};
use crate::diagnostic::Diagnostic;
use crate::module::{Inside, Shape};
use crate::source::Span;
use crate::syntax::ast::{self, Body, Label};
use crate::syntax::json::{JsonBody, Node, NodeKind, Property, Style};

/// What a property may be that has nothing to say.
const COMMENT: &str = "//";

impl<'t> JsonBody<'t> {
    /// The properties whose names are told apart so, and the others.
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

    /// The bodies of the resources, which a schema says how to read; what is wrong with how they are written.
    pub(crate) fn resources(&self) -> (Vec<JsonResource<'t>>, Vec<Diagnostic>) {
        let mut reading = Reading { json: self, is_legacy: false, errors: Vec::new() };
        let mut found = Vec::new();
        let objects = match &self.node.kind {
            NodeKind::Array(elements) => &elements[..],
            _ => std::slice::from_ref(&self.node),
        };
        for object in objects {
            let NodeKind::Object(properties) = &object.kind else { continue };
            for property in properties.iter().filter(|property| property.name == "resource") {
                for ty in reading.labelled("resource", &property.value, "type") {
                    for name in reading.labelled("resource", &ty.value, "name") {
                        let bodies = reading.bodies("resource", &name.value);
                        found.extend(bodies.iter().map(|node| JsonResource {
                            resource_type: SmolStr::new(&ty.name),
                            name: SmolStr::new(&name.name),
                            place: node.open().moved(self.source.start),
                            body: JsonBody { source: self.source, node: node.clone() },
                        }));
                    }
                }
            }
        }
        (found, reading.told())
    }

    /// The body that would say the same in the native syntax, and what is wrong: a schema says which properties are
    /// arguments and which are blocks.
    pub fn under(&self, schema: &Block) -> (Body, Vec<Diagnostic>) {
        self.read(&Rules::Body(Cow::Borrowed(schema)), may_be_legacy(schema))
    }

    /// All properties as arguments that mean what stands there, as in a file of values for variables; and what is
    /// wrong.
    pub fn constants(&self) -> (Body, Vec<Diagnostic>) {
        self.read(&Rules::Arguments(Style::Constant), false)
    }

    /// The body, where no provider says what may be in it.
    pub(crate) fn shaped(&self, shape: &'static Shape) -> (Body, Vec<Diagnostic>) {
        self.read(&Rules::Shape(shape), false)
    }

    fn read(&self, rules: &Rules<'_>, is_legacy: bool) -> (Body, Vec<Diagnostic>) {
        let mut reading = Reading { json: self, is_legacy, errors: Vec::new() };
        let body = reading.body(&self.node, rules, 1);
        (body.moved(self.source.start), reading.told())
    }
}

/// A resource as it stands in JSON.
pub(crate) struct JsonResource<'t> {
    pub(crate) resource_type: SmolStr,
    pub(crate) name: SmolStr,
    /// The bracket that its body begins with.
    pub(crate) place: Span,
    pub(crate) body: JsonBody<'t>,
}

/// What may be in a body.
enum Rules<'s> {
    /// What a schema has, and dynamic blocks.
    Body(Cow<'s, Block>),
    /// What a dynamic block has, whose content is of this schema.
    Dynamic { content: Option<Cow<'s, Block>>, has_label: bool },
    /// What a shape has.
    Shape(&'static Shape),
    /// Any arguments, no blocks.
    Arguments(Style),
}

/// What a property is.
enum Meaning<'r> {
    Argument(Style),
    /// Nothing that is read here.
    Nothing,
    Blocks {
        label: Option<&'static str>,
        inside: Rules<'r>,
    },
    Dynamic(&'r Block),
}

impl Rules<'_> {
    fn meaning(&self, name: &str, value: &Node<'_>, is_legacy: bool) -> Option<Meaning<'_>> {
        match self {
            Self::Arguments(style) => Some(Meaning::Argument(*style)).filter(|_| name != COMMENT),
            Self::Shape(shape) => {
                if let Some((_, style)) = shape.arguments.iter().find(|(other, _)| *other == name) {
                    return Some(Meaning::Argument(*style));
                }
                let (_, labels, inside) = shape.blocks.iter().find(|(other, ..)| *other == name)?;
                let inside = match inside {
                    Inside::Shape(shape) => Rules::Shape(shape),
                    Inside::Arguments => Rules::Arguments(Style::Template),
                    Inside::Ignored => return Some(Meaning::Nothing),
                };
                Some(Meaning::Blocks { label: labels.first().copied(), inside })
            }
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
    /// What is wrong, with its place in all of the configuration.
    fn told(self) -> Vec<Diagnostic> {
        self.errors.into_iter().map(|error| error.moved(self.json.source.start)).collect()
    }

    fn error(&mut self, summary: &'static str, span: Span, detail: String) {
        self.errors.push(Diagnostic::new(summary, span, detail));
    }

    /// The body that an object is, or several in an array, or null.
    fn body(&mut self, node: &'j Node<'t>, rules: &Rules<'_>, depth: u32) -> Body {
        const MISMATCH: &str = "Incorrect JSON value type";
        let mut body = Body { missing: node.open(), ..Body::default() };
        let mut names = HashSet::new();
        match &node.kind {
            NodeKind::Null => {}
            NodeKind::Object(properties) => {
                body.missing = Span::new(node.span.end - 1, node.span.end);
                self.properties(properties, rules, depth, &mut names, &mut body);
            }
            NodeKind::Array(elements) => {
                for element in elements.iter() {
                    match &element.kind {
                        NodeKind::Object(properties) => {
                            self.properties(properties, rules, depth + 1, &mut names, &mut body);
                        }
                        _ => {
                            let detail =
                                "A JSON object is required here, to define arguments and child blocks.";
                            self.error(MISMATCH, element.span, detail.to_owned());
                        }
                    }
                }
            }
            _ => {
                let detail = "Either a JSON object or JSON array of objects is required here, to define arguments \
                              and child blocks.";
                self.error(MISMATCH, node.span, detail.to_owned());
            }
        }
        body
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
            let Property { name, name_span, value } = property;
            let Some(meaning) = rules.meaning(name, value, self.is_legacy) else {
                if name != COMMENT {
                    let detail = format!("No argument or block type is named {name:?}.");
                    self.error("Extraneous JSON object property", *name_span, detail);
                }
                continue;
            };
            match meaning {
                Meaning::Nothing => {}
                Meaning::Argument(style) => {
                    if !names.insert(&**name) {
                        let detail = format!("The argument {name:?} was already set.");
                        self.error("Duplicate argument", *name_span, detail);
                        continue;
                    }
                    let expr = self.json.source.expr(value, style, depth, &mut self.errors);
                    body.attributes.push(ast::Attribute {
                        name: SmolStr::new(name),
                        name_span: *name_span,
                        expr,
                    });
                }
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

    /// What is in a dynamic block for blocks of a type. That there is no such type is found when it is expanded.
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

    /// The blocks that are the value of a property, or of the label in it.
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
