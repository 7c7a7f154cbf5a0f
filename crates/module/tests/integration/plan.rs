//! Planning small modules. The texts are those of Terraform 1.15.5, which was asked for each.

use std::collections::BTreeMap;

use objchange::schema::ProviderSchemas;
use objchange_hcl::Functions;
use objchange_module::config::{Config, LoadOptions, MemoryFiles};
use objchange_module::plan::{ModulePlan, PlanInput, PlanMode, PlanOptions, plan};
use objchange_module::state::PriorState;
use objchange_module::{Schemas, SimulatedProviders};
use objchange_plan::Version;

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

/// Plans a root module, and a module `m` beside it.
fn planned(root: &str, module: &str) -> ModulePlan {
    let root = format!("{REQUIRED}{root}");
    let files: MemoryFiles = [("main.tf", &*root), ("m/m.tf", module)].into_iter().collect();
    let options = LoadOptions { manifest: None, terraform_version: "1.15.5" };
    let (config, found) = Config::load(&files, ".", &options);
    if found.has_errors() {
        let mut plan = ModulePlan::default();
        plan.diagnostics = found;
        return plan;
    }
    let options = PlanOptions {
        mode: PlanMode::Normal,
        refresh: true,
        targets: Vec::new(),
        replace: Vec::new(),
        workspace: "default".into(),
        working_directory: "/".into(),
        version: Version::NEWEST,
        max_instances: 1000,
    };
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
