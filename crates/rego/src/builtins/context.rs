//! The state that built-in functions share within one evaluation: the time, random numbers, compiled
//! patterns, and the budget.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use std::time::{Duration, Instant};

use objchange_text::re2::Pattern;

use super::BuiltinError;
use crate::Limit;
use crate::config_files::ConfigFiles;
use crate::error::{MAX_ITEMS, MAX_PARTS, MAX_TEXT};
use crate::network::Network;
use crate::value::{TEXT_OF_PART, Value};

/// Refuses a text that is longer than one that is made of others may be.
pub(super) fn check_text(length: usize) -> Result<(), BuiltinError> {
    if length > MAX_TEXT { Err(BuiltinError::limit(Limit::Size)) } else { Ok(()) }
}

/// How much work or memory is charged before the limits are checked.
const CHARGE_STEP: usize = 4096;

/// How many compiled patterns are kept.
// Policies may make patterns of parts of the input, a new one for each resource.
const MAX_PATTERNS: usize = 512;

/// The most memory that a compiled pattern may take, in bytes.
// A short pattern may compile to a large program, such as `\pL{1000}`.
const MAX_PATTERN_SIZE: usize = 4 << 20;

/// Charges work to the caller; an error ends the evaluation.
type Budget<'h> = Box<dyn FnMut(usize) -> Result<(), Limit> + 'h>;

/// The state that built-ins share within one evaluation.
pub struct Context<'h> {
    now_ns: i64,
    seed: u64,
    uncharged: usize,
    budget: Budget<'h>,
    patterns: HashMap<String, Result<Arc<Pattern>, String>>,
    random: HashMap<(Value, Value), Value>,
    network: Option<Arc<dyn Network>>,
    deadline: Option<Instant>,
    config_files: Option<Arc<dyn ConfigFiles>>,
    /// The file of the policy that calls a function which reads files.
    policy: String,
}

impl fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context").field("now_ns", &self.now_ns).finish_non_exhaustive()
    }
}

impl<'h> Context<'h> {
    /// A context of an evaluation at this time, in nanoseconds since 1970, with this seed of its random numbers.
    ///
    /// `budget` is called with the work done since its last call: about the bytes made or the steps taken. Its error
    /// ends the evaluation.
    pub fn new(now_ns: i64, seed: u64, budget: impl FnMut(usize) -> Result<(), Limit> + 'h) -> Self {
        Self {
            now_ns,
            seed,
            uncharged: 0,
            budget: Box::new(budget),
            patterns: HashMap::new(),
            random: HashMap::new(),
            network: None,
            deadline: None,
            config_files: None,
            policy: String::new(),
        }
    }

    /// A context whose functions may use this network until this time.
    #[must_use]
    pub fn with_network(self, network: Option<Arc<dyn Network>>, deadline: Option<Instant>) -> Self {
        Self { network, deadline, ..self }
    }

    /// A context whose functions may read these configuration files.
    #[must_use]
    pub fn with_config_files(self, config_files: Option<Arc<dyn ConfigFiles>>) -> Self {
        Self { config_files, ..self }
    }

    pub(super) fn config_files(&self) -> Option<Arc<dyn ConfigFiles>> {
        self.config_files.clone()
    }

    /// Functions are called from this file now.
    pub(crate) fn called_from(&mut self, policy: &str) {
        policy.clone_into(&mut self.policy);
    }

    pub(super) fn policy(&self) -> &str {
        &self.policy
    }

    /// The network of the host, and how long the evaluation may still take.
    pub(super) fn network(&self, function: &str) -> Result<(Arc<dyn Network>, Duration), BuiltinError> {
        let Some(network) = &self.network else {
            let message = format!("there is no network: replace it with `with {function} as …`");
            return Err(BuiltinError::refused(message));
        };
        let left = self.deadline.map_or(Duration::MAX, |at| at.saturating_duration_since(Instant::now()));
        match left.is_zero() {
            true => Err(BuiltinError::limit(Limit::Time)),
            false => Ok((Arc::clone(network), left)),
        }
    }

    /// Like [`Context::charge`], and checks the limits at once.
    pub(super) fn charge_now(&mut self, work: usize) -> Result<(), BuiltinError> {
        self.charge(work.max(CHARGE_STEP))
    }

    /// Checks the limits.
    pub(super) fn look(&mut self) -> Result<(), BuiltinError> {
        (self.budget)(std::mem::take(&mut self.uncharged)).map_err(BuiltinError::limit)
    }

    /// The time of the evaluation.
    pub(super) fn now_ns(&self) -> i64 {
        self.now_ns
    }

    /// Counts work: bytes made or steps taken.
    pub(super) fn charge(&mut self, work: usize) -> Result<(), BuiltinError> {
        self.uncharged = self.uncharged.saturating_add(work);
        if self.uncharged < CHARGE_STEP {
            return Ok(());
        }
        (self.budget)(std::mem::take(&mut self.uncharged)).map_err(BuiltinError::limit)
    }

    /// Charges for a collection before it is made. It stays, so all of it counts.
    pub(super) fn charge_items(&mut self, count: usize) -> Result<(), BuiltinError> {
        if count > MAX_ITEMS {
            return Err(BuiltinError::limit(Limit::Size));
        }
        self.charge(2 * count * size_of::<Value>())
    }

    /// Counts a text that is made of others before it is made: one that is doubled 28 times takes 2 GB.
    pub(super) fn charge_text(&mut self, length: usize) -> Result<(), BuiltinError> {
        check_text(length)?;
        self.charge(2 * length)
    }

    /// Counts the text of a value before it is made.
    pub(super) fn charge_text_of(&mut self, value: &Value) -> Result<(), BuiltinError> {
        if value.parts() > MAX_PARTS {
            return Err(BuiltinError::limit(Limit::Size));
        }
        let text = value.parts().saturating_mul(TEXT_OF_PART);
        self.charge(usize::try_from(text).unwrap_or(usize::MAX))
    }

    /// The compiled pattern.
    pub(super) fn pattern(&mut self, text: &str) -> Result<Arc<Pattern>, BuiltinError> {
        if let Some(pattern) = self.patterns.get(text) {
            return pattern.clone().map_err(BuiltinError::failed);
        }
        self.charge(16 * text.len() + 256)?;
        let pattern = Pattern::new(text, MAX_PATTERN_SIZE).map(Arc::new).map_err(|error| error.to_string());
        if self.patterns.len() >= MAX_PATTERNS {
            self.patterns.clear();
        }
        if let Ok(pattern) = &pattern {
            self.charge(pattern.size())?;
        }
        // Failures are kept as well, so that a wrong pattern in a loop is compiled once.
        self.patterns.insert(text.to_owned(), pattern.clone());
        pattern.map_err(BuiltinError::failed)
    }

    /// The next random number.
    pub(super) fn random(&mut self) -> u64 {
        // SplitMix64
        self.seed = self.seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.seed;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// The random value of a call, which is the same for the same operands throughout an evaluation.
    pub(super) fn random_of(
        &mut self,
        call: &'static str,
        operand: &Value,
        make: impl FnOnce(&mut Self) -> Value,
    ) -> Value {
        // In OPA 1.20 `uuid.rfc4122("k") == uuid.rfc4122("k")` holds.
        let key = (Value::string(call), operand.clone());
        if let Some(value) = self.random.get(&key) {
            return value.clone();
        }
        let value = make(self);
        self.random.insert(key, value.clone());
        value
    }
}
