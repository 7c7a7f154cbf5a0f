//! Marks: the places of policies by which evaluation comes, and the terms that say why a condition holds there.

use super::lower::{Lowerer, Meaning};
use super::names::{names, terms};
use super::program::{Mark, MarkedTerm, Op};
use crate::syntax::ast::{Literal, LiteralKind, Span, TemplatePart, Term, TermKind};

/// A term that is compiled when the body is: only then all of its variables have values.
#[derive(Debug)]
pub(super) struct PendingTerm {
    mark: usize,
    term: Term,
    is_bound: bool,
    is_named: bool,
}

impl Lowerer<'_, '_> {
    /// The next mark is the first of a branch.
    pub(super) fn begin_marks(&mut self) {
        let count = self.shared.marks.as_ref().map_or(0, Vec::len);
        self.shared.first_mark = u32::try_from(count).unwrap_or(u32::MAX);
    }

    /// Counts evaluation before a condition.
    pub(super) fn mark_literal(&mut self, literal: &Literal) {
        let terms = match &literal.kind {
            // The collection is large, and its member says more.
            LiteralKind::SomeIn { key, value, .. } => key.iter().chain([value]).collect(),
            _ => terms(literal),
        };
        let named = match &literal.kind {
            LiteralKind::Assign(Term { kind: TermKind::Var(_), .. }, value) => Some(value.span),
            _ => None,
        };
        self.mark(literal.span, &terms, named, literal.with.is_empty());
    }

    /// Counts evaluation before an equality.
    pub(super) fn mark_equality(&mut self, left: &Term, right: &Term) {
        self.mark(Span { end: right.span.end, ..left.span }, &[left, right], None, true);
    }

    /// Counts evaluation before a condition with these terms. A variable gets the value of the one at `named`. With `with`,
    /// `input` and `data` may have other values there.
    fn mark(&mut self, span: Span, terms: &[&Term], named: Option<Span>, is_without_with: bool) {
        let Some(mark) = self.add_mark(span, false) else { return };
        if self.is_inner() {
            return;
        }
        let mut found = Vec::new();
        terms.iter().for_each(|term| self.collect(term, &mut found));
        for term in found {
            let mut is_local = true;
            names(
                term,
                &mut |name, _| is_local &= matches!(self.meaning(name), Some(Meaning::Local(_))),
                &mut |_| {},
            );
            if is_local || is_without_with {
                let is_bound = self.has_values(term);
                let is_named = named == Some(term.span);
                self.pending_terms.push(PendingTerm { mark, term: term.clone(), is_bound, is_named });
            }
        }
    }

    /// Counts how often all conditions of a branch hold.
    pub(super) fn mark_head(&mut self, span: Span) {
        if self.add_mark(span, true).is_none() {
            return;
        }
        for PendingTerm { mark, term, is_bound, is_named } in std::mem::take(&mut self.pending_terms) {
            // An error tells of a variable that nothing binds.
            if !self.has_values(&term) {
                continue;
            }
            let value = self.expr(&term);
            if let Some(mark) = self.shared.marks.as_mut().and_then(|marks| marks.get_mut(mark)) {
                mark.terms.push(MarkedTerm { span: term.span, value, is_bound, is_named });
            }
        }
    }

    fn has_values(&self, term: &Term) -> bool {
        let mut has_values = true;
        let is_bound = |slot: u32| self.is_bound.get(slot as usize).is_some_and(|is_bound| *is_bound);
        let mut look = |name: &str| match self.meaning(name) {
            Some(Meaning::Local(slot)) => has_values &= is_bound(slot),
            Some(_) => {}
            None => has_values = false,
        };
        names(term, &mut |name, _| look(name), &mut |_| {});
        has_values
    }

    /// A rule has a scope for parameters and one for its body.
    fn is_inner(&self) -> bool {
        self.scopes.len() > 2
    }

    fn add_mark(&mut self, span: Span, is_head: bool) -> Option<usize> {
        let (place, is_inner) = (self.place(span), self.is_inner());
        let (rule, definition) = self.shared.current;
        let first = self.shared.first_mark;
        let marks = self.shared.marks.as_mut().filter(|_| definition != u32::MAX)?;
        let index = marks.len();
        let number = u32::try_from(index).ok()?;
        marks.push(Mark { place, rule, definition, is_head, is_inner, first, terms: Vec::new() });
        self.ops.push(Op::Mark(number));
        Some(index)
    }

    /// The variables and references of a term that have one value where all variables have theirs.
    fn collect<'t>(&self, term: &'t Term, found: &mut Vec<&'t Term>) {
        match &term.kind {
            TermKind::Var(name) if self.is_value(name) => found.push(term),
            TermKind::Ref(head, keys) => match &head.kind {
                TermKind::Var(name) if self.is_value(name) && keys.iter().all(|key| self.is_one_key(key)) => {
                    keys.iter().for_each(|key| self.collect(key, found));
                    found.push(term);
                }
                _ => {
                    self.collect(head, found);
                    keys.iter().for_each(|key| self.collect(key, found));
                }
            },
            TermKind::Call(_, arguments) => {
                arguments.iter().for_each(|argument| self.collect(argument, found));
            }
            TermKind::Array(items) | TermKind::Set(items) => {
                items.iter().for_each(|item| self.collect(item, found));
            }
            TermKind::Object(members) => {
                for (key, value) in members {
                    self.collect(key, found);
                    self.collect(value, found);
                }
            }
            TermKind::Binary(_, operands) => {
                self.collect(&operands.0, found);
                self.collect(&operands.1, found);
            }
            TermKind::In { key, member } => {
                key.iter().for_each(|key| self.collect(key, found));
                self.collect(&member.0, found);
                self.collect(&member.1, found);
            }
            TermKind::Template(parts) => {
                for part in parts {
                    if let TemplatePart::Term(term) = part {
                        self.collect(term, found);
                    }
                }
            }
            // A comprehension has variables of its own.
            _ => {}
        }
    }

    /// Whether a name is a variable, the input or a document with one value: `data` has all of them.
    fn is_value(&self, name: &str) -> bool {
        matches!(self.meaning(name), Some(Meaning::Local(_) | Meaning::Input(_) | Meaning::Data(_)))
    }

    fn is_one_key(&self, key: &Term) -> bool {
        match &key.kind {
            TermKind::String(_) | TermKind::Number(_) | TermKind::Bool(_) | TermKind::Null => true,
            TermKind::Var(name) => matches!(self.meaning(name), Some(Meaning::Local(_))),
            _ => false,
        }
    }
}
