//! Plans that are made without a part of their input.

use objchange::schema::ProviderSchemas;
use objchange::{Type, Value};
use objchange_hcl::Functions;
use objchange_module::config::MemoryFiles;
use objchange_module::document::{DocumentInfo, write_plan};
use objchange_module::plan::{
    AcceptsMissing, ActionReason, CheckStatus, ModulePlan, PlanOptions, PlannedAction, UndecidedReason,
};
use objchange_module::state::PriorState;
use objchange_module::variables::{VariableArgument, VariableSources};
use objchange_module::{Module, ModuleTexts, Schemas, SimulatedProviders};
use serde_json::{Value as Json, json};

const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{
    "registry.terraform.io/hashicorp/sim":{
        "resource_schemas":{"sim_thing":{"version":0,"block":{"attributes":{
            "id":{"type":"string","computed":true},
            "name":{"type":"string","optional":true},
            "tags":{"type":["map","string"],"optional":true}}}}},
        "data_source_schemas":{"sim_lookup":{"version":0,"block":{"attributes":{
            "name":{"type":"string","optional":true},
            "out":{"type":"string","computed":true}}}}}}}}"#;

const EVERYTHING: AcceptsMissing = AcceptsMissing { variables: true, modules: true, schemas: true };

/// The module in these files, and its plan from this state, without what is missing.
fn planned(files: &[(&str, &str)], state: &str, given: &[&str]) -> (Module, ModulePlan, Schemas) {
    let files: MemoryFiles = files.iter().copied().collect();
    let arguments = given.iter().map(|given| VariableArgument::Value((*given).to_owned())).collect();
    let variables = VariableSources { arguments, ..VariableSources::default() };
    let texts =
        ModuleTexts { files: &files, manifest: None, variables: &variables, terraform_version: "1.16.0" };
    let options = PlanOptions { accepts: EVERYTHING, ..PlanOptions::default() };
    let module = Module::load(texts, &options);
    let schemas = Schemas::new([ProviderSchemas::parse(SCHEMAS).unwrap()]);
    let state = match state {
        "" => PriorState::default(),
        state => PriorState::read(state, &schemas).unwrap().0,
    };
    let plan = module.plan(&state, &schemas, Functions::pure(), &options, &mut SimulatedProviders::default());
    (module, plan, schemas)
}

#[track_caller]
fn plan(root: &str, state: &str) -> ModulePlan {
    let plan = planned(&[("main.tf", root)], state, &[]).1;
    assert!(!plan.errored, "{:?}", plan.diagnostics);
    plan
}

/// A state of `terraform_data` objects: their names and inputs.
fn state(objects: &[(&str, &str)]) -> String {
    let resources: Vec<Json> = objects
        .iter()
        .map(|(name, input)| {
            let value = json!({"value": input, "type": "string"});
            json!({"mode": "managed", "type": "terraform_data", "name": name,
                "provider": "provider[\"terraform.io/builtin/terraform\"]", "instances": [{"schema_version": 0,
                "attributes": {"id": *name, "input": value, "output": value, "triggers_replace": null}}]})
        })
        .collect();
    json!({"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "l", "outputs": {},
        "resources": resources})
    .to_string()
}

/// The changes, without what stays as it is.
fn changes(plan: &ModulePlan) -> Vec<String> {
    let changes = plan.changes.iter().filter(|change| change.action != PlannedAction::NoOp);
    changes.map(|change| format!("{} {:?}", change.address, change.action)).collect()
}

/// What nobody knows the actions of, and why.
fn undecided(plan: &ModulePlan) -> Vec<String> {
    plan.undecided
        .iter()
        .map(|one| format!("{} {:?}: {}", one.address, one.reason, one.because_of.join(" ")))
        .collect()
}

fn missing(plan: &ModulePlan) -> Vec<String> {
    plan.missing.iter().map(ToString::to_string).collect()
}

