//! Random choices that are reproducible.

use proptest::prelude::RngExt;
use proptest::test_runner::TestRng;

use crate::hints::Numbering;

/// Random numbers that depend only on the seed and the number of the sample.
pub(in super::super) struct Dice(TestRng);

impl Dice {
    pub(super) fn new(at: Numbering) -> Self {
        Self(at.random())
    }

    /// A number from 0 to below `count`; `count` is not 0.
    pub(super) fn below(&mut self, count: usize) -> usize {
        self.0.random_range(0..count.max(1))
    }

    pub(super) fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// Puts the elements in a random order.
    pub(super) fn shuffle<T>(&mut self, all: &mut [T]) {
        // This is the shuffle of Fisher and Yates, which gives each order the same chance.
        for i in (1..all.len()).rev() {
            all.swap(i, self.below(i + 1));
        }
    }
}
