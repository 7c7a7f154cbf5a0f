//! Values that are unknown until apply, or derived from unknown values.

use std::fmt;
use std::rc::Rc;

use super::{Taint, Value};

/// A value that may differ after apply.
pub struct Unknown {
    /// The value that the policy sees.
    pub(crate) seen: Value,
    /// Its sources, in a run.
    pub(crate) taint: Taint,
    /// The host's name for it.
    pub(crate) name: Option<Box<str>>,
    /// Whether it will certainly be a bool or undefined.
    pub(crate) is_answer: bool,
}

impl fmt::Debug for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.seen.fmt(f)
    }
}

impl Value {
    /// A value that is unknown until apply: the value that a policy sees, and the host's name.
    #[must_use]
    pub fn unknown(seen: &Value, name: &str) -> Value {
        let (taint, name) = (Taint::NONE, Some(name.into()));
        Value::Unknown(Rc::new(Unknown { seen: seen.seen().clone(), taint, name, is_answer: false }))
    }
}
