//! Taints everything that a choice may change, if the choice depends on something unknown.
//!
//! It does not matter whether this run executes the chosen instructions, because another run may. The users
//! of their results taint those. This module handles all other effects: changed variables, lists and maps,
//! and rules that are evaluated.

use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use super::Machine;
use super::import::Imported;
use crate::compile::{Branch, Leaves, Loop, LoopKind, Op, Slot, Unit, UnitKind};
use crate::syntax::ast::{BinaryOp, Test, UnaryOp};
use crate::value::{Code, Done, Env, RuleState, Taint, Value};

/// Instructions that may or may not be executed.
struct Region {
    unit: Arc<Unit>,
    range: Range<u32>,
    file: u32,
    /// A scope, and its level: 0 is the one of the unit, 1 the one of a loop in it, -1 the one around it.
    env: Rc<Env>,
    level: i64,
    inner: Inner,
}

/// The scopes of a unit that exist already.
#[derive(Clone, Copy)]
enum Inner {
    /// The scopes around the current instruction.
    Around(u32),
    /// The scopes up to a level.
    UpTo(i64),
}

impl Region {
    /// A function or rule that is in a scope.
    fn whole(unit: &Arc<Unit>, file: u32, env: &Rc<Env>) -> Region {
        let range = 0..unit.ops.len() as u32;
        let (env, inner) = (Rc::clone(env), Inner::UpTo(-1));
        Region { unit: Arc::clone(unit), range, file, env, level: -1, inner }
    }

    /// A function or rule that an instruction makes.
    fn made(&self, at: u32, unit: &Arc<Unit>) -> Region {
        // Its own level is below the one of the instruction.
        let below = self.unit.depth(at) + 1;
        let inner = Inner::UpTo(self.innermost(at) - below);
        Region { level: self.level - below, inner, ..Region::whole(unit, self.file, &self.env) }
    }

    /// The level of the innermost scope around an instruction that is there already.
    fn innermost(&self, at: u32) -> i64 {
        match self.inner {
            Inner::Around(current) => self.unit.shared_depth(current, at),
            Inner::UpTo(level) => level,
        }
    }

    /// The scope of a variable, if it is there already.
    fn scope(&self, at: u32, slot: Slot) -> Option<&Rc<Env>> {
        // The chosen code may be in a loop that has not begun: looking for its variables then indexed past
        // the end of a scope.
        let level = self.unit.depth(at) - i64::from(slot.hops);
        let is_there = level <= self.innermost(at);
        let hops = u32::try_from(self.level - level).ok().filter(|_| is_there)?;
        Some(self.env.outward(hops))
    }
}