#[test]
fn a_variable_without_a_value_is_unknown_and_of_its_type() {
    let root = "variable \"v\" {\n  type = list(string)\n}\nvariable \"n\" {\n  type     = number\n  nullable = false\n}\n\
                variable \"any\" {}\nvariable \"given\" {\n  default = 1\n}\n\
                output \"v\" {\n  value = var.v\n}\noutput \"n\" {\n  value = var.n == null\n}\n\
                output \"any\" {\n  value = var.any\n}\noutput \"given\" {\n  value = var.given\n}\n";
    let plan = plan(root, "");
    let after = |name: &str| plan.outputs[name].after.clone();
    assert_eq!((after("v").is_known(), after("v").ty().clone()), (false, Type::list(Type::String)));
    assert_eq!(after("n"), Value::from(false));
    assert_eq!((after("any").is_known(), after("any").ty().clone()), (false, Type::Dynamic));
    assert_eq!(after("given"), Value::from(1));
    assert_eq!(missing(&plan), ["var.any has no value", "var.n has no value", "var.v has no value"]);
    let range = plan.missing[2].range.as_ref().unwrap();
    assert_eq!((&*range.file, range.line, range.column), ("main.tf", 1, 1));
    assert!(!plan.complete);
    // A null that is given is a value.
    let (_, plan, _) = planned(
        &[("main.tf", "variable \"v\" {}\noutput \"o\" {\n  value = var.v == null\n}\n")],
        "",
        &["v=x"],
    );
    assert!(plan.complete && plan.missing.is_empty());
}

#[test]
fn rules_about_what_is_missing_are_undecided() {
    let root = "variable \"v\" {\n  type = string\n  validation {\n    condition     = length(var.v) > 3\n    error_message = \"short\"\n  }\n}\n\
                resource \"terraform_data\" \"a\" {\n  input = \"x\"\n  lifecycle {\n    precondition {\n      condition     = var.v == \"y\"\n      error_message = \"no\"\n    }\n  }\n}\n";
    let plan = plan(root, "");
    let statuses: Vec<_> = plan.checks.iter().map(|check| (check.to_display(), check.status)).collect();
    assert_eq!(
        statuses,
        [("terraform_data.a".to_owned(), CheckStatus::Unknown), ("var.v".to_owned(), CheckStatus::Unknown)]
    );
    assert_eq!(changes(&plan), ["terraform_data.a Create"]);
}

#[test]
fn what_happens_to_an_existing_object_is_not_known() {
    let root = "variable \"v\" {}\nresource \"terraform_data\" \"a\" {\n  input = var.v\n}\n\
                resource \"terraform_data\" \"b\" {\n  input = \"same\"\n}\n\
                resource \"terraform_data\" \"c\" {\n  input = terraform_data.a.id\n}\n\
                resource \"terraform_data\" \"d\" {\n  input = terraform_data.a.output\n}\n\
                resource \"terraform_data\" \"e\" {\n  input            = \"same\"\n  lifecycle {\n    replace_triggered_by = [terraform_data.a]\n  }\n}\n\
                resource \"terraform_data\" \"f\" {\n  input = var.v\n}\n\
                resource \"terraform_data\" \"g\" {\n  input = var.v\n  lifecycle {\n    ignore_changes = [input]\n  }\n}\n";
    let before = state(&[("a", "x"), ("b", "same"), ("c", "a"), ("d", "x"), ("e", "same"), ("g", "x")]);
    let plan = plan(root, &before);
    // The id of an object that exists stays. A new one is created whatever its input is.
    assert_eq!(changes(&plan), ["terraform_data.f Create"]);
    assert_eq!(
        undecided(&plan),
        [
            "terraform_data.a ActionUnknown: var.v",
            "terraform_data.d ActionUnknown: var.v",
            "terraform_data.e ActionUnknown: var.v"
        ]
    );
    let a = &plan.undecided[0];
    assert_eq!(a.before.attribute("input"), Some(&Value::from("x")));
    assert_eq!(a.after.attribute("id"), Some(&Value::from("a")));
    assert!(!plan.complete && matches!(a.reason, UndecidedReason::ActionUnknown));
}

