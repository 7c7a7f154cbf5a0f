//! Instances that are wrong, that targets name, or that are imported, and what is said of them. Terraform 1.11.4 and 1.15.5
//! were asked for each.

use std::collections::BTreeMap;

use objchange::address::{InstanceAddress, InstanceKey, ModuleAddress, ModuleStep, ResourceAddress};
use objchange::schema::ProviderSchemas;
use objchange_document::Version;
use objchange_hcl::Functions;
use objchange_module::config::MemoryFiles;
use objchange_module::plan::{CheckStatus, ModulePlan, PlanOptions, Target, UndecidedReason};
use objchange_module::state::PriorState;
use objchange_module::variables::VariableSources;
use objchange_module::{Module, ModuleTexts, Schemas, SimulatedProviders};

const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{
    "registry.terraform.io/hashicorp/sim":{"resource_schemas":{"sim_thing":{"version":0,"block":{"attributes":{
        "id":{"type":"string","computed":true},
        "names":{"type":["set","string"],"computed":true},
        "name":{"type":"string","optional":true}}}}}}}}"#;

fn planned(version: &str, targets: Vec<Target>, root: &str, module: &str) -> ModulePlan {
    let files: MemoryFiles = [("main.tf", root), ("m/m.tf", module)].into_iter().collect();
    let schemas = Schemas::new([ProviderSchemas::parse(SCHEMAS).unwrap()]);
    let variables = VariableSources::default();
    let texts =
        ModuleTexts { files: &files, manifest: None, variables: &variables, terraform_version: version };
    let version = Version::parse(version).unwrap();
    let options = PlanOptions { version, targets, ..PlanOptions::default() };
    let module = Module::load(texts, &options);
    let mut providers = SimulatedProviders::default();
    module.plan(&PriorState::default(), &schemas, Functions::pure(), &options, &mut providers)
}

fn errors(plan: &ModulePlan) -> Vec<String> {
    let found = plan
        .diagnostics
        .iter()
        .map(|found| &found.diagnostic)
        .filter(|found| found.summary != "Resource targeting is in effect");
    found.map(|error| format!("{} | {}", error.summary, error.detail)).collect()
}

fn addresses(plan: &ModulePlan) -> Vec<String> {
    plan.changes.iter().map(|change| change.address.to_string()).collect()
}

/// The status of each object with conditions, and of how many instances it is.
fn checks(plan: &ModulePlan) -> BTreeMap<String, (CheckStatus, Option<usize>)> {
    let checks = plan.checks.iter();
    checks.map(|check| (check.to_display(), (check.status, check.instances.as_ref().map(Vec::len)))).collect()
}

const CONDITION: &str = "  lifecycle {\n    precondition {\n      condition     = terraform.workspace == \"default\"\n      \
                         error_message = \"No.\"\n    }\n  }\n";

#[test]
fn a_target_names_the_modules_around_it_as_they_are() {
    let root = "module \"m\" {\n  source = \"./m\"\n  count  = 2\n}\n";
    let module = "resource \"terraform_data\" \"a\" {\n}\nresource \"terraform_data\" \"b\" {\n  input = terraform_data.a.id\n}\n";
    let step = |key: Option<u64>| ModuleStep { name: "m".into(), key: key.map(InstanceKey::Number) };
    let targeted = |target: Target| addresses(&planned("1.15.5", vec![target], root, module));
    let resource = |key| {
        let address = "terraform_data.b".parse::<InstanceAddress>().unwrap();
        let module = ModuleAddress(vec![step(key)]);
        let resource = ResourceAddress { module, ..address.resource };
        Target::Resource(InstanceAddress { resource, key: None })
    };
    // Nothing is `b` in a single module `m`, but what it needs is planned.
    assert_eq!(targeted(resource(None)), ["module.m[0].terraform_data.a", "module.m[1].terraform_data.a"]);
    assert_eq!(
        targeted(resource(Some(1))),
        ["module.m[0].terraform_data.a", "module.m[1].terraform_data.a", "module.m[1].terraform_data.b"]
    );
    assert_eq!(targeted(Target::Module(ModuleAddress(vec![step(None)]))).len(), 4);
    assert_eq!(targeted(Target::Module(ModuleAddress(vec![step(Some(0))]))).len(), 2);
}

#[test]
fn where_one_count_is_wrong_nothing_of_the_resource_is_planned() {
    let root =
        "module \"m\" {\n  source   = \"./m\"\n  for_each = { a = 2, b = -1 }\n  n        = each.value\n}\n";
    let module = format!(
        "variable \"n\" {{\n}}\nresource \"terraform_data\" \"a\" {{\n  count = var.n\n{CONDITION}}}\n\
         resource \"terraform_data\" \"b\" {{\n}}\n"
    );
    let plan = planned("1.15.5", Vec::new(), root, &module);
    assert_eq!(errors(&plan).len(), 1);
    assert_eq!(addresses(&plan), ["module.m[\"a\"].terraform_data.b", "module.m[\"b\"].terraform_data.b"]);
    assert_eq!(checks(&plan)["module.m.terraform_data.a"], (CheckStatus::Unknown, None));
}

