//! `objchange plan DIR --answers FILE`.

use crate::folder::Folder;
use crate::program::{Output, objchange};

const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/hashicorp/test":{
    "resource_schemas":{"test_disk":{"version":0,"block":{"attributes":{
        "id":{"type":"string","computed":true},"zone":{"type":"string","optional":true}}}}},
    "data_source_schemas":{"test_zone":{"version":0,"block":{"attributes":{
        "key":{"type":"string","required":true},"name":{"type":"string","computed":true}}}}}}}}"#;

const MODULE: &str = "data \"test_zone\" \"z\" {\n  key = \"k\"\n}\nresource \"test_disk\" \"d\" {\n  zone = data.test_zone.z.name\n}\n";

fn plan(test: &str, arguments: &[&str]) -> Output {
    let folder = Folder::new(test);
    folder.file("main.tf", MODULE);
    folder.file("schemas.json", SCHEMAS);
    folder.file("answers.json", r#"{"data":{"data.test_zone.z":{"name":"north"}}}"#);
    folder
        .file("disk.tfmock.hcl", "mock_resource \"test_disk\" {\n  defaults = {\n    id = \"d-1\"\n  }\n}\n");
    folder.file("wrong.json", r#"{"data":{"data.test_zone.z":{"nope":"hunter"}}}"#);
    let root = folder.0.to_str().unwrap();
    let arguments = arguments.iter().map(|argument| argument.replace("FOLDER", root));
    let fixed = ["plan".to_owned(), root.to_owned(), "--schemas".to_owned(), format!("{root}/schemas.json")];
    objchange(fixed.into_iter().chain(arguments), "")
}

#[test]
fn answers_are_known_in_the_plan() {
    let without = plan("answers-none", &[]);
    assert!(without.stdout.contains("zone = (known after apply)"), "{}{}", without.stdout, without.stderr);
    let with =
        plan("answers-both", &["--answers", "FOLDER/answers.json", "--answers", "FOLDER/disk.tfmock.hcl"]);
    for text in ["zone = \"north\"", "id   = \"d-1\""] {
        assert!(with.stdout.contains(text), "{text}: {}{}", with.stdout, with.stderr);
    }
}

#[test]
fn the_template_says_what_would_be_needed() {
    let output = plan("answers-template", &["--answers-template"]);
    let json: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert!(json["data"]["data.test_zone.z"]["name"]["$unknown"].is_object(), "{}", output.stdout);
    assert!(json["resources"]["test_disk"]["id"]["$unknown"].is_object(), "{}", output.stdout);
    assert_eq!(output.code, 0);
}

#[test]
fn answers_that_do_not_fit_are_told_with_their_place() {
    let output = plan("answers-wrong", &["--answers", "FOLDER/wrong.json"]);
    assert_eq!(output.code, 2, "{}", output.stdout);
    assert!(
        output
            .stderr
            .contains("wrong.json: line 1, column 29: data.test_zone.z: the schema has no attribute"),
        "{}",
        output.stderr
    );
    assert!(!output.stderr.contains("hunter"));
}
