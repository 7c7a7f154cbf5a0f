//! Finishes a plan after the walk: sorts it, and computes the state after apply and whether it is complete.

use std::cmp::Ordering;

use hashbrown::HashMap;
use objchange::Value;
use objchange::address::InstanceAddress;

use super::PlannedObject;
use super::{ActionReason, InvocationTrigger, ModulePlan, PlannedAction, PlannedOutput, PlannedStateObject};
use crate::Diagnostics;
use crate::order::compare_instances;
use objchange_document::PlanMode;

/// Sorts the changes as plan documents do, and computes the state after apply.
///
/// `state_differs` says that the state changes although no object does. `replaced` has the objects whose marks in the
/// state differ from their planned ones.
pub(crate) fn finish(
    plan: &mut ModulePlan,
    mode: PlanMode,
    is_complete: bool,
    state_differs: bool,
    replaced: &HashMap<InstanceAddress, Value>,
    found: Diagnostics,
) {
    plan.changes.sort_by(compare_changes);
    plan.drift.sort_by(compare_changes);
    plan.invocations.sort_by(|a, b| match (&a.trigger, &b.trigger) {
        (InvocationTrigger::Change { resource: a, .. }, InvocationTrigger::Change { resource: b, .. }) => {
            compare_instances(a, b)
        }
        _ => Ordering::Equal,
    });
    plan.planned_state = planned_state(plan, mode, replaced);
    plan.errored = found.has_errors();
    // A plan that only refreshes keeps new values of outputs, as far as these are known.
    let is_kept = |output: &PlannedOutput| {
        mode != PlanMode::RefreshOnly || output.declared && output.after.is_wholly_known()
    };
    let outputs = plan.outputs.values().any(|output| output.action != PlannedAction::NoOp && is_kept(output));
    // Moves and imports are applied to the state, so they count in Terraform (exit code 2 of `-detailed-exitcode`).
    let resources = plan.changes.iter().any(|change| {
        !matches!(change.action, PlannedAction::NoOp)
            || change.previous_address.is_some()
            || change.importing.is_some()
    });
    let has_actions = !plan.invocations.is_empty();
    plan.applyable = !plan.errored && (outputs || resources || state_differs || has_actions);
    plan.complete = !plan.errored && is_complete && plan.undecided.is_empty() && plan.missing.is_empty();
    plan.diagnostics = found;
}

/// The objects that the state holds after apply.
fn planned_state(
    plan: &ModulePlan,
    mode: PlanMode,
    replaced: &HashMap<InstanceAddress, Value>,
) -> Vec<PlannedStateObject> {
    // Nothing is planned then: the state is what was read.
    if mode == PlanMode::RefreshOnly {
        return Vec::new();
    }
    let objects = plan.changes.iter().filter_map(|change| {
        let object = PlannedStateObject::after(change)?;
        let replaced = replaced.get(&change.address).filter(|_| object.value.is_some());
        Some(PlannedStateObject { value: replaced.cloned().or(object.value), ..object })
    });
    objects.collect()
}

/// Whether an object was planned a second time, as a new one, after the first plan had shown that it must be replaced.
pub(super) fn is_planned_again(change: &PlannedObject) -> bool {
    matches!(change.action, PlannedAction::DeleteThenCreate | PlannedAction::CreateThenDelete)
        // That an object is tainted is known before the provider plans, so that Terraform plans it as a new one at once.
        && change.reason != Some(ActionReason::ReplaceBecauseTainted)
}

/// The order of `resource_changes` and `resource_drift`: modules nearer to the root first, data sources before resources,
/// deposed objects after the current one.
pub fn compare_changes(a: &PlannedObject, b: &PlannedObject) -> Ordering {
    compare_instances(&a.address, &b.address).then_with(|| a.deposed.cmp(&b.deposed))
}
