//! `objchange sentinel apply`.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::program::{Output, objchange, workspace};
use crate::schemas::{check, refused, validator};

fn change(address: &str, kind: &str, actions: &Value, after: &Value, unknown: &Value) -> Value {
    let module = address.rsplit_once(kind).map_or("", |(module, _)| module.trim_end_matches('.'));
    json!({"address": address, "module_address": module, "mode": "managed", "type": kind, "name": "n",
        "provider_name": "p", "change": {"actions": actions, "before": null, "after": after, "after_unknown": unknown}})
}

fn plan(changes: &[Value]) -> String {
    let nothing = json!({"root_module": {}});
    json!({"format_version": "1.2", "terraform_version": "1.9.0", "planned_values": nothing,
        "prior_state": {"format_version": "1.0", "values": nothing}, "configuration": nothing,
        "resource_changes": changes})
    .to_string()
}

fn instances() -> String {
    let (instance, create) = ("aws_instance", json!(["create"]));
    plan(&[
        change("aws_instance.a", instance, &json!(["update"]), &json!({"ami": "x", "size": 1}), &json!({})),
        change("module.foo.aws_instance.b", instance, &create, &json!({"size": 9}), &json!({"ami": true})),
        change("module.foo.aws_instance.c", instance, &create, &json!({"ami": "y", "size": 2}), &json!({})),
        change("aws_vpc.d", "aws_vpc", &json!(["no-op"]), &json!({}), &json!({})),
    ])
}

const SMALL: &str = r#"import "tfplan/v2" as tfplan
param limit default 5

instances = filter tfplan.resource_changes as _, rc { rc.type is "aws_instance" }

print("there are", length(instances), "instances")

# Nobody needs
# larger ones.
small = rule { all instances as _, rc { rc.change.after.size <= limit } }
main = rule { small }
"#;

fn apply(folder: &Folder, arguments: &[&str], plan: &str) -> Output {
    let file = |argument: &&str| {
        let path: PathBuf = folder.at(argument);
        if path.exists() { path.display().to_string() } else { (*argument).to_owned() }
    };
    let arguments = arguments.iter().map(file);
    let output = objchange(["sentinel".to_owned(), "apply".to_owned()].into_iter().chain(arguments), plan);
    let here = format!("{}/", folder.0.display());
    Output { stdout: output.stdout.replace(&here, ""), stderr: output.stderr.replace(&here, ""), ..output }
}

