use super::*;
use crate::change::{Diagnostic, Lifecycle, PlanRequest, SimulatedProvider, plan_change};
use crate::schema::Attribute;
use crate::value::Type;

fn schema() -> Block {
    Block::new(
        [
            ("id", Attribute::computed(Type::String)),
            ("size", Attribute::optional(Type::Number)),
            ("token", Attribute::optional(Type::String).sensitive()),
            ("key", Attribute::optional(Type::String).write_only()),
        ],
        [],
    )
}

fn disk(id: Value, size: i64) -> Value {
    let null = || Value::null(Type::String);
    Value::object([("id", id), ("size", Value::from(size)), ("token", null()), ("key", null())])
}

fn config(size: i64) -> Value {
    Value::object([("size", size)])
}

fn null() -> Value {
    Value::null(schema().implied_type().clone())
}

/// Plans with the simulated provider, and applies with these answers; returns the result and the calls.
fn applied(
    prior: &Value,
    config: &Value,
    lifecycle: Lifecycle,
    answers: Vec<AppliedResource>,
) -> (AppliedChange, Vec<&'static str>) {
    let mut request = PlanRequest::new(&schema(), prior, config);
    request.lifecycle = lifecycle;
    let change = plan_change(&request, &mut SimulatedProvider::default()).unwrap();
    let mut answers = answers.into_iter();
    let mut asked = Vec::new();
    let mut provider = |question: &ApplyResourceChange| {
        asked.push(match (question.prior.is_null(), question.planned.is_null()) {
            (true, _) => "create",
            (_, true) => "destroy",
            _ => "update",
        });
        Ok(answers.next().expect("no more is asked"))
    };
    let applied = apply_change(&ApplyRequest::new(&schema(), &change, config), &mut provider).unwrap();
    assert_eq!(answers.next(), None, "all is asked");
    (applied, asked)
}

fn kinds(applied: &AppliedChange) -> Vec<&'static str> {
    applied.violations.iter().map(ApplyViolation::kind).collect()
}

fn failing(new_state: Value) -> AppliedResource {
    AppliedResource { diagnostics: vec![Diagnostic::error("no quota")], ..AppliedResource::new(new_state) }
}

#[test]
fn a_created_object_is_saved() {
    let (applied, asked) = applied(
        &null(),
        &config(1),
        Lifecycle::default(),
        vec![AppliedResource::new(disk(Value::from("d-1"), 1))],
    );
    assert_eq!(asked, ["create"]);
    assert!(applied.violations.is_empty() && !applied.tainted);
    assert_eq!(applied.saved.unmark_deep().0, disk(Value::from("d-1"), 1));
    assert!(applied.saved.attribute("token").unwrap().is_marked());
}

#[test]
fn what_is_created_with_errors_is_tainted() {
    let broken = failing(disk(Value::from("d-1"), 1));
    let (applied, _) = applied(&null(), &config(1), Lifecycle::default(), vec![broken]);
    assert!(applied.tainted && applied.violations.is_empty());
    assert_eq!(applied.saved.unmark_deep().0, disk(Value::from("d-1"), 1));
}

#[test]
fn what_is_created_in_another_way_than_planned_is_tainted_unless_the_type_system_is_the_legacy_one() {
    let other = || AppliedResource::new(disk(Value::from("d-1"), 2));
    let (result, _) = applied(&null(), &config(1), Lifecycle::default(), vec![other()]);
    assert_eq!(kinds(&result), ["value_changed"]);
    assert!(result.tainted);
    let legacy = AppliedResource { legacy_type_system: true, ..other() };
    let (result, _) = applied(&null(), &config(1), Lifecycle::default(), vec![legacy]);
    assert_eq!(kinds(&result), ["value_changed"]);
    assert!(!result.tainted && result.legacy_type_system);
    // It excuses nothing else.
    let unknown = AppliedResource {
        legacy_type_system: true,
        ..AppliedResource::new(disk(Value::unknown(Type::String), 1))
    };
    let (result, _) = applied(&null(), &config(1), Lifecycle::default(), vec![unknown]);
    assert_eq!(kinds(&result), ["unknown_after_apply"]);
    assert!(result.tainted);
}

#[test]
fn nothing_in_place_of_an_object_keeps_the_prior_one() {
    let prior = disk(Value::from("d-1"), 1);
    for legacy_type_system in [false, true] {
        let nothing = AppliedResource { legacy_type_system, ..AppliedResource::new(null()) };
        let (result, _) = applied(&prior, &config(2), Lifecycle::default(), vec![nothing]);
        assert_eq!(kinds(&result), ["no_object"]);
        assert_eq!(result.saved.unmark_deep().0, prior);
        let (result, _) = applied(&prior, &config(2), Lifecycle::default(), vec![failing(null())]);
        assert_eq!((kinds(&result).len(), result.saved.unmark_deep().0), (0, prior.clone()));
    }
}

