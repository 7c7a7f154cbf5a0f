//! Rules that few documents reach: each with the lines that they decide.

use objchange_document::{Document, MissingChange, Plan, PlanFile, PlanMode, Program, Schemas};
use objchange_plan::{Filter, Options, Report, render_plan};
use serde_json::{Value as Json, json};

fn schemas(block: &Json) -> Schemas {
    let provider = json!({"resource_schemas": {"t_x": {"version": 0, "block": block}}});
    let document = json!({"format_version": "1.0", "provider_schemas": {"example.com/t/t": provider}});
    Schemas::parse(document.to_string()).unwrap()
}

fn resource(change: &Json) -> Json {
    json!({
        "address": "t_x.a", "mode": "managed", "type": "t_x", "name": "a",
        "provider_name": "example.com/t/t", "change": change,
    })
}

#[track_caller]
fn check(plan: &Json, schemas: &Schemas, mode: PlanMode, lines: &[&str]) {
    let text = plan.to_string();
    let options = Options { mode: Some(mode), ..Options::default() };
    let shown = render_plan(&Plan::parse(&text).unwrap(), schemas, &options).unwrap();
    assert!(shown.contains(&lines.join("\n")), "{shown}");
}

#[track_caller]
fn check_change(block: &Json, change: &Json, lines: &[&str]) {
    let plan = json!({"format_version": "1.2", "resource_changes": [resource(change)]});
    check(&plan, &schemas(block), PlanMode::Normal, lines);
}

#[test]
fn the_empty_string_is_no_null_inside_of_values_without_a_type() {
    let change = json!({
        "actions": ["update"], "before": {"a": "", "b": ["", 1], "c": ""}, "after": {"b": [null, 2], "c": null},
        "after_unknown": {"a": true, "b": [true, false]},
        "before_sensitive": {"c": true}, "after_sensitive": {"c": true},
    });
    let plan = json!({"format_version": "1.2", "output_changes": {"o": change}});
    let lines = [
        r#"      ~ a = "" -> (known after apply)"#,
        "      ~ b = [",
        r#"          ~ "" -> (known after apply),"#,
        "          ~ 1 -> 2,",
        "        ]",
        "      ~ c = (sensitive value)",
    ];
    check(&plan, &Schemas::none(), PlanMode::Normal, &lines);
}

#[test]
fn the_empty_string_is_null_where_a_dynamic_value_is_hidden_as_a_whole() {
    let block = json!({"attributes": {"d": {"type": "dynamic", "optional": true}}});
    let change =
        json!({"actions": ["update"], "before": {"d": ""}, "after": {}, "after_unknown": {"d": true}});
    check_change(&block, &change, &["      ~ d = null -> (known after apply)"]);
    let change = json!({
        "actions": ["update"], "before": {"d": ""}, "after": {"d": "x"}, "after_unknown": {},
        "before_sensitive": {"d": true}, "after_sensitive": {"d": true},
    });
    check_change(&block, &change, &["      + d = (sensitive value)"]);
}

#[test]
fn unknown_blocks_say_that_they_force_the_replacement() {
    let block = json!({"block_types": {"vol": {"nesting_mode": "list", "block": {
        "attributes": {"x": {"type": "string", "optional": true}}}}}});
    let change = json!({
        "actions": ["delete", "create"], "before": {"vol": [{"x": "a"}]}, "after": {},
        "after_unknown": {"vol": true}, "replace_paths": [["vol"]],
    });
    let lines =
        ["      ~ vol (known after apply) # forces replacement", "      - vol { # forces replacement"];
    check_change(&block, &change, &lines);
}

