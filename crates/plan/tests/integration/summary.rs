//! The summary of documents, and what filters leave of it.

use objchange_document::changes::ResourceActions;
use objchange_document::{Document, Schemas};
use objchange_plan::render::GroupBy;
use objchange_plan::{Colour, Filter, Options, Report};
use serde_json::{Value as Json, json};

fn summary(document: &Json, filter: &Filter) -> String {
    grouped(document, filter, GroupBy::Action)
}

fn grouped(document: &Json, filter: &Filter, group_by: GroupBy) -> String {
    let (text, schemas) = (document.to_string(), Schemas::none());
    let document = Document::parse(&text).unwrap();
    let report = Report::new(&document, &schemas, &Options::default(), filter).unwrap();
    let mut out = Vec::new();
    report.write_summary(&mut out, Colour::Never, group_by).unwrap();
    String::from_utf8(out).unwrap()
}

fn resource(address: &str, actions: &[&str], more: &Json) -> Json {
    let mode = if actions == ["read"] { "data" } else { "managed" };
    let (before, after) = match actions {
        ["create" | "read"] => (json!(null), json!({})),
        ["delete" | "forget"] => (json!({}), json!(null)),
        _ => (json!({"a": 1}), json!({"a": 2})),
    };
    let mut resource = json!({
        "address": address, "mode": mode, "type": "t", "name": address, "provider_name": "p",
        "change": {"actions": actions, "before": before, "after": after},
    });
    resource.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    resource
}

/// Plans with one resource for each of these.
fn plan(resources: &[(&[&str], Json)]) -> Json {
    let resources = resources.iter().enumerate().map(|(i, (actions, more))| {
        let address = format!("t.{}", char::from(b'a' + i as u8));
        resource(&address, actions, more)
    });
    json!({"format_version": "1.2", "resource_changes": resources.collect::<Vec<_>>()})
}

#[test]
fn has_a_group_for_each_action() {
    let none = json!({});
    let plan = plan(&[
        (&["update"], none.clone()),
        (&["create", "delete"], none.clone()),
        (&["delete", "create"], none.clone()),
        (&["create"], none.clone()),
        (&["read"], none.clone()),
        (&["delete"], none.clone()),
        (&["create", "forget"], none.clone()),
        (&["forget"], none.clone()),
        (&["no-op"], json!({"previous_address": "t.z"})),
    ]);
    let all = summary(&plan, &Filter::default());
    let wanted = "Destroy (1)\n  - t.f\nReplace (3)\n+/- t.b\n-/+ t.c\n +/. t.g\nForget (1)\n  . t.h\nUpdate (1)\n  ~ t.a\n\
                  Create (1)\n  + t.d\nRead (1)\n <= t.e\nMove or import (1)\n    t.i: moved from t.z\n\
                  Total: 1 to destroy, 3 to replace, 1 to forget, 1 to update, 1 to create, 1 to read, 1 to move.\n";
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
    assert_eq!(words(&all), words(wanted));

    // Both kinds of filters must let a resource pass, and one of each kind is enough.
    let actions = [ResourceActions::Create, ResourceActions::Delete];
    let filter = Filter::default().actions(&actions);
    assert_eq!(
        summary(&plan, &filter),
        "Destroy (1)\n  - t.f\nCreate (1)\n  + t.d\nTotal: 1 to destroy, 1 to create.\nOnly what was chosen is counted.\n"
    );
    let filter = filter.address("t.f").address("t.a");
    assert_eq!(
        summary(&plan, &filter),
        "Destroy (1)\n  - t.f\nTotal: 1 to destroy.\nOnly what was chosen is counted.\n"
    );
    assert!(!filter.is_all() && Filter::default().is_all());
    assert!(filter.matches_place("t.a", "t") && !filter.matches_place("t.d", "t"));
    let none = Filter::default().address("u.*");
    assert_eq!(summary(&plan, &none), "\nNo resource with changes matches.\n");
}

