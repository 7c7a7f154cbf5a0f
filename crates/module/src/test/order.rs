//! The order of the runs and variables of a test file: which of them wait for others, and which for themselves.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use objchange_document::Version;
use objchange_hcl::{TestFile, TestRun};
use smol_str::SmolStr;

use super::run::state_key;
use super::values::{RunReferences, file_variables, runs_in, runs_referred_to};
use crate::components::components;
use crate::config::Config;
use crate::diagnostics::cycle_summary;
use crate::{Diagnostics, Severity};

/// The needs of the values of a file's variables: other variables and runs.
pub(super) struct VariableNeeds<'f> {
    file: &'f TestFile,
    /// The variables of the file that each refers to.
    needs: Vec<Vec<usize>>,
    /// The variables, each after those that it needs, in groups that need each other.
    groups: Vec<Vec<usize>>,
    /// The runs behind each: those that it refers to, also by other variables. Variables share a set that is the same.
    runs: Vec<Rc<BTreeSet<usize>>>,
}

impl<'f> VariableNeeds<'f> {
    /// Follows each reference of the file once.
    pub(super) fn new(file: &'f TestFile) -> Self {
        let variables = &file.variables;
        let named = positions(variables.iter().map(|variable| &variable.name));
        let runs_named = positions(file.runs.iter().map(|run| &run.name));
        let needs: Vec<Vec<usize>> = variables
            .iter()
            .map(|variable| {
                file_variables(variable).iter().filter_map(|name| named.get(name).copied()).collect()
            })
            .collect();
        let groups = components(variables.len(), |variable| &needs[variable]);
        let nothing = Rc::new(BTreeSet::new());
        let mut runs: Vec<_> = variables.iter().map(|_| Rc::clone(&nothing)).collect();
        for group in &groups {
            let own = group.iter().flat_map(|variable| runs_in(&variables[*variable].expr));
            let own: BTreeSet<usize> = own.filter_map(|name| runs_named.get(&name).copied()).collect();
            let mut behind = Rc::new(own);
            // Those of the group itself are still empty.
            for needed in group.iter().flat_map(|variable| &needs[*variable]) {
                let others = &runs[*needed];
                if behind.is_empty() {
                    behind = Rc::clone(others);
                } else if !Rc::ptr_eq(&behind, others) && !others.is_subset(&behind) {
                    Rc::make_mut(&mut behind).extend(others.iter().copied());
                }
            }
            group.iter().for_each(|variable| runs[*variable] = Rc::clone(&behind));
        }
        Self { file, needs, groups, runs }
    }

    /// The positions of the variables in an order in which each comes after those that it needs.
    pub(super) fn in_order(&self) -> impl Iterator<Item = usize> + '_ {
        self.groups.iter().flatten().copied()
    }

    /// Finds the first variable that needs itself: by others, or by a run that needs it, or that waits for one that does.
    /// `needs` says whether a run needs a variable.
    pub(super) fn cycle(
        &self,
        (path, version): (&str, Version),
        needs: &dyn Fn(usize, &SmolStr) -> bool,
        found: &mut Diagnostics,
    ) {
        let mut is_in_group = vec![false; self.needs.len()];
        for group in &self.groups {
            let needs_itself = |variable: &usize| self.needs[*variable].contains(variable);
            group.iter().for_each(|one| is_in_group[*one] = group.len() > 1 || needs_itself(one));
        }
        for (position, attribute) in self.file.variables.iter().enumerate() {
            let first_run = |last: &usize| (0..=*last).find(|run| needs(*run, &attribute.name));
            let runs = &self.runs[position];
            if !is_in_group[position] && runs.last().and_then(first_run).is_none() {
                continue;
            }
            let (variables, last) = self.way_back(position);
            let first = last.as_ref().and_then(first_run);
            let mut cycle: Vec<String> = variables.iter().map(|name| format!("var.{name}")).collect();
            if let (Some(first), Some(last)) = (first, last) {
                cycle.truncate(1);
                let runs = self.file.runs[first..=last].iter().rev();
                cycle.extend(runs.map(|run| format!("{path}.run.{}", run.name)));
            } else {
                cycle.pop();
            }
            let summary = match &*cycle {
                [one] => format!("Self reference: {one}"),
                all => cycle_summary(version, all.iter().map(String::as_str)),
            };
            found.without_place(Severity::Error, ("cycle", summary), "");
            return;
        }
    }

    /// The variables that a variable needs, itself first, up to where it comes again; and the last run that they need.
    fn way_back(&self, start: usize) -> (Vec<SmolStr>, Option<usize>) {
        let name = |variable: usize| self.file.variables[variable].name.clone();
        let runs_named = positions(self.file.runs.iter().map(|run| &run.name));
        let (mut needed, mut last) = (vec![name(start)], None);
        let (mut open, mut seen) = (vec![start], HashSet::new());
        while let Some(next) = open.pop() {
            if !seen.insert(next) {
                continue;
            }
            let runs = runs_in(&self.file.variables[next].expr);
            last = last.max(runs.iter().filter_map(|name| runs_named.get(name).copied()).max());
            for other in &self.needs[next] {
                needed.push(name(*other));
                if *other == start {
                    return (needed, last);
                }
                open.push(*other);
            }
        }
        (needed, last)
    }
}

