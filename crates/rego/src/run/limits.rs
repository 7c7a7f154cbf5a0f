//! Limits on time, memory and nesting.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

use super::expr::kept;
use super::{Run, Stop};
use crate::Value;
use crate::error::{MAX_ITEMS, MAX_PARTS};
use crate::value::TEXT_OF_PART;

/// Limits of an evaluation.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// When it ends.
    pub deadline: Option<Instant>,
    /// The maximum memory of the values that are made, roughly in bytes.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { deadline: None, memory: 1 << 30 }
    }
}

/// How many steps are made between looks at the clock.
const STEPS: u32 = 1 << 10;

/// The part of the stack that is left for code without checks.
// Values may nest deeply as well, and comparing, printing or dropping them takes stack without a look at the
// budget.
const STACK_RESERVE: usize = 32 << 20;

/// How large a collection is that is being made.
#[derive(Debug, Default)]
pub(super) struct Size {
    items: usize,
    parts: u64,
}

/// The rest of the limits; clones share it.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    deadline: Option<Instant>,
    memory: Rc<Cell<u64>>,
    steps: Rc<Cell<u32>>,
    /// The address of the stack when evaluation began.
    stack: usize,
}

impl Budget {
    pub(super) fn new(limits: Limits) -> Self {
        let here = 0_u8;
        Self {
            deadline: limits.deadline,
            memory: Rc::new(Cell::new(limits.memory)),
            steps: Rc::new(Cell::new(STEPS)),
            stack: std::ptr::from_ref(&here).addr(),
        }
    }

    pub(super) fn step(&self) -> Run<()> {
        let left = self.steps.get().wrapping_sub(1);
        self.steps.set(left);
        if left == 0 {
            self.steps.set(STEPS);
            self.look()?;
        }
        Ok(())
    }

    fn look(&self) -> Result<(), crate::Limit> {
        match self.deadline {
            Some(deadline) if Instant::now() > deadline => Err(crate::Limit::Time),
            _ => Ok(()),
        }
    }

    /// Charges for a value.
    pub(super) fn take(&self, bytes: usize) -> Result<(), crate::Limit> {
        match self.memory.get().checked_sub(bytes as u64) {
            Some(left) => {
                self.memory.set(left);
                Ok(())
            }
            None => Err(crate::Limit::Memory),
        }
    }

    /// Takes back a charge for something that is no longer there.
    pub(super) fn give_back(&self, bytes: usize) {
        self.memory.set(self.memory.get().saturating_add(bytes as u64));
    }

    /// Refuses a value that takes too long to be walked, however little memory it takes because its parts are shared.
    pub(super) fn fits(&self, value: Value) -> Run<Value> {
        if value.parts() > MAX_PARTS { Err(Stop::Limit(crate::Limit::Size)) } else { Ok(value) }
    }

    /// Counts one more element of a collection that is being made. Putting it in order looks at all parts of all
    /// elements, so that they are counted before.
    pub(super) fn add(&self, size: &mut Size, values: &[&Value]) -> Run<()> {
        size.items += 1;
        size.parts = values.iter().fold(size.parts, |parts, value| parts.saturating_add(value.parts()));
        if size.items > MAX_ITEMS || size.parts > MAX_PARTS {
            return Err(Stop::Limit(crate::Limit::Size));
        }
        Ok(self.take(values.iter().map(|value| kept(value)).sum())?)
    }

    /// Counts the steps of comparing two values.
    pub(super) fn compare(&self, a: &Value, b: &Value) -> Run<()> {
        // A comparison ends with the smaller value. Smaller ones than this are as quick as the steps between
        // two looks at the clock.
        match a.parts().min(b.parts()) > u64::from(STEPS) {
            true => Ok(self.look()?),
            false => Ok(()),
        }
    }

    /// The text of a value, counted before it is made.
    pub(super) fn text_of(&self, value: &Value) -> Run<String> {
        let parts = value.parts();
        if parts > MAX_PARTS {
            return Err(Stop::Limit(crate::Limit::Size));
        }
        self.take(usize::try_from(parts.saturating_mul(TEXT_OF_PART)).unwrap_or(usize::MAX))?;
        Ok(value.to_json())
    }

    /// Charges for the work of a built-in: the bytes that it makes, or its steps.
    pub(super) fn work(&self, work: usize) -> Result<(), crate::Limit> {
        self.look()?;
        self.take(work / 2)
    }

    /// Whether there is room for another rule within this one.
    pub(super) fn descend(&self) -> Run<()> {
        let here = 0_u8;
        // The crate forbids unsafe code, so the stack is measured by the addresses of local variables.
        match self.stack.abs_diff(std::ptr::from_ref(&here).addr()) > crate::STACK - STACK_RESERVE {
            true => Err(Stop::Limit(crate::Limit::Depth)),
            false => Ok(()),
        }
    }
}
