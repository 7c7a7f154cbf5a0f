//! Planning small modules. The texts are those of Terraform 1.15.5, which was asked for each.

use std::collections::BTreeMap;

use objchange::schema::ProviderSchemas;
use objchange_document::Version;
use objchange_hcl::Functions;
use objchange_module::config::{Config, LoadOptions, MemoryFiles};
use objchange_module::plan::{
    CheckStatus, ModulePlan, PlanInput, PlanMode, PlanOptions, PlannedAction, Target, plan,
};
use objchange_module::state::PriorState;
use objchange_module::{Schemas, SimulatedProviders};

const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/local/sim":{
    "resource_schemas":{"sim_thing":{"version":0,"block":{"attributes":{
        "id":{"type":"string","computed":true},
        "name":{"type":"string","optional":true}}}}},
    "functions":{"count":{"return_type":"number","parameters":[{"name":"text","type":"string"}]}}}}}"#;

const REQUIRED: &str = r#"
terraform {
  required_providers {
    sim = {
      source = "local/sim"
    }
    tf = {
      source = "terraform.io/builtin/terraform"
    }
  }
}
"#;

pub(crate) fn plan_options() -> PlanOptions {
    PlanOptions {
        mode: PlanMode::Normal,
        refresh: true,
        targets: Vec::new(),
        replace: Vec::new(),
        overridden_modules: Vec::new(),
        workspace: Some("default".into()),
        working_directory: "/".into(),
        version: Version::NEWEST,
        max_instances: 1000,
        ..PlanOptions::default()
    }
}

/// Plans a root module, and a module `m` beside it.
fn planned(root: &str, module: &str) -> ModulePlan {
    let root = format!("{REQUIRED}{root}");
    let files: MemoryFiles = [("main.tf", &*root), ("m/m.tf", module)].into_iter().collect();
    let options = LoadOptions::new("1.15.5");
    let (config, found) = Config::load(&files, ".", &options);
    if found.has_errors() {
        let mut plan = ModulePlan::default();
        plan.diagnostics = found;
        return plan;
    }
    let options = plan_options();
    let input = PlanInput {
        config: &config,
        schemas: &Schemas::new([ProviderSchemas::parse(SCHEMAS).unwrap()]),
        state: &PriorState::default(),
        variables: &BTreeMap::new(),
        functions: Functions::pure(),
        options: &options,
    };
    plan(&input, &mut SimulatedProviders::default())
}

/// The errors, each with its detail.
fn errors(root: &str, module: &str) -> Vec<String> {
    let plan = planned(root, module);
    let found = plan.diagnostics.iter().map(|found| &found.diagnostic);
    let mut errors: Vec<String> =
        found.map(|error| format!("{} | {}", error.summary, error.detail)).collect();
    errors.sort();
    errors
}