#[test]
fn write_only_attributes_force_a_replacement_by_their_path_or_that_of_their_block() {
    let own = json!({"x": {"type": "string", "optional": true}, "w": {"type": "string", "optional": true, "write_only": true}});
    let block = json!({
        "attributes": {"n": {"nested_type": {"nesting_mode": "single", "attributes": own}, "optional": true}},
        "block_types": {"one": {"nesting_mode": "single", "block": {"attributes": own}}},
    });
    let change = json!({
        "actions": ["delete", "create"], "before": {"n": null, "one": null},
        "after": {"n": {"x": "1", "w": null}, "one": {"x": "1", "w": null}}, "after_unknown": {},
        "replace_paths": [["n", "w"], ["one"]],
    });
    let lines = [
        "      + n = {",
        "          + w = (write-only attribute) # forces replacement",
        r#"          + x = "1""#,
        "        }",
        "",
        "      + one { # forces replacement",
        "          + w = (write-only attribute) # forces replacement",
        r#"          + x = "1""#,
    ];
    check_change(&block, &change, &lines);
}

#[test]
fn a_plan_that_only_refreshes_shows_all_drift() {
    let block = json!({"attributes": {"x": {"type": "string", "optional": true}}});
    let change =
        json!({"actions": ["update"], "before": {"x": "1"}, "after": {"x": "2"}, "after_unknown": {}});
    let plan = json!({"format_version": "1.2", "resource_drift": [resource(&change)]});
    check(
        &plan,
        &schemas(&block),
        PlanMode::RefreshOnly,
        &["  # t_x.a has changed", "  ~ resource \"t_x\" \"a\" {"],
    );
    let options = Options::default();
    let text = plan.to_string();
    let shown = render_plan(&Plan::parse(&text).unwrap(), &schemas(&block), &options).unwrap();
    assert!(!shown.contains("has changed"), "{shown}");
}

#[test]
fn labels_of_blocks_whose_type_is_sensitive_are_in_no_debug_text() {
    let block = json!({"block_types": {"user": {"nesting_mode": "map", "block": {
        "attributes": {"name": {"type": "string", "optional": true}}}}}});
    let change = json!({
        "actions": ["create"], "before": null, "after": {"user": {"hunter2": {"name": "x"}}},
        "after_unknown": {}, "before_sensitive": false, "after_sensitive": {"user": true},
    });
    let plan = json!({"format_version": "1.2", "resource_changes": [resource(&change)]}).to_string();
    let (plan, schemas) = (Plan::parse(&plan).unwrap(), schemas(&block));
    let report = Report::of_plan(&plan, &schemas, &Options::default(), &Filter::default()).unwrap();
    let (debug, json) = (format!("{report:?}"), serde_json::to_string(&report).unwrap());
    assert!(debug.contains("(sensitive value)") && !debug.contains("hunter2"), "{debug}");
    assert!(json.contains("(sensitive value)") && !json.contains("hunter2"), "{json}");
}

#[test]
fn marks_that_fit_no_value_hide_it() {
    let block = json!({"attributes": {"m": {"type": ["map", "string"], "optional": true}}});
    for marks in [json!("true"), json!({"m": "yes"}), json!({"m": [true]}), json!({"m": {"k": {"x": true}}})]
    {
        let change = json!({
            "actions": ["update"], "before": {"m": {"k": "hunter"}}, "after": {"m": {"k": "hunter2"}},
            "after_unknown": {}, "before_sensitive": marks, "after_sensitive": marks,
        });
        let plan = json!({"format_version": "1.2", "resource_changes": [resource(&change)]}).to_string();
        let shown = render_plan(&Plan::parse(&plan).unwrap(), &schemas(&block), &Options::default()).unwrap();
        assert!(!shown.contains("hunter"), "{marks}: {shown}");
    }
}

