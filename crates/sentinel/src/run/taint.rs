//! Tracks values that depend on unknown values.
//!
//! A policy sees an unknown value as absent. Every value made from it is wrapped in [`Value::Unknown`] with
//! its sources: a [`Taint`]. Instructions unwrap their operands and wrap their results, so that known
//! values cost nothing. If a condition is tainted, everything that the chosen instructions may change is
//! tainted as well, executed or not: see `effects.rs`.

use std::rc::Rc;

use super::Machine;
use crate::compile::Op;
use crate::syntax::ast::{BinaryOp, Test, UnaryOp};
use crate::value::{Done, SourcePlace, Taint, Unknown, Value};

impl Machine<'_> {
    /// The unknown values that the instruction has looked at since the last call.
    pub(super) fn take_noted(&mut self) -> Taint {
        if !self.budget.has_noted {
            return Taint::NONE;
        }
        self.take_noted_at(self.here())
    }

    pub(super) fn take_noted_at(&mut self, place: SourcePlace) -> Taint {
        let budget = &mut self.budget;
        let mut taint = std::mem::take(&mut budget.noted);
        for what in std::mem::take(&mut budget.touched) {
            let look = budget.taints.look(what, place);
            taint = budget.taints.join(taint, look);
        }
        budget.has_noted = false;
        taint
    }

    pub(super) fn join(&mut self, a: Taint, b: Taint) -> Taint {
        self.budget.taints.join(a, b)
    }

    /// Wraps a value with the unknown values that it depends on.
    pub(super) fn wrap(&mut self, value: Value, taint: Taint, is_answer: bool) -> Value {
        if taint == Taint::NONE {
            return value;
        }
        // Almost all values are known and return before this.
        let (seen, before, was_answer) = match value {
            Value::Unknown(unknown) => {
                let taint = self.taint_of(&unknown);
                (unknown.seen.clone(), taint, unknown.is_answer)
            }
            value => (value, Taint::NONE, is_answer),
        };
        // An unknown value is never wrapped in another one, so one look at `seen` is enough.
        let taint = self.join(before, taint);
        Value::Unknown(Rc::new(Unknown { seen, taint, name: None, is_answer: was_answer && is_answer }))
    }

    pub(super) fn taint_of(&mut self, unknown: &Unknown) -> Taint {
        match &unknown.name {
            None => unknown.taint,
            Some(name) => {
                let place = self.here();
                self.budget.taints.look(name.to_string(), place)
            }
        }
    }

    /// A value made from another one, with its taint.
    pub(super) fn both(&mut self, from: &Value, value: Value) -> Value {
        match from {
            Value::Unknown(unknown) => {
                let taint = self.taint_of(unknown);
                self.wrap(value, taint, false)
            }
            _ => value,
        }
    }

    /// Unwraps a value, and notes its taint.
    pub(super) fn unwrap(&mut self, value: Value) -> Value {
        match value {
            Value::Unknown(unknown) => {
                self.budget.note(&unknown);
                self.has_any |= !unknown.is_answer;
                unknown.seen.clone()
            }
            value => value,
        }
    }

    /// The verdict may be an error, depending on something unknown.
    pub(super) fn may_fail(&mut self, taint: Taint) {
        self.verdict_taint = self.join(self.verdict_taint, taint);
    }

    /// The instruction has looked at something unknown: its result depends on that.
    #[cold]
    pub(super) fn wrap_result(&mut self, op: Op) -> Done<()> {
        let taint = self.take_noted();
        let has_any = std::mem::take(&mut self.has_any);
        if taint == Taint::NONE {
            return Ok(());
        }
        self.count_taints()?;
        if has_any && may_fail(op) {
            self.may_fail(taint);
        }
        if let Op::Store(_) | Op::Pop | Op::Return = op {
            return Ok(());
        }
        if let Some(value) = self.stack.pop() {
            let is_answer = if keeps(op) { !has_any } else { is_answer(op) };
            let value = self.wrap(value, taint, is_answer);
            self.stack.push(value);
        }
        Ok(())
    }

    /// Charges for wrappers and sets of reads.
    pub(super) fn count_taints(&mut self) -> Done<()> {
        let bytes = self.budget.taints.bytes();
        let more = bytes.saturating_sub(self.counted_taints);
        self.counted_taints = bytes.max(self.counted_taints);
        // Includes the reference counts and the allocator's overhead.
        self.budget.make(more + size_of::<Unknown>() + 32)
    }
}

/// Whether an instruction leaves the value on top as it is.
fn keeps(op: Op) -> bool {
    matches!(op, Op::Hold | Op::Settle(..) | Op::Guard(..) | Op::Recall { .. })
}

/// Whether an instruction fails for some values of its operands.
fn may_fail(op: Op) -> bool {
    use BinaryOp as Is;
    !keeps(op)
        && !matches!(
            op,
            Op::Member(_)
                | Op::LoadMember(..)
                | Op::IsText(..)
                | Op::Test(Test::Defined, _)
                | Op::Binary(
                    Is::Equal | Is::NotEqual | Is::Less | Is::LessOrEqual | Is::Greater | Is::GreaterOrEqual
                )
        )
}

/// Whether the result of an instruction is a bool or undefined for all operands.
fn is_answer(op: Op) -> bool {
    use BinaryOp as Is;
    match op {
        Op::IsText(..) | Op::Test(..) | Op::InKeys(_) | Op::Unary(UnaryOp::Not) | Op::AndEnd => true,
        Op::Binary(op) => matches!(
            op,
            Is::Equal
                | Is::NotEqual
                | Is::Less
                | Is::LessOrEqual
                | Is::Greater
                | Is::GreaterOrEqual
                | Is::Contains
                | Is::NotContains
                | Is::In
                | Is::NotIn
                | Is::Matches
                | Is::NotMatches
                | Is::Xor
        ),
        _ => false,
    }
}
