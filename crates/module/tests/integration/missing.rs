//! Plans that are made without a part of their input.

use objchange::schema::ProviderSchemas;
use objchange::{Type, Value};
use objchange_document::Prediction;
use objchange_hcl::Functions;
use objchange_module::config::{MemoryFiles, SourceDirectory};
use objchange_module::document::{DocumentInfo, write_plan};
use objchange_module::plan::{
    AcceptsMissing, ActionReason, CheckStatus, ModulePlan, PlanMode, PlanOptions, PlannedAction,
    UndecidedReason,
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

const EVERYTHING: AcceptsMissing =
    AcceptsMissing { variables: true, modules: true, schemas: true, files: false };

/// The module in these files, and its plan from this state, without what is missing.
fn planned(files: &[(&str, &str)], state: &str, given: &[&str]) -> (Module, ModulePlan, Schemas) {
    let files: MemoryFiles = files.iter().copied().collect();
    let arguments = given.iter().map(|given| VariableArgument::Value((*given).to_owned())).collect();
    let variables = VariableSources { arguments, ..VariableSources::default() };
    let texts =
        ModuleTexts { files: &files, manifest: None, variables: &variables, terraform_version: "1.16.0" };
    let options = PlanOptions { accepts: EVERYTHING, ..PlanOptions::default() };
    let module = Module::load(texts, &options);
    let mut schemas = Schemas::new([ProviderSchemas::parse(SCHEMAS).unwrap()]);
    schemas.infer(&module.config);
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

/// The objects with unknown actions, and why these are unknown.
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
    let info = DocumentInfo {
        terraform_version: "1.16.0",
        is_simulated: false,
        prediction: Prediction { is_trusting: false, is_refreshed: true },
        timestamp: "",
    };
    let document: Json = serde_json::from_str(&write_plan(&plan, &module.config, &schemas, &info)).unwrap();
    assert_eq!(document["complete"], false);
    assert_eq!(document["terraform_version"], "1.16.0+simulated");
    assert_eq!(document["variables"], json!({"v": {}, "w": {"value": 1}}));
    assert_eq!(
        document["missing"],
        json!([{"kind": "variable", "address": "var.v", "range": {"file": "main.tf", "line": 1, "column": 1}}])
    );
}

const CALL: &str = "module \"net\" {\n  source  = \"acme/net/aws\"\n  version = \"~> 1.2\"\n}\n";

#[test]
fn outputs_of_a_module_that_is_not_installed_are_unknown() {
    let root = format!(
        "{CALL}resource \"terraform_data\" \"a\" {{\n  input = module.net.vpc.id\n}}\n\
         resource \"terraform_data\" \"b\" {{\n  count = length(module.net.subnets)\n}}\n\
         resource \"terraform_data\" \"c\" {{\n  for_each = module.net.names\n  input    = each.value\n}}\n\
         output \"o\" {{\n  value = [module.net]\n}}\n"
    );
    let plan = plan(&root, "");
    assert_eq!(missing(&plan), ["module.net is not installed (acme/net/aws ~> 1.2)"]);
    assert_eq!(changes(&plan), ["terraform_data.a Create"]);
    assert!(!plan.changes[0].after.attribute("input").unwrap().is_known());
    assert_eq!(
        undecided(&plan),
        ["terraform_data.b InputMissing: module.net", "terraform_data.c InputMissing: module.net"]
    );
    assert!(!plan.complete);
}

/// A state with an object in `module.net`, perhaps with a key.
fn state_of_module(module: &str) -> String {
    state(&[("x", "x")]).replace("\"mode\"", &format!("\"module\":\"{module}\",\"mode\""))
}

#[test]
fn nobody_knows_what_happens_to_objects_of_a_module_that_is_not_installed() {
    for module in ["module.net", "module.net[0]", "module.net.module.inner[\\\"a\\\"]"] {
        let plan = plan(CALL, &state_of_module(module));
        let address = module.replace('\\', "");
        assert_eq!(undecided(&plan), [format!("{address}.terraform_data.x ActionUnknown: module.net")]);
        assert_eq!(changes(&plan), [""; 0]);
    }
    // Those of a module that nothing calls are destroyed.
    let plan = plan(CALL, &state_of_module("module.other"));
    assert_eq!(changes(&plan), ["module.other.terraform_data.x Delete"]);
}

#[test]
fn a_data_source_may_wait_for_a_module_that_is_not_installed() {
    let root = format!(
        "{CALL}data \"sim_lookup\" \"l\" {{\n  name       = \"x\"\n  depends_on = [module.net]\n}}\n"
    );
    let plan = plan(&root, "");
    assert_eq!(plan.changes[0].reason, Some(ActionReason::ReadBecauseSimulated));
}

#[test]
fn a_module_lies_where_somebody_says() {
    let inner =
        "module \"inner\" {\n  source = \"./inner\"\n}\noutput \"o\" {\n  value = module.inner.o\n}\n";
    let leaf = "output \"o\" {\n  value = path.module\n}\n";
    let files: Vec<(&str, String)> = vec![
        ("main.tf", String::new()),
        ("vendor/net/main.tf", inner.to_owned()),
        ("vendor/net/inner/main.tf", leaf.to_owned()),
        ("vendor/net/modules/sub/main.tf", leaf.to_owned()),
    ];
    let planned = |source: &str, version: &str, given: &[(&str, &str)]| {
        let call = format!(
            "module \"m\" {{\n  source = \"{source}\"\n{version}}}\noutput \"o\" {{\n  value = module.m.o\n}}\n"
        );
        let files: MemoryFiles = files
            .iter()
            .skip(1)
            .map(|(name, text)| (*name, text.as_str()))
            .chain([("main.tf", call.as_str())])
            .collect();
        let variables = VariableSources::default();
        let module_sources = given
            .iter()
            .map(|(source, directory)| SourceDirectory {
                source: (*source).to_owned(),
                directory: (*directory).to_owned(),
            })
            .collect();
        let options = PlanOptions { accepts: EVERYTHING, module_sources, ..PlanOptions::default() };
        let texts =
            ModuleTexts { files: &files, manifest: None, variables: &variables, terraform_version: "1.16.0" };
        let module = Module::load(texts, &options);
        let plan = module.plan(
            &PriorState::default(),
            &Schemas::default(),
            Functions::pure(),
            &options,
            &mut SimulatedProviders::default(),
        );
        assert!(!plan.errored, "{:?}", plan.diagnostics);
        plan.outputs["o"].after.as_str().map(str::to_owned)
    };
    let inner = Some("vendor/net/inner".to_owned());
    let version = "  version = \"1.0.0\"\n";
    assert_eq!(planned("acme/net/aws", version, &[("acme/net/aws", "vendor/net")]), inner);
    assert_eq!(planned("registry.terraform.io/acme/net/aws", "", &[("acme/net/aws", "vendor/net")]), inner);
    assert_eq!(
        planned("git::https://x.com/n.git?ref=v1", "", &[("git::https://x.com/n.git", "vendor/net")]),
        inner
    );
    let sub = Some("vendor/net/modules/sub".to_owned());
    assert_eq!(planned("acme/net/aws//modules/sub", version, &[("acme/net/aws", "vendor/net")]), sub);
    let exact = [("acme/net/aws", "nowhere"), ("acme/net/aws//modules/sub", "vendor/net/modules/sub")];
    assert_eq!(planned("acme/net/aws//modules/sub", version, &exact), sub);
    // Another one is still missing, and so is another version of this one.
    assert_eq!(planned("acme/other/aws", version, &[("acme/net/aws", "vendor/net")]), None);
    let other = [("git::https://x.com/n.git?ref=v2", "vendor/net")];
    assert_eq!(planned("git::https://x.com/n.git?ref=v1", "", &other), None);
}

const SCHEMALESS: &str = "resource \"cloud_disk\" \"d\" {\n  name = \"n\"\n  size = 1 + 1\n  tags = { a = \"b\" }\n  block {\n    path = \"p\"\n  }\n  \
                          dynamic \"rule\" {\n    for_each = [1, 2]\n    content {\n      port = rule.value\n    }\n  }\n  lifecycle {\n    ignore_changes = [other]\n    \
                          postcondition {\n      condition     = self.anything == \"x\"\n      error_message = \"no\"\n    }\n  }\n}\n";

#[test]
fn an_object_without_a_schema_is_what_the_configuration_writes() {
    let root = format!(
        "{SCHEMALESS}output \"o\" {{\n  value = cloud_disk.d.arn\n}}\noutput \"name\" {{\n  value = cloud_disk.d.name\n}}\n\
         data \"cloud_image\" \"i\" {{\n  name = \"x\"\n}}\nresource \"terraform_data\" \"t\" {{\n  count = data.cloud_image.i.count\n}}\n\
         provider \"cloud\" {{\n  region = \"r\"\n}}\n"
    );
    let plan = plan(&root, "");
    let disk = plan.changes.iter().find(|change| change.address.to_string() == "cloud_disk.d").unwrap();
    assert_eq!(disk.action, PlannedAction::Create);
    assert_eq!(disk.after.attribute("name"), Some(&Value::from("n")));
    assert_eq!(disk.after.attribute("size"), Some(&Value::from(2)));
    let rules = disk.after.attribute("rule").unwrap();
    assert_eq!(rules.index(1).unwrap().attribute("port"), Some(&Value::from(2)));
    assert!(!disk.after.attribute("other").unwrap().is_known());
    // Whatever is asked of it may be another value with a schema.
    assert!(!plan.outputs["o"].after.is_known() && !plan.outputs["name"].after.is_known());
    assert_eq!(missing(&plan), ["there are no schemas of registry.terraform.io/hashicorp/cloud"]);
    assert_eq!(undecided(&plan), ["terraform_data.t InputMissing: data.cloud_image.i"]);
}

#[test]
fn values_of_a_state_without_schemas_are_hidden() {
    let stored = |name: &str| {
        json!({"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "l", "outputs": {}, "resources": [
            {"mode": "managed", "type": "cloud_disk", "name": name,
            "provider": "provider[\"registry.terraform.io/hashicorp/cloud\"]",
            "instances": [{"schema_version": 0, "attributes": {"name": "n", "password": "s3cret"}}]}]})
        .to_string()
    };
    for (name, wanted) in
        [("d", "cloud_disk.d ActionUnknown: cloud_disk.d"), ("gone", "cloud_disk.gone Delete")]
    {
        let (module, plan, schemas) = planned(&[("main.tf", SCHEMALESS)], &stored(name), &[]);
        assert!(!plan.errored, "{:?}", plan.diagnostics);
        assert!(undecided(&plan).iter().chain(&changes(&plan)).any(|found| found == wanted), "{plan:?}");
        let set = objchange_module::document::change_set(&plan);
        let none = objchange_document::Schemas::none();
        let report = objchange_plan::Report::of_changes(
            &set,
            &none,
            &objchange_plan::Options::default(),
            &objchange_plan::Filter::default(),
        );
        let mut text = Vec::new();
        report.unwrap().write_text(&mut text, &objchange_plan::Options::default()).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(!text.contains("s3cret") && !format!("{plan:?}").contains("s3cret"), "{text}");
        // The document has it, with a mark.
        let info = DocumentInfo {
            terraform_version: "1.16.0",
            is_simulated: true,
            prediction: Prediction { is_trusting: false, is_refreshed: true },
            timestamp: "",
        };
        let document: Json =
            serde_json::from_str(&write_plan(&plan, &module.config, &schemas, &info)).unwrap();
        let prior = &document["prior_state"]["values"]["root_module"]["resources"][0];
        assert_eq!(prior["sensitive_values"]["password"], true, "{prior}");
    }
}