#[test]
fn of_a_repeated_output_the_last_counts() {
    let output =
        |n: u32| format!(r#""o":{{"actions":["create"],"before":null,"after":{n},"after_unknown":false}}"#);
    let plan = format!(r#"{{"format_version":"1.2","output_changes":{{{},{}}}}}"#, output(1), output(2));
    let shown = render_plan(&Plan::parse(&plan).unwrap(), &Schemas::none(), &Options::default()).unwrap();
    assert!(shown.contains("  + o = 2") && !shown.contains("o = 1"), "{shown}");
}

#[test]
fn a_summary_says_that_planning_failed() {
    let summary = |changes: &str| {
        let plan = format!(r#"{{"format_version":"1.2","errored":true,"resource_changes":[{changes}]}}"#);
        let (plan, schemas) = (Plan::parse(&plan).unwrap(), Schemas::none());
        let report = Report::of_plan(&plan, &schemas, &Options::default(), &Filter::default()).unwrap();
        let mut out = Vec::new();
        report.write_summary(&mut out, objchange_plan::Colour::Never, Default::default()).unwrap();
        String::from_utf8(out).unwrap()
    };
    let failed = "Planning failed: only what was planned until then is listed.\n";
    assert_eq!(summary(""), failed);
    let change = json!({"actions": ["delete"], "before": {}, "after": null});
    assert_eq!(
        summary(&resource(&change).to_string()),
        format!("{failed}Destroy (1)\n  - t_x.a\nTotal: 1 to destroy.\n")
    );
}

#[test]
fn a_newer_format_is_told_of_plans_and_states() {
    for (document, expected) in [
        (r#"{"format_version":"1.2","resource_changes":[]}"#, None),
        (r#"{"format_version":"1.3","resource_changes":[]}"#, Some("This plan was generated")),
        (r#"{"format_version":"1.0","values":{}}"#, None),
        (r#"{"format_version":"1.1","values":{}}"#, Some("This state was generated")),
        (r#"{"version":4,"serial":1,"lineage":"x"}"#, None),
    ] {
        let document = Document::parse(document).unwrap();
        let (schemas, options) = (Schemas::none(), Options::default());
        let mut out = Vec::new();
        let report = Report::new(&document, &schemas, &options, &Filter::default()).unwrap();
        report.write_text(&mut out, &options).unwrap();
        let out = String::from_utf8(out).unwrap();
        match expected {
            Some(expected) => assert!(out.starts_with("\nWarning: ") && out.contains(expected), "{out}"),
            None => assert!(!out.contains("Warning"), "{out}"),
        }
    }
}

#[test]
fn a_state_file_may_have_no_lineage() {
    let file = r#"{"version":4,"serial":1,"resources":[],"outputs":{}}"#;
    assert!(matches!(Document::parse(file), Ok(Document::State(_))));
}

/// Each reason to do nothing, in the order in which the first that holds is told.
#[test]
fn a_plan_that_does_nothing_says_why() {
    let block = json!({"attributes": {"x": {"type": "string", "optional": true}}});
    let drift =
        json!({"actions": ["update"], "before": {"x": "1"}, "after": {"x": "2"}, "after_unknown": {}});
    let unmarked = json!({
        "actions": ["no-op"], "before": {"x": "2"}, "after": {"x": "2"}, "after_unknown": {},
        "before_sensitive": {"x": true}, "after_sensitive": {},
    });
    let deferred = json!({"actions": ["create"], "before": null, "after": {"x": "1"}, "after_unknown": {}});
    let outcomes = [
        "Planning failed.",
        "No current changes. This plan requires another plan",
        "No changes. No objects need to be destroyed.",
        "Your infrastructure still matches the configuration.",
        "so no changes are needed.",
        "will only update the state to include the changes",
        "terraform apply -refresh-only",
    ];
    let (failed, another, none_to_destroy, still, matches, saved, unsaved) =
        (Some(0), Some(1), Some(2), Some(3), Some(4), Some(5), Some(6));
    // The mode; whether there is drift, the plan can be applied, changes are deferred, planning failed.
    for (mode, [drifted, applyable, later, errored], expected) in [
        (PlanMode::Normal, [false, false, false, false], matches),
        (PlanMode::Normal, [false, true, false, false], matches),
        (PlanMode::Normal, [true, false, false, false], unsaved),
        (PlanMode::Normal, [true, true, false, false], saved),
        (PlanMode::Normal, [true, true, true, false], another),
        (PlanMode::Normal, [true, true, true, true], failed),
        (PlanMode::RefreshOnly, [false, false, false, false], still),
        (PlanMode::RefreshOnly, [false, true, false, false], still),
        (PlanMode::RefreshOnly, [true, true, false, false], None),
        (PlanMode::RefreshOnly, [true, false, false, false], None),
        (PlanMode::RefreshOnly, [true, false, true, false], another),
        (PlanMode::RefreshOnly, [true, false, false, true], failed),
        (PlanMode::Destroy, [false, false, false, false], none_to_destroy),
        (PlanMode::Destroy, [true, true, false, false], none_to_destroy),
        (PlanMode::Destroy, [false, false, true, false], another),
        (PlanMode::Destroy, [false, false, false, true], failed),
    ] {
        let mut plan = json!({"format_version": "1.2", "applyable": applyable, "errored": errored});
        if drifted {
            // It is only shown where it may have led to something, if only to a mark that is gone.
            plan["resource_drift"] = json!([resource(&drift)]);
            plan["resource_changes"] = json!([resource(&unmarked)]);
            plan["relevant_attributes"] = json!([{"resource": "t_x.a", "attribute": ["x"]}]);
        }
        if later {
            plan["deferred_changes"] =
                json!([{"reason": "deferred_prereq", "resource_change": resource(&deferred)}]);
        }
        let text = plan.to_string();
        let options = Options { mode: Some(mode), ..Options::default() };
        let shown = render_plan(&Plan::parse(&text).unwrap(), &schemas(&block), &options).unwrap();
        let shown = shown.replace('\n', " ");
        let found: Vec<_> = (0..outcomes.len()).filter(|i| shown.contains(outcomes[*i])).collect();
        assert_eq!(found, Vec::from_iter(expected), "{plan} {mode:?}: {shown}");
    }
}

#[test]
fn opentofu_shows_what_is_sensitive_where_it_is_asked_to() {
    let block = json!({
        "attributes": {"m": {"type": ["map", "string"], "optional": true}, "s": {"type": "string", "optional": true, "sensitive": true}},
        "block_types": {"b": {"nesting_mode": "single", "block": {"attributes": {"x": {"type": "string", "optional": true}}}}},
    });
    let change = json!({
        "actions": ["update"], "before": {"m": {"k": "1"}, "s": "hunter", "b": {"x": "in"}},
        "after": {"m": {"k": "1"}, "s": "hunter2", "b": {"x": "out"}}, "after_unknown": {},
        "before_sensitive": {"m": {"k": true}, "b": true}, "after_sensitive": {"b": true},
    });
    let plan = json!({"format_version": "1.2", "resource_changes": [resource(&change)]}).to_string();
    let plan = Plan::parse(&plan).unwrap();
    let shown = |program: &str, show_sensitive| {
        let options =
            Options { program: Some(program.parse().unwrap()), show_sensitive, ..Options::default() };
        render_plan(&plan, &schemas(&block), &options).unwrap()
    };
    let asked = shown("opentofu", true);
    let lines = [
        "      ~ m = {",
        "          # Warning: this attribute value will no longer be marked as sensitive",
        "          # after applying this change. The value is unchanged.",
        r#"          ~ "k" = "1""#,
        "        }",
        r#"      ~ s = "hunter" -> "hunter2""#,
        "",
        "      ~ b {",
        "          # At least one attribute in this block is (or was) sensitive,",
    ];
    assert!(asked.contains(&lines.join("\n")), "{asked}");
    for (program, show_sensitive) in [("opentofu", false), ("terraform", true), ("terraform", false)] {
        let shown = shown(program, show_sensitive);
        assert!(!shown.contains("hunter"), "{shown}");
    }
}

#[test]
fn what_only_opentofu_writes_tells_that_it_did() {
    let plan = |part: &str| {
        format!(
            r#"{{"format_version":"1.2","terraform_version":"1.9.0","resource_changes":[{{"address":"a.b",{part}}}]}}"#
        )
    };
    for (part, expected) in [
        (
            r#""change":{"actions":["no-op"]},"provider_name":"registry.terraform.io/hashicorp/null""#,
            "terraform@1.9",
        ),
        (
            r#""change":{"actions":["no-op"]},"provider_name":"registry.opentofu.org/hashicorp/null""#,
            "opentofu",
        ),
        (r#""change":{"actions":["forget"]}"#, "terraform@1.9"),
        (r#""change":{"actions":["forget","create"]}"#, "opentofu"),
        (r#""change":{"actions":["delete"]},"action_reason":"delete_because_enabled_false""#, "opentofu"),
        (r#""change":{"actions":["delete"]},"action_reason":"delete_because_no_module""#, "terraform@1.9"),
    ] {
        let text = plan(part);
        assert_eq!(Program::detect(&Document::parse(&text).unwrap()).to_string(), expected, "{text}");
    }
    let state = r#"{"format_version":"1.0","values":{"root_module":{"resources":[{"provider_name":"registry.opentofu.org/x/y"}]}}}"#;
    assert_eq!(Program::detect(&Document::parse(state).unwrap()), Program::OPENTOFU);
}

#[test]
fn a_warning_stands_where_its_value_does() {
    let inner = json!({"a": {"type": "string", "optional": true}});
    let block = json!({
        "attributes": {
            "list": {"type": ["list", "string"], "optional": true},
            "map": {"type": ["map", "string"], "optional": true},
            "nest": {"nested_type": {"nesting_mode": "map", "attributes": inner}, "optional": true},
            "object": {"type": ["object", {"a": "string"}], "optional": true},
        },
    });
    let value = json!({"list": ["x"], "map": {"k": "x"}, "nest": {"k": {"a": "x"}}, "object": {"a": "x"}});
    let change = json!({
        "actions": ["update"], "before": value, "after": value, "after_unknown": {}, "before_sensitive": {},
        "after_sensitive": {"list": [true], "map": {"k": true}, "nest": {"k": {"a": true}}, "object": {"a": true}},
    });
    let lines = [
        "      ~ list   = [",
        "          # Warning: this attribute value will be marked as sensitive and will not",
        "          # display in UI output after applying this change. The value is unchanged.",
        "          ~ (sensitive value),",
        "        ]",
        "      ~ map    = {",
        "          # Warning: this attribute value will be marked as sensitive and will not",
        "          # display in UI output after applying this change. The value is unchanged.",
        r#"          ~ "k" = (sensitive value)"#,
        "        }",
        "      ~ nest   = {",
        r#"          ~ "k" = {"#,
        "              # Warning: this attribute value will be marked as sensitive and will not",
        "              # display in UI output after applying this change. The value is unchanged.",
        "              ~ a = (sensitive value)",
        "            },",
        "        }",
        "      ~ object = {",
        "          # Warning: this attribute value will be marked as sensitive and will not",
        "          # display in UI output after applying this change. The value is unchanged.",
        "          ~ a = (sensitive value)",
        "        }",
    ];
    check_change(&block, &change, &lines);
}

/// Prints the change of one attribute or block type.
fn shown_change(block: &Json, change: &Json) -> String {
    let plan = json!({"format_version": "1.2", "resource_changes": [resource(change)]}).to_string();
    let options = Options { mode: Some(PlanMode::Normal), ..Options::default() };
    render_plan(&Plan::parse(&plan).unwrap(), &schemas(block), &options).unwrap()
}

#[test]
fn marks_beyond_the_end_of_one_side_hide_the_elements_of_the_other() {
    let object = json!({"attributes": {"x": {"type": "string", "optional": true}}});
    let block = json!({
        "attributes": {
            "l": {"type": ["list", "string"], "optional": true},
            "s": {"type": ["set", "string"], "optional": true},
            "d": {"type": "dynamic", "optional": true},
            "n": {"nested_type": {"nesting_mode": "set", "attributes": object["attributes"]}, "optional": true},
        },
        "block_types": {"b": {"nesting_mode": "set", "block": object}},
    });
    let one = |name: &str, secret: &str| match name {
        "n" | "b" => json!({"x": secret}),
        _ => json!(secret),
    };
    for name in ["l", "s", "d", "n", "b"] {
        let both = json!([one(name, "SECRET 1"), one(name, "SECRET 2")]);
        let first = json!([one(name, "SECRET 1")]);
        // The mark of the position after the last element holds for all elements that the other side has more.
        for (short, marks) in [
            (Some(json!(null)), json!([true])),
            (Some(json!([])), json!([true])),
            (None, json!([true])),
            (Some(first.clone()), json!([true, true])),
        ] {
            let side = short.map_or(json!({}), |short| json!({name: short}));
            let (marked, unmarked) = (json!({name: marks}), json!({}));
            for (before, after, before_marks, after_marks) in [
                (&side, &json!({name: both}), &marked, &unmarked),
                (&json!({name: both}), &side, &unmarked, &marked),
            ] {
                let change = json!({"actions": ["update"], "before": before, "after": after, "after_unknown": {},
                    "before_sensitive": before_marks, "after_sensitive": after_marks});
                let shown = shown_change(&block, &change);
                assert!(!shown.contains("SECRET 2"), "{change}: {shown}");
                // A pair is hidden by the mark of its own position.
                let is_hidden = !shown.contains("SECRET 1") || name == "s" || name == "n" || name == "b";
                assert!(is_hidden, "{change}: {shown}");
            }
        }
        for (actions, before, after) in
            [("create", json!(null), json!({name: both})), ("delete", json!({name: both}), json!(null))]
        {
            let (marks, none) = (json!({name: [true]}), json!({}));
            let (before_marks, after_marks) =
                if before.is_null() { (&marks, &none) } else { (&none, &marks) };
            let change = json!({"actions": [actions], "before": before, "after": after, "after_unknown": {},
                "before_sensitive": before_marks, "after_sensitive": after_marks});
            let shown = shown_change(&block, &change);
            assert!(!shown.contains("SECRET"), "{change}: {shown}");
        }
    }
    let change = json!({"actions": ["update"], "before": {"l": null}, "after": {"l": ["SECRET"]},
        "after_unknown": {}, "before_sensitive": {"l": [true]}, "after_sensitive": {}});
    check_change(&block, &change, &["      + l = [", "          + (sensitive value),", "        ]"]);
    // The mark of another position hides nothing, as in Terraform.
    let change = json!({"actions": ["update"], "before": {"l": null}, "after": {"l": ["a", "b"]},
        "after_unknown": {}, "before_sensitive": {"l": [false, true]}, "after_sensitive": {}});
    check_change(&block, &change, &[r#"          + "a","#, r#"          + "b","#]);
}

#[test]
fn an_element_that_goes_is_unknown_by_the_mark_after_the_last() {
    let block = json!({"attributes": {"l": {"type": ["list", "string"], "optional": true}}});
    let change = json!({"actions": ["update"], "before": {"l": ["a", "b"]}, "after": {"l": null},
        "after_unknown": {"l": [true]}});
    let lines = [
        "      ~ l = [",
        r#"          ~ "a" -> (known after apply),"#,
        r#"          ~ "b" -> (known after apply),"#,
        "        ]",
    ];
    check_change(&block, &change, &lines);
}

/// The drift section of a change of which this path is relevant.
fn drift(block: &Json, before: &Json, after: &Json, path: &Json) -> String {
    let drifted =
        resource(&json!({"actions": ["update"], "before": before, "after": after, "after_unknown": {}}));
    let mut changed =
        resource(&json!({"actions": ["create"], "before": null, "after": {}, "after_unknown": {}}));
    changed["address"] = json!("t_x.other");
    let plan = json!({
        "format_version": "1.2", "resource_drift": [drifted], "resource_changes": [changed],
        "relevant_attributes": [{"resource": "t_x.a", "attribute": path}],
    });
    let plan = plan.to_string();
    let options = Options { mode: Some(PlanMode::Normal), ..Options::default() };
    let shown = render_plan(&Plan::parse(&plan).unwrap(), &schemas(block), &options).unwrap();
    shown
        .split("\nUnless you")
        .next()
        .filter(|_| shown.contains("has changed"))
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn relevant_paths_go_into_arrays_of_dynamic_values() {
    let block = json!({"attributes": {"d": {"type": "dynamic", "optional": true}}});
    let ports =
        |ports: [[u8; 2]; 2]| json!({"d": {"ports": ports.map(|[a, b]| json!({"port": a, "to": b}))}});
    let (before, after) = (ports([[1, 1], [3, 3]]), ports([[2, 2], [4, 4]]));
    let port = [
        "          ~ ports = [",
        "              ~ {",
        "                  ~ port = 1 -> 2",
        "                    # (1 unchanged attribute hidden)",
        "                },",
        "                {",
        "                    port = 3",
        "                    to   = 3",
        "                },",
        "            ]",
    ];
    for path in [json!(["d", "ports", 0, "port"]), json!(["d", "ports", "0", "port"])] {
        let shown = drift(&block, &before, &after, &path);
        assert!(shown.contains(&port.join("\n")), "{path}: {shown}");
    }
    let whole = drift(&block, &before, &after, &json!(["d", "ports", 0]));
    assert!(whole.contains("~ port = 1 -> 2\n") && whole.contains("~ to   = 1 -> 2\n"), "{whole}");
    assert!(!whole.contains("-> 4"), "{whole}");
    for path in [json!(["d", "ports", 7]), json!(["d", 1])] {
        assert_eq!(drift(&block, &before, &after, &path), "", "{path}");
    }
    // Only the members of objects are left out, never elements.
    let (before, after) = (json!({"d": ["a", {"x": 1}]}), json!({"d": ["b", {"x": 2}, {"x": 3}]}));
    let shown = drift(&block, &before, &after, &json!(["d", 7]));
    assert!(shown.contains(r#"~ "a" -> "b","#) || shown.contains(r#"- "a","#), "{shown}");
    assert!(!shown.contains('3'), "{shown}");
}

#[test]
fn a_plan_that_only_refreshes_lacks_nothing() {
    let object =
        json!({"address": "t_x.a", "mode": "managed", "type": "t_x", "name": "a", "values": {"x": 1}});
    let prior = json!({"format_version": "1.0", "values": {"root_module": {"resources": [object]}}});
    let output = |action: &str| {
        let after = match action {
            "no-op" => json!("x"),
            "delete" => json!(null),
            _ => json!("y"),
        };
        json!({"o": {"actions": [action], "before": "x", "after": after, "after_unknown": false}})
    };
    for (applyable, outputs, lacks) in [
        (false, json!({}), false),
        (false, output("no-op"), false),
        // Terraform 1.11 calls a plan applyable that saves what a refresh has found in its objects.
        (true, output("no-op"), false),
        (true, output("update"), false),
        // To destroy everything says what is destroyed.
        (true, output("delete"), true),
        (true, json!({}), true),
    ] {
        let plan = json!({
            "format_version": "1.2", "planned_values": {"root_module": {}}, "prior_state": prior,
            "output_changes": outputs, "applyable": applyable, "complete": true, "errored": false,
        });
        let text = plan.to_string();
        assert_eq!(Plan::parse(&text).unwrap().missing_change().is_some(), lacks, "{plan}");
        // Changes may be left out if there are none; planned values never are.
        let text = text.replace("planned_values", "x");
        assert_eq!(Plan::parse(&text).unwrap().missing_change(), Some(MissingChange::Every), "{plan}");
    }
}

#[test]
fn each_managed_resource_is_among_the_changes() {
    let named = |name: &str, mode: &str, x: u8| json!({"address": format!("t_x.{name}"), "mode": mode, "type": "t_x", "name": name, "values": {"x": x}});
    let object = |name: &str, x: u8| named(name, "managed", x);
    let changed = |name: &str| {
        let mut changed = resource(&json!({"actions": ["no-op"], "before": {}, "after": {}}));
        changed["address"] = json!(format!("t_x.{name}"));
        changed
    };
    let moved = |name: &str, before: &str| {
        let mut moved = changed(name);
        moved["previous_address"] = json!(format!("t_x.{before}"));
        moved
    };
    let (a, b) = (object("a", 1), object("b", 1));
    let data = named("d", "data", 1);
    for (planned, prior, changes, complete, lacks) in [
        (json!([a, b]), json!([a, b]), json!([changed("a"), changed("b")]), json!(true), false),
        (json!([a, b]), json!([a, b]), json!([changed("a")]), json!(true), true),
        (json!([a, b]), json!([]), json!([changed("a")]), json!(true), true),
        // One that is destroyed is in the prior state alone.
        (json!([a]), json!([a, b]), json!([changed("a")]), json!(true), true),
        (json!([a]), json!([b]), json!([moved("a", "b")]), json!(true), false),
        (json!([a, data]), json!([a, data]), json!([changed("a")]), json!(true), false),
        // A plan of a few targets says nothing of the others, and others may leave out what stays as it is.
        (json!([a]), json!([a, b]), json!([changed("a")]), json!(false), false),
        (json!([a, b]), json!([a, b]), json!([changed("a")]), json!(null), false),
        (json!([a, b]), json!([a, object("b", 2)]), json!([changed("a")]), json!(null), true),
    ] {
        let mut plan = json!({
            "format_version": "1.2", "planned_values": {"root_module": {"resources": planned}},
            "prior_state": {"format_version": "1.0", "values": {"root_module": {"resources": prior}}},
            "resource_changes": changes, "complete": complete, "errored": false,
        });
        if complete.is_null() {
            plan.as_object_mut().unwrap().remove("complete");
        }
        let text = plan.to_string();
        assert_eq!(Plan::parse(&text).unwrap().missing_change().is_some(), lacks, "{plan}");
        plan["errored"] = json!(true);
        let text = plan.to_string();
        assert_eq!(Plan::parse(&text).unwrap().missing_change(), None, "{plan}");
    }
}

#[test]
fn a_block_of_which_nothing_is_relevant_is_empty() {
    let part = json!({"nesting_mode": "list", "block": {"attributes": {"name": {"type": "string", "optional": true}}}});
    let disk = json!({"nesting_mode": "list", "block": {
        "attributes": {"name": {"type": "string", "optional": true}}, "block_types": {"part": part},
    }});
    let block = json!({"attributes": {}, "block_types": {"disk": disk}});
    let after = json!({"disk": [{"name": null, "part": [{"name": "z"}]}]});
    let shown = drift(&block, &json!({"disk": []}), &after, &json!(["disk", 0, "name"]));
    assert!(shown.contains("      + disk {}\n"), "{shown}");
}

#[test]
fn marks_of_schemas_hide_whatever_the_document_says() {
    let block = json!({"attributes": {"key": {"type": "string", "optional": true, "sensitive": true}}});
    let schemas = std::sync::Arc::new(schemas(&block));
    let marked = |marks: &str, drift: &str| {
        let plan = json!({"format_version": "1.2", "resource_changes": [{"address": "t_x.a", "mode": "managed",
            "type": "t_x", "name": "a", "provider_name": "example.com/t/t", "change": {"actions": ["create"],
            "before": null, "after": {"key": "hunter2"}, "after_unknown": {}, "after_sensitive": "MARKS"}}],
            "resource_drift": "DRIFT"});
        let text = plan.to_string().replace("\"MARKS\"", marks).replace("\"DRIFT\"", drift);
        PlanFile::parse("plan.json", text).unwrap().with_schemas(&schemas)
    };
    for (marks, wanted) in [("{}", r#""after_sensitive":{"key":true}"#), ("[]", r#""after_sensitive":true"#)]
    {
        assert!(marked(marks, "[]").unwrap().text().contains(wanted), "{marks}");
    }
    // A part that nobody looks at may hold anything.
    let broken = r#"[{"address":"t_x.b","change":{"actions":["update"],"before":{"a":tru},"after":{}}}]"#;
    assert_eq!(marked("{}", broken).unwrap_err().kind(), "malformed");
}
