//! What is left to do after the walk: orders, the state after apply, and what the plan is as a whole.

use super::input::PlanMode;
use super::{ModulePlan, PlannedAction, PlannedStateObject};
use crate::Diagnostics;
use crate::document::compare_changes;

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
    plan.changes.sort_by(compare_changes);
    plan.drift.sort_by(compare_changes);
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
