//! The published JSON Schemas (`schema/`) describe what is really read and written.

use std::path::Path;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::kit::kit;
use crate::program::{objchange, workspace};

fn schema(name: &str) -> Value {
    let path = workspace().join("schema").join(name);
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

pub(crate) fn validator(name: &str) -> jsonschema::Validator {
    let mut registry = jsonschema::Registry::new();
    for other in ["case.schema.json", "change.schema.json", "diff.schema.json", "report.schema.json"] {
        let schema = schema(other);
        let id = schema["$id"].as_str().unwrap().to_owned();
        registry = registry.add(id, schema).unwrap();
    }
    let registry = registry.prepare().unwrap();
    jsonschema::draft202012::options().with_registry(&registry).build(&schema(name)).unwrap()
}

#[track_caller]
pub(crate) fn check(validator: &jsonschema::Validator, instance: &Value) {
    let errors: Vec<String> = validator
        .iter_errors(instance)
        .map(|e| format!("{}: {}", e.instance_path(), e.to_string().chars().take(300).collect::<String>()))
        .collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

pub(crate) fn refused(validator: &jsonschema::Validator, instance: &Value) {
    assert!(!validator.is_valid(instance), "this should not be valid: {instance}");
}

fn check_cases(validator: &jsonschema::Validator, file: &Path) {
    let text = std::fs::read_to_string(file).unwrap();
    for (i, line) in text.lines().enumerate() {
        let instance: Value = serde_json::from_str(line).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&instance)
            .map(|e| {
                format!("{}: {}", e.instance_path(), e.to_string().chars().take(300).collect::<String>())
            })
            .collect();
        assert!(errors.is_empty(), "{}:{}: {}", file.display(), i + 1, errors.join("\n"));
    }
}

#[test]
fn own_cases_are_cases() {
    let validator = validator("case.schema.json");
    for entry in std::fs::read_dir(workspace().join("tests/cases")).unwrap() {
        check_cases(&validator, &entry.unwrap().path());
    }
    for name in ["core", "provider-plans", "render", "render-opentofu"] {
        check_cases(&validator, &workspace().join(format!("tests/vectors/{name}.jsonl")));
    }
}

#[test]
fn what_is_no_case_is_refused() {
    let validator = validator("case.schema.json");
    let case = |op: &str, ty: Value, before: Value| json!({"op": op, "type": ty, "before": before, "after": null, "want": {"action": "delete"}});
    check(&validator, &case("action_for_change", json!(["list", "string"]), json!(["a"])));
    refused(&validator, &case("no_such_operation", json!("string"), json!("a")));
    refused(&validator, &case("action_for_change", json!(["list"]), json!(["a"])));
    refused(&validator, &case("action_for_change", json!("string"), json!({"$unknown": {"length": 1}})));
    check(
        &validator,
        &case("action_for_change", json!(["map", "bool"]), json!({"$literal": {"$unknown": true}})),
    );
    refused(&validator, &json!({"op": "implied_type", "want": {"type": "string"}}));
}

#[test]
fn check_reports() {
    let validator = validator("check-report.schema.json");
    let input = r#"
{"id":"passes","op":"action_for_change","type":"string","before":null,"after":"a","want":{"action":"create"}}
{"id":"differs","op":"proposed_new","schema":{"block_types":{"disk":{"nesting_mode":"list","block":{"attributes":{"size":{"type":"number","optional":true}}}}}},"prior":null,"config":{"disk":[{"size":1}]},"want":{"value":{"disk":[{"size":2}]}}}
{"id":"unknown","op":"no_such_operation","want":{}}
{"id":"malformed","op":"implied_type","schema":5,"want":{}}
not json
"#;
    let output = objchange(["check", "--json", "-", "no-such-file.jsonl"], input);
    assert_eq!(output.code, 2);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    check(&validator, &report);
    assert_eq!((&report["passed"], &report["failed"]), (&json!(1), &json!(4)));
    let kinds: Vec<&str> =
        report["failures"].as_array().unwrap().iter().map(|f| f["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["different", "unknown_operation", "malformed", "malformed"]);
    assert_eq!(report["failures"][0]["path"], json!([{"attr": "disk"}, {"index": 0}, {"attr": "size"}]));
    assert_eq!(report["unusable"][0]["file"], "no-such-file.jsonl");
    refused(&validator, &json!({"passed": 1}));
}

#[test]
fn plan_reports() {
    let validator = validator("plan-report.schema.json");
    let folder = "examples/aws_instance";
    let arguments = |prior: &str| {
        format!(
            "plan --json --schema {folder}/schemas.json --type aws_instance --config {folder}/config.json {prior}"
        )
    };
    for more in [
        String::new(),
        format!("--prior {folder}/prior.json"),
        format!(
            "--prior {folder}/terraform.tfstate --address aws_instance.web[0] --requires-replace ami --replace"
        ),
        format!("--prior {folder}/prior.json --requires-replace instance_type --planned {folder}/prior.json"),
        format!("--prior {folder}/prior.json --planned {folder}/config.json"),
    ] {
        let output = objchange(arguments(&more).split_whitespace(), "");
        assert!(matches!(output.code, 0 | 1), "{}", output.stderr);
        let report: Value = serde_json::from_str(&output.stdout).unwrap();
        check(&validator, &report);
        assert!(!output.stdout.contains("DB_PASSWORD"), "{}", output.stdout);
        assert_eq!(report["proposed"]["instance_type"], "t3.large");
        assert_eq!(report["proposed"]["user_data"], json!({"$sensitive": "(sensitive value)"}));
    }
    refused(&validator, &json!({"action": "divine"}));
}

#[test]
fn explanations() {
    let validator = validator("explain.schema.json");
    let messages = workspace().join("crates/explain/tests/integration/terraform-1.11.4.txt");
    let messages = std::fs::read_to_string(messages).unwrap();
    let output = objchange(["explain", "--json"], &messages);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let page: Value = serde_json::from_str(&output.stdout).unwrap();
    check(&validator, &page);
    assert!(page["messages"].as_array().unwrap().len() > 20);
    let folder = Folder::with(
        "explain-schema",
        &[("planned.json", r#"{"name":"a"}"#), ("actual.json", r#"{"name":"b"}"#)],
    );
    let [planned, actual] = ["planned.json", "actual.json"].map(|name| folder.at(name));
    let text = "Error: Provider produced inconsistent result after apply\n\nWhen applying changes to kit_thing.a, \
                provider \"provider[\\\"example.com/test/kit\\\"]\" produced an unexpected new value: .name: was \
                cty.StringVal(\"a\"), but now cty.StringVal(\"b\").\n";
    let arguments = ["explain", "--json", "--provider-binary", kit(), "--planned"];
    let arguments =
        arguments.into_iter().chain([planned.to_str().unwrap(), "--actual", actual.to_str().unwrap()]);
    let output = objchange(arguments, text);
    let mut page: Value = serde_json::from_str(&output.stdout).unwrap();
    check(&validator, &page);
    assert_eq!(page["messages"][0]["violations"][0]["kind"], "value_changed");
    page["messages"][0]["objects"]["other"] = json!("");
    refused(&validator, &page);
}

#[test]
fn what_came_of_a_change() {
    let (plan, applied) = (validator("plan-report.schema.json"), validator("provider-apply.schema.json"));
    let folder =
        Folder::with("apply-schema", &[("config.json", r#"{"name":"a","size":1,"secret":"hunter2"}"#)]);
    let config = folder.at("config.json");
    let change = |name: &str, apply: &[&str]| {
        let arguments = ["provider", "apply", kit(), "--json", "--type", name, "--config"];
        let output = objchange(
            arguments.into_iter().chain([config.to_str().unwrap()]).chain(apply.iter().copied()),
            "",
        );
        assert!(!output.stdout.contains("hunter2"), "{}", output.stdout);
        let lines: Vec<Value> =
            output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        check(&plan, &lines[0]);
        lines
    };
    assert_eq!(change("kit_thing", &[]).len(), 1);
    for (name, kind) in [("kit_thing", None), ("kit_applied_string", Some("value_changed"))] {
        let mut lines = change(name, &["--apply"]);
        assert_eq!(lines.len(), 2);
        check(&applied, &lines[1]);
        assert_eq!(lines[1]["violations"][0]["kind"].as_str(), kind);
        assert_eq!(lines[1]["object"]["secret"], json!({"$sensitive": "(sensitive value)"}));
        lines[1]["action"] = json!("divine");
        refused(&applied, &lines[1]);
    }
}
