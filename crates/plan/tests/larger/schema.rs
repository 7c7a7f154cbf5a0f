//! A report as JSON is what `schema/report.schema.json` describes.

use std::fs;
use std::path::Path;

use libtest_mimic::{Failed, Trial};
use objchange_document::{Document, Schemas};
use objchange_plan::{Filter, Options, Report};

fn schema(name: &str) -> serde_json::Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema").join(name);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

pub(crate) fn trials() -> Vec<Trial> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors");
    let is_absent = !folder.exists();
    vec![
        Trial::test("a_plan_of_every_kind_fits", a_plan_of_every_kind_fits),
        Trial::test("real_documents_fit", move || real_documents_fit(&folder)).with_ignored_flag(is_absent),
    ]
}

fn validator() -> jsonschema::Validator {
    let diff = schema("diff.schema.json");
    let id = diff["$id"].as_str().unwrap().to_owned();
    let registry = jsonschema::Registry::new().add(id, diff).unwrap().prepare().unwrap();
    let options = jsonschema::draft202012::options().with_registry(&registry);
    options.build(&schema("report.schema.json")).unwrap()
}

#[track_caller]
fn check(validator: &jsonschema::Validator, document: &str, schemas: &Schemas) {
    let mut out = Vec::new();
    let document = Document::parse(document).unwrap();
    let report = Report::new(&document, schemas, &Options::default(), &Filter::default()).unwrap();
    report.write_json(&mut out).unwrap();
    // A number that no double holds is JSON, but none that the validator can look at.
    let Ok(value) = serde_json::from_slice(&out) else { return };
    let errors: Vec<String> =
        validator.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

fn a_plan_of_every_kind_fits() -> Result<(), Failed> {
    let plan = r#"{"format_version":"1.2","resource_changes":[{"address":"a.b","mode":"managed","type":"a",
        "name":"b","provider_name":"p","change":{"actions":["delete","create"],
        "before":{"id":"1","n":1.50,"s":"x\ny","j":"{\"a\":1}","m":{"k":[1]},"secret":"s"},
        "after":{"n":true,"s":"x\nz","j":"{\"a\":2}","m":{"k":[2]},"secret":"t"},
        "after_unknown":{"id":true},"before_sensitive":{"secret":true},"after_sensitive":{"secret":true},
        "replace_paths":[["id"]]}}],"output_changes":{"o":{"actions":["create"],"before":null,"after":"x",
        "after_unknown":false,"before_sensitive":false,"after_sensitive":false}}}"#;
    check(&validator(), plan, &Schemas::none());
    Ok(())
}

fn real_documents_fit(folder: &Path) -> Result<(), Failed> {
    let validator = validator();
    for file in ["render-terraform-dev.jsonl", "render-116-dev.jsonl", "render-116-actions-dev.jsonl"] {
        for line in fs::read_to_string(folder.join(file)).unwrap().lines().take(400) {
            let case: std::collections::BTreeMap<String, &serde_json::value::RawValue> =
                serde_json::from_str(line).unwrap();
            let schemas = Schemas::parse(case["schemas"].get()).unwrap();
            let document = case.get("plan").or(case.get("state")).unwrap().get();
            check(&validator, document, &schemas);
        }
    }
    Ok(())
}
