//! The documents of plan files are those that Terraform prints.

use std::fs;
use std::path::Path;

use objchange::schema::ProviderSchemas;
use objchange_document::{MadePlan, PlanMode};
use objchange_module::Schemas;
use objchange_saved::{DecodedPlan, SavedPlan};
use serde_json::Value as Json;

fn file(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)).unwrap()
}

fn read(name: &str) -> DecodedPlan {
    SavedPlan::read(&file(name)).unwrap().decode(&Schemas::default()).unwrap()
}

/// The document of the same name that Terraform printed.
#[track_caller]
fn is_that_of_terraform(name: &str, document: &DecodedPlan) {
    let wanted = file(&format!("{name}.json"));
    let (mut found, mut wanted): (Json, Json) =
        (serde_json::from_str(&document.document()).unwrap(), serde_json::from_slice(&wanted).unwrap());
    for json in [&mut found, &mut wanted] {
        // Terraform writes them in a random order.
        if let Some(Json::Array(all)) = json.get_mut("relevant_attributes") {
            all.sort_by_key(Json::to_string);
        }
    }
    assert_eq!(found, wanted, "{name}");
    assert!(document.notices().is_empty(), "{:?}", document.notices());
}

#[test]
fn documents_are_those_of_terraform() {
    for (name, mode) in
        [("create", PlanMode::Normal), ("replace", PlanMode::Normal), ("destroy", PlanMode::Destroy)]
    {
        let document = read(&format!("{name}.tfplan"));
        is_that_of_terraform(name, &document);
        assert_eq!(document.mode(), mode);
    }
}

/// Terraform 1.11.4 printed it. The changes were moved to the deferred ones by hand, because no released version defers any.
#[test]
fn deferred_changes_are_those_of_terraform() {
    let document = read("deferred.tfplan");
    is_that_of_terraform("deferred", &document);
    let json: Json = serde_json::from_str(&document.document()).unwrap();
    let addresses = json["deferred_changes"].as_array().unwrap().iter();
    let addresses: Vec<&str> =
        addresses.map(|change| change["resource_change"]["address"].as_str().unwrap()).collect();
    assert_eq!(
        addresses,
        [
            "terraform_data.a",
            "terraform_data.a[*]",
            "terraform_data.a[2]",
            "terraform_data.a[10]",
            "module.m.terraform_data.a",
            "module.m[*].terraform_data.a[*]",
            "module.m[\"x\"].terraform_data.a",
            "module.m[*].module.n.terraform_data.a",
        ]
    );
}

/// Terraform 1.15.5 wrote the file, but for the deferred actions, and printed it.
#[test]
fn actions_are_those_of_terraform() {
    let schemas = String::from_utf8(file("actions-schemas.json")).unwrap();
    let schemas = Schemas::new([ProviderSchemas::parse(&schemas).unwrap()]);
    let saved = SavedPlan::read(&file("actions.tfplan")).unwrap();
    is_that_of_terraform("actions", &saved.decode(&schemas).unwrap());
}

#[test]
fn without_schemas_actions_are_hidden() {
    let document = read("actions.tfplan");
    let json: Json = serde_json::from_str(&document.document()).unwrap();
    let hidden = serde_json::json!({"id": true, "name": true});
    for invocation in json["action_invocations"].as_array().unwrap() {
        let expected = if invocation["config_values"].is_null() { &Json::Bool(true) } else { &hidden };
        assert_eq!(&invocation["config_sensitive"], expected);
    }
    assert_eq!(json["deferred_action_invocations"][0]["action_invocation"]["config_sensitive"], hidden);
    let [objchange_text::Notice::Note(note)] = document.notices() else { panic!("{:?}", document.notices()) };
    assert!(note.starts_with("without schemas of local/kit"), "{note}");
}

#[test]
fn debug_output_has_no_secrets() {
    let plan = SavedPlan::read(&file("replace.tfplan")).unwrap();
    let document = plan.decode(&Schemas::default()).unwrap();
    assert!(document.document().contains("s3cret-pw"));
    assert!(!format!("{plan:?} {document:?}").contains("s3cret-pw"));
}
