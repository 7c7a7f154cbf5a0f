//! Plans out of which somebody has taken the changes.

use hashbrown::HashMap;

use super::{Plan, ResourceActions, State};
use crate::json::Raw;

impl Plan<'_> {
    /// Whether the plan speaks of resources or outputs and has none of their changes: somebody has left them out.
    ///
    /// ```
    /// use objchange_plan::Plan;
    ///
    /// let plan = Plan::parse(
    ///     r#"{"format_version":"1.2","planned_values":{"root_module":{"resources":[
    ///     {"address":"a.b","mode":"managed","type":"a","name":"b","values":{}}]}}}"#,
    /// )?;
    /// assert!(plan.lacks_changes());
    /// # Ok::<(), objchange_plan::DocumentError>(())
    /// ```
    pub fn lacks_changes(&self) -> bool {
        if self.lacks_outputs() {
            return true;
        }
        let has_changes = !self.resource_changes.is_empty()
            || !self.resource_drift.is_empty()
            || !self.deferred_changes.is_empty()
            || !self.action_invocations.is_empty();
        if has_changes || self.errored {
            return false;
        }
        let does_something = self.applyable == Some(true) && self.output_changes.is_empty();
        does_something || self.plans_other_values()
    }

    /// Whether there are outputs and no changes of outputs, among which each is listed, if only as one that stays.
    fn lacks_outputs(&self) -> bool {
        if !self.output_changes.is_empty() || self.errored || self.complete != Some(true) {
            return false;
        }
        let Some(planned) = self.planned_values() else { return false };
        let mut reader = planned.reader();
        // They come first; to look further would be to read all that is planned.
        let first = reader.enter(b'{').and_then(|()| reader.next_member(&mut true));
        if !matches!(first.as_ref().map(Option::as_deref), Ok(Some("outputs"))) {
            return false;
        }
        reader.raw().is_ok_and(|outputs| has_members(outputs))
    }

    /// Whether what is planned for managed resources differs from the state that the plan starts from.
    fn plans_other_values(&self) -> bool {
        let planned = self.planned_values().and_then(|part| State::parse_values(self.text(), part).ok());
        // Of documents without it nothing can be said.
        let Some(planned) = planned else { return false };
        let prior = self.prior_state().and_then(|part| State::parse_within(self.text(), part).ok());
        let prior = prior.unwrap_or_default();
        let is_managed = |mode: &str, deposed: bool| mode == "managed" && !deposed;
        let mut values: HashMap<&str, &str> = HashMap::new();
        for resource in prior.resources.iter().filter(|r| is_managed(&r.mode, r.deposed.is_some())) {
            values.insert(&resource.address, resource.values.text());
        }
        let mut same = 0;
        for resource in planned.resources.iter().filter(|r| is_managed(&r.mode, r.deposed.is_some())) {
            if values.get(&*resource.address) != Some(&resource.values.text()) {
                return true;
            }
            same += 1;
        }
        if same == 0 && !self.plans_destruction() {
            // A plan that only refreshes: its objects stand in the prior state alone.
            return false;
        }
        // A plan of a few targets may say nothing of the others.
        self.complete == Some(true) && same < values.len()
    }

    /// Whether applying does something, and nothing but deletions to outputs.
    fn plans_destruction(&self) -> bool {
        let mut outputs = self.output_changes.iter();
        self.applyable == Some(true) && outputs.all(|output| output.change.actions == ResourceActions::Delete)
    }
}

fn has_members(object: Raw<'_>) -> bool {
    let mut reader = object.reader();
    reader.enter(b'{').and_then(|()| reader.next_member(&mut true)).is_ok_and(|first| first.is_some())
}
