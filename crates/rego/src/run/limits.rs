//! Limits on time, memory and nesting.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Instant;

use super::{Run, Stop};
use crate::Value;

/// Limits of an evaluation.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// When it ends.
    pub deadline: Option<Instant>,
    /// How many bytes the values that it makes may take, roughly.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { deadline: None, memory: 1 << 30 }
    }
}

/// Of how many values one may consist: those of a plan of a gigabyte.
const MAX_PARTS: u64 = 1 << 26;

/// How many steps are made between looks at the clock.
const STEPS: u32 = 1 << 10;

/// So much of the stack is left for what does not look at it.
const STACK_RESERVE: usize = 32 << 20;

/// What is left of the limits. Clones share it.
#[derive(Debug, Clone)]
pub(super) struct Budget {
    deadline: Option<Instant>,
    memory: Rc<Cell<u64>>,
    steps: Rc<Cell<u32>>,
    /// Where the stack was when evaluation began.
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

    /// Counts what a value takes.
    pub(super) fn take(&self, bytes: usize) -> Result<(), crate::Limit> {
        match self.memory.get().checked_sub(bytes as u64) {
            Some(left) => {
                self.memory.set(left);
                Ok(())
            }
            None => Err(crate::Limit::Memory),
        }
    }

    /// Refuses a value that takes too long to be walked, however little memory it takes because its parts are shared.
    pub(super) fn fits(&self, value: Value) -> Run<Value> {
        if value.parts() > MAX_PARTS { Err(Stop::Limit(crate::Limit::Memory)) } else { Ok(value) }
    }

    /// Counts the work of a built-in: the bytes that it makes, or its steps.
    pub(super) fn work(&self, work: usize) -> Result<(), crate::Limit> {
        self.look()?;
        self.take(work / 2)
    }

    /// Whether there is room for another rule within this one.
    pub(super) fn descend(&self) -> Run<()> {
        let here = 0_u8;
        match self.stack.abs_diff(std::ptr::from_ref(&here).addr()) > crate::STACK - STACK_RESERVE {
            true => Err(Stop::Limit(crate::Limit::Depth)),
            false => Ok(()),
        }
    }
}
