//! Values that are unknown until apply, or made from such.

use std::fmt;
use std::rc::Rc;

use super::Value;
use crate::run::Taint;

/// A value that may be another one after apply.
pub struct Unknown {
    /// What the policy sees.
    pub(crate) seen: Value,
    /// What it was made from, in a run.
    pub(crate) taint: Taint,
    /// What the host calls it.
    pub(crate) name: Option<Box<str>>,
    /// Whether it will be a bool or undefined in any case.
    pub(crate) is_answer: bool,
}

impl fmt::Debug for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.seen.fmt(f)
    }
}

impl Value {
    /// A value that is unknown until apply: what a policy sees of it, and what the host calls it.
    #[must_use]
    pub fn unknown(seen: &Value, name: &str) -> Value {
        let (taint, name) = (Taint::NONE, Some(name.into()));
        Value::Unknown(Rc::new(Unknown { seen: seen.seen().clone(), taint, name, is_answer: false }))
    }
}
