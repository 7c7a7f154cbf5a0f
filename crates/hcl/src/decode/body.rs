//! The part of a block that a provider's schema describes.

use std::borrow::Cow;
use std::sync::Arc;

use objchange::schema::Block;
use objchange_text::Diagnostic;

use super::merge::{merge, replace_attributes};
use super::problems::Problems;
use super::raw::RawBody;
use super::shape::{NOTHING, Shape};
use crate::syntax::ast::{Attribute, Body};
use crate::syntax::json::body_at;

/// The part of a block that a provider's schema describes. In JSON syntax the schema tells blocks from arguments.
#[derive(Debug, Clone, Default)]
pub struct ConfigBody {
    /// The block itself, then its overriding blocks.
    parts: Vec<BodyPart>,
}

/// The part of one block.
#[derive(Debug, Clone)]
pub(crate) enum BodyPart {
    Native(Body),
    Json {
        /// The text of the block. It is parsed again for each schema, because a kept tree would borrow from it.
        text: Arc<str>,
        /// The start of the text in the whole configuration.
        start: u32,
        /// The arguments and blocks that the schema must not see.
        shape: &'static Shape,
    },
}

impl BodyPart {
    /// The name of the first argument or block.
    pub(crate) fn first_name(&self) -> Option<String> {
        match self {
            Self::Native(body) => {
                let attribute = body.attributes.first().map(|attribute| attribute.name.to_string());
                attribute.or_else(|| body.blocks.first().map(|block| block.kind.to_string()))
            }
            Self::Json { text, start, shape } => {
                let (rest, _) = body_at(text, *start).ok()?.split(|name| !shape.has(name));
                let (arguments, _) = rest.constants();
                arguments.attributes.first().map(|attribute| attribute.name.to_string())
            }
        }
    }
}

impl ConfigBody {
    pub(crate) fn new(parts: Vec<BodyPart>) -> Self {
        Self { parts }
    }

    /// The body under a schema, with the errors.
    pub fn under(&self, schema: &Block) -> (Cow<'_, Body>, Vec<Diagnostic>) {
        if let [BodyPart::Native(body)] = &self.parts[..] {
            return (Cow::Borrowed(body), Vec::new());
        }
        let mut errors = Vec::new();
        let mut bodies = self.parts.iter().map(|part| match part {
            BodyPart::Native(body) => body.clone(),
            BodyPart::Json { text, start, shape } => {
                let read =
                    body_at(text, *start).map(|json| json.split(|name| !shape.has(name)).0.under(schema));
                let (body, found) = read.unwrap_or_else(|found| (Body::default(), found));
                errors.extend(found);
                body
            }
        });
        let mut body = bodies.next().unwrap_or_default();
        bodies.for_each(|overriding| merge(&mut body, overriding));
        (Cow::Owned(body), errors)
    }

    /// This body with the arguments and blocks of another one in place of its own.
    pub fn overridden_by(&self, other: &Self) -> Self {
        Self::new(self.parts.iter().chain(&other.parts).cloned().collect())
    }

    pub(crate) fn into_parts(self) -> Vec<BodyPart> {
        self.parts
    }

    /// The whole body.
    pub(crate) fn whole(body: RawBody<'_>) -> Self {
        let part = match body {
            RawBody::Native(body) => BodyPart::Native(body),
            RawBody::Json(json) => json.part(&NOTHING),
        };
        Self::new(vec![part])
    }

    /// Whether nothing is written in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.parts.iter().all(|part| match part {
            BodyPart::Native(body) => body.attributes.is_empty() && body.blocks.is_empty(),
            BodyPart::Json { text, start, shape } => {
                body_at(text, *start).is_ok_and(|json| json.split(|name| !shape.has(name)).0.is_empty())
            }
        })
    }

    /// The whole body without a schema. In JSON syntax everything is then an argument.
    pub fn generic(&self) -> Body {
        let part = |part: &BodyPart| match part {
            BodyPart::Native(body) => body.clone(),
            BodyPart::Json { .. } => {
                Body { attributes: Self::new(vec![part.clone()]).arguments().0, ..Body::default() }
            }
        };
        let mut bodies = self.parts.iter().map(part);
        let mut body = bodies.next().unwrap_or_default();
        bodies.for_each(|overriding| merge(&mut body, overriding));
        body
    }

    /// Reads the whole body as arguments with templates. Blocks are errors.
    pub(crate) fn arguments(self) -> (Vec<Attribute>, Vec<Diagnostic>) {
        let mut problems = Problems::default();
        let mut all = Vec::new();
        for part in self.parts {
            let arguments = match part {
                BodyPart::Native(body) => {
                    for block in &body.blocks {
                        let detail = format!("Blocks of type {:?} are not expected here.", block.kind);
                        problems.error("Unsupported block type", block.kind_span, detail);
                    }
                    body.attributes
                }
                BodyPart::Json { text, start, shape } => match body_at(&text, start) {
                    Ok(json) => RawBody::Json(json.split(|name| !shape.has(name)).0).arguments(&mut problems),
                    Err(found) => {
                        problems.errors.extend(found);
                        Vec::new()
                    }
                },
            };
            replace_attributes(&mut all, arguments);
        }
        (all, problems.errors)
    }
}