fn lines(output: &Output) -> Vec<Value> {
    output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn the_report_tells_the_rules_and_the_resources() {
    let folder = Folder::with("apply-text", &[("small.sentinel", SMALL)]);
    let output = apply(&folder, &["small.sentinel"], &instances());
    assert_eq!(
        output.stdout,
        "Fail - small.sentinel (hard-mandatory)\n\
         \x20 print:\n    there are 3 instances\n\
         \x20 main: false (small.sentinel:11:8)\n\
         \x20   small: false (small.sentinel:10:9)\n\
         \x20     Nobody needs\n\
         \x20     larger ones.\n\
         \x20     - does not hold for module.foo.aws_instance.b\n\
         1 policy: 1 failed\n"
    );
    assert_eq!(output.code, 1);
    let output = apply(&folder, &["small.sentinel", "--param", "limit=10"], &instances());
    let kept = "Pass - small.sentinel\n  print:\n    there are 3 instances\n1 policy: 1 passed\n";
    assert_eq!((output.stdout.as_str(), output.code), (kept, 0));
    let output = apply(&folder, &["small.sentinel", "--param", "limit=10", "--trace"], &instances());
    let trace = "small.sentinel:10:9 - Rule \"small\"\n    Description:\n      Nobody needs\n      larger ones.\n\n    Value:\n      true\n";
    assert!(output.stdout.contains(trace), "{output:?}");
    let colours = apply(&folder, &["small.sentinel", "--color", "always"], &instances());
    assert!(colours.stdout.contains("\x1b[31mFail\x1b[0m"), "{colours:?}");
}

#[test]
fn json_has_the_published_form() {
    let validator = validator("sentinel-apply.schema.json");
    let folder = Folder::with(
        "apply-json",
        &[
            ("small.sentinel", SMALL),
            ("undefined.sentinel", "main = rule { {}.x }"),
            ("error.sentinel", "main = rule { 1 + {} }"),
            ("syntax.sentinel", "main = rule {"),
            (
                "list.sentinel",
                "import \"tfplan/v2\" as t\nmain = filter t.resource_changes as _, rc { rc.mode is \"managed\" }",
            ),
            (
                "unknown.sentinel",
                "import \"tfplan/v2\" as t\nmain = rule { all t.resource_changes as _, rc { rc.type is \"aws_vpc\" or rc.change.after.ami is not \"z\" } }",
            ),
        ],
    );
    let output = apply(&folder, &["", "--json"], &instances());
    // One of them ends with an error.
    assert_eq!(output.code, 3, "{output:?}");
    let lines = lines(&output);
    lines.iter().for_each(|line| check(&validator, line));
    let results: Vec<_> = lines.iter().map(|line| (&line["policy"], &line["outcome"])).collect();
    let expected = [
        "error error",
        "list fail",
        "small fail",
        "syntax error",
        "undefined undefined",
        "unknown undefined",
    ];
    let results: Vec<String> =
        results.iter().map(|(policy, result)| format!("{policy} {result}").replace('"', "")).collect();
    assert_eq!(results, expected);
    let small = &lines[2];
    assert_eq!(small["plan"], "(stdin)");
    assert_eq!(small["print"], "there are 3 instances\n");
    assert_eq!(small["witnesses"]["list"][0]["address"], "module.foo.aws_instance.b");
    assert_eq!((&small["rules"][0]["name"], &small["rules"][0]["needed_by"]), (&json!("small"), &json!(1)));
    assert_eq!(lines[0]["error"]["line"], 1);
    assert_eq!(lines[1]["witnesses"]["list"].as_array().unwrap().len(), 4);
    assert_eq!(lines[4]["main"]["at"].as_str().unwrap().split(':').skip(1).collect::<Vec<_>>(), ["1", "17"]);
    assert_eq!(lines[5]["unknown"][0]["what"], "ami of module.foo.aws_instance.b");
    refused(&validator, &json!({"plan": "a"}));
}

const SET: &str = r#"
policy "small" {
  source = "./small.sentinel"
  enforcement_level = "LEVEL"
  params = { limit = 3 }
}
policy "fine" { source = "./fine.sentinel" }
import "module" "functions" { source = "./functions.sentinel" }
param "word" { value = "good" }
"#;

#[test]
fn the_exit_code_is_by_the_enforcement_level() {
    let fine = "import \"functions\"\nparam word\nmain = rule { functions.good(word) }";
    let folder = Folder::with(
        "apply-set",
        &[
            ("small.sentinel", SMALL),
            ("fine.sentinel", fine),
            ("functions.sentinel", "good = func(x) { return x is \"good\" }"),
        ],
    );
    let code = |level: &str, more: &[&str]| {
        folder.write("sentinel.hcl", SET.replace("LEVEL", level));
        let output = apply(&folder, &[&["sentinel.hcl"], more].concat(), &instances());
        assert!(
            output.stdout.contains("Pass - fine.sentinel") || output.stdout.starts_with('{'),
            "{output:?}"
        );
        output.code
    };
    assert_eq!(code("advisory", &[]), 0);
    assert_eq!(code("soft-mandatory", &[]), 1);
    assert_eq!(code("soft-mandatory", &["--override"]), 0);
    assert_eq!(code("hard-mandatory", &["--override"]), 1);
    assert_eq!(code("hard-mandatory", &["--param", "limit=9"]), 0);
    // The folder is the set.
    assert_eq!(apply(&folder, &[""], &instances()).code, 1);
    // A policy by itself has the modules and parameters of a configuration that is named.
    let output = apply(&folder, &["fine.sentinel"], &instances());
    assert!(output.stdout.contains("there is no import functions"), "{output:?}");
    assert_eq!(apply(&folder, &["fine.sentinel", "--config", "sentinel.hcl"], &instances()).code, 0);
    let level = ["small.sentinel", "--level", "advisory"];
    assert_eq!(apply(&folder, &level, &instances()).code, 0);
}

#[test]
fn reports_for_other_programs() {
    let folder = Folder::with(
        "apply-reports",
        &[("small.sentinel", SMALL), ("b.sentinel", "main = true"), ("plan.json", &instances())],
    );
    let arguments = ["small.sentinel", "b.sentinel", "--plan", "plan.json"];
    let junit = apply(&folder, &[&arguments[..], &["--junit", "-"]].concat(), "");
    for expected in [
        "tests=\"2\" skipped=\"0\" failures=\"1\" errors=\"0\"",
        "classname=\"hard-mandatory\"",
        "does not hold for module.foo.aws_instance.b",
        "line=\"11\"",
    ] {
        assert!(junit.stdout.contains(expected), "{expected}: {junit:?}");
    }
    let sarif = apply(&folder, &[&arguments[..], &["--sarif", "-"]].concat(), "");
    let report: Value = serde_json::from_str(&sarif.stdout).unwrap();
    let result = &report["runs"][0]["results"][0];
    assert_eq!(report["runs"][0]["results"].as_array().unwrap().len(), 1);
    assert_eq!((&result["ruleId"], &result["level"]), (&json!("small"), &json!("error")));
    let location = &result["locations"][0];
    assert_eq!(location["physicalLocation"]["region"]["startLine"], 11);
    assert_eq!(location["logicalLocations"][0]["fullyQualifiedName"], "module.foo.aws_instance.b");
    assert_eq!(report["runs"][0]["tool"]["driver"]["rules"].as_array().unwrap().len(), 2);
    let both = apply(&folder, &[&arguments[..], &["--json", "--sarif", "-"]].concat(), "");
    assert_eq!(both.code, 2, "{both:?}");
    let file = folder.at("report.xml");
    let written = apply(&folder, &[&arguments[..], &["--junit", file.to_str().unwrap()]].concat(), "");
    assert!(written.stdout.starts_with("Fail - small.sentinel"), "{written:?}");
    assert!(folder.read("report.xml").contains("<testsuites"));
}

#[test]
fn many_plans_are_told_apart() {
    let folder = Folder::with(
        "apply-many",
        &[("small.sentinel", SMALL), ("plans/a.json", &instances()), ("plans/b.json", &plan(&[]))],
    );
    let output = apply(&folder, &["small.sentinel", "--plan", "plans"], "");
    assert!(output.stdout.starts_with("plans/a.json: Fail - small.sentinel"), "{output:?}");
    assert!(output.stdout.contains("plans/b.json: Pass - small.sentinel"), "{output:?}");
    assert!(output.stdout.ends_with("2 policies in 2 plans: 1 failed, 1 passed\n"), "{output:?}");
    let stdin = format!("{}\n{}\n", instances(), plan(&[]));
    let output = apply(&folder, &["small.sentinel", "--plan", "-", "--json"], &stdin);
    let plans: Vec<Value> = lines(&output).iter().map(|line| line["plan"].clone()).collect();
    assert_eq!(plans, ["(stdin):1", "(stdin):2"]);
}

#[test]
fn what_cannot_be_used_is_named() {
    let state = json!({"format_version": "1.0", "terraform_version": "1.9.0", "values": {}}).to_string();
    let folder = Folder::with(
        "apply-unusable",
        &[
            ("a.sentinel", "import \"tfplan/v2\" as t\nmain = t is t"),
            ("state.json", &state),
            ("plan.json", &plan(&[])),
            ("empty/x.txt", ""),
        ],
    );
    let unusable = |arguments: &[&str], said: &str| {
        let output = apply(&folder, arguments, "");
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.stderr.contains(said), "{said}: {output:?}");
    };
    unusable(&["no.sentinel", "--plan", "plan.json"], "no.sentinel: cannot be read");
    unusable(&["a.sentinel", "--plan", "state.json"], "this is a state; pass it with --state");
    unusable(
        &["a.sentinel", "--plan", "plan.json", "--state", "plan.json"],
        "this is a plan; pass it with --plan",
    );
    unusable(&["a.sentinel", "--plan", "none.json"], "none.json");
    unusable(&["empty", "--plan", "plan.json"], "no file in it is called sentinel.hcl or *.sentinel");
    unusable(&["a.sentinel", "--plan", "plan.json", "--param", "x"], "--param needs a name and a value");
    unusable(&["a.sentinel", "--plan", "plan.json", "--run", "a.sentinel"], "a.sentinel: ");
    unusable(&["a.sentinel"], "(stdin):1:1");
    unusable(&[], "POLICY");
}