fn output(expression: &str) -> String {
    let plan = planned(&format!("output \"o\" {{\n  value = {expression}\n}}\n"), "");
    assert!(!plan.diagnostics.has_errors(), "{:?}", plan.diagnostics);
    let value = &plan.outputs["o"].after;
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

#[test]
fn the_builtin_provider_has_functions() {
    assert_eq!(
        output(
            "provider::tf::encode_expr({aa=1, b={c=1}, ccc=2, e=[1,2], g=[{h=1,iii=2},{}], \"x y\"=null})"
        ),
        "{\n  aa = 1\n  b = {\n    c = 1\n  }\n  ccc = 2\n  e   = [1, 2]\n  g = [{\n    h   = 1\n    iii = 2\n  }, {}]\n  \
         \"x y\" = null\n}"
    );
    assert_eq!(output("provider::tf::encode_tfvars({name=\"$${a}\", n=5})"), "n    = 5\nname = \"$${a}\"\n");
    assert_eq!(
        output("provider::tf::decode_tfvars(\"a = 1\\nb = [true]\").b[0]"),
        planned("output \"o\" {\n  value = true\n}\n", "").outputs["o"].after.to_string()
    );
}

#[test]
fn what_functions_refuse_is_told_as_terraform_tells_it() {
    let of_output = |expression: &str| errors(&format!("output \"o\" {{\n  value = {expression}\n}}\n"), "");
    let failed = |name: &str, why: &str| {
        vec![format!("Error in function call | Call to function \"provider::tf::{name}\" failed: {why}.")]
    };
    assert_eq!(
        of_output("provider::tf::encode_tfvars(1)"),
        failed(
            "encode_tfvars",
            "invalid value to encode: must be an object whose attribute names will become the encoded variable names"
        )
    );
    assert_eq!(
        of_output("provider::tf::decode_tfvars(\"a = upper(1)\")"),
        failed(
            "decode_tfvars",
            "invalid expression for variable \"a\": <decode_tfvars argument>:1,5-13: Function calls not allowed; Functions may \
             not be called here."
        )
    );
    assert_eq!(
        of_output("provider::tf::nope(1)"),
        ["Unknown provider function | The function \"nope\" is not available from the provider \"tf\"."]
    );
    assert_eq!(
        of_output("provider::other::nope(1)"),
        [
            "Unknown provider function | There is no function named \"provider::other::nope\". Ensure that provider name \"other\" \
          is declared in this module's required_providers block, and that this provider offers a function named \"nope\"."
        ]
    );
}

#[test]
fn what_a_provider_would_answer_is_unknown_and_no_error() {
    let plan = planned(
        "resource \"sim_thing\" \"a\" {\n  count = provider::sim::count(\"x\")\n}\noutput \"o\" {\n  value = sim_thing.a[*].id\n}\n",
        "",
    );
    assert!(!plan.diagnostics.has_errors(), "{:?}", plan.diagnostics);
    assert!(plan.changes.is_empty());
    let because_of: Vec<_> = plan.undecided[0].because_of.iter().map(String::as_str).collect();
    assert_eq!(because_of, ["provider::sim::count"]);
}

#[test]
fn imports_need_a_resource_that_repeats_like_their_address() {
    let import = |to: &str| format!("import {{\n  to = {to}\n  id = \"x\"\n}}\n");
    let module = "resource \"terraform_data\" \"x\" {\n}\n";
    let call = "module \"m\" {\n  source = \"./m\"\n}\n";
    let of = |root: &str, to: &str| errors(&format!("{call}{root}{}", import(to)), module);
    let counted = "resource \"terraform_data\" \"a\" {\n  count = 1\n}\n";
    for (root, to, wanted) in [
        (counted, "terraform_data.a", "Invalid import 'to' expression | The target resource is using count."),
        (
            counted,
            "terraform_data.a[\"x\"]",
            "Invalid import 'to' expression | The target resource does not use for_each.",
        ),
        (
            "",
            "module.m.terraform_data.x[0]",
            "Invalid import 'to' expression | The target resource does not use count.",
        ),
        (
            "",
            "module.k.terraform_data.x",
            "Configuration for import target does not exist | The configuration for the given import target \
             module.k.terraform_data.x does not exist. All target instances must have an associated configuration to be imported.",
        ),
        (
            "",
            "module.m.terraform_data.y",
            "Configuration for import target does not exist | Resource module.m.terraform_data.y not found. Only resources within \
             the root module are eligible for config generation.",
        ),
        (
            counted,
            "terraform_data.a[1]",
            "Configuration for import target does not exist | The configuration for the given import terraform_data.a[1] does not \
             exist. All target instances must have an associated configuration to be imported.",
        ),
    ] {
        assert_eq!(of(root, to), [wanted], "{to}");
    }
    let twice = format!("{}{}{counted}", import("terraform_data.a[0]"), import("terraform_data.a[0]"));
    assert_eq!(
        errors(&twice, ""),
        [
            "Duplicate import configuration for \"terraform_data.a\" | An import block for the resource \"terraform_data.a\" was \
          already declared at main.tf:12,1-7. A resource can have only one import block."
        ]
    );
}

#[test]
fn imports_may_compute_keys_of_modules_and_resources() {
    let plan = planned(
        "module \"m\" {\n  source = \"./m\"\n  for_each = toset([\"a\", \"b\"])\n}\nimport {\n  for_each = toset([\"a\", \"b\"])\n  to = \
         module.m[each.key].terraform_data.x\n  id = \"id-${each.key}\"\n}\n",
        "resource \"terraform_data\" \"x\" {\n}\n",
    );
    assert!(!plan.diagnostics.has_errors(), "{:?}", plan.diagnostics);
    let imported: Vec<_> = plan
        .changes
        .iter()
        .map(|change| {
            (change.address.to_string(), change.importing.as_ref().and_then(|by| by.id()).unwrap_or_default())
        })
        .collect();
    assert_eq!(
        imported,
        [
            ("module.m[\"a\"].terraform_data.x".to_owned(), "id-a"),
            ("module.m[\"b\"].terraform_data.x".to_owned(), "id-b")
        ]
    );
}

/// The summaries of errors and warnings.
fn summaries(root: &str, module: &str) -> Vec<String> {
    let plan = planned(root, module);
    let mut found: Vec<String> =
        plan.diagnostics.iter().map(|found| found.diagnostic.summary.to_string()).collect();
    found.sort();
    found
}

#[test]
fn ephemeral_values_go_only_where_they_are_declared() {
    let call = "module \"m\" {\n  source = \"./m\"\n  v = terraform.applying\n}\n";
    let refused = ["Ephemeral value not allowed"];
    assert_eq!(summaries(call, "variable \"v\" {\n}\n"), refused);
    assert!(summaries(call, "variable \"v\" {\n  ephemeral = true\n}\n").is_empty());
    let output = |flag: &str| {
        format!("variable \"v\" {{\n  ephemeral = true\n}}\noutput \"o\" {{\n  value = [var.v]\n{flag}}}\n")
    };
    assert_eq!(summaries(call, &output("")), refused);
    assert_eq!(summaries(call, &output("  ephemeral = true\n")), ["Value not allowed in ephemeral output"]);
    assert_eq!(summaries("output \"o\" {\n  value = terraform.applying\n}\n", ""), refused);
    let argument = "resource \"terraform_data\" \"a\" {\n  input = { a = [terraform.applying] }\n}\n";
    assert_eq!(
        errors(argument, ""),
        [
            "Invalid use of ephemeral value | Ephemeral values are not valid for \"input\", because it is not a write-only attribute \
          and must be persisted to state."
        ]
    );
}

#[test]
fn a_message_that_cannot_be_shown_is_no_problem_of_a_check() {
    const NO_MESSAGE: &str = "This check failed, but has an invalid error message as described in the other accompanying messages.";
    let check = |message: &str| {
        let text = format!(
            "resource \"terraform_data\" \"a\" {{\n}}\ncheck \"c\" {{\n  assert {{\n    condition = terraform.workspace == \"x\"\n    \
             error_message = {message}\n  }}\n}}\n"
        );
        let plan = planned(&text, "");
        let warnings: Vec<String> =
            plan.diagnostics.iter().map(|found| found.diagnostic.detail.to_string()).collect();
        let problems = plan.checks.iter().flat_map(|check| check.instances.iter().flatten());
        (warnings, problems.flat_map(|instance| instance.problems.clone()).collect::<Vec<_>>())
    };
    assert_eq!(check("\"no\""), (vec!["no".to_owned()], vec!["no".to_owned()]));
    // Unknown: no error, and nothing to show.
    assert_eq!(check("\"${terraform_data.a.id}\""), (vec![NO_MESSAGE.to_owned()], vec![]));
    let (warnings, problems) = check("sensitive(\"hunter2\")");
    assert!(problems.is_empty() && !format!("{warnings:?}").contains("hunter2"), "{warnings:?}");
    assert!(warnings.contains(&NO_MESSAGE.to_owned()), "{warnings:?}");
}

#[test]
fn what_depends_on_an_error_has_no_results_of_checks() {
    let root = "resource \"terraform_data\" \"a\" {\n  lifecycle {\n    precondition {\n      condition = terraform.workspace == \"x\"\n      \
                error_message = \"no\"\n    }\n  }\n}\nmodule \"m\" {\n  source = \"./m\"\n  depends_on = [terraform_data.a]\n}\n\
                check \"c\" {\n  assert {\n    condition = terraform_data.a.id != \"\"\n    error_message = \"no\"\n  }\n}\n";
    let module = "check \"d\" {\n  assert {\n    condition = terraform.workspace != \"\"\n    error_message = \"no\"\n  }\n}\n";
    let plan = planned(root, module);
    let found: Vec<_> = plan
        .checks
        .iter()
        .map(|check| (check.to_display(), check.status, check.instances.is_some()))
        .collect();
    assert_eq!(
        found,
        [
            ("check.c".to_owned(), CheckStatus::Unknown, true),
            ("module.m.check.d".to_owned(), CheckStatus::Unknown, false),
            ("terraform_data.a".to_owned(), CheckStatus::Fail, true),
        ]
    );
}

#[test]
fn an_import_for_an_instance_that_is_missing_keeps_its_resource_from_being_planned() {
    let plan = planned(
        "import {\n  for_each = toset([\"a\", \"b\"])\n  to = terraform_data.x[each.key]\n  id = each.key\n}\nresource \
         \"terraform_data\" \"x\" {\n  for_each = toset([\"a\"])\n}\nresource \"terraform_data\" \"y\" {\n}\n",
        "",
    );
    let planned: Vec<String> = plan.changes.iter().map(|change| change.address.to_string()).collect();
    assert_eq!((plan.diagnostics.error_count(), planned), (1, vec!["terraform_data.y".to_owned()]));
}

#[test]
fn references_see_the_outputs_of_modules_whatever_they_name() {
    let module = "output \"o\" {\n  value = 1\n}\noutput \"p\" {\n  value = terraform_data.a.id\n}\nresource \"terraform_data\" \"a\" \
                  {\n}\n";
    let plan = planned(
        "module \"m\" {\n  source = \"./m\"\n  count = 2\n}\noutput \"a\" {\n  value = module.m[1].o\n}\noutput \"b\" {\n  value = \
         [for m in module.m : m.o]\n}\noutput \"c\" {\n  value = { o = module.m[0].o, all = module.m[0] }\n}\n",
        module,
    );
    assert!(!plan.diagnostics.has_errors(), "{:?}", plan.diagnostics);
    let value = |name: &str| plan.outputs[name].after.to_string();
    assert_eq!((value("a"), value("b")), ("1".to_owned(), "[1, 1]".to_owned()));
    assert_eq!(value("c"), "{all = {o = 1, p = (known after apply)}, o = 1}");
}

/// The action for an object with a secret, from a state with these sensitive paths.
fn planned_for_marks(sensitive: &str, refresh: bool) -> PlannedAction {
    let schemas = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/local/sim":{
        "resource_schemas":{"sim_thing":{"version":0,"block":{"attributes":{
            "id":{"type":"string","computed":true},
            "secret":{"type":"string","optional":true,"sensitive":true}}}}}}}}"#;
    let schemas = Schemas::new([ProviderSchemas::parse(schemas).unwrap()]);
    let state = format!(
        r#"{{"version":4,"resources":[{{"mode":"managed","type":"sim_thing","name":"a",
            "provider":"provider[\"registry.terraform.io/local/sim\"]","instances":[{{"schema_version":0,
            "attributes":{{"id":"1","secret":null}},"sensitive_attributes":[{sensitive}]}}]}}]}}"#
    );
    let root = format!("{REQUIRED}resource \"sim_thing\" \"a\" {{\n}}\n");
    let options = PlanOptions { refresh, ..plan_options() };
    planned_from(&[("main.tf", &root)], &state, &schemas, &options).changes[0].action
}

