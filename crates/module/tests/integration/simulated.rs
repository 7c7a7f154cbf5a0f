//! Values that only a provider can tell, and the objects that wait for them.

use std::collections::BTreeMap;

use objchange::schema::ProviderSchemas;
use objchange_document::Version;
use objchange_hcl::Functions;
use objchange_module::config::{Config, LoadOptions, MemoryFiles};
use objchange_module::plan::{ActionReason, ModulePlan, PlanInput, PlanOptions, PlannedAction, plan};
use objchange_module::state::PriorState;
use objchange_module::{Schemas, SimulatedProviders, with_possible_computed_blocks};

const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{
    "registry.terraform.io/hashicorp/sim":{
        "resource_schemas":{"sim_thing":{"version":0,"block":{"attributes":{
            "id":{"type":"string","computed":true},
            "arn":{"type":"string","computed":true},
            "name":{"type":"string","optional":true},
            "key":{"type":"string","optional":true,"write_only":true}}}}},
        "data_source_schemas":{"sim_lookup":{"version":0,"block":{"attributes":{
            "name":{"type":"string","optional":true},
            "out":{"type":["list","string"],"computed":true}}}}}},
    "terraform.io/builtin/terraform":{"resource_schemas":{"terraform_data":{"version":0,"block":{"attributes":{
        "id":{"type":"string","computed":true},
        "input":{"type":"dynamic","optional":true},
        "output":{"type":"dynamic","computed":true},
        "triggers_replace":{"type":"dynamic","optional":true}}}}}}}}"#;

/// A state with `sim_thing.old`.
const STATE: &str = r#"{"version":4,"lineage":"x","resources":[
    {"mode":"managed","type":"sim_thing","name":"old","provider":"provider[\"registry.terraform.io/hashicorp/sim\"]",
    "instances":[{"attributes":{"id":"1","name":"n"}}]}]}"#;

fn planned_as(version: &str, state: &str, files: &[(&str, &str)]) -> ModulePlan {
    let files: MemoryFiles = files.iter().copied().collect();
    let (config, found) = Config::load(&files, ".", &LoadOptions::new(version));
    assert!(!found.has_errors(), "{found:?}");
    let schemas = Schemas::new([ProviderSchemas::parse(SCHEMAS).unwrap()]);
    let state = match state {
        "" => PriorState::default(),
        state => PriorState::read(state, &schemas).unwrap().0,
    };
    let options = PlanOptions { version: Version::parse(version).unwrap(), ..PlanOptions::default() };
    let input = PlanInput {
        config: &config,
        schemas: &schemas,
        state: &state,
        variables: &BTreeMap::new(),
        functions: Functions::pure(),
        options: &options,
    };
    plan(&input, &mut SimulatedProviders::default())
}

fn planned(state: &str, root: &str) -> ModulePlan {
    planned_as("1.15.5", state, &[("main.tf", root)])
}

fn errors(plan: &ModulePlan) -> Vec<&str> {
    plan.diagnostics.iter().map(|found| &*found.diagnostic.summary).collect()
}

/// The resources whose instances are not known, each with what that depends on; there is to be no error.
fn undecided(state: &str, root: &str) -> Vec<String> {
    let plan = planned(state, root);
    assert_eq!(errors(&plan), [""; 0], "{root}");
    let undecided = plan.undecided.iter();
    undecided.map(|resource| format!("{}: {}", resource.address, resource.because_of.join(" "))).collect()
}

/// The error of a `for_each` beside a new `terraform_data.t` and a new `sim_thing.s`.
fn for_each(state: &str, expression: &str) -> Result<Vec<String>, String> {
    let root = format!(
        "resource \"sim_thing\" \"s\" {{\n  name = terraform_data.t.id\n}}\n\
         resource \"terraform_data\" \"t\" {{\n  input = sim_thing.old.arn\n}}\n\
         resource \"sim_thing\" \"old\" {{\n  name = \"changed\"\n}}\n\
         locals {{\n  arn = sim_thing.s.arn\n  id = terraform_data.t.id\n}}\n\
         resource \"terraform_data\" \"many\" {{\n  for_each = {expression}\n}}\n"
    );
    let plan = planned(state, &root);
    match errors(&plan)[..] {
        [] => Ok(plan.undecided.iter().map(|resource| resource.because_of.join(" ")).collect()),
        [error] => Err(error.to_owned()),
        _ => panic!("{:?}", plan.diagnostics),
    }
}

