//! Evaluating rules over one input, in one thread.

use std::collections::BTreeSet;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use regorus::utils::limits::ExecutionTimerConfig;
use regorus::{Engine, Value};

use super::compile::{Compiled, NOW, caller};
use super::error::{Place, PolicyError, PolicyErrorKind};
use super::trace::{ALONG, GET, Look};
use super::unknown::Markers;

/// What is noted while rules are evaluated.
#[derive(Debug, Default)]
struct Notes {
    looks: Arc<[Look]>,
    markers: Arc<Markers>,
    /// Which looks came upon which markers.
    met: BTreeSet<(usize, usize)>,
    /// The rule that is evaluated now.
    now: usize,
}

/// A marker that a rule came upon, and the look in a policy that did.
pub(super) type Met = (usize, usize);

/// The values of rules, by their number.
pub(super) type Said = Vec<(usize, Value)>;

/// Interpreters of the policies, with what they note.
pub(super) struct Session<'p> {
    policies: &'p Compiled,
    plain: Engine,
    traced: Option<Engine>,
    notes: Arc<Mutex<Notes>>,
    deadline: Instant,
}

/// What rules are evaluated over.
#[derive(Clone)]
pub(super) enum Given {
    Plain(Value),
    /// With markers in place of what is unknown.
    Marked(Value, Arc<Markers>),
}

impl<'p> Session<'p> {
    pub(super) fn new(policies: &'p Compiled, deadline: Instant) -> Result<Self, PolicyError> {
        let notes = Arc::new(Mutex::new(Notes::default()));
        let mut plain = policies.engine.clone();
        let mut traced = policies.traced.as_ref().map(|traced| traced.engine.clone());
        if let Some(traced) = &policies.traced {
            lock(&notes).looks = traced.looks.clone();
        }
        for engine in std::iter::once(&mut plain).chain(&mut traced) {
            extend(engine, &notes, &policies.begun)
                .map_err(|error| PolicyError::of(PolicyErrorKind::Policy, &error, None))?;
        }
        Ok(Self { policies, plain, traced, notes, deadline })
    }

    /// The values of all rules of a part, by their number, where they are defined; and what was met.
    pub(super) fn part(&mut self, part: usize, given: &Given) -> Result<(Said, BTreeSet<Met>), PolicyError> {
        let name = caller(part);
        let value = self.run(given, |engine| engine.eval_rule(name))?;
        let mut values = Vec::new();
        for pair in value.as_array().into_iter().flat_map(|pairs| pairs.iter()) {
            if let (Ok(rule), value) = (pair[0_usize].as_u64(), &pair[1_usize][0_usize])
                && *value != Value::Undefined
            {
                values.push((usize::try_from(rule).unwrap_or(usize::MAX), value.clone()));
            }
        }
        Ok((values, self.met()))
    }

    /// The value of one definition of a rule alone, and what was met.
    pub(super) fn definition(
        &mut self,
        rule: usize,
        definition: usize,
        given: &Given,
    ) -> Result<(Value, BTreeSet<Met>), PolicyError> {
        self.about(rule);
        let key = self.policies.rules[rule].key.clone();
        let definition = self.policies.rules[rule].definitions[definition].clone();
        let modules = match (given, &self.policies.traced) {
            (Given::Marked(..), Some(traced)) => &traced.modules,
            _ => &self.policies.modules,
        };
        let module = &modules[definition.module];
        let data = self.run(given, |engine| {
            engine.eval_rule_in_module(module, &module.policy[definition.rule], false)
        })?;
        let package = key.0.iter().fold(&data, |data, name| &data[name.as_str()]);
        Ok((package[key.1.as_str()].clone(), self.met()))
    }

    /// Says which rule is evaluated next, for errors without a place.
    pub(super) fn about(&mut self, rule: usize) {
        lock(&self.notes).now = rule;
    }

    /// The value of a rule by its name in Rego.
    pub(super) fn rule(&mut self, name: &str, place: &Place, given: &Given) -> Result<Value, PolicyError> {
        let name = name.to_owned();
        self.run(given, |engine| engine.eval_rule(name)).map_err(|error| error.or_at(place))
    }

    /// What the rules have printed.
    pub(super) fn prints(&mut self) -> Vec<String> {
        let prints = self.plain.take_prints().unwrap_or_default();
        let traced = self.traced.as_mut().and_then(|engine| engine.take_prints().ok());
        prints.into_iter().chain(traced.into_iter().flatten()).collect()
    }

    fn run(
        &mut self,
        given: &Given,
        evaluate: impl FnOnce(&mut Engine) -> anyhow::Result<Value>,
    ) -> Result<Value, PolicyError> {
        let (engine, input) = match given {
            Given::Marked(input, markers) => {
                lock(&self.notes).markers = markers.clone();
                (self.traced.as_mut().unwrap_or(&mut self.plain), input)
            }
            Given::Plain(input) => (&mut self.plain, input),
        };
        let left = self.deadline.saturating_duration_since(Instant::now());
        engine.set_execution_timer_config(ExecutionTimerConfig {
            limit: left.max(Duration::from_millis(1)),
            check_interval: NonZero::new(1000).unwrap_or(NonZero::<u32>::MIN),
        });
        engine.set_input(input.clone());
        evaluate(engine).map_err(|error| {
            let rule = self.policies.rules.get(lock(&self.notes).now);
            let place = rule.and_then(|rule| rule.definitions.first()).map(|definition| &definition.place);
            PolicyError::of(PolicyErrorKind::Evaluation, &error, place)
        })
    }

