//! Functions that return another value on each call, and so are unknown in a plan.

use objchange::{Type, Value};

use super::{number, string, unknown};
use crate::function::{Function, Functions};

pub(super) fn add(functions: &mut Functions) {
    for name in ["plantimestamp", "timestamp", "uuid"] {
        functions.insert(name, Function::new([], Type::String, |_, ty| Ok(unknown(ty.clone()))));
    }
    let hash = Function::new([string("str")], Type::String, |_, ty| Ok(unknown(ty.clone())));
    functions.insert("bcrypt", hash.variadic(number("cost")));
}

impl Functions {
    /// Sets the time that `plantimestamp` returns, in RFC 3339.
    #[must_use]
    pub fn with_plan_time(mut self, time: &str) -> Self {
        let time = Value::from(time);
        self.insert("plantimestamp", Function::new([], Type::String, move |_, _| Ok(time.clone())));
        self
    }
}
