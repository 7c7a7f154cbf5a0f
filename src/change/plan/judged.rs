//! Checks a provider's plan.

use hashbrown::HashSet;

use super::PlanViolation;
use super::sides::Sides;
use crate::change::plan_valid::plan_violations;
use crate::change::provider::{
    DeferredReason, Diagnostic, PlanResourceChange, PlannedResource, PrivateData, hide_in_diagnostics,
};
use crate::schema::SecretParts;
use crate::value::{Marks, Path, Value};

/// A provider's answer and its violations.
pub(super) struct CheckedPlan {
    pub(super) proposed: Value,
    pub(super) planned: Value,
    /// The planned object with the marks that Terraform puts on it.
    pub(super) after: Value,
    /// `after`, in which values that were marked in the prior object are marked as well.
    pub(super) shown: Value,
    /// Violations that make the answer unusable: it does not have the schema's type, or holds values of
    /// write-only attributes.
    pub(super) unusable: Vec<PlanViolation>,
    /// Violations of the rules between the plan, the prior object and the configuration.
    pub(super) invalid: Vec<PlanViolation>,
    pub(super) may_replace: bool,
    pub(super) legacy_type_system: bool,
    pub(super) private: PrivateData,
    pub(super) identity: Option<Value>,
    pub(super) deferred: Option<DeferredReason>,
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Checks an answer. Its marks are added to those of an earlier answer.
pub(super) fn judge(
    request: &PlanResourceChange,
    answer: PlannedResource,
    sides: &Sides,
    marks: &mut Vec<(Path, Marks)>,
) -> CheckedPlan {
    let PlanResourceChange { schema, prior, config, .. } = request;
    let (planned, its_marks) = answer.planned.unmark_deep_with_paths();
    marks.extend(its_marks);
    let after = sides.mark(&planned.mark_where_present(marks));
    let shown = sides.carried.mark(&after);
    let [before, configured] = sides.marked();
    let objects = [before, configured, &shown];
    let secrets = SecretParts::new(schema, &objects);
    let (mut unusable, mut invalid) = (Vec::new(), Vec::new());
    let mismatches = planned.ty().mismatches_at(schema.implied_type(), secrets.root());
    if answer.deferred.is_some() && !request.deferral_allowed {
        unusable.push(PlanViolation::DeferralNotAllowed);
    } else if answer.deferred.is_some() {
        // A deferred plan is a guess, and not checked.
    } else if mismatches.is_empty() {
        // A path that leads to null says that the attribute is where it should be.
        let has_value = |path: &Path| planned.at(path).is_some_and(|value| !value.is_null());
        let write_only = schema.write_only_paths_at(&planned, secrets.root()).into_iter().filter(has_value);
        unusable.extend(write_only.map(PlanViolation::WriteOnly));
        let found = plan_violations(schema, [prior, config, &planned], secrets.root());
        invalid.extend(found.into_iter().map(PlanViolation::Invalid));
    } else {
        // Values of the wrong type are not checked further.
        unusable.extend(mismatches.into_iter().map(PlanViolation::WrongType));
    }
    let diagnostics = hide_in_diagnostics(answer.diagnostics, &secrets);
    CheckedPlan {
        proposed: request.proposed.clone(),
        planned,
        after,
        shown,
        unusable,
        invalid,
        may_replace: answer.may_replace,
        legacy_type_system: answer.legacy_type_system,
        private: answer.private,
        identity: answer.identity,
        deferred: answer.deferred,
        diagnostics,
    }
}

/// Removes violations of the same kind at the same path.
pub(super) fn distinct(mut violations: Vec<PlanViolation>) -> Vec<PlanViolation> {
    let mut seen = HashSet::new();
    violations.retain(|violation| seen.insert((violation.kind(), violation.path().clone())));
    violations
}
