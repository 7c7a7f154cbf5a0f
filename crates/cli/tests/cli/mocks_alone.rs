//! `objchange test` where nobody has the schemas of a provider, and mocks take its place.

use std::ffi::OsString;

use crate::folder::Folder;
use crate::program::{Output, objchange};

const MAIN: &str = r#"terraform {
  required_providers {
    cloud = { source = "example.com/acme/cloud" }
  }
}
variable "name" {
  type    = string
  default = "api"
}
data "cloud_image" "base" {
  family = "linux"
}
resource "cloud_disk" "d" {
  name  = var.name
  size  = 10
  image = data.cloud_image.base.id
  zones = ["a", "b", "b"]
  tags = {
    Team = "web"
  }
  rule {
    port = "80"
    note = "first"
  }
  rule {
    port = "443"
    note = "second"
  }
}
resource "cloud_alias" "a" {
  target = cloud_disk.d.arn
  label  = "alias of ${cloud_disk.d.name}"
}
locals {
  rules = { for rule in cloud_disk.d.rule : rule.note => rule.state }
}
output "arn" {
  value = cloud_disk.d.arn
}
"#;

const MOCK: &str = r#"mock_provider "cloud" {
  mock_resource "cloud_disk" {
    defaults = {
      arn = "arn:disk"
    }
  }
  mock_data "cloud_image" {
    defaults = {
      id = "image-1"
    }
  }
}
"#;

/// Runs one test file that has these runs, each with a command and a condition.
fn run(test: &str, mock: &str, runs: &[(&str, &str)], options: &[&str]) -> Output {
    let mut text = mock.to_owned();
    for (at, (command, condition)) in runs.iter().enumerate() {
        text += &format!(
            "run \"r{at}\" {{\n  command = {command}\n  assert {{\n    condition     = {condition}\n    \
             error_message = \"It does not hold.\"\n  }}\n}}\n"
        );
    }
    let folder = Folder::with(test, &[("main.tf", MAIN), ("a.tftest.hcl", &text)]);
    let mut arguments: Vec<OsString> = vec!["test".into(), folder.0.clone().into()];
    arguments.extend(options.iter().map(OsString::from));
    objchange(arguments, "")
}

/// How each run has ended.
fn ends(output: &Output) -> Vec<&str> {
    let lines = output.stdout.lines().filter(|line| line.starts_with("  run "));
    lines.filter_map(|line| line.rsplit(' ').next()).collect()
}

#[test]
fn configuration_and_mocks_decide() {
    let output = run(
        "mocks-decide",
        MOCK,
        &[
            ("plan", "cloud_disk.d.name == \"api\""),
            ("plan", "cloud_disk.d.name == \"db\""),
            ("apply", "cloud_disk.d.arn == \"arn:disk\" && cloud_disk.d.image == \"image-1\""),
            ("apply", "cloud_alias.a.target == \"arn:disk\" && cloud_alias.a.label == \"alias of api\""),
            ("apply", "cloud_disk.d.tags.Team == \"web\" && cloud_disk.d.tags[\"Team\"] == \"web\""),
            ("apply", "contains(cloud_disk.d.zones, \"b\") && !contains(cloud_disk.d.zones, \"c\")"),
            ("apply", "sort(cloud_disk.d.rule[*].note) == tolist([\"first\", \"second\"])"),
            ("apply", "cloud_disk.d.rule[1].note == \"second\" && output.arn == \"arn:disk\""),
            ("apply", "cloud_disk.d.size > 5 && \"${cloud_disk.d.size} GB\" == \"10 GB\""),
        ],
        &[],
    );
    let pass = "pass";
    assert_eq!(ends(&output), [pass, "fail", pass, pass, pass, pass, pass, pass, pass], "{output:?}");
    assert!(output.stderr.contains("note: there are no schemas of example.com/acme/cloud"), "{output:?}");
    assert_eq!(output.code, 1, "{output:?}");
}

#[test]
fn nothing_is_decided_by_what_only_a_schema_says() {
    let conditions = [
        // The type of an attribute.
        ("apply", "cloud_disk.d.size == 10"),
        ("apply", "cloud_disk.d.size != 10"),
        ("apply", "cloud_disk.d.rule[0].port == \"80\""),
        ("apply", "cloud_disk.d.tags == { Team = \"web\" }"),
        ("apply", "cloud_disk.d.zones == [\"a\", \"b\", \"b\"]"),
        ("apply", "length(cloud_disk.d.zones) == 3"),
        ("apply", "[for zone in cloud_disk.d.zones : zone] == [\"a\", \"b\", \"b\"]"),
        // Attributes that nothing gives.
        ("apply", "cloud_disk.d.id != null"),
        ("apply", "cloud_disk.d.acl == null"),
        ("plan", "cloud_disk.d.acl == null"),
        ("apply", "length(cloud_disk.d.endpoints) == 0"),
        ("apply", "cloud_disk.d.endpoint[0].address != \"\""),
        ("apply", "cloud_alias.a.id != cloud_disk.d.id"),
        ("apply", "local.rules[\"first\"] == null"),
        ("apply", "data.cloud_image.base.owner != 80"),
    ];
    let output = run("mocks-undecided", MOCK, &conditions, &[]);
    assert_eq!(ends(&output), ["undecided"; 15], "{output:?}");
    assert_eq!(output.code, 3, "{output:?}");
    assert!(output.stdout.contains("Warning: Test run undecided"), "{output:?}");
    assert!(output.stdout.contains("which was made up, because no mock and no"), "{output:?}");
    let output = run("mocks-strict", MOCK, &conditions, &["--strict"]);
    assert!(ends(&output).iter().all(|end| matches!(*end, "fail" | "skip")), "{output:?}");
    assert_eq!(output.code, 1, "{output:?}");
}

#[test]
fn all_of_the_provider_is_mocked() {
    let decided = [("plan", "cloud_disk.d.name == \"api\"")];
    let output = run("mocks-absent", "", &decided, &[]);
    assert!(output.code == 2 && output.stderr.contains("there are no schemas of"), "{output:?}");
    let output = run("mocks-beside", &format!("provider \"cloud\" {{}}\n{MOCK}"), &decided, &[]);
    assert!(output.code != 0, "{output:?}");
    // An attribute that an override gives is known as well.
    let overriding = format!(
        "{MOCK}override_resource {{\n  target = cloud_disk.d\n  values = {{\n    state = \"up\"\n  }}\n}}\n"
    );
    let output = run("mocks-override", &overriding, &[("apply", "cloud_disk.d.state == \"up\"")], &[]);
    assert_eq!(output.code, 0, "{output:?}");
}
