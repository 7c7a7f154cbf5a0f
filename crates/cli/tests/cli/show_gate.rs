//! `objchange show`: exit codes for plans, and the summary.

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::program::objchange;
use crate::schemas::{check, validator};
use crate::show_choice::{change, plan, show};

fn plan_of(changes: &[Value]) -> Value {
    json!({"format_version": "1.2", "terraform_version": "1.16.0", "resource_changes": changes})
}

#[test]
fn a_gate_refuses_what_it_is_told_to() {
    for (arguments, code, said) in [
        (&["--fail-on", "delete"][..], 1, "error: refused by --fail-on: 1 to destroy\n"),
        (&["--fail-on", "delete,replace"], 1, "refused by --fail-on: 1 to destroy, 1 to replace\n"),
        (&["--fail-on", "create", "--fail-on", "update"], 1, "1 to create, 1 to update\n"),
        (&["--fail-on", "move"], 1, "1 to move\n"),
        (&["--fail-on", "output"], 1, "1 of outputs to change\n"),
        (&["--fail-on", "drift"], 1, "1 changed outside\n"),
        (&["--fail-on", "forget,read,import,defer,invoke"], 0, ""),
        (&["--fail-on", "delete", "--type", "aws_vpc"], 0, ""),
        (&["--fail-on", "delete", "--only", "module.net", "--summary"], 1, "1 to destroy\n"),
        (&["--fail-on", "delete", "--exclude", "module.net", "--json"], 0, ""),
        (&["--fail-on", "drift", "--drift"], 1, "1 changed outside\n"),
        (&["--fail-on", "destroy"], 1, "1 to destroy\n"),
        (&["--fail-on", "delete", "--action", "destroy"], 1, "1 to destroy\n"),
        // A refused change wins over `--detailed-exitcode`.
        (&["--fail-on", "delete", "--detailed-exitcode"], 1, "1 to destroy\n"),
        (&["--fail-on", "read", "--detailed-exitcode"], 2, ""),
    ] {
        let output = show(arguments, &plan());
        assert_eq!(output.code, code, "{arguments:?}: {}", output.stderr);
        assert!(
            !output.stdout.is_empty() && output.stderr.ends_with(said),
            "{arguments:?}: {}",
            output.stderr
        );
        assert_eq!(output.stderr.contains("refused"), code == 1, "{}", output.stderr);
    }
    let unknown =
        show(&["--fail-on", "delete", "--fail-on", "drift"], &plan_of(&[change("aws_vpc.a", &["archive"])]));
    assert_eq!((unknown.code, unknown.stdout.contains("aws_vpc.a")), (1, true));
    assert!(unknown.stderr.contains("1 with unknown actions"), "{}", unknown.stderr);
    for (actions, what) in [(["create", "forget"], "1 to replace"), (["forget", "create"], "1 to replace")] {
        let plan = plan_of(&[change("aws_vpc.a", &actions)]);
        assert_eq!(show(&["--fail-on", "delete"], &plan).code, 0);
        let refused = show(&["--fail-on", "replace,forget"], &plan);
        assert!(refused.stderr.contains(&format!("{what}, 1 to forget")), "{}", refused.stderr);
    }
    let mut errored = plan_of(&[]);
    errored["errored"] = json!(true);
    let refused = show(&["--fail-on", "delete"], &errored);
    assert_eq!(refused.code, 1);
    assert!(
        refused.stderr.contains("refused by --fail-on: planning ended with an error"),
        "{}",
        refused.stderr
    );
}

#[test]
fn the_exit_code_tells_changes_as_terraform_does() {
    let nothing = plan_of(&[change("aws_vpc.a", &["no-op"])]);
    let mut saved = plan_of(&[]);
    saved["applyable"] = json!(true);
    saved["resource_drift"] = json!([change("aws_vpc.a", &["delete"])]);
    let mut drifted = saved.clone();
    drifted["applyable"] = json!(false);
    let mut errored = plan();
    errored["errored"] = json!(true);
    for (plan, arguments, code) in [
        (&nothing, &[][..], 0),
        (&plan(), &[], 2),
        (&plan(), &["--summary"], 2),
        (&plan(), &["--only", "nothing"], 1),
        (&plan(), &["--only", "nothing", "--allow-unmatched"], 0),
        (&plan(), &["--action", "read"], 0),
        (&plan(), &["--action", "delete"], 2),
        (&saved, &[], 2),
        (&drifted, &[], 0),
        (&drifted, &["--mode", "refresh-only", "--type", "aws_vpc"], 2),
        (&errored, &[], 1),
    ] {
        let output = show(&[arguments, &["--detailed-exitcode"]].concat(), plan);
        assert_eq!(output.code, code, "{arguments:?}: {plan}: {}", output.stderr);
        assert_eq!(output.stdout.is_empty(), arguments == ["--only", "nothing"]);
        let arguments = arguments.strip_suffix(&["--allow-unmatched"]).unwrap_or(arguments);
        assert_eq!(show(arguments, plan).code, 0);
    }
}

