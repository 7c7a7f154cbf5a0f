//! The law of plans without all of their input, over the cases: nothing that is said to be known changes when something is filled
//! in, and nothing that is missing makes an error.
//!
//! `REMOVALS=40 cargo test -p objchange-module --test larger removals::` removes things more often.

#[path = "../../../../../fuzz/known_parts.rs"]
mod known_parts;

use std::collections::BTreeSet;
use std::sync::Arc;

use libtest_mimic::Trial;

use super::case::{Answer, Case, cases, folder};
use super::run::{NEWEST, Planner, Removed};

/// How often things are removed from each case.
const REMOVALS: u64 = 4;

/// One test for each case.
pub(crate) fn trials() -> Vec<Trial> {
    let folder = folder();
    let Ok(planner) = Planner::new(&folder, NEWEST) else {
        return vec![Trial::test("removals", || Ok(())).with_ignored_flag(true)];
    };
    let planner = Arc::new(planner);
    let count = std::env::var("REMOVALS").ok().and_then(|count| count.parse().ok()).unwrap_or(REMOVALS);
    let trial = |case: Case| {
        let planner = Arc::clone(&planner);
        Trial::test(format!("removals::{}", case.name), move || {
            let found = (0..count).find_map(|round| contradiction(&planner, &case, round));
            found.map_or(Ok(()), |found| Err(found.into()))
        })
    };
    // Without its schemas a provider is not asked what has changed outside.
    let is_outside = |case: &Case| case.run.needs.iter().any(|need| need == "remote");
    // Which objects a target needs is not known where its module is missing.
    let has_targets = |case: &Case| case.run.args.iter().any(|argument| argument.starts_with("-target"));
    let all = cases(&folder, "*").unwrap_or_default().into_iter();
    all.filter(|case| !is_outside(case) && !has_targets(case)).map(trial).collect()
}

/// Numbers that look random, the same ones for the same seed.
struct Random(u64);

impl Random {
    fn new(name: &str, round: u64) -> Self {
        let seed = name.bytes().fold(round, |seed, byte| {
            (seed ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3).rotate_left(17)
        });
        Self(seed)
    }

    /// True in one of so many cases.
    fn one_of(&mut self, count: u64) -> bool {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)).is_multiple_of(count)
    }

    fn some(&mut self, names: &BTreeSet<String>, one_of: u64) -> BTreeSet<String> {
        names.iter().filter(|_| self.one_of(one_of)).cloned().collect()
    }
}

/// A contradiction between plans of a case: without some of its input, with a part of that, and with all.
fn contradiction(planner: &Planner, case: &Case, round: u64) -> Option<String> {
    let mut random = Random::new(&case.name, round);
    let all = planner.removable(case).ok()?;
    let mut without = Removed {
        variables: random.some(&all.variables, 2),
        modules: random.some(&all.modules, 3),
        providers: random.some(&all.providers, 2),
    };
    if without == Removed::default() {
        without = all;
    }
    let filled = Removed {
        variables: random.some(&without.variables, 2),
        modules: random.some(&without.modules, 2),
        providers: random.some(&without.providers, 2),
    };
    let least = planner.run_without(case, &without).ok()?;
    for (name, more) in [("all of it", Removed::default()), ("a part of it", filled)] {
        let Ok(answer) = planner.run_without(case, &more) else { continue };
        if let Some(found) = between(&least, &answer, &without) {
            return Some(format!("round {round}, without {without:?}, with {name} ({more:?}): {found}"));
        }
    }
    None
}

/// A contradiction to the answer that was given with less input.
fn between(least: &Answer, more: &Answer, removed: &Removed) -> Option<String> {
    let errors = |answer: &Answer| {
        let errors = answer.diagnostics.iter().filter(|found| found["severity"] == "error");
        errors.map(|found| format!("{} {}", found["summary"], found["range"])).collect::<Vec<_>>()
    };
    let with_more = errors(more);
    if let Some(error) = errors(least).into_iter().find(|error| !with_more.contains(error)) {
        // An error before planning hides others.
        return more.plan.is_some().then(|| format!("an error is gone: {error}"));
    }
    // With errors there is only a part of a plan.
    if !with_more.is_empty() {
        return None;
    }
    let (Some(least), Some(more)) = (&least.plan, &more.plan) else {
        return Some("there is no plan".to_owned());
    };
    known_parts::contradiction(least, more, &|provider| removed.providers.contains(provider))
}
