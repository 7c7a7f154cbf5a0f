//! `replace_triggered_by`, as Terraform 1.11.4 and 1.15.5 answered.

use objchange_document::Version;
use objchange_module::Schemas;
use objchange_module::plan::PlanOptions;

use crate::plan::{plan_options, planned_from};

/// The state after an apply with `input = 1` in `a`, and without any in `b`.
const STATE: &str = r#"{"version":4,"lineage":"a","outputs":{},"resources":[
    {"mode":"managed","type":"terraform_data","name":"a","provider":"provider[\"terraform.io/builtin/terraform\"]","instances":[
    {"schema_version":0,"attributes":{"id":"1","input":{"value":1,"type":"number"},"output":{"value":1,"type":"number"}}}]},
    {"mode":"managed","type":"terraform_data","name":"b","provider":"provider[\"terraform.io/builtin/terraform\"]","instances":[
    {"schema_version":0,"attributes":{"id":"2","input":null,"output":null}}]}]}"#;

/// Whether `b` is replaced where `a` has this input, or the errors.
fn triggered(version: &str, input: &str, triggers: &str) -> Result<bool, Vec<String>> {
    let root = format!(
        "resource \"terraform_data\" \"a\" {{\n  input = {input}\n}}\nresource \"terraform_data\" \"none\" {{\n  count = 0\n}}\n\
         resource \"terraform_data\" \"b\" {{\n  lifecycle {{\n    replace_triggered_by = [{triggers}]\n  }}\n}}\n"
    );
    let options = PlanOptions { version: Version::parse(version).unwrap(), ..plan_options() };
    let plan = planned_from(&[("main.tf", &*root)], STATE, &Schemas::default(), &options);
    if plan.diagnostics.has_errors() {
        let found = plan.diagnostics.iter().map(|found| &found.diagnostic);
        return Err(found.map(|error| format!("{} | {}", error.summary, error.detail)).collect());
    }
    let changes = plan.changes.iter();
    Ok(changes.filter(|change| change.address.resource.name == "b").any(|change| change.action.is_replace()))
}

#[test]
fn what_follows_the_first_trigger_that_changes_is_not_looked_at() {
    let missing = Err(vec!["no change found for terraform_data.none[5] in the root module | ".to_owned()]);
    for version in ["1.11", "1.15"] {
        let of = |triggers| triggered(version, "2", triggers);
        assert_eq!(of("terraform_data.a.input, terraform_data.none[5]"), Ok(true));
        assert_eq!(of("terraform_data.none[5], terraform_data.a.input"), missing);
    }
}

#[test]
fn a_path_must_be_in_the_schema_of_an_object_that_changes() {
    let wrong = "terraform_data.a.inputs";
    let attribute = "Unsupported attribute | This object has no argument, nested block, or exported attribute named \"inputs\". \
                     Did you mean \"input\"?";
    assert_eq!(triggered("1.15", "2", wrong), Err(vec![attribute.to_owned()]));
    assert_eq!(triggered("1.15", "1", wrong), Ok(false));
    assert_eq!(triggered("1.11", "2", wrong), Ok(false));
    // The type of `input` is not known.
    assert_eq!(triggered("1.15", "2", "terraform_data.a.input.x"), Ok(false));
    assert_eq!(
        triggered("1.15", "2", "terraform_data.a.id.x"),
        Err(vec![
            "Unsupported attribute | Can't access attributes on a primitive-typed value (string).".to_owned()
        ])
    );
}
