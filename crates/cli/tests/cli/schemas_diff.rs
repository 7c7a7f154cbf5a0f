//! `objchange schemas diff`.

use std::collections::BTreeMap;
use std::fs;

use objchange::schema::ProviderSchemas;
use objchange_document::schema_cache::{CachedSchemas, ModelTexts};

use crate::folder::Folder;
use crate::program::{Output, objchange_with};
use crate::schemas::{check, validator};

const PROVIDER: &str = "example.com/test/kit";

/// A document with two types; `disk` has the attributes of `kit_disk`.
fn document(disk: &str, others: &str) -> String {
    format!(
        r#"{{"format_version":"1.0","provider_schemas":{{"{PROVIDER}":{{"resource_schemas":{{
            "kit_disk":{{"version":0,"block":{{"attributes":{disk}}}}}{others}}}}}}}}}"#
    )
}

const BEFORE: &str = r#"{"name":{"type":"string","optional":true},"size":{"type":"number","optional":true},
    "note":{"type":"string","optional":true}}"#;
const AFTER: &str = r#"{"name":{"type":"string","optional":true},"size":{"type":"number","optional":true}}"#;
const GONE: &str = r#","kit_old":{"version":0,"block":{"attributes":{}}}"#;

/// A model of `kit_disk` in which changes of these arguments replace the object, or do not.
fn model(replaces: &[(&str, bool)]) -> String {
    let parts: Vec<String> = replaces
        .iter()
        .map(|(part, replaces)| match replaces {
            true => format!(r#""{part}":{{"replaces":{{"value":{{"yes":3,"paths":["{part}"]}}}}}}"#),
            false => format!(r#""{part}":{{"replaces":{{"value":{{"no":3}}}}}}"#),
        })
        .collect();
    format!(r#"{{"probes":9,"parts":{{{}}}}}"#, parts.join(","))
}

fn exported(document: &str, version: &str, model: Option<String>) -> Vec<u8> {
    let schemas = ProviderSchemas::parse(document).unwrap();
    let texts = model.map(|model| ModelTexts {
        head: format!(r#"{{"format":1,"provider":"{PROVIDER}","version":"{version}"}}"#),
        types: BTreeMap::from([("kit_disk".into(), model)]),
    });
    CachedSchemas::to_file_with_model(&schemas, PROVIDER, Some(version), "test", texts.as_ref()).unwrap()
}

const MAIN: &str = r#"terraform {
  required_providers {
    kit = { source = "example.com/test/kit" }
  }
}
resource "kit_disk" "a" {
  name = "a"
}
resource "kit_disk" "b" {
  note = "b"
}
"#;

fn folder(test: &str) -> Folder {
    let folder = Folder::with(&format!("schemas-diff-{test}"), &[("main.tf", MAIN)]);
    let learned = model(&[("name", false), ("size", false), ("note", false)]);
    let replacing = model(&[("name", true), ("size", false)]);
    fs::write(folder.at("1.schemas"), exported(&document(BEFORE, GONE), "1.0.0", Some(learned))).unwrap();
    fs::write(folder.at("2.schemas"), exported(&document(AFTER, ""), "2.0.0", Some(replacing))).unwrap();
    fs::write(folder.at("bare.schemas"), exported(&document(AFTER, ""), "2.0.0", None)).unwrap();
    folder.write("2.json", document(AFTER, ""));
    folder
}

#[track_caller]
fn diff(folder: &Folder, arguments: &str) -> Output {
    let cache = folder.at("cache").display().to_string();
    let directory = folder.0.display().to_string();
    let arguments = arguments.replace("DIR", &directory);
    let arguments = ["schemas", "diff"].into_iter().chain(arguments.split_whitespace());
    objchange_with(&[("OBJCHANGE_CACHE_DIR", &cache)], arguments, "")
}

#[test]
fn differences_of_schemas_and_behavior_are_printed() {
    let folder = folder("text");
    let printed = diff(&folder, "DIR/1.schemas DIR/2.schemas");
    assert_eq!(printed.code, 0, "{printed:?}");
    assert_eq!(
        printed.stdout,
        "example.com/test/kit 1.0.0 -> example.com/test/kit 2.0.0: 3 differences\n\n\
         kit_disk\n  name forces replacement; before it did not force replacement\n  note is removed\n\n\
         kit_old\n  it is removed\n"
    );
    let json = diff(&folder, "DIR/1.schemas DIR/2.schemas DIR --json");
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    check(&validator("schemas-diff.schema.json"), &json);
    assert_eq!(json["changes"][0]["kind"], "replaces");
    assert_eq!(json["changes"][0]["resources"][0]["address"], "kit_disk.a");
    let markdown = diff(&folder, "DIR/1.schemas DIR/2.schemas DIR --markdown").stdout;
    assert!(markdown.contains("| `kit_disk` | `note` | `is removed` | `kit_disk.b` |"), "{markdown}");
}

#[test]
fn only_resources_in_directories_count() {
    let folder = folder("directories");
    let printed = diff(&folder, "DIR/1.schemas DIR/2.schemas DIR");
    let concerned =
        |name: &str, line: u32| format!("      kit_disk.{name} ({}/main.tf:{line},", folder.0.display());
    assert!(printed.stdout.contains(&concerned("a", 6)), "{printed:?}");
    assert!(printed.stdout.contains(&concerned("b", 9)), "{printed:?}");
    assert!(!printed.stdout.contains("kit_old"), "{printed:?}");
    assert!(printed.stdout.contains("1 other difference of no concern"), "{printed:?}");
}

#[test]
fn gates_fail_at_what_they_name_and_at_what_was_not_compared() {
    let folder = folder("gates");
    for (arguments, code) in [
        ("DIR/1.schemas DIR/2.schemas --fail-on replace", 1),
        ("DIR/1.schemas DIR/2.schemas --fail-on removed", 1),
        ("DIR/1.schemas DIR/2.schemas --fail-on refused", 0),
        ("DIR/2.schemas DIR/2.schemas --fail-on replace", 0),
        // Without models nobody knows what forces replacement.
        ("DIR/1.schemas DIR/bare.schemas --fail-on replace", 2),
        ("DIR/2.schemas DIR/2.json --fail-on replace", 2),
        ("DIR/2.schemas DIR/2.json --fail-on refused", 2),
        ("DIR/2.schemas DIR/2.json --fail-on removed", 0),
        ("DIR/2.schemas DIR/2.json", 0),
    ] {
        let printed = diff(&folder, arguments);
        assert_eq!(printed.code, code, "{arguments}: {printed:?}");
    }
    let unsure = diff(&folder, "DIR/2.schemas DIR/2.json");
    assert!(unsure.stdout.contains("Not checked: the behavior is not compared"), "{unsure:?}");
    // The argument that only one model knows is not set in this module.
    let other = model(&[("name", false)]);
    fs::write(folder.at("3.schemas"), exported(&document(AFTER, ""), "3.0.0", Some(other))).unwrap();
    assert_eq!(diff(&folder, "DIR/3.schemas DIR/3.schemas --fail-on replace").code, 2);
    assert_eq!(diff(&folder, "DIR/3.schemas DIR/3.schemas DIR --fail-on replace").code, 0);
}

#[test]
fn inputs_that_cannot_be_compared_are_named() {
    let folder = folder("inputs");
    folder.write("other.json", document(AFTER, "").replace(PROVIDER, "example.com/test/other"));
    folder.write("broken.schemas", "objchange schemas 1\nx");
    for (arguments, message) in [
        ("DIR/1.schemas DIR/other.json", "these are two providers"),
        ("DIR/1.schemas DIR/none.schemas", "there is no such file"),
        ("DIR/1.schemas hashicorp/aws@5.1.0", "there are no cached schemas of hashicorp/aws@5.1.0"),
        ("DIR/1.schemas DIR/broken.schemas", "this is not a file of cached schemas"),
        ("DIR/1.schemas DIR/2.schemas --max-input 10", "--max-input"),
        ("DIR/1.schemas DIR/2.schemas DIR/none", "none"),
    ] {
        let printed = diff(&folder, arguments);
        assert!(printed.code == 2 && printed.stderr.contains(message), "{arguments}: {printed:?}");
    }
}

/// Terraform asks providers to validate even where they are mocked. A model knows some of the values that they refuse.
#[test]
fn module_tests_fail_at_values_that_a_model_refuses() {
    let folder = folder("tests");
    folder.write("main.tf", MAIN.replace("name = \"a\"", "name = \"tape\""));
    folder.write("tests/a.tftest.hcl", "mock_provider \"kit\" {}\nrun \"r\" {\n  command = plan\n}\n");
    let chosen = r#"{"probes":9,"parts":{"name":{"one_of":["ssd","hdd"]}}}"#.to_owned();
    fs::write(folder.at("4.schemas"), exported(&document(BEFORE, ""), "4.0.0", Some(chosen))).unwrap();
    let cache = folder.at("cache").display().to_string();
    let directory = folder.0.display().to_string();
    let run = |arguments: &[&str]| objchange_with(&[("OBJCHANGE_CACHE_DIR", &cache)], arguments, "");
    let file = folder.at("4.schemas").display().to_string();
    assert_eq!(run(&["schemas", "add", &file]).code, 0);
    let refused = run(&["test", &directory]);
    assert_eq!(refused.code, 1, "{refused:?}");
    let printed = format!("{}{}", refused.stdout, refused.stderr);
    assert!(printed.contains("The provider refuses this value") && printed.contains("ssd"), "{printed}");
    let without = run(&["test", &directory, "--no-model"]);
    assert_eq!(without.code, 0, "{without:?}");
    assert!(without.stderr.contains("Terraform asks example.com/test/kit to validate"), "{without:?}");
    folder.write("main.tf", MAIN.replace("name = \"a\"", "name = \"ssd\""));
    assert_eq!(run(&["test", &directory]).code, 0);
}
