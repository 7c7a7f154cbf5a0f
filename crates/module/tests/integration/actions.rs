//! Actions, as Terraform 1.17-dev plans them; where it says so, as Terraform 1.15.5 does.

use std::collections::BTreeMap;

use objchange::schema::ProviderSchemas;
use objchange_document::Version;
use objchange_hcl::Functions;
use objchange_module::config::{Config, LoadOptions, MemoryFiles};
use objchange_module::plan::{InvocationTrigger, ModulePlan, PlanInput, PlanMode, PlanOptions, plan};
use objchange_module::state::PriorState;
use objchange_module::{Diagnostics, PlanArguments, Schemas, Severity, SimulatedProviders};

use crate::plan::plan_options;

const SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/local/sim":{
    "action_schemas":{"sim_note":{"block":{"attributes":{
        "text":{"type":"string","optional":true},
        "pin":{"type":"string","optional":true,"write_only":true}}}}}}}}"#;

const REQUIRED: &str = "terraform {\n  required_providers {\n    sim = { source = \"local/sim\" }\n  }\n}\n";

/// Objects `terraform_data.a[…]` with these keys, or one without a key, whose input is 1.
fn state(keys: &[&str]) -> String {
    let instance = |key: &&str| {
        let index = if key.is_empty() { String::new() } else { format!("\"index_key\":{key},") };
        let id = if key.is_empty() { "i".to_owned() } else { format!("i{}", key.trim_matches('"')) };
        let one = r#"{"value":1,"type":"number"}"#;
        format!(r#"{{{index}"schema_version":0,"attributes":{{"id":"{id}","input":{one},"output":{one}}}}}"#)
    };
    let instances: Vec<String> = keys.iter().map(instance).collect();
    format!(
        r#"{{"version":4,"terraform_version":"1.16.0","serial":1,"lineage":"l","outputs":{{}},"resources":[{{"mode":"managed",
        "type":"terraform_data","name":"a","provider":"provider[\"terraform.io/builtin/terraform\"]",
        "instances":[{}]}}]}}"#,
        instances.join(",")
    )
}

fn planned(root: &str, keys: &[&str], options: &PlanOptions) -> ModulePlan {
    let root = format!("{REQUIRED}{root}");
    let files: MemoryFiles = [("main.tf", &*root)].into_iter().collect();
    let (config, found) = Config::load(&files, ".", &LoadOptions::new(&format!("{}.0", options.version)));
    if found.has_errors() {
        let mut plan = ModulePlan::default();
        plan.diagnostics = found;
        return plan;
    }
    let schemas = Schemas::new([ProviderSchemas::parse(SCHEMAS).unwrap()]).of_version(options.version);
    let state = match keys {
        [] => PriorState::default(),
        keys => PriorState::read(&state(keys), &schemas).unwrap().0,
    };
    let input = PlanInput {
        config: &config,
        schemas: &schemas,
        state: &state,
        variables: &BTreeMap::new(),
        functions: Functions::pure(),
        options,
    };
    plan(&input, &mut SimulatedProviders::default())
}

fn summaries(found: &Diagnostics, severity: Severity) -> Vec<String> {
    let found = found.iter().filter(|found| found.diagnostic.severity == severity);
    found.map(|found| found.diagnostic.summary.to_string()).collect()
}

/// The invocations: the triggering instance, the event, the action, and its text.
fn invocations(root: &str, keys: &[&str], mode: PlanMode) -> Vec<String> {
    let plan = planned(root, keys, &PlanOptions { mode, ..plan_options() });
    assert_eq!(summaries(&plan.diagnostics, Severity::Error), [""; 0]);
    let shown = plan.invocations.iter().map(|invocation| {
        let text = invocation.config.attribute("text").map(ToString::to_string).unwrap_or_default();
        match &invocation.trigger {
            InvocationTrigger::Change { resource, event, .. } => {
                format!("{resource} {event:?} {} {text}", invocation.address)
            }
            InvocationTrigger::Asked => format!("{} {text}", invocation.address),
        }
    });
    shown.collect()
}

fn errors(root: &str, version: &str) -> Vec<String> {
    let version = Version::parse(version).unwrap();
    let plan = planned(root, &[], &PlanOptions { version, ..plan_options() });
    summaries(&plan.diagnostics, Severity::Error)
}

const NOTE: &str = "action \"sim_note\" \"n\" {\n  config {\n    text = \"t\"\n  }\n}\n";

/// A resource with this body and these lines in its trigger.
fn resource(body: &str, trigger: &str) -> String {
    format!(
        "resource \"terraform_data\" \"a\" {{\n{body}\n  lifecycle {{\n    action_trigger {{\n{trigger}\n    }}\n  }}\n}}\n"
    )
}

const ALL: &str = "events = [before_create, after_create, before_update, after_update, before_destroy, after_destroy]\n\
                   actions = [action.sim_note.n]";

