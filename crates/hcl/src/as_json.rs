//! Configuration as JSON, as the program `hcl2json` writes it, and with it conftest.
//!
//! Nothing is evaluated: an expression that is not written out is a text, `"${var.x}"`.

use std::collections::BTreeMap;

use objchange_text::json::write_string;
use objchange_text::{Diagnostic, Span};

use crate::syntax::ast::{ExprKind, For, Item, UnaryOp};
use crate::syntax::{self, Block, Body, Expr};

/// The arguments and blocks of a file as JSON. The labels of a block are keys within each other, and blocks of one type
/// and labels are a list.
///
/// ```
/// let json = objchange_hcl::as_json("a = 1\nb \"x\" {\n  y = \"${var.z}\"\n}\n").unwrap();
/// assert_eq!(json, r#"{"a":1,"b":{"x":[{"y":"${var.z}"}]}}"#);
///
/// assert!(objchange_hcl::as_json("a = ").is_err());
/// ```
///
/// # Errors
///
/// Everything that is wrong with the syntax, or the first block that cannot be beside another one.
pub fn as_json(text: &str) -> Result<String, Vec<Diagnostic>> {
    let body = syntax::parse_body(text)?;
    let members = Source(text).body(&body).map_err(|error| vec![*error])?;
    let mut out = String::new();
    Json::Object(members).write(&mut out);
    Ok(out)
}

enum Json {
    /// A value as its JSON.
    Written(String),
    Array(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    fn text(text: &str) -> Self {
        let mut json = String::new();
        write_string(text, &mut json);
        Self::Written(json)
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Written(json) => out.push_str(json),
            Self::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => {
                out.push('{');
                for (index, (name, member)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write_string(name, out);
                    out.push(':');
                    member.write(out);
                }
                out.push('}');
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Source<'t>(&'t str);

impl<'t> Source<'t> {
    fn body(self, body: &Body) -> Result<BTreeMap<String, Json>, Box<Diagnostic>> {
        let arguments =
            body.attributes.iter().map(|argument| (argument.name.to_string(), self.value(&argument.expr)));
        let mut members: BTreeMap<String, Json> = arguments.collect();
        for block in &body.blocks {
            let mut inside = &mut members;
            let mut key = block.kind.as_str();
            for label in &block.labels {
                let below = inside.entry(key.to_owned()).or_insert_with(|| Json::Object(BTreeMap::new()));
                let Json::Object(below) = below else { return Err(conflict(block)) };
                inside = below;
                key = &label.text;
            }
            let value = Json::Object(self.body(&block.body)?);
            match inside.entry(key.to_owned()).or_insert_with(|| Json::Array(Vec::new())) {
                Json::Array(blocks) => blocks.push(value),
                _ => return Err(conflict(block)),
            }
        }
        Ok(members)
    }

    fn value(self, expr: &Expr) -> Json {
        match &expr.kind {
            ExprKind::Literal(_) => Json::Written(self.literal(expr).unwrap_or_else(|| "null".to_owned())),
            ExprKind::Unary(operator, operand) => match (operator, self.literal(operand).as_deref()) {
                (UnaryOp::Not, Some("true")) => Json::Written("false".to_owned()),
                (UnaryOp::Not, Some("false")) => Json::Written("true".to_owned()),
                // Minus zero is zero.
                (UnaryOp::Negate, Some("0")) => Json::Written("0".to_owned()),
                (UnaryOp::Negate, Some(number)) if number.starts_with(|c: char| c.is_ascii_digit()) => {
                    Json::Written(format!("-{number}"))
                }
                _ => Json::text(&self.embedded(expr)),
            },
            ExprKind::Text(_) | ExprKind::Template(_) => Json::text(&self.template(expr)),
            ExprKind::Wrap(inner) => self.value(inner),
            ExprKind::Tuple(items) => Json::Array(items.iter().map(|item| self.value(item)).collect()),
            ExprKind::Object(items) => {
                let member = |Item { key, value }: &Item| (self.key(key), self.value(value));
                Json::Object(items.iter().map(member).collect())
            }
            _ => Json::text(&self.embedded(expr)),
        }
    }

    /// The JSON of a number, a boolean or null.
    fn literal(self, expr: &Expr) -> Option<String> {
        let ExprKind::Literal(value) = &expr.kind else { return None };
        match (value.as_bool(), value.as_number()) {
            (Some(bool), _) => Some(bool.to_string()),
            (None, Some(number)) => Some(number.to_string()),
            (None, None) => value.is_null().then(|| "null".to_owned()),
        }
    }

    fn key(self, key: &Expr) -> String {
        match &key.kind {
            ExprKind::Variable(_) => self.text(key.span).to_owned(),
            _ => self.template(key),
        }
    }

    /// An expression as a part of a template, with what begins a sequence escaped.
    fn template(self, expr: &Expr) -> String {
        let both = |parts: [&str; 3], yes: &Expr, no: &Expr| {
            format!("{}{}{}{}{}", parts[0], self.template(yes), parts[1], self.template(no), parts[2])
        };
        match &expr.kind {
            ExprKind::Text(value) | ExprKind::Literal(value) => match value.as_str() {
                Some(text) => text.replace("${", "$${").replace("%{", "%%{"),
                None => self.literal(expr).unwrap_or_default(),
            },
            ExprKind::Template(parts) => parts.iter().map(|part| self.template(part)).collect(),
            ExprKind::Wrap(inner) => self.template(inner),
            ExprKind::Conditional(parts) => {
                let condition = format!("%{{if {}}}", self.text(parts.condition.span));
                match &parts.no.kind {
                    ExprKind::Template(no) if no.is_empty() => {
                        format!("{condition}{}%{{endif}}", self.template(&parts.yes))
                    }
                    _ => both([&condition, "%{else}", "%{endif}"], &parts.yes, &parts.no),
                }
            }
            ExprKind::Join(parts) => self.repeated(parts),
            _ => self.embedded(expr),
        }
    }

    fn repeated(self, parts: &For) -> String {
        let key = parts.key_name.iter().map(|key| format!("{key}, ")).collect::<String>();
        let (name, collection) = (&parts.value_name, self.text(parts.collection.span));
        format!("%{{for {key}{name} in {collection}}}{}%{{endfor}}", self.template(&parts.value))
    }

    fn embedded(self, expr: &Expr) -> String {
        format!("${{{}}}", self.text(expr.span))
    }

    fn text(self, span: Span) -> &'t str {
        self.0.get(span.range()).unwrap_or_default()
    }
}

fn conflict(block: &Block) -> Box<Diagnostic> {
    let detail = format!(
        "JSON has one member called {}: blocks of this name with other numbers of labels, or an argument, cannot be \
         beside this one.",
        block.kind
    );
    Box::new(Diagnostic::new("Block not possible in JSON", block.header, detail))
}
