//! Bodies and literals.

use super::{Parser, Result};
use crate::syntax::SyntaxError;
use crate::syntax::ast::{Literal, LiteralKind, TermKind, With};
use crate::syntax::lexer::Token;

impl Parser {
    /// The literals up to a closing brace or bracket, which is consumed.
    pub(super) fn body(&mut self, end: &str) -> Result<Vec<Literal>> {
        self.deeper(|parser| {
            let was_in_head = std::mem::take(&mut parser.ends_at_bar);
            let body = parser.literals(end);
            parser.ends_at_bar = was_in_head;
            body
        })
    }

    fn literals(&mut self, end: &str) -> Result<Vec<Literal>> {
        let mut body = Vec::new();
        loop {
            // OPA 1.20 refuses the empty statements that this accepts.
            while self.take(";") {}
            if self.is(end) {
                if body.is_empty() {
                    return Err(SyntaxError::new(self.span(), "found empty body"));
                }
                self.next();
                return Ok(body);
            }
            body.push(self.literal()?);
            if !self.is(end) && !self.ends_statement() || self.peek() == &Token::End {
                return Err(self.unexpected(&format!("expected \\n or ; or {end}")));
            }
        }
    }

    pub(super) fn literal(&mut self) -> Result<Literal> {
        self.deeper(Self::literal_here)
    }

    fn literal_here(&mut self) -> Result<Literal> {
        let begin = self.span();
        let is_negated = self.take_word("not");
        let kind = if self.is_word("some") {
            if is_negated {
                return Err(self.unexpected("illegal negation of 'some'"));
            }
            self.some()?
        } else if self.keywords.every && self.is_word("every") {
            if is_negated {
                return Err(self.unexpected("illegal negation of 'every'"));
            }
            self.every()?
        } else {
            self.expression()?
        };
        let mut with = Vec::new();
        while self.take_word("with") {
            let target = self.term()?;
            if !matches!(target.kind, TermKind::Var(_) | TermKind::Ref(..)) {
                let message = format!("{}expected ident", unexpected(&target.kind));
                return Err(SyntaxError::new(target.span, message));
            }
            if !self.take_word("as") {
                return Err(self.unexpected("expected as keyword"));
            }
            with.push(With { target, value: self.term()? });
        }
        Ok(Literal { span: self.since(begin), is_negated, kind, with })
    }

    fn expression(&mut self) -> Result<LiteralKind> {
        let left = self.statement_term()?;
        if self.take(":=") {
            let right = self.statement_term()?;
            return Ok(LiteralKind::Assign(left, right));
        }
        if self.take("=") {
            let right = self.statement_term()?;
            return Ok(LiteralKind::Unify(left, right));
        }
        Ok(LiteralKind::Expr(left))
    }

    fn some(&mut self) -> Result<LiteralKind> {
        self.next();
        // Without the operator `in`, which separates the names from the collection here.
        let first = self.relation()?;
        if self.keywords.r#in && self.take_word("in") {
            let domain = self.relation()?;
            return Ok(LiteralKind::SomeIn { key: None, value: first, domain });
        }
        let mut terms = vec![first];
        while self.take(",") {
            terms.push(self.relation()?);
        }
        if self.keywords.r#in && self.take_word("in") {
            let domain = self.relation()?;
            return match <[_; 2]>::try_from(terms) {
                Ok([key, value]) => Ok(LiteralKind::SomeIn { key: Some(key), value, domain }),
                Err(terms) => Err(SyntaxError::new(terms[0].span, "`some … in` takes one or two terms")),
            };
        }
        let names = terms.into_iter().map(|term| match term.kind {
            TermKind::Var(name) => Ok((name, term.span)),
            _ => Err(SyntaxError::new(term.span, format!("{}expected var", unexpected(&term.kind)))),
        });
        Ok(LiteralKind::Some(names.collect::<Result<_>>()?))
    }

    fn every(&mut self) -> Result<LiteralKind> {
        self.next();
        let first = self.variable()?;
        let (key, value) = match self.take(",") {
            true => (Some(first), self.variable()?),
            false => (None, first),
        };
        if !self.take_word("in") {
            return Err(self.unexpected("expected in keyword"));
        }
        let domain = self.relation()?;
        if !self.take("{") {
            return Err(self.unexpected("missing body"));
        }
        let body = self.body("}")?;
        Ok(LiteralKind::Every { key, value, domain, body })
    }

    fn variable(&mut self) -> Result<String> {
        match self.peek() {
            Token::Name(name) if !self.is_keyword(name) => self.name("expected value to be a variable"),
            _ => Err(self.unexpected("expected value to be a variable")),
        }
    }
}

/// The beginning of an error about a term that is not what belongs there.
fn unexpected(kind: &TermKind) -> String {
    match kind {
        TermKind::Number(_) | TermKind::String(_) => format!("unexpected {} token: ", kind.name()),
        _ => String::new(),
    }
}