#[test]
fn each_change_has_its_events() {
    let invoked = |body, keys: &[&str], mode| {
        let note = NOTE.replace("\"t\"", "\"${caller.id == null}\"");
        let all = invocations(&(resource(body, ALL) + &note), keys, mode);
        let events = all.iter().map(|text| text.split(' ').nth(1).unwrap_or_default().to_owned());
        events.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(invoked("input = 1", &[], PlanMode::Normal), "BeforeCreate AfterCreate");
    assert_eq!(invoked("input = 1", &[""], PlanMode::Normal), "");
    assert_eq!(invoked("input = 2", &[""], PlanMode::Normal), "BeforeUpdate AfterUpdate");
    assert_eq!(
        invoked("input = 1\ntriggers_replace = 1", &[""], PlanMode::Normal),
        "BeforeCreate AfterCreate BeforeDestroy AfterDestroy"
    );
    assert_eq!(invoked("input = 2", &[""], PlanMode::Destroy), "BeforeDestroy AfterDestroy");
    assert_eq!(invoked("input = 2", &[""], PlanMode::RefreshOnly), "");
    assert_eq!(invoked("count = 0", &["0"], PlanMode::Normal), "BeforeDestroy AfterDestroy");
}

#[test]
fn the_caller_is_the_object_before_or_after_its_change() {
    let note = NOTE.replace("\"t\"", "\"${caller.input}\"");
    let root = resource("input = 2\ntriggers_replace = 1", ALL) + &note;
    assert_eq!(
        invocations(&root, &[""], PlanMode::Normal),
        [
            "terraform_data.a BeforeCreate action.sim_note.n \"2\"",
            "terraform_data.a AfterCreate action.sim_note.n \"2\"",
            "terraform_data.a BeforeDestroy action.sim_note.n \"1\"",
            "terraform_data.a AfterDestroy action.sim_note.n \"1\"",
        ]
    );
    let keyed = NOTE
        .replace("config", "for_each = toset([\"x\", \"y\"])\n  config")
        .replace("\"t\"", "\"${each.key}${self.id}\"");
    let trigger = "events = [after_destroy]\nactions = [action.sim_note.n[each.key]]";
    let root = resource("for_each = toset([\"x\"])\ninput = 1", trigger) + &keyed;
    assert_eq!(
        invocations(&root, &["\"x\"", "\"y\""], PlanMode::Normal),
        ["terraform_data.a[\"y\"] AfterDestroy action.sim_note.n[\"y\"] \"yiy\""]
    );
}

#[test]
fn what_cannot_be_planned_for_an_orphan_is_a_warning() {
    let trigger = "events = [before_destroy]\nactions = [action.sim_note.n]";
    let note = NOTE.replace("\"t\"", "terraform_data.u.id");
    let root = resource("count = 0", trigger) + &note + "resource \"terraform_data\" \"u\" {\n}\n";
    let plan = planned(&root, &["0"], &plan_options());
    assert_eq!(
        summaries(&plan.diagnostics, Severity::Warning),
        ["Orphaned action failed to plan", "Unknown action config"]
    );
    assert!(plan.invocations.is_empty() && !plan.errored);
    // A wanted object that is destroyed is none.
    let root = resource("input = 1", trigger) + &note + "resource \"terraform_data\" \"u\" {\n}\n";
    let destroyed = planned(&root, &[""], &PlanOptions { mode: PlanMode::Destroy, ..plan_options() });
    assert_eq!(summaries(&destroyed.diagnostics, Severity::Error), ["Unknown action config"]);
}

#[test]
fn conditions_decide_as_far_as_they_are_known() {
    let invoked = |condition: &str| {
        let trigger =
            format!("events = [after_create]\nactions = [action.sim_note.n]\ncondition = {condition}");
        let root = resource("input = 1", &trigger) + NOTE + "resource \"terraform_data\" \"u\" {\n}\n";
        invocations(&root, &[], PlanMode::Normal).len()
    };
    assert_eq!(invoked("self.input == 1"), 1);
    assert_eq!(invoked("caller.input == 2"), 0);
    assert_eq!(invoked("null"), 0);
    assert_eq!(invoked("\"true\""), 1);
    assert_eq!(invoked("terraform_data.u.id == \"x\""), 1);
    let wrong = |condition: &str, version: &str| {
        let trigger =
            format!("events = [after_create]\nactions = [action.sim_note.n]\ncondition = {condition}");
        let root = resource("input = 1", &trigger) + NOTE + "resource \"terraform_data\" \"u\" {\n}\n";
        errors(&root, version).join(", ")
    };
    assert_eq!(wrong("5", "1.16"), "Incorrect value type");
    assert_eq!(wrong("sensitive(true)", "1.16"), "Invalid condition");
    assert_eq!(wrong("terraform_data.a.id == \"x\"", "1.16"), "Self-referential block");
    assert_eq!(wrong("terraform_data.u.id == \"x\"", "1.15"), "Condition must be known");
    assert_eq!(wrong("self.input == 1", "1.15"), "Self reference not allowed");
}

#[test]
fn references_to_actions_are_checked() {
    let wrong = |actions: &str, action: &str, version: &str| {
        let trigger = format!("events = [after_create]\nactions = [{actions}]");
        errors(&(resource("input = 1", &trigger) + action), version).join(", ")
    };
    let counted = NOTE.replace("config", "count = 1\n  config");
    for (actions, action, newer, older) in [
        ("action.sim_note.n", NOTE, "", ""),
        ("action.sim_note.n.text", NOTE, "Unexpected attribute in action reference", ""),
        (
            "terraform_data.a",
            NOTE,
            "Invalid action argument inside action_triggers",
            "Invalid action argument inside action_triggers, No actions specified",
        ),
        (
            "module.m.action.a.b",
            NOTE,
            "Invalid reference to action outside this module",
            "Invalid reference to action outside this module, No actions specified",
        ),
        ("\"action.sim_note.n\"", NOTE, "No actions specified", "No actions specified"),
        ("action.sim_note.n", &counted, "Missing index", "Reference to non-existent action instance"),
        ("action.sim_note.n[0]", &counted, "", ""),
        ("action.sim_note.n[0]", NOTE, "Invalid index", "Reference to non-existent action instance"),
        (
            "action.sim_note.n[5]",
            &counted,
            "Reference to non-existent action instance",
            "Reference to non-existent action instance",
        ),
        ("action.sim_note.n[each.key]", &counted, "Reference to \"each\" in context without for_each", ""),
        (
            "action.sim_note.zz",
            NOTE,
            "action_trigger actions references non-existent action",
            "action_trigger actions references non-existent action",
        ),
    ] {
        assert_eq!(wrong(actions, action, "1.16"), newer, "{actions}");
        if !actions.contains("each") {
            assert_eq!(wrong(actions, action, "1.15"), older, "{actions}");
        }
    }
    let elsewhere = |text: &str, version: &str| errors(&format!("{NOTE}{text}"), version).join(", ");
    assert_eq!(elsewhere("output \"o\" {\n  value = action.sim_note.n\n}\n", "1.16"), "Invalid reference");
    assert_eq!(elsewhere("output \"o\" {\n  value = caller.id\n}\n", "1.16"), "Invalid \"caller\" reference");
    assert_eq!(
        elsewhere("output \"o\" {\n  value = caller.id\n}\n", "1.15"),
        "Reference to undeclared resource"
    );
    assert_eq!(
        elsewhere("output \"o\" {\n  value = action.sim_note.n\n}\n", "1.13"),
        "Reference to undeclared resource"
    );
}

#[test]
fn an_action_that_is_asked_for_is_planned_alone() {
    let counted = NOTE.replace("config", "count = 2\n  config").replace("\"t\"", "terraform_data.a.id");
    let root =
        counted + "resource \"terraform_data\" \"a\" {\n  input = 5\n}\noutput \"o\" {\n  value = 1\n}\n";
    let asked = |address: &str, keys: &[&str]| {
        let arguments = PlanArguments { invoke: vec![address.to_owned()], ..PlanArguments::default() };
        let (options, found) = arguments.apply(plan_options());
        assert!(!found.has_errors(), "{found:?}");
        planned(&root, keys, &options)
    };
    let plan = asked("action.sim_note.n", &[""]);
    let all: Vec<String> = plan.invocations.iter().map(|one| one.address.to_string()).collect();
    assert_eq!(all, ["action.sim_note.n[0]", "action.sim_note.n[1]"]);
    assert!(plan.applyable && plan.changes.is_empty() && plan.outputs.is_empty());
    assert_eq!(asked("action.sim_note.n[1]", &[""]).invocations.len(), 1);
    let wrong = |address: &str, keys: &[&str]| {
        summaries(&asked(address, keys).diagnostics, Severity::Error).join(", ")
    };
    assert_eq!(wrong("action.sim_note.n[2]", &[""]), "invoked target action.sim_note.n[2] not found");
    assert_eq!(wrong("action.sim_note.zz", &[""]), "invoke target action.sim_note.zz not found");
    assert_eq!(wrong("action.sim_note.n[0]", &[]), "Partially applied configuration");
    for (invoke, detail) in [
        ("terraform_data.a", "Action specification must start with `action`."),
        ("action", "Action specification must include an action type and name."),
        ("action.x.y.z", "Action instance key must be given in square brackets."),
    ] {
        let arguments = PlanArguments { invoke: vec![invoke.to_owned()], ..PlanArguments::default() };
        let (_, found) = arguments.apply(plan_options());
        assert_eq!(found.iter().next().unwrap().diagnostic.detail, detail);
    }
}

#[test]
fn only_what_is_not_kept_may_be_ephemeral() {
    let root = |name: &str| {
        let note = NOTE.replace("text = \"t\"", &format!("{name} = var.e"));
        let variable = "variable \"e\" {\n  ephemeral = true\n  default = \"x\"\n}\n";
        resource("input = 1", "events = [after_create]\nactions = [action.sim_note.n]") + &note + variable
    };
    assert_eq!(errors(&root("text"), "1.16"), ["Invalid use of ephemeral value"]);
    let plan = planned(&root("pin"), &[], &plan_options());
    assert!(plan.invocations[0].config.attribute("pin").unwrap().is_null());
}