#[test]
fn everything_is_destroyed_whatever_is_missing() {
    let root =
        "variable \"n\" {\n  type = number\n}\nresource \"terraform_data\" \"a\" {\n  count = var.n\n}\n";
    let files: MemoryFiles = [("main.tf", format!("{root}{CALL}"))].into_iter().collect();
    let variables = VariableSources::default();
    let texts =
        ModuleTexts { files: &files, manifest: None, variables: &variables, terraform_version: "1.16.0" };
    let options = PlanOptions { accepts: EVERYTHING, mode: PlanMode::Destroy, ..PlanOptions::default() };
    let module = Module::load(texts, &options);
    for before in [
        state_of_module("module.net"),
        state(&[("a", "x")]).replace("\"schema_version\"", "\"index_key\":0,\"schema_version\""),
    ] {
        let state = PriorState::read(&before, &Schemas::default()).unwrap().0;
        let plan = module.plan(
            &state,
            &Schemas::default(),
            Functions::pure(),
            &options,
            &mut SimulatedProviders::default(),
        );
        assert!(!plan.errored, "{:?}", plan.diagnostics);
        let actions: Vec<_> = plan.changes.iter().map(|change| change.action).collect();
        assert_eq!((actions, undecided(&plan).len()), (vec![PlannedAction::Delete], 0));
    }
}

