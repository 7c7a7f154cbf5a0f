//! Parses attributes, indexes and splats after a term.

use objchange::Value;
use objchange::value::Number;
use objchange_text::Span;
use smol_str::SmolStr;

use super::ast::{Access, Expr, ExprKind, Relative, Splat, StepKind, TraversalStep};
use super::parser::{Broken, Parsed, Parser};
use super::token::{Kind, Token};

impl Parser<'_> {
    /// All that is behind a term.
    pub(super) fn traversals(&mut self, mut expr: Expr) -> Parsed<Expr> {
        let mut broken = None;
        loop {
            match self.kind() {
                Kind::Dot => {
                    let dot = self.next();
                    if let Some(star) = self.take(Kind::Star) {
                        return self.deeper(|p| p.attribute_splat(expr, dot, star));
                    }
                    match self.attribute(dot, None) {
                        Ok(step) => expr = with_access(expr, Access::Step(step)),
                        Err(error) => broken = Some(error),
                    }
                }
                Kind::OpenBracket => {
                    let open = self.next();
                    if self.with_newlines(false, |p| p.kind() == Kind::Star) {
                        return self.deeper(|p| p.full_splat(expr, open));
                    }
                    let (key, close) = self.with_newlines(false, Self::index_key)?;
                    let brackets = open.span.to(close);
                    let access = match literal_key(&key) {
                        Some(key) => {
                            Access::Step(TraversalStep { span: brackets, kind: StepKind::Index(key) })
                        }
                        None => Access::Computed { key, brackets },
                    };
                    expr = with_access(expr, access);
                }
                _ => return broken.filter(|broken| broken.reported).map_or(Ok(expr), Err),
            }
        }
    }

    /// Parses the part after a dot: a name, or an index in Terraform 0.11's form (`list.0`). `star` is the enclosing
    /// splat's star; errors point to it.
    fn attribute(&mut self, dot: Token, star: Option<Span>) -> Parsed<TraversalStep> {
        let token = self.peek();
        match token.kind {
            Kind::Name => {
                self.next();
                let name = SmolStr::new(self.text_of(token));
                Ok(TraversalStep { span: dot.span.to(token.span), kind: StepKind::Attribute(name) })
            }
            Kind::Number => {
                self.next();
                let text = self.text_of(token);
                // The scanner takes `0.1` in `list.0.1` for one number.
                if text.contains('.') {
                    let detail = "When using the legacy index syntax, chaining two indexes together is not \
                                  permitted. Use the proper index syntax instead, like [0][1].";
                    return self.fail("Invalid legacy index syntax", star.unwrap_or(token.span), detail);
                }
                match Number::parse(text) {
                    Ok(n) => Ok(TraversalStep {
                        span: dot.span.to(token.span),
                        kind: StepKind::Index(Value::from(n)),
                    }),
                    Err(error) => self.not_a_number(token.span, &error),
                }
            }
            _ => {
                let detail = "An attribute name is required after a dot.";
                self.fail_loudly("Invalid attribute name", star.unwrap_or(token.span), detail)
            }
        }
    }

    /// Parses an index in brackets, and the closing bracket.
    fn index_key(&mut self) -> Parsed<(Expr, Span)> {
        let key = match self.expression() {
            Ok(key) => key,
            Err(broken) => return self.leave(Kind::CloseBracket, broken).map(|expr| (expr, Span::default())),
        };
        if let Some(close) = self.take(Kind::CloseBracket) {
            return Ok((key, close.span));
        }
        // The error points to the bracket at which parsing goes on, so that is searched for first.
        let was_recovering = self.recovering;
        let close = self.recover(Kind::CloseBracket);
        self.recovering = was_recovering;
        let detail = "The index operator must end with a closing bracket (\"]\").";
        self.fail("Missing close bracket on index", close.span, detail)
    }

    /// `.*` and the attributes behind it.
    fn attribute_splat(&mut self, source: Expr, dot: Token, star: Token) -> Parsed<Expr> {
        let marker = dot.span.to(star.span);
        let mut each = Expr::new(marker, ExprKind::Element);
        while let Some(dot) = self.take(Kind::Dot) {
            if let Some(nested) = self.take(Kind::Star) {
                let detail =
                    "A splat expression (*) cannot be used inside another attribute-only splat expression.";
                return self.fail("Nested splat expression not allowed", nested.span, detail);
            }
            each = with_access(each, Access::Step(self.attribute(dot, Some(star.span))?));
        }
        let splat = splat(source, each, marker);
        // `.*` covers attributes only: in `list.*.name[0]`, the index picks from the resulting list. `[*]` covers indexes
        // too.
        self.traversals(splat)
    }

    /// `[*]` and all that is behind it.
    fn full_splat(&mut self, source: Expr, open: Token) -> Parsed<Expr> {
        let close = self.with_newlines(false, |p| {
            p.next();
            let close = p.peek();
            if close.kind != Kind::CloseBracket {
                let detail = "The star for a full splat operator must be immediately followed by a closing \
                              bracket (\"]\").";
                p.error("Missing close bracket on splat index", close.span, detail);
                p.recover(Kind::CloseBracket);
                return Err(Broken { reported: true });
            }
            Ok(p.next())
        })?;
        let marker = open.span.to(close.span);
        let each = self.traversals(Expr::new(marker, ExprKind::Element))?;
        Ok(splat(source, each, marker))
    }
}

fn splat(source: Expr, each: Expr, marker: Span) -> Expr {
    let span = source.span.to(each.span);
    Expr::new(span, ExprKind::Splat(Box::new(Splat { source, each, marker })))
}

fn with_access(mut expr: Expr, access: Access) -> Expr {
    let end = match &access {
        Access::Step(step) => step.span,
        Access::Computed { brackets, .. } => *brackets,
    };
    let span = expr.span.to(end);
    match (&mut expr.kind, access) {
        (ExprKind::Variable(variable), Access::Step(step)) => variable.steps.push(step),
        (ExprKind::Relative(relative), access) => relative.accesses.push(access),
        (_, access) => {
            let relative = Relative { source: expr, accesses: vec![access] };
            return Expr::new(span, ExprKind::Relative(Box::new(relative)));
        }
    }
    Expr { span, ..expr }
}

/// The value of a key that is written out.
fn literal_key(key: &Expr) -> Option<Value> {
    match &key.kind {
        ExprKind::Literal(value) | ExprKind::Text(value) => Some(value.clone()),
        _ => None,
    }
}
