//! `objchange explain`.

use std::fs;

use serde_json::{Value, json};

use crate::kit::kit;
use crate::program::objchange;

const INCONSISTENT: &str = "\
╷
│ Error: Provider produced inconsistent result after apply
│
│ When applying changes to acme_disk.data[0], provider
│ \"provider[\\\"registry.terraform.io/acme/acme\\\"]\" produced an unexpected new
│ value: .label: was cty.StringVal(\"Data\"), but now cty.StringVal(\"data\").
│
│ This is a bug in the provider, which should be reported in the provider's own
│ issue tracker.
╵
";

/// The schema of a disk, and the objects of one whose label, key and tags the service changes.
fn objects(folder: &std::path::Path) -> [String; 3] {
    let schemas = json!({"format_version": "1.0", "provider_schemas": {"registry.terraform.io/acme/acme": {
        "resource_schemas": {"acme_disk": {"version": 0, "block": {"attributes": {
            "label": {"type": "string", "optional": true},
            "key": {"type": "string", "optional": true, "sensitive": true},
            "id": {"type": "string", "computed": true},
        }}}}
    }}});
    let after = json!({"label": "Data", "key": "k-planned"});
    let plan = json!({"format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": [{
        "address": "acme_disk.data[0]", "mode": "managed", "type": "acme_disk", "name": "data", "index": 0,
        "provider_name": "registry.terraform.io/acme/acme",
        "change": {"actions": ["create"], "before": null, "after": after, "after_unknown": {"id": true},
            "before_sensitive": false, "after_sensitive": {"key": true}},
    }]});
    let actual = json!({"label": "data", "key": "k-actual", "id": "d-1"});
    [("schemas.json", schemas), ("plan.json", plan), ("actual.json", actual)].map(|(name, value)| {
        let path = folder.join(name);
        fs::write(&path, value.to_string()).unwrap();
        path.to_str().unwrap().to_owned()
    })
}

#[test]
fn a_pasted_message_is_explained() {
    let output = objchange(["explain"], INCONSISTENT);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    for part in [
        "A5  The applied object must match the plan.",
        "acme_disk.data[0].label  registry.terraform.io/acme/acme",
        "was cty.StringVal(\"Data\"), but now cty.StringVal(\"data\")",
        "upper and lower case only",
        "terraform-plugin-framework: ",
    ] {
        assert!(output.stdout.contains(part), "{part}: {}", output.stdout);
    }
}

#[test]
fn what_is_about_no_provider_is_no_answer() {
    let output = objchange(["explain", "-"], "Error: Unsupported argument\n\nNo.");
    assert_eq!((output.code, output.stdout.as_str()), (1, ""));
    assert!(output.stderr.contains("no message about a provider"), "{}", output.stderr);
}

/// By the rules more is wrong than the message says; what is sensitive is not shown.
#[test]
fn the_objects_tell_what_else_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let [schemas, plan, actual] = objects(folder.path());
    let arguments = ["explain", "--schema", &schemas, "--planned", &plan, "--actual", &actual];
    let output = objchange(arguments, INCONSISTENT);
    assert_eq!(output.code, 0, "{}", output.stderr);
    for part in [
        "schema: optional; type \"string\"",
        "planned: \"Data\"",
        "actual: \"data\"",
        "value_changed",
        "sensitive_inconsistent",
    ] {
        assert!(output.stdout.contains(part), "{part}: {}", output.stdout);
    }
    let output = objchange(arguments.into_iter().chain(["--json"]), INCONSISTENT);
    let page: Value = serde_json::from_str(&output.stdout).unwrap();
    let message = &page["messages"][0];
    assert_eq!(message["clauses"], json!(["A5"]));
    assert_eq!(message["objects"], json!({"planned": "\"Data\"", "actual": "\"data\""}));
    let kinds: Vec<&Value> = message["violations"].as_array().unwrap().iter().map(|v| &v["kind"]).collect();
    assert_eq!(kinds, [&json!("sensitive_inconsistent"), &json!("value_changed")]);
    assert!(!output.stdout.contains("k-planned") && !output.stdout.contains("k-actual"), "{}", output.stdout);
}

/// The provider itself says what is sensitive.
#[test]
fn schemas_come_from_a_provider_too() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, value: Value| {
        let path = folder.path().join(name);
        fs::write(&path, value.to_string()).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let planned = file("planned.json", json!({"name": "Data", "secret": "s-planned"}));
    let actual = file("actual.json", json!({"name": "data", "secret": "s-actual"}));
    let text = INCONSISTENT.replace("acme_disk", "kit_thing").replace(".label", ".name");
    let text = text.replace("registry.terraform.io/acme/acme", "example.com/test/kit");
    let binary = format!("{}=example.com/test/kit", kit());
    let arguments =
        ["explain", "--provider-binary", &binary, "--planned", &planned, "--actual", &actual, "--json"];
    let output = objchange(arguments, &text);
    assert_eq!(output.code, 0, "{}", output.stderr);
    let page: Value = serde_json::from_str(&output.stdout).unwrap();
    let message = &page["messages"][0];
    assert_eq!(message["objects"], json!({"planned": "\"Data\"", "actual": "\"data\""}));
    let kinds: Vec<&Value> = message["violations"].as_array().unwrap().iter().map(|v| &v["kind"]).collect();
    assert!(kinds.contains(&&json!("sensitive_inconsistent")), "{kinds:?}");
    assert!(!output.stdout.contains("s-planned") && !output.stdout.contains("s-actual"), "{}", output.stdout);
    let output = objchange(["explain", "--provider-binary", "no-such-provider"], &text);
    assert_eq!((output.code, output.stdout.as_str()), (2, ""));
    assert!(output.stderr.contains("no-such-provider: "), "{}", output.stderr);
}