/// The plan of these files, which has no errors.
#[track_caller]
fn plan_of(files: &[(&str, &str)], state: &str) -> ModulePlan {
    let plan = planned(files, state, &[]).1;
    assert!(!plan.errored, "{:?}", plan.diagnostics);
    plan
}

#[test]
fn functions_of_a_provider_without_schemas_are_unknown() {
    let root = "terraform {\n  required_providers {\n    far = {\n      source = \"acme/far\"\n    }\n  }\n}\n\
                locals {\n  up = provider::far::up(\"a\", 2)\n}\n\
                resource \"terraform_data\" \"a\" {\n  input = local.up\n}\noutput \"o\" {\n  value = terraform_data.a.input\n}\n";
    let plan = plan(root, "");
    assert!(!plan.outputs["o"].after.is_known());
    assert_eq!(missing(&plan), ["there are no schemas of registry.terraform.io/acme/far"]);
    assert!(!plan.complete);
    // A name that no module requires stays wrong.
    let plan = planned(&[("main.tf", "output \"o\" {\n  value = provider::near::up(1)\n}\n")], "", &[]).1;
    assert!(plan.errored);
}

#[test]
fn what_is_missing_makes_no_errors() {
    let module = "module \"m\" {\n  source = \"acme/m/aws\"\n}\n";
    let import = format!("{module}import {{\n  to = module.m.sim_thing.a\n  id = \"a\"\n}}\n");
    assert_eq!(missing(&plan(&import, "")).len(), 1);
    // Without a schema any argument may be write-only.
    let secret = "variable \"s\" {\n  ephemeral = true\n  default   = \"hush\"\n}\n\
                  resource \"far_thing\" \"a\" {\n  name     = \"a\"\n  token_wo = var.s\n  rule {\n    key = var.s\n  }\n}\n";
    let planned = plan(secret, "");
    assert_eq!(changes(&planned), ["far_thing.a Create"]);
    let after = &planned.changes[0].after;
    assert!(after.attribute("token_wo").unwrap().is_null() && !format!("{planned:?}").contains("hush"));
    // The arguments and blocks of override files take the place of others.
    let override_file = "resource \"far_thing\" \"a\" {\n  size = 2\n  rule {\n    port = 3\n  }\n}\n";
    let main = "resource \"far_thing\" \"a\" {\n  name = \"a\"\n  rule {\n    port = 1\n  }\n}\n";
    let overridden = plan_of(&[("main.tf", main), ("override.tf", override_file)], "");
    let after = &overridden.changes[0].after;
    assert_eq!(after.attribute("size"), Some(&Value::from(2)));
    assert!(after.attribute("rule").unwrap().to_string().contains('3'));
    // A path into a block leads somewhere, too.
    let ignoring = "resource \"far_thing\" \"a\" {\n  pool {\n    size = 1\n  }\n  lifecycle {\n    \
                    ignore_changes = [pool[0].settings, pool[0].size, other[0].x]\n  }\n}\n";
    assert_eq!(changes(&plan(ignoring, "")), ["far_thing.a Create"]);
    // The postcondition of a data source looks at what only a schema says.
    let looking = "variable \"v\" {}\ndata \"far_thing\" \"d\" {\n  key = var.v\n  lifecycle {\n    postcondition {\n      \
                   condition     = self.out == \"y\"\n      error_message = \"Not so.\"\n    }\n  }\n}\n";
    assert!(!plan(looking, "").errored);
}

