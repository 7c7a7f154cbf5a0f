//! Rules.

use super::{Parser, Result};
use crate::syntax::SyntaxError;
use crate::syntax::ast::{Dialect, Else, Head, Literal, LiteralKind, Rule, Term, TermKind};
use crate::syntax::lexer::Token;

impl Parser {
    /// A rule, and one more for each body that follows the first.
    pub(super) fn rule(&mut self, rules: &mut Vec<Rule>) -> Result<()> {
        let begin = self.span();
        let is_default = self.take_word("default");
        let mut head = self.rule_head()?;
        if is_default {
            if head.value.is_none() || head.member.is_some() {
                return Err(SyntaxError::new(begin, "illegal default rule (must have a value)"));
            }
            if let Some(kind) = head.value.as_ref().and_then(variable_part) {
                let message = format!("illegal default rule (value cannot contain {kind})");
                return Err(SyntaxError::new(begin, message));
            }
            let rule =
                Rule { span: self.since(begin), is_default, head, body: Vec::new(), elses: Vec::new() };
            rules.push(rule);
            return Ok(());
        }
        let has_if = self.keywords.r#if && self.take_word("if");
        let has_body = has_if || (self.is("{") && !self.lexeme().is_first);
        if self.dialect == Dialect::V0 && !has_if {
            old_partial_set(&mut head);
        } else if head.member.is_none() && head.value.is_none() && head.params.is_none() && !has_body {
            let message = match head.path.is_empty() {
                true => "var cannot be used for rule name",
                false => "`contains` keyword is required for partial set rules",
            };
            return Err(SyntaxError::new(begin, message));
        }
        if self.dialect == Dialect::V1 && has_body && !has_if {
            return Err(SyntaxError::new(
                begin,
                if head.params.is_some() {
                    "`if` keyword is required before function body"
                } else {
                    "`if` keyword is required before rule body"
                },
            ));
        }
        if !has_body && self.is(";") {
            let message = "multiple expressions cannot be used for rule head";
            return Err(SyntaxError::new(begin, message));
        }
        let body = match has_if.then(|| self.object_in_place_of_body()).flatten() {
            Some(condition) => vec![condition],
            None => self.rule_body(has_if, has_body)?,
        };
        let mut elses = Vec::new();
        while self.is_word("else") {
            // As in OPA 1.20.
            let is_constant = |key: &Term| {
                matches!(
                    key.kind,
                    TermKind::String(_) | TermKind::Number(_) | TermKind::Bool(_) | TermKind::Null
                )
            };
            if head.member.is_some() {
                return Err(SyntaxError::new(
                    self.span(),
                    "else keyword cannot be used on multi-value rules",
                ));
            }
            if !head.path.iter().all(is_constant) {
                let message = "else keyword cannot be used on rules with variables in head";
                return Err(SyntaxError::new(self.span(), message));
            }
            elses.push(self.alternative()?);
        }
        let mut rule = Rule { span: self.since(begin), is_default, head, body, elses };
        // OPA 1.20 still accepts `x if { … } { … }`, which defines `x` twice.
        let is_chained = |parser: &Self| has_body && parser.is("{");
        if rule.elses.is_empty() && is_chained(self) {
            let head = rule.head.clone();
            rules.push(rule);
            while is_chained(self) {
                let begin = self.span();
                self.next();
                let body = self.body("}")?;
                rule =
                    Rule { span: self.since(begin), is_default, head: head.clone(), body, elses: Vec::new() };
                rules.push(rule);
            }
            return Ok(());
        }
        rules.push(rule);
        Ok(())
    }

    fn rule_head(&mut self) -> Result<Head> {
        let begin = self.span();
        let name = match self.peek().clone() {
            Token::Name(name) if matches!(&*name, "input" | "data") => {
                return Err(SyntaxError::new(
                    self.span(),
                    format!("rules must not shadow {name} (use a different rule name)"),
                ));
            }
            Token::Name(name) if !self.is_keyword(&name) => name,
            Token::Number(_) => {
                return Err(SyntaxError::new(begin, "number cannot be used for rule name"));
            }
            Token::String(_) => {
                return Err(SyntaxError::new(begin, "string cannot be used for rule name"));
            }
            _ => return Err(self.unexpected("")),
        };
        self.next();
        let mut path = Vec::new();
        while !self.lexeme().is_apart
            && let Some(key) = self.key()?
        {
            path.push(key);
        }
        // As in OPA 1.20, where `x.contains := 3` is allowed.
        if name == "contains" && path.is_empty() && self.keywords.contains {
            return Err(SyntaxError::new(begin, "contains keyword cannot be used for rule name"));
        }
        let mut params = None;
        if self.is("(") && !self.lexeme().is_apart {
            self.next();
            params = Some(self.elements(")")?);
        }
        let mut head = Head { name, path, params, member: None, value: None };
        if head.params.is_none() && self.keywords.contains && self.take_word("contains") {
            head.member = Some(self.term()?);
        } else if self.take(":=") || self.take("=") {
            head.value = Some(self.statement_term()?);
        }
        Ok(head)
    }

