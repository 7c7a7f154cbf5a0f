//! Causes of false answers: the elements that settled quantifiers, collections that should have been empty,
//! rules, and the elements at which a variable was set to false. Causes are only kept where the compiler
//! says that an answer is to be explained, so that a passing policy pays next to nothing.

use std::collections::HashMap;
use std::rc::{Rc, Weak};

use super::Machine;
use super::walk::{Elements, Walk};
use crate::compile::{Blame, Loop, Op};
use crate::value::{Done, Env, Key, SourcePlace, Value};

/// One cause of an answer.
#[derive(Clone)]
pub(super) struct Cause {
    /// The instruction that it explains, in the current frame.
    at: u32,
    /// How deep those nest that explain it.
    depth: u8,
    pub(super) place: SourcePlace,
    pub(super) kind: CauseKind,
}

/// How deep causes may nest; deeper ones are dropped, because a recursive function would nest them
/// endlessly.
const MAX_NESTING: u8 = 250;

fn depth(causes: &[Cause]) -> u8 {
    causes.iter().map(|cause| cause.depth + 1).max().unwrap_or_default()
}

#[derive(Clone)]
pub(super) enum CauseKind {
    /// The element that settled a quantifier, and why its body was as it was.
    Element { key: Key, value: Value, answer: Answer, inner: Rc<[Cause]> },
    /// None of this many elements fits.
    NoneFits(Elements, usize),
    /// A collection is not empty.
    Held(Value),
    /// Another rule, by its entry.
    Rule(u32),
    /// The causes that came with a variable.
    Variable(Rc<Stored>),
}

/// The answer of a quantifier's body, or of a statement in a loop, for one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    False,
    True,
    Undefined,
    /// A variable was set to false there.
    Assigned,
}

/// Causes of a false variable: a few, and the number of the others.
#[derive(Clone, Default)]
pub(super) struct Stored {
    pub(super) causes: Vec<Cause>,
    pub(super) more: usize,
}

/// How many reasons are kept of one variable or rule.
pub(super) const MAX_CAUSES: usize = 100;

/// How many variables are remembered.
const MAX_VARIABLES: usize = 1_000;

#[derive(Default)]
pub(super) struct Causes {
    /// The causes of the current evaluation; those of the innermost scope are on top.
    list: Vec<Cause>,
    /// A collection that is tested for being empty.
    held: Option<Value>,
    variables: HashMap<(usize, u32), (Weak<Env>, Rc<Stored>)>,
}

impl Causes {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Drops the causes after the first `mark` ones.
    pub(super) fn forget(&mut self, mark: usize) {
        if self.list.len() > mark {
            self.list.truncate(mark);
        }
    }

    pub(super) fn take(&mut self, mark: usize) -> Vec<Cause> {
        self.list.split_off(mark.min(self.list.len()))
    }

    /// Makes the causes after the first `mark` ones explain the instruction `at`.
    pub(super) fn relabel(&mut self, mark: usize, at: u32) {
        for cause in self.list.iter_mut().skip(mark) {
            cause.at = at;
        }
    }

    /// The causes of a variable's value.
    pub(super) fn variable(&self, env: &Rc<Env>, slot: u32) -> Option<Rc<Stored>> {
        self.variables.get(&(Rc::as_ptr(env) as usize, slot)).map(|(_, stored)| Rc::clone(stored))
    }

    /// Stores the causes after the first `mark` ones with a variable that gets a value.
    ///
    /// The elements at which it was set to false add up until it gets another value.
    pub(super) fn store(&mut self, env: &Rc<Env>, slot: u32, mark: usize) {
        // The usual case of a policy that passes: nothing is stored, and nothing is looked up.
        if self.list.len() <= mark && self.variables.is_empty() {
            return;
        }
        let key = (Rc::as_ptr(env) as usize, slot);
        if self.list.len() <= mark {
            self.variables.remove(&key);
            return;
        }
        let causes = self.take(mark);
        // A value that comes from another variable shares its causes.
        if let [Cause { kind: CauseKind::Variable(stored), .. }] = &causes[..] {
            let stored = Rc::clone(stored);
            self.remember(env, key, stored);
            return;
        }
        let adds =
            matches!(&causes[..], [Cause { kind: CauseKind::Element { answer: Answer::Assigned, .. }, .. }]);
        if let Some((_, stored)) = self.variables.get_mut(&key).filter(|_| adds) {
            let stored = Rc::make_mut(stored);
            if stored.causes.len() < MAX_CAUSES {
                stored.causes.extend(causes);
            } else {
                stored.more += 1;
            }
            return;
        }
        self.remember(env, key, Rc::new(Stored { causes, more: 0 }));
    }

    fn remember(&mut self, env: &Rc<Env>, key: (usize, u32), stored: Rc<Stored>) {
        if self.variables.len() >= MAX_VARIABLES {
            self.variables.retain(|_, (env, _)| env.strong_count() > 0);
        }
        if self.variables.len() < MAX_VARIABLES {
            // The weak reference keeps any other scope from being where this one was.
            self.variables.insert(key, (Rc::downgrade(env), stored));
        }
    }
}