#[test]
fn a_module_whose_instances_are_unknown_may_have_moved() {
    let files = [
        (
            "main.tf",
            "variable \"on\" {\n  type = bool\n}\nmodule \"m\" {\n  source = \"./m\"\n  count  = var.on ? 1 : 0\n}\n\
             moved {\n  from = module.m\n  to   = module.m[0]\n}\n",
        ),
        (
            "m/main.tf",
            "resource \"terraform_data\" \"a\" {\n  count = 1\n}\nmoved {\n  from = terraform_data.a\n  to   = terraform_data.a[0]\n}\n",
        ),
    ];
    assert!(!plan_of(&files, "").errored);
}

#[test]
fn what_is_wrong_in_a_module_that_may_have_no_instance_is_no_error() {
    let child = "variable \"size\" {\n  type = number\n}\nlocals {\n  twice = var.size * 2\n}\n\
                 resource \"terraform_data\" \"a\" {\n  input = local.twice\n}\noutput \"o\" {\n  value = terraform_data.a.output\n}\n";
    let root = "variable \"kind\" {\n  type = string\n}\nvariable \"size\" {\n  default = \"10Gi\"\n}\n\
                module \"m\" {\n  source = \"./m\"\n  count  = var.kind == \"x\" ? 1 : 0\n  size   = var.size\n}\n\
                output \"o\" {\n  value = module.m[*].o\n}\n";
    let files = [("main.tf", root), ("m/main.tf", child)];
    let planned_without = plan_of(&files, "");
    assert!(!planned_without.outputs["o"].after.is_known());
    assert!(!planned(&files, "", &["kind=y"]).1.errored);
    assert!(planned(&files, "", &["kind=x"]).1.errored);
}

