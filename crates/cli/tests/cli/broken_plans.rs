//! Every command that decides by a plan refuses a file that is none, and one from which something is missing.

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::program::{Output, objchange};

const REGO: &str = "package main\n\ndeny contains msg if {\n\tinput.resource_changes[_].change.actions[_] == \"delete\"\n\t\
                    msg := \"deleted\"\n}\n";
const SENTINEL: &str = "import \"tfplan/v2\" as tfplan\nmain = rule { all tfplan.resource_changes as _, rc { rc.change.actions is not [\"delete\"] } }\n";

fn change(address: &str, actions: impl Into<Value>) -> Value {
    let actions = actions.into();
    json!({"address": address, "mode": "managed", "type": "t", "name": "a", "change": {"actions": actions,
        "before": null, "after": {}, "after_unknown": {}, "before_sensitive": false, "after_sensitive": {}}})
}

fn plan(changes: impl Into<Value>) -> Value {
    let changes = changes.into();
    json!({"format_version": "1.2", "terraform_version": "1.15.5", "resource_changes": changes, "complete": true,
        "applyable": changes != json!([]), "errored": false})
}

/// The commands that decide by the plan in this file or folder.
fn judge(folder: &Folder, plan: &str) -> Vec<(&'static str, Output)> {
    folder.write("p.rego", REGO);
    folder.write("p.sentinel", SENTINEL);
    let (plan, rego, sentinel) = (folder.at(plan), folder.at("p.rego"), folder.at("p.sentinel"));
    let [plan, rego, sentinel] = [&plan, &rego, &sentinel].map(|path| path.to_str().unwrap().to_owned());
    let run = |arguments: &[&str]| objchange(arguments, "");
    let mut answers = vec![
        ("policy", run(&["policy", &plan, "--rego", &rego])),
        ("sentinel", run(&["sentinel", "apply", &sentinel, "--plan", &plan])),
        ("query", run(&["query", &plan, "true"])),
    ];
    if !std::path::Path::new(&plan).is_dir() {
        answers.push(("show", run(&["show", &plan, "--summary", "--fail-on", "delete"])));
        answers.push(("hash", run(&["hash", &plan])));
        answers.push(("diff", run(&["diff", &plan, &plan])));
    }
    answers
}

#[track_caller]
fn all_refuse(name: &str, text: &str, wanted: &str) {
    let folder = Folder::with("broken-plan", &[("plan.json", text)]);
    for (command, output) in judge(&folder, "plan.json") {
        // It shows unknown actions, and refuses them as it refuses what it knows.
        let code = if command == "show" && wanted.contains("unknown action") { 1 } else { 2 };
        assert_eq!(output.code, code, "{name}: {command}: {output:?}");
        assert!(output.stderr.contains(wanted), "{name}: {command}: {output:?}");
    }
}

#[test]
fn no_other_document_of_terraform_passes_for_a_plan() {
    for (name, text, wanted) in [
        ("empty state", r#"{"format_version":"1.0"}"#, "state"),
        ("schemas", r#"{"format_version":"1.0","provider_schemas":{}}"#, "schemas of providers"),
        ("functions", r#"{"format_version":"1.0","function_signatures":{}}"#, "neither a plan nor a state"),
        (
            "validation",
            r#"{"format_version":"1.0","valid":true,"diagnostics":[]}"#,
            "neither a plan nor a state",
        ),
        ("nothing", "", "there is nothing here"),
    ] {
        all_refuse(name, text, wanted);
    }
}

#[test]
fn the_first_missing_change_is_named() {
    let resource = json!({"address": "t.a", "mode": "managed", "type": "t", "name": "a", "values": {"x": 1}});
    let mut plan = plan(json!([]));
    plan["planned_values"] = json!({"root_module": {"resources": [resource]}});
    all_refuse("missing change", &plan.to_string(), "the change of t.a is missing");
}

#[test]
fn a_change_says_once_what_happens_to_an_object() {
    let create = change("t.a", json!(["create"]));
    for (name, changes, wanted) in [
        ("null among actions", json!([change("t.a", json!(["delete", null]))]), "these are not actions"),
        ("no action", json!([change("t.a", json!([]))]), "these are not actions"),
        (
            "no change",
            json!([{"address": "t.a", "mode": "managed", "type": "t", "name": "a"}]),
            "no `change`",
        ),
        ("twice", json!([create, create]), "in the list twice"),
        ("unknown action", json!([change("t.a", json!(["archive"]))]), "unknown action"),
    ] {
        all_refuse(name, &plan(changes).to_string(), wanted);
    }
}

#[test]
fn log_lines_around_a_plan_are_skipped_by_every_command() {
    let text = plan(json!([change("t.a", json!(["delete"]))]));
    for text in [format!("Refreshing...\n{text}\n"), format!("{text}\n\nApply complete!\n")] {
        let folder = Folder::with("log-lines", &[("plan.json", &text)]);
        for (command, output) in judge(&folder, "plan.json") {
            let expected = i32::from(!["query", "hash", "diff"].contains(&command));
            assert_eq!(output.code, expected, "{command}: {output:?}");
            assert!(output.stderr.contains("skipped"), "{command}: {output:?}");
        }
    }
}

#[test]
fn a_folder_is_judged_whole() {
    let good = plan(json!([])).to_string();
    let state = r#"{"format_version":"1.0","terraform_version":"1.15.5","values":{"root_module":{}}}"#;
    let others = [("state.json", state), ("package.json", r#"{"name":"web"}"#)];
    for (name, text, codes) in [
        ("empty", "", [2, 0]),
        ("cut off", r#"{"format_version":"1.2","resource_ch"#, [2, 0]),
        ("a text", "no plan", [2, 0]),
        ("a string", r#""plan""#, [2, 0]),
        ("a version alone", r#"{"format_version":"1.2"}"#, [2, 2]),
    ] {
        let folder = Folder::with("folder", &[("plans/good.json", &good), ("plans/x.json", text)]);
        for (other, text) in others {
            folder.write(&format!("plans/{other}"), text);
        }
        for (command, output) in judge(&folder, "plans") {
            assert_eq!(output.code, codes[0], "{name}: {command}: {output:?}");
            assert!(output.stderr.contains("x.json"), "{name}: {command}: {output:?}");
            assert!(output.stderr.contains("package.json"), "{name}: {command}: {output:?}");
        }
        let (plans, rego) = (folder.at("plans"), folder.at("p.rego"));
        let arguments =
            ["policy", plans.to_str().unwrap(), "--rego", rego.to_str().unwrap(), "--skip-unreadable"];
        let output = objchange(arguments, "");
        assert_eq!(output.code, codes[1], "{name}: {output:?}");
    }
    let folder = Folder::with("no-plan", &[("plans/package.json", r#"{"name":"web"}"#)]);
    for (command, output) in judge(&folder, "plans") {
        assert_eq!(output.code, 2, "{command}: {output:?}");
        assert!(output.stderr.contains("there are no plans in it"), "{command}: {output:?}");
    }
}
