//! Formats of our own say what Terraform's text leaves out, and fold what it shows.

use objchange_document::{Plan, Schemas};
use objchange_plan::render::{GroupBy, MarkdownOptions};
use objchange_plan::{Filter, Options, Report};
use serde_json::{Value, json};

fn schemas() -> Schemas {
    let text = |computed: bool| json!({"type": "string", "optional": true, "computed": computed});
    let attributes = json!({"id": text(true), "arn": text(true), "name": text(false), "text": text(false),
        "document": text(true)});
    // Without anything that the legacy SDK could not express, `""` is null to Terraform.
    let schema = json!({"version": 0, "block": {"attributes": attributes}});
    let all =
        json!({"format_version": "1.0", "provider_schemas": {"p": {"resource_schemas": {"t": schema}}}});
    Schemas::parse(all.to_string()).unwrap()
}

fn plan(change: &Value) -> String {
    let resource = json!({"address": "t.a", "mode": "managed", "type": "t", "name": "a", "provider_name": "p",
        "change": change});
    json!({"format_version": "1.2", "resource_changes": [resource]}).to_string()
}

fn markdown(change: &Value, full: bool) -> String {
    let (plan, schemas) = (plan(change), schemas());
    let plan = Plan::parse(&plan).unwrap();
    let options = Options { own_format: true, full, ..Options::default() };
    let report = Report::of_plan(&plan, &schemas, &options, &Filter::default()).unwrap();
    let mut out = Vec::new();
    report.write_markdown(&mut out, &MarkdownOptions::default()).unwrap();
    String::from_utf8(out).unwrap()
}

fn terraform(change: &Value) -> String {
    let (plan, schemas) = (plan(change), schemas());
    let plan = Plan::parse(&plan).unwrap();
    let options = Options::default();
    let report = Report::of_plan(&plan, &schemas, &options, &Filter::default()).unwrap();
    let mut out = Vec::new();
    report.write_text(&mut out, &options).unwrap();
    String::from_utf8(out).unwrap()
}

fn json_diff(change: &Value) -> Value {
    let (plan, schemas) = (plan(change), schemas());
    let plan = Plan::parse(&plan).unwrap();
    let options = Options { own_format: true, ..Options::default() };
    let report = Report::of_plan(&plan, &schemas, &options, &Filter::default()).unwrap();
    let report = serde_json::to_value(&report).unwrap();
    report["resource_changes"][0]["diff"]["attributes"].clone()
}

fn update(before: &Value, after: &Value) -> Value {
    json!({"actions": ["update"], "before": before, "after": after, "after_unknown": {},
        "before_sensitive": {}, "after_sensitive": {}})
}

#[test]
fn an_empty_text_is_told_from_null() {
    let change = update(&json!({"id": "1", "name": null}), &json!({"id": "1", "name": ""}));
    assert!(markdown(&change, false).contains("+       name = \"\""), "{}", markdown(&change, false));
    assert_eq!(json_diff(&change)[1]["after"], json!(""));
    let change = update(&json!({"id": "1", "name": ""}), &json!({"id": "1", "name": null}));
    assert!(markdown(&change, false).contains("-       name = \"\""), "{}", markdown(&change, false));
}

#[test]
fn white_space_around_a_text_is_shown_where_it_changes() {
    let change = update(&json!({"id": "1", "text": "a\nb\n"}), &json!({"id": "1", "text": "a\nb"}));
    let page = markdown(&change, false);
    assert!(page.contains("EOT # whitespace changes"), "{page}");
    assert!(!terraform(&change).contains("whitespace"), "{}", terraform(&change));
    let text = &json_diff(&change)[1];
    assert_eq!(
        (&text["white_space"], &text["lines"][2]),
        (&json!(true), &json!({"action": "delete", "text": ""}))
    );
    // White space that stays the same adds no line.
    let change = update(&json!({"id": "1", "text": "a\nb\n"}), &json!({"id": "1", "text": "a\nc\n"}));
    let text = &json_diff(&change)[1];
    assert_eq!((text.get("white_space"), text["lines"].as_array().unwrap().len()), (None, 3), "{text}");
}

