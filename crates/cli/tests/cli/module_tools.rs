//! Directories of modules where commands take plans; `graph`, and `plan --explain`.

use std::ffi::OsString;

use proptest::prelude::*;
use serde_json::Value as Json;

use crate::folder::Folder;
use crate::program::{Output, objchange};
use crate::schemas;

const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{"example.com/test/test":{
    "resource_schemas":{"test_disk":{"version":0,"block":{"attributes":{
        "id":{"type":"string","computed":true},"name":{"type":"string","required":true}}}}},
    "data_source_schemas":{"test_zone":{"version":0,"block":{"attributes":{
        "names":{"type":["set","string"],"computed":true}}}}}}}}"#;

/// A disk that is updated, one that is new, and some whose number depends on a data source.
const MAIN: &str = r#"terraform {
  required_providers {
    test = { source = "example.com/test/test" }
  }
}
variable "name" {
  default = "new"
}
locals {
  id = "id of ${test_disk.new.id}"
}
resource "test_disk" "old" {
  name = var.name
}
resource "test_disk" "new" {
  name = "other"
}
data "test_zone" "all" {}
resource "test_disk" "many" {
  for_each = data.test_zone.all.names
  name     = each.value
}
output "id" {
  value = local.id
}
"#;

const STATE: &str = r#"{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"x","outputs":{},"resources":[
    {"mode":"managed","type":"test_disk","name":"old","provider":"provider[\"example.com/test/test\"]",
    "instances":[{"schema_version":0,"attributes":{"id":"1","name":"old"}}]}],"check_results":null}"#;

fn folder(test: &str, others: &[(&str, &str)]) -> Folder {
    let files = [("m/main.tf", MAIN), ("m/terraform.tfstate", STATE), ("schemas.json", SCHEMAS)];
    Folder::with(test, &[&files[..], others].concat())
}

/// Runs a command, in which `DIR` is the module, and `FOLDER` the folder around it.
fn run(folder: &Folder, arguments: &[&str]) -> Output {
    let module = folder.at("m").display().to_string();
    let all = arguments.iter().map(|argument| {
        OsString::from(argument.replace("DIR", &module).replace("FOLDER", &folder.0.display().to_string()))
    });
    let schemas = ["--schemas".into(), folder.at("schemas.json").into()];
    objchange(all.chain(schemas), "")
}

#[test]
fn queries_about_replacements_are_undecided() {
    let folder = folder("tools-query", &[]);
    let query = |expression: &str| run(&folder, &["query", "DIR", "-e", expression, "--output", "keys"]);
    let undecided = query("rc.type == \"test_disk\" && replaced(rc)");
    assert_eq!((undecided.code, &*undecided.stdout), (3, ""), "{undecided:?}");
    for address in ["test_disk.old", "test_disk.many"] {
        assert!(undecided.stderr.contains(address), "{undecided:?}");
    }
    let created = query("rc.change.actions == [\"create\"]");
    assert_eq!((created.code, &*created.stdout), (0, "test_disk.new\n"), "{created:?}");
    assert_eq!(query("rc.type == \"other\"").code, 1);
    // Nothing happens to it that the state would not say.
    let named = query("rc.change.after.name == \"new\"");
    assert_eq!((named.code, &*named.stdout), (0, "test_disk.old\n"), "{named:?}");
    let drift = run(&folder, &["query", "DIR", "-e", "true", "--of", "drift"]);
    assert_eq!((drift.code, &*drift.stdout), (3, ""), "{drift:?}");
}