/// An unreadable part of a plan does not count as absent.
#[test]
fn a_part_of_a_plan_that_cannot_be_read_is_no_answer() {
    let policy = "import \"tfplan/v2\" as t\nimport \"tfstate/v2\" as s\n\
        main = rule { all t.resource_changes as _, rc { (rc.change.after.size else 0) < 100 } and s.resources is {} }";
    let folder = Folder::with("apply-broken", &[("p.sentinel", policy)]);
    assert_eq!(apply(&folder, &["p.sentinel"], &instances()).code, 0);
    let broken = instances().replace("\"size\":9", "\"size\":tru");
    let output = apply(&folder, &["p.sentinel"], &broken);
    assert_eq!((output.code, output.stdout.contains("Pass")), (2, false), "{output:?}");
    assert!(output.stderr.contains("(stdin):1:"), "{output:?}");
    let broken = instances().replacen("\"root_module\":{}", "\"root_module\":{\"resources\":[5]}", 3);
    let output = apply(&folder, &["p.sentinel"], &broken);
    assert_eq!((output.code, output.stdout.contains("Pass")), (2, false), "{output:?}");
}

#[test]
fn a_value_that_is_unknown_until_apply() {
    let policy = "import \"tfplan/v2\" as t\n\
        known = rule { all t.resource_changes as _, rc { (rc.change.after.ami else \"x\") is not \"z\" } }\nmain = rule { known }";
    let folder = Folder::with("apply-unknown", &[("p.sentinel", policy)]);
    let output = apply(&folder, &["p.sentinel"], &instances());
    assert_eq!(output.stdout, "Pass - p.sentinel\n1 policy: 1 passed\n");
    let output = apply(&folder, &["p.sentinel", "--unknown", "report"], &instances());
    assert_eq!(
        output.stdout,
        "Pass - p.sentinel\n  not known until apply:\n    \
         ami of module.foo.aws_instance.b, which known, main may depend on\n1 policy: 1 passed\n"
    );
    assert_eq!(output.code, 0);
    let output = apply(&folder, &["p.sentinel", "--unknown", "fail"], &instances());
    assert!(output.stdout.starts_with("Unknown - p.sentinel (hard-mandatory)\n"), "{output:?}");
    assert!(output.stdout.ends_with("1 policy: 1 not known until apply\n"), "{output:?}");
    assert_eq!(output.code, 1);
}

/// A policy that prints, and what it is to print of a plan.
fn prints(name: &str, policy: &str, plan: &str, more: &[&str], expected: &str) {
    let folder = Folder::with(&format!("apply-prints-{name}"), &[("p.sentinel", policy)]);
    let output = apply(&folder, &[&["p.sentinel", "--json"], more].concat(), plan);
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(lines(&output)[0]["print"], expected);
}

