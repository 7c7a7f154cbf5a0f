//! `tfrun`: facts about a run from its caller, and from the plan.

use crate::tfplan::TfPlan;
use objchange_document::changes::ResourceActions;
use serde_json::{Value, json};

use super::document::Document;

/// The members of the import: given ones replace those of the document.
pub(super) fn members(document: &Document, given: Option<&Value>) -> Value {
    document.plan(|plan| members_of(Some(plan), given)).unwrap_or_else(|| members_of(None, given))
}

/// The members of the import for a plan.
pub(super) fn members_of(plan: Option<&TfPlan<'_>>, given: Option<&Value>) -> Value {
    // HCP Terraform has null here for a run without targets.
    let mut members = json!({"target_addrs": null});
    // Only a plan can tell.
    if let Some(plan) = plan {
        let mut changes = plan.resource_changes.values().map(|change| change.change.actions);
        let is_destroy =
            !plan.resource_changes.is_empty() && changes.all(|actions| actions == ResourceActions::Delete);
        members["is_destroy"] = is_destroy.into();
    }
    if let (Some(members), Some(given)) = (members.as_object_mut(), given.and_then(Value::as_object)) {
        members.extend(given.iter().map(|(name, value)| (name.clone(), value.clone())));
    }
    members
}