#[test]
fn a_failed_update_saves_what_the_provider_says_and_else_the_prior_object() {
    let prior = disk(Value::from("d-1"), 1);
    let half = failing(disk(Value::from("d-1"), 3));
    let (result, asked) = applied(&prior, &config(2), Lifecycle::default(), vec![half]);
    assert_eq!(asked, ["update"]);
    assert!(!result.tainted);
    assert_eq!(result.saved.unmark_deep().0, disk(Value::from("d-1"), 3));
    let silent = AppliedResource::failed(Diagnostic::error("boom"));
    let (result, _) = applied(&prior, &config(2), Lifecycle::default(), vec![silent]);
    assert_eq!(result.saved.unmark_deep().0, prior);
}

#[test]
fn unknown_and_write_only_values_are_violations_and_not_saved() {
    let unknown = Value::object([
        ("id", Value::unknown(Type::String)),
        ("size", Value::from(1)),
        ("token", Value::null(Type::String)),
        ("key", Value::from("hunter2")),
    ]);
    let (result, _) = applied(&null(), &config(1), Lifecycle::default(), vec![AppliedResource::new(unknown)]);
    assert_eq!(kinds(&result), ["write_only_not_null", "unknown_after_apply"]);
    assert_eq!(result.saved.unmark_deep().0, disk(Value::null(Type::String), 1));
    assert!(!format!("{result:?}").contains("hunter2"));
}

#[test]
fn an_object_that_should_be_gone_is_kept() {
    let prior = disk(Value::from("d-1"), 1);
    let (result, asked) =
        applied(&prior, &null(), Lifecycle::default(), vec![AppliedResource::new(prior.clone())]);
    assert_eq!(asked, ["destroy"]);
    assert_eq!(kinds(&result), ["not_destroyed"]);
    assert_eq!(result.saved.unmark_deep().0, prior);
}

#[test]
fn a_replacement_destroys_and_creates_in_the_order_of_its_action() {
    let prior = disk(Value::from("d-1"), 1);
    let gone = || AppliedResource::new(null());
    let new = || AppliedResource::new(disk(Value::from("d-2"), 1));
    let replace = |create_before_destroy| Lifecycle {
        force_replace: true,
        create_before_destroy,
        ..Lifecycle::default()
    };

    let (result, asked) = applied(&prior, &config(1), replace(false), vec![gone(), new()]);
    assert_eq!(asked, ["destroy", "create"]);
    assert_eq!(result.saved.attribute("id"), Some(&Value::from("d-2")));

    let (result, asked) = applied(&prior, &config(1), replace(true), vec![new(), gone()]);
    assert_eq!(asked, ["create", "destroy"]);
    assert_eq!((result.saved.attribute("id"), result.deposed), (Some(&Value::from("d-2")), None));

    // The old object cannot be destroyed.
    let (result, asked) = applied(&prior, &config(1), replace(false), vec![failing(prior.clone())]);
    assert_eq!((asked, result.saved.unmark_deep().0), (vec!["destroy"], prior.clone()));
    let (result, _) = applied(&prior, &config(1), replace(true), vec![new(), failing(prior.clone())]);
    assert_eq!(result.deposed.map(|old| old.unmark_deep().0), Some(prior.clone()));

    // The new object cannot be created, or only half of it.
    let silent = AppliedResource::failed(Diagnostic::error("boom"));
    let (result, asked) = applied(&prior, &config(1), replace(true), vec![silent]);
    assert_eq!((asked, result.saved.unmark_deep().0), (vec!["create"], prior.clone()));
    assert!(!result.tainted && result.deposed.is_none());
    let half = failing(disk(Value::from("d-2"), 1));
    let (result, _) = applied(&prior, &config(1), replace(true), vec![half]);
    assert!(result.tainted && result.deposed.is_some());
}

#[test]
fn a_change_of_marks_alone_asks_nobody() {
    let prior = Value::object([("size", Value::from(1).sensitive())]);
    let prior = schema().coerce_config(&prior).unwrap();
    let (result, asked) = applied(&prior, &config(1), Lifecycle::default(), vec![]);
    assert!(asked.is_empty());
    assert_eq!(result.saved.unmark_deep().0, disk(Value::null(Type::String), 1));
}

#[test]
fn a_configuration_that_is_not_known_yet_cannot_be_applied() {
    let unknown = Value::object([("size", Value::unknown(Type::Number))]);
    let change =
        plan_change(&PlanRequest::new(&schema(), &null(), &unknown), &mut SimulatedProvider::default())
            .unwrap();
    let error = begin_apply(&ApplyRequest::new(&schema(), &change, &unknown)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "configuration: size: unknown; a change can be made when its configuration is wholly known"
    );
}