#[test]
fn two_stands_for_changes_and_for_nothing_else() {
    let state = json!({"format_version": "1.0", "values": {"root_module": {"resources": []}}}).to_string();
    for (arguments, input) in [
        (&["--detailed-exitcode", "--nonsense"][..], ""),
        (&["--nonsense", "--detailed-exitcode"], ""),
        (&["--as", "nonsense", "--detailed-exitcode"], ""),
        (&["--detailed-exitcode", "nowhere.json"], ""),
        (&["--detailed-exitcode"], "no plan"),
        (&["--detailed-exitcode"], &state),
        (&["--detailed-exitcode", "--fail-on", "delete"], r#"{"resource_changes": []}"#),
        (&["--detailed-exitcode", "--schemas", "-"], ""),
    ] {
        let output = objchange(["show"].iter().chain(arguments), input);
        assert_eq!((output.code, output.stdout.as_str()), (1, ""), "{arguments:?}: {}", output.stderr);
        assert!(output.stderr.starts_with("error: "), "{}", output.stderr);
    }
    for (arguments, input, said) in [
        (["--fail-on", "delete"], &*state, "this is a state"),
        (["--fail-on", "delete"], r#"{"resource_changes": []}"#, "terraform show -json PLANFILE"),
        (["--fail-on", "destruction"], "", "possible values"),
        (["--group-by", "module"], "", "--summary"),
    ] {
        let output = objchange(["show"].iter().chain(&arguments), input);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{}", output.stderr);
        assert!(output.stderr.contains(said), "{}", output.stderr);
    }
}

#[cfg(unix)]
#[test]
fn output_that_cannot_be_written_is_no_change() {
    let run = |arguments: &str, redirection: &str| {
        let plan = format!("{}/gate-plan.json", env!("CARGO_TARGET_TMPDIR"));
        std::fs::write(&plan, super::show_choice::plan().to_string()).unwrap();
        let command = format!("\"$0\" show {plan} {arguments} {redirection}");
        let mut shell = std::process::Command::new("sh");
        let status = shell.args(["-c", &command, env!("CARGO_BIN_EXE_objchange")]).output().unwrap().status;
        status.code().unwrap()
    };
    assert_eq!(run("--detailed-exitcode", ">&-"), 1);
    if std::path::Path::new("/dev/full").exists() {
        assert_eq!(run("", ">/dev/full"), 2);
        assert_eq!(run("--detailed-exitcode", ">/dev/full"), 1);
        assert_eq!(run("--fail-on delete", ">/dev/full"), 1);
    }
}

#[test]
fn a_summary_is_grouped_and_adds_up() {
    let summary = |group_by| show(&["--summary", "--group-by", group_by], &plan());
    let total = "Outputs (1)\n  + o\nChanged outside (1)\n  ~ module.net[\"a.b\"].aws_eip.main\nTotal: 1 to destroy, 1 to \
                 replace, 1 to update, 1 to create, 1 to move, 1 output to change, 1 changed outside.\n";
    for (group_by, first) in [
        ("action", "Destroy (1)\n  - module.net[\"a.b\"].module.sub.aws_db.main\nReplace (1)\n"),
        (
            "module",
            "module.net[\"a.b\"].module.sub (1)\n  - module.net[\"a.b\"].module.sub.aws_db.main\nmodule.network (1)\n",
        ),
        (
            "type",
            "aws_db (1)\n  - module.net[\"a.b\"].module.sub.aws_db.main\naws_vpc (4)\n-/+ module.network.aws_vpc.main\n",
        ),
    ] {
        let output = summary(group_by);
        assert_eq!(output.code, 0);
        assert!(output.stdout.starts_with(first) && output.stdout.ends_with(total), "{}", output.stdout);
    }
    assert_eq!(show(&["--summary"], &plan()).stdout, summary("action").stdout);
}

#[test]
fn json_has_counts_and_says_where_a_resource_is() {
    let report: Value = serde_json::from_str(&show(&["--json"], &plan()).stdout).unwrap();
    assert_eq!((&report["applyable"], &report["complete"]), (&json!(true), &json!(true)));
    let counts = &report["counts"];
    for (name, count) in
        [("delete", 1), ("replace", 1), ("move", 1), ("outputs", 1), ("drift", 1), ("forget", 0)]
    {
        assert_eq!(counts[name], json!(count), "{name}");
    }
    let entry = &report["resource_changes"][1];
    assert_eq!(entry["module_address"], "module.net[\"a.b\"]");
    assert_eq!(
        (&entry["index"], &entry["provider_name"]),
        (&json!(0), &json!("registry.terraform.io/hashicorp/aws"))
    );
    assert_eq!(report["resource_changes"][0].get("module_address"), None);
}

#[test]
fn a_gate_refuses_options_that_leave_nothing_to_check() {
    for (arguments, said) in [
        (
            &["--only", "aws_vcp.main"][..],
            "--only aws_vcp.main matches nothing here: did you mean aws_vpc.main?",
        ),
        (&["--only", "aws_vpc.main", "--only", "zzz"], "--only zzz matches nothing here; --allow-unmatched"),
        (
            &["--exclude", "module.nett"],
            "--exclude module.nett matches nothing here: did you mean module.net?",
        ),
        (&["--type", "aws_epi"], "--type aws_epi matches nothing here: did you mean aws_eip?"),
        (&["--module", "module.nat"], "--module module.nat matches nothing here: did you mean module.net?"),
        (&["--module", "module.net", "--exclude", "module.net"], "together these options match nothing here"),
        (&["--only", "aws_vpc.moved", "--type", "aws_db"], "together these options match nothing here"),
        (&["--action", "create,update"], "--fail-on delete misses what --action leaves out"),
        (&["--drift"], "--fail-on delete misses what --drift leaves out"),
    ] {
        let output = show(&[&["--fail-on", "delete"], arguments].concat(), &plan());
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(output.stderr.contains(said), "{arguments:?}: {}", output.stderr);
    }
    for condition in ["move", "import", "defer", "invoke", "drift"] {
        let output = show(&["--fail-on", condition, "--action", "create"], &plan());
        assert_eq!(output.code, 2, "{condition}");
        let said = format!("--fail-on {condition} misses what --action leaves out");
        assert!(output.stderr.contains(&said), "{}", output.stderr);
    }
    let output = show(&["--fail-on", "output", "--only", "aws_vpc.main"], &plan());
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("--fail-on output misses what"), "{}", output.stderr);
    for arguments in [
        &["--type", "zzz", "--allow-unmatched"][..],
        &["--only", "aws_vpc.main", "--action", "create,delete"],
        &["--only", "aws_vpc.moved"],
    ] {
        let output = show(&[&["--fail-on", "delete"], arguments].concat(), &plan());
        assert_eq!(output.code, 0, "{arguments:?}: {}", output.stderr);
    }
    // Unknown actions may be any of these.
    let unknown = plan_of(&[change("aws_vpc.a", &["archive"])]);
    assert_eq!(show(&["--fail-on", "delete", "--action", "delete"], &unknown).code, 1);
    let mut lost = plan_of(&[]);
    lost["applyable"] = json!(true);
    let refused = show(&["--fail-on", "delete"], &lost);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("all changes are missing from this plan"), "{}", refused.stderr);
}