#[test]
fn what_a_simulated_provider_computes_is_no_error_of_the_users() {
    let because = |attribute: &str| Ok(vec![attribute.to_owned()]);
    let known_to_nobody = Err("Invalid for_each argument".to_owned());
    assert_eq!(for_each("", "toset([sim_thing.s.arn])"), because("sim_thing.s.arn"));
    assert_eq!(for_each("", "toset([local.arn])"), because("sim_thing.s.arn"));
    assert_eq!(for_each("", "{ for k, v in [sim_thing.s] : v.id => k }"), because("sim_thing.s"));
    // A stored value stays; a missing one may be set.
    assert_eq!(for_each(STATE, "toset([sim_thing.old.arn])"), because("sim_thing.old.arn"));
    // The provider in Terraform is not a simulation, and nothing else can be known of a new object.
    assert_eq!(for_each("", "toset([terraform_data.t.id])"), known_to_nobody);
    assert_eq!(for_each("", "toset([local.id])"), known_to_nobody);
    assert_eq!(for_each("", "toset([sim_thing.s.name])"), known_to_nobody);
    // Another provider may know its input.
    assert_eq!(for_each("", "toset([terraform_data.t.input])"), because("sim_thing.old.arn"));
    // Keys that are known are known.
    assert_eq!(for_each("", "{ a = sim_thing.s.arn }"), Ok(Vec::new()));
}

#[test]
fn what_depends_on_unknown_instances_is_unknown() {
    let root = "resource \"sim_thing\" \"s\" {}\n\
        module \"m\" {\n  source = \"./m\"\n  arn = sim_thing.s.arn\n}\n\
        resource \"terraform_data\" \"after\" {\n  count = length(module.m.ids)\n}\n\
        output \"o\" {\n  value = module.m.ids\n}\n";
    let module = "variable \"arn\" {}\nresource \"terraform_data\" \"many\" {\n  count = length(var.arn)\n}\n\
        output \"ids\" {\n  value = terraform_data.many[*].id\n}\n";
    let plan = planned_as("1.15.5", "", &[("main.tf", root), ("m/main.tf", module)]);
    assert_eq!(errors(&plan), [""; 0]);
    let undecided: Vec<String> = plan.undecided.iter().map(|known| known.address.to_string()).collect();
    assert_eq!(undecided.len(), 2, "{undecided:?}");
    assert!(undecided.contains(&"module.m.terraform_data.many".to_owned()));
    assert!(undecided.contains(&"terraform_data.after".to_owned()));
    assert!(!plan.outputs["o"].after.is_known());
    assert!(!plan.complete);
}

#[test]
fn a_data_source_that_waits_for_an_update_may_not_have_to() {
    let root = |name: &str| {
        format!(
            "resource \"sim_thing\" \"{name}\" {{\n  name = \"changed\"\n}}\n\
             data \"sim_lookup\" \"l\" {{\n  depends_on = [sim_thing.{name}]\n}}\n\
             resource \"terraform_data\" \"many\" {{\n  for_each = toset(data.sim_lookup.l.out)\n}}\n"
        )
    };
    assert_eq!(undecided(STATE, &root("old")), ["terraform_data.many: data.sim_lookup.l.out"]);
    assert_eq!(errors(&planned(STATE, &root("new"))), ["Invalid for_each argument"]);
}

#[test]
fn a_data_source_with_conditions_waits_for_all_that_it_depends_on() {
    let reason = |lifecycle: &str| {
        let plan = planned(
            "",
            &format!(
                "resource \"terraform_data\" \"t\" {{\n  input = \"x\"\n}}\n\
                 locals {{\n  known = terraform_data.t.input\n}}\n\
                 data \"sim_lookup\" \"l\" {{\n  name = local.known\n{lifecycle}}}\n"
            ),
        );
        assert_eq!(errors(&plan), [""; 0]);
        let read = plan.changes.iter().find(|change| change.action == PlannedAction::Read);
        read.unwrap().reason.unwrap()
    };
    let condition = "  lifecycle {\n    postcondition {\n      condition = self.name == \"x\"\n      error_message = \"m\"\n    }\n  }\n";
    assert_eq!(reason(condition), ActionReason::ReadBecauseDependencyPending);
    assert_eq!(reason(""), ActionReason::ReadBecauseSimulated);
}