#[test]
fn what_the_documentation_of_the_import_does() {
    let head = "import \"tfplan/v2\" as tfplan\n";
    prints(
        "instances",
        &format!(
            "{head}all_instances = filter tfplan.resource_changes as _, rc {{\n\
             \trc.mode is \"managed\" and\n\t\trc.type is \"aws_instance\"\n}}\nprint(keys(all_instances))\nmain = true\n"
        ),
        &instances(),
        &[],
        "[\"aws_instance.a\", \"module.foo.aws_instance.b\", \"module.foo.aws_instance.c\"]\n",
    );
    let created = format!(
        "{head}created = filter tfplan.resource_changes as _, rc {{\n\trc.module_address is \"module.foo\" and\n\
         \t\trc.mode is \"managed\" and\n\t\trc.type is \"aws_instance\" and\n\
         \t\trc.change.actions is [\"create\"]\n}}\n"
    );
    prints(
        "created",
        &format!(
            "{created}print(keys(created))\n\
             print(all created as _, rc {{ rc.change.after_unknown.ami else false is false }})\n\
             print(filter created as _, rc {{ rc.change.after_unknown.ami else false }} is not empty)\nmain = true\n"
        ),
        &instances(),
        &[],
        "[\"module.foo.aws_instance.b\", \"module.foo.aws_instance.c\"]\nfalse\ntrue\n",
    );
    prints(
        "version",
        &format!(
            "{head}import \"strings\"\nv = strings.split(tfplan.terraform_version, \".\")\nmajor = int(v[0])\n\
             minor = int(v[1])\nmain = rule {{ major is 1 and minor >= 9 or major is 0 and minor is 12 and int(v[2]) >= 19 }}\n\
             print(major, minor)\n"
        ),
        &instances(),
        &[],
        "1 9\n",
    );
    prints(
        "grouped",
        &format!(
            "{head}found = {{}}\nfor tfplan.resource_changes as address, rc {{\n\tif rc.change.actions is not [\"no-op\"] {{\n\
             \t\tkey = rc.change.actions[0]\n\t\tfound[key] = (found[key] else []) + [address]\n\t}}\n}}\nprint(found)\nmain = true\n"
        ),
        &instances(),
        &[],
        "{\"create\": [\"module.foo.aws_instance.b\", \"module.foo.aws_instance.c\"], \"update\": [\"aws_instance.a\"]}\n",
    );
}

#[test]
fn a_run_is_what_is_told_of_it() {
    let run =
        r#"{"workspace": {"name": "prod", "tags": ["a"]}, "cost_estimate": {"delta_monthly_cost": "1.50"}}"#;
    let folder = Folder::with("apply-run", &[("run.json", run)]);
    let path = folder.at("run.json").display().to_string();
    let policy = "import \"tfrun\"\nprint(tfrun.workspace.name else \"none\", tfrun.is_destroy, tfrun.target_addrs, \
        float(tfrun.cost_estimate.delta_monthly_cost) else 0)\nmain = true";
    prints("run", policy, &instances(), &["--run", &path], "prod false null 1.5\n");
    let gone = plan(&[change("a.b", "a", &json!(["delete"]), &Value::Null, &json!({}))]);
    prints("destroy", policy, &gone, &[], "none true null 0\n");
}

#[test]
fn names_of_modules_lose_their_keys() {
    let policy = "import \"tfconfig/v2\" as c\nprint(c.strip_index(\"module.a[\\\"x.y[0]\\\"].b.c[1]\"), \
        c.strip_index(undefined) else 1, c.resources)\nmain = true";
    prints("strip", policy, &plan(&[]), &[], "module.a.b.c 1 {}\n");
}

#[test]
fn policies_import_what_plans_say() {
    let text = std::fs::read_to_string(workspace().join("tests/vectors/render.jsonl")).unwrap();
    let cases = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let plans = cases.filter_map(|case| Some((case["id"].as_str()?.to_owned(), case.get("plan")?.clone())));
    crate::fields::check(plans);
}

/// Each exit, with a secret in each place that a report has.
#[test]
fn no_report_holds_a_secret() {
    let secret = "hunter2hunter2";
    let mut changed =
        change("x.a", "x", &json!(["create"]), &json!({"p": secret, "l": [secret]}), &json!({}));
    changed["change"]["after_sensitive"] = json!({"p": true, "l": true});
    let folder = Folder::with("apply-secrets", &[("plan.json", &plan(&[changed]))]);
    for (name, body) in [
        ("print", "print(p)\nmain = rule { p is \"\" }"),
        ("error", "error(\"it is\", p)\nmain = true"),
        ("rule", "r = rule { [p] }\nmain = rule { r is [] }"),
        ("main", "main = p"),
        ("key", "main = rule { all {p: 1} as k, v { v is 0 } }"),
        ("kept", "main = filter {p: 1} as k, v { true }"),
        ("loop", "ok = true\nfor {p: 1} as k, v { ok = false }\nmain = ok"),
        ("list", "print(rc.change.after)\nmain = rule { length(rc.change.after.l[0]) is 0 }"),
    ] {
        let head = "import \"tfplan/v2\" as t\nrc = t.resource_changes[\"x.a\"]\np = rc.change.after.p\n";
        folder.write(&format!("{name}.sentinel"), format!("{head}{body}\n"));
    }
    for exit in
        [&[][..], &["--trace"], &["--json"], &["--junit", "-"], &["--sarif", "-"], &["--unknown", "report"]]
    {
        let output = apply(&folder, &[&["", "--plan", "plan.json"], exit].concat(), "");
        // One of them ends with an error.
        assert_eq!(output.code, 3, "{output:?}");
        assert!(!format!("{output:?}").contains("hunter2"), "{exit:?}: {output:?}");
    }
    let output = apply(&folder, &["", "--plan", "plan.json"], "");
    assert!(output.stdout.contains("(sensitive value)"), "{output:?}");
}

