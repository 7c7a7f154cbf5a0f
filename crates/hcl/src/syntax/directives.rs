//! From a row of template parts to a tree: `if`, `else`, `for` and their ends.

use objchange::Value;
use objchange_text::Span;

use super::ast::{Conditional, Expr, ExprKind, For};
use super::parser::Parser;
use super::template::{Part, PartKind};

/// What is between two directives, on its way.
#[derive(Default)]
struct Stretch {
    exprs: Vec<Expr>,
    /// Texts behind one another are one.
    text: Option<(String, Span)>,
}

impl Stretch {
    fn push(&mut self, expr: Expr) {
        self.end_text();
        self.exprs.push(expr);
    }

    fn push_text(&mut self, text: String, span: Span) {
        match &mut self.text {
            Some((before, at)) => {
                before.push_str(&text);
                *at = at.to(span);
            }
            None => self.text = Some((text, span)),
        }
    }

    fn end_text(&mut self) {
        if let Some((text, span)) = self.text.take() {
            self.exprs.push(Expr::new(span, ExprKind::Literal(Value::from(text))));
        }
    }

    /// The template of all of it; `end` is where it would be, if it is empty.
    fn template(mut self, end: Span) -> Expr {
        self.end_text();
        let span = match (self.exprs.first(), self.exprs.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => Span::at(end.start),
        };
        Expr::new(span, ExprKind::Template(self.exprs.into()))
    }
}

/// A directive that is open, with its span.
enum Open {
    If { condition: Expr, yes: Option<Expr> },
    For(Box<For>),
}

/// The expression of a template with these parts. `close` is what ends it.
pub(super) fn tree(parser: &mut Parser<'_>, parts: Vec<Part>, span: Span, close: Span) -> Expr {
    if !check(parser, &parts, close) {
        return Expr::new(span, ExprKind::Missing);
    }
    let mut around: Vec<(Open, Span, Stretch)> = Vec::new();
    let mut current = Stretch::default();
    for Part { span: at, kind } in parts {
        let opens = match kind {
            PartKind::Text(text) => {
                current.push_text(text, at);
                continue;
            }
            PartKind::Value(expr) => {
                current.push(expr);
                continue;
            }
            PartKind::Else => {
                if let Some((Open::If { yes, .. }, ..)) = around.last_mut() {
                    *yes = Some(std::mem::take(&mut current).template(at));
                }
                continue;
            }
            PartKind::EndIf | PartKind::EndFor => {
                if let Some((open, start, outer)) = around.pop() {
                    let body = std::mem::replace(&mut current, outer).template(at);
                    current.push(closed(open, start.to(at), body));
                }
                continue;
            }
            PartKind::If(condition) => Open::If { condition, yes: None },
            PartKind::For { key, value, collection, marker } => Open::For(Box::new(For {
                open: marker,
                key_name: key,
                value_name: value,
                collection,
                key: None,
                value: Expr::new(at, ExprKind::Missing),
                condition: None,
                groups: false,
            })),
        };
        around.push((opens, at, std::mem::take(&mut current)));
    }
    Expr { span, ..current.template(close) }
}

fn closed(open: Open, span: Span, body: Expr) -> Expr {
    let kind = match open {
        Open::If { condition, yes: Some(yes) } => {
            ExprKind::Conditional(Box::new(Conditional { condition, yes, no: body }))
        }
        Open::If { condition, yes: None } => {
            let no = Expr::new(Span::at(span.end), ExprKind::Template(Box::default()));
            ExprKind::Conditional(Box::new(Conditional { condition, yes: body, no }))
        }
        Open::For(mut parts) => {
            parts.value = body;
            ExprKind::Join(parts)
        }
    };
    Expr::new(span, kind)
}

/// Whether the directives fit together. What does not is reported in any case, and is nothing to recover from.
pub(super) fn check(parser: &mut Parser<'_>, parts: &[Part], close: Span) -> bool {
    let before = parser.diagnostics.len();
    // Each open directive: whether it is an `if`, and whether it may have an `else`.
    let mut open: Vec<(bool, bool)> = Vec::new();
    for part in parts {
        match &part.kind {
            PartKind::If(_) => open.push((true, true)),
            PartKind::For { .. } => open.push((false, false)),
            PartKind::Else => match open.last_mut() {
                Some((_, may_else @ true)) => *may_else = false,
                _ => {
                    unexpected(parser, "else", part.span);
                    open.pop();
                }
            },
            PartKind::EndIf | PartKind::EndFor => {
                let is_if = matches!(part.kind, PartKind::EndIf);
                if open.pop().is_none_or(|(other, _)| other != is_if) {
                    unexpected(parser, if is_if { "endif" } else { "endfor" }, part.span);
                }
            }
            PartKind::Text(_) | PartKind::Value(_) => {}
        }
    }
    for _ in open {
        let detail = "A directive is still open: an \"if\" needs an \"endif\", a \"for\" an \"endfor\".";
        parser.report("Unexpected end of template", close, detail);
    }
    parser.diagnostics.len() == before
}

fn unexpected(parser: &mut Parser<'_>, word: &'static str, span: Span) {
    let detail = match word {
        "else" => "There is no \"if\" that this \"else\" could belong to.",
        "endif" => "There is no \"if\" that this \"endif\" could end.",
        _ => "There is no \"for\" that this \"endfor\" could end.",
    };
    parser.report(("unexpected_directive", format!("Unexpected {word} directive")), span, detail);
}
