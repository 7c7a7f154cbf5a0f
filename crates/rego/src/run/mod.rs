//! Evaluating rules, also over values that are not known yet.
//!
//! Every condition either holds, does not hold, or holds for some of the values that the unknown ones may
//! take. The last case sets [`Machine::doubt`]: as long as it is set, everything that a body finds is only
//! possible. Results without doubt hold whatever the unknown values will be.

mod assumed;
mod body;
mod builtin;
mod call;
mod collect;
mod compare;
mod data;
mod expr;
mod join;
mod limits;
mod lookup;
mod rules;
mod sight;
mod world;

use std::sync::Arc;

use hashbrown::HashMap;

use crate::builtins::Context;
use crate::compile::Compiled;
use crate::compile::program::{RuleId, SourcePlace};
use crate::config_files::ConfigFiles;
use crate::network::Network;
use crate::value::{Unknown, Value};
use assumed::Assumptions;
pub(crate) use collect::Members;
pub use collect::RuleResults;
use join::Joins;
use limits::Budget;
pub use limits::Limits;
use lookup::Member;
pub(crate) use rules::either;
pub(crate) use sight::{Sight, TermValue};
use world::World;

/// The reason why evaluation ends.
#[derive(Debug, Clone)]
pub(crate) enum Stop {
    /// A rule fails.
    Failure(Box<Failure>),
    /// A limit is reached: no other rule is evaluated, either.
    Limit(crate::Limit),
}

impl From<crate::Limit> for Stop {
    fn from(limit: crate::Limit) -> Self {
        Self::Limit(limit)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Failure {
    pub(crate) message: String,
    pub(crate) place: SourcePlace,
    /// Whether it fails depends on this.
    pub(crate) doubt: Option<Unknown>,
}

pub(crate) type Run<T> = Result<T, Stop>;

/// The values of the variables of a rule.
pub(crate) type Frame = Vec<Option<Value>>;

/// Whether a search continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flow {
    Continue,
    Stop,
}

/// The failure of a built-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Complaint {
    pub(crate) function: &'static str,
    pub(crate) message: String,
    pub(crate) place: SourcePlace,
}

/// The maximum number of complaints and of prints that are kept.
// A policy may print or complain once for each pair of resources of a plan.
const MOST_NOTES: usize = 1000;

pub(crate) struct Machine<'p> {
    program: &'p Compiled,
    /// The documents of `data`.
    documents: Value,
    world: World,
    /// The unknown values that the current branch depends on.
    doubt: Option<Unknown>,
    /// Whether the current branch represents several solutions, because it iterates over an unknown collection.
    many: Many,
    /// The unknown values that decide whether the current rule fails although a value was found. Unlike a
    /// doubt, this stays when a branch ends.
    may_fail: Option<Unknown>,
    /// The assumptions of the current branch.
    assumed: Assumptions,
    budget: Budget,
    joins: Joins<'p>,
    context: Context<'static>,
    is_strict: bool,
    /// An unknown text was read as a number, which may turn out to be written as JSON writes none.
    pub(crate) has_read_number: bool,
    complaints: Vec<Complaint>,
    prints: Vec<(SourcePlace, String)>,
    /// How often evaluation came by each mark.
    passes: Vec<Passes>,
    /// The values at each mark, if they are to be kept.
    sights: Option<Vec<Option<Sight>>>,
}

/// Whether one branch represents several.
#[derive(Debug, Clone, Copy, Default)]
struct Many {
    /// They may have different values, because one unknown member represents all members.
    values: bool,
    /// There may be any number of them.
    times: bool,
}

impl Many {
    /// Those of a branch for this member of a collection.
    fn with(self, member: &Member) -> Self {
        let is_open = || member.value.contains_unknown() || member.key.contains_unknown();
        Self {
            values: self.values || member.doubt.is_some() && is_open(),
            times: self.times || member.is_many,
        }
    }
}

/// How often evaluation came by a place: for certain, and only possibly.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Passes {
    pub(crate) certain: u32,
    pub(crate) possible: u32,
}

/// The value of a rule and its certainty.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outcome {
    /// The value; nothing, if the rule is undefined.
    pub(crate) value: Option<Value>,
    /// The unknown values that decide whether the rule has a value.
    pub(crate) doubt: Option<Unknown>,
    /// The unknown values that decide whether evaluating it fails.
    pub(crate) may_fail: Option<Unknown>,
}

impl Outcome {
    fn new(value: Option<Value>, doubt: Option<Unknown>) -> Self {
        Self { value, doubt, may_fail: None }
    }
}

