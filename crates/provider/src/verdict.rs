//! Judges one answer of a provider by itself.

use objchange::Value;
use objchange::change::{
    AppliedResource, ApplyViolation, DeferredReason, PlanViolation, PlannedResource, Severity,
    assert_object_compatible, assert_plan_valid,
};
use objchange::schema::Block;
use objchange::value::{Descend, Path};

/// A violation: its path, kind and sentence.
pub(crate) type Violation = (Path, &'static str, String);

fn failed(diagnostics: &[objchange::change::Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}

/// The violations in a plan.
pub(crate) fn of_plan(
    block: &Block,
    [prior, config]: [&Value; 2],
    deferral_allowed: bool,
    answer: &PlannedResource,
) -> Vec<Violation> {
    let wrong =
        |violation: PlanViolation| (violation.path().clone(), violation.kind(), violation.to_string());
    // Terraform stops at an error, and does not look at the plan.
    if failed(&answer.diagnostics) {
        return Vec::new();
    }
    // Terraform checks nothing else of a deferred answer.
    if answer.deferred.is_some() {
        return if deferral_allowed { Vec::new() } else { vec![wrong(PlanViolation::DeferralNotAllowed)] };
    }
    let planned = &answer.planned;
    // First, because all comparisons below are of objects of the schema's type.
    let mismatches = planned.ty().mismatches(block.implied_type());
    if !mismatches.is_empty() {
        return mismatches.into_iter().map(PlanViolation::WrongType).map(wrong).collect();
    }
    let mut violations: Vec<PlanViolation> =
        filled_write_only(block, planned).map(PlanViolation::WriteOnly).collect();
    violations
        .extend(assert_plan_valid(block, prior, config, planned).into_iter().map(PlanViolation::Invalid));
    // Terraform 1.11.4 does not check these paths for a new object.
    if !prior.is_null() {
        let nowhere = |path: &&Path| prior.at(path).is_none() && planned.at(path).is_none();
        let lost = answer.requires_replace.iter().filter(nowhere).cloned();
        violations.extend(lost.map(PlanViolation::RequiresReplaceNowhere));
    }
    violations.into_iter().map(wrong).collect()
}

/// The violations in the result of an apply.
pub(crate) fn of_apply(block: &Block, planned: &Value, answer: &AppliedResource) -> Vec<Violation> {
    let wrong =
        |violation: ApplyViolation| (violation.path().clone(), violation.kind(), violation.to_string());
    let has_failed = failed(&answer.diagnostics);
    let violations = match &answer.new_state {
        // Terraform keeps the prior object then.
        None if has_failed => Vec::new(),
        None => vec![ApplyViolation::NoObject],
        Some(new_state) if new_state.is_null() && !planned.is_null() && !has_failed => {
            vec![ApplyViolation::NoObject]
        }
        Some(new_state) => {
            let mismatches = new_state.ty().mismatches(block.implied_type());
            if !mismatches.is_empty() {
                return mismatches.into_iter().map(ApplyViolation::WrongType).map(wrong).collect();
            }
            let mut violations: Vec<ApplyViolation> =
                filled_write_only(block, new_state).map(ApplyViolation::WriteOnly).collect();
            violations.extend(unknown(new_state).into_iter().map(ApplyViolation::Unknown));
            if planned.is_null() && !new_state.is_null() && !has_failed {
                violations.push(ApplyViolation::NotDestroyed);
            // After an error the object may be there in part: Terraform saves it without a comparison.
            } else if !has_failed && violations.is_empty() {
                let found = assert_object_compatible(block, planned, new_state);
                violations.extend(found.into_iter().map(ApplyViolation::Inconsistent));
            }
            violations
        }
    };
    violations.into_iter().map(wrong).collect()
}

/// The violations in an object that was read, upgraded, or found by a data source.
pub(crate) fn of_object(
    block: &Block,
    object: Option<&Value>,
    must_be_there: bool,
    deferred: Option<DeferredReason>,
) -> Vec<Violation> {
    let absent = || (Path::root(), "null_object", "the provider answers with no object".to_owned());
    let Some(object) = object.filter(|object| !object.is_null()) else {
        return if must_be_there && deferred.is_none() { vec![absent()] } else { Vec::new() };
    };
    let mismatches = object.ty().mismatches(block.implied_type());
    if !mismatches.is_empty() {
        return mismatches.into_iter().map(|m| (m.path.clone(), "wrong_type", m.to_string())).collect();
    }
    let filled = filled_write_only(block, object).map(|path| {
        let said = format!("{path}: a write-only attribute must be null");
        (path, "write_only_not_null", said)
    });
    // A deferred object may have unknown parts.
    let unknown = unknown(object).into_iter().filter(|_| deferred.is_none()).map(|path| {
        let said = format!("{path}: all values must be known here");
        (path, "unknown", said)
    });
    filled.chain(unknown).collect()
}

fn filled_write_only(block: &Block, object: &Value) -> impl Iterator<Item = Path> {
    let is_filled = |path: &Path| object.at(path).is_some_and(|value| !value.is_null());
    block.write_only_paths(object).into_iter().filter(is_filled).collect::<Vec<_>>().into_iter()
}

fn unknown(object: &Value) -> Vec<Path> {
    let mut found = Vec::new();
    object.visit(|path, part| {
        if !part.is_known() {
            found.push(path.to_path());
        }
        // Each value stores whether all of it is known, so that known parts, which are most of an object, cost
        // nothing.
        if part.is_wholly_known() { Descend::Over } else { Descend::Into }
    });
    found
}
