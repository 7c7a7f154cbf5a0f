//! Builds a tree from the parts of a template: `if`, `else`, `for` and their ends.

use objchange::Value;
use objchange_text::{LineIndex, Span};

use super::ast::{Conditional, Expr, ExprKind, For};
use super::parser::Parser;
use super::template::{TemplatePart, TemplatePartKind};

/// The parts between two directives, under construction.
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
pub(super) fn tree(parser: &mut Parser<'_>, parts: Vec<TemplatePart>, span: Span, close: Span) -> Expr {
    if !check(parser, &parts, close) {
        return Expr::new(span, ExprKind::Missing);
    }
    let mut around: Vec<(Open, Span, Stretch)> = Vec::new();
    let mut current = Stretch::default();
    for TemplatePart { span: at, kind } in parts {
        let opens = match kind {
            TemplatePartKind::Text(text) => {
                current.push_text(text, at);
                continue;
            }
            TemplatePartKind::Value(expr) => {
                current.push(expr);
                continue;
            }
            TemplatePartKind::Else => {
                if let Some((Open::If { yes, .. }, ..)) = around.last_mut() {
                    *yes = Some(std::mem::take(&mut current).template(at));
                }
                continue;
            }
            TemplatePartKind::EndIf | TemplatePartKind::EndFor => {
                if let Some((open, start, outer)) = around.pop() {
                    let body = std::mem::replace(&mut current, outer).template(at);
                    current.push(close_directive(open, start.to(at), body));
                }
                continue;
            }
            TemplatePartKind::If(condition) => Open::If { condition, yes: None },
            TemplatePartKind::For { key, value, collection } => Open::For(Box::new(For {
                open: at,
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

fn close_directive(open: Open, span: Span, body: Expr) -> Expr {
    let kind = match open {
        Open::If { condition, yes: Some(yes) } => {
            ExprKind::Conditional(Box::new(Conditional { condition, yes, no: body }))
        }
        Open::If { condition, yes: None } => {
            // Without `else` the other branch is an empty text, so `%{ if }` always makes text.
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

/// Whether the directives are balanced. Errors are always reported; the parser does not recover from them.
pub(super) fn check(parser: &mut Parser<'_>, parts: &[TemplatePart], close: Span) -> bool {
    let before = parser.diagnostics.len();
    // Each open directive: whether it is an `if`, whether it may have an `else`, and where it is.
    let mut open: Vec<(bool, bool, Span)> = Vec::new();
    for part in parts {
        match &part.kind {
            TemplatePartKind::If(_) => open.push((true, true, part.span)),
            TemplatePartKind::For { .. } => open.push((false, false, part.span)),
            TemplatePartKind::Else => {
                if let Some((_, may_else @ true, _)) = open.last_mut() {
                    *may_else = false;
                    continue;
                }
                let detail = match open.pop() {
                    Some((true, _, start)) => {
                        let place = place(parser, start);
                        format!("Already in the else clause for the if started at {place}.")
                    }
                    Some(_) => "An else clause is not expected for a for directive.".to_owned(),
                    None => UNBALANCED.to_owned(),
                };
                unexpected(parser, "else", part.span, detail);
            }
            TemplatePartKind::EndIf | TemplatePartKind::EndFor => {
                let is_if = matches!(part.kind, TemplatePartKind::EndIf);
                // A wrong end closes the directive all the same, so its own end is unexpected as well (Terraform 1.11.4).
                let detail = match open.pop() {
                    Some((other, ..)) if other == is_if => continue,
                    Some((true, _, start)) => {
                        let place = place(parser, start);
                        format!("Expecting an endif directive for the if started at {place}.")
                    }
                    Some((false, _, start)) => {
                        let place = place(parser, start);
                        format!(
                            "Expecting an endfor directive corresponding to the for directive at {place}."
                        )
                    }
                    None => UNBALANCED.to_owned(),
                };
                unexpected(parser, if is_if { "endif" } else { "endfor" }, part.span, detail);
            }
            TemplatePartKind::Text(_) | TemplatePartKind::Value(_) => {}
        }
    }
    for (is_if, _, start) in open {
        let (word, place) = (if is_if { "if" } else { "for" }, place(parser, start));
        let detail =
            format!("The {word} directive at {place} is missing its corresponding end{word} directive.");
        parser.report("Unexpected end of template", close, detail);
    }
    parser.diagnostics.len() == before
}

const UNBALANCED: &str = "The control directives within this template are unbalanced.";

/// Where something is in the text, which knows no name of its file: `2,7-19`.
fn place(parser: &Parser<'_>, span: Span) -> String {
    let lines = LineIndex::new(parser.text);
    let [start, end] = [span.start, span.end].map(|at| lines.position(at));
    let end_line = if start.line == end.line { String::new() } else { format!("{},", end.line) };
    format!("{},{}-{end_line}{}", start.line, start.column, end.column)
}

fn unexpected(parser: &mut Parser<'_>, word: &'static str, span: Span, detail: String) {
    parser.report(("unexpected_directive", format!("Unexpected {word} directive")), span, detail);
}
