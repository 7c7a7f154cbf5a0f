//! Rules.

use super::{Parser, Result};
use crate::syntax::SyntaxError;
use crate::syntax::ast::{Dialect, Else, Head, Literal, Rule, Term, TermKind};
use crate::syntax::lexer::Token;

impl Parser {
    /// A rule, and one more for each body that follows the first.
    pub(super) fn rule(&mut self, rules: &mut Vec<Rule>) -> Result<()> {
        let begin = self.span();
        let is_default = self.take_word("default");
        let mut head = self.rule_head()?;
        if is_default {
            if head.value.is_none() || head.member.is_some() {
                return Err(SyntaxError::new(begin, "a default rule has a value: `default name := value`"));
            }
            // As in OPA 1.20: "illegal default rule (value cannot contain ref)".
            if !head.value.iter().all(is_default_value) {
                return Err(SyntaxError::new(begin, "the value of a default rule is constant"));
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
            let message = "a rule has a value, a body, or both: `name := value if { … }`";
            return Err(SyntaxError::new(begin, message));
        }
        if self.dialect == Dialect::V1 && has_body && !has_if {
            return Err(SyntaxError::new(begin, "`if` is required before the body of a rule"));
        }
        if !has_body && self.is(";") {
            return Err(self.unexpected("a new line after the head of this rule"));
        }
        let body = self.rule_body(has_if, has_body)?;
        let mut elses = Vec::new();
        while self.is_word("else") {
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
            // OPA reports this as `rego_compile_error`: "rules must not shadow data".
            Token::Name(name) if matches!(&*name, "input" | "data") => {
                return Err(SyntaxError::new(self.span(), format!("a rule cannot be called {name}")));
            }
            Token::Name(name) if !self.is_keyword(&name) => name,
            _ => return Err(self.unexpected("the name of a rule")),
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
            return Err(SyntaxError::new(begin, "a rule cannot be called contains"));
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
            return Err(SyntaxError::new(begin, "`if` is required before the body of `else`"));
        }
        let body = match has_body {
            true => self.rule_body(has_if, true)?,
            // `else := 2` without a body always holds.
            false if value.is_some() => Self::certain(begin),
            false => return Err(self.unexpected("a value or a body after `else`")),
        };
        Ok(Else { value, body })
    }
}

/// Whether the value of a default rule is one that OPA allows: without names and calls, except within comprehensions.
fn is_default_value(term: &Term) -> bool {
    match &term.kind {
        TermKind::Null
        | TermKind::Bool(_)
        | TermKind::Number(_)
        | TermKind::String(_)
        | TermKind::ArrayComprehension(..)
        | TermKind::SetComprehension(..)
        | TermKind::ObjectComprehension(..) => true,
        TermKind::Array(items) | TermKind::Set(items) => items.iter().all(is_default_value),
        TermKind::Object(members) => {
            members.iter().all(|(key, value)| is_default_value(key) && is_default_value(value))
        }
        _ => false,
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