#[test]
fn an_object_of_which_the_state_does_not_know_what_is_sensitive_is_updated_unless_it_is_read() {
    let marked = r#"[{"type":"get_attr","value":"secret"}]"#;
    assert_eq!(planned_for_marks(marked, false), PlannedAction::NoOp);
    assert_eq!(planned_for_marks("", true), PlannedAction::NoOp);
    assert_eq!(planned_for_marks("", false), PlannedAction::Update);
}

/// Asked of Terraform 1.11.4 and 1.15.5: neither a plan nor a state can hold it.
#[test]
fn an_infinite_number_cannot_be_planned() {
    let object = "resource \"terraform_data\" \"a\" {\n  input = [1 / 0]\n}\n\
                  resource \"terraform_data\" \"b\" {\n  input = terraform_data.a.input\n}\n";
    assert_eq!(
        errors(object, ""),
        [
            "failed to encode terraform_data.a in state: failed to serialize value: cannot serialize infinity as JSON | "
        ]
    );
    let output = "output \"a\" {\n  value = { b = -1 / 0 }\n}\n";
    assert_eq!(errors(output, ""), ["Failed to marshal plan to json: cannot serialize infinity as JSON | "]);
    let kept = planned_from(
        &[("main.tf", output)],
        r#"{"version":4,"lineage":"a","outputs":{},"resources":[]}"#,
        &Schemas::default(),
        &PlanOptions { is_saved: true, ..plan_options() },
    );
    let kept: Vec<_> = kept.diagnostics.iter().map(|found| found.diagnostic.to_string()).collect();
    assert!(kept[0].contains("Failed to write plan file") && kept.len() == 1, "{kept:?}");
    let variable = "variable \"a\" {\n  default = 1 / 0\n}\n";
    assert_eq!(
        errors(variable, ""),
        [
            "Failed to marshal plan to json: error in marshalPlanVariables: cannot serialize infinity as JSON | "
        ]
    );
    assert_eq!(errors("output \"a\" {\n  value = 1 / 0 > 3\n}\n", ""), [""; 0]);
}

