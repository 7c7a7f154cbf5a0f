//! Infers the mode of plans from their content.

use objchange_document::{Plan, PlanMode};
use serde_json::{Value as Json, json};

#[track_caller]
fn check(members: &Json, expected: PlanMode) {
    let mut plan = json!({"format_version": "1.2", "complete": true, "errored": false});
    plan.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    let text = plan.to_string();
    assert_eq!(PlanMode::detect(&Plan::parse(&text).unwrap()), expected, "{text}");
}

fn resource(actions: &str) -> Json {
    json!({"address": "t.a", "mode": "managed", "type": "t", "name": "a", "change": {"actions": [actions]}})
}

/// A state in which there is something, in a module.
fn state() -> Json {
    let module =
        json!({"address": "module.m", "resources": [{"address": "module.m.t.a", "mode": "managed"}]});
    json!({"format_version": "1.0", "values": {"root_module": {"child_modules": [module]}}})
}

/// A configuration that would make something.
fn declared(call: &Json) -> Json {
    let resource = json!({"address": "t.a", "mode": "managed", "type": "t", "name": "a"});
    let mut call = call.clone();
    call["module"] = json!({"resources": [resource]});
    json!({"root_module": {"module_calls": {"m": call}}})
}

fn output(actions: &str) -> Json {
    json!({"o": {"actions": [actions]}})
}

#[test]
fn a_refresh_alone_has_actions_that_were_asked_for_or_drift_that_is_none() {
    check(&json!({"action_invocations": [{"invoke_action_trigger": {}}]}), PlanMode::RefreshOnly);
    check(&json!({"action_invocations": [{"lifecycle_action_trigger": {}}]}), PlanMode::Normal);
    check(&json!({"resource_drift": [resource("no-op")]}), PlanMode::RefreshOnly);
    check(&json!({"resource_drift": [resource("update")]}), PlanMode::Normal);
}

#[test]
fn other_plans_list_what_there_was() {
    check(&json!({"prior_state": state()}), PlanMode::RefreshOnly);
    check(&json!({"prior_state": state(), "resource_changes": [resource("no-op")]}), PlanMode::Normal);
    let deferred = json!([{"reason": "x", "resource_change": resource("update")}]);
    check(&json!({"prior_state": state(), "deferred_changes": deferred}), PlanMode::Normal);
    check(&json!({"prior_state": state(), "errored": true}), PlanMode::Normal);
    check(&json!({"prior_state": state(), "complete": false}), PlanMode::RefreshOnly);
    check(&json!({"complete": false}), PlanMode::Normal);
}

#[test]
fn other_plans_than_those_to_destroy_list_the_outputs_that_are_declared() {
    let configuration = json!({"root_module": {"outputs": {"o": {}}}});
    check(&json!({"configuration": configuration}), PlanMode::Destroy);
    check(&json!({"configuration": configuration, "output_changes": output("delete")}), PlanMode::Destroy);
    check(&json!({"configuration": configuration, "output_changes": output("no-op")}), PlanMode::Normal);
    check(&json!({"configuration": configuration, "complete": false}), PlanMode::Normal);
}

#[test]
fn only_a_refresh_alone_saves_what_no_change_would() {
    check(&json!({"applyable": false, "output_changes": output("update")}), PlanMode::RefreshOnly);
    check(&json!({"applyable": true, "output_changes": output("update")}), PlanMode::Normal);
    check(&json!({"applyable": true, "resource_drift": [resource("delete")]}), PlanMode::RefreshOnly);
    check(&json!({"applyable": false, "resource_drift": [resource("delete")]}), PlanMode::Normal);
}

#[test]
fn a_normal_plan_would_create_what_is_declared_once() {
    check(&json!({"configuration": declared(&json!({}))}), PlanMode::Destroy);
    let outputs = output("no-op");
    check(&json!({"configuration": declared(&json!({})), "output_changes": outputs}), PlanMode::RefreshOnly);
    check(&json!({"configuration": declared(&json!({"count_expression": {}}))}), PlanMode::Normal);
    check(&json!({"configuration": {"root_module": {"resources": [{"mode": "data"}]}}}), PlanMode::Normal);
}

#[test]
fn parts_that_are_nothing_that_can_be_read_tell_nothing() {
    for part in [json!({}), json!({"root_module": [1]}), json!({"values": "x"})] {
        check(&json!({"prior_state": part, "configuration": part}), PlanMode::Normal);
    }
}
