//! Infers the mode of a plan from its content.

use super::{Plan, State};
use crate::changes::ResourceActions;
use crate::json::{Json, View};
use crate::mode::PlanMode;

impl PlanMode {
    /// Infers the mode of a plan, if possible. No document states it.
    ///
    /// The mode matters only for plans without visible changes, and most of these are clear. Unclear are: targets that
    /// do not exist, an empty state under `-destroy` or `-refresh-only`, and a plan where nothing is declared and
    /// nothing exists.
    pub fn detect(plan: &Plan<'_>) -> Self {
        let is_invoked = plan.changes.invocations.iter().any(|invocation| invocation.invoked.is_some());
        let is_no_op = plan.changes.drift.iter().any(|drift| drift.change.actions == ResourceActions::NoOp);
        // Only refresh-only plans have explicitly invoked actions, or no-op drift.
        if is_invoked || is_no_op {
            return Self::RefreshOnly;
        }
        let has_changes = !plan.changes.resources.is_empty()
            || !plan.changes.deferred.is_empty()
            || !plan.changes.invocations.is_empty();
        // With something to show, normal and destroy plans print the same.
        if has_changes {
            return Self::Normal;
        }
        let is_whole = plan.changes.complete != Some(false) && !plan.changes.errored;
        match (has_managed(plan), is_whole) {
            // Other plans list each object that there was, if only to leave it as it is.
            (true, true) => Self::RefreshOnly,
            // The mode only affects the closing explanation of drift here.
            (true, false) if plan.changes.errored => Self::Normal,
            // A guess: a normal plan whose target does not exist looks like a refresh-only plan with a target.
            (true, false) => Self::RefreshOnly,
            (false, false) => Self::Normal,
            (false, true) => of_nothing(plan),
        }
    }
}

/// Infers the mode of a complete plan without changes, from a state without managed objects.
fn of_nothing(plan: &Plan<'_>) -> PlanMode {
    let are_all = |actions| plan.changes.outputs.iter().all(|output| output.change.actions == actions);
    let configuration = plan.configuration().and_then(|raw| Json::read(&raw).ok());
    let root = configuration.as_ref().and_then(|json| json.view().get("root_module"));
    let declares_outputs = root.and_then(|root| root.get("outputs")).is_some_and(|o| !o.members().is_empty());
    if declares_outputs && are_all(ResourceActions::Delete) {
        // Other plans list each output that is declared.
        return PlanMode::Destroy;
    }
    let changes_output = !are_all(ResourceActions::NoOp);
    match plan.changes.applyable {
        // `applyable` is absent in OpenTofu's documents and before Terraform 1.8.
        Some(false) if changes_output => return PlanMode::RefreshOnly,
        Some(true) if !changes_output && !plan.changes.drift.is_empty() => return PlanMode::RefreshOnly,
        _ => {}
    }
    if !root.is_some_and(|root| would_create(root)) {
        return PlanMode::Normal;
    }
    // A guess for an empty state: `-destroy` and `-refresh-only` write equal documents there.
    if are_all(ResourceActions::Delete) { PlanMode::Destroy } else { PlanMode::RefreshOnly }
}

/// Whether there are managed resources in the state that the plan starts from.
fn has_managed(plan: &Plan<'_>) -> bool {
    let state = plan.prior_state().and_then(|state| State::parse_within(plan.text(), state).ok());
    state.is_some_and(|state| state.resources.iter().any(|resource| &*resource.mode == "managed"))
}

/// Whether a plan to reach what a module says would create something if nothing is there: the module, or one
/// that it calls once, has a managed resource that is there once.
fn would_create(module: View<'_, '_>) -> bool {
    let is_once = |part: View<'_, '_>| {
        part.get("count_expression").is_none() && part.get("for_each_expression").is_none()
    };
    let is_managed = |resource: View<'_, '_>| resource.get("mode").and_then(View::as_str) == Some("managed");
    let resources = module.get("resources").into_iter().flat_map(|resources| resources.elements().iter());
    let calls = module.get("module_calls").into_iter().flat_map(|calls| calls.members().iter());
    resources.into_iter().any(|resource| is_managed(resource) && is_once(resource))
        || calls
            .filter(|(_, call)| is_once(*call))
            .filter_map(|(_, call)| call.get("module"))
            .any(would_create)
}
