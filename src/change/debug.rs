//! `Debug` of changes: a part that is hidden in one of the objects is hidden in all.

use std::fmt;

use super::mark_propagation::Carried;
use super::{AppliedChange, PlannedChange};
use crate::value::Value;

/// Marks in each object all parts that are marked in one of them: at their place, and wherever their
/// content occurs again.
fn hide_alike<const N: usize>(objects: [&Value; N]) -> [Value; N] {
    let marks: Vec<_> = objects.iter().flat_map(|object| object.unmark_deep_with_paths().1).collect();
    let carried = objects.map(Carried::new);
    objects.map(|object| {
        let object = object.mark_where_present(&marks);
        carried.iter().fold(object, |object, carried| carried.mark(&object))
    })
}

impl fmt::Debug for PlannedChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, proposed, after] = hide_alike([&self.before, &self.proposed, &self.after]);
        f.debug_struct("PlannedChange")
            .field("action", &self.action)
            // Keys in paths may be secret, and diagnostics may repeat anything.
            .field("is_replace_reason_known", &self.replace_reason.is_some())
            .field("before", &before)
            .field("after", &after)
            .field("proposed", &proposed)
            .field("no_longer_sensitive", &format_args!("{} paths", self.no_longer_sensitive.len()))
            .field("configured_marks", &format_args!("{} paths", self.configured_marks.len()))
            .field("violations", &self.violations)
            .field("at_apply", &self.at_apply)
            .field("legacy_type_system", &self.legacy_type_system)
            .field("private", &self.private)
            .field("identity", &self.identity.as_ref().map(super::provider::Outline))
            .field("deferred", &self.deferred)
            .field("diagnostics", &format_args!("{} diagnostics", self.diagnostics.len()))
            .finish()
    }
}

impl fmt::Debug for AppliedChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nothing = Value::null(self.saved.ty().clone());
        let [saved, deposed] = hide_alike([&self.saved, self.deposed.as_ref().unwrap_or(&nothing)]);
        f.debug_struct("AppliedChange")
            .field("saved", &saved)
            .field("tainted", &self.tainted)
            .field("deposed", &self.deposed.as_ref().map(|_| deposed))
            .field("violations", &self.violations)
            .field("legacy_type_system", &self.legacy_type_system)
            .field("private", &self.private)
            .field("identity", &self.identity.as_ref().map(super::provider::Outline))
            .field("diagnostics", &format_args!("{} diagnostics", self.diagnostics.len()))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::change::{ApplyRequest, PlanRequest, SimulatedProvider, apply_change, plan_change};
    use crate::schema::{Attribute, Block};
    use crate::{Type, Value};

    fn block() -> Block {
        let text = || Attribute::optional(Type::String);
        Block::new(
            [
                ("password", text()),
                ("other", text()),
                ("names", Attribute::optional(Type::list(Type::String))),
            ],
            [],
        )
    }

    proptest! {
        /// A secret that only one side marks is not in `Debug` of anything that is made of both.
        #[test]
        fn a_secret_of_one_side_is_one_of_all(is_prior in any::<bool>(), at in 0..3_usize, moved in 0..3_usize) {
            const SECRET: &str = "XQZXQZ";
            let block = block();
            let object = |at: usize, secret: Value| {
                let value = |i| if i == at { secret.clone() } else { Value::from("a") };
                let names = Value::list(Type::String, [Value::from("x"), value(2)]).unwrap();
                Value::object([("password", value(0)), ("other", value(1)), ("names", names)])
            };
            let plain = object(moved, Value::from(SECRET));
            let marked = object(at, Value::from(SECRET).sensitive());
            let (prior, config) = if is_prior { (&marked, &plain) } else { (&plain, &marked) };
            let request = PlanRequest::new(&block, prior, config);
            let change = plan_change(&request, &mut SimulatedProvider::default()).unwrap();
            let request = ApplyRequest::new(&block, &change, config);
            prop_assert!(!format!("{change:?}").contains(SECRET), "{change:?}");
            prop_assert!(!format!("{request:?}").contains(SECRET), "{request:?}");
            let made = |request: &crate::change::ApplyResourceChange| {
                Ok(crate::change::AppliedResource::new(request.planned.clone()))
            };
            let applied = apply_change(&request, &mut { made }).unwrap();
            prop_assert!(!format!("{applied:?}").contains(SECRET), "{applied:?}");
        }
    }
}
