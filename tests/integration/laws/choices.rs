//! Random choices that depend on a value at hand.

use objchange::{Type, Value};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::common::{Content, value};

/// Makes the open decisions, reproducibly for a seed.
#[derive(Debug)]
pub(crate) struct Choices(TestRunner);

/// The input for [`Choices`].
pub(crate) type Seed = [u8; 32];

impl Choices {
    pub(crate) fn new(seed: &Seed) -> Self {
        Self(TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, seed)))
    }

    pub(crate) fn any<T: std::fmt::Debug>(&mut self, strategy: impl Strategy<Value = T>) -> T {
        strategy.new_tree(&mut self.0).expect("nothing is filtered").current()
    }

    pub(crate) fn value(&mut self, ty: &Type, content: Content) -> Value {
        self.any(value(ty, content))
    }
}