/// The first position of each name.
fn positions<'n>(names: impl Iterator<Item = &'n SmolStr>) -> HashMap<&'n SmolStr, usize> {
    let mut positions = HashMap::new();
    for (position, name) in names.enumerate() {
        positions.entry(name).or_insert(position);
    }
    positions
}

/// The order of the runs of a file: each may wait for earlier ones.
pub(super) struct RunOrder {
    /// For each run: whether it is parallel, the key of its state, and the runs that it refers to.
    runs: Vec<(bool, String, BTreeSet<usize>)>,
}

impl RunOrder {
    /// `references` are those of the runs, and `config` returns the module of a run.
    pub(super) fn new<'c>(
        file: &TestFile,
        variables: &VariableNeeds<'_>,
        references: &[RunReferences],
        config: impl Fn(usize) -> &'c Config,
        has_parallel: bool,
    ) -> Self {
        let behind: Vec<(&SmolStr, &BTreeSet<usize>)> = std::iter::zip(&file.variables, &variables.runs)
            .map(|(variable, runs)| (&variable.name, &**runs))
            .filter(|(_, runs)| !runs.is_empty())
            .collect();
        let named = positions(file.runs.iter().map(|run| &run.name));
        let run = |(index, run): (usize, &TestRun)| {
            let is_parallel = has_parallel && run.parallel.unwrap_or(file.parallel);
            let mut waits: BTreeSet<usize> =
                runs_referred_to(run).iter().filter_map(|name| named.get(name).copied()).collect();
            for (name, runs) in &behind {
                if references[index].needs_variable(config(index), name) {
                    waits.extend(*runs);
                }
            }
            (is_parallel, state_key(run), waits)
        };
        Self { runs: file.runs.iter().enumerate().map(run).collect() }
    }

    /// Whether a run waits for an earlier one: one of them is not parallel, they share a state, or it refers to it.
    pub(super) fn waits(&self, run: usize, earlier: usize) -> bool {
        let (is_parallel, state, referred) = &self.runs[run];
        let (is_earlier_parallel, earlier_state, _) = &self.runs[earlier];
        !is_parallel || !is_earlier_parallel || state == earlier_state || referred.contains(&earlier)
    }
}

/// Runs that refer to themselves or to later ones: each run waits for those before it.
pub(super) fn cycles(file: &TestFile, path: &str, version: Version, found: &mut Diagnostics) {
    let named = positions(file.runs.iter().map(|run| &run.name));
    for (index, run) in file.runs.iter().enumerate() {
        // Runs are executed in source order: one that refers to itself or a later run closes a cycle.
        let last = runs_referred_to(run).iter().filter_map(|name| named.get(name).copied()).max();
        let summary = match last {
            Some(last) if last == index => format!("Self reference: {path}.run.{}", run.name),
            Some(last) if last > index => {
                let all = file.runs[index..=last].iter().rev().map(|run| format!("{path}.run.{}", run.name));
                cycle_summary(version, all.collect::<Vec<_>>().iter().map(String::as_str))
            }
            _ => continue,
        };
        found.without_place(Severity::Error, ("cycle", summary), "");
    }
}