#[test]
fn a_tainted_object_is_replaced_whatever_is_missing() {
    let before =
        state(&[("a", "x")]).replace("\"schema_version\":0", "\"schema_version\":0,\"status\":\"tainted\"");
    let plan = plan("variable \"v\" {}\nresource \"terraform_data\" \"a\" {\n  input = var.v\n}\n", &before);
    assert_eq!(plan.changes[0].reason, Some(ActionReason::ReplaceBecauseTainted));
    assert_eq!((undecided(&plan).len(), plan.changes.len()), (0, 1));
}

#[test]
fn instances_that_depend_on_what_is_missing_are_one_entry() {
    let root = "variable \"n\" {\n  type = number\n}\nvariable \"all\" {\n  type = map(string)\n}\n\
                resource \"terraform_data\" \"a\" {\n  count = var.n\n  input = \"x\"\n}\n\
                resource \"terraform_data\" \"b\" {\n  input = terraform_data.a[*].id\n}\n\
                module \"m\" {\n  source   = \"./m\"\n  for_each = var.all\n}\noutput \"o\" {\n  value = module.m[\"x\"].o\n}\n\
                resource \"terraform_data\" \"t\" {\n  input = \"same\"\n  lifecycle {\n    replace_triggered_by = [terraform_data.a]\n  }\n}\n";
    let child = "resource \"terraform_data\" \"c\" {\n  input = \"x\"\n}\noutput \"o\" {\n  value = terraform_data.c.id\n}\n";
    let before = state(&[("t", "same")]);
    let (_, plan, _) = planned(&[("main.tf", root), ("m/m.tf", child)], &before, &[]);
    assert!(!plan.errored, "{:?}", plan.diagnostics);
    assert_eq!(changes(&plan), ["terraform_data.b Create"]);
    assert_eq!(
        undecided(&plan),
        [
            "module.m.terraform_data.c InputMissing: var.all",
            "terraform_data.a InputMissing: var.n",
            "terraform_data.t ActionUnknown: terraform_data.a var.n"
        ]
    );
}

#[test]
fn a_data_source_may_be_read_while_planning() {
    let root = "variable \"v\" {}\ndata \"sim_lookup\" \"l\" {\n  name = var.v\n}\noutput \"o\" {\n  value = data.sim_lookup.l.out\n}\n";
    let plan = plan(root, "");
    assert_eq!(plan.changes[0].reason, Some(ActionReason::ReadBecauseSimulated));
}

#[test]
fn a_secret_without_a_value_stays_one() {
    let root = "variable \"v\" {\n  sensitive = true\n}\nresource \"terraform_data\" \"a\" {\n  input = \"x-${var.v}\"\n}\n";
    let plan = plan(root, "");
    assert!(
        plan.changes[0]
            .after
            .attribute("input")
            .unwrap()
            .marks_deep()
            .contains(objchange::value::Marks::SENSITIVE)
    );
}

#[test]
fn the_document_says_what_it_was_made_without() {
    let root = "variable \"v\" {}\nvariable \"w\" {\n  default = 1\n}\noutput \"o\" {\n  value = var.v\n}\n";
    let (module, plan, schemas) = planned(&[("main.tf", root)], "", &[]);
    let info =
        DocumentInfo { terraform_version: "1.16.0", is_simulated: false, is_refreshed: true, timestamp: "" };
    let document: Json = serde_json::from_str(&write_plan(&plan, &module.config, &schemas, &info)).unwrap();
    assert_eq!(document["complete"], false);
    assert_eq!(document["terraform_version"], "1.16.0+simulated");
    assert_eq!(document["variables"], json!({"v": {}, "w": {"value": 1}}));
    assert_eq!(
        document["missing"],
        json!([{"kind": "variable", "address": "var.v", "range": {"file": "main.tf", "line": 1, "column": 1}}])
    );
}