impl<'p> Machine<'p> {
    pub(crate) fn new(
        program: &'p Compiled,
        input: Option<Value>,
        documents: Value,
        limits: Limits,
        is_strict: bool,
        now_ns: i64,
        network: Option<Arc<dyn Network>>,
    ) -> Self {
        let budget = Budget::new(limits);
        let of_builtins = budget.clone();
        // The time is also the seed of random numbers, so that an evaluation at a fixed time can be repeated.
        let context = Context::new(now_ns, now_ns.unsigned_abs(), move |work| of_builtins.work(work))
            .with_network(network, limits.deadline);
        Self {
            program,
            documents,
            world: World { input, ..World::default() },
            doubt: None,
            many: Many::default(),
            may_fail: None,
            assumed: Assumptions::default(),
            budget,
            joins: Joins::default(),
            context,
            is_strict,
            has_read_number: false,
            complaints: Vec::new(),
            prints: Vec::new(),
            passes: vec![Passes::default(); program.marks.len()],
            sights: None,
        }
    }

    /// A machine whose policies may read these configuration files.
    pub(crate) fn with_config_files(self, files: Option<Arc<dyn ConfigFiles>>) -> Self {
        Self { context: self.context.with_config_files(files), ..self }
    }

    /// Evaluation comes by a mark.
    fn pass(&mut self, number: u32) {
        if let Some(passes) = self.passes.get_mut(number as usize) {
            let count = if self.doubt.is_none() { &mut passes.certain } else { &mut passes.possible };
            *count = count.saturating_add(1);
        }
    }

    /// A machine that keeps the values of terms where evaluation comes by marks, if `keeps`.
    pub(crate) fn with_sights(self, keeps: bool) -> Self {
        Self { sights: keeps.then(|| vec![None; self.program.marks.len()]), ..self }
    }

    pub(crate) fn take_passes(&mut self) -> Vec<Passes> {
        let empty = vec![Passes::default(); self.passes.len()];
        std::mem::replace(&mut self.passes, empty)
    }

    pub(crate) fn take_complaints(&mut self) -> Vec<Complaint> {
        std::mem::take(&mut self.complaints)
    }

    pub(crate) fn take_prints(&mut self) -> Vec<(SourcePlace, String)> {
        std::mem::take(&mut self.prints)
    }

    /// From here on everything that is found is only possible.
    fn add_doubt(&mut self, unknown: &Unknown) {
        self.doubt = Some(match self.doubt.take() {
            None => unknown.plain(),
            Some(doubt) => doubt.union(unknown),
        });
    }

    /// The rule that is evaluated fails for some of the values that the unknown ones may take.
    fn add_may_fail(&mut self, unknown: &Unknown) {
        self.may_fail = either(self.may_fail.take(), Some(unknown));
    }

    /// Runs `work`, whose result is kept for other branches; also returns the unknown values that decide whether it fails.
    fn with_may_fail<T>(&mut self, work: impl FnOnce(&mut Self) -> Run<T>) -> Run<(T, Option<Unknown>)> {
        // Only what `work` adds belongs to it, and what this branch assumes does not hold on others.
        let outer = self.may_fail.take();
        let assumed = std::mem::take(&mut self.assumed);
        let result = work(self);
        self.assumed = assumed;
        let inner = std::mem::replace(&mut self.may_fail, outer);
        result.map(|result| (result, inner))
    }

    /// Evaluates something whose doubts are its own. A failure in it is as doubtful as the branch that leads there.
    fn isolated<T>(&mut self, work: impl FnOnce(&mut Self) -> Run<T>) -> Run<T> {
        let outer = self.doubt.take();
        let outer_many = std::mem::take(&mut self.many);
        let result = work(self);
        self.many = outer_many;
        let result = match (&outer, result) {
            (Some(outer), Err(Stop::Failure(mut failure))) => {
                failure.doubt = Some(match failure.doubt.take() {
                    None => outer.clone(),
                    Some(doubt) => doubt.union(outer),
                });
                Err(Stop::Failure(failure))
            }
            (_, result) => result,
        };
        self.doubt = outer;
        result
    }

    fn failure<T>(&self, place: SourcePlace, message: impl Into<String>) -> Run<T> {
        Err(Stop::Failure(Box::new(Failure { message: message.into(), place, doubt: self.doubt.clone() })))
    }

    fn complain(&mut self, place: SourcePlace, function: &'static str, message: String) {
        let complaint = Complaint { function, message, place };
        if self.complaints.len() < MOST_NOTES && !self.complaints.contains(&complaint) {
            self.complaints.push(complaint);
        }
    }
}

/// The rules that have been evaluated.
// Keys are small numbers of our own, so that a hash that resists chosen keys is not needed.
type Cache = HashMap<RuleId, Run<Outcome>, foldhash::fast::RandomState>;
