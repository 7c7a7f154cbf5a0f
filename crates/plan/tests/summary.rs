//! The summary of documents, and what filters leave of it.

use objchange_plan::{Colour, Document, Filter, Options, Report, ResourceActions, Schemas};
use serde_json::{Value as Json, json};

fn summary(document: &Json, filter: &Filter) -> String {
    let (text, schemas) = (document.to_string(), Schemas::none());
    let document = Document::parse(&text).unwrap();
    let report = Report::of(&document, &schemas, &Options::default(), filter).unwrap();
    let mut out = Vec::new();
    report.write_summary(&mut out, Colour::Never).unwrap();
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
    let wanted = "Create (1)\n  + t.d\nRead (1)\n <= t.e\nUpdate (1)\n  ~ t.a\n\
                  Replace (3)\n+/- t.b\n-/+ t.c\n +/. t.g\nDestroy (1)\n  - t.f\nForget (1)\n  . t.h\n\
                  Move or import (1)\n    t.i: moved from t.z\n";
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>().join(" ");
    assert_eq!(words(&all), words(wanted));

    // Both kinds of filters must let a resource pass, and one of each kind is enough.
    let actions = [ResourceActions::Create, ResourceActions::Delete];
    let filter = Filter::default().actions(&actions);
    assert_eq!(summary(&plan, &filter), "Create (1)\n  + t.d\nDestroy (1)\n  - t.f\n");
    let filter = filter.address("t.f").address("t.a");
    assert_eq!(summary(&plan, &filter), "Destroy (1)\n  - t.f\n");
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
        assert_eq!(summary(&plan, &Filter::default()), format!("Destroy (1)\n  - t.a{words}\n"));
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
    assert_eq!(summary(&plan, &Filter::default()), "Outputs (1)\n  ~ port\n");
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
