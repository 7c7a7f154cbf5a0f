//! Every command that decides by a plan refuses a file that is none, and one from which something is missing.

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::program::{Output, objchange};

const REGO: &str = "package main\n\ndeny contains msg if {\n\tinput.resource_changes[_].change.actions[_] == \"delete\"\n\t\
                    msg := \"deleted\"\n}\n";
const SENTINEL: &str = "import \"tfplan/v2\" as tfplan\nmain = rule { all tfplan.resource_changes as _, rc { rc.change.actions is not [\"delete\"] } }\n";

fn change(address: &str, actions: impl Into<Value>) -> Value {
    let actions = actions.into();
    let side = |is_there: bool| if is_there { json!({}) } else { Value::Null };
    let (before, after) = (actions != json!(["create"]), actions != json!(["delete"]));
    json!({"address": address, "mode": "managed", "type": "t", "name": "a", "change": {"actions": actions,
        "before": side(before), "after": side(after), "after_unknown": {}, "before_sensitive": false,
        "after_sensitive": {}}})
}

fn plan(changes: impl Into<Value>) -> Value {
    let changes = changes.into();
    json!({"format_version": "1.2", "terraform_version": "1.15.5", "resource_changes": changes, "complete": true,
        "planned_values": {"root_module": {}},
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
fn outputs_are_what_happens_to_them() {
    let mut differs = plan(json!([]));
    let output = |after: &str| {
        json!({"o": {"actions": ["no-op"], "before": "a", "after": after, "after_unknown": false,
            "before_sensitive": false, "after_sensitive": false}})
    };
    differs["output_changes"] = output("b");
    all_refuse("outputs", &differs.to_string(), "the action of output.o in this plan is not what happens");
    let mut stays = plan(json!([]));
    stays["output_changes"] = output("a");
    let folder = Folder::with("outputs", &[("plan.json", &stays.to_string())]);
    for (command, answer) in judge(&folder, "plan.json") {
        assert_ne!(answer.code, 2, "{command}: {answer:?}");
    }
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

/// The sides of a change are those of its action.
#[test]
fn a_change_has_the_sides_of_its_action() {
    let lacks = |side: &str| format!("t.a: \"change.{side}\" missing");
    let contradicts = "the action of t.a in this plan is not what happens to its values".to_owned();
    let there = json!({"id": "1"});
    for (actions, before, after, wanted) in [
        (&["update"][..], &there, &Value::Null, lacks("after")),
        (&["update"], &Value::Null, &there, lacks("before")),
        (&["create", "delete"], &there, &Value::Null, lacks("after")),
        (&["delete", "create"], &Value::Null, &there, lacks("before")),
        (&["create"], &Value::Null, &Value::Null, lacks("after")),
        (&["delete"], &Value::Null, &Value::Null, lacks("before")),
        (&["create"], &there, &there, contradicts.clone()),
        (&["delete"], &there, &there, contradicts.clone()),
        (&["forget"], &there, &there, contradicts),
    ] {
        let mut one = change("t.a", json!(actions));
        (one["change"]["before"], one["change"]["after"]) = (before.clone(), after.clone());
        let text = plan(json!([one])).to_string();
        all_refuse(&actions.join(","), &text, &wanted);
        // Without a gate it is shown.
        let shown = objchange(["show", "-"], &text);
        assert_eq!(shown.code, 0, "{actions:?}: {shown:?}");
    }
    // A data source that is read may have been there.
    let mut read = change("data.t.a", json!(["read"]));
    (read["mode"], read["change"]["before"]) = (json!("data"), there);
    let folder = Folder::with("read", &[("plan.json", &plan(json!([read])).to_string())]);
    for (command, answer) in judge(&folder, "plan.json") {
        assert_ne!(answer.code, 2, "{command}: {answer:?}");
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

/// A report of the program lies beside plans as other documents do.
#[test]
fn reports_in_a_folder_are_no_plans() {
    let text = plan(json!([])).to_string();
    let folder = Folder::with("reports", &[("plans/good.json", &text)]);
    let good = folder.at("plans/good.json");
    let good = good.to_str().unwrap();
    for command in ["show", "hash", "diff", "review"] {
        let line = match command {
            "diff" => vec![command, good, good, "--json"],
            _ => vec![command, good, "--json"],
        };
        let output = objchange(line, "");
        assert_eq!(output.code, 0, "{command}: {output:?}");
        folder.write(&format!("plans/{command}-report.json"), output.stdout);
    }
    for (command, output) in judge(&folder, "plans") {
        assert_eq!(output.code, i32::from(command == "query"), "{command}: {output:?}");
        assert!(output.stderr.contains("-report.json"), "{command}: {output:?}");
    }
    // A plan does not become a report by the members of one.
    let mut plan = plan(json!([change("t.a", json!(["delete"]))]));
    (plan["program"], plan["counts"]) = (json!("terraform"), json!({}));
    folder.write("plans/plan.json", plan.to_string());
    for (command, output) in judge(&folder, "plans") {
        let expected = if command == "query" { 0 } else { 1 };
        assert_eq!(output.code, expected, "{command}: {output:?}");
    }
}

/// A newer program may mean anything by an unknown word.
#[test]
fn gates_refuse_unknown_words_of_outputs_modes_and_drift() {
    let unknown = change("t.a", json!(["upsert"]));
    let mut mode = change("t.a", json!(["create"]));
    mode["mode"] = json!("virtual");
    let output = json!({"o": {"actions": ["upsert"], "before": null, "after": "1", "after_unknown": false,
        "before_sensitive": false, "after_sensitive": false}});
    let mut documents = [plan(json!([])), plan(json!([mode])), plan(json!([]))];
    documents[0]["output_changes"] = output;
    documents[2]["resource_drift"] = json!([unknown]);
    for document in documents {
        let folder = Folder::with("unknown-words", &[("plan.json", &document.to_string())]);
        let path = folder.at("plan.json");
        let gate = objchange(["show", path.to_str().unwrap(), "--fail-on", "delete"], "");
        assert_eq!(gate.code, 1, "{gate:?}");
        assert!(gate.stderr.contains("unknown action") || gate.stderr.contains("unknown mode"), "{gate:?}");
        let detailed = objchange(["show", path.to_str().unwrap(), "--detailed-exitcode"], "");
        assert_eq!(detailed.code, 2, "{detailed:?}");
    }
}

#[test]
fn a_section_that_is_read_must_be_there() {
    let change = json!({"address": "a.b", "mode": "managed", "type": "a", "name": "b", "provider_name": "p",
        "change": {"actions": ["update"], "before": {}, "after": {}, "after_unknown": {}, "before_sensitive": {},
            "after_sensitive": {}}});
    let folder = Folder::with("sections", &[]);
    let sections = [
        ("planned_values", "input.planned_values", "input.tfplan.planned_values", "planned"),
        ("configuration", "input.configuration", "input.tfconfig", "config"),
        ("prior_state", "input.prior_state", "input.tfstate", "state"),
        ("terraform_version", "input.terraform_version", "input.tfplan.terraform_version", ""),
    ];
    for (section, document, collections, kind) in sections {
        let missing = format!("there is no `{section}` in this plan");
        for value in [Value::Null, json!({})] {
            let mut plan = json!({"format_version": "1.2", "resource_changes": [change]});
            if !value.is_null() && section != "terraform_version" {
                plan[section] = value;
            }
            let plan = plan.to_string();
            for read in [document, collections] {
                let policy =
                    format!("package main\nimport rego.v1\ndeny contains \"x\" if {read} == \"0\"\n");
                folder.write("p.rego", policy);
                let rego = folder.at("p.rego").display().to_string();
                let output = objchange(["policy", "-", "--rego", &rego], &plan);
                assert!(output.code == 2 && output.stderr.contains(&missing), "{read}: {output:?}");
            }
            if !kind.is_empty() {
                let output = objchange(["query", "-", "true", "--of", kind], &plan);
                assert!(output.code == 2 && output.stderr.contains(&missing), "{kind}: {output:?}");
            }
        }
    }
    let policies = [
        (
            "planned_values",
            "import \"tfplan/v2\" as tfplan\nmain = rule { length(tfplan.planned_values.resources) is 0 }\n",
        ),
        (
            "configuration",
            "import \"tfconfig/v2\" as tfconfig\nmain = rule { length(tfconfig.resources) is 0 }\n",
        ),
        ("prior_state", "import \"tfstate/v2\" as tfstate\nmain = rule { length(tfstate.resources) is 0 }\n"),
    ];
    let plan = json!({"format_version": "1.2", "resource_changes": [change]}).to_string();
    for (section, policy) in policies {
        folder.write("p.sentinel", policy);
        let policy = folder.at("p.sentinel").display().to_string();
        let output = objchange(["sentinel", "apply", &policy, "--plan", "-"], &plan);
        let missing = format!("there is no `{section}` in this plan");
        assert!(output.code == 2 && output.stderr.contains(&missing), "{section}: {output:?}");
    }
}

#[test]
fn entries_that_contradict_themselves_are_refused() {
    let entries = [
        ("data", "a.b", "delete"),
        ("data", "module.m.a.b", "delete"),
        ("data", "data.a.b", "update"),
        ("ephemeral", "ephemeral.a.b", "delete"),
        ("ephemeral", "a.b", "create"),
        ("ephemeral", "module.m.a.b", "create"),
    ];
    for (mode, address, action) in entries {
        let plan = json!({"format_version": "1.2", "resource_changes": [{"address": address, "mode": mode, "type": "a",
            "name": "b", "provider_name": "p", "change": {"actions": [action], "before": {}, "after": {},
            "after_unknown": {}, "before_sensitive": {}, "after_sensitive": {}}}]});
        for command in [
            &["show", "-"][..],
            &["hash", "-"],
            &["show", "-", "--fail-on", "delete"],
            &["query", "-", "true"],
        ] {
            let output = objchange(command, plan.to_string());
            assert_eq!(output.code, 2, "{mode} {address} {action}: {output:?}");
        }
    }
}
