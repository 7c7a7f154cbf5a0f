//! Limits on time, memory and nesting.

use std::time::Instant;

use super::{Run, Stop};

/// What an evaluation may take.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
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

/// How many steps are made between looks at the clock.
const STEPS: u32 = 1 << 10;

/// So much of the stack is left for what looks no more.
pub(crate) const STACK_RESERVE: usize = 32 << 20;

pub(super) struct Budget {
    limits: Limits,
    left: u32,
    /// Where the stack was when evaluation began.
    stack: usize,
}

impl Budget {
    pub(super) fn new(limits: Limits) -> Self {
        let here = 0_u8;
        Self { limits, left: STEPS, stack: std::ptr::from_ref(&here).addr() }
    }

    pub(super) fn step(&mut self) -> Run<()> {
        self.left = self.left.wrapping_sub(1);
        if self.left == 0 {
            self.left = STEPS;
            self.look()?;
        }
        Ok(())
    }

    fn look(&self) -> Run<()> {
        match self.limits.deadline {
            Some(deadline) if Instant::now() > deadline => Err(Stop::Limit(crate::TIME_EXCEEDED)),
            _ => Ok(()),
        }
    }

    /// Counts what a value takes.
    pub(super) fn take(&mut self, bytes: usize) -> Run<()> {
        match self.limits.memory.checked_sub(bytes as u64) {
            Some(left) => {
                self.limits.memory = left;
                Ok(())
            }
            None => Err(Stop::Limit(crate::MEMORY_EXCEEDED)),
        }
    }

    /// Whether there is room for another rule within this one.
    pub(super) fn descend(&self) -> Run<()> {
        let here = 0_u8;
        match self.stack.abs_diff(std::ptr::from_ref(&here).addr()) > crate::STACK - STACK_RESERVE {
            true => Err(Stop::Limit("rules and functions lead to each other too deeply")),
            false => Ok(()),
        }
    }
}
