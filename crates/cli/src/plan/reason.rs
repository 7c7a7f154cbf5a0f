//! Why a change is what it is.

use objchange::change::{Action, PlannedChange, ReplaceReason};
use objchange::value::Path;

/// The stable name of the reason, as reports write it.
pub(super) fn slug(plan: &PlannedChange) -> &'static str {
    match (&plan.replace_reason, plan.action) {
        (Some(ReplaceReason::Tainted), _) => "tainted",
        (Some(ReplaceReason::Requested), _) => "replace_requested",
        (Some(_), _) => "cannot_update",
        (None, Action::NoOp) => "no_difference",
        (None, Action::Create) => "no_prior_object",
        (None, Action::Delete) => "no_configuration",
        (None, _) if is_of_marks(plan) => "sensitivity_differs",
        (None, _) => "differences",
    }
}

/// The reason for people.
pub(super) fn sentence(plan: &PlannedChange) -> String {
    match (&plan.replace_reason, plan.action) {
        (Some(ReplaceReason::Tainted), _) => "the prior object is tainted".to_owned(),
        (Some(ReplaceReason::Requested), _) => "replacement is asked for".to_owned(),
        (Some(_), _) => match paths(plan) {
            [] => "the change cannot be made in place".to_owned(),
            [path] => format!("{path} cannot be changed in place"),
            paths => {
                let paths: Vec<String> = paths.iter().map(Path::to_string).collect();
                format!("{} cannot be changed in place", paths.join(", "))
            }
        },
        (None, Action::NoOp) => "the planned object is the prior one".to_owned(),
        (None, Action::Create) => "there is no prior object".to_owned(),
        (None, Action::Delete) => "there is no configuration".to_owned(),
        (None, _) if is_of_marks(plan) => "only which parts are sensitive differs".to_owned(),
        (None, _) => {
            "the planned object differs from the prior one, and nothing requires a new object".to_owned()
        }
    }
}

/// The parts that cannot be changed in place.
pub(super) fn paths(plan: &PlannedChange) -> &[Path] {
    match &plan.replace_reason {
        Some(ReplaceReason::CannotUpdate(paths)) => paths,
        _ => &[],
    }
}

fn is_of_marks(plan: &PlannedChange) -> bool {
    plan.before.unmark_deep().0.identical(&plan.after.unmark_deep().0)
}