#[test]
fn a_gate_sees_what_another_program_would_not_show() {
    let mut plan = plan_of(&[change("aws_vpc.a", &["no-op"])]);
    plan["deferred_changes"] =
        json!([{"reason": "provider_config_unknown", "resource_change": change("aws_vpc.b", &["create"])}]);
    for program in ["terraform", "opentofu"] {
        let refused = show(&["--fail-on", "defer", "--as", program], &plan);
        assert_eq!(refused.code, 1, "{program}: {}", refused.stderr);
    }
}

#[test]
fn a_move_of_a_plan_that_only_refreshes_is_one() {
    // Terraform 1.11.4 lists it as drift that changes nothing.
    let moved = json!({"address": "t.new", "previous_address": "t.old", "mode": "managed", "type": "t", "name": "new",
        "change": {"actions": ["no-op"], "before": {}, "after": {}, "after_unknown": {}, "before_sensitive": false,
            "after_sensitive": {}}});
    let plan =
        json!({"format_version": "1.2", "resource_changes": [], "resource_drift": [moved]}).to_string();
    let output = objchange(["show", "--fail-on", "move"], &plan);
    assert!(output.code == 1 && output.stderr.contains("1 to move"), "{output:?}");
    assert_eq!(objchange(["show", "--fail-on", "delete"], &plan).code, 0);
}

