//! Plans out of which somebody has taken the changes.

use hashbrown::{HashMap, HashSet};

use super::{Plan, ResourceActions, State, StateResource};
use crate::json::Raw;

impl Plan<'_> {
    /// Whether the plan speaks of resources or outputs without their changes: somebody has left them out. Plans list
    /// each managed resource, if only as one that stays as it is.
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
        if self.changes.errored {
            return false;
        }
        let lists_resources = !self.changes.resources.is_empty() || !self.changes.deferred.is_empty();
        if lists_resources || !self.changes.drift.is_empty() || !self.changes.invocations.is_empty() {
            return self.lacks_single_changes(lists_resources);
        }
        let does_something = self.changes.applyable == Some(true) && self.changes.outputs.is_empty();
        does_something || self.plans_other_values()
    }

    /// Whether there are outputs and no changes of outputs, among which each is listed, if only as one that stays.
    fn lacks_outputs(&self) -> bool {
        if !self.changes.outputs.is_empty() || self.changes.errored || self.changes.complete != Some(true) {
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

    /// Whether a managed resource that is planned, or was there before, is not among the changes.
    fn lacks_single_changes(&self, lists_resources: bool) -> bool {
        let planned = self.planned_values().and_then(|part| State::parse_values(self.text(), part).ok());
        let Some(planned) = planned else { return false };
        let prior = self.prior_state().and_then(|part| State::parse_within(self.text(), part).ok());
        let prior = prior.unwrap_or_default();
        let deferred = self.changes.deferred.iter().map(|deferred| &deferred.resource);
        let listed: HashSet<&str> = self
            .changes
            .resources
            .iter()
            .chain(deferred)
            .flat_map(|resource| [Some(&*resource.address), resource.previous_address.as_deref()])
            .flatten()
            .collect();
        let is_complete = self.changes.complete == Some(true);
        let before: HashMap<&str, &str> =
            managed(&prior).map(|resource| (&*resource.address, resource.values.text())).collect();
        let mut missing = managed(&planned).filter(|resource| !listed.contains(&*resource.address));
        // Other plans than complete ones are believed to have left out what stays as it is.
        let is_planned_alone = missing
            .any(|resource| is_complete || before.get(&*resource.address) != Some(&resource.values.text()));
        // A plan of a few targets says nothing of the others, and one that only refreshes has no changes.
        is_planned_alone
            || is_complete && lists_resources && before.keys().any(|address| !listed.contains(address))
    }

    /// Whether what is planned for managed resources differs from the state that the plan starts from.
    fn plans_other_values(&self) -> bool {
        let planned = self.planned_values().and_then(|part| State::parse_values(self.text(), part).ok());
        // Of documents without it nothing can be said.
        let Some(planned) = planned else { return false };
        let prior = self.prior_state().and_then(|part| State::parse_within(self.text(), part).ok());
        let prior = prior.unwrap_or_default();
        let values: HashMap<&str, &str> =
            managed(&prior).map(|resource| (&*resource.address, resource.values.text())).collect();
        let mut same = 0;
        for resource in managed(&planned) {
            if values.get(&*resource.address) != Some(&resource.values.text()) {
                return true;
            }
            same += 1;
        }
        if same == 0 && !self.plans_destruction() {
            // A plan that only refreshes: its objects are in the prior state alone.
            return false;
        }
        // A plan of a few targets may say nothing of the others.
        self.changes.complete == Some(true) && same < values.len()
    }

    /// Whether applying does something, and nothing but deletions to outputs.
    fn plans_destruction(&self) -> bool {
        let mut outputs = self.changes.outputs.iter();
        self.changes.applyable == Some(true)
            && outputs.all(|output| output.change.actions == ResourceActions::Delete)
    }
}

/// The current objects of managed resources.
fn managed<'s, 't>(state: &'s State<'t>) -> impl Iterator<Item = &'s StateResource<'t>> {
    state.resources.iter().filter(|resource| &*resource.mode == "managed" && resource.deposed.is_none())
}

fn has_members(object: Raw<'_>) -> bool {
    let mut reader = object.reader();
    reader.enter(b'{').and_then(|()| reader.next_member(&mut true)).is_ok_and(|first| first.is_some())
}