#[test]
fn what_is_said_of_several_instances_is_said_once_since_1_15() {
    let root = |argument: &str| {
        format!(
            "variable \"v\" {{\n  type = bool\n  default = null\n}}\n\
             resource \"terraform_data\" \"t\" {{\n  count = 3\n{argument}}}\n"
        )
    };
    let count = |version: &str, argument: &str| {
        errors(&planned_as(version, "", &[("main.tf", &root(argument))])).len()
    };
    let null = "  input = var.v ? 1 : 2\n";
    assert_eq!((count("1.11.4", null), count("1.15.5", null)), (3, 1));
    // Errors of functions and conditions are reported once per instance.
    let call = "  input = length(var.v == null ? null : [])\n";
    let condition = "  lifecycle {\n    precondition {\n      condition = var.v != null\n      error_message = \"m\"\n    }\n  }\n";
    for argument in [call, condition] {
        assert_eq!((count("1.11.4", argument), count("1.15.5", argument)), (3, 3), "{argument}");
    }
}

#[test]
fn what_is_write_only_changes_nothing_and_is_not_ephemeral_afterwards() {
    let plan = planned(
        STATE,
        "variable \"v\" {\n  default = \"k\"\n  ephemeral = true\n}\n\
         resource \"sim_thing\" \"old\" {\n  name = \"n\"\n  key = var.v\n}\n\
         resource \"terraform_data\" \"t\" {\n  input = sim_thing.old.key\n}\n\
         output \"o\" {\n  value = sim_thing.old.key\n}\n",
    );
    assert_eq!(errors(&plan), [""; 0]);
    let old = plan.changes.iter().find(|change| change.address.to_string() == "sim_thing.old");
    assert_eq!(old.unwrap().action, PlannedAction::NoOp);
    assert!(plan.outputs["o"].after.is_null());
}

#[test]
fn what_is_destroyed_triggers_nothing_but_is_there() {
    let errors_of = |state: &str| {
        let plan = planned(
            state,
            "resource \"sim_thing\" \"old\" {\n  count = 0\n}\n\
             resource \"terraform_data\" \"t\" {\n  lifecycle {\n    replace_triggered_by = [sim_thing.old]\n  }\n}\n",
        );
        errors(&plan).len()
    };
    assert_eq!((errors_of(STATE), errors_of("")), (0, 1));
}

/// A document of before 1.16 does not say which blocks are computed. Strict plans take each for one that may be.
#[test]
fn strict_plans_do_not_know_blocks_that_may_be_computed() {
    let document = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/hashicorp/sim":{"resource_schemas":{
        "sim_thing":{"version":0,"block":{"attributes":{"name":{"type":"string","optional":true}},"block_types":{
            "made":{"nesting_mode":"list","block":{"attributes":{"k":{"type":"string","optional":true,"computed":true}}}},
            "given":{"nesting_mode":"list","block":{"attributes":{"k":{"type":"string","optional":true}}}}}}}}}}}"#;
    let document = ProviderSchemas::parse(document).unwrap();
    let schemas = Schemas::new([with_possible_computed_blocks(document)]);
    let instance = |made: &str| {
        format!(
            r#"{{"version":4,"lineage":"x","resources":[{{"mode":"managed","type":"sim_thing","name":"a",
            "provider":"provider[\"registry.terraform.io/hashicorp/sim\"]",
            "instances":[{{"attributes":{{"name":"n","given":[],"made":{made}}}}}]}}]}}"#
        )
    };
    let plan = |state: &str| {
        let files: MemoryFiles =
            [("main.tf", "resource \"sim_thing\" \"a\" {\n  name = \"n\"\n}\n")].into_iter().collect();
        let (config, _) = Config::load(&files, ".", &LoadOptions::new("1.16.0"));
        let state = match state {
            "" => PriorState::default(),
            state => PriorState::read(state, &schemas).unwrap().0,
        };
        let options = PlanOptions::default();
        let input = PlanInput {
            config: &config,
            schemas: &schemas,
            state: &state,
            variables: &BTreeMap::new(),
            functions: Functions::pure(),
            options: &options,
        };
        let mut providers = SimulatedProviders { is_strict: true, ..SimulatedProviders::default() };
        let plan = objchange_module::plan::plan(&input, &mut providers);
        assert_eq!(errors(&plan), [""; 0]);
        let change = &plan.changes[0];
        let is_known = |block: &str| change.after.attribute(block).unwrap().is_known();
        (change.action, is_known("made"), is_known("given"))
    };
    assert_eq!(plan(""), (PlannedAction::Create, false, true));
    assert_eq!(plan(&instance("[]")), (PlannedAction::NoOp, true, true));
    assert_eq!(plan(&instance(r#"[{"k":"v"}]"#)), (PlannedAction::Update, false, true));
}
