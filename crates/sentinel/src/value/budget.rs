//! Limits on the work and memory of a run, so that no policy runs forever or fills the memory.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::{Done, Key, List, Map, RunErrorKind, SourcePlace, Taint, Taints, Unknown, Value, fault_of};

/// Limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The maximum number of instructions; functions count by the size of their input.
    pub steps: u64,
    /// How deep calls and rules may nest.
    pub depth: usize,
    /// How many elements or bytes one value may have.
    pub size: usize,
    /// How many bytes it may make in all, whether or not they are still needed.
    pub memory: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 1_000_000_000, depth: 10_000, size: 1 << 26, memory: 512 << 20 }
    }
}

/// Says whether a run is to end, and why.
#[derive(Clone)]
pub struct Interrupt(Arc<dyn Fn() -> Option<String> + Send + Sync>);

impl Interrupt {
    /// Asks this function, which should answer quickly. Its text is the message of the error that ends the run.
    pub fn new(reason: impl Fn() -> Option<String> + Send + Sync + 'static) -> Interrupt {
        Interrupt(Arc::new(reason))
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interrupt")
    }
}

/// How many steps lie between two polls of the interrupt.
// Asking usually reads a clock, which costs more than a step.
const STEPS_UNASKED: u64 = 1 << 16;

/// A compared pair and the result. Holding the pair keeps its addresses valid.
pub(crate) type Compared = (Value, Value, Result<bool, SourcePlace>);

/// The rest of the limits.
#[derive(Debug)]
pub(crate) struct Budget {
    /// The steps left until the next check, and the steps after it.
    steps: u64,
    later: u64,
    all_steps: u64,
    interrupt: Option<Interrupt>,
    memory: u64,
    all_memory: u64,
    size: usize,
    nesting: u32,
    /// The unknown values that were looked at since this was last read, by the names of the host.
    pub(crate) touched: Vec<String>,
    /// The sources of tainted values that were looked at.
    pub(crate) noted: Taint,
    /// Whether one of the two is not empty.
    pub(crate) has_noted: bool,
    pub(crate) taints: Taints,
    /// Pairs of collections that are being compared, by address, with the results so far.
    pub(crate) compared: HashMap<(usize, usize), Compared>,
}

/// The memory of a list, map or string without its content, including the allocator's overhead.
const LIST_BYTES: usize = 160;
const TEXT_BYTES: usize = 48;

/// A node of a `BTreeMap` has room for this many entries, and may be half full.
const NODE_ENTRIES: usize = 11;
const NODE_BYTES: usize = NODE_ENTRIES * (size_of::<Key>() + size_of::<Value>()) + 32;

/// The memory of a function or rule.
pub(crate) const CODE_BYTES: usize = 128;

/// How deep a value may nest where it is walked as a whole: deeper recursion would overflow a stack of 2
/// MB.
const MAX_NESTING: u32 = 200;

/// How many unknown values one instruction may report; more are dropped.
// A look at a collection as a whole may name every unknown value in it.
const MAX_TOUCHED: usize = 1_000;

impl Budget {
    pub(crate) fn new(limits: &Limits) -> Budget {
        Budget::interruptible(limits, None)
    }

    pub(crate) fn interruptible(limits: &Limits, interrupt: Option<Interrupt>) -> Budget {
        let steps = limits.steps.min(STEPS_UNASKED);
        Budget {
            steps,
            later: limits.steps - steps,
            all_steps: limits.steps,
            interrupt,
            memory: limits.memory,
            all_memory: limits.memory,
            size: limits.size,
            nesting: 0,
            touched: Vec::new(),
            noted: Taint::NONE,
            has_noted: false,
            taints: Taints::default(),
            compared: HashMap::new(),
        }
    }

    /// Takes `count` steps.
    #[inline]
    pub(crate) fn step(&mut self, count: usize) -> Done<()> {
        match self.steps.checked_sub(count as u64) {
            Some(left) => {
                self.steps = left;
                Ok(())
            }
            None => self.step_later(count as u64),
        }
    }

    #[cold]
    fn step_later(&mut self, count: u64) -> Done<()> {
        if let Some(reason) = self.interrupt.as_ref().and_then(|interrupt| interrupt.0()) {
            return fault_of(RunErrorKind::Interrupted, reason);
        }
        let left = (self.steps + self.later).checked_sub(count);
        let Some(left) = left else {
            self.steps = 0;
            self.later = 0;
            let steps = self.all_steps;
            return fault_of(RunErrorKind::Limit, format!("the evaluation takes more than {steps} steps"));
        };
        self.steps = left.min(STEPS_UNASKED);
        self.later = left - self.steps;
        Ok(())
    }

    /// Charges for a number of bytes, and for the time of making them.
    pub(crate) fn make(&mut self, bytes: usize) -> Done<()> {
        self.step(bytes / 64)?;
        match self.memory.checked_sub(bytes as u64) {
            Some(left) => {
                self.memory = left;
                Ok(())
            }
            None => {
                let mebibytes = self.all_memory >> 20;
                fault_of(
                    RunErrorKind::Memory,
                    format!("the evaluation needs more than {mebibytes} MiB of memory"),
                )
            }
        }
    }

