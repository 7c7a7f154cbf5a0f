//! The elements that made a rule false, for reports.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Run;
use super::blame::{Answer, Cause, CauseKind, MAX_CAUSES, Stored};
use super::walk::Elements;
use crate::compile::Unit;
use crate::value::{Key, Location, RunError, SourcePlace, Taint, Value};

/// An element of a collection: its key or index, and its value.
#[derive(Clone, Debug)]
pub struct Element {
    /// Its key or index.
    pub key: Value,
    /// The element itself.
    pub value: Value,
}

/// An element that made a rule false or undefined.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Witness {
    /// The elements, from the outermost walked collection to the innermost.
    pub elements: Vec<Element>,
    /// The reason at the last of them.
    pub reason: Reason,
    /// The place of the quantifier, comparison or assignment.
    pub location: Location,
}

/// The reason why an element made a rule false or undefined.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// The condition for all elements is false for it.
    Fails,
    /// The condition for no element is true for it.
    Holds,
    /// The condition is undefined for it.
    Undefined,
    /// The element is in a collection that should be empty.
    Kept,
    /// A variable was set to false there.
    Assigned,
    /// None of its elements fits.
    NoneFits {
        /// The number of elements that were tried.
        looked_at: usize,
        /// A few of them.
        first: Vec<Element>,
    },
}

/// The causes of a false or undefined rule or policy: at most 100 witnesses.
#[derive(Clone, Debug, Default)]
pub struct Witnesses {
    /// The witnesses, in the order of their discovery.
    pub list: Vec<Witness>,
    /// The number of further witnesses.
    pub more: usize,
}

/// A rule that was evaluated.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Evaluated {
    /// Its name.
    pub name: Arc<str>,
    /// Its place.
    pub location: Location,
    /// The comment directly above it.
    pub doc: Option<String>,
    /// Its value.
    pub value: Value,
    /// Whether the value may differ after apply, because it depends on unknown values.
    pub is_undecided: bool,
    /// Why it is false or undefined, without the causes of the rules that it used.
    pub witnesses: Witnesses,
    /// The rules that made it false or undefined, by index in the list of rules.
    pub because: Vec<usize>,
    /// The rules that it used.
    pub uses: Vec<usize>,
    /// The rule that needed it first; `None` if that was not a rule.
    pub needed_by: Option<usize>,
}

/// The number of elements that are shown if none fits.
const SHOWN_ELEMENTS: usize = 3;

/// The record of a rule at the top of the policy.
pub(super) struct Entry {
    pub(super) unit: Arc<Unit>,
    /// Set when it is known.
    pub(super) value: Option<Value>,
    pub(super) causes: Vec<Cause>,
    pub(super) uses: Vec<u32>,
    pub(super) needed_by: Option<u32>,
    /// The unknown values that decide it.
    pub(super) taint: Taint,
    /// The number of late changes of lists and maps before it had a value.
    pub(super) late_changes: u32,
}

