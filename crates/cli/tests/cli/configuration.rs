//! `objchange plan --config FILE.tf`.

use crate::folder::Folder;
use crate::plan::SCHEMAS;
use crate::program::{Output, objchange};

/// Plans what a file of configuration says, with `FOLDER` replaced by the folder of the test.
fn plan(test: &str, config: &str, address: &str, arguments: &[&str]) -> Output {
    let folder = Folder::new(test);
    let config = format!("{}{address}", folder.file("main.tf", config).display());
    folder.file("prior.json", r#"{"id":"d-1","name":"data","size":10,"tags":{"a":"b"},"token":"hunter1"}"#);
    folder.file("planned.json", r#"{"id":"d-1","name":"data","size":11,"tags":null,"token":"hunter3"}"#);
    let arguments = arguments.iter().map(|argument| argument.replace("FOLDER", folder.0.to_str().unwrap()));
    let fixed = ["plan", "--schema", "-", "--config", &config].map(str::to_owned);
    let mut output = objchange(fixed.into_iter().chain(arguments), SCHEMAS);
    output.stderr = output.stderr.replace(folder.0.to_str().unwrap(), "FOLDER");
    output.stdout = output.stdout.replace(folder.0.to_str().unwrap(), "FOLDER");
    output
}

const DISK: &str = r#"
variable "size" {
  type = number
}

resource "test_disk" "data" {
  for_each = { x = "one", y = "two" }
  name     = "${each.key}-${each.value}"
  size     = var.size
  tags     = { zone = data.test_zone.this.name }
}
"#;

#[test]
fn a_block_is_planned_and_what_nobody_gives_is_named() {
    let output = plan("config-block", DISK, ":test_disk.data[\"y\"]", &["--var", "size=5"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    for text in
        ["test_disk.data[\"y\"] will be created", "\"y-two\"", "= 5", "\"zone\" = (known after apply)"]
    {
        assert!(output.stdout.contains(text), "{text}: {}", output.stdout);
    }
    assert_eq!(output.stderr, "note: not given and treated as unknown: data.test_zone.this.name\n");

    let output = plan("config-json", DISK, "", &["--json"]);
    let report: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["action"], "create");
    let missing = serde_json::json!(["data.test_zone.this.name", "each.key", "each.value", "var.size"]);
    assert_eq!(report["not_given"], missing);
    assert_eq!(report["after"]["name"]["$unknown"], serde_json::json!({"nullness": "not_null"}));
}

#[test]
fn what_the_lifecycle_says_counts() {
    let config = r#"
resource "test_disk" "data" {
  name  = "data"
  size  = 20
  tags  = { a = "c" }
  token = "hunter1"
  lifecycle {
    create_before_destroy = true
    ignore_changes        = [tags["a"], size]
  }
}
"#;
    let arguments = ["--prior", "FOLDER/prior.json", "--json"];
    let report = |config: &str| -> serde_json::Value {
        serde_json::from_str(&plan("config-lifecycle", config, "", &arguments).stdout).unwrap()
    };
    assert_eq!(report(config)["action"], "noop");
    assert_eq!(report(&config.replace(", size]", "]"))["action"], "update");
    let replaced = ["--prior", "FOLDER/prior.json", "--json", "--replace"];
    let output = plan("config-lifecycle", config, "", &replaced);
    assert!(output.stdout.contains("\"action\":\"create_then_delete\""), "{}", output.stdout);
}

#[test]
fn a_violation_shows_the_configuration_but_no_secret() {
    let config = r#"
resource "test_disk" "data" {
  name = "data"
  size = 20
  token = "hunter2"
}
"#;
    let arguments = ["--prior", "FOLDER/prior.json", "--planned", "FOLDER/planned.json"];
    let output = plan("config-violation", config, "", &arguments);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(output.stdout.contains("at FOLDER/main.tf:4:3  size = 20\n"), "{}", output.stdout);
    assert!(output.stdout.contains("at FOLDER/main.tf:5:3\n"), "{}", output.stdout);
    let json = plan("config-violation-json", config, "", &[&arguments[..], &["--json"]].concat());
    assert!(
        json.stdout.contains(r#""place":{"file":"FOLDER/main.tf","line":4,"column":3}"#),
        "{}",
        json.stdout
    );
    assert!(!format!("{output:?}{json:?}").contains("hunter"), "{output:?}{json:?}");
}

#[test]
fn a_sensitive_variable_is_not_shown() {
    let config = "variable \"s\" {\n  sensitive = true\n  default = \"hunter9\"\n}\n\
        resource \"test_disk\" \"data\" {\n  name = var.s\n  size = SIZE\n}\n";
    for (size, code) in [("1", 0), ("var.s", 2), ("\"a\"", 2), ("upper(var.s, 1)", 2)] {
        for json in [&[][..], &["--json"]] {
            let output = plan("config-secret", &config.replace("SIZE", size), "", json);
            assert_eq!(output.code, code, "{size}: {output:?}");
            assert!(!output.stdout.contains("hunter9"), "{output:?}");
            assert!(!output.stderr.to_lowercase().contains("hunter9"), "{output:?}");
        }
    }
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let config = "resource \"test_disk\" \"data\" {\n  nam = \"a\"\n  size = \"b\"\n}\n";
    let output = plan("config-wrong", config, "", &[]);
    assert_eq!((output.code, &*output.stdout), (2, ""));
    for text in
        ["main.tf:1:29", "Missing required argument", "main.tf:2:3", "2 |   nam = \"a\"", "main.tf:3:10"]
    {
        assert!(output.stderr.contains(text), "{text}: {}", output.stderr);
    }
    let two = format!("{config}resource \"test_disk\" \"more\" {{\n}}\n");
    let output = plan("config-which", &two, "", &[]);
    assert!(output.stderr.contains("choose a resource"), "{}", output.stderr);
    let output = plan("config-none", &two, ":test_disk.no", &[]);
    assert!(output.stderr.contains("it has test_disk.data, test_disk.more"), "{}", output.stderr);
}

const JSON_DISK: &str = r#"{
  "variable": {"size": {"type": "number"}},
  "resource": {
    "test_disk": {
      "data": {
        "for_each": {"x": "one", "a:b": "two"},
        "name": "${each.key}-${each.value}",
        "size": "${var.size}",
        "tags": {"zone": "${data.test_zone.this.name}"},
        "lifecycle": {
          "ignore_changes": ["tags[\"a\"]"],
          "replace_triggered_by": ["test_disk.other"],
          "precondition": {"condition": "${var.size > 1}", "error_message": "No."}
        }
      }
    }
  }
}
"#;

/// Plans as [`plan`] does, with files of these names, of a configuration where `FOLDER` is replaced.
fn plan_files(test: &str, files: &[(&str, &str)], config: &str, arguments: &[&str]) -> Output {
    let folder = Folder::new(test);
    files.iter().for_each(|(name, text)| drop(folder.file(name, text)));
    let place = folder.0.to_str().unwrap().to_owned();
    let fixed = ["plan", "--schema", "-", "--config", config];
    let mut output = objchange(fixed.iter().chain(arguments).map(|a| a.replace("FOLDER", &place)), SCHEMAS);
    output.stderr = output.stderr.replace(&place, "FOLDER");
    output.stdout = output.stdout.replace(&place, "FOLDER");
    output
}

#[test]
fn a_block_in_json_is_planned_and_its_lines_are_shown() {
    let files = [("main.tf.json", JSON_DISK)];
    let config = r#"FOLDER/main.tf.json:test_disk.data["a:b"]"#;
    let output = plan_files("config-json-syntax", &files, config, &["--var", "size=5"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    for text in ["test_disk.data[\"a:b\"] will be created", "\"a:b-two\"", "= 5"] {
        assert!(output.stdout.contains(text), "{text}: {}", output.stdout);
    }
    assert_eq!(
        output.stderr,
        "note: not given and treated as unknown: data.test_zone.this.name\n\
         note: not looked at: replace_triggered_by; a change of test_disk.other would replace the object as well\n\
         note: not looked at: what precondition and postcondition blocks check\n"
    );
    let wrong = JSON_DISK.replace("\"name\":", "\"nam\":").replace("${var.size}", "b");
    let output = plan_files("config-json-wrong", &[("main.tf.json", &wrong)], config, &["--var", "size=5"]);
    assert_eq!((output.code, &*output.stdout), (2, ""));
    for text in ["main.tf.json:7:9", "\"nam\"", "Missing required argument", "main.tf.json:8:17"] {
        assert!(output.stderr.contains(text), "{text}: {}", output.stderr);
    }
}

#[test]
fn a_block_of_a_directory_is_planned() {
    let files = [
        (
            "main.tf",
            "resource \"test_disk\" \"data\" {\n  for_each = { \"a:b\" = 1 }\n  name = \"data\"\n  size = var.size\n}\n",
        ),
        ("variables.tf", "variable \"size\" {\n  type = number\n}\n"),
        ("z_override.tf.json", r#"{"resource": {"test_disk": {"data": {"token": "hunter2"}}}}"#),
        ("x.auto.tfvars", "size = 20\n"),
        ("prior.json", r#"{"id":"d-1","name":"data","size":10,"tags":{"a":"b"},"token":"hunter1"}"#),
        ("planned.json", r#"{"id":"d-1","name":"data","size":11,"tags":null,"token":"hunter3"}"#),
    ];
    for address in ["", ":test_disk.data[\"a:b\"]"] {
        let output = plan_files("config-directory", &files, &format!("FOLDER{address}"), &["--json"]);
        assert_eq!(output.code, 2 * i32::from(output.stdout.is_empty()), "{}", output.stderr);
        let report: serde_json::Value =
            serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        assert_eq!(report["after"]["size"], 20);
    }
    let arguments = ["--prior", "FOLDER/prior.json", "--planned", "FOLDER/planned.json"];
    let output =
        plan_files("config-directory-violation", &files, "FOLDER:test_disk.data[\"a:b\"]", &arguments);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(output.stdout.contains("at FOLDER/main.tf:4:3  size = var.size\n"), "{}", output.stdout);
    assert!(output.stdout.contains("at FOLDER/z_override.tf.json:1:38\n"), "{}", output.stdout);
    assert!(!format!("{output:?}").contains("hunter"), "{output:?}");
    let output = plan_files("config-directory-none", &files, "FOLDER:test_disk.no", &[]);
    assert!(output.stderr.contains("it has test_disk.data"), "{}", output.stderr);
}

#[test]
fn what_may_not_be_destroyed_is_not_replaced() {
    let text = "resource \"test_disk\" \"data\" {\n  name = \"data\"\n  lifecycle {\n    prevent_destroy = true\n  }\n}\n";
    let prior = r#"{"id":"d-1","name":"data","size":10,"tags":{"a":"b"},"token":"hunter1"}"#;
    let files = [("a.tofu", text), ("prior.json", prior)];
    for (replace, code) in [(&[][..], 0), (&["--replace"], 1)] {
        let arguments = [&["--prior", "FOLDER/prior.json"], replace].concat();
        let output = plan_files("config-prevent", &files, "FOLDER/a.tofu", &arguments);
        assert_eq!(output.code, code, "{}", output.stderr);
        assert_eq!(output.stderr.contains("lifecycle.prevent_destroy"), code == 1, "{}", output.stderr);
    }
}

#[test]
fn the_example_works() {
    let arguments = [
        "plan",
        "--schema",
        "examples/aws_instance/schemas.json",
        "--prior",
        "examples/aws_instance/terraform.tfstate",
        "--config",
        "examples/aws_instance/main.tf:aws_instance.web[0]",
        "--var",
        "name=api",
    ];
    let output = objchange(arguments, "");
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.contains("aws_instance.web[0] will be updated in-place"), "{}", output.stdout);
    assert_eq!(output.stderr, "note: not given and treated as unknown: aws_subnet.main.id\n");
}

#[test]
fn keys_are_read_as_terraform_writes_them() {
    let config = r#"
variable "size" {
  default = 1
}

resource "test_disk" "data" {
  for_each = { "k$${v}" = 7 }
  name     = each.key
  size     = each.value
}
"#;
    let output = plan("config-key", config, ":test_disk.data[\"k$${v}\"]", &[]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(output.stdout.contains("= 7"), "{}", output.stdout);
    for address in [":test_disk.data[\"${v}\"]", ":test_disk.data[", ":test_disk"] {
        let output = plan("config-no-key", config, address, &[]);
        assert_eq!(output.code, 2, "{address}");
        assert!(output.stderr.contains("is not the address of a resource"), "{address}: {}", output.stderr);
    }
}

#[test]
fn only_instances_that_configuration_has_are_planned() {
    let block = |repeated: &str| {
        format!("variable \"n\" {{}}\nresource \"test_disk\" \"data\" {{\n{repeated}\nname = \"x\"\n}}\n")
    };
    let each = r#"for_each = { nope = 1, "ué" = 2 }"#;
    let many = "for_each = toset([for i in range(20) : \"k${i}\"])";
    for (repeated, key, instances) in [
        (each, r#"["no"]"#, r#"there are ["nope"], ["ué"]"#),
        (each, "[0]", r#"there are ["nope"], ["ué"]"#),
        (each, "", r#"there are ["nope"], ["ué"]"#),
        (many, r#"["x"]"#, " and 12 more"),
        ("for_each = {}", r#"["x"]"#, "for_each is empty"),
        ("for_each = var.n", "[0]", "it has for_each"),
        ("count = 2", "[2]", "there are [0] to [1]"),
        ("count = 2", r#"["1"]"#, "there are [0] to [1]"),
        ("count = 2", "", "there are [0] to [1]"),
        ("count = 0", "[0]", "count is 0"),
        ("count = var.n", r#"["1"]"#, "it has count"),
        ("", "[0]", "it has neither count nor for_each"),
    ] {
        let output = plan("config-instances", &block(repeated), &format!(":test_disk.data{key}"), &[]);
        assert_eq!(output.code, 2, "{repeated} {key}: {}", output.stdout);
        assert!(output.stderr.contains(instances), "{repeated} {key}: {}", output.stderr);
    }
    for (repeated, key, heading) in [
        (each, r#"["ué"]"#, r#"test_disk.data["ué"] will be created"#),
        ("count = 2", "[01]", "test_disk.data[1] will be created"),
    ] {
        let output = plan("config-instance", &block(repeated), &format!(":test_disk.data{key}"), &[]);
        assert_eq!(output.code, 0, "{repeated} {key}: {}", output.stderr);
        assert!(output.stdout.contains(heading), "{repeated} {key}: {}", output.stdout);
        assert_eq!(output.stderr, "", "{repeated} {key}");
    }
    for (repeated, key) in [("for_each = var.n", r#"["a"]"#), ("count = var.n", "[7]"), ("count = var.n", "")]
    {
        let output = plan("config-unknown", &block(repeated), &format!(":test_disk.data{key}"), &[]);
        assert_eq!(output.code, 0, "{repeated} {key}: {}", output.stderr);
        assert!(output.stderr.contains("it is unknown whether"), "{repeated} {key}: {}", output.stderr);
    }
}

#[test]
fn source_lines_of_sensitive_arguments_are_not_shown() {
    for (token, wrong) in [
        ("\"hunter2\"", "size = \"x\""),
        ("[\"hunter2\"]", ""),
        ("file(\"hunter2\")", ""),
        ("local.pw", "size = 1 +"),
    ] {
        let config = format!(
            "locals {{\n  pw = \"hunter2\"\n}}\nresource \"test_disk\" \"data\" {{\n  name = 1\n  token = {token}\n  {wrong}\n}}\n"
        );
        let output = plan("config-snippet", &config, "", &[]);
        assert_eq!(output.code, 2, "{config}");
        assert!(!output.stderr.contains("hunter2"), "{}", output.stderr);
    }
}

const TERRAFORM_DATA: &str = r#"{"format_version":"1.0","provider_schemas":{"terraform.io/builtin/terraform":{"resource_schemas":{
    "terraform_data":{"version":0,"block":{"attributes":{
        "id":{"type":"string","computed":true},
        "input":{"type":"dynamic","optional":true},
        "output":{"type":"dynamic","computed":true},
        "triggers_replace":{"type":"dynamic","optional":true}}}}}}}}"#;

/// A state file with one `terraform_data`, as Terraform writes it.
fn data_state(sensitive: &str) -> String {
    let text = r#"{"value":"hunter2","type":"string"}"#;
    format!(
        r#"{{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","outputs":{{}},"resources":[{{"mode":"managed",
        "type":"terraform_data","name":"a","provider":"provider[\"terraform.io/builtin/terraform\"]","instances":[{{
        "schema_version":0,"attributes":{{"id":"i","input":{text},"output":{text},"triggers_replace":null}},
        "sensitive_attributes":[{sensitive}]}}]}}]}}"#
    )
}

fn plan_data(test: &str, config: &str, sensitive: &str) -> Output {
    let folder = Folder::new(test);
    let config = folder.file("main.tf", config);
    let state = folder.file("terraform.tfstate", &data_state(sensitive));
    let (config, state) = (config.to_str().unwrap(), state.to_str().unwrap());
    objchange(["plan", "--schema", "-", "--config", config, "--prior", state], TERRAFORM_DATA)
}

#[test]
fn terraform_data_is_planned_as_terraform_plans_it() {
    let output = plan_data("data-update", "resource \"terraform_data\" \"a\" {\n  input = \"b\"\n}\n", "");
    assert_eq!(output.code, 0, "{}", output.stderr);
    for text in
        ["~ input  = \"hunter2\" -> \"b\"", "~ output = \"hunter2\" -> (known after apply)", "id     = \"i\""]
    {
        assert!(output.stdout.contains(text), "{text}: {}", output.stdout);
    }
    let replaced = "resource \"terraform_data\" \"a\" {\n  input = \"hunter2\"\n  triggers_replace = 1\n}\n";
    let output = plan_data("data-replace", replaced, "");
    assert!(output.stdout.contains("must be replaced"), "{}", output.stdout);
    let same = "resource \"terraform_data\" \"a\" {\n  input = \"hunter2\"\n}\n";
    let output = plan_data("data-same", same, "");
    assert!(!output.stdout.contains("terraform_data.a will"), "{}", output.stdout);
}

/// The output repeats what is hidden in the input, and is hidden on both sides.
#[test]
fn an_output_that_stays_does_not_become_sensitive() {
    let config =
        "resource \"terraform_data\" \"a\" {\n  input = sensitive(\"hunter2\")\n  triggers_replace = 1\n}\n";
    let output = plan_data("data-sensitive", config, r#"[{"type":"get_attr","value":"input"}]"#);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert!(!output.stdout.contains("hunter2"), "{}", output.stdout);
    let config = "resource \"terraform_data\" \"a\" {\n  input = sensitive(\"hunter3\")\n}\n";
    let output = plan_data("data-secret-update", config, r#"[{"type":"get_attr","value":"input"}]"#);
    assert!(output.stdout.contains("~ output = (sensitive value)"), "{}", output.stdout);
    assert!(!output.stdout.contains("no longer"), "{}", output.stdout);
    let config = "resource \"terraform_data\" \"a\" {\n  input = \"hunter2\"\n}\n";
    let output = plan_data("data-no-longer", config, r#"[{"type":"get_attr","value":"input"}]"#);
    assert!(!output.stdout.contains("will be marked as sensitive"), "{}", output.stdout);
    assert!(!output.stdout.contains("\"hunter2\""), "{}", output.stdout);
}