#[test]
fn says_why_in_a_few_words() {
    for (reason, words) in [
        ("replace_because_cannot_update", ""),
        ("replace_because_tainted", ": tainted"),
        ("replace_by_request", ": as requested"),
        ("replace_by_triggers", ": replace_triggered_by"),
        ("delete_because_no_resource_config", ": not in configuration"),
        ("delete_because_no_module", ": its module is not in configuration"),
        ("delete_because_no_move_target", ": moved to what is not in configuration"),
        ("delete_because_wrong_repetition", ": count or for_each came or went"),
        ("delete_because_count_index", ": index out of range for count"),
        ("delete_because_each_key", ": key not in for_each map"),
        ("read_because_config_unknown", ": config refers to values not yet known"),
        ("read_because_dependency_pending", ": depends on changes pending"),
        ("read_because_check_nested", ": to verify a check block"),
        ("delete_because_of_a_later_version", ": delete because of a later version"),
    ] {
        let plan = plan(&[(&["delete"], json!({"action_reason": reason}))]);
        assert_eq!(
            summary(&plan, &Filter::default()),
            format!("Destroy (1)\n  - t.a{words}\nTotal: 1 to destroy.\n")
        );
    }
    let change = |actions: &[&str], importing: Json| {
        let sides = json!({"a": 1});
        json!({"actions": actions, "before": sides, "after": sides, "importing": importing})
    };
    let plan = plan(&[
        (&["no-op"], json!({"change": change(&["no-op"], json!({"id": "i-1"}))})),
        (&["update"], json!({"deposed": "0a", "change": change(&["update"], json!({}))})),
    ]);
    let shown = summary(&plan, &Filter::default());
    assert!(shown.contains("t.a: imported from \"i-1\"\n"), "{shown}");
    assert!(shown.contains("t.b (deposed object 0a): imported\n"), "{shown}");
}

#[test]
fn of_outputs_and_of_states() {
    let mut plan = plan(&[]);
    let output = json!({"actions": ["update"], "before": 1, "after": 2, "after_unknown": false});
    plan["output_changes"] = json!({"port": output});
    assert_eq!(summary(&plan, &Filter::default()), "Outputs (1)\n  ~ port\nTotal: 1 output to change.\n");
    // Outputs have no address.
    assert_eq!(summary(&plan, &Filter::default().address("*")), "\nNo resource with changes matches.\n");
    let nothing = json!({"format_version": "1.2", "resource_changes": []});
    assert_eq!(summary(&nothing, &Filter::default()), "Nothing changes.\n");

    let resource = |address: &str, more: Json| {
        let mut resource = json!({
            "address": address, "mode": "managed", "type": "t", "name": "a", "provider_name": "p",
            "schema_version": 0, "values": {},
        });
        resource.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        resource
    };
    let resources =
        [resource("t.a", json!({"tainted": true})), resource("t.a", json!({"deposed_key": "0a"}))];
    let state = json!({"format_version": "1.0", "values": {"root_module": {"resources": resources}}});
    let shown = summary(&state, &Filter::default());
    assert!(shown.contains("t.a: tainted\n") && shown.contains("t.a (deposed object 0a)\n"), "{shown}");
    assert_eq!(summary(&state, &Filter::default().address("u.*")), "\nNo resource matches.\n");
    let empty = json!({"format_version": "1.0"});
    assert_eq!(summary(&empty, &Filter::default()), "There are no resources.\n");
}

