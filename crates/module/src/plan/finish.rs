//! What is left to do after the walk: orders, the state after apply, and what the plan is as a whole.

use std::cmp::Ordering;

use objchange::address::{InstanceAddress, InstanceKey, Mode, ModuleAddress};

use super::input::PlanMode;
use super::{ModulePlan, PlannedAction, PlannedObject, PlannedStateObject};
use crate::Diagnostics;

/// Puts the changes into the order of plan documents, and says what the state will hold.
///
/// `state_differs` says that there is another state to keep, though nothing else is to be done.
pub(crate) fn finish(
    plan: &mut ModulePlan,
    mode: PlanMode,
    is_complete: bool,
    state_differs: bool,
    found: Diagnostics,
) {
    plan.changes.sort_by(order);
    plan.drift.sort_by(order);
    plan.planned_state = planned_state(plan, mode);
    plan.errored = found.has_errors();
    let outputs = plan.outputs.values().any(|output| output.action != PlannedAction::NoOp);
    let resources = plan.changes.iter().any(|change| {
        !matches!(change.action, PlannedAction::NoOp)
            || change.previous_address.is_some()
            || change.importing.is_some()
    });
    plan.applyable = !plan.errored && (outputs || resources || state_differs);
    plan.complete = !plan.errored && is_complete && plan.undecided.is_empty();
    plan.diagnostics = found;
}

/// The order of `resource_changes`.
fn order(a: &PlannedObject, b: &PlannedObject) -> Ordering {
    order_of_addresses(&a.address, &b.address).then_with(|| a.deposed.cmp(&b.deposed))
}

/// Modules by depth and path, data before managed resources, then type, name and key.
pub(crate) fn order_of_addresses(a: &InstanceAddress, b: &InstanceAddress) -> Ordering {
    let mode = |mode: Mode| match mode {
        Mode::Data => 0,
        Mode::Managed => 1,
        Mode::Ephemeral => 2,
    };
    order_of_modules(&a.resource.module, &b.resource.module)
        .then_with(|| mode(a.resource.mode).cmp(&mode(b.resource.mode)))
        .then_with(|| a.resource.resource_type.cmp(&b.resource.resource_type))
        .then_with(|| a.resource.name.cmp(&b.resource.name))
        .then_with(|| order_of_keys(a.key.as_ref(), b.key.as_ref()))
}

fn order_of_modules(a: &ModuleAddress, b: &ModuleAddress) -> Ordering {
    a.0.len().cmp(&b.0.len()).then_with(|| {
        let steps = std::iter::zip(&a.0, &b.0)
            .map(|(a, b)| a.name.cmp(&b.name).then_with(|| order_of_keys(a.key.as_ref(), b.key.as_ref())));
        steps.fold(Ordering::Equal, Ordering::then)
    })
}

/// No key, then numbers, then strings.
fn order_of_keys(a: Option<&InstanceKey>, b: Option<&InstanceKey>) -> Ordering {
    a.cmp(&b)
}

/// What the state will hold after apply.
fn planned_state(plan: &ModulePlan, mode: PlanMode) -> Vec<PlannedStateObject> {
    // Nothing is planned then: the state is what was read.
    if mode == PlanMode::RefreshOnly {
        return Vec::new();
    }
    let kept = plan
        .changes
        .iter()
        .filter(|change| change.deposed.is_none() && !matches!(change.action, PlannedAction::Delete));
    let objects = kept.map(|change| PlannedStateObject {
        address: change.address.clone(),
        provider: change.provider.clone(),
        value: (change.action != PlannedAction::Forget).then(|| change.after.clone()),
        schema: change.schema.clone(),
        tainted: false,
    });
    objects.collect()
}