impl Machine<'_> {
    /// Whether nothing changes any more that functions and rules see.
    fn is_final(&self) -> bool {
        self.is_run && self.files.iter().all(|file| file.policy.compiled.is_pure)
    }

    /// From here on only the values of evaluated rules are certain.
    pub(super) fn give_up(&mut self, taint: Taint) {
        self.havoc = self.join(self.havoc, taint);
    }

    /// The right side of an operator is evaluated, or skipped, depending on the left one.
    pub(super) fn choose_right(&mut self, to: u32, settles: bool, may_fail: bool) -> Done<()> {
        let taint = self.take_noted();
        if taint.is_some() {
            let has_any = std::mem::take(&mut self.has_any);
            if has_any && may_fail {
                self.may_fail(taint);
            }
            let left = self.pop();
            let left = self.wrap(left, taint, !has_any);
            self.stack.push(left);
            let next = self.frame.next as u32;
            self.diverge(next..to, taint)?;
        }
        if settles {
            self.jump(to);
        }
        Ok(())
    }

    /// A condition of a statement chooses a block.
    pub(super) fn choose_block(&mut self) -> Done<()> {
        let taint = self.take_noted();
        self.has_any = false;
        if !taint.is_some() {
            return Ok(());
        }
        self.count_taints()?;
        self.may_fail(taint);
        let walks = self.frame.walks;
        let frame = &self.frame;
        let unit = Arc::clone(&frame.unit);
        let at = frame.next.saturating_sub(1) as u32;
        let all = Branch { end: unit.ops.len() as u32, leaves: Leaves::Function };
        let branch = unit.branches.get(&at).copied().unwrap_or(all);
        // The loops around: their next elements come to the same instructions again.
        let around = self.walks[walks..].iter().map(|walk| &unit.loops[walk.index as usize]);
        let mut around = around.filter(|description| description.kind == LoopKind::For);
        let range = match branch.leaves {
            Leaves::Nothing => at + 1..branch.end,
            Leaves::Loop => {
                around.next_back().map_or(0..all.end, |description| description.next..description.done)
            }
            Leaves::Function => around.next().map_or(at + 1, |description| description.next)..all.end,
        };
        if branch.leaves == Leaves::Function {
            let before = self.frame.taint;
            self.frame.taint = self.join(before, taint);
        }
        self.spread(range, taint)
    }

    /// The predicate of a rule decides whether its body is evaluated.
    pub(super) fn choose_rule(&mut self) -> Done<()> {
        let taint = self.take_noted();
        if !taint.is_some() {
            return Ok(());
        }
        if std::mem::take(&mut self.has_any) {
            self.may_fail(taint);
        }
        let before = self.frame.taint;
        self.frame.taint = self.join(before, taint);
        let frame = &mut self.frame;
        let range = frame.next as u32..frame.unit.ops.len() as u32;
        self.diverge(range, taint)
    }

    /// A collection decides how often the body of a loop or quantifier is executed.
    pub(super) fn choose_elements(&mut self, description: &Loop) -> Done<Taint> {
        if description.kind == LoopKind::For && self.budget.has_noted {
            let taint = self.take_noted();
            self.budget.note_taint(taint);
            self.choose_block()?;
            return Ok(taint);
        }
        let taint = self.take_noted();
        if taint.is_some() {
            self.count_taints()?;
            if std::mem::take(&mut self.has_any) {
                self.may_fail(taint);
            }
            self.diverge(description.next..description.done, taint)?;
        }
        Ok(taint)
    }

    /// Decides whether the loop continues; returns the taint, and whether the result is a bool or
    /// undefined.
    pub(super) fn choose_next(&mut self, index: u32) -> Done<(Taint, bool)> {
        let taint = self.take_noted();
        let has_any = std::mem::take(&mut self.has_any);
        let description = self.description(index);
        if taint.is_some() && description.kind != LoopKind::Map {
            if has_any {
                self.may_fail(taint);
            }
            self.taint_walk(taint);
            self.diverge(description.next..description.done, taint)?;
        }
        Ok((taint, !has_any))
    }

    /// The result of the policy's function decides the next calls of the import's function.
    pub(super) fn choose_calls(&mut self, function: &Value, taint: Taint) -> Done<()> {
        self.may_fail(taint);
        if self.is_final() {
            return Ok(());
        }
        match function.seen() {
            Value::Function(function) => match &function.0 {
                Code::Closure(closure) => {
                    let region = Region::whole(&closure.unit, closure.file, &closure.env);
                    self.spread_from(region, taint)
                }
                _ => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// The called function is unknown.
    pub(super) fn choose_function(&mut self, taint: Taint) {
        if taint.is_some() {
            self.may_fail(taint);
            if !self.is_final() {
                self.give_up(taint);
            }
        }
    }

    /// Instructions of an expression are executed or not.
    fn diverge(&mut self, range: Range<u32>, taint: Taint) -> Done<()> {
        let unit = Arc::clone(&self.frame.unit);
        // The unit is held by its file, so that the address stays its own.
        let key = (Arc::as_ptr(&unit) as usize, range.start, range.end);
        let is_harmless = match self.harmless.get(&key) {
            Some(is_harmless) => *is_harmless,
            None => {
                self.budget.step(range.len())?;
                let is_harmless = range.clone().all(|at| never_fails(&unit, at));
                self.harmless.insert(key, is_harmless);
                is_harmless
            }
        };
        if !is_harmless || self.has_nested_code {
            self.may_fail(taint);
        }
        // Expressions themselves assign nothing.
        // Once all statements have run and functions change only their own variables, no choice can change
        // another value.
        if self.is_final() { Ok(()) } else { self.spread(range, taint) }
    }

    /// Taints everything that instructions of the current unit may change.
    fn spread(&mut self, range: Range<u32>, taint: Taint) -> Done<()> {
        let frame = &self.frame;
        let (unit, env, file) = (Arc::clone(&frame.unit), Rc::clone(&frame.env), frame.file);
        let current = frame.next.saturating_sub(1) as u32;
        let (level, inner) = (unit.depth(current), Inner::Around(current));
        self.spread_from(Region { unit, range, file, env, level, inner }, taint)
    }

    fn spread_from(&mut self, region: Region, taint: Taint) -> Done<()> {
        if self.has_nested_code && !self.is_final() {
            self.give_up(taint);
        }
        let mut seen = HashSet::new();
        let mut waiting = vec![region];
        while let Some(region) = waiting.pop() {
            let key = (Arc::as_ptr(&region.unit) as usize, Rc::as_ptr(&region.env) as usize, region.level);
            // Functions may call each other in a circle.
            if !seen.insert((key, region.range.start)) {
                continue;
            }
            self.budget.step(region.range.len())?;
            for at in region.range.clone() {
                self.spread_at(&region, at, taint, &mut waiting);
            }
        }
        Ok(())
    }

    fn spread_at(&mut self, region: &Region, at: u32, taint: Taint, waiting: &mut Vec<Region>) {
        let unit = &region.unit;
        if let Some(changed) = unit.changes.get(&at) {
            self.spread_change(region, at, *changed, taint);
        }
        match unit.ops[at as usize] {
            Op::Store(access) | Op::Augment(access, _) => self.spread_store(region, at, access, taint),
            Op::Load(access) | Op::LoadMember(access, _) | Op::Recall { access, .. } => {
                if unit.is_change(access) && !unit.changes.contains_key(&at) {
                    self.give_up(taint);
                }
                for slot in &unit.accesses[access as usize].candidates {
                    if let Some(env) = region.scope(at, *slot)
                        && let Some(value) = env.get(slot.slot)
                    {
                        self.spread_code(&value, taint, waiting);
                    }
                }
            }
            Op::ImportMember(import, name) => {
                let imported = &self.files[region.file as usize].imports[import as usize];
                if let Some(Imported::File(file)) = imported {
                    let module = &self.files[*file as usize];
                    let slot = module.policy.compiled.names.get(&unit.names[name as usize].text);
                    if let Some(value) = slot.and_then(|slot| module.env.get(*slot)) {
                        self.spread_code(&value, taint, waiting);
                    }
                }
            }
            Op::Closure(inner) | Op::Rule(inner) if !self.is_final() => {
                waiting.push(region.made(at, &unit.units[inner as usize]));
            }
            Op::Return if unit.kind == UnitKind::File => self.give_up(taint),
            _ => {}
        }
    }

    /// A function that may be called, or a rule that may be evaluated.
    fn spread_code(&mut self, value: &Value, taint: Taint, waiting: &mut Vec<Region>) {
        if self.is_final() {
            return;
        }
        match value.seen() {
            Value::Function(function) => {
                if let Code::Closure(closure) = &function.0 {
                    waiting.push(Region::whole(&closure.unit, closure.file, &closure.env));
                }
            }
            Value::Rule(rule) => {
                let rule = &rule.0;
                if matches!(&*rule.state.borrow(), RuleState::New) {
                    rule.taint.set(self.join(rule.taint.get(), taint));
                    waiting.push(Region::whole(&rule.unit, rule.file, &rule.env));
                }
            }
            _ => {}
        }
    }

    fn spread_store(&mut self, region: &Region, at: u32, access: u32, taint: Taint) {
        let candidates = &region.unit.accesses[access as usize].candidates;
        let scopes = candidates.iter().filter_map(|slot| Some((region.scope(at, *slot)?, slot.slot)));
        let (declared, others): (Vec<_>, Vec<_>) = scopes.partition(|(env, slot)| env.has(*slot));
        let chosen = if declared.is_empty() { others } else { declared };
        for (env, slot) in chosen {
            let mut tainted = env.tainted.borrow_mut();
            match tainted.iter_mut().find(|(other, _)| *other == slot) {
                Some((_, before)) => *before = self.budget.taints.join(*before, taint),
                None => tainted.push((slot, taint)),
            }
            drop(tainted);
            if let Some(value) = env.get(slot) {
                let value = self.wrap(value, taint, false);
                env.set(slot, Some(value));
            }
        }
    }

    /// A list or map is changed, which a variable holds.
    fn spread_change(&mut self, region: &Region, at: u32, changed: Option<u32>, taint: Taint) {
        let Some(access) = changed else { return self.give_up(taint) };
        let unit = &region.unit;
        for slot in &unit.accesses[access as usize].candidates {
            let scope = region.scope(at, *slot);
            let own = (unit.outside(at, *slot), slot.slot);
            let is_same = |at, other: &Slot| (unit.outside(at, *other), other.slot) == own;
            let is_stored = || {
                region.range.clone().any(|at| match unit.ops[at as usize] {
                    Op::Store(other) => {
                        unit.accesses[other as usize].candidates.iter().any(|other| is_same(at, other))
                    }
                    _ => false,
                })
            };
            if (scope.is_none() || is_stored()) && !unit.is_fresh(at, *slot) {
                self.give_up(taint);
            }
            let value = scope.and_then(|env| env.get(slot.slot));
            let cell = match value.as_ref().map(Value::seen) {
                Some(Value::List(list)) => &list.0.taint,
                Some(Value::Map(map)) => &map.0.taint,
                _ => continue,
            };
            cell.set(self.join(cell.get(), taint));
        }
    }

    /// The value that a variable gets.
    pub(super) fn wrap_for(&mut self, env: &Rc<Env>, slot: u32, value: Value) -> Value {
        let tainted = env.tainted.borrow();
        match tainted.iter().find(|(other, _)| *other == slot) {
            Some((_, taint)) => self.wrap(value, *taint, false),
            None => value,
        }
    }

    /// These are put into a list or map.
    pub(super) fn note_code(&mut self, values: &[Value]) {
        let is_code = |value: &Value| matches!(value.seen(), Value::Rule(_) | Value::Function(_));
        if !self.has_nested_code && values.iter().any(is_code) {
            self.has_nested_code = true;
        }
    }

    /// The arguments of a function that changes its first one.
    pub(super) fn arguments_of_change(&mut self, name: &str, mut arguments: Vec<Value>) -> Vec<Value> {
        let Some(changed) = arguments.first_mut() else { return arguments };
        if let Value::Unknown(unknown) = changed {
            let unknown = Rc::clone(unknown);
            let taint = self.taint_of(&unknown);
            self.give_up(taint);
            self.may_fail(taint);
            *changed = unknown.seen.clone();
        }
        let changed = changed.clone();
        // The change makes that part of the collection known.
        self.budget.touch(&changed);
        if let (Some(key), "delete") = (arguments.get_mut(1), name) {
            *key = self.unwrap(std::mem::replace(key, Value::Null));
        }
        let taint = self.take_noted();
        self.has_any = false;
        self.taint_changed(&changed, taint);
        self.note_code(&arguments);
        arguments
    }

    /// Taints a list or map whose change depends on something unknown.
    pub(super) fn taint_changed(&mut self, changed: &Value, taint: Taint) {
        let (before, changed_late) = match changed {
            Value::List(list) => (&list.0.taint, &list.0.changed_late),
            Value::Map(map) => (&map.0.taint, &map.0.changed_late),
            _ => return,
        };
        before.set(self.join(before.get(), taint));
        if self.verdict_taint.is_some() {
            changed_late.set(true);
            self.late_changes += 1;
        }
    }
}

/// Whether an instruction of an expression fails in no case.
fn never_fails(unit: &Unit, at: u32) -> bool {
    use BinaryOp as Is;
    let names: BTreeSet<u32> =
        unit.loops.iter().flat_map(|description| [description.first, description.second]).flatten().collect();
    match unit.ops[at as usize] {
        Op::Undefined
        | Op::Null
        | Op::Bool(_)
        | Op::Int(_)
        | Op::Float(_)
        | Op::Text(_)
        | Op::Constant(_)
        | Op::Shared(_)
        | Op::IsText(..)
        | Op::Member(_)
        | Op::List(_)
        | Op::Jump(_)
        | Op::Else(_)
        | Op::ElseEnd
        | Op::Test(Test::Defined, _)
        | Op::Binary(
            Is::Equal | Is::NotEqual | Is::Less | Is::LessOrEqual | Is::Greater | Is::GreaterOrEqual,
        )
        | Op::Hold
        | Op::HeldBy(_)
        | Op::Settle(..)
        | Op::Guard(..)
        | Op::Falsify => true,
        // The element of a loop is not a rule.
        Op::LoadMember(access, _) => match &unit.accesses[access as usize].candidates[..] {
            [slot] => unit.outside(at, *slot) < 0 && names.contains(&slot.slot),
            _ => false,
        },
        Op::And(_) | Op::Or(_) | Op::AndEnd | Op::OrEnd | Op::Unary(UnaryOp::Not) => is_answered(unit, at),
        _ => false,
    }
}

/// Whether the value that an instruction takes is a bool or undefined in any case.
fn is_answered(unit: &Unit, at: u32) -> bool {
    use BinaryOp as Is;
    let before = unit.ops[..at as usize].iter().rev();
    let mut before = before.skip_while(|op| matches!(op, Op::Settle(..) | Op::Hold | Op::HeldBy(_)));
    matches!(
        before.next(),
        Some(
            Op::Bool(_)
                | Op::IsText(..)
                | Op::Test(..)
                | Op::AndEnd
                | Op::OrEnd
                | Op::Unary(UnaryOp::Not)
                | Op::Binary(
                    Is::Equal | Is::NotEqual | Is::Less | Is::LessOrEqual | Is::Greater | Is::GreaterOrEqual
                )
        )
    )
}
