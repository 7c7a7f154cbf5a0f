//! Two plans compared, and the hash of one.

mod hash;
mod laws;

use std::path::Path;
use std::slice::from_ref;

use objchange_document::{Plan, Schemas};
use objchange_plan::compare::{CompareOptions, DifferenceKind, ShownValue};
use objchange_plan::render::MarkdownOptions;
use objchange_plan::{Colour, Comparison};
use serde_json::{Value, json};

const NAMES: [&str; 2] = ["approved.json", "now.json"];

fn example(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/approval");
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// Writes what differs in the plans of the example.
fn written(write: impl Fn(&Comparison<'_>, &mut Vec<u8>)) -> String {
    let texts = NAMES.map(example);
    let [a, b] = texts.each_ref().map(|text| Plan::parse(text).unwrap());
    let schemas = Schemas::parse(example("schemas.json")).unwrap();
    let comparison = Comparison::new(&a, &b, &schemas, &CompareOptions::default()).unwrap();
    let mut out = Vec::new();
    write(&comparison, &mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn the_example_as_text() {
    insta::assert_snapshot!(written(|it, out| it.write_text(out, Colour::Never, NAMES).unwrap()));
}

#[test]
fn the_example_as_json() {
    insta::assert_snapshot!(written(|it, out| it.write_json(out, NAMES).unwrap()));
}

#[test]
fn the_example_as_markdown() {
    let options = MarkdownOptions { marker: Some("approval"), ..MarkdownOptions::default() };
    insta::assert_snapshot!(written(|it, out| it.write_markdown(out, &options, NAMES).unwrap()));
}

#[test]
fn a_page_that_is_too_long_says_what_it_lacks() {
    let options = MarkdownOptions { max_length: 900, title: Some("a *b*"), ..MarkdownOptions::default() };
    let page = written(|it, out| it.write_markdown(out, &options, NAMES).unwrap());
    assert!(page.encode_utf16().count() <= 900, "{page}");
    assert!(page.starts_with("## a `*b*`: The plans differ: "), "{page}");
    assert!(page.contains("**Left out, to stay within 900 characters: "), "{page}");
    assert!(page.contains("run `objchange diff` for the rest."), "{page}");
    // Expected differences are left out first.
    assert!(page.contains("aws_s3_bucket.old") && !page.contains("aws_vpc.main"), "{page}");
}

/// A plan with these changes of resources.
pub(crate) fn plan(resources: &[Value]) -> Value {
    json!({"format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": resources})
}

/// A change of a resource.
#[expect(clippy::needless_pass_by_value, reason = "they are made where they are passed")]
pub(crate) fn resource(address: &str, actions: &[&str], before: Value, after: Value) -> Value {
    let parts: Vec<&str> = address.rsplitn(3, '.').collect();
    json!({"address": address, "mode": "managed", "type": parts[1], "name": parts[0], "provider_name": "p",
        "change": {"actions": actions, "before": before, "after": after, "after_unknown": {},
        "before_sensitive": false, "after_sensitive": {}}})
}

/// The comparison as text, without its first lines.
#[track_caller]
pub(crate) fn diff(a: &Value, b: &Value, options: &CompareOptions, schemas: &Schemas) -> String {
    let texts = [a, b].map(Value::to_string);
    let [a, b] = texts.each_ref().map(|text| Plan::parse(text).unwrap());
    let comparison = Comparison::new(&a, &b, schemas, options).unwrap();
    let mut out = Vec::new();
    comparison.write_text(&mut out, Colour::Never, ["a", "b"]).unwrap();
    let text = String::from_utf8(out).unwrap();
    match comparison.is_same() {
        true => text,
        false => text.splitn(5, '\n').nth(4).unwrap().to_owned(),
    }
}

#[track_caller]
fn check(a: &[Value], b: &[Value], expected: &str) {
    check_with(a, b, &CompareOptions::default(), expected);
}

#[track_caller]
fn check_with(a: &[Value], b: &[Value], options: &CompareOptions, expected: &str) {
    assert_eq!(diff(&plan(a), &plan(b), options, &Schemas::none()), expected);
}

fn update(before: Value, after: Value) -> Value {
    resource("t.r", &["update"], before, after)
}

#[test]
fn plans_that_do_the_same() {
    let one = update(json!({"a": 1}), json!({"a": 2}));
    check(from_ref(&one), from_ref(&one), "Both plans do the same: 1 change.\n");
    check(&[], &[], "Both plans do the same: nothing.\n");
    // A no-op is ignored, whatever its values are.
    let stays = |size: u32| resource("t.s", &["no-op"], json!({"a": size}), json!({"a": size}));
    check(&[one.clone(), stays(1)], &[stays(2), one.clone()], "Both plans do the same: 1 change.\n");
    check(&[one.clone(), stays(1)], from_ref(&one), "Both plans do the same: 1 change.\n");
    // Neither do reasons, and null attributes of the object.
    let mut other = update(json!({"a": 1.0, "b": null}), json!({"a": 2e0}));
    other["action_reason"] = json!("x");
    other["change"]["replace_paths"] = json!([["a"]]);
    check(&[one], &[other], "Both plans do the same: 1 change.\n");
}

#[test]
fn values_are_expected_only_where_they_were_unknown() {
    let unknown = |before: Value, after: Value, unknown: Value| {
        let mut one = update(before, after);
        one["change"]["after_unknown"] = unknown;
        one
    };
    let a = unknown(json!({}), json!({"list": ["x", null]}), json!({"id": true, "list": [false, true]}));
    let b = unknown(json!({}), json!({"id": "i", "list": ["x", "y"]}), json!({}));
    check(
        from_ref(&a),
        from_ref(&b),
        "As expected (1)\n~ t.r: update\n~     id: (known after apply) in A, \"i\" in B\n~     list[1]: (known after apply) in A, \"y\" in B\n",
    );
    check(
        &[b],
        from_ref(&a),
        "Different values (1)\n! t.r: update\n!     id: \"i\" in A, (known after apply) in B\n!     list[1]: \"y\" in A, (known after apply) in B\n",
    );
    // An attribute that turns out to be null, and a list that turns out to be longer.
    let b = unknown(json!({}), json!({"id": null, "list": ["x", "y", "z"]}), json!({}));
    check(
        &[a],
        &[b],
        "Different values (1)\n! t.r: update\n~     id: (known after apply) only in A\n~     list[1]: (known after apply) in A, \"y\" in B\n+     list[2]: \"z\" only in B\n",
    );
}

#[test]
fn null_is_neither_absent_nor_unknown_within_an_object() {
    check(
        &[update(json!({}), json!({"m": {"k": null}}))],
        &[update(json!({}), json!({"m": {}}))],
        "Different values (1)\n! t.r: update\n-     m.k: null only in A\n",
    );
    let mut unknown = update(json!({}), json!({"m": {}}));
    unknown["change"]["after_unknown"] = json!({"m": {"k": true}});
    check(
        &[update(json!({}), json!({"m": {"k": null}}))],
        &[unknown],
        "Different values (1)\n! t.r: update\n!     m.k: null in A, (known after apply) in B\n",
    );
}

#[test]
fn actions_moves_imports_and_providers() {
    let object = || json!({"id": "i"});
    let a = resource("t.r", &["update"], object(), json!({"id": "j"}));
    let mut moved = resource("t.new", &["update"], object(), json!({"id": "j"}));
    moved["previous_address"] = json!("t.r");
    check(
        from_ref(&a),
        from_ref(&moved),
        "Different actions (1)\n! t.new (t.r in A): update in A; update, moved from t.r in B\n",
    );
    check(
        &[moved],
        from_ref(&a),
        "Different actions (1)\n! t.r (t.new in A): update, moved from t.r in A; update in B\n",
    );
    let stays = resource("t.r", &["no-op"], object(), object());
    check(&[stays], from_ref(&a), "Different actions (1)\n! t.r: no change in A, update in B\n");
    let replace = resource("t.r", &["create", "delete"], object(), json!({"id": "k"}));
    check(
        from_ref(&a),
        &[replace],
        "Different actions (1)\n! t.r: update in A; replace, creating first in B\n!     id: \"j\" in A, \"k\" in B\n",
    );
    let mut other = a.clone();
    other["provider_name"] = json!("q");
    check(&[a], &[other], "Different actions (1)\n! t.r: update, by p in A; update, by q in B\n");
    let import = |importing: Value| {
        let mut one = resource("t.r", &["no-op"], object(), object());
        one["change"]["importing"] = importing;
        one
    };
    check(
        &[import(json!({"id": "x"}))],
        &[import(json!({"id": "y"}))],
        "Different actions (1)\n! t.r: no change, imported from \"x\" in A; no change, imported from \"y\" in B\n",
    );
    check(
        &[import(json!({"unknown": true}))],
        &[import(json!({"id": "y"}))],
        "As expected (1)\n~ t.r: no change, imported in A; no change, imported from \"y\" in B\n",
    );
}

#[test]
fn objects_before_count_too() {
    let delete = |id: &str| resource("t.r", &["delete"], json!({"id": id}), Value::Null);
    check(
        &[delete("i")],
        &[delete("j")],
        "Different values (1)\n! t.r: destroy\n!     id (before): \"i\" in A, \"j\" in B\n",
    );
    check(
        &[update(json!({"id": "i", "a": 1}), json!({"id": "i", "a": 2}))],
        &[update(json!({"id": "j", "a": 0}), json!({"id": "j", "a": 2}))],
        "Different values (1)\n! t.r: update\n!     id (before and after): \"i\" in A, \"j\" in B\n!     a (before): 1 in A, 0 in B\n",
    );
}

#[test]
fn secrets_are_compared_and_not_shown() {
    let secret = |value: &str, marks: Value| {
        let mut one = update(json!({}), json!({"password": value, "nested": {"pin": [value]}}));
        one["change"]["after_sensitive"] = marks;
        one
    };
    let marks = json!({"password": true, "nested": {"pin": [true]}});
    check(
        &[secret("hunter2", marks.clone())],
        &[secret("hunter3", marks.clone())],
        "Different values (1)\n! t.r: update\n!     nested.pin[0]: (sensitive value) differs\n!     password: (sensitive value) differs\n",
    );
    // That it is sensitive is a part of what is done, and what one plan hides the other one does not tell.
    check(
        &[secret("hunter2", marks.clone())],
        &[secret("hunter2", json!({"nested": {"pin": [true]}}))],
        "Different values (1)\n! t.r: update\n!     password: (sensitive value) differs\n",
    );
    let mut unknown = update(json!({}), json!({"nested": {"pin": ["hunter2"]}}));
    unknown["change"]["after_sensitive"] = marks.clone();
    unknown["change"]["after_unknown"] = json!({"password": true});
    check(
        &[unknown],
        &[secret("hunter2", marks)],
        "As expected (1)\n~ t.r: update\n~     password: (sensitive value), known only in B\n",
    );
}

fn set_schemas() -> Schemas {
    let rule = json!({"attributes": {"port": {"type": "number", "optional": true}, "cidr": {"type": "string", "optional": true},
        "name": {"type": "string", "optional": true}}});
    let block = json!({"attributes": {"tags": {"type": ["set", "string"], "optional": true}},
        "block_types": {"rule": {"nesting_mode": "set", "block": rule}}});
    let schemas =
        json!({"provider_schemas": {"p": {"resource_schemas": {"t": {"version": 0, "block": block}}}}});
    Schemas::parse(schemas.to_string()).unwrap()
}

#[test]
fn sets_have_no_order_and_their_elements_are_paired_by_likeness() {
    let rule = |name: &str, port: u32, cidr: &str| json!({"cidr": cidr, "name": name, "port": port});
    let a = plan(&[update(
        json!({}),
        json!({"tags": ["x", "y", "z"], "rule": [rule("a", 1, "c"), rule("b", 2, "c"), rule("c", 3, "d")]}),
    )]);
    let same = plan(&[update(
        json!({}),
        json!({"tags": ["z", "x", "y"], "rule": [rule("c", 3, "d"), rule("a", 1, "c"), rule("b", 2, "c")]}),
    )]);
    let schemas = set_schemas();
    let options = CompareOptions::default();
    assert_eq!(diff(&a, &same, &options, &schemas), "Both plans do the same: 1 change.\n");
    assert!(diff(&a, &same, &options, &Schemas::none()).contains("tags[0]: \"x\" in A, \"z\" in B"));
    let other = plan(&[update(
        json!({}),
        json!({"tags": ["y", "w", "x"], "rule": [rule("b", 9, "c"), rule("a", 1, "c"), rule("n", 7, "m")]}),
    )]);
    assert_eq!(
        diff(&a, &other, &options, &schemas),
        "Different values (1)\n! t.r: update\n\
         !     rule[name = \"b\", cidr = \"c\"].port: 2 in A, 9 in B\n\
         -     rule[*]: {cidr = \"d\", name = \"c\", port = 3} only in A\n\
         +     rule[*]: {cidr = \"m\", name = \"n\", port = 7} only in B\n\
         -     tags[*]: \"z\" only in A\n+     tags[*]: \"w\" only in B\n"
    );
    // An unknown element may be any, also one that is there already.
    let mut unknown = plan(&[update(json!({}), json!({"tags": ["x", null, null]}))]);
    unknown["resource_changes"][0]["change"]["after_unknown"] = json!({"tags": [false, true, true]});
    let known = plan(&[update(json!({}), json!({"tags": ["x", "y"]}))]);
    assert_eq!(
        diff(&unknown, &known, &options, &schemas),
        "As expected (1)\n~ t.r: update\n~     tags[*]: (known after apply) in A, \"y\" in B\n~     tags[*]: (known after apply) only in A\n"
    );
}

#[test]
fn very_large_sets_are_not_paired_and_that_is_said() {
    let rules = |start: u32| {
        let rules: Vec<Value> = (start..start + 101).map(|port| json!({"name": "n", "port": port})).collect();
        plan(&[update(json!({}), json!({"rule": rules}))])
    };
    let text = diff(&rules(0), &rules(1000), &CompareOptions::default(), &set_schemas());
    assert!(
        text.contains(
            "!     rule: too many elements to pair, 101 only in A and 101 only in B\n-     rule[*]: {"
        ),
        "{text}"
    );
}

#[test]
fn lists_are_aligned_at_both_ends() {
    let list = |elements: &[&str]| update(json!({}), json!({"l": elements}));
    check(
        &[list(&["a", "b", "c"])],
        &[list(&["a", "x", "b", "c"])],
        "Different values (1)\n! t.r: update\n+     l[1]: \"x\" only in B\n",
    );
    check(
        &[list(&["a", "b", "c"])],
        &[list(&["a", "y", "c"])],
        "Different values (1)\n! t.r: update\n!     l[1]: \"b\" in A, \"y\" in B\n",
    );
}

#[test]
fn drift_counts_in_plans_that_change_no_resource() {
    let drift = |size: u32, changes: &[Value]| {
        let mut plan = plan(changes);
        plan["resource_drift"] = json!([update(json!({"a": 1}), json!({"a": size}))]);
        plan
    };
    let stays = resource("t.s", &["no-op"], json!({}), json!({}));
    let none = (CompareOptions::default(), Schemas::none());
    assert_eq!(
        diff(&drift(2, from_ref(&stays)), &drift(3, &[stays]), &none.0, &none.1),
        "Changed outside (1)\n! t.r: update\n!     a: 2 in A, 3 in B\n"
    );
    let create = resource("t.s", &["create"], Value::Null, json!({}));
    assert_eq!(
        diff(&drift(2, from_ref(&create)), &drift(3, &[create]), &none.0, &none.1),
        "Both plans do the same: 1 change.\n"
    );
}

#[test]
fn outputs_actions_and_deferred_changes() {
    let with = |key: &str, value: Value| {
        let mut plan = plan(&[]);
        plan[key] = value;
        plan
    };
    let none = (CompareOptions::default(), Schemas::none());
    let output = |actions: &[&str], after: Value| {
        with(
            "output_changes",
            json!({"o": {"actions": actions, "before": null, "after": after, "after_unknown": false,
            "before_sensitive": false, "after_sensitive": false}}),
        )
    };
    assert_eq!(
        diff(&output(&["create"], json!("x")), &output(&["create"], json!("y")), &none.0, &none.1),
        "Outputs (1)\n! o: create\n!     value: \"x\" in A, \"y\" in B\n"
    );
    assert_eq!(
        diff(&output(&["create"], json!("x")), &plan(&[]), &none.0, &none.1),
        "Outputs (1)\n- o: create, only in A\n"
    );
    let action = |event: &str| {
        with(
            "action_invocations",
            json!([{"address": "action.t.a", "type": "t", "name": "a", "provider_name": "p", "config_values": {"k": 1},
                "lifecycle_action_trigger": {"triggering_resource_address": "t.r", "action_trigger_event": event}}]),
        )
    };
    assert_eq!(
        diff(&action("AfterCreate"), &action("BeforeCreate"), &none.0, &none.1),
        "Actions (2)\n- action.t.a: invoke (AfterCreate of t.r), only in A\n+ action.t.a: invoke (BeforeCreate of t.r), only in B\n"
    );
    let create = resource("t.r", &["create"], Value::Null, json!({"a": 1}));
    let deferred =
        with("deferred_changes", json!([{"reason": "unknown", "resource_change": create.clone()}]));
    assert_eq!(
        diff(&deferred, &plan(&[create]), &none.0, &none.1),
        "Different actions (1)\n! t.r: create, left to the next plan in A; create in B\n"
    );
}

#[test]
fn environments_are_compared_with_maps_and_ignored_paths() {
    let env = |module: &str, owner: &str, size: u32| {
        let mut one = resource(
            &format!("module.{module}.t.r"),
            &["create"],
            Value::Null,
            json!({"tags": {"Owner": owner}, "size": size}),
        );
        one["previous_address"] = json!(format!("module.{module}.t.old"));
        one
    };
    let options = CompareOptions {
        maps: vec!["module.staging=module.prod".parse().unwrap()],
        ignored: vec!["tags.Owner".parse().unwrap(), "nothing".parse().unwrap()],
    };
    check_with(
        &[env("staging", "ann", 1)],
        &[env("prod", "bob", 1)],
        &options,
        "Both plans do the same: 1 change.\n",
    );
    check_with(
        &[env("staging", "ann", 1)],
        &[env("prod", "bob", 2)],
        &options,
        "Different values (1)\n! module.prod.t.r (module.staging.t.r in A): create, moved from module.prod.t.old\n!     size: 1 in A, 2 in B\n",
    );
    let texts = [plan(&[env("staging", "ann", 1)]), plan(&[])].map(|plan| plan.to_string());
    let [a, b] = texts.each_ref().map(|text| Plan::parse(text).unwrap());
    let options = CompareOptions { maps: vec!["module.x=module.y".parse().unwrap()], ..options };
    let comparison = Comparison::new(&a, &b, &Schemas::none(), &options).unwrap();
    assert_eq!(comparison.unmatched, ["map module.x=module.y", "ignore tags.Owner", "ignore nothing"]);
    assert_eq!(comparison.resources[0].kind, DifferenceKind::OnlyInA);
}

#[test]
fn what_says_too_little_is_refused() {
    let kind = |plan: &Value| {
        let text = plan.to_string();
        let plan = Plan::parse(&text).unwrap();
        let compared = Comparison::new(&plan, &plan, &Schemas::none(), &CompareOptions::default());
        compared.unwrap_err().kind()
    };
    let mut failed = plan(&[]);
    failed["errored"] = json!(true);
    assert_eq!(kind(&failed), "errored");
    let mut silent = plan(&[update(json!({}), json!({}))]);
    silent["resource_changes"][0]["change"] = json!({"actions": ["archive"], "before": {}, "after": {}});
    assert_eq!(kind(&silent), "unknown_actions");
    let one = update(json!({}), json!({"a": 1}));
    assert_eq!(kind(&plan(&[one.clone(), one])), "twice");
    let deep = format!("{}1{}", "[".repeat(300), "]".repeat(300));
    let text =
        plan(&[update(json!({}), json!({"a": 1}))]).to_string().replace("\"a\":1", &format!("\"a\":{deep}"));
    let plan_a = Plan::parse(&text).unwrap();
    let other = text.replace("1]", "2]");
    let plan_b = Plan::parse(&other).unwrap();
    let compared = Comparison::new(&plan_a, &plan_b, &Schemas::none(), &CompareOptions::default());
    assert!(compared.unwrap_err().to_string().contains("the change of t.r.after"));
}

#[test]
fn values_with_the_words_of_markers_are_literal_in_json() {
    let a = ShownValue::Object(vec![("$unknown".into(), ShownValue::Bool(true))]);
    assert_eq!(serde_json::to_string(&a).unwrap(), r#"{"$literal":{"$unknown":true}}"#);
    assert_eq!(serde_json::to_string(&ShownValue::Unknown).unwrap(), r#"{"$unknown":{}}"#);
    assert_eq!(
        serde_json::to_string(&ShownValue::Sensitive).unwrap(),
        r#"{"$sensitive":"(sensitive value)"}"#
    );
}

#[test]
fn what_another_section_marks_is_hidden() {
    let plan = |secret: &str, marks: Value| {
        let mut plan = plan(&[update(json!({"pw": "old"}), json!({"pw": secret}))]);
        plan["planned_values"] = json!({"root_module": {"resources": [{"address": "t.r", "mode": "managed", "type": "t",
            "name": "r", "values": {"pw": secret}, "sensitive_values": marks}]}});
        plan
    };
    let diff = |a: Value, b: Value| {
        diff(&plan("hunter1", a), &plan("hunter2", b), &CompareOptions::default(), &Schemas::none())
    };
    for (a, b) in [(json!({"pw": true}), json!({})), (json!({}), json!({"pw": true}))] {
        assert_eq!(diff(a, b), "Different values (1)\n! t.r: update\n!     pw: (sensitive value) differs\n");
    }
    assert!(diff(json!({}), json!({})).contains("hunter2"));
}

#[test]
fn a_misspelt_mark_of_an_action_hides_its_whole_configuration() {
    let plan = |secret: &str| {
        let mut plan = plan(&[]);
        plan["action_invocations"] = json!([{"address": "action.t.a", "type": "t", "name": "a", "provider_name": "p",
            "invoke_action_trigger": {}, "config_values": {"a": {"pasword": secret}},
            "config_sensitive": {"a": {"password": true}}}]);
        plan
    };
    let shown = diff(&plan("hunter1"), &plan("hunter2"), &CompareOptions::default(), &Schemas::none());
    assert!(shown.contains("differs") && !shown.contains("hunter"), "{shown}");
}