#[test]
fn verdicts_do_not_rely_on_computed_attributes_of_updated_objects() {
    let folder = folder("tools-strict", &[]);
    let id = |arguments: &[&str]| {
        let plan = run(&folder, &[&["plan", "DIR", "--json"], arguments].concat());
        let plan: Json =
            serde_json::from_str(&plan.stdout).unwrap_or_else(|error| panic!("{error}: {plan:?}"));
        let changes = plan["resource_changes"].as_array().unwrap();
        let old = changes.iter().find(|change| change["address"] == "test_disk.old").unwrap();
        (old["change"]["after"]["id"].clone(), old["change"]["after_unknown"]["id"].clone())
    };
    let (known, unknown) = ((Json::from("1"), Json::Null), (Json::Null, Json::from(true)));
    assert_eq!(id(&[]), known);
    assert_eq!(id(&["--detailed-exitcode"]), known);
    assert_eq!(id(&["--strict"]), unknown);
    assert_eq!(id(&["--fail-on", "delete"]), unknown);
    let expression = "rc.name == \"old\" && rc.change.after.id == \"1\"";
    let query = run(&folder, &["query", "DIR", "-e", expression, "--output", "keys"]);
    assert_eq!((query.code, &*query.stdout), (3, ""), "{query:?}");
}

const REGO: &str = r#"package main
deny_replaced contains rc.address if {
    some rc in input.resource_changes
    rc.change.actions == ["delete", "create"]
}
deny_untouched contains rc.address if {
    some rc in input.resource_changes
    rc.change.actions[_] == "no-op"
}
deny_many contains "many" if {
    some rc in input.resource_changes
    rc.name == "many"
}
deny_count contains "too many" if count(input.resource_changes) > 3
deny_other contains rc.address if {
    some rc in input.resource_changes
    rc.type == "other"
}
deny_new contains rc.address if {
    some rc in input.resource_changes
    rc.change.after.name == "other"
}
deny_drift contains rc.address if some rc in input.resource_drift
deny_planned contains r.address if {
    some r in input.planned_values.root_module.resources
    r.name == "many"
}
"#;

/// The outcome of each rule for a plan.
fn verdicts(output: &Output) -> Vec<(String, String)> {
    let line: Json = serde_json::from_str(output.stdout.lines().next().unwrap_or_default())
        .unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let rules = line["rules"].as_array().unwrap_or_else(|| panic!("{output:?}"));
    let text = |value: &Json| value.as_str().unwrap_or_default().to_owned();
    let mut all: Vec<_> = rules.iter().map(|rule| (text(&rule["rule"]), text(&rule["outcome"]))).collect();
    all.sort();
    all
}

#[test]
fn rego_decides_nothing_that_providers_could_overturn() {
    let collections = REGO
        .replace("input.resource", "input.tfplan.resource")
        .replace("input.planned_values.root_module.resources", "input.tfplan.planned_values.resources");
    let folder = folder("tools-rego", &[("raw.rego", REGO), ("collections.rego", &collections)]);
    assert_eq!(run(&folder, &["plan", "DIR", "--strict", "--out", "FOLDER/plan.json"]).code, 0);
    for policy in ["FOLDER/raw.rego", "FOLDER/collections.rego"] {
        let output = run(&folder, &["policy", "DIR", "--rego", policy, "--json"]);
        assert_eq!(output.code, 1, "{output:?}");
        let undecided = ["count", "drift", "many", "planned", "replaced", "untouched"];
        let mut expected: Vec<(String, String)> = undecided
            .iter()
            .map(|name| (format!("main.deny_{name}"), "undecided".to_owned()))
            .chain(
                [("main.deny_new", "fail"), ("main.deny_other", "pass")].map(|(a, b)| (a.into(), b.into())),
            )
            .collect();
        expected.sort();
        assert_eq!(verdicts(&output), expected, "{policy}");
        // The file says the same as the directory.
        let of_file = objchange(
            [
                "policy".into(),
                folder.at("plan.json").into(),
                "--rego".into(),
                OsString::from(policy.replace("FOLDER", &folder.0.display().to_string())),
                "--json".into(),
            ],
            "",
        );
        assert_eq!(verdicts(&of_file), expected, "{of_file:?}");
    }
}

