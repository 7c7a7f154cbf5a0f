//! The workflows of the pages, with a Terraform that only pretends.

use std::fs;

use super::blocks::{Step, workflows};
use super::{checkout, command, program, text};
use crate::folder::Folder;
use crate::program::workspace;

/// Terraform, whose plan is `planned.json`. `calls` has a line for each of its calls.
const TERRAFORM: &str = r#"
echo "terraform $*" >> calls
case "$*" in
    'plan -out tfplan') cp planned.json tfplan ;;
    'show -json tfplan') [ -f tfplan ] && cat planned.json ;;
    'apply tfplan') [ -f tfplan ] ;;
    *) exit 64 ;;
esac
"#;

/// A plan that only creates, and one that also destroys.
const CREATING: &str = r#"{"format_version": "1.2", "terraform_version": "1.11.4", "resource_changes": [{
    "address": "terraform_data.a", "mode": "managed", "type": "terraform_data", "name": "a",
    "provider_name": "terraform.io/builtin/terraform",
    "change": {"actions": ["create"], "before": null, "after": {"input": "x"}, "after_unknown": {"id": true},
        "before_sensitive": false, "after_sensitive": {}}}]}"#;
const DESTROYING: &str = include_str!("../../../../../examples/approval/approved.json");
const POLICY: &str = r#"package main
import rego.v1
deny contains rc.address if {
    some rc in input.resource_changes
    rc.change.after.input == "y"
}
"#;
/// The second plan, later.
const LATER: &str = include_str!("../../../../../examples/approval/now.json");

/// A checkout in which Terraform plans this.
fn job(plan: &str) -> Folder {
    let folder = checkout("workflow");
    program(&folder, "terraform", TERRAFORM);
    folder.write("key.txt", "0123456789abcdef".repeat(4));
    folder.write("planned.json", plan);
    folder
}

/// Runs a step as GitHub does, and returns its exit code.
#[track_caller]
fn run(folder: &Folder, step: &Step) -> i32 {
    let Step::Run(script) = step else { panic!("an action is no script") };
    let output =
        command(folder, "bash").args(["-e", "-c", script]).env("KEY_FILE", "key.txt").output().unwrap();
    output.status.code().expect("an exit code")
}

fn workflow(page: &str, index: usize) -> Vec<Step> {
    workflows(&text(page)).remove(index)
}

#[test]
fn destroys_stop_the_first_workflow() {
    let steps = workflow("docs/ci.md", 1);
    for (plan, code) in [(CREATING, 0), (DESTROYING, 1)] {
        let folder = job(plan);
        folder.write("policies/small.rego", POLICY);
        assert_eq!(run(&folder, &steps[0]), code, "{plan}");
        // The gate comes before the policies.
        let reports = ["policies.sarif", "policies.xml"].map(|file| folder.at(file).exists());
        assert_eq!(reports, [code == 0; 2], "{plan}");
    }
}

#[test]
fn only_the_approved_plan_is_applied() {
    let steps = workflow("docs/ci.md", 2);
    let [review, apply] = steps.as_slice() else { panic!("two steps") };
    for (applied, code) in [(DESTROYING, 0), (LATER, 1)] {
        let folder = job(DESTROYING);
        assert_eq!(run(&folder, review), 0);
        folder.write("tfplan", applied);
        assert_eq!(run(&folder, apply), code, "{applied}");
        assert_eq!(folder.read("calls").contains("apply"), code == 0, "{applied}");
    }
}

#[test]
fn surprises_stop_and_are_commented() {
    let steps = workflow("docs/ci.md", 3);
    let [stop, comment] = steps.as_slice() else { panic!("two steps") };
    for (now, code) in [(DESTROYING, 0), (LATER, 1)] {
        let folder = job(DESTROYING);
        folder.write("reviewed.json", DESTROYING);
        folder.write("plan.json", now);
        assert_eq!(run(&folder, stop), code, "{now}");
        assert_eq!(run(&folder, comment), 0, "{now}");
        assert!(folder.read("comment.md").starts_with("<!-- objchange:surprises -->\n"), "{now}");
        folder.write("plan.json", "{");
        assert_ne!(run(&folder, comment), 0, "a plan that cannot be read is no surprise");
    }
}

#[test]
fn sentinel_policies_are_checked_tested_and_applied() {
    let steps = workflow("docs/sentinel.md", 0);
    for (plan, code) in [(CREATING, 0), (include_str!("../../../../../examples/fleet/api.json"), 1)] {
        let folder = job(plan);
        folder.write("tfplan", "");
        fs::rename(folder.at("examples/sentinel"), folder.at("policies")).unwrap();
        assert_eq!(run(&folder, &steps[0]), code, "{plan}");
        assert!(folder.at("tests.xml").exists() && folder.at("policies.sarif").exists(), "{plan}");
    }
}

#[test]
fn actions_of_this_repository_exist() {
    let steps = workflow("docs/ci.md", 4);
    let [prepare, Step::Uses(action), Step::Uses(_)] = steps.as_slice() else {
        panic!("a script and two actions")
    };
    let path = action.strip_prefix("objchange/objchange/").and_then(|path| path.strip_suffix("@main"));
    let is_there = path.is_some_and(|path| workspace().join(path).join("action.yml").exists());
    assert!(is_there, "{action}");
    let folder = job(CREATING);
    assert_eq!(run(&folder, prepare), 0);
    assert_eq!(folder.read("plan.json"), CREATING);
}
