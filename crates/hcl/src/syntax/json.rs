//! The JSON syntax: parses text to a tree with spans, and converts trees to expressions.
//!
//! JSON does not tell blocks from arguments: `decode/json` asks a schema.

use objchange::Value;
use objchange::value::Number;
use objchange_text::json::{JsonErrorKind, Reader};
pub(crate) use objchange_text::json::{Node, NodeKind, Property};
use objchange_text::{Diagnostic, Span};

use super::ast::{Expr, ExprKind, Item, relocate};
use super::json_errors::{self, ROOT, ROOT_DETAIL};
use super::{check_length, expression, template};
use crate::eval;

/// How the strings of an argument are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// A template, and so are names in an object.
    Template,
    /// Itself.
    Constant,
    /// As the same text without quotes in native syntax: a name, a reference, a type.
    Name,
}

/// A configuration in JSON, as in a file whose name ends in `.tf.json`, or one block of it.
#[derive(Debug, Clone)]
pub struct JsonBody<'t> {
    pub(crate) source: Source<'t>,
    pub(crate) node: Node<'t>,
}

/// Reads a configuration in JSON: an object, or an array of objects that together are one.
///
/// ```
/// use objchange::schema::{Attribute, Block};
/// use objchange::{Type, Value};
/// use objchange_hcl::{Functions, Scope, Variables, decode, parse_body_json};
///
/// let json = parse_body_json(r#"{"name": "web-${n + 1}", "//": "a comment"}"#).unwrap();
/// let schema = Block::new([("name", Attribute::optional(Type::String))], []);
/// let (body, errors) = json.under(&schema);
/// assert!(errors.is_empty());
///
/// let variables: Variables = [("n", Value::from(1))].into_iter().collect();
/// let config = decode(&body, &schema, &Scope::new(&variables), Functions::pure());
/// assert_eq!(config.value, Value::object([("name", "web-2")]));
/// ```
///
/// # Errors
///
/// The first thing that is not JSON, or JSON of something else.
pub fn parse_body_json(text: &str) -> Result<JsonBody<'_>, Vec<Diagnostic>> {
    body_at(text, 0)
}

impl JsonBody<'_> {
    /// The whole body as one expression. Each string in it is a template.
    pub(crate) fn as_template(&self) -> Expr {
        self.source.expr(&self.node, Style::Template, 0, &mut Vec::new())
    }
}

/// Like [`parse_body_json`], of a text that begins at this byte of all of the configuration.
pub(crate) fn body_at(text: &str, start: u32) -> Result<JsonBody<'_>, Vec<Diagnostic>> {
    let moved = |error: Diagnostic| vec![error.moved(start)];
    check_length(text)?;
    let node = Node::read_all(Reader::new(text)).map_err(|error| {
        let errors = json_errors::errors(text);
        if error.kind() != JsonErrorKind::TooDeep && !errors.is_empty() {
            return errors.into_iter().map(|error| error.moved(start)).collect();
        }
        let at = error.offset() as u32;
        let detail = error.into_message().into_owned();
        moved(Diagnostic::new("Invalid JSON", Span::at(at), format!("This is not valid JSON: {detail}.")))
    })?;
    if !matches!(node.kind, NodeKind::Object(_) | NodeKind::Array(_)) {
        return Err(moved(Diagnostic::new(ROOT, node.span, ROOT_DETAIL)));
    }
    Ok(JsonBody { source: Source { text, start }, node })
}

/// Reads a JSON text whose strings are plain strings.
pub(crate) fn constant(text: &str) -> Option<Value> {
    let node = Node::read_all(Reader::new(text)).ok()?;
    let expr = Source { text, start: 0 }.expr(&node, Style::Constant, 0, &mut Vec::new());
    eval::constant(&expr).ok()
}

/// The text that the nodes are of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'t> {
    text: &'t str,
    /// Where it begins in all of the configuration.
    pub(crate) start: u32,
}

impl<'t> Source<'t> {
    /// A part of the text, and where it begins in all of the configuration.
    pub(crate) fn slice(self, span: Span) -> (&'t str, u32) {
        (&self.text[span.range()], self.start + span.start)
    }

