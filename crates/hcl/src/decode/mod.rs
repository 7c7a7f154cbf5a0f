//! Decodes a body with a schema into the config object: arguments by name and type, blocks by their nesting mode, dynamic
//! blocks expanded.
//!
//! Every error is reported: an error in one argument or block does not stop the others.

mod attributes_as_blocks;
mod blocks;
pub(crate) mod body;
mod expand;
mod json;
pub(crate) mod merge;
mod places;
pub(crate) mod problems;
pub(crate) mod raw;
mod references;
pub(crate) mod shape;

use std::cell::LazyCell;
use std::collections::HashSet;

use objchange::Value;
use objchange::schema::{Attribute, Block, NestingMode};
use objchange::value::{Marks, Path};
use smol_str::SmolStr;

pub use body::ConfigBody;
pub use problems::Problems;
pub use references::{Purpose, expanded_references, references};

use crate::eval::{Evaluator, Scope, dynamic, without_keys};
use crate::function::Functions;
use crate::suggestion::did_you_mean;
use crate::syntax::ast::{self, Body};
use attributes_as_blocks::BlockAttributes;
pub use attributes_as_blocks::{WrittenAsBlocks, may_be_legacy};
use blocks::Blocks;
use expand::Instance;
use objchange_text::{Diagnostic, Span};
use places::{BlockPlace, BodyPlace};

/// Decodes the body of a resource, a data source or a provider: the config object that planning needs.
///
/// ```
/// use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
/// use objchange::value::Path;
/// use objchange::{Type, Value};
/// use objchange_hcl::{Functions, Scope, Variables, decode, parse_body};
///
/// let rule = Block::new([("port", Attribute::optional(Type::Number))], []);
/// let schema = Block::new(
///     [("name", Attribute::optional(Type::String))],
///     [("rule", NestedBlock::new(NestingMode::List, rule))],
/// );
/// let text = r#"
///     name = "web"
///     dynamic "rule" {
///       for_each = ports
///       content {
///         port = rule.value
///       }
///     }
/// "#;
/// let variables: Variables = [("ports", Value::from([80, 443]))].into_iter().collect();
/// let body = parse_body(text).unwrap();
/// let config = decode(&body, &schema, &Scope::new(&variables), Functions::pure());
/// assert!(config.errors.is_empty());
/// assert_eq!(config.value.attribute("rule").and_then(Value::len), Some(2));
///
/// // Where a part comes from.
/// let port = Path::root().attribute("rule").index(1).attribute("port");
/// assert_eq!(&text[config.place(&port).range()], "port = rule.value");
/// ```
pub fn decode<'b>(body: &'b Body, schema: &Block, scope: &Scope<'_>, functions: &Functions) -> Decoded<'b> {
    let mut decoder = Decoder {
        evaluator: Evaluator::new(functions),
        is_legacy: attributes_as_blocks::may_be_legacy(schema),
    };
    let surroundings = Surroundings::default();
    let whole = Content { body, header: body.missing, missing: body.missing, scope, surroundings };
    let (value, place) = decoder.object(whole, schema);
    Decoded { value, errors: decoder.evaluator.into_diagnostics(), place }
}

/// The result of decoding a body with a schema.
#[derive(Debug, Clone)]
pub struct Decoded<'b> {
    /// The config object, of the schema's implied type. With errors, as far as it could be decoded.
    pub value: Value,
    /// The problem.
    pub errors: Vec<Diagnostic>,
    place: BodyPlace<'b>,
}

impl Decoded<'_> {
    /// The source of the part at this path of the object, or of the part around it if it is not written. Later
    /// diagnostics use it to point at the configuration.
    pub fn place(&self, path: &Path) -> Span {
        self.place.find(path)
    }
}

struct Decoder<'f> {
    evaluator: Evaluator<'f>,
    /// Attributes may be written as blocks, anywhere in the schema.
    is_legacy: bool,
}

/// Properties that a body inherits from the dynamic blocks around it.
#[derive(Debug, Clone, Copy, Default)]
struct Surroundings {
    /// Marks of the enclosing `for_each`: each argument gets them.
    marks: Marks,
    /// The number of blocks is unknown, so their arguments are not evaluated.
    is_unknown: bool,
}