    /// Charges for a list of this length.
    pub(crate) fn make_list(&mut self, length: usize) -> Done<()> {
        self.fits(length)?;
        self.make(length.saturating_mul(size_of::<Value>()).saturating_add(LIST_BYTES))
    }

    /// Charges for a map with this many entries.
    pub(crate) fn make_map(&mut self, entries: usize) -> Done<()> {
        self.fits(entries)?;
        self.make(entries.div_ceil(NODE_ENTRIES / 2).saturating_mul(NODE_BYTES).saturating_add(LIST_BYTES))
    }

    /// Makes an entry of a map.
    pub(crate) fn make_entry(&mut self) -> Done<()> {
        self.make(NODE_BYTES / (NODE_ENTRIES / 2))
    }

    /// Charges for a string of this length.
    pub(crate) fn make_text(&mut self, length: usize) -> Done<()> {
        self.fits(length)?;
        self.make(length.saturating_add(TEXT_BYTES))
    }

    /// Whether one value may be as large.
    pub(crate) fn fits(&self, size: usize) -> Done<()> {
        if size <= self.size {
            Ok(())
        } else {
            let limit = self.size;
            fault_of(RunErrorKind::Limit, format!("a value has more than {limit} elements or bytes"))
        }
    }

    /// Looks at a collection as a whole: at how many elements it has, or at each of them.
    pub(crate) fn touch(&mut self, collection: &Value) {
        self.touch_elements(collection);
        if let Value::Map(map) = collection {
            let room = MAX_TOUCHED.saturating_sub(self.touched.len());
            self.touched.extend(map.optionals().into_iter().take(room));
            self.note_taint(Taint::NONE);
        }
    }

    /// Like [`Budget::touch`], for a function that reads elements one by one, some of which may not be
    /// there.
    pub(crate) fn touch_elements(&mut self, collection: &Value) {
        let room = MAX_TOUCHED.saturating_sub(self.touched.len());
        let taint = match collection {
            Value::Map(map) => {
                self.touched.extend(map.unknowns().into_iter().take(room));
                map.0.taint.get()
            }
            Value::List(list) => {
                self.touched.extend(list.unknowns().take(room).map(str::to_owned));
                list.0.taint.get()
            }
            _ => return,
        };
        self.note_taint(taint);
    }

    /// Notes a read of an element of a list. `None` is an index out of range, where unknown elements may be.
    pub(crate) fn touch_element(&mut self, list: &List, index: Option<usize>) {
        if self.touched.len() < MAX_TOUCHED {
            self.touched.extend(list.unknown_at(index.unwrap_or(usize::MAX)).map(str::to_owned));
        }
        self.note_taint(list.0.taint.get());
    }

    /// Makes the instruction's result depend on this taint as well.
    pub(crate) fn note_taint(&mut self, taint: Taint) {
        if taint.is_some() {
            self.noted = self.taints.join(self.noted, taint);
        }
        self.has_noted |= taint.is_some() || !self.touched.is_empty();
    }

    /// The result of the instruction depends on this value.
    pub(crate) fn note(&mut self, unknown: &Unknown) {
        if self.touched.len() < MAX_TOUCHED {
            self.touched.extend(unknown.name.as_deref().map(str::to_owned));
        }
        self.note_taint(unknown.taint);
    }

    /// The current value; notes a read of an unknown one.
    pub(crate) fn look<'v>(&mut self, value: &'v Value) -> &'v Value {
        if let Value::Unknown(unknown) = value {
            self.note(unknown);
        }
        value.seen()
    }

    /// Looks at an element that may not be there.
    pub(crate) fn touch_optional(&mut self, name: String) {
        if self.touched.len() < MAX_TOUCHED {
            self.touched.push(name);
        }
        self.note_taint(Taint::NONE);
    }

    /// Looks for a member of a map, and finds this.
    pub(crate) fn touch_member(&mut self, map: &Map, key: &Key, found: Option<&Value>) {
        if let Some(name) = map.optional(key) {
            self.touch_optional(name);
        }
        let is_open = match found {
            None | Some(Value::Undefined(_) | Value::Null) => true,
            // Hosts may show an unknown value as null or as an empty collection; `unknown` says whether this is one.
            Some(Value::List(list)) => list.is_empty(),
            Some(Value::Map(map)) => map.is_empty(),
            Some(_) => false,
        };
        if is_open && self.touched.len() < MAX_TOUCHED {
            self.touched.extend(map.unknown(key));
            self.has_noted |= !self.touched.is_empty();
        }
        if map.0.taint.get().is_some() {
            self.note_taint(map.0.taint.get());
        }
    }

    /// Runs `look` one level deeper in a value.
    pub(crate) fn deeper<T>(&mut self, look: impl FnOnce(&mut Budget) -> Done<T>) -> Done<T> {
        self.enter()?;
        let result = look(self);
        self.leave();
        result
    }

    /// Enters a level of a value.
    pub(crate) fn enter(&mut self) -> Done<()> {
        if self.nesting == MAX_NESTING {
            return fault_of(
                RunErrorKind::Limit,
                format!("this value nests deeper than {MAX_NESTING} levels"),
            );
        }
        self.nesting += 1;
        Ok(())
    }

    /// Leaves a level of a value.
    pub(crate) fn leave(&mut self) {
        self.nesting -= 1;
    }
}