#[test]
fn every_field_of_a_change_that_there_may_be_is_unknown() {
    let mut policy = "package main\n".to_owned();
    for field in ["deposed", "index", "change.actions"] {
        let name = field.replace('.', "_");
        let value = if field == "change.actions" { "[\"create\"]" } else { "\"\"" };
        policy += &format!(
            "deny_{name} contains 1 if {{\n\tsome rc in input.tfplan.resource_changes\n\trc.name == \"many\"\n\t\
             rc.{field} == {value}\n}}\n"
        );
    }
    let folder = folder("tools-fields", &[("p.rego", &policy)]);
    let output = run(&folder, &["policy", "DIR", "--rego", "FOLDER/p.rego", "--json"]);
    let outcomes: Vec<String> = verdicts(&output).into_iter().map(|(_, outcome)| outcome).collect();
    assert_eq!(outcomes, ["undecided"; 3], "{output:?}");
}

#[test]
fn a_rule_waits_for_an_output_by_its_name() {
    let policy = "package main\n\ndeny contains 1 if input.tfplan.output_changes.id.change.after == \"x\"\n";
    let folder = folder("tools-output", &[("p.rego", policy)]);
    let output = run(&folder, &["policy", "DIR", "--rego", "FOLDER/p.rego"]);
    assert!(output.stdout.contains("\n    waits for output.id\n"), "{output:?}");
    assert_eq!(output.code, 1);
    let code =
        |what: &str| run(&folder, &["policy", "DIR", "--rego", "FOLDER/p.rego", "--fail-on", what]).code;
    assert_eq!(["deny", "warn", "undecided", "never"].map(code), [0, 1, 1, 0]);
}

#[test]
fn sentinel_decides_nothing_that_providers_could_overturn() {
    let policy = |condition: &str| format!("import \"tfplan/v2\" as tfplan\nmain = rule {{ {condition} }}\n");
    let changes = "tfplan.resource_changes";
    let old = format!("{changes}[\"test_disk.old\"].change");
    let cases = [
        (format!("{old}.actions is [\"update\"]"), 2),
        (format!("{old}.actions is [\"delete\", \"create\"]"), 2),
        (format!("{old}.after.name is \"new\""), 0),
        (format!("{old}.after.name is \"x\""), 1),
        (format!("all {changes} as _, rc {{ rc.type is not \"other\" }}"), 2),
        ("all tfplan.raw.resource_changes as rc { rc.type is not \"other\" }".to_owned(), 2),
        (format!("length({changes}) is 4"), 2),
        ("length(tfplan.resource_drift) is 0".to_owned(), 2),
    ];
    let files: Vec<(String, String)> = cases
        .iter()
        .enumerate()
        .map(|(i, (condition, _))| (format!("{i}.sentinel"), policy(condition)))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    let folder = folder("tools-sentinel", &files);
    for (i, (condition, code)) in cases.iter().enumerate() {
        let output = run(&folder, &["sentinel", "apply", &format!("FOLDER/{i}.sentinel"), "DIR"]);
        assert_eq!(output.code, *code, "{condition}: {output:?}");
    }
    let mocks = run(&folder, &["sentinel", "mock", "DIR", "--out", "FOLDER/mocks"]);
    assert_eq!(mocks.code, 0, "{mocks:?}");
}

#[test]
fn show_and_its_gates_take_directories() {
    let folder = folder("tools-show", &[]);
    let planned = run(&folder, &["plan", "DIR"]);
    let shown = run(&folder, &["show", "DIR"]);
    assert_eq!(shown.stdout, planned.stdout);
    for refused in ["replace", "drift", "create"] {
        assert_eq!(run(&folder, &["show", "DIR", "--fail-on", refused]).code, 1, "{refused}");
    }
    let gate = |command: &str| run(&folder, &[command, "DIR", "--fail-on", "delete"]);
    let (planned, shown) = (gate("plan"), gate("show"));
    assert!(planned.stdout.contains("(known after apply)"), "{planned:?}");
    assert_eq!((shown.stdout, shown.code), (planned.stdout, planned.code));
}

