//! `objchange review`.

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::program::{Output, objchange, objchange_with};
use crate::schemas::{check, validator};

const WEB: &str = "examples/fleet/web.json";

const POLICY: &str = "package main\n\nimport rego.v1\n\n\
    deny contains msg if {\n\tsome rc in input.resource_changes\n\t\"delete\" in rc.change.actions\n\tmsg := sprintf(\"%s goes | away\", [rc.address])\n}\n\n\
    deny contains \"the id is known\" if {\n\tsome rc in input.resource_changes\n\trc.change.after.id == \"x\"\n}\n\n\
    warn contains \"never\" if {\n\tinput.terraform_version == \"0.1\"\n}\n";

fn review(arguments: &[&str]) -> Output {
    objchange(["review"].iter().chain(arguments), "")
}

/// A plan of objects with these addresses, each with its actions.
fn plan(changes: &[(&str, &[&str])]) -> String {
    let changes: Vec<Value> = changes
        .iter()
        .map(|(address, actions)| {
            let is_there = |is: bool| if is { json!({"size": 1}) } else { Value::Null };
            let (before, after) = (!actions.contains(&"create") || actions.len() > 1, *actions != ["delete"]);
            let module = address.rsplitn(3, '.').nth(2);
            let mut one = json!({"address": address, "mode": "managed", "type": "disk", "name": "a",
                "provider_name": "p", "change": {"actions": actions, "before": is_there(before),
                "after": is_there(after), "after_unknown": {}, "before_sensitive": false, "after_sensitive": {}}});
            if let Some(module) = module {
                one["module_address"] = json!(module);
            }
            one
        })
        .collect();
    json!({"format_version": "1.2", "terraform_version": "1.11.4", "timestamp": "2026-01-02T03:04:05Z",
        "resource_changes": changes})
    .to_string()
}