impl Machine<'_> {
    /// An instruction that does nothing but to find out why.
    pub(super) fn explain_step(&mut self, op: Op) -> Done<()> {
        match op {
            Op::Recall { access, blame, force } => return self.recall(access, blame, force),
            Op::HeldBy(blame) => self.held_by(blame),
            Op::Falsify => self.falsify(),
            _ if !self.force(1)? => {}
            Op::Hold => self.hold(),
            Op::Settle(blame, start) => self.settle_causes(blame, start),
            Op::Guard(blame, guard) => self.guard(blame, guard),
            _ => {}
        }
        Ok(())
    }

    fn explain(&mut self, place: SourcePlace, kind: CauseKind) {
        let at = self.frame.next.saturating_sub(1) as u32;
        let depth = match &kind {
            CauseKind::Element { inner, .. } => depth(inner),
            CauseKind::Variable(stored) => depth(&stored.causes),
            _ => 0,
        };
        if depth <= MAX_NESTING {
            self.causes.list.push(Cause { at, depth, place, kind });
        }
    }

    /// The number of causes that belong to the code around the current statement or expression.
    pub(super) fn causes_mark(&self) -> usize {
        let frame = &self.frame;
        let walk = self.walks.get(frame.walks..).and_then(<[Walk]>::last);
        walk.map_or(frame.causes, |walk| walk.causes)
    }

    /// An element settles a quantifier: its causes explain the answer.
    pub(super) fn settled_by(
        &mut self,
        description: &Loop,
        mark: usize,
        element: (Key, Value),
        answer: &Value,
    ) {
        let mut inner: Rc<[Cause]> = self.causes.take(mark).into();
        if depth(&inner) > MAX_NESTING {
            inner = Rc::default();
        }
        let answer = match answer.seen() {
            Value::Bool(true) => Answer::True,
            Value::Bool(false) => Answer::False,
            _ => Answer::Undefined,
        };
        let (key, value) = element;
        let place = self.place(description.next);
        self.explain(place, CauseKind::Element { key, value, answer, inner });
    }

    pub(super) fn none_fits(&mut self, description: &Loop, elements: Elements, looked_at: usize) {
        let place = self.place(description.next);
        self.explain(place, CauseKind::NoneFits(elements, looked_at));
    }

    /// The place of an instruction of the current frame.
    fn place(&mut self, instruction: u32) -> SourcePlace {
        let frame = &mut self.frame;
        let offset = frame.unit.places.get(instruction as usize).copied().unwrap_or_default();
        SourcePlace { file: frame.file, offset }
    }

    fn hold(&mut self) {
        self.causes.held =
            self.stack.last().filter(|top| matches!(top, Value::List(_) | Value::Map(_))).cloned();
    }

    fn held_by(&mut self, blame: Blame) {
        let held = self.causes.held.take();
        if let (Some(Value::Bool(_)), Some(held)) = (self.stack.last().filter(|top| blame.is_on(top)), held) {
            self.explain(self.here(), CauseKind::Held(held));
        }
    }

    fn settle_causes(&mut self, blame: Blame, start: u32) {
        let mark = self.causes_mark();
        if self.causes.len() > mark && !self.stack.last().is_some_and(|top| blame.is_on(top)) {
            // Causes of earlier instructions belong to the code around and stay.
            let from = self.causes.list[mark..].iter().position(|cause| cause.at >= start);
            if let Some(from) = from {
                self.causes.list.truncate(mark + from);
            }
        }
    }

    /// The value on top comes from a variable.
    fn recall(&mut self, access: u32, blame: Blame, force: bool) -> Done<()> {
        if force && !self.force(1)? {
            return Ok(());
        }
        if !self.stack.last().is_some_and(|top| blame.is_on(top)) {
            return Ok(());
        }
        let Some((env, slot)) = self.target(access) else { return Ok(()) };
        if let Some(Value::Rule(rule)) = env.get(slot).map(|value| value.seen().clone()) {
            // The rule has causes of its own, so a report leads to it instead of repeating them.
            if let Some(entry) = rule.0.entry.get() {
                self.explain(self.here(), CauseKind::Rule(entry));
            }
        } else if blame == Blame::False
            && let Some(stored) = self.causes.variable(&env, slot)
        {
            self.explain(self.here(), CauseKind::Variable(stored));
        }
        Ok(())
    }

    /// The causes of the condition on top become causes of the block that it chooses.
    fn guard(&mut self, blame: Blame, guard: u32) {
        let mark = self.causes_mark();
        let is_chosen = self.stack.last().is_some_and(|top| blame.is_on(top));
        let causes = self.causes.take(mark);
        let guards = &mut self.frame.guards;
        // The condition may be evaluated again in a loop, with another answer.
        guards.retain(|(other, _)| *other != guard);
        if is_chosen && !causes.is_empty() {
            guards.push((guard, causes.into()));
        }
    }

    /// A variable is set to false. The causes are the elements of the loops around in the current function,
    /// and the causes of the blocks around.
    fn falsify(&mut self) {
        let place = self.here();
        let frame = &mut self.frame;
        let (from, at) = (frame.walks, frame.next.saturating_sub(1) as u32);
        let around = |(guard, _): &&(u32, Rc<[Cause]>)| frame.unit.guards[*guard as usize].contains(&at);
        let mut guards = frame.guards.iter().filter(around).map(|(_, causes)| causes);
        let mut inner: Rc<[Cause]> = guards.next_back().cloned().unwrap_or_default();
        if depth(&inner) > MAX_NESTING / 2 {
            inner = Rc::default();
        }
        let elements: Vec<_> =
            self.walks[from..].iter().filter_map(Walk::element).take(usize::from(MAX_NESTING / 2)).collect();
        for (key, value) in elements.into_iter().rev() {
            let kind = CauseKind::Element { key, value, answer: Answer::Assigned, inner };
            // Loops nest only as deep as a text may.
            let depth = if let CauseKind::Element { inner, .. } = &kind { depth(inner) } else { 0 };
            inner = Rc::from([Cause { at: 0, depth, place, kind }]);
        }
        self.causes.list.extend(inner.iter().cloned().map(|cause| Cause { at, ..cause }));
    }
}