    /// Converts a node to an expression. `depth` counts the nodes around it.
    pub(crate) fn expr(
        self,
        node: &Node<'_>,
        style: Style,
        depth: u32,
        errors: &mut Vec<Diagnostic>,
    ) -> Expr {
        let kind = match &node.kind {
            NodeKind::Null => ExprKind::Literal(Value::null(objchange::Type::Dynamic)),
            NodeKind::Bool(bool) => ExprKind::Literal(Value::from(*bool)),
            NodeKind::Number(text) => match Number::parse(text) {
                Ok(number) => ExprKind::Literal(Value::from(number)),
                Err(_) => {
                    let detail = "This number is too large, or too small, or has too many digits.";
                    errors.push(Diagnostic::new("Invalid JSON number", node.span, detail));
                    ExprKind::Missing
                }
            },
            NodeKind::String(text) => return self.string(text, node.span, style, depth, errors),
            NodeKind::Array(elements) => {
                let elements = elements.iter().map(|element| self.expr(element, style, depth + 1, errors));
                ExprKind::Tuple(elements.collect())
            }
            NodeKind::Object(properties) => {
                // Keys are no references even where values are: `providers` maps names of the called module to
                // references.
                let of_key = if style == Style::Name { Style::Constant } else { style };
                let items = properties.iter().map(|Property { name, name_span, value }| Item {
                    key: self.string(name, *name_span, of_key, depth + 1, errors),
                    value: self.expr(value, style, depth + 1, errors),
                });
                ExprKind::Properties(items.collect())
            }
        };
        Expr::new(node.span, kind)
    }

    fn string(self, text: &str, span: Span, style: Style, depth: u32, errors: &mut Vec<Diagnostic>) -> Expr {
        let is_plain = || memchr::memchr2(b'$', b'%', text.as_bytes()).is_none();
        match style {
            Style::Name => self.placed(expression(text, depth), text, span, errors),
            Style::Template if !is_plain() => self.placed(template(text, depth), text, span, errors),
            Style::Template | Style::Constant => Expr::new(span, ExprKind::Text(Value::from(text))),
        }
    }

    /// Moves the spans of a parsed string to the source. Positions after escapes are exact; Terraform's are off by the
    /// extra length of each escape.
    fn placed(
        self,
        read: Result<Expr, Vec<Diagnostic>>,
        text: &str,
        span: Span,
        errors: &mut Vec<Diagnostic>,
    ) -> Expr {
        let offsets = Offsets::new(&self.text[span.range()], text);
        let to = |part: Span| {
            Span::new(span.start + offsets.source(part.start), span.start + offsets.source(part.end))
        };
        match read {
            Ok(mut expr) => {
                relocate(&mut expr, &to);
                expr.span = span;
                expr
            }
            Err(found) => {
                errors.extend(
                    found.into_iter().map(|error| Diagnostic { subject: error.subject.map(to), ..error }),
                );
                Expr::new(span, ExprKind::Missing)
            }
        }
    }
}

/// The source offset of each byte of a decoded string, from its opening quote.
enum Offsets {
    BehindQuote,
    /// There are escapes.
    Each(Vec<u32>),
}

impl Offsets {
    fn new(quoted: &str, text: &str) -> Self {
        // Without escapes there is nothing but the quotes in addition.
        if quoted.len() == text.len() + 2 {
            return Self::BehindQuote;
        }
        let mut offsets = Vec::with_capacity(text.len() + 1);
        let mut at = 1;
        for c in text.chars() {
            offsets.extend(std::iter::repeat_n(at as u32, c.len_utf8()));
            at += match quoted.as_bytes().get(at..at + 2) {
                // A character beyond U+FFFF is escaped as two surrogates, each of six letters.
                Some(b"\\u") if c.len_utf16() == 2 => 12,
                Some(b"\\u") => 6,
                Some([b'\\', _]) => 2,
                _ => c.len_utf8(),
            };
        }
        offsets.push(at as u32);
        Self::Each(offsets)
    }

    fn source(&self, byte: u32) -> u32 {
        match self {
            Self::BehindQuote => byte + 1,
            Self::Each(offsets) => offsets.get(byte as usize).or(offsets.last()).copied().unwrap_or(byte),
        }
    }
}
