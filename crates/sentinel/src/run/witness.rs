//! The elements that made a rule false, as a report shows them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::blame::{Answer, Cause, CauseKind, MAX_CAUSES, Stored};
use super::walk::Elements;
use super::{Location, Run, RunError, Taint};
use crate::compile::Unit;
use crate::value::{Key, SourcePlace, Value};

/// An element of a collection: its key or index, and what it is.
#[derive(Clone, Debug)]
pub struct Element {
    /// Under which key or index it is.
    pub key: Value,
    /// What it is.
    pub value: Value,
}

/// An element that made a rule false or undefined.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Witness {
    /// The elements, from the outermost collection that was walked to the innermost.
    pub elements: Vec<Element>,
    /// The reason at the last of them.
    pub reason: Reason,
    /// The quantifier, comparison or assignment that says so.
    pub location: Location,
}

/// The reason why an element made a rule false or undefined.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Reason {
    /// What must hold for all elements does not hold for it.
    Fails,
    /// What must hold for no element holds for it.
    Holds,
    /// What is asked of it is undefined.
    Undefined,
    /// It is in a collection that should be empty.
    Kept,
    /// At it a variable was set to false.
    Assigned,
    /// Of its elements none fits.
    NoneFits {
        /// How many were looked at.
        looked_at: usize,
        /// A few of them.
        first: Vec<Element>,
    },
}

/// What made a rule or policy false or undefined: at most 100 witnesses.
#[derive(Clone, Debug, Default)]
pub struct Witnesses {
    /// What there is, in the order in which it was found.
    pub list: Vec<Witness>,
    /// How many more there were.
    pub more: usize,
}

/// A rule that was evaluated.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Evaluated {
    /// Its name.
    pub name: Arc<str>,
    /// Where it stands.
    pub location: Location,
    /// The comment directly above it.
    pub doc: Option<String>,
    /// What it is.
    pub value: Value,
    /// Whether it may be something else after apply: it is made from what is unknown.
    pub is_undecided: bool,
    /// What made it false or undefined, of its own: what made the rules so that it used is theirs.
    pub witnesses: Witnesses,
    /// The rules that made it false or undefined, by their places in the list of rules.
    pub because: Vec<usize>,
    /// The rules that it used.
    pub uses: Vec<usize>,
    /// The rule that needed it first; none if that was no rule.
    pub needed_by: Option<usize>,
}

/// How many of the elements are shown of which none fits.
const SOME: usize = 3;

/// What a run keeps of a rule at the top of the policy.
pub(super) struct Entry {
    pub(super) unit: Arc<Unit>,
    /// Once it is known.
    pub(super) value: Option<Value>,
    pub(super) causes: Vec<Cause>,
    pub(super) uses: Vec<u32>,
    pub(super) needed_by: Option<u32>,
    /// What decides what it is, where that is unknown until apply.
    pub(super) taint: Taint,
    /// How many late changes of lists and maps there were before its value was there.
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

    /// Where what is kept of each rule is in the list of those that were evaluated.
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

    /// What made the verdict other than that the policy is kept: the witnesses of `main` and of the rules that made
    /// it so.
    ///
    /// # Errors
    ///
    /// What stopped the run.
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
        // What is kept only when it is empty.
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
    /// How many causes may still be looked at: those of a variable may be shared by many.
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
                    let first = elements.first(SOME).into_iter().map(of_pair).collect();
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
