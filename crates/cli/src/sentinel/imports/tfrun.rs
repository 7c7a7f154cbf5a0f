//! `tfrun`: what is told of a run by whoever starts it, and what the plan tells of it.

use objchange_plan::ResourceActions;
use objchange_plan::tfplan::TfPlan;
use serde_json::{Value, json};

use super::document::Document;

/// The members of the import: those that are given, and those that the document tells.
pub(super) fn members(document: &Document, given: Option<&Value>) -> Value {
    document.plan(|plan| of(Some(plan), given)).unwrap_or_else(|| of(None, given))
}

/// The same of a plan itself.
pub(crate) fn of(plan: Option<&TfPlan<'_>>, given: Option<&Value>) -> Value {
    let is_destroy = plan.is_some_and(|plan| {
        let mut changes = plan.resource_changes.values().map(|change| change.change.actions);
        !plan.resource_changes.is_empty() && changes.all(|actions| actions == ResourceActions::Delete)
    });
    let mut members = json!({"is_destroy": is_destroy, "target_addrs": null});
    if let (Some(members), Some(given)) = (members.as_object_mut(), given.and_then(Value::as_object)) {
        members.extend(given.iter().map(|(name, value)| (name.clone(), value.clone())));
    }
    members
}