#[test]
fn only_programs_whose_text_is_known_are_accepted() {
    let accepted = "terraform terraform@1.0 terraform@1.16.2 terraform@1.17 opentofu opentofu@1.12 \
                    opentofu@1.12.1 opentofu@1.13";
    for program in accepted.split_whitespace() {
        assert_eq!(show(&["--as", program], &plan()).code, 0, "{program}");
    }
    for program in
        ["terraform@2.0", "terraform@1.18", "terraform@0.14", "opentofu@1.8", "opentofu@2.0", "tofu"]
    {
        let refused = show(&["--as", program], &plan());
        assert_eq!(refused.code, 2, "{program}");
        let supported = "`terraform@1.0` to `terraform@1.17`, such as `terraform@1.11`, `opentofu` \
                         (the same as `opentofu@1.12`) and `opentofu@1.13`";
        assert!(refused.stderr.contains(supported), "{program}: {}", refused.stderr);
    }
}

/// A module with a change for each gate that one can have without its provider, and schemas of that.
fn module_for_gates(name: &str, import: &str) -> Folder {
    let disk = |name: &str, attributes: Value, status: Option<&str>| {
        json!({"mode": "managed", "type": "cloud_disk", "name": name,
            "provider": "provider[\"registry.terraform.io/acme/cloud\"]",
            "instances": [{"schema_version": 0, "attributes": attributes, "status": status}]})
    };
    let named = |name: &str| json!({"name": name, "id": name});
    let state = json!({"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "x",
    "outputs": {"o": {"value": "old", "type": "string"}},
    "resources": [
        disk("kept", named("a"), None), disk("changed", named("old"), None), disk("moved_from", named("m"), None),
        disk("forgotten", named("f"), None), disk("gone", named("g"), None), disk("broken", named("t"), Some("tainted")),
    ]});
    let block = json!({"version": 0, "block": {"attributes": {
        "name": {"type": "string", "required": true}, "id": {"type": "string", "computed": true}}}});
    let schemas = json!({"format_version": "1.0", "provider_schemas": {"registry.terraform.io/acme/cloud": {
        "provider": {"version": 0, "block": {}}, "resource_schemas": {"cloud_disk": block.clone()},
        "data_source_schemas": {"cloud_image": block}}}});
    let module = format!(
        r#"
terraform {{
  required_providers {{
    cloud = {{ source = "acme/cloud" }}
  }}
}}
resource "cloud_disk" "kept" {{ name = "a" }}
resource "cloud_disk" "changed" {{ name = "new" }}
resource "cloud_disk" "added" {{ name = "c" }}
resource "cloud_disk" "moved_to" {{ name = "m" }}
resource "cloud_disk" "broken" {{ name = "t" }}
moved {{
  from = cloud_disk.moved_from
  to   = cloud_disk.moved_to
}}
removed {{
  from = cloud_disk.forgotten
  lifecycle {{
    destroy = false
  }}
}}
data "cloud_image" "i" {{ name = "x" }}
output "o" {{ value = cloud_disk.changed.name }}
{import}
"#
    );
    Folder::with(
        name,
        &[
            ("module/main.tf", module.as_str()),
            ("module/terraform.tfstate", &state.to_string()),
            ("schemas.json", &schemas.to_string()),
        ],
    )
}

