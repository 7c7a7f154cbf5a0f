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

#[test]
fn what_is_below_something_unknown_may_require_a_replacement() {
    let ty = Type::map(Type::String);
    let schema = Block::new(
        [("opts", Attribute::computed(ty.clone())), ("any", Attribute::optional(Type::Dynamic))],
        [],
    );
    let object = |opts: Value, any: &str| {
        Value::object([("opts", opts), ("any", Value::object([("k", Value::from(any))]))])
    };
    let prior = object(Value::null(ty.clone()), "a");
    let action = |path: &str, planned: Value, config: Value| {
        let mut answer = PlannedResource::new(planned);
        answer.requires_replace = vec![path.parse().unwrap()];
        let mut provider = |question: &PlanResourceChange| {
            Ok(match question.prior.is_null() {
                true => PlannedResource::new(question.proposed.clone()),
                false => answer.clone(),
            })
        };
        let change = plan_change(&PlanRequest::new(&schema, &prior, &config), &mut provider).unwrap();
        assert_eq!(change.violations, []);
        change.action
    };
    let config = |any| object(Value::null(ty.clone()), any);
    let unknown = |any| object(Value::unknown(ty.clone()), any);
    assert_eq!(action("opts[\"k\"]", unknown("a"), config("a")), Action::DeleteThenCreate);
    assert_eq!(action("any[\"k\"]", config("b"), config("b")), Action::DeleteThenCreate);
    assert_eq!(action("any[\"k\"]", unknown("a"), config("a")), Action::Update);
}

#[test]
fn debug_of_questions_shows_no_secret() {
    let schema = Block::new(
        [
            ("token", Attribute::optional(Type::String).sensitive()),
            ("tags", Attribute::optional(Type::map(Type::String)).sensitive()),
        ],
        [],
    );
    let object = |token: &str| {
        let tags = Value::map(Type::String, [("hunter3", Value::from(token))]).unwrap();
        Value::object([("token", Value::from(token)), ("tags", tags)])
    };
    let mut request = PlanRequest::new(&schema, &object("hunter1"), &object("hunter2"));
    request.lifecycle.ignore_changes =
        crate::change::IgnoreChanges::Paths(vec!["tags[\"hunter3\"]".parse().unwrap()]);
    request.identity = Some(object("hunter4"));
    let planning = begin_plan(&request).unwrap();
    let mut shown = format!("{request:?} {planning:?}");
    let Planning::Ask(question) = planning else { panic!("nobody is asked") };
    let answer = PlannedResource::new(question.request().proposed.clone());
    let Planning::Done(change) = question.answer(answer).unwrap() else { panic!("asked again") };
    let apply = crate::change::ApplyRequest::new(&schema, &change, &object("hunter2"));
    shown += &format!("{apply:?} {:?}", crate::change::begin_apply(&apply).unwrap());
    assert!(!shown.contains("hunter"), "{shown}");
}