    /// The condition of `x if {}`, `x if {"a": 1}` or `x if {y | y := 1}`. As in OPA 1.20, an object or a comprehension in
    /// braces is no body, but a set is; behind `else` each is.
    fn object_in_place_of_body(&mut self) -> Option<Literal> {
        if !self.is("{") {
            return None;
        }
        let (at, depth, ends_at_bar) = (self.at, self.depth, self.ends_at_bar);
        let is_object = |literal: &Literal| match &literal.kind {
            LiteralKind::Expr(term) => matches!(
                term.kind,
                TermKind::Object(_) | TermKind::SetComprehension(..) | TermKind::ObjectComprehension(..)
            ),
            _ => false,
        };
        let condition = self.literal().ok().filter(is_object);
        if condition.is_none() {
            (self.at, self.depth, self.ends_at_bar) = (at, depth, ends_at_bar);
        }
        condition
    }

    fn rule_body(&mut self, has_if: bool, has_body: bool) -> Result<Vec<Literal>> {
        if !has_body {
            return Ok(Vec::new());
        }
        // `x if {1, 2} & {1} == {1}` has a condition that begins with a brace, which OPA 1.20 accepts.
        if self.is("{") && !(has_if && self.is_term_here()) {
            self.next();
            return self.body("}");
        }
        Ok(vec![self.literal()?])
    }

    /// Whether the brace begins an object or a set, and no body: something such as `[` or an operator follows it.
    fn is_term_here(&self) -> bool {
        let mut depth = 0_usize;
        for (index, lexeme) in self.lexemes.iter().enumerate().skip(self.at) {
            match lexeme.token {
                Token::Symbol("{" | "[" | "(") => depth += 1,
                Token::Symbol("}" | "]" | ")") => depth = depth.saturating_sub(1),
                Token::End => return false,
                _ => {}
            }
            if depth == 0 {
                let Some(after) = self.lexemes.get(index + 1) else { return false };
                let is_operator = match &after.token {
                    Token::Symbol(symbol) => !matches!(*symbol, "{" | "}" | ";" | "," | ")" | "]"),
                    Token::Name(name) => name == "in",
                    _ => false,
                };
                return is_operator && !after.is_first;
            }
        }
        false
    }

    fn alternative(&mut self) -> Result<Else> {
        let begin = self.span();
        self.next();
        let value = match self.take(":=") || self.take("=") {
            true => Some(self.statement_term()?),
            false => None,
        };
        let has_if = self.keywords.r#if && self.take_word("if");
        let has_body = has_if || (self.is("{") && !self.lexeme().is_first);
        if self.dialect == Dialect::V1 && has_body && !has_if {
            return Err(SyntaxError::new(begin, "`if` keyword is required before rule body"));
        }
        let body = match has_body {
            true => self.rule_body(has_if, true)?,
            // `else := 2` without a body always holds.
            false if value.is_some() => Self::certain(begin),
            false => return Err(self.unexpected("expected else value term or rule body")),
        };
        Ok(Else { value, body })
    }
}

/// The kind of a part that OPA does not allow in the value of a default rule: a name or a call, except within
/// comprehensions.
fn variable_part(term: &Term) -> Option<&'static str> {
    match &term.kind {
        TermKind::Null
        | TermKind::Bool(_)
        | TermKind::Number(_)
        | TermKind::String(_)
        | TermKind::ArrayComprehension(..)
        | TermKind::SetComprehension(..)
        | TermKind::ObjectComprehension(..) => None,
        TermKind::Array(items) | TermKind::Set(items) => items.iter().find_map(variable_part),
        TermKind::Object(members) => {
            members.iter().find_map(|(key, value)| variable_part(key).or_else(|| variable_part(value)))
        }
        kind => Some(kind.name()),
    }
}

/// `name[member] { … }` adds to a set in the old syntax.
fn old_partial_set(head: &mut Head) {
    if head.value.is_none() && head.member.is_none() && head.params.is_none() && head.path.len() == 1 {
        // A string in brackets has quotes, so its source is longer than its text.
        // `p.name { … }` defines a member, `p["name"] { … }` adds to a set, and both have the path `name`.
        let is_name = |term: &Term| match &term.kind {
            TermKind::String(name) => (term.span.end - term.span.start) as usize == name.len(),
            _ => false,
        };
        if !head.path.iter().any(is_name) {
            head.member = head.path.pop();
        }
    }
}