/// A directory and the document of its plan are the same plan, so one answer is right.
#[test]
fn a_gate_has_one_answer_for_a_directory_and_its_document() {
    const GATES: [&str; 12] = [
        "create", "read", "update", "delete", "replace", "forget", "move", "import", "defer", "invoke",
        "output", "drift",
    ];
    let import = "import {\n  to = cloud_disk.added\n  id = \"i-1\"\n}\n";
    for (name, import, gates) in
        [("gates", "", &GATES[..]), ("gates-import", import, &["import", "defer", "delete"])]
    {
        let folder = module_for_gates(name, import);
        let at = |name: &str| folder.at(name).display().to_string();
        let (directory, schemas, file) = (at("module"), at("schemas.json"), at("plan.json"));
        let mut refused = 0;
        for options in [&[][..], &["--refresh=false"], &["--strict"], &["--refresh=false", "--strict"]] {
            let run = |command: &[&str]| {
                let output = objchange([command, &["--schemas", &schemas][..]].concat(), "");
                let why = output.stderr.lines().find(|line| line.contains("refused by")).map(str::to_owned);
                ((output.code, why), output.stdout)
            };
            std::fs::write(&file, run(&[&["plan", &directory, "--json"][..], options].concat()).1).unwrap();
            for gate in gates {
                let gate = ["--fail-on", gate];
                let (by_plan, _) = run(&[&["plan", &directory][..], options, &gate].concat());
                assert_eq!(by_plan.0, i32::from(by_plan.1.is_some()), "{options:?} {gate:?}");
                refused += by_plan.0;
                // `show` has no option for a strict plan.
                if !options.contains(&"--strict") {
                    let (by_show, _) = run(&[&["show", &directory][..], options, &gate].concat());
                    assert_eq!(by_show, by_plan, "show {directory} {options:?} {gate:?}");
                }
                let (by_file, _) = run(&[&["show", &file][..], &gate].concat());
                assert_eq!(by_file, by_plan, "show {file} {options:?} {gate:?}");
            }
        }
        // Without an import, three gates have nothing to refuse; with one, nobody knows whether it is an update.
        assert_eq!(refused, if import.is_empty() { 4 * 9 } else { 4 * 3 });
    }
}

/// A directory with errors is no plan that passes, whoever asks.
#[test]
fn a_gate_refuses_a_directory_with_errors() {
    let folder = Folder::with("gates-errors", &[("main.tf", "output \"o\" {\n  value = var.nope\n}\n")]);
    let directory = folder.0.display().to_string();
    for command in ["plan", "show"] {
        let output = objchange([command, &directory, "--no-state", "--fail-on", "delete"], "");
        assert_eq!(output.code, 1, "{output:?}");
        assert!(output.stderr.contains("Reference to undeclared input variable"), "{output:?}");
    }
    // Without a gate `show` has nothing to show.
    assert_eq!(objchange(["show", &directory, "--no-state"], "").code, 2);
}

/// An update of tags alone, and one of more.
fn tagged() -> Value {
    let update = |name: &str, size: u32| {
        let mut one = change(&format!("aws_vpc.{name}"), &["update"]);
        one["change"]["before"] = json!({"id": "i", "tags_all": {"a": "1"}, "size": 1});
        one["change"]["after"] = json!({"id": "i", "tags_all": {"a": "2"}, "size": size});
        one
    };
    plan_of(&[update("tags", 1), update("more", 2)])
}

#[test]
fn a_change_that_contradicts_its_action_is_never_accepted() {
    let object = json!({"id": "a"});
    let whole = |more: Value| {
        let mut plan = plan_of(&[change("aws_vpc.a", &["no-op"])]);
        plan["complete"] = json!(true);
        plan.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        plan
    };
    let with = |actions: &[&str], more: Value| {
        let mut one = change("aws_vpc.a", actions);
        for side in ["before", "after"] {
            one["change"][side] = object.clone();
        }
        one["change"].as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        one
    };
    // Terraform writes paths that force a replacement in replacements alone.
    for (actions, paths, is_accepted) in [
        (&["update"][..], json!([["id"]]), false),
        (&["update"], json!([]), true),
        (&["no-op"], json!([["id"]]), false),
        (&["delete", "create"], json!([["id"]]), true),
    ] {
        let plan = whole(json!({"resource_changes": [with(actions, json!({"replace_paths": paths}))]}));
        let output = show(&["--fail-on", "move"], &plan);
        assert_eq!(output.code, if is_accepted { 0 } else { 2 }, "{plan}: {}", output.stderr);
        assert_eq!(output.stderr.contains("the action of aws_vpc.a"), !is_accepted, "{}", output.stderr);
    }
    // The sides of drift, and of what is left to the next plan.
    for (actions, sides) in [
        (&["delete"][..], json!({})),
        (&["create"], json!({})),
        (&["no-op"], json!({"after": {"id": "b"}})),
        (&["update"], json!({"after": null})),
    ] {
        let one = with(actions, sides);
        for more in [
            json!({"resource_drift": [one]}),
            json!({"deferred_changes": [{"reason": "resource_config_unknown", "resource_change": one}]}),
        ] {
            let output = show(&["--fail-on", "move"], &whole(more.clone()));
            assert_eq!(output.code, 2, "{more}: {}", output.stderr);
        }
    }
}

