//! From a body and a schema to the config object: arguments by name and type, blocks by their nesting, dynamic blocks
//! expanded.
//!
//! Everything that is wrong is told: each argument and each block is decoded, whatever is wrong with others.

mod attributes_as_blocks;
mod blocks;
mod expand;
mod references;

use objchange::Value;
use objchange::schema::{Attribute, Block, NestingMode};
use objchange::value::Marks;
use smol_str::SmolStr;

pub use references::{Purpose, references};

use crate::diagnostic::Diagnostic;
use crate::eval::{Evaluator, Scope, dynamic};
use crate::function::Functions;
use crate::source::Span;
use crate::syntax::ast::{self, Body};
use attributes_as_blocks::BlockAttributes;
use expand::Instance;

/// Decodes the body of a resource, a data source or a provider: the config object that planning needs. What is wrong
/// comes with it.
///
/// ```
/// use objchange::schema::{Attribute, Block, NestedBlock, NestingMode};
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
/// let (config, errors) = decode(&body, &schema, &Scope::new(&variables), Functions::pure());
/// assert!(errors.is_empty());
/// assert_eq!(config.attribute("rule").and_then(Value::len), Some(2));
/// ```
pub fn decode(
    body: &Body,
    schema: &Block,
    scope: &Scope<'_>,
    functions: &Functions,
) -> (Value, Vec<Diagnostic>) {
    let mut decoder = Decoder {
        evaluator: Evaluator::new(functions),
        is_legacy: attributes_as_blocks::may_be_legacy(schema),
    };
    let whole = Content { body, missing: body.missing, scope, surroundings: Surroundings::default() };
    let value = decoder.object(whole, schema);
    (value, decoder.evaluator.into_diagnostics())
}

struct Decoder<'f> {
    evaluator: Evaluator<'f>,
    /// Attributes may be written as blocks, anywhere in the schema.
    is_legacy: bool,
}

/// What a body stands in.
#[derive(Debug, Clone, Copy, Default)]
struct Surroundings {
    /// Of the `for_each` around it: each argument has them.
    marks: Marks,
    /// Nobody knows whether the block will be there, or how often: its arguments are not evaluated.
    is_unknown: bool,
}

/// A body to decode.
#[derive(Clone, Copy)]
struct Content<'b, 's> {
    body: &'b Body,
    /// Where something that is missing in it is reported.
    missing: Span,
    scope: &'s Scope<'s>,
    surroundings: Surroundings,
}

impl Decoder<'_> {
    /// The object of a body.
    fn object(&mut self, content: Content<'_, '_>, schema: &Block) -> Value {
        let written = BlockAttributes::of(schema, content.body, self.is_legacy);
        self.check_attributes(content.body, schema);
        let mut instances = self.instances(content, schema, &written);
        let mut members: Vec<(SmolStr, Value)> =
            Vec::with_capacity(schema.attributes().len() + schema.block_types().len());
        for (name, attribute) in schema.attributes() {
            let value = match written.find(name) {
                Some(block) => self.attribute_of_blocks(attribute, block, &instances.take(name), content),
                None => self.attribute(name, attribute, content),
            };
            members.push((name.clone(), value));
        }
        for (name, nested) in schema.block_types() {
            let value = self.blocks(name, nested, &instances.take(name), content);
            members.push((name.clone(), value));
        }
        Value::object(members)
    }

    /// Arguments that nobody asked for.
    fn check_attributes(&mut self, body: &Body, schema: &Block) {
        for ast::Attribute { name, name_span, .. } in &body.attributes {
            if schema.attribute(name).is_none() {
                let detail = if schema.block_type(name).is_some() {
                    format!(
                        "An argument named {name:?} is not expected here. Did you mean to define a block of type {name:?}?"
                    )
                } else {
                    format!("An argument named {name:?} is not expected here.")
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
        let value = if content.surroundings.is_unknown {
            dynamic()
        } else {
            self.evaluator.explained(&written.expr, content.scope)
        };
        match value.with_marks(content.surroundings.marks).convert(ty) {
            Ok(value) => value,
            Err(error) => {
                let place = if error.path.is_root() { String::new() } else { format!("{}: ", error.path) };
                let detail = format!("Inappropriate value for attribute {name:?}: {place}{}.", error.kind);
                self.error("Incorrect attribute value type", written.expr.span, detail);
                Value::unknown(ty.without_optional())
            }
        }
    }

    fn error(&mut self, summary: impl Into<std::borrow::Cow<'static, str>>, span: Span, detail: String) {
        self.evaluator.error(summary, span, detail);
    }
}

fn find<'b>(attributes: &'b [ast::Attribute], name: &str) -> Option<&'b ast::Attribute> {
    attributes.iter().find(|attribute| attribute.name == name)
}