/// A policy over `planned_values` or the plan itself waits for what is unknown there, as one over `resource_changes` does.
#[test]
fn planned_values_and_raw_know_what_is_unknown() {
    let mut document: Value = serde_json::from_str(&instances()).unwrap();
    let resource = |address: &str, values: Value| json!({"address": address, "mode": "managed", "type": "aws_instance", "name": "n", "values": values});
    document["planned_values"] = json!({
        "outputs": {"ip": {"sensitive": false}},
        "root_module": {
            "resources": [resource("aws_instance.a", json!({"ami": "x", "size": 1}))],
            "child_modules": [{"address": "module.foo",
                "resources": [resource("module.foo.aws_instance.b", json!({"size": 9}))]}],
        },
    });
    document["planned_values"]["root_module"]["resources"][0]["name"] = json!("a");
    document["planned_values"]["root_module"]["child_modules"][0]["resources"][0]["name"] = json!("b");
    document["output_changes"] =
        json!({"ip": {"actions": ["create"], "before": null, "after_unknown": true}});
    document["resource_changes"][0]["change"]["importing"] = json!({"unknown": true});
    let deferred =
        change("aws_instance.z", "aws_instance", &json!(["create"]), &json!({}), &json!({"ami": true}));
    document["deferred_changes"] =
        json!([{"reason": "resource_config_unknown", "resource_change": deferred}]);
    document["action_invocations"] = json!([{"address": "action.x.a", "type": "x", "name": "a",
        "provider_name": "p", "config_values": {"a": 1}, "config_unknown": {"b": true}}]);
    let of_check = |address: &str, status: &str| {
        json!({"address": {"kind": "resource", "to_display": address}, "status": status,
            "instances": [{"address": {"to_display": address}, "status": status}]})
    };
    document["checks"] = json!([of_check("t.a", "unknown"), of_check("t.b", "pass")]);
    let raw_child = "tfplan.raw.planned_values.root_module.child_modules[0].resources[0].values";
    let cases = [
        ("tfplan.planned_values.resources[\"aws_instance.a\"].values.ami else \"\"", false),
        ("tfplan.planned_values.resources[\"module.foo.aws_instance.b\"].values.ami else \"\"", true),
        ("tfplan.planned_values.resources[\"module.foo.aws_instance.b\"].values.size", false),
        ("tfplan.planned_values.outputs.ip.value else \"\"", true),
        // Again: it is as unknown as before.
        ("tfplan.planned_values.outputs.ip.value else \"\"", true),
        ("tfplan.output_changes.ip.change.after else \"\"", true),
        ("tfplan.output_changes.ip.change.after else \"\"", true),
        ("json.marshal(tfplan.output_changes)", true),
        ("all tfplan.output_changes.ip.change as k, v { k is not \"after\" or v is not 1 }", true),
        ("tfplan.output_changes.ip.change.actions[0]", false),
        ("tfplan.raw.planned_values.outputs.ip.type else \"\"", true),
        ("tfplan.raw.resource_changes[0].change.importing.id else \"\"", true),
        ("tfplan.raw.deferred_changes[0].resource_change.change.after.ami else \"\"", true),
        ("tfplan.raw.action_invocations[0].config_values.b else \"\"", true),
        ("tfplan.raw.action_invocations[0].config_values.a", false),
        ("tfplan.raw.resource_changes[0].change.after.ami else \"\"", false),
        ("tfplan.raw.resource_changes[1].change.after.ami else \"\"", true),
        ("length(tfplan.raw.resource_changes[1].change.after)", true),
        ("tfplan.raw.resource_changes[1].change.after.size", false),
        ("tfplan.raw.output_changes.ip.after else \"\"", true),
        ("tfplan.raw.planned_values.outputs.ip.value else \"\"", true),
        ("tfplan.raw.checks[0].status", true),
        ("tfplan.raw.checks[0].instances[0].status", true),
        ("tfplan.raw.checks[0].instances[0].problems else []", true),
        ("json.marshal(tfplan.raw.checks)", true),
        ("tfplan.raw.checks[1].status", false),
        ("tfplan.raw.checks[1].instances[0].problems else []", false),
        ("tfplan.raw.checks[0].address.to_display", false),
        (&*format!("{raw_child}.ami else \"\""), true),
        (&*format!("{raw_child}.size"), false),
    ];
    let rule = |(index, (expression, _)): (usize, &(&str, bool))| {
        format!("r{index} = rule {{ ({expression}) is 7 }}\n")
    };
    let rules: String = cases.iter().enumerate().map(rule).collect();
    let all: Vec<String> = (0..cases.len()).map(|index| format!("(r{index} is r{index})")).collect();
    let policy = format!(
        "import \"tfplan/v2\" as tfplan\nimport \"json\"\n{rules}main = rule {{ [{}] is [] }}\n",
        all.join(", ")
    );
    let folder = Folder::with("apply-planned", &[("p.sentinel", &policy)]);
    let output = apply(&folder, &["p.sentinel", "--json"], &document.to_string());
    let line = &lines(&output)[0];
    check(&validator("sentinel-apply.schema.json"), line);
    for (index, (expression, is_unknown)) in cases.iter().enumerate() {
        let name = format!("r{index}");
        let rule = line["rules"].as_array().unwrap().iter().find(|rule| rule["name"] == *name).unwrap();
        assert_eq!(rule["undecided"], *is_unknown, "{expression}: {}", output.stdout);
    }
}