#[test]
fn white_space_and_notation_are_named_where_nothing_else_changes() {
    let of = |before: &str, after: &str| {
        let change = update(&json!({"id": "1", "name": before}), &json!({"id": "1", "name": after}));
        (markdown(&change, false), terraform(&change), json_diff(&change)[1].clone())
    };
    let white_space = "# whitespace changes";
    for (before, after) in [("x y", "x y "), ("x y", "x  y"), ("\tx", "x")] {
        let (page, text, diff) = of(before, after);
        assert!(page.contains(&format!("\" {white_space}\n")), "{before:?}: {page}");
        assert!(!text.contains(white_space) && diff["white_space"] == json!(true), "{before:?}: {text}");
    }
    let (page, _, diff) = of("x y", "x z");
    assert!(!page.contains(white_space) && diff.get("white_space").is_none(), "{page}");
    for (before, after, is_notation) in [
        (r#"{"a":1,"b":"x y"}"#, r#"{ "a": 1, "b": "x y" }"#, false),
        (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, true),
        (r#"{"a":"\u0041"}"#, r#"{"a": "A"}"#, true),
    ] {
        let (page, text, diff) = of(before, after);
        let expected = if is_notation { "# order or notation changes" } else { white_space };
        assert!(page.contains(expected), "{after}: {page}");
        assert!(text.contains(white_space), "{after}: {text}");
        assert_eq!(diff.get("notation").is_some(), is_notation, "{after}: {diff}");
    }
}

#[test]
fn long_values_that_become_unknown_are_counted() {
    let long = (0..22).map(|line| line.to_string()).collect::<Vec<_>>().join("\n");
    let mut change = update(&json!({"id": "1", "document": long}), &json!({"id": "1"}));
    change["after_unknown"] = json!({"document": true});
    let page = markdown(&change, false);
    assert!(page.contains("document = (22 lines) -> (known after apply)"), "{page}");
    assert!(markdown(&change, true).contains("EOT -> (known after apply)"));
    assert!(terraform(&change).contains("EOT -> (known after apply)"));
}

#[test]
fn computed_attributes_of_replaced_objects_are_counted() {
    let change = json!({"actions": ["delete", "create"], "before": {"id": "1", "arn": "x", "name": "a"},
        "after": {"name": "b"}, "after_unknown": {"id": true, "arn": true, "text": true}, "before_sensitive": {},
        "after_sensitive": {}, "replace_paths": [["name"]]});
    let page = markdown(&change, false);
    assert!(
        page.contains("# (2 recomputed attributes hidden)") && page.contains("forces replacement"),
        "{page}"
    );
    assert!(page.contains("text = (known after apply)"), "{page}");
    assert!(markdown(&change, true).contains("arn  = \"x\" -> (known after apply)"));
    assert!(terraform(&change).contains("\"x\" -> (known after apply)"));
}

#[test]
fn imports_and_left_over_objects_say_so() {
    let values = json!({"id": "1", "name": "a"});
    let mut change = update(&values, &json!({"id": "1", "name": "b"}));
    change["importing"] = json!({"identity": {"region": "eu", "id": "1"}});
    let page = markdown(&change, false);
    assert!(page.contains("imported by the identity") && page.contains("region"), "{page}");
    change["actions"] = json!(["delete", "create"]);
    let page = markdown(&change, false);
    assert!(page.contains("this will destroy the imported resource"), "{page}");
    let mut change = update(&values, &values);
    (change["actions"], change["importing"]) = (json!(["no-op"]), json!({"id": "1"}));
    change["generated_config"] = json!("resource \"t\" \"a\" {}");
    let page = markdown(&change, false);
    assert!(page.contains("config will be generated"), "{page}");
}

fn full_text(change: &Value) -> (String, Value) {
    let (plan, schemas) = (plan(change), schemas());
    let plan = Plan::parse(&plan).unwrap();
    let options = Options { own_format: true, full: true, ..Options::default() };
    let report = Report::of_plan(&plan, &schemas, &options, &Filter::default()).unwrap();
    let mut out = Vec::new();
    report.write_text(&mut out, &options).unwrap();
    report.write_summary(&mut out, options.colour, GroupBy::default()).unwrap();
    (String::from_utf8(out).unwrap(), serde_json::to_value(&report).unwrap())
}

/// Terraform prints neither the identity of an import, nor beside another change that its configuration is generated.
#[test]
fn an_import_says_its_identity_and_its_configuration() {
    let (before, after) = (json!({"id": "1", "name": "a"}), json!({"id": "1", "name": "b"}));
    let mut change = update(&before, &after);
    change["generated_config"] = json!("resource \"t\" \"a\" {}");
    for importing in [
        r#"{"identity": {"region": "eu west", "id": "7"}}"#,
        "{\"id\": \"x\", \"identity\": {\n  \"region\": \"eu west\",\n  \"id\": \"7\"\n}}",
    ] {
        // The text of a document keeps its line breaks.
        let text = change.to_string().replacen('{', &format!("{{\"importing\":{importing},"), 1);
        let has_id = importing.contains("\"x\"");
        let raw: Value = serde_json::from_str(&text).unwrap();
        let page = markdown(&raw, false);
        let words = if has_id { "with the identity" } else { "by the identity" };
        assert!(page.contains(words) && page.contains("eu west"), "{page}");
        assert!(page.contains("config will be generated"), "{page}");
        let (full, report) = full_text(&raw);
        assert!(full.contains("imported using resource identity: {"), "{full}");
        assert_eq!(full.contains("imported from \"x\""), has_id, "{full}");
        assert_eq!(full.matches("config will be generated").count(), 2, "{full}");
        let header = &report["resource_changes"][0];
        assert!(header["comments"].as_array().unwrap().contains(&json!("config_generated")), "{header}");
        let exact = terraform(&raw);
        assert!(!exact.contains("identity") && !exact.contains("generated"), "{exact}");
    }
    let document = "{\"format_version\":\"1.2\",\"resource_changes\":[{\"address\":\"t.a\",\"change\":{\"actions\":[\"update\"],
        \"importing\":{\"identity\":{\n  \"region\": \"eu  west\"\n}}}}]}";
    let plan = Plan::parse(document).unwrap();
    let importing = plan.changes.resources[0].change.importing.as_ref().unwrap();
    assert_eq!(importing.identity.as_deref(), Some("{\"region\":\"eu  west\"}"));
}

/// OpenTofu 1.12 shows such a block with the attributes of the block around it, and nothing of what it had.
#[test]
fn a_block_of_opentofu_that_becomes_unknown_shows_what_it_had() {
    let text = |computed: bool| json!({"type": "string", "optional": true, "computed": computed});
    let rule = json!({"nesting_mode": "list", "block": {"attributes": {"port": text(false)}}});
    let block = json!({"attributes": {"id": text(true), "name": text(false)}, "block_types": {"rule": rule}});
    let schemas = json!({"format_version": "1.0", "provider_schemas": {"registry.opentofu.org/x/p": {
        "resource_schemas": {"t": {"version": 0, "block": block}}}}});
    let change = json!({"actions": ["update"], "before": {"id": "1", "name": "a", "rule": [{"port": "80"}]},
        "after": {"id": "1", "name": "a"}, "after_unknown": {"rule": true}, "before_sensitive": {}, "after_sensitive": {}});
    let plan = json!({"format_version": "1.2", "terraform_version": "1.12.6", "resource_changes": [{"address": "t.a",
        "mode": "managed", "type": "t", "name": "a", "provider_name": "registry.opentofu.org/x/p", "change": change}]});
    let (plan, schemas) = (plan.to_string(), Schemas::parse(schemas.to_string()).unwrap());
    let plan = Plan::parse(&plan).unwrap();
    let text = |options: Options| {
        let report = Report::of_plan(&plan, &schemas, &options, &Filter::default()).unwrap();
        let mut out = Vec::new();
        report.write_text(&mut out, &options).unwrap();
        String::from_utf8(out).unwrap()
    };
    let program = Some("opentofu".parse().unwrap());
    let own = text(Options { own_format: true, program, ..Options::default() });
    for line in ["      ~ rule (known after apply)", "      - rule {", "          - port = \"80\" -> null"] {
        assert!(own.contains(line), "{line}\n{own}");
    }
    let theirs = text(Options { program, ..Options::default() });
    assert!(
        theirs.contains("          + name = (known after apply)") && !theirs.contains("port"),
        "{theirs}"
    );
}