/// Old versions of Terraform printed what a schema calls sensitive now.
#[test]
fn a_value_that_the_schema_calls_sensitive_is_not_shown_again() {
    let folder = tempfile::tempdir().unwrap();
    let [schemas, ..] = objects(folder.path());
    let text =
        INCONSISTENT.replace(".label", ".key").replace("Data", "Planted").replace("data\")", "planted\")");
    for json in [None, Some("--json")] {
        let output = objchange(["explain", "--schema", &schemas].into_iter().chain(json), &text);
        assert_eq!(output.code, 0, "{}", output.stderr);
        assert!(
            output.stdout.contains("key") && !output.stdout.to_lowercase().contains("planted"),
            "{}",
            output.stdout
        );
    }
}

#[test]
fn what_cannot_be_used_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [schemas, _, actual] = objects(folder.path());
    let two = format!("{INCONSISTENT}{}", INCONSISTENT.replace("data[0]", "data[1]"));
    for (arguments, input, complaint) in [
        (vec!["explain", "--actual", &actual], "", "--schema"),
        (vec!["explain", "no-such-file"], "", "no-such-file"),
        (vec!["explain", "--schema", "-"], INCONSISTENT, "only once"),
        (vec!["explain", "--schema", &actual], INCONSISTENT, "actual.json"),
        (vec!["explain", "--schema", &schemas, "--actual", &actual], &two, "--address"),
        (vec!["explain", "--schema", &schemas, "--actual", &schemas], INCONSISTENT, "schemas.json"),
    ] {
        let output = objchange(&arguments, input);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(output.stderr.contains(complaint), "{arguments:?}: {}", output.stderr);
    }
    let output = objchange(
        ["explain", "--schema", &schemas, "--actual", &actual, "--address", "acme_disk.data[1]"],
        two,
    );
    assert_eq!((output.code, output.stdout.matches("acme_disk.data[").count()), (0, 1), "{}", output.stdout);
}

/// Facts about a crash are printed once, and no message is printed twice.
#[test]
fn a_crash_is_printed_once() {
    let text = "Error: Plugin did not respond\n\n  with acme_disk.a,\n\nThe plugin encountered an error, and failed to respond to the plugin.(*GRPCProvider).ReadResource call.\n\nStack trace from the terraform-provider-acme_v1.2.3 plugin:\n\npanic: boom\n\ngoroutine 1 [running]:\ngithub.com/acme/terraform-provider-acme/disk.read(0x1)\n\t/src/disk/read.go:7 +0x1\n\nError: The terraform-provider-acme_v1.2.3 plugin crashed!\n\nThis is always indicative of a bug within the plugin.\n";
    let output = objchange(["explain"], text);
    let wanted = "  acme_disk.a  acme 1.2.3\n    panic: boom\n    in ReadResource, at disk.read\n";
    assert!(output.stdout.contains(wanted), "{}", output.stdout);
    assert_eq!(output.stdout.matches("What it means").count(), 1, "{}", output.stdout);
    let output = objchange(["explain", "--json"], text);
    let page: Value = serde_json::from_str(&output.stdout).unwrap();
    let message = &page["messages"][0];
    let facts =
        ["provider", "version", "call", "frame"].map(|name| message[name].as_str().unwrap_or_default());
    assert_eq!(facts, ["acme", "1.2.3", "ReadResource", "disk.read"]);
    let heading = "rpc error: code = Unavailable desc = transport is closing";
    let output = objchange(["explain"], format!("Error: {heading}\n"));
    assert_eq!(output.stdout.matches(heading).count(), 1, "{}", output.stdout);
    assert!(!output.stdout.contains("\n  \n"), "{}", output.stdout);
}

#[test]
fn values_that_the_words_do_not_have_are_printed() {
    let text = "Unexpected Identity Change: During the read operation, the Terraform Provider unexpectedly returned a different identity then the previously stored one.\n\nCurrent Identity: {id = null}\n\nNew Identity: {id = 1}\n";
    let output = objchange(["explain"], text);
    for part in ["    actual: {id = 1}\n", "    prior: {id = null}\n"] {
        assert!(output.stdout.contains(part), "{part}: {}", output.stdout);
    }
}
