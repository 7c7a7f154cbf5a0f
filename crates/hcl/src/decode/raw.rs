//! Blocks of either syntax, read by their shapes.

use smol_str::SmolStr;

use super::body::BodyPart;
use super::problems::Problems;
use super::shape::Shape;
use crate::sources::SourceFile;
use crate::suggestion::did_you_mean;
use crate::syntax::ast::{Attribute, Block, Body, Label};
use crate::syntax::json::{JsonBody, body_at};
use crate::syntax::{parse_body, parse_body_partly};
use crate::walk::variables;
use objchange_text::Span;

/// A block whose body is not read yet.
#[derive(Debug, Clone)]
pub(crate) struct RawBlock<'t> {
    pub(crate) kind: SmolStr,
    pub(crate) kind_span: Span,
    pub(crate) labels: Vec<Label>,
    pub(crate) header: Span,
    pub(crate) body: RawBody<'t>,
}

/// The body of a block.
#[derive(Debug, Clone)]
pub(crate) enum RawBody<'t> {
    Native(Body),
    Json(JsonBody<'t>),
}

/// The arguments and blocks of a body that its shape names.
#[derive(Debug, Clone)]
pub(crate) struct Content<'t> {
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) blocks: Vec<RawBlock<'t>>,
    /// The place for errors about missing parts.
    pub(crate) missing: Span,
    /// The rest of a body with an open shape, for the schema.
    pub(crate) rest: BodyPart,
}

impl<'t> RawBody<'t> {
    /// The place of the first argument with a reference, at any depth; `None` for JSON, whose strings are templates.
    pub(crate) fn first_computed(&self) -> Option<Span> {
        fn first(body: &Body) -> Option<Span> {
            let is_computed = |attribute: &&Attribute| !variables(&attribute.expr).is_empty();
            let own = body.attributes.iter().find(is_computed).map(|attribute| attribute.expr.span);
            own.or_else(|| body.blocks.iter().find_map(|block| first(&block.body)))
        }
        match self {
            Self::Native(body) => first(body),
            Self::Json(_) => None,
        }
    }

    /// The body of a file; `None` after a syntax error.
    pub(crate) fn of_file(file: &'t SourceFile, problems: &mut Problems) -> Option<Self> {
        if file.name.ends_with(".json") {
            let read = body_at(&file.text, file.start).map(RawBody::Json);
            return read.map_err(|found| problems.errors.extend(found)).ok();
        }
        let body = parse_body(&file.text).unwrap_or_else(|found| {
            problems.errors.extend(found.into_iter().map(|error| error.moved(file.start)));
            // Reading continues, so that further errors are reported, too.
            parse_body_partly(&file.text)
        });
        Some(Self::Native(body.moved(file.start)))
    }

