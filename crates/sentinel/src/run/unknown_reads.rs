//! Records which rules, and whether the verdict, depend on unknown values.

use std::collections::{BTreeMap, BTreeSet};

use super::Run;
use crate::value::{Access, Location, RuleState, SourcePlace, Taint, Value};

/// A look at something that is unknown until apply, on which a rule or the verdict depends.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct UnknownRead {
    /// The host's name for the unknown value.
    pub what: String,
    /// Where it was looked at.
    pub location: Location,
    /// The rules that depend on it, by index in the list of rules.
    pub rules: Vec<usize>,
}

/// The unknown values that rules and the verdict depend on: at most 1,000 looks.
#[derive(Clone, Debug, Default)]
pub struct UnknownReads {
    /// Each value once for each place, in the order of the looks.
    pub list: Vec<UnknownRead>,
    /// The number of further looks.
    pub more: usize,
    /// Whether the verdict may be different after apply.
    pub is_undecided: bool,
}

const MAX_READS: usize = 1_000;

/// How many looks are followed to their rules, over all rules.
// Each of many rules may depend on the same thousands of looks.
const MAX_FOLLOWED: usize = 1_000_000;

/// How many parts of one rule's value, and of all rules' values, are searched for unknown values.
const MAX_PARTS: usize = 100_000;
const MAX_PARTS_OF_ALL: usize = 2_000_000;

impl Run<'_> {
    /// For each rule whose evaluation has begun, the unknown values that it depends on.
    pub(super) fn undecided_rules(&self) -> Vec<Taint> {
        self.machine.entries.iter().map(|entry| entry.taint).collect()
    }

    /// The unknown values that rules and the verdict depend on. Other rules are decided.
    #[must_use]
    pub fn unknown_reads(&mut self) -> UnknownReads {
        self.look_into_rules();
        let verdict = self.verdict_taint();
        let places = self.places_of_entries();
        let taints = &self.machine.budget.taints;
        let mut found: BTreeMap<(SourcePlace, &str), BTreeSet<usize>> = BTreeMap::new();
        let mut order: Vec<&Access> = Vec::new();
        let mut followed = 0;
        let entries = self.machine.entries.iter().zip(places);
        let rules = entries.filter_map(|(entry, place)| Some((entry.taint, Some(place?))));
        for (taint, rule) in rules.chain([(verdict, None)]) {
            if !taint.is_some() || followed > MAX_FOLLOWED {
                continue;
            }
            let looks = taints.looks(taint);
            followed += looks.len();
            for look in looks {
                let rules = found.entry((look.place, &look.what)).or_insert_with(|| {
                    order.push(look);
                    BTreeSet::new()
                });
                rules.extend(rule);
            }
        }
        let more = order.len().saturating_sub(MAX_READS);
        let read = |look: &&Access| UnknownRead {
            what: look.what.clone(),
            location: self.location(look.place),
            rules: found.get(&(look.place, &*look.what)).into_iter().flatten().copied().collect(),
        };
        let list = order.iter().take(MAX_READS).map(read).collect();
        UnknownReads { list, more, is_undecided: verdict.is_some() }
    }

    fn verdict_taint(&mut self) -> Taint {
        let machine = &mut self.machine;
        let mut taint = machine.join(machine.verdict_taint, machine.havoc);
        let main = machine.top("main").map(|main| match main.seen() {
            Value::Rule(rule) => match &*rule.0.state.borrow() {
                RuleState::Done(value) => machine.both(&main, value.clone()),
                _ => main.clone(),
            },
            _ => main.clone(),
        });
        if let Some(main) = main {
            let main = machine.unwrap(main);
            // Whether a collection is empty.
            machine.budget.touch(&main);
            let own = machine.take_noted();
            machine.has_any = false;
            taint = machine.join(taint, own);
        }
        taint
    }

    /// Records the unknown values in the values of rules: lists and maps are shown with their content.
    pub(super) fn look_into_rules(&mut self) {
        let machine = &mut self.machine;
        let mut room = MAX_PARTS_OF_ALL;
        for entry in machine.looked_into..machine.entries.len() {
            let Some(value @ (Value::List(_) | Value::Map(_))) =
                machine.entries[entry].value.as_ref().map(Value::seen).cloned()
            else {
                continue;
            };
            let place = SourcePlace { file: 0, offset: machine.entries[entry].unit.place };
            let may_be_earlier = machine.entries[entry].late_changes < machine.late_changes;
            let mut left = MAX_PARTS.min(room);
            let mut waiting = vec![value];
            while let Some(value) = waiting.pop() {
                let Some(rest) = left.checked_sub(1) else {
                    machine.budget.touched.push("the rest of a large value".to_owned());
                    machine.budget.note_taint(Taint::NONE);
                    break;
                };
                (left, room) = (rest, room - 1);
                let value = machine.unwrap(value);
                machine.budget.touch(&value);
                let (is_changeable, changed_late) = match &value {
                    Value::List(list) => (true, list.0.changed_late.get()),
                    Value::Map(map) => (!map.is_lazy(), map.0.changed_late.get()),
                    _ => (false, false),
                };
                // As in `r = rule { m }; x = int(unknown); m["k"] = 1`.
                if changed_late && may_be_earlier || is_changeable && machine.ended_early {
                    machine.budget.note_taint(machine.verdict_taint);
                }
                match &value {
                    Value::List(list) => waiting.extend(list.items().iter().take(left + 1).cloned()),
                    Value::Map(map) => waiting.extend(map.values_up_to(left + 1)),
                    _ => {}
                }
            }
            machine.has_any = false;
            let own = machine.take_noted_at(place);
            machine.entries[entry].taint = machine.join(machine.entries[entry].taint, own);
        }
        machine.looked_into = machine.entries.len();
    }
}
