//! HCL as plain data, as `sentinel.hcl` has it: values that are written out, in arguments and blocks.
//!
//! Programs read such files with the first version of HCL, which knows neither expressions nor templates and
//! does not care about lines. People rely on that: `mock "x" { module { source = "x.sentinel" } }` is on one
//! line, and `${` is text.

use std::borrow::Cow;

use objchange_text::json::{Node, NodeKind, Property};

use crate::syntax::ast::{ExprKind, Item, StepKind, UnaryOp, Variable};
use crate::syntax::{self, Body, Expr, Label};
use objchange_text::{Diagnostic, Span};

/// The arguments and blocks at the top of a file of plain data.
#[derive(Debug)]
pub struct Data<'t> {
    /// The arguments, in source order; each name once.
    pub attributes: Vec<Property<'t>>,
    /// The blocks, in source order.
    pub blocks: Vec<DataBlock<'t>>,
}

/// `type "label" { … }`, at the top of a file.
#[derive(Debug)]
pub struct DataBlock<'t> {
    /// The first word of the block.
    pub kind: String,
    /// Where it stands.
    pub kind_span: Span,
    /// Names or strings between the type and the brace.
    pub labels: Vec<String>,
    /// The body, as an object: `data { … }` and `data = { … }` are read alike.
    pub body: Node<'t>,
}

/// Reads a file of plain data: each value is written out, items may share a line, and texts have no sequences.
///
/// ```
/// use objchange_hcl::parse_data;
/// use objchange_text::json::NodeKind;
///
/// let data = parse_data(r#"mock "time" { data { now = "${now}" } }"#).unwrap();
/// let NodeKind::Object(members) = &data.blocks[0].body.kind else { panic!("an object") };
/// let NodeKind::Object(members) = &members[0].value.kind else { panic!("an object") };
/// assert!(matches!(&members[0].value.kind, NodeKind::String(text) if text == "${now}"));
/// ```
///
/// # Errors
///
/// Returns every syntax error, or the first value that is not a literal.
pub fn parse_data(text: &str) -> Result<Data<'_>, Vec<Diagnostic>> {
    let body = syntax::data_body(text)?;
    let top = Values { text };
    top.data(body).map_err(|error| vec![*error])
}

/// The values in a text.
#[derive(Clone, Copy)]
struct Values<'t> {
    text: &'t str,
}

impl<'t> Values<'t> {
    fn data(self, body: Body) -> Result<Data<'t>, Box<Diagnostic>> {
        let attributes = body.attributes.iter().map(|attribute| self.attribute(attribute));
        let attributes = attributes.collect::<Result<_, _>>()?;
        let blocks = body.blocks.into_iter().map(|block| {
            Ok::<_, Box<Diagnostic>>(DataBlock {
                kind: block.kind.into(),
                kind_span: block.kind_span,
                labels: block.labels.into_iter().map(|Label { text, .. }| text.into()).collect(),
                body: self.block(&block.body, block.open)?,
            })
        });
        Ok(Data { attributes, blocks: blocks.collect::<Result<_, _>>()? })
    }

    fn attribute(self, attribute: &syntax::Attribute) -> Result<Property<'t>, Box<Diagnostic>> {
        let value = self.value(&attribute.expr)?;
        Ok(Property { name: attribute.name.to_string().into(), name_span: attribute.name_span, value })
    }

    /// A body as an object, in source order.
    fn block(self, body: &Body, open: Span) -> Result<Node<'t>, Box<Diagnostic>> {
        let attributes = body.attributes.iter().map(|attribute| self.attribute(attribute));
        let blocks = body.blocks.iter().map(|block| {
            if !block.labels.is_empty() {
                let detail = format!("A block {} with a label can only stand at the top.", block.kind);
                return Err(Box::new(Diagnostic::new("Unexpected block label", block.header, detail)));
            }
            let value = self.block(&block.body, block.open)?;
            Ok(Property { name: block.kind.to_string().into(), name_span: block.kind_span, value })
        });
        let mut members: Vec<Property<'t>> = attributes.chain(blocks).collect::<Result<_, _>>()?;
        // The parser keeps arguments and blocks apart, while HCL 1 reads both alike: their order is restored.
        members.sort_by_key(|member| member.name_span.start);
        Ok(Node { span: open, kind: NodeKind::Object(members.into()) })
    }

    fn value(self, expr: &Expr) -> Result<Node<'t>, Box<Diagnostic>> {
        let kind = match &expr.kind {
            ExprKind::Literal(value) if value.is_null() => NodeKind::Null,
            ExprKind::Literal(value) => match value.as_bool() {
                Some(bool) => NodeKind::Bool(bool),
                None => NodeKind::Number(self.source(expr.span)),
            },
            ExprKind::Unary(UnaryOp::Negate, operand) if self.is_number(operand) => {
                NodeKind::Number(self.source(expr.span))
            }
            ExprKind::Text(_) | ExprKind::Template(_) => match written(expr) {
                Some(text) => NodeKind::String(text.into()),
                None => return Err(self.not_written_out(expr)),
            },
            ExprKind::Tuple(items) => {
                NodeKind::Array(items.iter().map(|item| self.value(item)).collect::<Result<_, _>>()?)
            }
            ExprKind::Object(items) => {
                NodeKind::Object(items.iter().map(|item| self.member(item)).collect::<Result<_, _>>()?)
            }
            _ => return Err(self.not_written_out(expr)),
        };
        Ok(Node { span: expr.span, kind })
    }

    fn member(self, Item { key, value }: &Item) -> Result<Property<'t>, Box<Diagnostic>> {
        let name = match &key.kind {
            // A name with dots is one name.
            ExprKind::Variable(variable) if is_name(variable) => Cow::Borrowed(self.source(key.span)),
            ExprKind::Literal(_) => Cow::Borrowed(self.source(key.span)),
            _ => match written(key) {
                Some(text) => Cow::Owned(text),
                None => return Err(self.not_written_out(key)),
            },
        };
        Ok(Property { name, name_span: key.span, value: self.value(value)? })
    }

    fn source(self, span: Span) -> &'t str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Whether this is a number without white space before it, which a sign can be a part of.
    fn is_number(self, expr: &Expr) -> bool {
        matches!(&expr.kind, ExprKind::Literal(value) if value.as_number().is_some())
            && self.text[..expr.span.start as usize].ends_with('-')
    }

    fn not_written_out(self, expr: &Expr) -> Box<Diagnostic> {
        let source = self.source(expr.span);
        let word = source.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.'));
        let found: String = match word {
            // The message repeats the first word only: the rest may be long.
            Some(0) => source.chars().take(1).collect(),
            _ => source[..word.unwrap_or(source.len())].chars().take(40).collect(),
        };
        let detail = format!(
            "Expected a string in quotes, a number, true, false, null, a list or an object, found {found}."
        );
        Box::new(Diagnostic::new("Value not written out", expr.span, detail))
    }
}

/// Whether this is a name, or several with dots between them.
fn is_name(variable: &Variable) -> bool {
    variable.steps.iter().all(|step| matches!(step.kind, StepKind::Attribute(_)))
}

/// The text of a string or a heredoc, if it is written out.
fn written(expr: &Expr) -> Option<String> {
    match &expr.kind {
        ExprKind::Text(value) | ExprKind::Literal(value) => value.as_str().map(str::to_owned),
        ExprKind::Template(parts) => parts.iter().map(written).collect(),
        _ => None,
    }
}