#[test]
fn ignored_values_are_unknown_without_the_state() {
    let root = "resource \"terraform_data\" \"a\" {\n  input = \"new\"\n  lifecycle {\n    ignore_changes = [input]\n  }\n}\n\
                output \"o\" {\n  value = terraform_data.a.input\n}\n";
    let files: MemoryFiles = [("main.tf", root)].into_iter().collect();
    let variables = VariableSources::default();
    let texts =
        ModuleTexts { files: &files, manifest: None, variables: &variables, terraform_version: "1.16.0" };
    for (lacks_state, is_known) in [(true, false), (false, true)] {
        let options = PlanOptions { lacks_state, ..PlanOptions::default() };
        let module = Module::load(texts, &options);
        let (schemas, state) = (Schemas::default(), PriorState::default());
        let mut providers = SimulatedProviders::default();
        let plan = module.plan(&state, &schemas, Functions::pure(), &options, &mut providers);
        assert_eq!(plan.outputs["o"].after.is_known(), is_known);
    }
}

#[test]
fn an_existing_object_without_a_schema_keeps_ignored_values() {
    let root = "resource \"far_thing\" \"a\" {\n  name = \"new\"\n  size = 1\n  lifecycle {\n    ignore_changes = [name]\n  }\n}\n";
    let state = json!({"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "l", "outputs": {},
        "resources": [{"mode": "managed", "type": "far_thing", "name": "a",
            "provider": "provider[\"registry.terraform.io/hashicorp/far\"]",
            "instances": [{"schema_version": 0, "attributes": {"name": "old", "size": 1}}]}]});
    let plan = plan(root, &state.to_string());
    let after = &plan.undecided[0].after;
    assert!(!after.attribute("name").unwrap().is_known());
    assert_eq!(after.attribute("size"), Some(&Value::from(1)));
}
