//! A prediction says that it is one, wherever it is read.

use crate::folder::Folder;
use crate::program::{Output, objchange};

const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/acme/acme":{"resource_schemas":{
    "acme_disk":{"version":0,"block":{"attributes":{"label":{"type":"string","optional":true},
    "id":{"type":"string","computed":true}}}}}}}}"#;

const STATE: &str = r#"{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","outputs":{},"resources":[
    {"mode":"managed","type":"acme_disk","name":"a","provider":"provider[\"registry.terraform.io/acme/acme\"]",
    "instances":[{"schema_version":0,"attributes":{"label":"data","id":"d-1"}}]}],"check_results":null}"#;

const MAIN: &str = "terraform {\n  required_providers {\n    acme = {\n      source = \"acme/acme\"\n    }\n  }\n}\n\nresource \
    \"acme_disk\" \"a\" {\n  label = \"new\"\n}\n";

const HEADLINE: &str = "Predicted plan: the providers were not asked. Updates may be replacements";

fn folder(test: &str) -> Folder {
    Folder::with(test, &[("schemas.json", SCHEMAS), ("m/terraform.tfstate", STATE), ("m/main.tf", MAIN)])
}

/// Runs a command, in which `@NAME` is a file of the folder.
fn run(folder: &Folder, line: &str) -> Output {
    let word = |word: &str| match word.strip_prefix('@') {
        Some(file) => folder.at(file).display().to_string(),
        None => word.to_owned(),
    };
    objchange(line.split(' ').map(word), "")
}

#[test]
fn the_headline_is_above_the_text_of_directories_and_documents() {
    let folder = folder("prediction-text");
    let saved = run(&folder, "plan @m --schemas @schemas.json --out @plan.json");
    assert_eq!(saved.code, 0, "{saved:?}");
    let texts = ["plan @m", "show @m", "show @plan.json"].map(|line| {
        let output = run(&folder, &format!("{line} --schemas @schemas.json"));
        assert_eq!(output.code, 0, "{output:?}");
        output.stdout
    });
    assert!(texts[0].starts_with(HEADLINE), "{}", texts[0]);
    assert_eq!(texts[0], texts[1]);
    assert_eq!(texts[0].trim_end(), texts[2].trim_end());
    // Terraform's text begins in the third line.
    let exact = texts[0].split_once("\n\n").unwrap().1;
    assert!(exact.trim_start().starts_with("Terraform used the selected providers"), "{exact}");
    assert!(saved.stderr.contains("; 1 update may be a replacement"), "{saved:?}");
}

#[test]
fn updates_may_be_replaced_in_our_own_formats() {
    let folder = folder("prediction-own");
    let saved = run(&folder, "plan @m --schemas @schemas.json --out @plan.json");
    assert_eq!(saved.code, 0, "{saved:?}");
    for source in ["@m", "@plan.json"] {
        for format in ["--summary", "--format markdown", "--format html"] {
            let output = run(&folder, &format!("show {source} --schemas @schemas.json {format}"));
            assert!(output.stdout.contains("may be replaced"), "{source} {format}: {output:?}");
        }
        let json = run(&folder, &format!("show {source} --schemas @schemas.json --json"));
        let report: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
        assert_eq!(report["predicted"], true);
        assert_eq!(report["resource_changes"][0]["may_be_replaced"], true);
    }
    // Terraform itself predicts nothing: its provider is a part of it.
    folder.write("t/main.tf", "resource \"terraform_data\" \"a\" {}\n");
    let certain = run(&folder, "plan @t");
    assert!(!certain.stdout.contains("Predicted"), "{certain:?}");
}

/// Pages are read without standard error beside them.
#[test]
fn pages_say_that_schemas_are_missing() {
    let folder = folder("prediction-schemas");
    const NOTE: &str = "Schemas are missing";
    let saved = run(&folder, "plan @m --schemas @schemas.json --out @plan.json");
    assert_eq!(saved.code, 0, "{saved:?}");
    for format in ["markdown", "html"] {
        let without = run(&folder, &format!("show @plan.json --format {format}"));
        assert!(without.stdout.contains(NOTE), "{format}: {without:?}");
        let with = run(&folder, &format!("show @plan.json --format {format} --schemas @schemas.json"));
        assert!(!with.stdout.contains(NOTE), "{format}: {with:?}");
        // The schemas of a planned directory are at hand.
        let planned = run(&folder, &format!("show @m --format {format} --schemas @schemas.json"));
        assert!(!planned.stdout.contains(NOTE), "{format}: {planned:?}");
    }
    let json = run(&folder, "show @plan.json --json");
    let report: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(report["lacks_schemas"], true);
    // The text of Terraform stays as it is; a warning says it.
    let text = run(&folder, "show @plan.json");
    assert!(!text.stdout.contains(NOTE) && text.stderr.contains("without --schemas"), "{text:?}");
}
