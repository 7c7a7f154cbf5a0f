//! The documents of plan files are those that Terraform prints.

use std::fs;
use std::path::Path;

use objchange_module::Schemas;
use objchange_plan::PlanMode;
use objchange_saved::{SavedDocument, SavedPlan};
use serde_json::Value as Json;

fn file(name: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)).unwrap()
}

fn read(name: &str) -> SavedDocument {
    SavedPlan::read(&file(name)).unwrap().document(&Schemas::default()).unwrap()
}

#[test]
fn documents_are_those_of_terraform() {
    for (name, mode) in
        [("create", PlanMode::Normal), ("replace", PlanMode::Normal), ("destroy", PlanMode::Destroy)]
    {
        let document = read(&format!("{name}.tfplan"));
        let wanted = file(&format!("{name}.json"));
        let (mut found, mut wanted): (Json, Json) =
            (serde_json::from_str(&document.text).unwrap(), serde_json::from_slice(&wanted).unwrap());
        for json in [&mut found, &mut wanted] {
            // Terraform writes them in a random order.
            if let Some(Json::Array(all)) = json.get_mut("relevant_attributes") {
                all.sort_by_key(Json::to_string);
            }
        }
        assert_eq!(found, wanted, "{name}");
        assert_eq!(document.mode, mode);
        assert!(document.notices.is_empty(), "{:?}", document.notices);
    }
}

#[test]
fn debug_output_has_no_secrets() {
    let plan = SavedPlan::read(&file("replace.tfplan")).unwrap();
    let document = plan.document(&Schemas::default()).unwrap();
    assert!(document.text.contains("s3cret-pw"));
    assert!(!format!("{plan:?} {document:?}").contains("s3cret-pw"));
}