/// Plans a configuration that has no errors before planning, with objects that exist.
pub(crate) fn planned_from(
    files: &[(&str, &str)],
    state: &str,
    schemas: &Schemas,
    options: &PlanOptions,
) -> ModulePlan {
    let files: MemoryFiles = files.iter().copied().collect();
    let (config, found) = Config::load(&files, ".", &LoadOptions::new("1.16.0"));
    assert!(!found.has_errors(), "{found:?}");
    let (state, _) = PriorState::read(state, schemas).unwrap();
    let input = PlanInput {
        config: &config,
        schemas,
        state: &state,
        variables: &BTreeMap::new(),
        functions: Functions::pure(),
        options,
    };
    plan(&input, &mut SimulatedProviders::default())
}

/// The changes of a root module with a module `m` beside it, after this state: addresses, with the keys of deposed objects,
/// and actions.
fn changes(root: &str, module: &str, state: &str, mode: PlanMode) -> Vec<(String, PlannedAction)> {
    let files = [("main.tf", root), ("m/m.tf", module)];
    let plan = planned_from(&files, state, &Schemas::default(), &PlanOptions { mode, ..plan_options() });
    assert!(!plan.diagnostics.has_errors(), "{:?}", plan.diagnostics);
    let address = |change: &objchange_module::plan::PlannedObject| {
        format!(
            "{}{}",
            change.address,
            change.deposed.as_deref().map(|key| format!(" {key}")).unwrap_or_default()
        )
    };
    plan.changes.iter().map(|change| (address(change), change.action)).collect()
}

