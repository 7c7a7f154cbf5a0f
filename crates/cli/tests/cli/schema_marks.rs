//! `--schemas` where documents do not say themselves what is sensitive.

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::program::{Output, objchange};

const SECRET: &str = "planted-4711";
const PROVIDER: &str = "registry.terraform.io/example/shop";

fn schemas() -> String {
    let sensitive = json!({"type": "string", "optional": true, "sensitive": true});
    let write_only = json!({"type": "string", "optional": true, "write_only": true});
    let name = json!({"type": "string", "optional": true});
    let block = json!({"attributes": {"name": name, "key": sensitive, "once": write_only},
        "block_types": {"user": {"nesting_mode": "list",
            "block": {"attributes": {"name": name, "password": sensitive}}}}});
    json!({"format_version": "1.0", "provider_schemas": {PROVIDER: {
        "provider": {"version": 0, "block": {"attributes": {"region": name, "token": sensitive}}},
        "resource_schemas": {"shop_disk": {"version": 0, "block": block}}}}})
    .to_string()
}

/// A plan that marks nothing.
fn plan() -> Value {
    let values =
        json!({"name": "a", "key": SECRET, "once": null, "user": [{"name": "b", "password": SECRET}]});
    let resource = json!({"address": "shop_disk.a", "mode": "managed", "type": "shop_disk", "name": "a",
        "provider_name": PROVIDER, "schema_version": 0});
    let with = |name: &str, value: Value| {
        let mut resource = resource.clone();
        resource[name] = value;
        resource
    };
    let change = json!({"actions": ["update"], "before": values, "after": values, "after_unknown": {}});
    let planned = json!({"root_module": {"resources": [with("values", values)]}});
    let config = json!({"address": "shop_disk.a", "mode": "managed", "type": "shop_disk", "name": "a",
        "provider_config_key": "shop", "expressions": {"name": {"constant_value": "a"},
            "key": {"constant_value": SECRET}, "once": {"constant_value": SECRET}}});
    json!({"format_version": "1.2", "terraform_version": "1.11.4", "planned_values": planned,
        "resource_drift": [with("change", change.clone())], "resource_changes": [with("change", change)],
        "prior_state": {"format_version": "1.0", "terraform_version": "1.11.4", "values": planned},
        "configuration": {"provider_config": {"shop": {"name": "shop", "full_name": PROVIDER, "expressions": {
                "region": {"constant_value": "north"}, "token": {"constant_value": SECRET}}}},
            "root_module": {"resources": [config]}}})
}

fn state_file() -> Value {
    let attributes =
        json!({"name": "a", "key": SECRET, "once": null, "user": [{"name": "b", "password": SECRET}]});
    json!({"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "x", "outputs": {}, "resources": [{
        "mode": "managed", "type": "shop_disk", "name": "a", "provider": format!("provider[\"{PROVIDER}\"]"),
        "instances": [{"schema_version": 0, "attributes": attributes, "sensitive_attributes": []},
            {"schema_version": 0, "deposed": "0a1b2c3d", "attributes": attributes}]}]})
}

#[track_caller]
fn hides(output: &Output, shown: &str) {
    let all = format!("{}{}", output.stdout, output.stderr);
    assert!(!all.contains(SECRET), "{output:?}");
    assert!(all.contains(shown), "{output:?}");
}

#[test]
fn what_only_a_schema_calls_sensitive_is_hidden_in_every_answer_about_a_document() {
    let folder = Folder::new("schema-marks");
    let path = |name: &str, text: &str| folder.file(name, text).display().to_string();
    let (schemas, plan) = (path("schemas.json", &schemas()), path("plan.json", &plan().to_string()));
    let state = path("terraform.tfstate", &state_file().to_string());
    let kinds = [("changes", "change"), ("drift", "change"), ("planned", "values"), ("state", "values")];
    for (of, field) in kinds.into_iter().chain([("config", "config")]) {
        let query = |document: &str| {
            let field = format!("rc.{field}");
            let arguments =
                ["query", document, "true", "--of", of, "--select", &field, "--schemas", &schemas];
            let output = objchange(arguments, "");
            assert_eq!(output.code, 0, "{output:?}");
            hides(&output, "(sensitive value)");
        };
        query(&plan);
        if of == "state" {
            query(&state);
        }
    }
    let sections = [
        "input.resource_changes",
        "input.resource_drift",
        "input.planned_values",
        "input.prior_state",
        "input.configuration",
        "input.configuration.provider_config",
        "input.tfplan.resource_changes",
        "input.tfconfig.providers",
    ];
    for section in sections {
        let policy = format!("package main\nimport rego.v1\ndeny contains sprintf(\"%v\", [{section}])");
        let output =
            objchange(["policy", &plan, "--rego", &path("p.rego", &policy), "--schemas", &schemas], "");
        assert_eq!(output.code, 1, "{section}: {output:?}");
        hides(&output, "hidden");
    }
    let policy = "import \"tfplan/v2\" as tfplan\nimport \"tfstate/v2\" as tfstate\nimport \"tfconfig/v2\" as tfconfig\n\
                  print(tfplan.resource_changes, tfplan.planned_values, tfplan.raw)\nprint(tfstate.resources)\n\
                  print(tfconfig.resources, tfconfig.providers)\nmain = rule { false }\n";
    let policy = path("p.sentinel", policy);
    let apply = ["sentinel", "apply", &policy, "--plan", &plan, "--schemas", &schemas, "--trace"];
    hides(&objchange(apply, ""), "Fail");
    hides(&objchange([&apply[..], &["--state", &state]].concat(), ""), "Fail");
    for document in [&plan, &state] {
        let out = folder.at("mocks").display().to_string();
        let arguments = ["sentinel", "mock", document, "--schemas", &schemas, "--out", &out, "--force"];
        assert_eq!(objchange(arguments, "").code, 0);
        let files = std::fs::read_dir(&out).unwrap();
        let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        let texts = texts.collect::<String>();
        assert!(!texts.contains(SECRET), "{texts}");
    }
}

#[test]
fn schemas_that_do_not_know_a_type_are_named() {
    let folder = Folder::new("schema-marks");
    let schemas = schemas().replace("shop_disk", "shop_table");
    let schemas = folder.file("schemas.json", &schemas).display().to_string();
    let output = objchange(["query", "-", "true", "--schemas", &schemas], plan().to_string());
    assert!(output.stderr.contains("the schemas lack shop_disk"), "{output:?}");
}

#[test]
fn marks_that_are_words_or_numbers_hide_the_value() {
    let cases =
        [(json!({"n": SECRET}), json!({"n": {"k": "true"}})), (json!({"n": SECRET}), json!({"n": [1]}))];
    for (after, marks) in cases {
        let change = json!({"actions": ["create"], "before": null, "after": after, "after_sensitive": marks});
        let plan = json!({"format_version": "1.2", "resource_changes": [{"address": "shop_disk.a",
            "mode": "managed", "type": "shop_disk", "name": "a", "provider_name": "p", "change": change}]});
        let commands: [&[&str]; 5] = [
            &["show", "-"],
            &["show", "-", "--json"],
            &["show", "-", "--format", "markdown"],
            &["show", "-", "--format", "html"],
            &["query", "-", "true", "--select", "rc.change.after"],
        ];
        for command in commands {
            let output = objchange(command, plan.to_string());
            assert_eq!(output.code, 0, "{output:?}");
            hides(&output, "");
        }
    }
}