#[test]
fn a_module_with_errors_has_no_verdict() {
    let folder = folder(
        "tools-errors",
        &[("bad/main.tf", "output \"o\" {\n  value = var.none\n}\n"), ("p.rego", REGO)],
    );
    for command in [
        &["policy", "FOLDER/bad", "--rego", "FOLDER/p.rego"][..],
        &["query", "FOLDER/bad", "-e", "true"],
        &["show", "FOLDER/bad"],
    ] {
        let output = run(&folder, command);
        assert_eq!((output.code, &*output.stdout), (2, ""), "{command:?} {output:?}");
        assert!(output.stderr.contains("Reference to undeclared input variable"), "{output:?}");
    }
}

#[test]
fn the_graph_says_what_is_unknown() {
    let folder = folder("tools-graph", &[]);
    for format in ["dot", "json", "mermaid"] {
        let output = run(&folder, &["graph", "DIR", "--state", "DIR/terraform.tfstate", "--format", format]);
        assert_eq!(output.code, 0, "{output:?}");
        insta::assert_snapshot!(format!("graph_{format}"), output.stdout);
    }
    let unknown = run(&folder, &["graph", "DIR", "--format", "json", "--only-unknown"]);
    let graph: Json = serde_json::from_str(&unknown.stdout).unwrap();
    schemas::check(&schemas::validator("graph.schema.json"), &graph);
    assert!(graph["nodes"].as_array().unwrap().iter().all(|node| node["unknown"].is_string()), "{graph}");
}

#[test]
fn explanations_lead_to_the_root() {
    let folder = folder("tools-explain", &[]);
    let explain = |address: &str| run(&folder, &["plan", "DIR", "--explain", address]);
    let all: Vec<String> = ["output.id", "test_disk.old", "test_disk.many", "test_disk.new", "var.name"]
        .map(|address| explain(address).stdout)
        .to_vec();
    insta::assert_snapshot!("explain", all.join("\n"));
    let misspelt = explain("test_disk.nwe");
    assert_eq!(misspelt.code, 2);
    assert!(misspelt.stderr.contains("did you mean test_disk.new?"), "{misspelt:?}");
    let json = run(&folder, &["plan", "DIR", "--explain", "output.id", "--json"]);
    let json: Json = serde_json::from_str(&json.stdout).unwrap();
    schemas::check(&schemas::validator("plan-explanation.schema.json"), &json);
    assert_eq!(json["steps"][2]["address"], "test_disk.new.id", "{json}");
    assert_eq!(json["steps"][2]["what"], "unknown");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Neither explanations nor graphs show what is sensitive, wherever it is.
    #[test]
    fn secrets_are_in_no_explanation(secret in "s3cr3t-[a-z0-9]{8}") {
        let main = MAIN.replace(
            "variable \"name\" {\n  default = \"new\"",
            &format!("variable \"name\" {{\n  sensitive = true\n  default = \"{secret}\""),
        );
        prop_assert!(main.contains(&secret));
        let state = STATE.replace("\"old\"}}", &format!("\"{secret}-old\"}}}}"));
        let files = [("m/main.tf", &*main), ("m/terraform.tfstate", &*state), ("schemas.json", SCHEMAS)];
        let folder = Folder::with("tools-secrets", &files);
        for address in ["test_disk.old", "test_disk.old.name", "var.name", "output.id", "test_disk.many"] {
            for form in [&["--json"][..], &[]] {
                let output = run(&folder, &[&["plan", "DIR", "--explain", address][..], form].concat());
                prop_assert!(!output.stdout.contains(&secret) && !output.stderr.contains(&secret), "{output:?}");
            }
        }
        for format in ["dot", "json", "mermaid"] {
            let output = run(&folder, &["graph", "DIR", "--format", format]);
            prop_assert!(!output.stdout.contains(&secret) && !output.stderr.contains(&secret), "{output:?}");
        }
    }
}
