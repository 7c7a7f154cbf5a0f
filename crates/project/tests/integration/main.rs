//! The public interface of the crate, for embedders. The program's own tests say more of each plan.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use objchange::schema::ProviderSchemas;
use objchange_document::NoState;
use objchange_module::ProviderAddress;
use objchange_project::{
    Configuration, Evaluation, PlanError, PlanSettings, RequiredInputs, SchemaCache, SchemaLookup,
    SchemaQuery, StateChoice, StateError, VariableInputs, VariableSetting, plan_directory,
};
use objchange_text::Notice;

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    folder
}

fn settings() -> PlanSettings<'static> {
    PlanSettings { lookup: SchemaLookup::none(), ..PlanSettings::default() }
}

fn planned(folder: &Path, variables: &[VariableSetting]) -> Result<serde_json::Value, PlanError> {
    let settings = PlanSettings { variables, ..settings() };
    let planned = plan_directory(folder, &settings).answer?;
    Ok(serde_json::from_str(&planned.document()).unwrap())
}

const MODULE: &str = r#"
variable "name" { type = string }
resource "terraform_data" "a" { input = var.name }
"#;

#[test]
fn a_directory_is_planned_with_what_is_beside_it() {
    let folder = folder(&[("main.tf", MODULE), ("terraform.tfvars", "name = \"a\"")]);
    let input = |variables: &[VariableSetting]| {
        let plan = planned(folder.path(), variables).unwrap();
        plan["resource_changes"][0]["change"]["after"]["input"].clone()
    };
    assert_eq!(input(&[]), "a");
    assert_eq!(input(&[VariableSetting::Text("name".into(), "b".into())]), "b");
}

#[test]
fn a_state_in_a_remote_backend_is_given_or_there_is_none() {
    let state =
        r#"{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","outputs":{},"resources":[]}"#;
    let backend = "terraform {\n  backend \"s3\" {\n  }\n}\n";
    let folder = folder(&[("main.tf", backend), ("terraform.tfstate", state), ("pulled", state)]);
    let pulled = folder.path().join("pulled");
    let plan = |state| plan_directory(folder.path(), &PlanSettings { state, ..settings() }).answer;
    match plan(StateChoice::default()) {
        Err(PlanError::State { error, .. }) => {
            assert!(matches!(*error, StateError::Elsewhere { kind, .. } if kind == "s3"));
        }
        other => panic!("{other:?}"),
    }
    for choice in [StateChoice::File(&pulled), StateChoice::Nothing] {
        let planned = plan(choice).unwrap();
        let no_state = (choice == StateChoice::Nothing).then_some(NoState::LeftOut);
        assert_eq!((planned.options.workspace, planned.no_state), (None, no_state));
    }
}

#[test]
fn what_cannot_be_planned_is_told_apart() {
    let broken = folder(&[("main.tf", "resource {")]);
    let refused = match planned(broken.path(), &[]) {
        Err(PlanError::Refused(refused)) => refused,
        other => panic!("{other:?}"),
    };
    assert!(refused.diagnostics.has_errors());
    let foreign = folder(&[("main.tf", "resource \"cloud_disk\" \"a\" {}")]);
    assert_eq!(planned(foreign.path(), &[]).unwrap()["missing"][0]["kind"], "schema");
    let all = RequiredInputs { schemas: true, ..RequiredInputs::default() };
    let missing = plan_directory(foreign.path(), &PlanSettings { require: all, ..settings() }).answer;
    assert!(matches!(missing, Err(PlanError::NoSchemas(error)) if error.names == "hashicorp/cloud"));
}

#[test]
fn schemas_are_kept_and_chosen_by_version() {
    let folder = folder(&[]);
    let cache = SchemaCache { directory: folder.path().join("schemas") };
    let name = "registry.terraform.io/hashicorp/cloud";
    let document = |size: &str| {
        let schema = format!(
            r#"{{"version":0,"block":{{"attributes":{{"{size}":{{"type":"number","optional":true}}}}}}}}"#
        );
        let text = format!(
            r#"{{"format_version":"1.0","provider_schemas":{{"{name}":{{"resource_schemas":{{"cloud_disk":{schema}}}}}}}}}"#
        );
        ProviderSchemas::parse(text).unwrap()
    };
    let notices: RefCell<Vec<Notice>> = RefCell::default();
    for (version, size) in [("1.0.0", "old"), ("2.0.0", "new")] {
        let file = cache.add(&document(size), name, "a test", |_| Some(version.to_owned()));
        assert_eq!(file.unwrap().unwrap().version.as_deref(), Some(version));
    }
    let provider = ProviderAddress::parse(name).unwrap();
    let lookup = SchemaLookup::new(cache.clone());
    let versions = |locked: BTreeMap<ProviderAddress, String>| {
        let choice = lookup.choose([SchemaQuery::Provider(provider.clone())], &locked);
        notices.borrow_mut().extend(choice.notices);
        choice.origins.into_iter().map(|origin| origin.version.unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(versions(BTreeMap::new()), ["2.0.0"]);
    assert!(matches!(&notices.borrow()[..], [Notice::Note(note)] if note.contains("1 other version")));
    assert_eq!(versions(BTreeMap::from([(provider.clone(), "1.0.0".into())])), ["1.0.0"]);
    // A damaged file is as good as none.
    let newest = cache.versions(&provider).remove(0);
    fs::write(&newest.path, "damaged").unwrap();
    assert_eq!(versions(BTreeMap::new()), ["1.0.0"]);
    assert!(notices.borrow().iter().any(|notice| matches!(notice, Notice::Warning(_))));
}

#[test]
fn expressions_see_variables_and_local_values() {
    let folder = folder(&[("main.tf", "variable \"a\" {}\nlocals { b = upper(var.a) }\n")]);
    let configuration = Configuration::read(folder.path()).unwrap();
    let settings = [VariableSetting::Text("a".into(), "x".into())];
    let given = VariableInputs { settings: &settings, base_dir: None };
    let evaluation = Evaluation::new(&configuration, &given, &[]).answer.unwrap();
    let expression = objchange_hcl::parse_expression("local.b").unwrap();
    assert_eq!(evaluation.value(&expression).0.unwrap().as_str(), Some("X"));
}

/// Modules within each other: each has a resource, and calls the one in its own directory.
fn nested(depth: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let mut directory = folder.path().to_owned();
    for level in 0..depth {
        fs::create_dir_all(&directory).unwrap();
        let call = if level + 1 < depth { "module \"m\" {\n  source = \"./m\"\n}\n" } else { "" };
        fs::write(directory.join("main.tf"), format!("resource \"terraform_data\" \"a\" {{}}\n{call}"))
            .unwrap();
        directory.push("m");
    }
    folder
}

/// The addresses of n levels have n² names together, which is little. Whatever else is done for all levels around each one is not.
#[test]
fn nested_modules_take_less_than_quadratic_steps() {
    let steps = |depth| {
        let folder = nested(depth);
        let allocations = allocation_counter::measure(|| {
            let settings = PlanSettings { state: StateChoice::Nothing, ..settings() };
            let planned = plan_directory(folder.path(), &settings).answer.unwrap();
            assert_eq!(planned.plan.changes.len(), depth);
        });
        allocations.count_total as f64
    };
    // The steps of the first plan.
    steps(1);
    let (once, twice, four_times) = (steps(25), steps(50), steps(100));
    assert!(once > 1_000.0, "{once}: the plan is made on another thread");
    // 12,165, 35,406 and 116,055.
    assert!(twice < 3.2 * once && four_times < 3.6 * twice, "{once} {twice} {four_times}");
}