/// Three instances of `terraform_data.a`: one tainted, one with a deposed object.
const COUNTED: &str = r#"{"version":4,"terraform_version":"1.16.0","serial":1,"lineage":"a","outputs":{},"resources":[{
    "mode":"managed","type":"terraform_data","name":"a","provider":"provider[\"terraform.io/builtin/terraform\"]","instances":[
    {"index_key":0,"schema_version":0,"status":"tainted","attributes":{"id":"0","input":null,"output":null,"triggers_replace":null}},
    {"index_key":1,"schema_version":0,"attributes":{"id":"1","input":null,"output":null,"triggers_replace":null}},
    {"index_key":1,"schema_version":0,"deposed":"aaaaaaaa","attributes":{"id":"2","input":null,"output":null,"triggers_replace":null}},
    {"index_key":2,"schema_version":0,"attributes":{"id":"3","input":null,"output":null,"triggers_replace":null}}]}]}"#;

/// Terraform 1.17-dev: an object that is replaced for another reason than a taint is destroyed all the same, and so is one whose
/// block is gone.
#[test]
fn objects_of_resources_that_are_not_to_be_destroyed_are_forgotten() {
    let block = |lifecycle: &str| {
        format!(
            "resource \"terraform_data\" \"a\" {{\n  count = 2\n  lifecycle {{\n    {lifecycle}\n  }}\n}}\n"
        )
    };
    let change = |address: &str, action| (address.to_owned(), action);
    assert_eq!(
        changes(&block("destroy = false"), "", COUNTED, PlanMode::Normal),
        [
            change("terraform_data.a[0]", PlannedAction::CreateThenForget),
            change("terraform_data.a[1]", PlannedAction::NoOp),
            change("terraform_data.a[1] aaaaaaaa", PlannedAction::Forget),
            change("terraform_data.a[2]", PlannedAction::Forget),
        ]
    );
    // An object that is only forgotten may also be protected.
    let destroyed =
        changes(&block("destroy = false\n    prevent_destroy = true"), "", COUNTED, PlanMode::Destroy);
    assert_eq!(destroyed.len(), 4);
    assert!(destroyed.iter().all(|(_, action)| *action == PlannedAction::Forget), "{destroyed:?}");
    let replaced = block("destroy = false").replace("count = 2", "count = 3\n  triggers_replace = 1");
    assert_eq!(
        changes(&replaced, "", COUNTED, PlanMode::Normal)[1],
        change("terraform_data.a[1]", PlannedAction::DeleteThenCreate)
    );
    let gone = changes("", "", COUNTED, PlanMode::Normal);
    assert!(gone.iter().all(|(_, action)| *action == PlannedAction::Delete), "{gone:?}");
}

