//! The order of conditions: each comes after those that bind its variables.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::lower::{Lowerer, Meaning};
use super::names::{free_in_body, free_names};
use super::program::Slot;
use crate::syntax::ast::{Literal, LiteralKind, TemplatePart, Term, TermKind};

/// A condition: a literal, or a part of one that has been split.
#[derive(Clone, Copy)]
pub(super) enum Condition<'t> {
    Literal(&'t Literal),
    /// The terms of `=`.
    Unify(&'t Term, &'t Term),
    /// Arrays of different lengths.
    Never,
}

/// A way to evaluate a condition.
#[derive(Debug, Default)]
struct Alternative {
    needed: Vec<Slot>,
    gives: Vec<Slot>,
    /// The left side of `=` is the pattern.
    is_left: bool,
}

/// Stands for `_` where a value is needed.
// No condition binds it, so its own condition is reported as unsafe.
const NEVER_BOUND: Slot = Slot::MAX;

impl Lowerer<'_, '_> {
    /// Compiles literals in an order in which all their variables have values.
    pub(super) fn literals(&mut self, body: &[Literal]) {
        let mut conditions = Vec::new();
        for literal in body {
            match &literal.kind {
                // Parts of `[x, 2] = [1, y]` bind in both directions, so neither side is a pattern for the
                // other as a whole. A negation or `with` concerns all parts at once, so such an equality
                // stays in one piece.
                LiteralKind::Unify(left, right) if !literal.is_negated && literal.with.is_empty() => {
                    split(left, right, &mut conditions);
                }
                _ => conditions.push(Condition::Literal(literal)),
            }
        }
        let mut left: Vec<Option<(Condition<'_>, Vec<Alternative>)>> =
            conditions.into_iter().map(|condition| Some((condition, self.alternatives(condition)))).collect();
        // Conditions are tried from first to last in rounds. After the first round only those are tried
        // whose variables were bound in the last one.
        let mut round: BTreeSet<usize> = (0..left.len()).collect();
        let mut next_round = BTreeSet::new();
        // Trying all conditions in each round takes time that grows with the square of a long body.
        let mut waiting: HashMap<Slot, Vec<usize>> = HashMap::new();
        let mut is_progress = false;
        loop {
            while let Some(index) = round.pop_first() {
                let Some((condition, alternatives)) = &left[index] else { continue };
                let Some(ready) = alternatives.iter().find(|one| self.is_ready(one)) else {
                    for slot in alternatives.iter().flat_map(|one| &one.needed) {
                        if !self.has_value(*slot) {
                            waiting.entry(*slot).or_default().push(index);
                        }
                    }
                    continue;
                };
                self.condition(*condition, ready.is_left);
                is_progress = true;
                for slot in alternatives.iter().flat_map(|one| &one.gives) {
                    for other in waiting.remove(slot).unwrap_or_default() {
                        if other > index {
                            round.insert(other)
                        } else {
                            next_round.insert(other)
                        };
                    }
                }
                left[index] = None;
            }
            std::mem::swap(&mut round, &mut next_round);
            if round.is_empty() {
                let rest: Vec<_> = (0..left.len()).filter(|index| left[*index].is_some()).collect();
                if rest.is_empty() {
                    return;
                }
                if !is_progress {
                    let left: Vec<_> = left.into_iter().flatten().collect();
                    return self.report_unsafe(&left);
                }
                is_progress = false;
                round.extend(rest);
            }
        }
    }

    fn is_ready(&self, alternative: &Alternative) -> bool {
        alternative.needed.iter().all(|slot| self.has_value(*slot))
    }

    fn has_value(&self, slot: Slot) -> bool {
        self.is_bound.get(slot as usize).is_some_and(|is_bound| *is_bound)
    }

    fn report_unsafe(&mut self, left: &[(Condition<'_>, Vec<Alternative>)]) {
        let mut reported = hashbrown::HashSet::new();
        let given = left.iter().flat_map(|(_, all)| all.iter().flat_map(|one| one.gives.iter().copied()));
        // A list in place of this set took 5 to 15 s for 10,000 conditions.
        let given: hashbrown::HashSet<Slot> = given.collect();
        for (condition, alternatives) in left {
            let span = match condition {
                Condition::Literal(literal) => literal.span,
                Condition::Unify(left, _) => left.span,
                Condition::Never => continue,
            };
            // The variables that no condition binds; conditions that wait for them are not reported.
            let Some(first) = alternatives.first() else { continue };
            for slot in &first.needed {
                let is_waiting = left.len() > 1 && given.contains(slot) && alternatives.len() == 1;
                if !self.has_value(*slot) && !is_waiting && reported.insert(*slot) {
                    let name = self.slot_names.get(*slot as usize).cloned().unwrap_or_else(|| "_".to_owned());
                    self.unsafe_variable(&name, span);
                }
            }
        }
        // Each variable is bound by a condition that waits for another one.
        if reported.is_empty() {
            for (condition, alternatives) in left {
                let (Condition::Literal(Literal { span, .. }) | Condition::Unify(Term { span, .. }, _)) =
                    condition
                else {
                    continue;
                };
                for slot in alternatives.first().iter().flat_map(|one| &one.needed) {
                    if !self.has_value(*slot) && reported.insert(*slot) {
                        let name =
                            self.slot_names.get(*slot as usize).cloned().unwrap_or_else(|| "_".to_owned());
                        self.unsafe_variable(&name, *span);
                    }
                }
            }
        }
    }

    fn alternatives(&self, condition: Condition<'_>) -> Vec<Alternative> {
        let literal = match condition {
            Condition::Never => return vec![Alternative::default()],
            // Either side may bind the other, so there are two ways to compile it.
            Condition::Unify(left, right) => return self.of_unify(left, right),
            Condition::Literal(literal) => literal,
        };
        let mut of_with = Alternative::default();
        for with in &literal.with {
            self.input(&with.value, &mut of_with);
        }
        let mut alternatives = match &literal.kind {
            LiteralKind::Unify(left, right) => self.of_unify(left, right),
            LiteralKind::Assign(left, right) => {
                let mut one = Alternative { is_left: true, ..Alternative::default() };
                self.input(right, &mut one);
                finish(&mut one);
                self.given(left, &mut one);
                vec![one]
            }
            LiteralKind::Some(_) => vec![Alternative::default()],
            LiteralKind::SomeIn { key, value, domain } => {
                let mut one = Alternative::default();
                self.input(domain, &mut one);
                finish(&mut one);
                key.iter().chain([value]).for_each(|term| self.given(term, &mut one));
                vec![one]
            }
            LiteralKind::Every { key, value, domain, body } => {
                let mut one = Alternative::default();
                self.input(domain, &mut one);
                finish(&mut one);
                let mut free = hashbrown::HashSet::new();
                free_in_body(&[], body, &mut free);
                free.remove(value.as_str());
                key.iter().for_each(|key| _ = free.remove(key.as_str()));
                one.needed.extend(free.into_iter().filter_map(|name| self.local(name)));
                vec![one]
            }
            LiteralKind::Expr(term) => match self.output(term) {
                Some(arguments) => {
                    let mut one = Alternative::default();
                    // OPA 1.20 binds `z` to 3 in `plus(1, 2, z)`.
                    if let Some((out, inputs)) = arguments.split_last() {
                        inputs.iter().for_each(|input| self.input(input, &mut one));
                        finish(&mut one);
                        self.given(out, &mut one);
                    }
                    vec![one]
                }
                None => {
                    let mut one = Alternative::default();
                    self.input(term, &mut one);
                    finish(&mut one);
                    vec![one]
                }
            },
        };
        for one in &mut alternatives {
            one.needed.extend(&of_with.needed);
            // A negation binds nothing: all of its variables must have values before.
            if literal.is_negated {
                let gives = std::mem::take(&mut one.gives);
                one.needed.extend(gives);
                one.is_left = false;
            }
        }
        alternatives
    }

    /// The arguments of a call with one argument more than the function takes: the last one is bound to the
    /// result.
    pub(super) fn output<'t>(&self, term: &'t Term) -> Option<&'t [Term]> {
        let TermKind::Call(function, arguments) = &term.kind else { return None };
        let callee = self.find_callee(function).ok()?;
        (arguments.len() == callee.arity() + 1 && !is_print(function)).then_some(arguments)
    }

    fn of_unify(&self, left: &Term, right: &Term) -> Vec<Alternative> {
        let one = |pattern, value, is_left| {
            let mut one = Alternative { is_left, ..Alternative::default() };
            self.input(value, &mut one);
            finish(&mut one);
            self.given(pattern, &mut one);
            one
        };
        vec![one(left, right, true), one(right, left, false)]
    }

    fn local(&self, name: &str) -> Option<Slot> {
        match self.meaning(name) {
            Some(Meaning::Local(slot)) => Some(slot),
            _ => None,
        }
    }

    /// Collects the variables that a term needs, and those that its references bind.
    fn input(&self, term: &Term, to: &mut Alternative) {
        match &term.kind {
            TermKind::Null | TermKind::Bool(_) | TermKind::Number(_) | TermKind::String(_) => {}
            // Each `_` is a new variable, so nothing can bind it before.
            TermKind::Var(name) if name == "_" => to.needed.push(NEVER_BOUND),
            TermKind::Var(name) => to.needed.extend(self.local(name)),
            TermKind::Ref(head, keys) => {
                self.input(head, to);
                // A key without a value yet is bound to each key of the collection in turn.
                keys.iter().for_each(|key| self.given(key, to));
            }
            TermKind::Call(_, arguments) => arguments.iter().for_each(|argument| self.input(argument, to)),
            TermKind::Array(items) | TermKind::Set(items) => {
                items.iter().for_each(|item| self.input(item, to));
            }
            TermKind::Object(members) => {
                for (key, value) in members {
                    self.input(key, to);
                    self.input(value, to);
                }
            }
            TermKind::ArrayComprehension(..)
            | TermKind::SetComprehension(..)
            | TermKind::ObjectComprehension(..) => {
                let mut free = hashbrown::HashSet::new();
                free_names(term, &mut free);
                to.needed.extend(free.into_iter().filter_map(|name| self.local(name)));
            }
            TermKind::Binary(_, operands) => {
                self.input(&operands.0, to);
                self.input(&operands.1, to);
            }
            TermKind::In { key, member } => {
                key.iter().for_each(|key| self.input(key, to));
                self.input(&member.0, to);
                self.input(&member.1, to);
            }
            TermKind::Template(parts) => {
                for part in parts {
                    if let TemplatePart::Term(term) = part {
                        self.input(term, to);
                    }
                }
            }
        }
    }

    /// Collects the variables that a pattern binds, and those that it needs.
    fn given(&self, term: &Term, to: &mut Alternative) {
        match &term.kind {
            TermKind::Var(name) => to.gives.extend(self.local(name)),
            TermKind::Array(items) => items.iter().for_each(|item| self.given(item, to)),
            TermKind::Object(members) => {
                for (key, value) in members {
                    self.input(key, to);
                    self.given(value, to);
                }
            }
            _ => self.input(term, to),
        }
    }
}

/// A variable that a term binds itself is not needed.
fn finish(alternative: &mut Alternative) {
    let gives = &alternative.gives;
    alternative.needed.retain(|slot| !gives.contains(slot));
}

fn split<'t>(left: &'t Term, right: &'t Term, into: &mut Vec<Condition<'t>>) {
    match (&left.kind, &right.kind) {
        (TermKind::Array(left), TermKind::Array(right)) if left.len() == right.len() => {
            left.iter().zip(right).for_each(|(left, right)| split(left, right, into));
        }
        // Arrays of different lengths are never equal.
        (TermKind::Array(_), TermKind::Array(_)) => into.push(Condition::Never),
        (TermKind::Object(left_members), TermKind::Object(right_members)) => {
            let key = |term: &Term| match &term.kind {
                TermKind::String(key) => Some(key.clone()),
                _ => None,
            };
            let pairs: Option<Vec<_>> = left_members
                .iter()
                .map(|(left_key, value)| {
                    let wanted = key(left_key)?;
                    let mut others = right_members.iter();
                    others
                        .find(|(right_key, _)| key(right_key) == Some(wanted.clone()))
                        .map(|(_, v)| (value, v))
                })
                .collect();
            match pairs {
                // With other keys on one side the whole never holds. OPA 1.20 refuses such a policy, and calls the
                // variables unsafe.
                Some(pairs) if left_members.len() == right_members.len() => {
                    pairs.into_iter().for_each(|(left, right)| split(left, right, into));
                }
                _ => into.push(Condition::Unify(left, right)),
            }
        }
        _ => into.push(Condition::Unify(left, right)),
    }
}

pub(super) fn is_print(function: &Term) -> bool {
    matches!(&function.kind, TermKind::Var(name) if name == "print")
}
