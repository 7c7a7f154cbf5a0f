//! The library serialises changes as `schema/change.schema.json` describes.

use objchange::change::{
    AppliedResource, ApplyRequest, DeferredReason, Diagnostic, Lifecycle, PlanRequest, PlanResourceChange,
    PlannedResource, apply_change, plan_change,
};
use objchange::schema::{Attribute, Block};
use objchange::value::Path;
use objchange::{Type, Value};
use serde_json::json;

use crate::schemas::{check, refused, validator};

fn schema() -> Block {
    Block::new(
        [
            ("id", Attribute::computed(Type::String)),
            ("size", Attribute::optional(Type::Number)),
            ("tags", Attribute::optional(Type::map(Type::String)).sensitive()),
        ],
        [],
    )
}

fn object(size: i64) -> Value {
    let tags = Value::object([("Owner", "hunter2")]);
    schema().coerce_value(&Value::object([("size", Value::from(size)), ("tags", tags)])).unwrap()
}

/// The JSON of a plan, and of its apply, each validated.
fn written(
    [prior, config]: [&Value; 2],
    lifecycle: Lifecycle,
    change: impl Fn(&mut PlannedResource),
    new_state: Option<&Value>,
) -> [serde_json::Value; 2] {
    let validator = validator("change.schema.json");
    let schema = schema();
    let mut request = PlanRequest::new(&schema, prior, config);
    (request.lifecycle, request.deferral_allowed) = (lifecycle, true);
    let mut plans = |asked: &PlanResourceChange| {
        let mut answer = PlannedResource::new(asked.proposed.clone());
        change(&mut answer);
        Ok(answer)
    };
    let planned = plan_change(&request, &mut plans).unwrap();
    let applied = apply_change(&ApplyRequest::new(&schema, &planned, config), &mut |asked| {
        let mut answer = AppliedResource::new(asked.planned.clone());
        if let Some(new_state) = new_state {
            answer.new_state = Some(new_state.clone());
        }
        answer.diagnostics.push(Diagnostic::warning("done"));
        Ok(answer)
    });
    let written = [json!(planned), json!(applied.unwrap())];
    for json in &written {
        check(&validator, json);
        assert!(!json.to_string().contains("hunter2") && !json.to_string().contains("Owner"), "{json}");
    }
    written
}

#[test]
fn that_keep_the_contract() {
    let nothing = Value::null(schema().implied_type().clone());
    let none = Lifecycle::default;
    let [planned, applied] = written([&nothing, &object(1)], none(), |_| {}, None);
    assert_eq!((&planned["action"], &planned["before"]), (&json!("create"), &json!(null)));
    let saved = json!({"id": null, "size": 1, "tags": {"$sensitive": "(sensitive value)"}});
    assert_eq!((&planned["after"], &applied["saved"]), (&saved, &saved));
    assert_eq!(applied["diagnostics"], json!([{"severity": "warning", "summary": "done", "detail": ""}]));

    let defers = |answer: &mut PlannedResource| {
        answer.deferred = Some(DeferredReason::AbsentPrerequisite);
        answer.identity = Some(Value::object([("arn", "a")]));
        let mut warning = Diagnostic::warning("not yet");
        warning.path = Some(Path::root().attribute("tags").index("Owner"));
        answer.diagnostics.push(warning);
    };
    let [planned, _] = written([&object(1), &object(2)], none(), defers, None);
    let said = (&planned["action"], &planned["deferred"], &planned["identity"]);
    assert_eq!(said, (&json!("update"), &json!("absent_prereq"), &json!({"arn": "a"})));
    let path = json!([{"attr": "tags"}, {"index": "(sensitive value)"}]);
    assert_eq!(planned["diagnostics"][0]["path"], path);

    for (lifecycle, kind) in [
        (Lifecycle { tainted: true, ..none() }, "tainted"),
        (Lifecycle { force_replace: true, create_before_destroy: true, ..none() }, "requested"),
        (none(), "cannot_update"),
    ] {
        let replaces = |answer: &mut PlannedResource| {
            answer.requires_replace = vec![Path::root().attribute("size")];
        };
        let [planned, _] = written([&object(1), &object(2)], lifecycle, replaces, None);
        assert_eq!(planned["replace_reason"]["kind"], kind);
    }
    refused(&validator("change.schema.json"), &json!({"action": "divine"}));
}

#[test]
fn that_break_the_contract() {
    let plans_more = |answer: &mut PlannedResource| {
        answer.planned = object(3);
        answer.legacy_type_system = true;
    };
    let objects = [&object(1), &object(2)];
    let [planned, applied] = written(objects, Lifecycle::default(), plans_more, Some(&object(4)));
    assert_eq!(
        planned["violations"],
        json!([{
            "path": [{"attr": "size"}],
            "kind": "not_config_nor_prior",
            "message": "size: the planned value (3) is neither the configured one (2) nor the prior one (1)",
            "prior": 1, "config": 2, "planned": 3,
        }])
    );
    assert_eq!(
        applied["violations"],
        json!([{
            "path": [{"attr": "size"}],
            "kind": "value_changed",
            "message": "size: was planned as (3), but is (4)",
            "planned": 3, "actual": 4,
        }])
    );

    let other = |answer: &mut PlannedResource| answer.planned = Value::object([("size", 1)]);
    let [planned, _] = written([&object(1), &object(1)], Lifecycle::default(), other, None);
    assert_eq!(planned["violations"][0]["kind"], "wrong_type");

    let lifecycle = Lifecycle { force_replace: true, create_before_destroy: true, ..Lifecycle::default() };
    let [_, applied] = written([&object(1), &object(1)], lifecycle, |_| {}, Some(&object(1)));
    assert_eq!(applied["violations"][0]["kind"], "not_destroyed");
    assert_eq!(applied["deposed"]["size"], 1);
}
