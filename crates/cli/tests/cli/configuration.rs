//! `objchange plan --config FILE.tf`.

use crate::plan::{Folder, SCHEMAS};
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
    assert_eq!(output.stderr, "note: not given, so taken as not known yet: data.test_zone.this.name\n");

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
    assert!(output.stderr.contains("say which resource is meant"), "{}", output.stderr);
    let output = plan("config-none", &two, ":test_disk.no", &[]);
    assert!(output.stderr.contains("it has test_disk.data, test_disk.more"), "{}", output.stderr);
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
    assert_eq!(output.stderr, "note: not given, so taken as not known yet: aws_subnet.main.id\n");
}
