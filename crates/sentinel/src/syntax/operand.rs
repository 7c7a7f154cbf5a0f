//! Parses operands: names, literals, collections, functions, rules and quantifiers, with their selectors.

use std::sync::Arc;

use objchange_text::Span;

use super::ast::{Expr, ExprKind, Postfix, PostfixPart, PostfixPartKind, Quantifier, QuantifierKind, Rule};
use super::literal;
use super::parser::{Parsed, Parser};
use super::token::{Kind, Token};
use crate::source::SyntaxErrorKind;

impl Parser<'_> {
    pub(super) fn postfix(&mut self) -> Parsed<Expr> {
        let start = self.peek().span;
        let base = self.operand()?;
        let mut parts = Vec::new();
        loop {
            let part = self.peek().span;
            let kind = if self.eat(".") {
                PostfixPartKind::Selector(self.name("a name after .")?.text)
            } else if self.eat("[") {
                self.index()?
            } else if self.eat("(") {
                PostfixPartKind::Call(self.items(")", "these arguments", Self::expression)?)
            } else {
                break;
            };
            parts.push(PostfixPart { span: self.since(part), kind });
        }
        if parts.is_empty() {
            return Ok(base);
        }
        Ok(Expr { span: self.since(start), kind: ExprKind::Postfix(Box::new(Postfix { base, parts })) })
    }

    fn index(&mut self) -> Parsed<PostfixPartKind> {
        self.skip_newlines();
        let low = if self.is(":") { None } else { Some(self.expression()?) };
        self.skip_newlines();
        if let Some(index) = low {
            if self.eat("]") {
                return Ok(PostfixPartKind::Index(index));
            }
            return self.slice(Some(index));
        }
        self.slice(None)
    }

    fn slice(&mut self, low: Option<Expr>) -> Parsed<PostfixPartKind> {
        self.expect(":", "] or : after this index")?;
        self.skip_newlines();
        let high = if self.is("]") { None } else { Some(self.expression()?) };
        self.skip_newlines();
        self.expect("]", "] after this slice")?;
        Ok(PostfixPartKind::Slice(low, high))
    }

    /// The items between an opening bracket and this closing one.
    fn items<T>(
        &mut self,
        close: &str,
        what: &str,
        mut read: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        loop {
            self.skip_newlines();
            if self.eat(close) {
                return Ok(items);
            }
            items.push(read(self)?);
            self.skip_newlines();
            if !self.is(close) {
                self.expect(",", &format!(", or {close} in {what}"))?;
            }
        }
    }

    fn operand(&mut self) -> Parsed<Expr> {
        let token = self.peek();
        let kind = match token.kind {
            Kind::Int | Kind::Float | Kind::String => self.literal(token)?,
            Kind::Ident => self.word(token)?,
            Kind::Keyword => self.keyword(token)?,
            Kind::Punct => match self.text(token) {
                "(" => {
                    self.at += 1;
                    self.skip_newlines();
                    let inner = self.expression()?;
                    self.skip_newlines();
                    self.expect(")", ") after this expression")?;
                    ExprKind::Paren(Box::new(inner))
                }
                "[" => {
                    self.at += 1;
                    ExprKind::List(self.items("]", "this list", Self::expression)?)
                }
                "{" => {
                    self.at += 1;
                    ExprKind::Map(self.items("}", "this map", |parser| {
                        let key = parser.expression()?;
                        parser.skip_newlines();
                        parser.expect(":", ": after this key")?;
                        parser.skip_newlines();
                        Ok((key, parser.expression()?))
                    })?)
                }
                _ => return self.expected("an expression"),
            },
            Kind::Semicolon | Kind::End => return self.expected("an expression"),
        };
        Ok(Expr { span: self.since(token.span), kind })
    }

    fn literal(&mut self, token: Token) -> Parsed<ExprKind> {
        self.at += 1;
        let text = self.text(token);
        match token.kind {
            Kind::Float => Ok(ExprKind::Float(literal::float(text))),
            Kind::Int => match literal::int(text).map(i64::try_from) {
                Ok(Ok(number)) => Ok(ExprKind::Int(number)),
                Ok(Err(_)) => {
                    self.fail(SyntaxErrorKind::Number, token.span, "this integer does not fit into 64 bits")
                }
                Err(message) => self.fail(SyntaxErrorKind::Number, token.span, message),
            },
            _ => match literal::plain_string(text)
                .map_or_else(|| literal::string(text).map(Arc::from), |plain| Ok(Arc::from(plain.as_bytes())))
            {
                Ok(bytes) => Ok(ExprKind::String(bytes)),
                Err((at, message)) => {
                    let start = token.span.start + u32::try_from(at).unwrap_or(0);
                    // The error does not prevent reading the rest of the statement.
                    self.error(SyntaxErrorKind::Escape, Span { start, end: token.span.end }, message);
                    Ok(ExprKind::String(Arc::from([])))
                }
            },
        }
    }

    fn word(&mut self, token: Token) -> Parsed<ExprKind> {
        let kind = match self.text(token) {
            // Public policies have variables called `filter` and `map`, so the words are tried as quantifiers
            // first.
            "filter" => QuantifierKind::Filter,
            "map" => QuantifierKind::Map,
            _ => return self.name("a name").map(ExprKind::Name),
        };
        if !self.plain_words.contains(&self.at) {
            let (start, errors, closures) = (self.at, self.errors.len(), self.closures);
            self.at += 1;
            if let Ok(collection) = self.expression()
                && self.is("as")
            {
                return self.quantifier(kind, collection, closures);
            }
            // The word is a name after all, so the text after it is parsed again.
            self.at = start;
            self.errors.truncate(errors);
            self.closures = closures;
            self.plain_words.insert(start);
        }
        self.name("a name").map(ExprKind::Name)
    }

    fn keyword(&mut self, token: Token) -> Parsed<ExprKind> {
        let kind = match self.text(token) {
            "true" => ExprKind::Bool(true),
            "false" => ExprKind::Bool(false),
            "null" => ExprKind::Null,
            "undefined" => ExprKind::Undefined,
            "func" => {
                self.at += 1;
                return self.function().map(|function| ExprKind::Func(Box::new(function)));
            }
            "rule" => {
                self.at += 1;
                return self.rule();
            }
            word @ ("any" | "all") => {
                let kind = if word == "any" { QuantifierKind::Any } else { QuantifierKind::All };
                self.at += 1;
                let closures = self.closures;
                let collection = self.expression()?;
                return self.quantifier(kind, collection, closures);
            }
            _ => return self.expected("an expression"),
        };
        self.at += 1;
        Ok(kind)
    }

    /// Parses a quantifier from `as` on.
    fn quantifier(&mut self, kind: QuantifierKind, collection: Expr, closures: usize) -> Parsed<ExprKind> {
        let mut names = self.names()?;
        let body = self.braced("this quantifier")?;
        names.captured = self.closures > closures;
        Ok(ExprKind::Quantifier(Box::new(Quantifier { kind, collection, names, body })))
    }

    fn rule(&mut self) -> Parsed<ExprKind> {
        self.closures += 1;
        let when = if self.eat("when") { Some(self.expression()?) } else { None };
        let body = self.braced("this rule")?;
        Ok(ExprKind::Rule(Box::new(Rule { when, body })))
    }

    /// Parses one expression in braces.
    fn braced(&mut self, what: &str) -> Parsed<Expr> {
        self.expect("{", "{")?;
        self.skip_semicolons();
        let body = self.expression()?;
        self.skip_semicolons();
        self.expect("}", &format!("an operator or }} at the end of {what}"))?;
        Ok(body)
    }
}