/// Terraform 1.17-dev: once for each instance of the module, whose own names the block sees.
#[test]
fn modules_that_others_call_import() {
    let root = "module \"m\" {\n  source = \"./m\"\n  for_each = toset([\"p\", \"q\"])\n  k = each.key\n}\n";
    let module = "variable \"k\" {}\nresource \"terraform_data\" \"a\" {}\n\
                  import {\n  to = terraform_data.a\n  id = var.k\n}\n";
    let state =
        r#"{"version":4,"terraform_version":"1.16.0","serial":1,"lineage":"a","outputs":{},"resources":[]}"#;
    assert_eq!(
        changes(root, module, state, PlanMode::Normal),
        [
            ("module.m[\"p\"].terraform_data.a".to_owned(), PlannedAction::NoOp),
            ("module.m[\"q\"].terraform_data.a".to_owned(), PlannedAction::NoOp),
        ]
    );
    let files: MemoryFiles = [("main.tf", root), ("m/m.tf", module)].into_iter().collect();
    let summary = |terraform_version| {
        let (_, found) = Config::load(&files, ".", &LoadOptions::new(terraform_version));
        found.iter().next().map(|found| found.diagnostic.summary.to_string())
    };
    assert_eq!(summary("1.14.9").as_deref(), Some("Invalid import configuration"));
    assert_eq!(summary("1.15.5"), None);
}

/// Terraform 1.11.4 and 1.15.5: what no target includes does not make others be created first.
#[test]
fn what_is_not_targeted_does_not_say_what_is_created_first() {
    let root = "resource \"terraform_data\" \"a\" {}\nresource \"terraform_data\" \"b\" {\n  input = terraform_data.a.id\n  \
                lifecycle {\n    create_before_destroy = true\n  }\n}\n";
    let state = r#"{"version":4,"terraform_version":"1.15.5","serial":1,"lineage":"a","outputs":{},"resources":[{
        "mode":"managed","type":"terraform_data","name":"a","provider":"provider[\"terraform.io/builtin/terraform\"]",
        "instances":[{"schema_version":0,"status":"tainted",
        "attributes":{"id":"0","input":null,"output":null,"triggers_replace":null}}]}]}"#;
    let action = |targets: &[&str]| {
        let options = PlanOptions {
            targets: targets.iter().map(|target| Target::Resource(target.parse().unwrap())).collect(),
            ..plan_options()
        };
        planned_from(&[("main.tf", root)], state, &Schemas::default(), &options).changes[0].action
    };
    assert_eq!(action(&["terraform_data.a"]), PlannedAction::DeleteThenCreate);
    assert_eq!(action(&["terraform_data.b"]), PlannedAction::CreateThenDelete);
}