    /// Reads a body by its shape. Missing required arguments are errors.
    pub(crate) fn read(self, shape: &'static Shape, problems: &mut Problems) -> Content<'t> {
        let content = self.read_partly(shape, problems);
        for name in shape.required {
            if content.attribute(name).is_none() {
                let detail = format!("The argument {name:?} is required, but no definition was found.");
                problems.error("Missing required argument", content.missing, detail);
            }
        }
        content
    }

    /// Reads a body that overrides another one: nothing is required.
    pub(crate) fn read_partly(self, shape: &'static Shape, problems: &mut Problems) -> Content<'t> {
        match self {
            Self::Native(body) => native(body, shape, problems),
            Self::Json(json) => {
                let (content, found) = json.content(shape, problems.edition);
                problems.errors.extend(found);
                content
            }
        }
    }

    /// All of it as arguments.
    pub(crate) fn arguments(self, problems: &mut Problems) -> Vec<Attribute> {
        match self {
            Self::Native(body) => {
                // Only the first block is reported: one error is enough.
                if let Some(block) = body.blocks.first() {
                    let summary = format!("Unexpected {:?} block", block.kind);
                    problems.error(
                        ("unexpected_block", summary),
                        block.kind_span,
                        "Blocks are not allowed here.",
                    );
                }
                body.attributes
            }
            Self::Json(json) => {
                let (body, found) = json.templates();
                problems.errors.extend(found);
                body.attributes
            }
        }
    }
}

impl Content<'_> {
    pub(crate) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}

fn native(body: Body, shape: &'static Shape, problems: &mut Problems) -> Content<'static> {
    let (missing, edition) = (body.missing, problems.edition);
    let (known, rest) = body.split(|name| shape.has(name) && shape.is_known(name, edition));
    let mut content = Content {
        attributes: Vec::with_capacity(known.attributes.len()),
        blocks: Vec::with_capacity(known.blocks.len()),
        missing,
        rest: BodyPart::Native(Body { missing, ..Body::default() }),
    };
    let mut others = Vec::new();
    for attribute in known.attributes {
        if shape.argument(&attribute.name).is_some() {
            content.attributes.push(attribute);
        } else {
            others.push(attribute);
        }
    }
    for block in known.blocks {
        match shape.labels(&block.kind) {
            Some(labels) => {
                if has_labels(&block, labels, problems) {
                    content.blocks.push(block.into());
                }
            }
            None => unexpected_in(&block, shape, problems),
        }
    }
    if shape.is_open {
        content.rest = BodyPart::Native(rest);
    } else {
        others.extend(rest.attributes);
        rest.blocks.iter().for_each(|block| unexpected_in(block, shape, problems));
    }
    others.iter().for_each(|attribute| unsupported(attribute, shape, &content, problems));
    content
}

impl From<Block> for RawBlock<'_> {
    fn from(block: Block) -> Self {
        let Block { kind, kind_span, labels, header, body, .. } = block;
        Self { kind, kind_span, labels, header, body: RawBody::Native(body) }
    }
}

fn unsupported(attribute: &Attribute, shape: &Shape, content: &Content<'_>, problems: &mut Problems) {
    let name = &attribute.name;
    let hint = if shape.block_names(problems.edition).any(|kind| kind == name) {
        format!(" Did you mean to define a block of type {name:?}?")
    } else {
        // An argument that is already set is not suggested.
        let absent = |name: &&str| content.attribute(name).is_none();
        did_you_mean(name, shape.argument_names(problems.edition).filter(absent))
    };
    let detail = format!("An argument named {name:?} is not expected here.{hint}");
    problems.error("Unsupported argument", attribute.name_span, detail);
}

fn unexpected_in(block: &Block, shape: &Shape, problems: &mut Problems) {
    let kind = &block.kind;
    let hint = if shape.argument_names(problems.edition).any(|name| name == kind) {
        format!(" Did you mean to define argument {kind:?}? If so, use the equals sign to assign it a value.")
    } else {
        did_you_mean(kind, shape.block_names(problems.edition))
    };
    let detail = format!("Blocks of type {kind:?} are not expected here.{hint}");
    problems.error("Unsupported block type", block.kind_span, detail);
}

/// Whether a block has the labels that it must have; reports an error if not.
fn has_labels(block: &Block, labels: &[&str], problems: &mut Problems) -> bool {
    let kind = &block.kind;
    let all = || labels.join(", ");
    if let Some(extra) = block.labels.get(labels.len()) {
        let detail = match labels.len() {
            0 => format!("No labels are expected for {kind} blocks."),
            n => format!("Only {n} labels ({}) are expected for {kind} blocks.", all()),
        };
        problems.error(("extraneous_label", format!("Extraneous label for {kind}")), extra.span, detail);
    } else if let Some(missing) = labels.get(block.labels.len()) {
        let detail = format!("All {kind} blocks must have {} labels ({}).", labels.len(), all());
        problems.error(("missing_label", format!("Missing {missing} for {kind}")), block.open, detail);
    }
    block.labels.len() == labels.len()
}