/// A body to decode.
#[derive(Clone, Copy)]
struct Content<'b, 's> {
    body: &'b Body,
    /// The block that it belongs to.
    header: Span,
    /// The place for errors about missing parts.
    missing: Span,
    scope: &'s Scope<'s>,
    surroundings: Surroundings,
}

impl Decoder<'_> {
    /// The object of a body.
    fn object<'b>(&mut self, content: Content<'b, '_>, schema: &Block) -> (Value, BodyPlace<'b>) {
        let written = BlockAttributes::new(schema, content.body, self.is_legacy);
        self.check_attributes(content.body, schema);
        let mut instances = self.instances(content, schema, &written);
        let mut place = BodyPlace::new(content.body, content.header);
        let mut members: Vec<(SmolStr, Value)> =
            Vec::with_capacity(schema.attributes().len() + schema.block_types().len());
        for (name, attribute) in schema.attributes() {
            let value = match written.find(name) {
                Some(block) => {
                    let mut places = Vec::new();
                    let instances = instances.take(name);
                    let value = self.attribute_of_blocks(attribute, block, &instances, content, &mut places);
                    place.add(name, places);
                    value
                }
                None => self.attribute(name, attribute, content),
            };
            members.push((name.clone(), value));
        }
        for (name, nested) in schema.block_types() {
            let mut places = Vec::new();
            let instances = &instances.take(name);
            let value = self.blocks(&Blocks { name, nested, instances, content }, &mut places);
            place.add(name, places);
            members.push((name.clone(), value));
        }
        (Value::object(members), place)
    }

    /// Reports arguments that the schema lacks.
    fn check_attributes(&mut self, body: &Body, schema: &Block) {
        // Looked up anew for each mistake, 16,000 of them in one block took 17 s.
        let free = LazyCell::new(|| {
            let written: HashSet<&str> =
                body.attributes.iter().map(|written| written.name.as_str()).collect();
            let names = schema.attributes().iter().map(|(name, _)| name.as_str());
            names.filter(|name| !written.contains(name)).collect::<Vec<_>>()
        });
        for ast::Attribute { name, name_span, .. } in &body.attributes {
            if schema.attribute(name).is_none() {
                let detail = if schema.block_type(name).is_some() {
                    format!(
                        "An argument named {name:?} is not expected here. Did you mean to define a block of type {name:?}?"
                    )
                } else {
                    let hint = did_you_mean(name, free.iter().copied());
                    format!("An argument named {name:?} is not expected here.{hint}")
                };
                self.error("Unsupported argument", *name_span, detail);
            }
        }
    }

    fn attribute(&mut self, name: &str, attribute: &Attribute, content: Content<'_, '_>) -> Value {
        let ty = attribute.accepted_type();
        let null = || Value::null(ty.without_optional());
        let Some(written) = find(&content.body.attributes, name) else {
            if attribute.required {
                let detail = format!("The argument {name:?} is required, but no definition was found.");
                self.error("Missing required argument", content.missing, detail);
            }
            return null();
        };
        let around = self.evaluator.hides;
        // An error may quote the values around it.
        self.evaluator.hides |= attribute.sensitive || attribute.write_only;
        let value = if content.surroundings.is_unknown {
            dynamic()
        } else {
            self.evaluator.explained(&written.expr, content.scope)
        };
        self.evaluator.hides = around;
        let value = value.with_marks(content.surroundings.marks);
        match value.convert(ty) {
            Ok(value) => value,
            Err(error) => {
                let error = match attribute.has_hidden() || around {
                    true => without_keys(error, &value, ty),
                    false => error,
                };
                let detail = format!("Inappropriate value for attribute {name:?}: {}.", error.kind);
                self.evaluator.error("Incorrect attribute value type", written.expr.span, detail);
                Value::unknown(ty.without_optional())
            }
        }
    }

    /// Reports an error whose detail quotes nothing but the source and a schema.
    fn error(&mut self, summary: impl Into<objchange_text::Summary>, span: Span, detail: String) {
        self.evaluator.report(summary, span, detail);
    }
}

pub(crate) fn find<'b>(attributes: &'b [ast::Attribute], name: &str) -> Option<&'b ast::Attribute> {
    attributes.iter().find(|attribute| attribute.name == name)
}
