//! Finds plans from which changes were removed.

use std::fmt;

use hashbrown::{HashMap, HashSet};
use objchange_text::visible;

use super::{Plan, State, StateResource};
use crate::changes::{ResourceActions, ValueChange};
use crate::json::{Json, Raw, Shape};

/// A change that a plan must have, and lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MissingChange {
    /// The change of the resource instance with this address.
    Resource(String),
    /// The change of the output with this name.
    Output(String),
    /// The action of the resource instance with this address, or of this output: its values differ, and nothing happens to it,
    /// or it is read.
    Action(String),
    /// The plan says that applying it does something, and lists nothing; or it has neither changes nor planned values.
    Every,
}

impl fmt::Display for MissingChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resource(address) => {
                write!(f, "the change of {} is missing from this plan", visible(address))
            }
            Self::Output(name) => {
                write!(f, "the change of output.{} is missing from this plan", visible(name))
            }
            Self::Action(address) => {
                write!(f, "the action of {} in this plan is not what happens to its values", visible(address))
            }
            Self::Every => f.write_str("all changes are missing from this plan"),
        }
    }
}

impl Plan<'_> {
    /// One of the changes that the plan lacks, if it lacks any. Plans list each managed resource and each output, if
    /// only as one that stays as it is.
    ///
    /// ```
    /// use objchange_document::{MissingChange, Plan};
    ///
    /// let plan = Plan::parse(
    ///     r#"{"format_version":"1.2","planned_values":{"root_module":{"resources":[
    ///     {"address":"a.b","mode":"managed","type":"a","name":"b","values":{}}]}}}"#,
    /// )?;
    /// assert_eq!(plan.missing_change(), Some(MissingChange::Resource("a.b".into())));
    /// # Ok::<(), objchange_document::DocumentError>(())
    /// ```
    pub fn missing_change(&self) -> Option<MissingChange> {
        if let Some(output) = self.missing_output() {
            return Some(MissingChange::Output(output));
        }
        // Planning that ends with an error leaves out everything after it.
        if self.changes.errored {
            return None;
        }
        let lists_resources = !self.changes.resources.is_empty() || !self.changes.deferred.is_empty();
        let lists_nothing = !lists_resources
            && self.changes.drift.is_empty()
            && self.changes.all_invocations().next().is_none();
        let missing = if lists_nothing { self.planned_otherwise() } else { self.unlisted(lists_resources) };
        missing.map(MissingChange::Resource).or_else(|| self.wrong_action()).or_else(|| {
            let does_something = self.changes.applyable == Some(true) && self.changes.outputs.is_empty();
            // Terraform leaves out an empty list of changes, but always writes the planned values.
            let has_lost_both = || self.is_by_program() && !self.has_planned_root();
            (lists_nothing && (does_something || has_lost_both())).then_some(MissingChange::Every)
        })
    }

    /// A change whose action is not what happens to its values, also one of drift or of what is left to the next plan.
    fn wrong_action(&self) -> Option<MissingChange> {
        if !self.is_by_program() {
            return None;
        }
        // Where this program has not asked a provider, the action is not known.
        let deferred = self.changes.deferred.iter().filter(|deferred| !deferred.is_undecided());
        let elsewhere = self.changes.drift.iter().chain(deferred.map(|deferred| &deferred.resource));
        let mut resources = self.changes.resources.iter().chain(elsewhere);
        let resource = resources.find(|resource| {
            let is_read = resource.change.actions == ResourceActions::Read;
            contradicts(&resource.change) || is_read && *resource.mode == *"managed"
        });
        let output = || self.changes.outputs.iter().find(|output| contradicts(&output.change));
        let address = resource.map(|resource| resource.address.to_string());
        address
            .or_else(|| output().map(|output| format!("output.{}", output.name)))
            .map(MissingChange::Action)
    }

    /// Whether a program has written the document as it is. People write some by hand, with what matters to them alone.
    /// Terraform since 1.8 says of each plan whether it is complete.
    pub(super) fn is_by_program(&self) -> bool {
        self.changes.complete.is_some()
    }

    fn has_planned_root(&self) -> bool {
        let planned = self.planned_values().and_then(|part| Json::read(&part).ok());
        planned.is_some_and(|planned| {
            planned.view().get("root_module").is_some_and(|root| matches!(root.shape(), Shape::Object(_)))
        })
    }

    /// The first output, if there are no changes of outputs, among which each is listed, if only as one that stays.
    fn missing_output(&self) -> Option<String> {
        if !self.changes.outputs.is_empty() || self.changes.errored || self.changes.complete != Some(true) {
            return None;
        }
        let mut reader = self.planned_values()?.reader();
        // They come first; to look further would be to read all that is planned.
        let first = reader.enter(b'{').and_then(|()| reader.next_member(&mut true));
        if !matches!(first.as_ref().map(Option::as_deref), Ok(Some("outputs"))) {
            return None;
        }
        first_member(reader.raw().ok()?)
    }

    /// A managed resource that is planned, or was there before, and is not among the changes.
    fn unlisted(&self, lists_resources: bool) -> Option<String> {
        let (planned, prior) = self.planned_and_prior();
        let planned = planned.unwrap_or_default();
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
        let before = values_by_address(&prior);
        // Other plans than complete ones are believed to have left out what stays as it is.
        let planned_alone = managed(&planned).find(|resource| {
            !listed.contains(&*resource.address)
                && (is_complete || before.get(&*resource.address) != Some(&resource.values.text()))
        });
        // A plan of a few targets says nothing of the others, and one that only refreshes has no changes.
        let is_whole = is_complete && lists_resources;
        let prior_alone =
            || managed(&prior).find(|resource| is_whole && !listed.contains(&*resource.address));
        let resource = planned_alone.or_else(prior_alone).map(|resource| resource.address.to_string());
        resource.or_else(|| is_whole.then(|| self.unlisted_deposed(&prior)).flatten())
    }

    /// Finds a deposed object in the prior state without a change. Every plan destroys the deposed objects that failed
    /// replacements leave behind.
    fn unlisted_deposed(&self, prior: &State<'_>) -> Option<String> {
        let changes = self.changes.resources.iter();
        let listed: HashSet<(&str, Option<&str>)> =
            changes.map(|resource| (&*resource.address, resource.deposed.as_deref())).collect();
        let objects = prior.resources.iter().filter(|object| &*object.mode == "managed");
        let mut deposed = objects.filter(|object| object.deposed.is_some());
        let unlisted =
            deposed.find(|object| !listed.contains(&(&*object.address, object.deposed.as_deref())))?;
        Some(format!(
            "{} (deposed object {})",
            unlisted.address,
            unlisted.deposed.as_deref().unwrap_or_default()
        ))
    }

    /// A managed resource that is planned otherwise than it is in the state that the plan starts from.
    fn planned_otherwise(&self) -> Option<String> {
        // Without planned values there is nothing to compare with.
        let (planned, prior) = self.planned_and_prior();
        let planned = planned?;
        let mut before = values_by_address(&prior);
        let mut same = 0;
        for resource in managed(&planned) {
            if before.remove(&*resource.address) != Some(resource.values.text()) {
                return Some(resource.address.to_string());
            }
            same += 1;
        }
        if same == 0 && !self.plans_destruction() {
            // A plan that only refreshes: its objects are in the prior state alone.
            return None;
        }
        // A plan of a few targets may say nothing of the others.
        let is_complete = self.changes.complete == Some(true);
        let mut left = managed(&prior).filter(|resource| before.contains_key(&*resource.address));
        left.find(|_| is_complete).map(|resource| resource.address.to_string())
    }

    /// The planned values and the prior state. If they are missing or cannot be read, the planned values are `None`, and the
    /// prior state is empty.
    fn planned_and_prior(&self) -> (Option<State<'_>>, State<'_>) {
        let planned = self.planned_values().and_then(|values| State::parse_values(self.text(), values).ok());
        let prior = self.prior_state().and_then(|state| State::parse_within(self.text(), state).ok());
        (planned, prior.unwrap_or_default())
    }

    /// Whether applying does something, and nothing but deletions to outputs.
    fn plans_destruction(&self) -> bool {
        let mut outputs = self.changes.outputs.iter();
        self.changes.applyable == Some(true)
            && outputs.all(|output| output.change.actions == ResourceActions::Delete)
    }
}