/// Terraform 1.15.5: once for each call, and not for null.
#[test]
fn deprecated_variables_of_called_modules_are_named_where_they_get_a_value() {
    let warnings = |argument: &str| {
        let root = format!("module \"m\" {{\n  source = \"./m\"\n  count = 2\n  v = {argument}\n}}\n");
        let plan = planned(
            &root,
            "variable \"v\" {\n  default = 0\n  nullable = false\n  deprecated = \"not this\"\n}\n",
        );
        plan.diagnostics.iter().map(|found| found.diagnostic.summary.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(warnings("1"), ["Deprecated variable got a value"]);
    assert_eq!(warnings("null"), [""; 0]);
    let output = errors("output \"a\" {\n  value = 1\n  deprecated = \"x\"\n}\n", "");
    assert!(output[0].starts_with("Root module output deprecated | "), "{output:?}");
}

/// The resources that a cycle leads through, also those that only wait for it: found with Terraform 1.11.4.
#[test]
fn changes_that_need_a_replaced_object_are_in_its_cycle() {
    let root = "resource \"terraform_data\" \"b\" {\n  triggers_replace = 1\n}\nresource \"terraform_data\" \"c\" {\n  triggers_replace = 1\n  \
                lifecycle {\n    create_before_destroy = true\n  }\n}\nresource \"terraform_data\" \"d\" {\n  input = terraform_data.c.id\n  \
                lifecycle {\n    replace_triggered_by = [terraform_data.c]\n  }\n}\n";
    let object = |name: &str, dependencies: &str| {
        format!(
            r#"{{"mode":"managed","type":"terraform_data","name":"{name}","provider":"provider[\"terraform.io/builtin/terraform\"]",
            "instances":[{{"schema_version":0,"attributes":{{"id":"{name}","input":null,"output":null,"triggers_replace":null}},
            "dependencies":[{dependencies}]}}]}}"#
        )
    };
    let state = format!(
        r#"{{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"a","outputs":{{}},"resources":[{},{}]}}"#,
        object("b", ""),
        object("c", r#""terraform_data.b""#)
    );
    let errors = |root: &str| {
        let plan = planned_from(&[("main.tf", root)], &state, &Schemas::default(), &plan_options());
        plan.diagnostics.iter().map(|found| found.diagnostic.summary.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(
        errors(root),
        [
            "Cycle:\n  terraform_data.b\n  terraform_data.b (destroy)\n  terraform_data.c\n  terraform_data.c (destroy deposed)\n  \
             terraform_data.d\n  terraform_data.d (expand)"
        ]
    );
    // A plan with errors is not looked at any further.
    let prevented = root
        .replace("create_before_destroy = true", "create_before_destroy = true\n    prevent_destroy = true");
    assert_eq!(errors(&prevented), ["Instance cannot be destroyed"]);
}

/// Terraform 1.15.5 says it of each call, and once while planning.
#[test]
fn validation_says_the_same_thing_of_each_call_of_a_module() {
    let calls = "module \"a\" {\n  source = \"./m\"\n}\nmodule \"b\" {\n  source = \"./m\"\n}\n";
    let wrong = "output \"x\" {\n  value = 1 + \"a\"\n}\n";
    assert_eq!(errors(calls, wrong).len(), 2);
    let wrong_value = "variable \"v\" {\n  default = \"a\"\n}\noutput \"x\" {\n  value = 1 + var.v\n}\n";
    assert_eq!(errors(calls, wrong_value).len(), 1);
    let own = "locals {\n  x = local.x\n}\n";
    assert_eq!(
        errors(calls, own),
        ["a", "b"].map(|call| format!(
            "Self-referencing local value | Local value module.{call}.local.x cannot use its own result as part of its \
             expression."
        ))
    );
}

#[test]
fn a_count_of_the_wrong_type_names_its_value() {
    let root =
        "variable \"v\" {\n  default = \"x\"\n}\nresource \"terraform_data\" \"a\" {\n  count = var.v\n}\n";
    let plan = planned(root, "");
    let values: Vec<_> = plan.diagnostics.iter().map(|found| found.diagnostic.values.clone()).collect();
    assert_eq!(values, [[("var.v".to_owned(), "is \"x\"".to_owned())]]);
}
