use super::*;
use crate::change::provider::{DeferredReason, ProviderError};
use crate::schema::{Attribute, Block};

/// Plans an update with an answer that breaks the contract, and is deferred.
fn deferred(deferral_allowed: bool) -> PlannedChange {
    let schema = Block::new([("size", Attribute::optional(Type::Number))], []);
    let size = |n: i64| Value::object([("size", n)]);
    let mut request = PlanRequest::new(&schema, &size(1), &size(2));
    request.deferral_allowed = deferral_allowed;
    let mut answer = PlannedResource::new(size(3));
    answer.deferred = Some(DeferredReason::AbsentPrerequisite);
    plan_change(&request, &mut |_: &PlanResourceChange| Ok(answer.clone())).unwrap()
}

#[test]
fn what_is_deferred_is_a_guess_that_nobody_checks() {
    let change = deferred(true);
    assert_eq!(change.deferred, Some(DeferredReason::AbsentPrerequisite));
    assert_eq!(change.violations, []);
}

#[test]
fn deferring_without_leave_is_a_violation() {
    assert_eq!(deferred(false).violations, [PlanViolation::DeferralNotAllowed]);
}

#[test]
fn the_second_question_has_what_the_first_answer_left() {
    let schema = Block::new([("size", Attribute::optional(Type::Number))], []);
    let size = |n: i64| Value::object([("size", n)]);
    let mut request = PlanRequest::new(&schema, &size(1), &size(2));
    request.lifecycle.force_replace = true;
    request.private = PrivateData(vec![1]);
    let mut asked = Vec::new();
    let mut provider = |question: &PlanResourceChange| {
        asked.push((question.prior.is_null(), question.private.clone()));
        let mut answer = PlannedResource::new(question.proposed.clone());
        answer.private = PrivateData(vec![2]);
        answer.diagnostics = vec![Diagnostic::warning("size is going away")];
        Ok(answer)
    };
    let change = plan_change(&request, &mut provider).unwrap();
    assert_eq!(asked, [(false, PrivateData(vec![1])), (true, PrivateData(vec![2]))]);
    assert_eq!((change.private, change.diagnostics.len()), (PrivateData(vec![2]), 2));
}

#[test]
fn the_error_of_a_provider_keeps_its_source() {
    let schema = Block::new::<&str>([], []);
    let nothing = Value::object::<&str, Value>([]);
    let request = PlanRequest::new(&schema, &nothing, &nothing);
    let mut gone =
        |_: &PlanResourceChange| Err(ProviderError::from(std::io::Error::other("connection lost")));
    let error = plan_change(&request, &mut gone).unwrap_err();
    assert_eq!(error.kind(), "provider");
    let source = std::error::Error::source(&error).unwrap();
    assert!(source.downcast_ref::<std::io::Error>().is_some());
}