#[test]
fn a_filter_of_the_file_says_which_rules_wait() {
    let policy = "import \"tfplan/v2\" as tfplan\n\
        named = filter tfplan.resource_changes as _, rc { rc.change.after.ami else \"\" is \"x\" }\n\
        count = 0\nfor tfplan.resource_changes as _, rc {\n if rc.change.after.ami else \"\" is \"\" { count += 1 }\n}\n\
        few = rule { length(named) is 1 }\ncounted = rule { count is 2 }\n\
        other = rule { length(tfplan.resource_changes) is 4 }\nmain = rule { few and counted and other }\n";
    let folder = Folder::with("apply-filter", &[("p.sentinel", policy)]);
    let output = apply(&folder, &["p.sentinel", "--json"], &instances());
    let line = &lines(&output)[0];
    let undecided = |name: &str| {
        let rules = line["rules"].as_array().unwrap();
        rules.iter().find(|rule| rule["name"] == name).map(|rule| rule["undecided"] == true)
    };
    assert_eq!(undecided("few"), Some(true), "{}", output.stdout);
    assert_eq!(undecided("counted"), Some(true));
    assert_eq!(undecided("other"), Some(false));
    assert_eq!(undecided("main"), Some(true));
    assert_eq!(line["undecided"], true);
    let output = apply(&folder, &["p.sentinel", "--unknown", "fail"], &instances());
    assert_eq!(output.code, 1);
}

