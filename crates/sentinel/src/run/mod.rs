//! Running a policy.

mod access;
mod blame;
mod call;
mod effects;
mod import;
mod machine;
mod operate;
mod pattern;
mod step;
mod taint;
mod unknown_reads;
mod walk;
mod witness;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

pub use import::{Import, Source};
pub(crate) use machine::Machine;
pub(crate) use operate::{Compared, order};
pub(crate) use pattern::pattern_error;
pub use unknown_reads::{UnknownRead, UnknownReads};
pub use witness::{Element, Evaluated, Reason, Witness, Witnesses};

use crate::policy::Policy;
use crate::value::{Fault, Interrupt, Limits, Location, RunError, RunErrorKind, SourcePlace, Value};
use machine::Continuation;

/// The setup of a run of a policy.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Setup {
    /// The values of its parameters.
    pub params: BTreeMap<String, serde_json::Value>,
    /// Globals of all files.
    pub globals: BTreeMap<String, serde_json::Value>,
    /// Imports beside the standard ones, or in place of them.
    pub imports: BTreeMap<String, Source>,
    /// The current time in nanoseconds since 1970; a run has no clock of its own.
    pub now: i64,
    /// The limits of a run.
    pub limits: Limits,
    /// Polled to end the run early.
    pub interrupt: Option<Interrupt>,
    /// Whether an `all` continues after it is false, to find every element that makes it so.
    ///
    /// Such a run has the same result, but evaluates, prints and fails where the language would have
    /// stopped. It is for a second run that finds out why the first one failed.
    pub every_witness: bool,
}

/// The result of a policy.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The policy is kept.
    Pass,
    /// The policy is broken.
    Fail,
    /// A value is undefined; counts as broken.
    Undefined(Location),
    /// The policy cannot be evaluated; counts as broken.
    Error(RunError),
}

/// A policy being run.
pub struct Run<'s> {
    machine: Machine<'s>,
    /// The error that stopped it.
    error: Option<RunError>,
    /// Why that error may not happen.
    uncertain_error: Option<UnknownRead>,
}

impl fmt::Debug for Run<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Run").field("error", &self.error).finish_non_exhaustive()
    }
}

impl<'s> Run<'s> {
    /// Runs the statements of a policy; its rules are evaluated when they are needed.
    #[must_use]
    pub fn new(policy: &Arc<Policy>, setup: &'s Setup) -> Run<'s> {
        let mut run = Run { machine: Machine::new(policy, setup), error: None, uncertain_error: None };
        let done = run.machine.enter_file(0, Continuation::Push(false)).and_then(|()| run.machine.run(0));
        match done {
            Ok(()) => {
                run.machine.is_run = true;
                drop(run.machine.pop());
            }
            // The verdict reports the error later: a run that stopped has evaluated rules, which a report
            // shows.
            Err(fault) => drop(run.stop(*fault)),
        }
        run
    }

    fn stop(&mut self, fault: Fault) -> RunError {
        let location = self.location(fault.place.unwrap_or_default());
        let read = |what| UnknownRead { what, location: location.clone(), rules: Vec::new() };
        self.uncertain_error = self.machine.uncertain_element().map(read);
        let error = RunError { kind: fault.kind, message: fault.message, location, import: fault.import };
        self.error.insert(error).clone()
    }

    /// The error that stopped the run.
    #[must_use]
    pub fn error(&self) -> Option<&RunError> {
        self.error.as_ref()
    }

    /// Decides whether the error happens at all: the run stopped in a loop at an element that may not be there.
    #[must_use]
    pub fn uncertain_error(&self) -> Option<&UnknownRead> {
        self.uncertain_error.as_ref()
    }

    /// The value of a name at the top of the policy, a rule evaluated; none if there is no such name.
    ///
    /// Lists and maps belong to the run: they are complete only while it lives.
    ///
    /// # Errors
    ///
    /// The run has stopped with this error, now or before.
    pub fn value(&mut self, name: &str) -> Result<Option<Value>, RunError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let Some(value) = self.machine.top(name) else { return Ok(None) };
        let value = self.machine.evaluated(value).and_then(|value| {
            // Lists and maps may hold rules, which have no value outside of the run.
            self.machine.force_within(&value)?;
            Ok(value)
        });
        match value {
            Ok(value) => Ok(Some(value.seen().clone())),
            Err(fault) => Err(self.stop(*fault)),
        }
    }

    /// The verdict of the policy: the value of its `main`.
    pub fn verdict(&mut self) -> Verdict {
        let verdict = match self.value("main") {
            Err(error) => return Verdict::Error(error),
            Ok(None) => return self.refuse("a policy needs a main, which says whether it is kept"),
            Ok(Some(value)) => match value {
                Value::Bool(bool) => Ok(bool),
                // Documented: strings, lists and maps pass if they are empty, numbers if they are zero, and
                // undefined fails.
                Value::String(text) => Ok(text.as_bytes().is_empty()),
                Value::List(list) => Ok(list.is_empty()),
                Value::Map(map) => Ok(map.is_empty()),
                Value::Int(int) => Ok(int == 0),
                Value::Float(float) => Ok(float == 0.0),
                Value::Undefined(place) => return Verdict::Undefined(self.location(place)),
                other => Err(format!("main is {}, which is no verdict", other.type_name())),
            },
        };
        match verdict {
            Ok(true) => Verdict::Pass,
            Ok(false) => Verdict::Fail,
            Err(message) => self.refuse(message),
        }
    }

    fn refuse(&self, message: impl Into<String>) -> Verdict {
        let location = self.location(SourcePlace::default());
        Verdict::Error(RunError { kind: RunErrorKind::Main, message: message.into(), location, import: None })
    }

    /// The output of `print`.
    #[must_use]
    pub fn printed(&self) -> String {
        String::from_utf8_lossy(&self.machine.printed).into_owned()
    }

    /// The place where an undefined value arose, in a form for people.
    #[must_use]
    pub fn location(&self, place: SourcePlace) -> Location {
        self.machine.policy(place.file).location(place.offset)
    }
}
