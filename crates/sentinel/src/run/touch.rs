//! Where a run looked at what is unknown until apply, and which rules did.

use std::collections::BTreeSet;

use super::{Location, Machine, Run};
use crate::value::Place;

/// A look at something that is unknown until apply, which a policy sees as absent.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Touched {
    /// What is unknown, as the host calls it.
    pub what: String,
    /// Where it was looked at.
    pub location: Location,
    /// The rules that looked, or used one that did, by their places in the list of rules; none where only statements
    /// of the file did.
    pub rules: Vec<usize>,
}

/// What a run looked at that is unknown until apply: at most 1,000 looks.
#[derive(Clone, Debug, Default)]
pub struct Touches {
    /// Each once for the same place and rule, in the order in which they came.
    pub list: Vec<Touched>,
    /// How many more there were.
    pub more: usize,
}

const MAX_TOUCHES: usize = 1_000;

/// What a run keeps of this.
#[derive(Default)]
pub(super) struct TouchLog {
    /// With the innermost rule that was being evaluated.
    list: Vec<(String, Place, Option<u32>)>,
    known: BTreeSet<(String, u32, u32, Option<u32>)>,
    more: usize,
}

impl Machine<'_> {
    /// The instruction that was executed looked at what is unknown.
    #[cold]
    pub(super) fn note_touched(&mut self) {
        let (place, rule) = (self.here(), self.running.last().copied());
        let log = &mut self.touched;
        for what in self.budget.touched.drain(..) {
            let key = (what, place.file, place.offset, rule);
            if log.known.contains(&key) {
                continue;
            }
            if log.list.len() < MAX_TOUCHES {
                log.list.push((key.0.clone(), place, rule));
                log.known.insert(key);
            } else {
                log.more += 1;
            }
        }
    }
}

impl Run<'_> {
    /// What was looked at that is unknown until apply: a verdict for which something was may be another one then.
    #[must_use]
    pub fn touched(&self) -> Touches {
        let log = &self.machine.touched;
        let entries = &self.machine.entries;
        let places = self.places_of_entries();
        // Which rules used a rule, directly or not.
        let mut used_by = vec![Vec::new(); entries.len()];
        for (index, entry) in entries.iter().enumerate() {
            for used in &entry.uses {
                used_by[*used as usize].push(index);
            }
        }
        let rules = |first: Option<u32>| {
            let mut found = BTreeSet::new();
            let mut waiting: Vec<usize> = first.map(|entry| entry as usize).into_iter().collect();
            while let Some(entry) = waiting.pop() {
                if found.insert(entry) {
                    waiting.extend(&used_by[entry]);
                }
            }
            let mut rules: Vec<usize> = found.into_iter().filter_map(|entry| places[entry]).collect();
            rules.sort_unstable();
            rules
        };
        let touched = |(what, place, rule): &(String, Place, Option<u32>)| Touched {
            what: what.clone(),
            location: self.location(*place),
            rules: rules(*rule),
        };
        Touches { list: log.list.iter().map(touched).collect(), more: log.more }
    }
}