impl Run<'_> {
    /// The rules at the top of the policy that were evaluated, in the order of the text.
    #[must_use]
    pub fn rules(&mut self) -> Vec<Evaluated> {
        self.look_into_rules();
        let entries = &self.machine.entries;
        let places = self.places_of_entries();
        let mut order: Vec<usize> = (0..entries.len()).filter(|&index| places[index].is_some()).collect();
        order.sort_by_key(|&index| places[index]);
        let place = |entry: &u32| places.get(*entry as usize).copied().flatten();
        let policy = self.machine.main();
        let undecided = self.undecided_rules();
        let rule = |&index: &usize| {
            let entry = &entries[index];
            let (witnesses, because) = self.explained(&entry.causes);
            Some(Evaluated {
                name: Arc::clone(entry.unit.name.as_ref()?),
                location: policy.location(entry.unit.place),
                doc: policy.doc(entry.unit.place),
                value: entry.value.as_ref()?.seen().clone(),
                is_undecided: undecided[index].is_some(),
                witnesses,
                because: because.iter().filter_map(place).collect(),
                uses: entry.uses.iter().filter_map(place).collect(),
                needed_by: entry.needed_by.as_ref().and_then(place),
            })
        };
        order.iter().filter_map(rule).collect()
    }

    /// For each rule, its index in the list of evaluated rules.
    pub(super) fn places_of_entries(&self) -> Vec<Option<usize>> {
        let entries = &self.machine.entries;
        let mut order: Vec<usize> =
            (0..entries.len()).filter(|&index| entries[index].value.is_some()).collect();
        order.sort_by_key(|&index| entries[index].unit.place);
        let mut places = vec![None; entries.len()];
        for (place, index) in order.into_iter().enumerate() {
            places[index] = Some(place);
        }
        places
    }

    /// The causes of a verdict other than pass: the witnesses of `main` and of the rules behind it.
    ///
    /// # Errors
    ///
    /// The run has stopped with this error.
    pub fn witnesses(&mut self) -> Result<Witnesses, RunError> {
        let value = self.value("main")?;
        let machine = &self.machine;
        let mut explained = Explained::new(self);
        match machine.top("main") {
            Some(Value::Rule(rule)) => {
                let entry = rule.0.entry.get().and_then(|entry| machine.entries.get(entry as usize));
                entry.iter().for_each(|entry| explained.all(&entry.causes));
            }
            Some(_) => {
                let file = &machine.files[0];
                let slot = file.policy.compiled.names.get("main");
                let stored = slot.and_then(|slot| machine.causes.variable(&file.env, *slot));
                stored.iter().for_each(|stored| explained.stored(stored));
            }
            None => {}
        }
        let mut seen = BTreeSet::new();
        while let Some(entry) = explained.because.pop_first() {
            if seen.insert(entry) {
                explained.all(&machine.entries[entry as usize].causes);
            }
        }
        // A policy may be a collection, which passes only if it is empty.
        if let Some(collection @ (Value::List(_) | Value::Map(_))) = value.map(|value| value.seen().clone()) {
            let place = match machine.top("main") {
                Some(Value::Rule(rule)) => SourcePlace { file: rule.0.file, offset: rule.0.unit.place },
                _ => SourcePlace::default(),
            };
            explained.kept(&collection, &self.location(place));
        }
        Ok(explained.found)
    }

    fn explained(&self, causes: &[Cause]) -> (Witnesses, BTreeSet<u32>) {
        let mut explained = Explained::new(self);
        explained.all(causes);
        (explained.found, explained.because)
    }
}

/// A walk over causes.
struct Explained<'r, 's> {
    run: &'r Run<'s>,
    /// The elements around.
    path: Vec<Element>,
    found: Witnesses,
    because: BTreeSet<u32>,
    /// The remaining number of causes to follow. It is limited because variables may share causes.
    left: usize,
}

impl<'r, 's> Explained<'r, 's> {
    fn new(run: &'r Run<'s>) -> Self {
        Explained {
            run,
            path: Vec::new(),
            found: Witnesses::default(),
            because: BTreeSet::new(),
            left: 10_000,
        }
    }

    fn push(&mut self, reason: Reason, location: &Location) {
        if self.found.list.len() < MAX_CAUSES {
            self.found.list.push(Witness { elements: self.path.clone(), reason, location: location.clone() });
        } else {
            self.found.more += 1;
        }
    }

    fn all(&mut self, causes: &[Cause]) {
        for cause in causes {
            let Some(left) = self.left.checked_sub(1) else { return };
            self.left = left;
            let location = self.run.location(cause.place);
            match &cause.kind {
                CauseKind::Element { key, value, answer, inner } => {
                    self.path.push(Element { key: key.to_value(), value: value.seen().clone() });
                    let before = self.found.list.len() + self.found.more + self.because.len();
                    self.all(inner);
                    if self.found.list.len() + self.found.more + self.because.len() == before {
                        let reason = match answer {
                            Answer::False => Reason::Fails,
                            Answer::True => Reason::Holds,
                            Answer::Undefined => Reason::Undefined,
                            Answer::Assigned => Reason::Assigned,
                        };
                        self.push(reason, &location);
                    }
                    self.path.pop();
                }
                CauseKind::NoneFits(elements, looked_at) => {
                    let first = elements.first(SHOWN_ELEMENTS).into_iter().map(of_pair).collect();
                    self.push(Reason::NoneFits { looked_at: *looked_at, first }, &location);
                }
                CauseKind::Held(collection) => self.kept(collection, &location),
                CauseKind::Rule(entry) => {
                    self.because.insert(*entry);
                }
                CauseKind::Variable(stored) => self.stored(stored),
            }
        }
    }

    fn stored(&mut self, stored: &Stored) {
        self.all(&stored.causes);
        self.found.more += stored.more;
    }

    /// The elements of a collection that should be empty.
    fn kept(&mut self, collection: &Value, location: &Location) {
        let Some(elements) = Elements::new(collection.seen()) else { return };
        let room = MAX_CAUSES - self.found.list.len().min(MAX_CAUSES);
        let first = elements.first(room);
        self.found.more += elements.len() - first.len();
        for element in first {
            self.path.push(of_pair(element));
            self.push(Reason::Kept, location);
            self.path.pop();
        }
    }
}

fn of_pair((key, value): (Key, Value)) -> Element {
    Element { key: key.to_value(), value: value.seen().clone() }
}