#[test]
fn what_is_ignored_is_no_change_for_gates() {
    let plan = tagged();
    for (arguments, code, said) in [
        (&["--fail-on", "update"][..], 1, "2 to update\n"),
        (&["--fail-on", "update", "--ignore", "tags_all"], 1, "1 to update\n"),
        (
            &["--fail-on", "update", "--ignore", "aws_vpc.tags:tags_all", "--ignore", "size"],
            1,
            "1 to update\n",
        ),
        (&["--fail-on", "update", "--ignore", "tags_all", "--ignore", "size"], 0, ""),
        (&["--detailed-exitcode", "--ignore", "tags_all", "--ignore", "size"], 0, ""),
        (&["--detailed-exitcode", "--ignore", "tags_all"], 2, ""),
        (&["--ignore", "tags["], 2, "expected a path"),
        (&["--fail-on", "drift", "--no-drift"], 2, "--fail-on drift misses what --no-drift leaves out"),
    ] {
        let output = show(arguments, &plan);
        assert_eq!(output.code, code, "{arguments:?}: {}", output.stderr);
        assert!(output.stderr.contains(said), "{arguments:?}: {}", output.stderr);
    }
    let summary = show(&["--summary", "--ignore", "tags_all"], &plan);
    assert_eq!(
        summary.stdout,
        "Update (1)\n  ~ aws_vpc.more\nOnly ignored paths: tags_all (1)\n  ~ aws_vpc.tags\nTotal: 1 to update.\n"
    );
    let report = show(&["--json", "--ignore", "tags_all"], &plan);
    let report: Value = serde_json::from_str(&report.stdout).unwrap();
    check(&validator("report.schema.json"), &report);
    assert_eq!((&report["ignored"]["paths"], &report["counts"]["update"]), (&json!(["tags_all"]), &json!(1)));
    assert_eq!(report["ignored"]["updates"][0]["address"], "aws_vpc.tags");
}

#[test]
fn drift_can_be_left_out_of_comments() {
    let mut plan = plan();
    let page = show(&["--format", "markdown"], &plan).stdout;
    assert!(page.contains("changed outside") && page.contains("### Changed outside of Terraform"), "{page}");
    let page = show(&["--format", "markdown", "--no-drift"], &plan).stdout;
    assert!(page.contains("1 to destroy") && !page.to_lowercase().contains("outside"), "{page}");
    // A plan that only refreshes has nothing else to show.
    plan["resource_changes"] = json!([]);
    plan["output_changes"] = json!({});
    let page = show(&["--format", "markdown", "--no-drift", "--mode", "refresh-only"], &plan).stdout;
    assert!(page.contains("1 changed outside"), "{page}");
}

#[test]
fn failed_checks_are_in_the_summary_and_stop() {
    let mut plan = plan_of(&[]);
    plan["checks"] = json!([{
        "address": {"kind": "check", "name": "health", "to_display": "check.health"}, "status": "fail",
        "instances": [{"address": {"to_display": "check.health"}, "status": "fail", "problems": [{"message": "it is down"}]}],
    }]);
    let output = show(&["--summary", "--fail-on", "check"], &plan);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(
        output.stdout.contains("Checks (1)\n    check.health: failed, it is down\n"),
        "{}",
        output.stdout
    );
    assert!(
        output.stderr.contains("refused by --fail-on: 1 of checks that did not pass"),
        "{}",
        output.stderr
    );
    assert_eq!(show(&["--fail-on", "check", "--only", "aws_vpc.a"], &plan).code, 2);
    plan["checks"][0]["status"] = json!("unknown");
    plan["checks"][0]["instances"][0]["status"] = json!("unknown");
    // Nobody knows whether it will pass.
    assert_eq!(show(&["--fail-on", "check"], &plan).code, 1);
    plan["checks"][0]["status"] = json!("pass");
    assert_eq!(show(&["--fail-on", "check"], &plan).code, 0);
}