#[test]
fn one_plan_with_its_policies_its_hash_and_its_changes() {
    let folder = Folder::with(
        "review-one",
        &[
            ("policy.rego", POLICY),
            ("plan.json", &plan(&[("disk.old", &["delete"]), ("module.net.disk.new", &["create"])])),
        ],
    );
    let [policy, plan] =
        ["policy.rego", "plan.json"].map(|name| folder.at(name).to_str().unwrap().to_owned());
    let output = review(&[&plan, "--rego", &policy, "--marker", "net", "--link", "https://ci.example/7"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let page = &output.stdout;
    assert!(
        page.starts_with("<!-- objchange:net -->\n## Terraform plan: 1 to destroy, 1 to create\n"),
        "{page}"
    );
    for part in [
        "[Full output](https://ci.example/7)",
        "**Policies**: 1 failed",
        "❌ **failed**",
        "disk.old goes | away",
        "Made by `Terraform 1.11.4` at `2026-01-02T03:04:05Z`",
        "⚠️ Destroyed or replaced: `disk.old`",
        "<details open><summary><code>module.net</code>: 1 to create</summary>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    // The hash is the one that `hash` prints.
    let hash = objchange(["hash", &plan], "").stdout;
    assert!(page.contains(&format!("Approval hash: `{}`", hash.trim())), "{page}");
    assert!(output.stderr.contains("refused: "), "{}", output.stderr);
    // Without policies nothing refuses it, unless a gate does.
    assert_eq!(review(&[&plan]).code, 0);
    let gated = review(&[&plan, "--fail-on", "delete"]);
    assert_eq!(
        (gated.code, gated.stdout.contains("❌ **Refused**: 1 to destroy")),
        (1, true),
        "{}",
        gated.stdout
    );
    assert_eq!(review(&[&plan, "--fail-on", "update"]).code, 0);
}

#[test]
fn the_report_names_the_commit_the_workspace_the_version_and_the_time() {
    let folder = Folder::with(
        "review-made",
        &[
            ("plan.json", &plan(&[("disk.a", &["create"])])),
            ("m/main.tf", "output \"a\" {\n  value = 1\n}\n"),
        ],
    );
    let [plan, module] = ["plan.json", "m"].map(|name| folder.at(name).to_str().unwrap().to_owned());
    let made = "ade by Terraform 1.11.4 at 2026-01-02T03:04:05Z";
    let said = |format: &str, variables: &[(&str, &str)], arguments: &[&str]| {
        let output =
            objchange_with(variables, [&["review", &plan, "--format", format], arguments].concat(), "");
        assert_eq!(output.code, 0, "{}", output.stderr);
        output.stdout
    };
    let sha = "0123456789abcdef0123456789abcdef01234567";
    for name in ["GITHUB_SHA", "CI_COMMIT_SHA", "BUILD_SOURCEVERSION", "BITBUCKET_COMMIT"] {
        let page = said("markdown", &[(name, sha)], &[]);
        assert!(page.contains(&format!("\nCommit: `{sha}`\n")), "{name}: {page}");
    }
    assert!(
        said("markdown", &[("GITHUB_SHA", sha)], &["--commit", "v1|`x"]).contains("\nCommit: ``v1|`x``\n")
    );
    // A variable with any other text names no commit.
    for variables in [&[][..], &[("GITHUB_SHA", "@user")]] {
        assert!(!said("markdown", variables, &[]).contains("Commit"));
    }
    let text = said("text", &[("CI_COMMIT_SHA", sha)], &[]);
    assert!(text.starts_with(&format!("commit: {sha}\n")) && text.contains(made), "{text}");
    let html = said("html", &[("CI_COMMIT_SHA", sha)], &[]);
    assert!(html.contains(&format!("Commit: {sha}")) && html.contains(made), "{html:.3000}");
    let json: Value = serde_json::from_str(&said("json", &[("CI_COMMIT_SHA", sha)], &[])).unwrap();
    check(&validator("review.schema.json"), &json);
    assert_eq!((&json["commit"], json["plans"][0].get("workspace")), (&json!(sha), None));
    // No document names its workspace; a directory has one.
    let review = |format| {
        let arguments = ["review", &module, "--no-state", "--format", format];
        objchange_with(&[("TF_WORKSPACE", "prod")], arguments, "").stdout
    };
    let json: Value = serde_json::from_str(&review("json")).unwrap();
    check(&validator("review.schema.json"), &json);
    assert_eq!(json["plans"][0]["workspace"], "prod");
    assert!(review("markdown").contains(" in the workspace `prod` at `"), "{}", review("markdown"));
}

#[test]
fn many_plans_are_one_table_and_a_section_each() {
    let folder = Folder::with(
        "review-many",
        &[
            ("a.json", &plan(&[("disk.a", &["create"])])),
            ("b.json", &plan(&[("disk.b", &["delete"]), ("disk.c", &["update"])])),
            ("c.txt", "no plan"),
        ],
    );
    let [a, b, c] = ["a.json", "b.json", "c.txt"].map(|name| folder.at(name).to_str().unwrap().to_owned());
    let output = review(&[&a, &b, "--fail-on", "delete"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let page = &output.stdout;
    assert!(page.starts_with("## Terraform plans: 2 plans, 1 refused\n"), "{page}");
    assert!(page.contains("| Plan | Verdict | Changes | Policies | Approval hash |"), "{page}");
    assert_eq!(page.matches("| accepted |").count() + page.matches("| ❌ refused |").count(), 2, "{page}");
    assert!(page.contains("⚠️ 1 to destroy, 1 to update"), "{page}");
    assert!(page.contains("**Create** `disk.a`") && page.contains("**Destroy** `disk.b`"), "{page}");
    // An input that cannot be read is named, and never a pass.
    let output = review(&[&a, &c]);
    assert_eq!(output.code, 2, "{}", output.stderr);
    assert!(output.stdout.contains("⚠️ **Not reviewed**: "), "{}", output.stdout);
    let json: Value = serde_json::from_str(&review(&[&a, &c, "--json"]).stdout).unwrap();
    assert_eq!(json["verdict"], "not_reviewed");
}

#[test]
fn many_plans_are_one_page_for_a_browser() {
    let folder = Folder::with(
        "review-html",
        &[
            ("a.json", &plan(&[("disk.a", &["create"]), ("module.net.disk.b", &["update"])])),
            ("b.json", &plan(&[("disk.a", &["delete"])])),
            ("c.txt", "no plan"),
        ],
    );
    let [a, b, c] = ["a.json", "b.json", "c.txt"].map(|name| folder.at(name).to_str().unwrap().to_owned());
    let output = review(&[&a, &b, "--format", "html", "--fail-on", "delete", "--title", "Nets <1>"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let page = &output.stdout;
    assert_eq!(page.matches("<!DOCTYPE html>").count(), 1);
    for part in [
        "<h1>Nets &lt;1&gt;: 2 plans, 1 refused</h1>",
        "<td>❌ refused</td><td>⚠️ 1 to destroy</td>",
        "<article id=\"disk.a\"",
        "<article id=\"disk.a~2\"",
        "<p>Refused: 1 to destroy</p>",
        "<a href=\"#plan-2\">",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let broken = review(&[&a, &c, "--format", "html"]);
    assert!(broken.code == 2 && broken.stdout.contains("<p>Not reviewed: "), "{}", broken.stdout);
}

#[test]
fn json_is_as_its_schema_says() {
    let folder = Folder::with("review-json", &[("policy.rego", POLICY)]);
    let policy = folder.at("policy.rego").to_str().unwrap().to_owned();
    let output = review(&[WEB, "--rego", &policy, "--json"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    check(&validator("review.schema.json"), &report);
    check(&validator("report.schema.json"), &report["plans"][0]["report"]);
    assert_eq!((&report["verdict"], &report["plans"][0]["verdict"]), (&json!("refused"), &json!("refused")));
    let results = report["plans"][0]["policies"].as_array().unwrap();
    assert!(
        results.iter().any(|result| result["outcome"] == "failed" && result["refuses"] == true),
        "{results:?}"
    );
    let text = review(&[WEB, "--rego", &policy, "--format", "text"]);
    assert!(text.stdout.contains(": refused: 1 to destroy"), "{}", text.stdout);
    assert!(text.stdout.contains("  hash: v2") && text.stdout.contains("Destroy (1)\n"), "{}", text.stdout);
    let html = review(&[WEB, "--rego", &policy, "--format", "html"]);
    assert!(
        html.stdout.starts_with("<!DOCTYPE html>") && html.stdout.contains("<p>Approval hash: v2"),
        "{}",
        html.stderr
    );
}

#[test]
fn sentinel_policies_are_applied() {
    let folder = Folder::with(
        "review-sentinel",
        &[
            (
                "no-destroy.sentinel",
                "import \"tfplan/v2\" as tfplan\n\nmain = rule {\n\tall tfplan.resource_changes as _, rc {\n\t\trc.change.actions is not [\"delete\"]\n\t}\n}\n",
            ),
            ("a.json", &plan(&[("disk.a", &["create"])])),
            ("b.json", &plan(&[("disk.b", &["delete"])])),
        ],
    );
    let [policy, a, b] =
        ["no-destroy.sentinel", "a.json", "b.json"].map(|name| folder.at(name).to_str().unwrap().to_owned());
    let passed = review(&[&a, "--sentinel", &policy]);
    assert_eq!(
        (passed.code, passed.stdout.contains("**Policies**: 1 passed")),
        (0, true),
        "{}",
        passed.stdout
    );
    let failed = review(&[&b, "--sentinel", &policy]);
    assert_eq!(
        (failed.code, failed.stdout.contains("❌ **failed** `no-destroy`")),
        (1, true),
        "{}",
        failed.stdout
    );
}

#[test]
fn sites_have_their_own_form() {
    let folder = Folder::with("review-sites", &[("plan.json", &plan(&[("module.net.disk.a", &["update"])]))]);
    let plan = folder.at("plan.json").to_str().unwrap().to_owned();
    let page = review(&[&plan, "--platform", "bitbucket", "--marker", "net"]).stdout;
    assert!(page.starts_with("`objchange:net`\n\n## Terraform plan: 1 to update\n"), "{page}");
    assert!(page.contains("**`module.net`**: 1 to update") && !page.contains('<'), "{page}");
    for arguments in [
        &["--format", "text", "--marker", "net"][..],
        &["--format", "json", "--title", "t"],
        &["--json", "--format", "html"],
        &["--no-drift", "--fail-on", "drift"],
        &["--key", "nothing"],
    ] {
        let output = review(&[&[&*plan][..], arguments].concat());
        assert_eq!((output.code, &*output.stdout), (2, ""), "{arguments:?}");
    }
}

#[test]
fn a_long_page_names_every_destroyed_and_replaced_object_that_fits() {
    let names: Vec<String> = (0..2_000).map(|index| format!("module.m{}.disk.n{index}", index % 7)).collect();
    let actions = |index: usize| -> &'static [&'static str] {
        match index % 20 {
            0 => &["delete"],
            1 | 2 => &["delete", "create"],
            _ => &["update"],
        }
    };
    let changes: Vec<_> = names.iter().enumerate().map(|(index, name)| (&**name, actions(index))).collect();
    let folder = Folder::with("review-long", &[("plan.json", &plan(&changes))]);
    let plan = folder.at("plan.json").to_str().unwrap().to_owned();
    let page = review(&[&plan]).stdout;
    assert!(page.encode_utf16().count() <= 65_536);
    assert!(page.contains("| Module | Destroy | Replace | Update |"), "{}", &page[..2_000]);
    assert!(page.contains("| **All** | 100 | 200 | 1700 |"), "{}", &page[..2_000]);
    for (index, name) in names.iter().enumerate().filter(|(index, _)| index % 20 < 3) {
        assert!(page.contains(&format!("`{name}`")), "{index}: {name}");
    }
    let last = page.lines().last().unwrap();
    assert!(last.starts_with("**Left out, to stay within 65536 characters: "), "{last}");
    assert!(last.contains(" to update, ") && last.contains(" diffs") && !last.contains("destroy"), "{last}");
    let short = review(&[&plan, "--max-length", "4000"]).stdout;
    assert!(short.encode_utf16().count() <= 4_000, "{}", short.len());
    assert!(short.contains(" to destroy, ") && short.contains(" to replace, "), "{short}");
}

#[test]
fn several_plans_keep_their_order_over_all_of_the_page() {
    // The first plan has diffs for a whole page, and the last one objects to destroy.
    let update: Vec<String> = (0..300).map(|index| format!("module.a.disk.n{index}")).collect();
    let update: Vec<_> = update.iter().map(|name| (&**name, &["update"][..])).collect();
    let delete: Vec<String> =
        (0..400).map(|index| format!("module.b{}.disk.old{index}", index % 9)).collect();
    let delete: Vec<_> = delete.iter().map(|name| (&**name, &["delete"][..])).collect();
    let folder = Folder::with("review-order", &[("a.json", &plan(&update)), ("b.json", &plan(&delete))]);
    let [a, b] = ["a.json", "b.json"].map(|name| folder.at(name).to_str().unwrap().to_owned());
    for arguments in [[&*a, &*b], [&*b, &*a]] {
        let page = |length: &str| {
            let page = review(&[&arguments[..], &["--max-length", length]].concat()).stdout;
            assert!(page.encode_utf16().count() <= length.parse::<usize>().unwrap(), "{length}");
            page
        };
        let count = |page: &str, what: &str| page.matches(what).count();
        // Diffs go first, then the lines of updates, and addresses of destroyed objects last.
        let long = page("60000");
        assert_eq!((count(&long, "disk.old"), count(&long, "**Update** `module.a.")), (400 + 10, 300));
        assert!(count(&long, "```") > 0 && long.contains(" diffs**"), "{long:.3000}");
        let middle = page("34000");
        assert_eq!(count(&middle, "disk.old"), 400 + 10, "{middle:.3000}");
        assert!(middle.contains("| Destroy |") && middle.contains("| Update |"), "{middle:.3000}");
        let short = page("18000");
        assert!(count(&short, "disk.old") == 400 && count(&short, "**Update**") < 30, "{short}");
        let shortest = page("8000");
        assert!(count(&shortest, "disk.old") > 200 && count(&shortest, "disk.n") == 0, "{shortest}");
        let last = shortest.lines().last().unwrap();
        assert!(last.contains(" to destroy, 300 to update, "), "{last}");
    }
}

#[test]
fn nothing_of_a_plan_or_a_policy_is_markup_or_a_secret() {
    let mut document: Value = serde_json::from_str(&plan(&[("disk.a", &["update"])])).unwrap();
    document["resource_changes"][0]["change"]["after"] =
        json!({"size": 1, "token": "SECRET-MARKER", "note": "<b>@user</b>"});
    document["resource_changes"][0]["change"]["after_sensitive"] = json!({"token": true});
    let policy = "package main\n\nimport rego.v1\n\ndeny contains msg if {\n\tsome rc in input.resource_changes\n\tmsg := sprintf(\"<b>%s</b> @user\", [rc.change.after.token])\n}\n";
    let folder = Folder::with("review-markup", &[("p.rego", policy), ("plan.json", &document.to_string())]);
    let [policy, plan] = ["p.rego", "plan.json"].map(|name| folder.at(name).to_str().unwrap().to_owned());
    for format in ["markdown", "html", "text", "json"] {
        let output = review(&[&plan, "--rego", &policy, "--format", format]);
        assert_eq!(output.code, 1, "{format}: {}", output.stderr);
        assert!(
            !output.stdout.contains("SECRET-MARKER") && !output.stderr.contains("SECRET-MARKER"),
            "{format}"
        );
        if format != "text" && format != "json" {
            assert!(!output.stdout.contains("<b>%s"), "{format}");
        }
    }
}

#[test]
fn a_plan_that_failed_is_reviewed_where_that_is_accepted_and_has_no_hash() {
    let mut document: Value = serde_json::from_str(&plan(&[("disk.a", &["create"])])).unwrap();
    document["errored"] = json!(true);
    let folder = Folder::with("review-errored", &[("plan.json", &document.to_string())]);
    let path = folder.at("plan.json");
    let path = path.to_str().unwrap();
    let strict = review(&[path]);
    assert_eq!(strict.code, 2, "{}", strict.stderr);
    assert!(
        strict.stdout.starts_with("## Terraform plans: 0 plans, 0 refused, 1 not reviewed\n"),
        "{}",
        strict.stdout
    );
    let accepted = review(&[path, "--allow-errored"]);
    assert_eq!(accepted.code, 0, "{}", accepted.stderr);
    assert!(accepted.stdout.contains("**Planning failed**") && accepted.stdout.contains("`disk.a`"));
    assert!(!accepted.stdout.contains("hash"), "{}", accepted.stdout);
    assert_eq!(review(&[path, "--allow-errored", "--fail-on", "delete"]).code, 1);
}

#[test]
fn skipped_inputs_are_named_in_every_form() {
    let cut = r#"{"format_version":"1.2","resource_ch"#;
    let folder =
        Folder::with("review-skipped", &[("a.json", &plan(&[("disk.a", &["create"])])), ("cut.json", cut)]);
    let (good, cut) = (folder.at("a.json"), folder.at("cut.json"));
    let [good, cut] = [&good, &cut].map(|path| path.to_str().unwrap());
    for form in ["markdown", "html", "text", "json"] {
        let output = review(&[good, cut, "--skip-unreadable", "-q", "--format", form]);
        assert_eq!((output.code, &*output.stderr), (0, ""), "{form}");
        assert!(output.stdout.contains("cut.json:1:"), "{form}: {}", output.stdout);
        let strict = review(&[good, cut, "--format", form]);
        assert_eq!(strict.code, 2, "{form}");
    }
    let output = review(&[good, cut, "--skip-unreadable", "--json"]);
    let data: Value = serde_json::from_str(&output.stdout).unwrap();
    check(&validator("review.schema.json"), &data);
    assert_eq!((&data["verdict"], &data["problems"]), (&json!("accepted"), &json!([])));
    assert_eq!(data["skipped"].as_array().unwrap().len(), 1);
}

#[test]
fn the_caution_says_which_objects_are_deposed() {
    let deposed = |key: &str| {
        json!({"address": "disk.a", "deposed": key, "mode": "managed", "type": "disk", "name": "a",
            "provider_name": "p", "change": {"actions": ["delete"], "before": {"size": 1}, "after": null,
            "after_unknown": {}, "before_sensitive": {}, "after_sensitive": {}}})
    };
    let document = json!({"format_version": "1.2", "resource_changes": [deposed("ab12"), deposed("cd34")]});
    let folder = Folder::with("review-deposed", &[("a.json", &document.to_string())]);
    let path = folder.at("a.json");
    let page = review(&[path.to_str().unwrap()]).stdout;
    let caution =
        "Destroyed or replaced: `disk.a` (deposed object `ab12`), `disk.a` (deposed object `cd34`)\n";
    assert!(page.contains(caution), "{page}");
    let page = review(&[path.to_str().unwrap(), "--format", "html"]).stdout;
    assert!(page.contains("</a> (deposed object <code>ab12</code>)"), "{page}");
}