    fn met(&self) -> BTreeSet<Met> {
        std::mem::take(&mut lock(&self.notes).met)
    }
}

fn lock(notes: &Mutex<Notes>) -> MutexGuard<'_, Notes> {
    notes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives an interpreter the functions that note something.
fn extend(engine: &mut Engine, notes: &Arc<Mutex<Notes>>, begun: &Arc<AtomicUsize>) -> anyhow::Result<()> {
    limit_ranges(engine)?;
    let of_now = notes.clone();
    let begun = begun.clone();
    engine.add_extension(
        NOW.to_owned(),
        1,
        Box::new(move |given: Vec<Value>| {
            if let Some(rule) = number(&given, 0) {
                lock(&of_now).now = rule;
                begun.store(rule, Ordering::Relaxed);
            }
            Ok(Value::Bool(true))
        }),
    )?;
    let of_get = notes.clone();
    engine.add_extension(
        GET.to_owned(),
        2,
        Box::new(move |given: Vec<Value>| {
            let Some(look) = number(&given, 1) else { return Ok(Value::Undefined) };
            Ok(lock(&of_get).get(&given[0], look))
        }),
    )?;
    let of_along = notes.clone();
    engine.add_extension(
        ALONG.to_owned(),
        3,
        Box::new(move |given: Vec<Value>| {
            let Some(look) = number(&given, 2) else { return Ok(Value::Undefined) };
            Ok(lock(&of_along).along(&given[0], &given[1], look))
        }),
    )
}

/// A range is made at once, before anybody looks at the clock: a longer one than this is refused.
const LONGEST_RANGE: u64 = 1_000_000;

fn limit_ranges(engine: &mut Engine) -> anyhow::Result<()> {
    for (name, arity) in [("numbers.range", 2), ("numbers.range_step", 3)] {
        let range = move |given: Vec<Value>| {
            let mut numbers = given.iter().map(Value::as_i64);
            let (Some(Ok(from)), Some(Ok(to))) = (numbers.next(), numbers.next()) else {
                return Ok(Value::Undefined);
            };
            let step = match numbers.next() {
                None => 1,
                Some(Ok(step @ 1..)) => step.unsigned_abs(),
                Some(_) => return Ok(Value::Undefined),
            };
            let steps = from.abs_diff(to) / step;
            if steps >= LONGEST_RANGE {
                anyhow::bail!("{name} of more than {LONGEST_RANGE} numbers");
            }
            let at = |index: u64| {
                let offset = i128::from(index) * i128::from(step);
                i128::from(from) + if from <= to { offset } else { -offset }
            };
            Ok(Value::from((0..=steps).map(|index| Value::from(at(index))).collect::<Vec<_>>()))
        };
        engine.add_extension(name.to_owned(), arity, Box::new(range))?;
    }
    Ok(())
}

fn number(given: &[Value], index: usize) -> Option<usize> {
    given.get(index)?.as_u64().ok().and_then(|number| usize::try_from(number).ok())
}

impl Notes {
    /// Notes it where a value is unknown. Whether it is to be undefined is answered: as it is without markers, and as
    /// it is not in `after_full`.
    fn is_unknown(&mut self, value: &Value, look: usize) -> bool {
        let Some(marker) = self.markers.find(value) else { return false };
        self.met.insert((look, marker));
        !self.markers.get(marker).is_some_and(|marker| marker.full)
    }

    /// What the keys of a look lead to.
    fn get(&mut self, value: &Value, look: usize) -> Value {
        let looks = self.looks.clone();
        let Some(Look { keys, deep, .. }) = looks.get(look) else { return value.clone() };
        let mut at = value;
        for key in keys {
            if self.is_unknown(at, look) {
                return Value::Undefined;
            }
            at = &at[key];
        }
        if self.is_unknown(at, look) {
            return Value::Undefined;
        }
        if *deep {
            let mut found = Vec::new();
            self.markers.find_all(at, &mut found);
            self.met.extend(found.into_iter().map(|marker| (look, marker)));
        }
        at.clone()
    }

    /// What `object.get` is to look into, with this key or the keys in it.
    fn along(&mut self, value: &Value, keys: &Value, look: usize) -> Value {
        let mut at = value;
        let mut is_unknown = self.is_unknown(at, look);
        let one = std::slice::from_ref(keys);
        let keys: Vec<&Value> = match keys {
            Value::Array(keys) => keys.iter().collect(),
            _ => one.iter().collect(),
        };
        for key in keys {
            at = &at[key];
            is_unknown |= self.is_unknown(at, look);
        }
        if is_unknown { Value::Undefined } else { value.clone() }
    }
}