/// A plan with drift, deferred changes, actions and modules.
fn plan_of_all() -> Json {
    let none = json!({});
    let within = |address: &str, ty: &str, actions: &[&str], module: &str| {
        resource(address, actions, &json!({"type": ty, "module_address": module}))
    };
    let trigger = |event: &str, address: &str| json!({"triggering_resource_address": address, "action_trigger_event": event});
    json!({
        "format_version": "1.2", "terraform_version": "1.16.0",
        "resource_changes": [
            resource("t.a", &["create"], &none),
            within("module.m.t.b", "t", &["update"], "module.m"),
            within("module.m.u.c", "u", &["delete"], "module.m"),
            within("module.n.u.d", "u", &["delete", "create"], "module.n"),
            resource("t.same", &["no-op"], &none),
        ],
        // Not relevant, and a move that is not a drift.
        "resource_drift": [resource("t.e", &["update"], &none), resource("t.f", &["no-op"], &none)],
        "deferred_changes": [{"reason": "deferred_prereq", "resource_change": resource("t.g", &["create"], &none)}],
        "action_invocations": [
            {"address": "action.x.a", "type": "x", "name": "a", "lifecycle_action_trigger": trigger("AfterCreate", "t.a")},
            {"address": "action.x.b", "type": "x", "name": "b", "lifecycle_action_trigger": trigger("BeforeX", "t.a")},
            {"address": "action.x.c", "type": "x", "name": "c", "invoke_action_trigger": {}},
        ],
        "output_changes": {"o": {"actions": ["create"], "before": null, "after": 1, "after_unknown": false}},
    })
}

const OTHERS: &str = "Deferred (1)\n  + t.g: deferred prereq\nOutputs (1)\n  + o\nActions (3)\n    action.x.a: after t.a\n    \
                      action.x.b: because of t.a\n    action.x.c: as requested\nChanged outside (1)\n  ~ t.e\nTotal: 1 to \
                      destroy, 1 to replace, 1 to update, 1 to create, 1 left to the next plan, 1 output to change, 3 \
                      actions to invoke, 1 changed outside.\n";

#[test]
fn resources_are_grouped_by_what_is_asked_for() {
    let plan = plan_of_all();
    for (group_by, groups) in [
        (
            GroupBy::Action,
            "Destroy (1)\n  - module.m.u.c\nReplace (1)\n-/+ module.n.u.d\nUpdate (1)\n  ~ module.m.t.b\nCreate (1)\n  + t.a\n",
        ),
        (
            GroupBy::Module,
            "module.m (2)\n  - module.m.u.c\n  ~ module.m.t.b\nmodule.n (1)\n-/+ module.n.u.d\n(root module) (1)\n  + t.a\n",
        ),
        (GroupBy::Type, "u (2)\n  - module.m.u.c\n-/+ module.n.u.d\nt (2)\n  ~ module.m.t.b\n  + t.a\n"),
    ] {
        assert_eq!(grouped(&plan, &Filter::default(), group_by), format!("{groups}{OTHERS}"));
    }
    let drift = grouped(&plan, &Filter::default().only_drift(), GroupBy::Action);
    let expected = "Changed outside (1)\n  ~ t.e\nTotal: nothing to change, 1 changed outside.\nOnly what was chosen is counted.\n";
    assert_eq!(drift, expected);
}

#[test]
fn counts_are_of_what_is_chosen() {
    let (text, schemas) = (plan_of_all().to_string(), Schemas::none());
    let document = Document::parse(&text).unwrap();
    let counts =
        |filter: &Filter| Report::new(&document, &schemas, &Options::default(), filter).unwrap().counts;
    let all = counts(&Filter::default());
    assert_eq!((all.create, all.update, all.delete, all.replace, all.defer, all.drift), (1, 1, 1, 1, 1, 1));
    assert_eq!((all.invoke, all.outputs, all.unknown, all.r#move), (3, 1, 0, 0));
    let some = counts(&Filter::default().module("module.m"));
    assert_eq!((some.create, some.update, some.delete, some.replace, some.drift), (0, 1, 1, 0, 0));
    assert_eq!((some.invoke, some.outputs), (0, 0));
}

#[test]
fn what_does_not_say_what_happens_is_no_plan() {
    for change in
        [json!({"before": null, "after": {}}), json!({"actions": []}), json!({"actions": ["delete", null]})]
    {
        let mut plan = plan(&[(&["create"], json!({}))]);
        plan["resource_changes"][0]["change"] = change;
        let error = Document::parse(&plan.to_string()).unwrap_err().to_string();
        assert!(error.contains("resource_changes[0]: ") && error.contains("actions"), "{error}");
    }
}