#[test]
fn a_trigger_that_names_nothing_comes_before_the_conditions() {
    let root = "resource \"terraform_data\" \"none\" {\n  count = 0\n}\nresource \"terraform_data\" \"a\" {\n  lifecycle {\n    \
                replace_triggered_by = [terraform_data.none]\n    precondition {\n      \
                condition     = terraform.workspace == \"other\"\n      error_message = \"No.\"\n    }\n  }\n}\n";
    let plan = planned("1.15.5", Vec::new(), root, "");
    assert_eq!(errors(&plan), ["no change found for terraform_data.none in the root module | "]);
    assert_eq!(checks(&plan)["terraform_data.a"], (CheckStatus::Unknown, Some(1)));
}

#[test]
fn instances_only_a_provider_knows_pass_no_check() {
    let root = format!(
        "resource \"sim_thing\" \"s\" {{\n}}\nresource \"terraform_data\" \"a\" {{\n  for_each = sim_thing.s.names\n{CONDITION}}}\n"
    );
    let plan = planned("1.15.5", Vec::new(), &root, "");
    assert_eq!(errors(&plan), [""; 0]);
    assert_eq!(checks(&plan)["terraform_data.a"], (CheckStatus::Unknown, None));
}

#[test]
fn an_import_that_depends_on_a_simulated_provider_is_not_known() {
    let thing = "resource \"sim_thing\" \"s\" {\n}\n";
    let by_id = "resource \"sim_thing\" \"a\" {\n}\nimport {\n  to = sim_thing.a\n  id = sim_thing.s.id\n}\n";
    let by_each = "resource \"sim_thing\" \"a\" {\n  for_each = toset([\"x\", \"y\"])\n}\nimport {\n  \
                   for_each = sim_thing.s.names\n  to       = sim_thing.a[each.key]\n  id       = each.key\n}\n";
    for (imports, count) in [(by_id, 1), (by_each, 2)] {
        let plan = planned("1.15.5", Vec::new(), &format!("{thing}{imports}"), "");
        assert_eq!(errors(&plan), [""; 0], "{imports}");
        assert_eq!(addresses(&plan), ["sim_thing.s"], "{imports}");
        let undecided = plan.undecided.iter();
        let imported = undecided.filter(|one| matches!(&one.reason, UndecidedReason::ImportUnknown(_)));
        assert_eq!(imported.count(), count, "{imports}");
    }
    // Nobody knows what a new object of Terraform's own will be called.
    let own = "resource \"terraform_data\" \"t\" {\n}\nresource \"sim_thing\" \"a\" {\n}\nimport {\n  to = sim_thing.a\n  \
               id = terraform_data.t.id\n}\n";
    assert!(errors(&planned("1.15.5", Vec::new(), own, ""))[0].starts_with("Invalid import id argument | "));
}

#[test]
fn outputs_have_types_since_1_15() {
    let root = "module \"m\" {\n  source = \"./m\"\n  count  = 2\n}\noutput \"o\" {\n  value = module.m\n}\n";
    let typed = "output \"x\" {\n  type  = object({ a = string, b = optional(number, 3) })\n  value = { a = 1, c = 2 }\n}\n";
    let plan = planned("1.15.5", Vec::new(), root, typed);
    let after = &plan.outputs["o"].after;
    assert_eq!(after.ty().friendly_name(), "list of object");
    assert_eq!(after.to_string().matches('3').count(), 2, "{after}");
    let untyped = planned("1.15.5", Vec::new(), root, "output \"x\" {\n  value = 1\n}\n");
    assert_eq!(untyped.outputs["o"].after.ty().friendly_name(), "tuple");
    let wrong = planned(
        "1.15.5",
        Vec::new(),
        root,
        "output \"x\" {\n  type  = object({ a = number })\n  value = { a = \"q\" }\n}\n",
    );
    assert_eq!(
        errors(&wrong),
        [
            "Invalid output value | The value expression does not match this output value's type constraint: .a: a number is \
             required."
        ]
    );
    let old = planned("1.11.4", Vec::new(), root, typed);
    assert_eq!(errors(&old), ["Unsupported argument | An argument named \"type\" is not expected here."]);
}

#[test]
fn before_1_13_nobody_says_which_type_was_given() {
    let root = "resource \"terraform_data\" \"a\" {\n  count = []\n}\n";
    let said = |version| errors(&planned(version, Vec::new(), root, ""));
    assert_eq!(said("1.11.4"), ["Incorrect value type | Invalid expression value: number required."]);
    assert_eq!(
        said("1.15.5"),
        ["Incorrect value type | Invalid expression value: number required, but have tuple."]
    );
}