/// Whether the sides of a change are not those of its action: something is there before it is created, or after it is destroyed
/// or forgotten, or what stays as it is differs. A data source that is read may have been there before. Terraform makes an update that
/// a provider cannot do a replacement, so that paths that force one are in replacements alone (1.0 to 1.15).
fn contradicts(change: &ValueChange<'_>) -> bool {
    let Some(values) = change.values.written() else { return false };
    let stays = matches!(
        change.actions,
        ResourceActions::NoOp | ResourceActions::Create | ResourceActions::Read | ResourceActions::Update
    );
    if stays && !matches!(values.replace_paths.text(), "null" | "[]") {
        return true;
    }
    match change.actions {
        ResourceActions::NoOp => differs(change),
        ResourceActions::Create => values.before.text() != "null",
        ResourceActions::Delete | ResourceActions::Forget => values.after.text() != "null",
        _ => false,
    }
}

/// Whether the sides of a change are different values. Their texts differ in documents that were written anew.
fn differs(change: &ValueChange<'_>) -> bool {
    let Some(values) = change.values.written() else { return false };
    let [before, after] = [values.before.text(), values.after.text()];
    let read = serde_json::from_str::<serde_json::Value>;
    before != after && !matches!((read(before), read(after)), (Ok(before), Ok(after)) if before == after)
}

/// The values of managed resources as they are written, by address.
fn values_by_address<'s>(state: &'s State<'_>) -> HashMap<&'s str, &'s str> {
    managed(state).map(|resource| (&*resource.address, resource.values.text())).collect()
}

/// The current objects of managed resources.
fn managed<'s, 't>(state: &'s State<'t>) -> impl Iterator<Item = &'s StateResource<'t>> {
    state.resources.iter().filter(|resource| &*resource.mode == "managed" && resource.deposed.is_none())
}

/// The name of an object's first member.
fn first_member(object: Raw<'_>) -> Option<String> {
    let mut reader = object.reader();
    reader.enter(b'{').ok()?;
    reader.next_member(&mut true).ok()?.map(|name| name.to_string())
}