#[test]
fn no_plan_is_needed_where_none_is_imported() {
    let folder =
        Folder::with("apply-no-plan", &[("p.sentinel", "main = x is 3\n"), ("q.sentinel", "main = q is 1")]);
    let output = apply(&folder, &["p.sentinel", "--global", "x=3"], "");
    assert_eq!(
        (output.code, output.stdout.as_str()),
        (0, "Pass - p.sentinel\n1 policy: 1 passed\n"),
        "{}",
        output.stderr
    );
    // An error is not a failure of the policy.
    assert_eq!(apply(&folder, &["q.sentinel"], "").code, 3);
    assert_eq!(apply(&folder, &["q.sentinel", "--global", "q=2"], "").code, 1);
    assert_eq!(apply(&folder, &["p.sentinel", "--level", "advisory", "--global", "x=2"], "").code, 0);
    let run = "import \"tfrun\"\nmain = tfrun.workspace.name is \"prod\"\n";
    let run = [("r.sentinel", run), ("run.json", r#"{"workspace": {"name": "prod"}, "is_destroy": false}"#)];
    let run = Folder::with("apply-run", &run);
    let output = apply(&run, &["r.sentinel", "--run", "run.json"], "");
    assert_eq!(output.code, 0, "{output:?}");
    let undefined = Folder::with("apply-undefined", &[("p.sentinel", "main = undefined\n")]);
    assert_eq!(apply(&undefined, &["p.sentinel"], "").code, 2);
}

#[test]
fn a_plan_may_stand_beside_the_policies() {
    let folder = Folder::with("apply-beside", &[("p.sentinel", SMALL), ("plan.json", &instances())]);
    let output = apply(&folder, &["p.sentinel", "plan.json"], "");
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(output.stdout.contains("module.foo.aws_instance.b"), "{}", output.stdout);
}

#[test]
fn a_plan_that_failed_is_refused() {
    let mut document: Value = serde_json::from_str(&instances()).unwrap();
    document["errored"] = json!(true);
    let folder = Folder::with("apply-errored", &[("p.sentinel", SMALL)]);
    let arguments = ["p.sentinel", "--param", "limit=10"];
    let output = apply(&folder, &arguments, &document.to_string());
    assert_eq!(output.code, 2);
    assert!(
        output.stderr.contains("planning ended with an error") && output.stderr.contains("--allow-errored"),
        "{}",
        output.stderr
    );
    let arguments = ["p.sentinel", "--param", "limit=10", "--allow-errored"];
    assert_eq!(apply(&folder, &arguments, &document.to_string()).code, 0);
    // Neither is a folder without plans one in which all is well.
    let folder = Folder::with("apply-no-plans", &[("p.sentinel", SMALL), ("plans/a.json", "{}")]);
    assert_eq!(apply(&folder, &["p.sentinel", "--plan", "plans"], "").code, 2);
}

#[test]
fn a_remote_policy_does_not_stop_the_set() {
    let set = "policy \"far\" {\n  source = \"https://example.com/far.sentinel\"\n}\n\
        policy \"near\" {\n  source = \"./near.sentinel\"\n  enforcement_level = \"hard-mandatory\"\n}\n";
    let folder = Folder::with("apply-remote", &[("sentinel.hcl", set), ("near.sentinel", "main = true\n")]);
    let output = apply(&folder, &["sentinel.hcl"], "");
    assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    assert!(output.stdout.contains("1 with errors, 1 passed"), "{}", output.stdout);
}

#[test]
fn limits_are_failures_with_their_number_and_option() {
    let folder = Folder::with(
        "apply-limits",
        &[
            ("memory.sentinel", "x = range(100000)\nfor range(100) as i { x = x + x }\nmain = true\n"),
            (
                "time.sentinel",
                "main = rule { all range(1000000) as i { all range(1000) as j { j >= 0 } } }\n",
            ),
        ],
    );
    let output = apply(&folder, &["memory.sentinel", "--memory", "64"], "");
    assert_eq!(output.code, 3);
    assert!(
        output.stdout.contains("needs more than 64 MiB of memory; raise it with --memory"),
        "{}",
        output.stdout
    );
    let output = apply(&folder, &["time.sentinel", "--timeout", "1", "--memory", "100000"], "");
    assert_eq!(output.code, 3);
    let words = ["takes longer than 1 s", "takes more than 1000000000 steps"];
    assert!(words.iter().any(|words| output.stdout.contains(words)), "{}", output.stdout);
}

#[test]
fn imports_that_are_not_there_are_named_where_they_stand() {
    let source = "import \"strings\"\nimport \"http\"\nmain = strings.has_prefix(\"a\", \"a\")\n";
    let folder = Folder::with(
        "apply-http",
        &[("p.sentinel", source), ("v1.sentinel", "import \"tfplan\"\nmain = true\n")],
    );
    let output = apply(&folder, &["p.sentinel"], "");
    assert!(output.stdout.contains("p.sentinel:2:"), "{}", output.stdout);
    assert!(output.stdout.contains("there is no import http: policies have no network"), "{}", output.stdout);
    let output = apply(&folder, &["v1.sentinel"], "");
    assert!(output.stdout.contains("import \"tfplan/v2\""), "{}", output.stdout);
}

#[test]
fn control_and_bidi_characters_are_escaped_in_reports() {
    let source = "x = \"a\\u202eb\\u0085c\\u007fd\"\nprint(x)\nr = rule { x }\nmain = rule { r is 1 }\n";
    let folder = Folder::with("apply-bidi", &[("p.sentinel", source)]);
    for form in ["--json", "--sarif=-", "--junit=-", "--trace"] {
        let output = apply(&folder, &["p.sentinel", form], "");
        let raw =
            |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        assert!(!output.stdout.contains(raw), "{form}: {}", output.stdout.escape_debug());
        if form == "--json" {
            assert_eq!(lines(&output)[0]["print"], "a\u{202e}b\u{85}c\u{7f}d\n");
        }
    }
}

/// A link that leaves the folder is an error, not a policy.
#[cfg(unix)]
#[test]
fn links_out_of_the_folder_are_refused() {
    let outside = Folder::with("apply-outside", &[("k.sentinel", "main = true\n")]);
    let folder = Folder::with("apply-inside", &[("set/p.sentinel", "main = true\n")]);
    std::os::unix::fs::symlink(outside.at("k.sentinel"), folder.at("set/k.sentinel")).unwrap();
    let output = apply(&folder, &["set"], "");
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("this link leaves the folder"), "{}", output.stderr);
}

/// A text in place of a parameter's name may be a secret.
#[test]
fn parameters_without_a_name_are_not_repeated() {
    for option in ["--param", "--global"] {
        let output = objchange(["sentinel", "apply", "p.sentinel", option, "hunter2"], "");
        assert_eq!(output.code, 2);
        assert!(output.stderr.contains("needs a name and a value"), "{}", output.stderr);
        assert!(!output.stderr.contains("hunter2"), "{}", output.stderr);
    }
}

/// Options are written as Sentinel's own program has them, too.
#[test]
fn options_may_have_one_dash() {
    let folder = Folder::with(
        "apply-dash",
        &[("p.sentinel", "param limit default 1\nmain = rule { region is \"eu\" and limit is 2 }\n")],
    );
    for arguments in [
        ["-global", "region=eu", "-param", "limit=2"],
        ["-global=region=eu", "-trace", "-param=limit=2", "--"],
        ["--global", "region=eu", "--param", "limit=2"],
    ] {
        let output = apply(&folder, &[&["p.sentinel"], &arguments[..]].concat(), "");
        assert_eq!(output.code, 0, "{arguments:?}: {output:?}");
    }
    let output = apply(&folder, &["p.sentinel", "-globl", "region=eu"], "");
    assert_eq!(output.code, 2, "{output:?}");
}

#[test]
fn a_trace_has_all_rules_and_elements_have_their_values() {
    let policy = "small = rule { all [1, 2, 3] as x { x < 2 } }\nnames = rule { all [\"a\\nb\"] as _, n { n is \"c\" } }\n\
        other = rule { true }\nmain = rule { small and names }\n";
    let folder = Folder::with(
        "apply-elements",
        &[
            ("p.sentinel", policy),
            (
                "q.sentinel",
                "names = [\"x\", \"yy\"]\n\
        main = rule { all names as n { length(n) is 1 } }\n",
            ),
        ],
    );
    let output = apply(&folder, &["p.sentinel", "--trace"], "");
    assert!(output.stdout.contains("- does not hold for 2 (at 1)\n"), "{output:?}");
    assert!(output.stdout.contains("- does not hold for 3 (at 2)\n"), "{output:?}");
    let other = "\n  p.sentinel:3:9 - Rule \"other\"\n    Not evaluated\n";
    assert!(output.stdout.contains(other), "{output:?}");
    let names = "\n  p.sentinel:2:9 - Rule \"names\"\n    Not evaluated\n";
    assert!(output.stdout.contains(names), "{output:?}");
    let output = apply(&folder, &["q.sentinel"], "");
    assert!(output.stdout.contains("- does not hold for \"yy\" (at 1)\n"), "{output:?}");
    let output = apply(&folder, &["q.sentinel", "--json"], "");
    let line = &lines(&output)[0];
    check(&validator("sentinel-apply.schema.json"), line);
    assert_eq!(line["witnesses"]["list"][0]["element"], "yy");
}

/// Policies would check a mock instead of the plan.
#[test]
fn a_mock_of_what_the_plan_provides_is_refused() {
    let policy = "import \"tfplan/v2\" as t\nmain = rule { length(t.resource_changes) is 0 }\n";
    let set = "policy \"p\" {\n  source = \"p.sentinel\"\n}\n\n";
    let mocked = [
        "mock \"tfplan/v2\" {\n  module {\n    source = \"mock.sentinel\"\n  }\n}\n",
        "mock \"tfplan/v2\" {\n  data = { resource_changes = {} }\n}\n",
        "import \"module\" \"tfplan/v2\" {\n  source = \"mock.sentinel\"\n}\n",
        "module \"tfplan/v2\" {\n  source = \"mock.sentinel\"\n}\n",
        "import \"static\" \"tfplan/v2\" {\n  source = \"mock.json\"\n  format = \"json\"\n}\n",
        "mock \"tfstate/v2\" {\n  module {\n    source = \"mock.sentinel\"\n  }\n}\n",
        "mock \"tfconfig/v2\" {\n  module {\n    source = \"mock.sentinel\"\n  }\n}\n",
        "mock \"tfrun\" {\n  data = { is_destroy = false }\n}\n",
        "mock \"tfplan\" {\n  data = { resource_changes = {} }\n}\n",
    ];
    for (index, mock) in mocked.iter().enumerate() {
        let folder = Folder::with(
            &format!("apply-mocked-{index}"),
            &[
                ("p.sentinel", policy),
                ("mock.sentinel", "resource_changes = {}\n"),
                ("mock.json", r#"{"resource_changes": {}}"#),
                ("sentinel.hcl", &format!("{set}{mock}")),
                ("only.hcl", mock),
                ("plan.json", &instances()),
            ],
        );
        let message = "is replaced here, and policies would check that instead of what is given";
        for arguments in [
            &["", "--plan", "plan.json"][..],
            &["p.sentinel", "--config", "only.hcl", "--plan", "plan.json"],
            &["sentinel.hcl", "plan.json"],
        ] {
            let output = apply(&folder, arguments, "");
            assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{mock}: {output:?}");
            assert!(output.stderr.contains(message), "{mock}: {output:?}");
        }
    }
    // Without a plan, they are what policies are tried with.
    let folder = Folder::with(
        "apply-mocked",
        &[
            ("p.sentinel", policy),
            ("mock.sentinel", "resource_changes = {}\n"),
            ("sentinel.hcl", &format!("{set}{}", mocked[0])),
        ],
    );
    let output = apply(&folder, &[""], "");
    assert_eq!(output.code, 0, "{output:?}");
}

#[test]
fn a_global_name_that_nothing_uses_is_refused() {
    let policy = "import \"m\"\nmain = rule { limit > 0 and m.holds }\n";
    let set = "policy \"p\" {\n  source = \"p.sentinel\"\n}\nglobal \"limit\" {\n  value = 1\n}\n\
               module \"m\" {\n  source = \"m.sentinel\"\n}\n";
    let folder = Folder::with(
        "apply-global",
        &[("p.sentinel", policy), ("m.sentinel", "holds = other is not 3\n"), ("sentinel.hcl", set)],
    );
    assert_eq!(apply(&folder, &["", "--global", "limit=2", "--global", "other=1"], "").code, 0);
    let output = apply(&folder, &["", "--global", "limit=2", "--global", "limt=0"], "");
    let said = "no policy or module uses the global name \"limt\"";
    assert!(output.code == 2 && output.stderr.contains(said), "{output:?}");
}

#[test]
fn addresses_of_registries_are_found_in_folders() {
    let folder = Folder::new("registry");
    folder.write(
        "set/sentinel.hcl",
        "policy \"p\" {\n  source = \"https://registry.terraform.io/v2/policies/a/b/1.0.0/policy/p.sentinel?checksum=sha256:00\"\n  enforcement_level = \"hard-mandatory\"\n}\n\
         module \"report\" {\n  source = \"https://registry.terraform.io/v2/policies/a/b/1.0.0/policy-module/report.sentinel?checksum=x\"\n}\n",
    );
    folder.write("library/policies/p/p.sentinel", "import \"report\"\n\nmain = rule { report.holds }\n");
    folder.write("library/modules/report/report.sentinel", "holds = true\n");
    let source = |address: &str| format!("{address}={}", folder.at("library").display());
    let with = |address: &str| {
        apply(&folder, &["set/sentinel.hcl", "--policy-source", &source(address)], &instances())
    };
    assert_eq!(with("https://registry.terraform.io/v2/policies/a/b/1.0.0").code, 0);
    assert_eq!(with("https://registry.terraform.io/v2/policies/a/b/1.0.0/").code, 0);
    // Another address, or a part of a name, is not this one.
    for address in [
        "https://registry.terraform.io/v2/policies/a/b/2.0.0",
        "https://registry.terraform.io/v2/policies/a/b/1.0",
    ] {
        let output = with(address);
        let said = "no configuration names a source with the address";
        assert!(output.code == 2 && output.stderr.contains(said), "{address}: {output:?}");
    }
    let twice = apply(
        &folder,
        &[
            "set/sentinel.hcl",
            "--policy-source",
            &source("https://registry.terraform.io/v2/policies/a/b/1.0.0"),
            "--policy-source",
            &source("https://registry.terraform.io/v2/policies/a/c/1.0.0"),
        ],
        &instances(),
    );
    assert!(twice.code == 2 && twice.stderr.contains("policies/a/c/1.0.0"), "{twice:?}");
    let remote = apply(&folder, &["set/sentinel.hcl"], &instances());
    assert!(remote.code != 0 && remote.stdout.contains("not on this machine"), "{remote:?}");
    folder.write("library/old/p.sentinel", "main = rule { true }\n");
    let output = with("https://registry.terraform.io/v2/policies/a/b/1.0.0");
    assert!(output.code != 0 && output.stdout.contains("several files p.sentinel"), "{output:?}");
    // The path itself goes before other files of the name.
    folder.write("library/policy/p.sentinel", "main = rule { false }\n");
    assert_eq!(with("https://registry.terraform.io/v2/policies/a/b/1.0.0").code, 1);
    assert_eq!(apply(&folder, &["set/sentinel.hcl", "--policy-source", "x=absent"], &instances()).code, 2);
}
