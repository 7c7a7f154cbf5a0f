//! Names in comprehensions and in `every` that mean other variables than the body around them.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};

use super::names::{free_in_body, free_names, names, pattern_names, terms};
use crate::syntax::ast::{Literal, LiteralKind, TemplatePart, Term, TermKind, With};

/// The body with other names in each comprehension, and each body of `every`, for variables that are declared only
/// behind it. In OPA 1.20 `count([y | y = xs[_]]) > 1; y := 3` has two variables called `y`.
pub(super) fn told_apart<'b>(body: &'b [Literal], is_outer: &dyn Fn(&str) -> bool) -> Cow<'b, [Literal]> {
    let mut declared_at: HashMap<&str, usize> = HashMap::new();
    for (index, literal) in body.iter().enumerate() {
        let mut declare = |name: &'b str, at| _ = declared_at.entry(name).or_insert(at);
        match &literal.kind {
            // Its right side does not see the name, either.
            LiteralKind::Assign(left, _) => pattern_names(left, &mut |name| declare(name, index + 1)),
            LiteralKind::SomeIn { key, value, .. } => {
                let mut terms = key.iter().chain([value]);
                terms.by_ref().for_each(|term| pattern_names(term, &mut |name| declare(name, index)));
            }
            LiteralKind::Some(names) => names.iter().for_each(|(name, _)| declare(name, index)),
            _ => {}
        }
    }
    if declared_at.is_empty() {
        return Cow::Borrowed(body);
    }
    let mut changed: Option<Vec<Literal>> = None;
    for (index, literal) in body.iter().enumerate() {
        let mut found = HashSet::new();
        for term in terms(literal) {
            names(term, &mut |_, _| {}, &mut |closure| free_names(closure, &mut found));
        }
        if let LiteralKind::Every { key, value, body, .. } = &literal.kind {
            let mut inner = HashSet::new();
            free_in_body(&[], body, &mut inner);
            inner.remove(value.as_str());
            key.iter().for_each(|key| _ = inner.remove(key.as_str()));
            found.extend(inner);
        }
        found.retain(|name| declared_at.get(name).is_some_and(|at| *at > index) && !is_outer(name));
        if !found.is_empty() {
            let renamed = Renaming { names: &found, is_inside: false }.literal(literal);
            changed.get_or_insert_with(|| body.to_vec())[index] = renamed;
        }
    }
    changed.map_or(Cow::Borrowed(body), Cow::Owned)
}

/// How a variable is called in the policy.
pub(super) fn written(name: &str) -> &str {
    name.split('#').next().unwrap_or(name)
}

#[derive(Clone, Copy)]
struct Renaming<'n> {
    names: &'n HashSet<&'n str>,
    /// Within a comprehension, or the body of `every`.
    is_inside: bool,
}

impl Renaming<'_> {
    fn inside(self) -> Self {
        Self { is_inside: true, ..self }
    }

    fn name(self, name: &str) -> String {
        // `#` begins a comment, so that no policy has such a name.
        if self.is_inside && self.names.contains(name) { format!("{name}#") } else { name.to_owned() }
    }

    fn body(self, body: &[Literal]) -> Vec<Literal> {
        body.iter().map(|literal| self.literal(literal)).collect()
    }

    fn literal(self, literal: &Literal) -> Literal {
        let kind = match &literal.kind {
            LiteralKind::Expr(term) => LiteralKind::Expr(self.term(term)),
            LiteralKind::Assign(left, right) => LiteralKind::Assign(self.term(left), self.term(right)),
            LiteralKind::Unify(left, right) => LiteralKind::Unify(self.term(left), self.term(right)),
            LiteralKind::Some(names) => {
                LiteralKind::Some(names.iter().map(|(name, span)| (self.name(name), *span)).collect())
            }
            LiteralKind::SomeIn { key, value, domain } => LiteralKind::SomeIn {
                key: key.as_ref().map(|key| self.term(key)),
                value: self.term(value),
                domain: self.term(domain),
            },
            LiteralKind::Every { key, value, domain, body } => LiteralKind::Every {
                key: key.as_ref().map(|key| self.name(key)),
                value: self.name(value),
                domain: self.term(domain),
                body: self.inside().body(body),
            },
        };
        let with = literal.with.iter();
        let with = with.map(|with| With { target: with.target.clone(), value: self.term(&with.value) });
        Literal { kind, with: with.collect(), ..*literal }
    }

    fn pair(self, pair: &(Term, Term)) -> Box<(Term, Term)> {
        Box::new((self.term(&pair.0), self.term(&pair.1)))
    }

    fn all(self, terms: &[Term]) -> Vec<Term> {
        terms.iter().map(|term| self.term(term)).collect()
    }

    fn term(self, term: &Term) -> Term {
        let kind = match &term.kind {
            TermKind::Var(name) => TermKind::Var(self.name(name)),
            TermKind::Ref(head, keys) => TermKind::Ref(Box::new(self.term(head)), self.all(keys)),
            // The name of a function is no variable.
            TermKind::Call(function, arguments) => TermKind::Call(function.clone(), self.all(arguments)),
            TermKind::Array(items) => TermKind::Array(self.all(items)),
            TermKind::Set(items) => TermKind::Set(self.all(items)),
            TermKind::Object(members) => {
                TermKind::Object(members.iter().map(|pair| *self.pair(pair)).collect())
            }
            TermKind::ArrayComprehension(head, body) => {
                let inside = self.inside();
                TermKind::ArrayComprehension(Box::new(inside.term(head)), inside.body(body))
            }
            TermKind::SetComprehension(head, body) => {
                let inside = self.inside();
                TermKind::SetComprehension(Box::new(inside.term(head)), inside.body(body))
            }
            TermKind::ObjectComprehension(head, body) => {
                let inside = self.inside();
                TermKind::ObjectComprehension(inside.pair(head), inside.body(body))
            }
            TermKind::Binary(operator, operands) => TermKind::Binary(*operator, self.pair(operands)),
            TermKind::In { key, member } => TermKind::In {
                key: key.as_ref().map(|key| Box::new(self.term(key))),
                member: self.pair(member),
            },
            TermKind::Template(parts) => {
                let part = |part: &TemplatePart| match part {
                    TemplatePart::Text(text) => TemplatePart::Text(text.clone()),
                    TemplatePart::Term(term) => TemplatePart::Term(self.term(term)),
                };
                TermKind::Template(parts.iter().map(part).collect())
            }
            other => other.clone(),
        };
        Term::new(term.span, kind)
    }
}
