//! Taking out of what is said about a plan what must not be shown.
//!
//! A provider sees no marks, and so what is wrong with its plan is found among values without marks. Where the
//! prior object, the configuration or the answer was marked, the values in what is found are marked again.

use super::invalid_plan::InvalidPlan;
use super::plan::PlanViolation;
use crate::value::{Path, PathStep};

/// The violation without the content of what is marked at these paths.
pub(super) fn hide(violation: PlanViolation, marked: &[Path]) -> PlanViolation {
    let PlanViolation::Invalid(invalid) = violation else { return violation };
    // From the highest mark on, nothing of the path is shown but its attributes.
    let Some(depth) = marked.iter().filter(|mark| overlap(mark, &invalid.path)).map(depth).min() else {
        return PlanViolation::Invalid(invalid);
    };
    let InvalidPlan { path, kind, prior, config, planned, unfit } = invalid;
    let steps = path.steps().iter().enumerate().map(|(i, step)| match step {
        PathStep::Index(key) if i >= depth => PathStep::Index(key.clone().sensitive()),
        step => step.clone(),
    });
    PlanViolation::Invalid(InvalidPlan {
        path: steps.collect(),
        kind,
        prior: prior.map(crate::Value::sensitive),
        config: config.map(crate::Value::sensitive),
        planned: planned.map(crate::Value::sensitive),
        unfit,
    })
}

fn depth(path: &Path) -> usize {
    path.steps().len()
}

/// Whether one path leads through the other.
///
/// Elements count as the same whatever their keys: what stands at one index before may stand at another one
/// after, and the elements of a set have no place of their own.
fn overlap(a: &Path, b: &Path) -> bool {
    std::iter::zip(a.steps(), b.steps()).all(|steps| match steps {
        (PathStep::Attribute(a), PathStep::Attribute(b)) => a == b,
        _ => true,
    })
}
