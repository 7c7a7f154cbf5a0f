//! Expressions, from operators down to terms.

use objchange::value::{Number, ParseNumberError};
use objchange::{Type, Value};
use objchange_text::Span;
use smol_str::SmolStr;

use super::ast::{BinaryOp, Chain, Conditional, Expr, ExprKind, UnaryOp};
use super::parser::{Broken, Parsed, Parser};
use super::token::{Kind, Token};

/// A binary operator, and how tight it binds: from 0, the loosest.
fn binary(kind: Kind) -> Option<(u8, BinaryOp)> {
    Some(match kind {
        Kind::Or => (0, BinaryOp::Or),
        Kind::And => (1, BinaryOp::And),
        Kind::Equal => (2, BinaryOp::Equal),
        Kind::NotEqual => (2, BinaryOp::NotEqual),
        Kind::Less => (3, BinaryOp::Less),
        Kind::LessEqual => (3, BinaryOp::LessEqual),
        Kind::Greater => (3, BinaryOp::Greater),
        Kind::GreaterEqual => (3, BinaryOp::GreaterEqual),
        Kind::Plus => (4, BinaryOp::Add),
        Kind::Minus => (4, BinaryOp::Subtract),
        Kind::Star => (5, BinaryOp::Multiply),
        Kind::Slash => (5, BinaryOp::Divide),
        Kind::Percent => (5, BinaryOp::Remainder),
        _ => return None,
    })
}

impl Parser<'_> {
    /// A whole expression.
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.deeper(|p| {
            let condition = p.operations()?;
            if p.take(Kind::Question).is_none() {
                return Ok(condition);
            }
            let yes = p.expression()?;
            let no = if p.take(Kind::Colon).is_some() {
                p.expression()?
            } else {
                let found = p.peek().span;
                p.report(
                    "Missing false expression in conditional",
                    found,
                    "The conditional operator (...?...:...) requires a false expression, delimited by a colon.",
                );
                Expr::new(found, ExprKind::Missing)
            };
            let span = condition.span.to(no.span);
            Ok(Expr::new(span, ExprKind::Conditional(Box::new(Conditional { condition, yes, no }))))
        })
    }

    /// Terms with binary operators between them. Most expressions have no operator at all, and pay for none.
    fn operations(&mut self) -> Parsed<Expr> {
        let first = self.term()?;
        let Some((level, _)) = binary(self.kind()) else { return Ok(first) };
        self.operators(first, 0, level)
    }

    /// Parses operators after a left side while they bind at least as tightly as `floor`; `next` is the level of the
    /// next one (precedence climbing).
    fn operators(&mut self, first: Expr, floor: u8, next: u8) -> Parsed<Expr> {
        let mut left = first;
        let mut next = Some(next);
        while let Some(level) = next.filter(|level| *level >= floor) {
            let mut rest = Vec::new();
            while let Some((_, op)) = binary(self.kind()).filter(|(found, _)| *found == level) {
                self.next();
                let mut right = self.term()?;
                if let Some((tighter, _)) = binary(self.kind()).filter(|(tighter, _)| *tighter > level) {
                    right = self.operators(right, level + 1, tighter)?;
                }
                rest.push((op, right));
            }
            let span = rest.last().map_or(left.span, |(_, last)| left.span.to(last.span));
            left = Expr::new(span, ExprKind::Chain(Box::new(Chain { first: left, rest })));
            next = binary(self.kind()).map(|(level, _)| level);
        }
        Ok(left)
    }

    /// A term with its attributes, indexes and splats.
    pub(super) fn term(&mut self) -> Parsed<Expr> {
        let here = self.peek().span;
        let (bare, broken) = match self.bare_term() {
            Ok(bare) => (bare, None),
            Err(broken) => (Expr::new(here, ExprKind::Missing), Some(broken)),
        };
        // The operand has its traversals already: `-a.b` negates `a.b`.
        if matches!(bare.kind, ExprKind::Unary(..)) {
            return Ok(bare);
        }
        // Traversals after a broken expression are still read, so that they do not start an expression of their own.
        let expr = self.traversals(bare)?;
        broken.filter(|broken| broken.reported).map_or(Ok(expr), Err)
    }

    fn bare_term(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        match token.kind {
            Kind::Number => {
                self.next();
                self.number(token)
            }
            Kind::Name => self.name(),
            Kind::OpenQuote => {
                self.next();
                self.quoted(token)
            }
            Kind::OpenHeredoc => {
                self.next();
                self.heredoc(token)
            }
            Kind::OpenParen => self.parens(),
            Kind::OpenBracket => self.tuple(),
            Kind::OpenBrace => self.object(),
            Kind::Minus | Kind::Bang => {
                self.next();
                let op = if token.kind == Kind::Minus { UnaryOp::Negate } else { UnaryOp::Not };
                let operand = self.deeper(Self::term)?;
                let span = token.span.to(operand.span);
                Ok(Expr::new(span, ExprKind::Unary(op, Box::new(operand))))
            }
            Kind::End => {
                let detail = "Expected the start of an expression, but found the end of the file.";
                self.fail("Missing expression", token.span, detail)
            }
            _ => {
                let detail = "Expected the start of an expression, but found an invalid expression token.";
                self.fail("Invalid expression", token.span, detail)
            }
        }
    }

    fn number(&mut self, token: Token) -> Parsed<Expr> {
        match Number::parse(self.text_of(token)) {
            Ok(number) => Ok(Expr::new(token.span, ExprKind::Literal(Value::from(number)))),
            Err(error) => self.not_a_number(token.span, &error),
        }
    }

    /// Reports that a number cannot be read. That it is too large is a limit of ours.
    pub(super) fn not_a_number<T>(&mut self, span: Span, error: &ParseNumberError) -> Parsed<T> {
        let detail = match error {
            ParseNumberError::Empty | ParseNumberError::NotANumber => {
                "Failed to recognize the value of this number literal.".to_owned()
            }
            other => format!("This number cannot be read: {other}."),
        };
        self.fail("Invalid number literal", span, detail)
    }

    /// A literal word, a call or a variable.
    fn name(&mut self) -> Parsed<Expr> {
        let token = self.next();
        let text = self.text_of(token);
        if matches!(self.kind(), Kind::OpenParen | Kind::DoubleColon) {
            return self.call(token);
        }
        let literal = match text {
            // HCL has no keywords, so a call with this name is an ordinary call.
            "true" => Value::from(true),
            "false" => Value::from(false),
            "null" => Value::null(Type::Dynamic),
            _ => return Ok(variable(token, text)),
        };
        Ok(Expr::new(token.span, ExprKind::Literal(literal)))
    }

    fn parens(&mut self) -> Parsed<Expr> {
        let open = self.next();
        self.with_newlines(false, |p| {
            let inner = match p.expression() {
                Ok(inner) => inner,
                Err(broken) => return p.leave(Kind::CloseParen, broken),
            };
            let close = p.peek();
            if close.kind != Kind::CloseParen {
                let detail = "Expected a closing parenthesis to terminate the expression.";
                p.report("Unbalanced parentheses", close.span, detail);
                p.since(open.span, close.span);
                return p.leave(Kind::CloseParen, Broken { reported: true });
            }
            p.next();
            Ok(Expr::new(open.span.to(close.span), ExprKind::Parens(Box::new(inner))))
        })
    }
}

pub(super) fn variable(token: Token, text: &str) -> Expr {
    let variable =
        super::ast::Variable { name: SmolStr::new(text), name_span: token.span, steps: Vec::new() };
    Expr::new(token.span, ExprKind::Variable(Box::new(variable)))
}
