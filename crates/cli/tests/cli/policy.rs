//! `objchange policy` and `objchange policy test`.

use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::folder::Folder;
use crate::program::{Output, objchange, workspace};

fn change(address: &str, kind: &str, actions: &Value, after: &Value, unknown: &Value) -> Value {
    let module = address.rsplit_once(kind).map_or("", |(module, _)| module.trim_end_matches('.'));
    let mut change = json!({"address": address, "mode": "managed", "type": kind, "name": "n", "provider_name": "p",
        "change": {"actions": actions, "before": null, "after": after, "after_unknown": unknown}});
    if !module.is_empty() {
        change["module_address"] = module.into();
    }
    change
}

fn plan(changes: &[Value]) -> String {
    json!({"format_version": "1.2", "terraform_version": "1.9.0", "resource_changes": changes}).to_string()
}

#[track_caller]
fn policy(arguments: &[&str], plan: &str) -> Output {
    objchange([&["policy"], arguments].concat(), plan)
}

fn lines(output: &Output) -> Vec<Value> {
    output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn json_has_the_published_form() {
    let validator = crate::schemas::validator("policy-report.schema.json");
    for plan in
        [bucket(&json!({"acl": "public-read"}), &json!({})), bucket(&json!({}), &json!({"acl": true}))]
    {
        let output = policy(&["--rego", "examples/policy", "--json"], &plan);
        for line in lines(&output) {
            crate::schemas::check(&validator, &line);
        }
    }
    crate::schemas::refused(&validator, &json!({"file": "a", "rules": [{}], "prints": []}));
}

fn messages<'a>(report: &'a Value, rule: &str) -> Vec<&'a str> {
    let rules = report["rules"].as_array().unwrap().iter().filter(|verdict| verdict["rule"] == rule);
    let findings = rules.flat_map(|verdict| verdict["findings"].as_array().unwrap());
    findings.map(|finding| finding["message"].as_str().unwrap()).collect()
}

#[test]
fn the_examples_of_the_documentation_have_their_answers() {
    let instance = "aws_instance";
    let plan = plan(&[
        change("aws_instance.a", instance, &json!(["update"]), &json!({"ami": "x"}), &json!({})),
        change("module.foo.aws_instance.b", instance, &json!(["create"]), &json!({}), &json!({"ami": true})),
        change(
            "module.foo.aws_instance.c",
            instance,
            &json!(["delete", "create"]),
            &json!({"ami": "x"}),
            &json!({}),
        ),
        change("aws_vpc.d", "aws_vpc", &json!(["no-op"]), &json!({}), &json!({})),
    ]);
    let output = policy(&["--rego", "examples/policy/instances.rego", "--json"], &plan);
    assert_eq!(output.code, 1, "{output:?}");
    let report = &lines(&output)[0];
    let instances = ["aws_instance.a", "module.foo.aws_instance.b", "module.foo.aws_instance.c"];
    assert_eq!(messages(report, "instances.warn_instance"), instances);
    assert_eq!(messages(report, "instances.warn_created"), ["module.foo.aws_instance.b"]);
    let unknown = "module.foo.aws_instance.b: the machine image is not known before apply";
    assert_eq!(messages(report, "instances.deny_unknown_image"), [unknown]);
    assert_eq!(messages(report, "instances.deny_version"), [] as [&str; 0]);
    // Objects are in the order of their members, of which the addresses come first.
    assert_eq!(messages(report, "instances.warn_change"), ["update", "create", "delete and create"]);
    let old = plan.replace("1.9.0", "0.12.9");
    let output = policy(&["--rego", "examples/policy/instances.rego", "--json"], &old);
    assert_eq!(messages(&lines(&output)[0], "instances.deny_version"), ["Terraform 0.12.9 is too old"]);
}

fn bucket(after: &Value, unknown: &Value) -> String {
    plan(&[change("aws_s3_bucket.a", "aws_s3_bucket", &json!(["create"]), after, unknown)])
}

#[test]
fn the_report_tells_the_resource_the_rule_and_its_place() {
    let buckets = ["--rego", "examples/policy/buckets.rego"];
    let output = policy(&buckets, &bucket(&json!({"acl": "public-read"}), &json!({})));
    assert_eq!(
        output.stdout,
        "failure: aws_s3_bucket.a can be read by everybody (buckets.deny_public, examples/policy/buckets.rego:11)\n\
         2 rules: 1 failed, 1 passed\n"
    );
    assert_eq!(output.code, 1);
    let unknown = bucket(&json!({}), &json!({"acl": true}));
    let output = policy(&buckets, &unknown);
    assert_eq!(
        output.stdout,
        "undecided: not known until apply (buckets.deny_public, examples/policy/buckets.rego:11)\n    \
         waits for acl of aws_s3_bucket.a\n\
         warning: aws_s3_bucket.a: the access list is not known before apply \
         (buckets.warn_unknown, examples/policy/buckets.rego:18)\n\
         2 rules: 1 warned, 1 undecided until apply\n"
    );
    assert_eq!(output.code, 1, "what is undecided is no pass");
}

#[test]
fn the_exit_code_is_by_what_counts() {
    let code = |fail_on: &str, plan: &str| {
        policy(&["--rego", "examples/policy/buckets.rego", "--fail-on", fail_on], plan).code
    };
    let public = bucket(&json!({"acl": "public-read"}), &json!({}));
    let unknown = bucket(&json!({}), &json!({"acl": true}));
    let fine = bucket(&json!({"acl": "private"}), &json!({}));
    assert_eq!(["deny", "warn", "undecided", "never"].map(|on| code(on, &public)), [1, 1, 1, 0]);
    assert_eq!(["deny", "warn", "undecided", "never"].map(|on| code(on, &unknown)), [0, 1, 1, 0]);
    assert_eq!(["deny", "warn,undecided"].map(|on| code(on, &fine)), [0, 0]);
    assert_eq!(code("deny", "{"), 2);
    assert_eq!(policy(&["--rego", "examples/nothing.rego"], &fine).code, 2);
    assert_eq!(policy(&["--rego", "examples/policy/buckets.rego", "--json", "--junit", "-"], &fine).code, 2);
}

#[test]
fn many_plans_are_named() {
    let folder = Folder::with(
        "many",
        &[
            ("a.json", &bucket(&json!({"acl": "public-read"}), &json!({}))),
            ("b.json", &bucket(&json!({"acl": "private"}), &json!({}))),
        ],
    );
    let folder_name = folder.0.to_str().unwrap();
    let output = policy(&[folder_name, "--rego", "examples/policy/buckets.rego"], "");
    let name = folder.at("a.json");
    assert!(
        output.stdout.starts_with(&format!("failure: {}: aws_s3_bucket.a can", name.display())),
        "{output:?}"
    );
    assert!(output.stdout.ends_with("4 rules in 2 plans: 1 failed, 3 passed\n"), "{output:?}");
    let output = policy(&[folder_name, "--rego", "examples/policy/buckets.rego", "--json"], "");
    let files: Vec<_> = lines(&output).iter().map(|line| line["file"].as_str().unwrap().to_owned()).collect();
    assert_eq!(files, ["a.json", "b.json"].map(|file| folder.at(file).to_str().unwrap().to_owned()));
}

#[test]
fn policies_of_conftest_see_the_document() {
    let text = "package main\n\ndeny[msg] {\n\trc := input.resource_changes[_]\n\trc.change.actions[_] == \"create\"\n\t\
        not rc.change.after.acl\n\tmsg := sprintf(\"%v has no acl\", [rc.address])\n}\n";
    let folder = Folder::with("conftest", &[("p.rego", text)]);
    let rego = folder.at("p.rego");
    let arguments = ["--rego", rego.to_str().unwrap(), "--input", "raw"];
    let output = policy(&arguments, &bucket(&json!({}), &json!({})));
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.starts_with("failure: aws_s3_bucket.a has no acl (main.deny, "), "{output:?}");
    let output = policy(&arguments, &bucket(&json!({}), &json!({"acl": true})));
    assert!(output.stdout.starts_with("undecided: aws_s3_bucket.a has no acl (main.deny, "), "{output:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_takes_too_much_memory_is_ended_and_named() {
    let endless = "package a\n\ndeny contains x if {\n\tx := [n | some i in numbers.range(1, 100000); some j in \
                   numbers.range(1, 100000); n := sprintf(\"%02000d-%d\", [i, j])]\n}\n";
    let folder = Folder::with("memory", &[("p.rego", endless)]);
    let rego = folder.at("p.rego");
    let plan = bucket(&json!({}), &json!({}));
    let limits = ["--memory", "200", "--timeout", "86400"];
    let output = policy(&[&["--rego", rego.to_str().unwrap()], &limits[..]].concat(), &plan);
    assert_eq!(output.code, 2, "{output:?}");
    let said = output.stderr.replace(folder.0.to_str().unwrap(), "");
    assert_eq!(
        said,
        "error: /p.rego:3: the policies need more than 200 MiB of memory; raise the limit with --memory\n"
    );
}

#[test]
fn what_is_wrong_with_policies_is_said_with_its_place() {
    let said = |name: &str, text: &str| {
        let folder = Folder::with(name, &[("p.rego", text)]);
        let rego = folder.at("p.rego");
        let output =
            policy(&["--rego", rego.to_str().unwrap(), "--timeout", "1"], &bucket(&json!({}), &json!({})));
        assert_eq!(output.code, 2, "{output:?}");
        output.stderr.replace(folder.0.to_str().unwrap(), "")
    };
    assert!(said("syntax", "package a\n\ndeny contains 1 if {").contains("/p.rego:3: "));
    assert_eq!(
        said("recursion", "package a\n\ndeny contains x if x := f(1)\n\nf(x) := f(x + 1)\n"),
        "error: /p.rego:5: rule data.a.f is recursive: data.a.f -> data.a.f\n"
    );
    let endless = "package a\n\ndeny contains 1 if {\n\tsome a in numbers.range(1, 1000000)\n\t\
        some b in numbers.range(1, 1000000)\n\ta + b == 0\n}\n";
    // How much processor time there was is another number each time.
    let ended = said("endless", endless);
    let start = "error: (stdin): /p.rego:3: evaluating the policies takes longer than 1 s, in which the program used ";
    assert!(ended.starts_with(start), "{ended}");
    assert!(ended.ends_with(" s of processor time; allow more with --timeout\n"), "{ended}");
}

#[test]
fn reports_for_other_programs() {
    let folder = Folder::with(
        "reports",
        &[("plan 1.json", &bucket(&json!({"acl": "public-read"}), &json!({"x": true})))],
    );
    let at = |name: &str| folder.at(name).to_str().unwrap().to_owned();
    let output = policy(
        &[
            &at("plan 1.json"),
            "--rego",
            "examples/policy/buckets.rego",
            "--junit",
            &at("j.xml"),
            "--sarif",
            &at("s.sarif"),
        ],
        "",
    );
    assert_eq!(output.code, 1, "{output:?}");
    let xml = std::fs::read_to_string(folder.at("j.xml")).unwrap();
    let report = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    assert_eq!((report.tests, report.failures), (2, 1));
    let sarif: Value = serde_json::from_str(&std::fs::read_to_string(folder.at("s.sarif")).unwrap()).unwrap();
    check_sarif(&sarif);
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "buckets.deny_public");
    assert_eq!(result["level"], "error");
    let place = &result["locations"][0];
    assert_eq!(place["physicalLocation"]["artifactLocation"]["uri"], "examples/policy/buckets.rego");
    assert_eq!(place["physicalLocation"]["region"]["startLine"], 11);
    assert_eq!(place["logicalLocations"][0]["fullyQualifiedName"], "aws_s3_bucket.a");
    let plan = &result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    assert!(plan.as_str().unwrap().ends_with("plan%201.json"), "{plan}");
}

/// Definitions of a name are one rule and one test, and its messages are counted.
#[test]
fn definitions_of_one_name_are_one_rule() {
    let rego = "package a\n\ndeny contains \"one\" if true\n\ndeny contains \"two\" if true\n\n\
                deny contains \"three\" if true\n\ndeny contains \"four\" if false\n";
    let folder = Folder::with("one-rule", &[("a.rego", rego)]);
    let run = |more: &[&str]| {
        policy(&[&["--rego", folder.0.to_str().unwrap()], more].concat(), &bucket(&json!({}), &json!({})))
    };
    let output = run(&[]);
    assert!(output.stdout.ends_with("1 rule: 1 failed (3 messages)\n"), "{output:?}");
    assert!(output.stdout.contains("a.rego:5"), "{output:?}");
    let report = quick_junit::Report::deserialize_from_str(&run(&["--junit", "-"]).stdout).unwrap();
    assert_eq!((report.tests, report.failures), (1, 1));
    let line = &lines(&run(&["--json"]))[0];
    let places: Vec<_> =
        line["rules"][0]["findings"].as_array().unwrap().iter().map(|one| &one["line"]).collect();
    assert_eq!(places, [&json!(3), &json!(5), &json!(7)]);
    // JUnit skips findings that the gate lets pass, and SARIF has them as warnings, with the reason.
    let output = run(&["--fail-on", "never", "--junit", "-"]);
    assert!(
        output.code == 0 && output.stdout.contains("<skipped message=\"nothing fails: one\""),
        "{output:?}"
    );
    let output = run(&["--fail-on", "never", "--sarif", "-"]);
    assert!(output.stdout.contains("\"text\": \"two (accepted: nothing fails)\""), "{output:?}");
    assert_eq!(output.stdout.matches("\"level\": \"warning\"").count(), 3, "{output:?}");
}

/// The rules of SARIF 2.1.0 and of GitHub code scanning.
#[track_caller]
fn check_sarif(sarif: &Value) {
    let schema = json!({
        "type": "object", "required": ["version", "runs"], "properties": {
            "version": {"const": "2.1.0"},
            "runs": {"type": "array", "items": {"type": "object", "required": ["tool", "results"], "properties": {
                "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                "tool": {"required": ["driver"], "properties": {"driver": {"required": ["name", "rules"], "properties": {
                    "rules": {"type": "array", "uniqueItems": true, "items": {"required": ["id"], "properties": {
                        "id": {"type": "string"},
                        "shortDescription": {"required": ["text"]},
                        "defaultConfiguration": {"properties": {"level": {"enum": ["none", "note", "warning", "error"]}}},
                    }}},
                }}}},
                "results": {"type": "array", "items": {"type": "object", "additionalProperties": false,
                    "required": ["message", "ruleId", "level", "locations"], "properties": {
                        "ruleId": {"type": "string"},
                        "ruleIndex": {"type": "integer", "minimum": 0},
                        "level": {"enum": ["none", "note", "warning", "error"]},
                        "message": {"required": ["text"], "properties": {"text": {"type": "string"}}},
                        "locations": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/location"}},
                        "relatedLocations": {"type": "array", "items": {"$ref": "#/$defs/location"}},
                        "partialFingerprints": {"additionalProperties": {"type": "string"}},
                }}},
            }}},
        },
        "$defs": {"location": {"additionalProperties": false, "properties": {
            "message": {"required": ["text"]},
            "physicalLocation": {"required": ["artifactLocation"], "properties": {
                "artifactLocation": {"required": ["uri"], "properties": {"uri": {"type": "string", "format": "uri-reference"}}},
                "region": {"required": ["startLine"], "properties": {"startLine": {"type": "integer", "minimum": 1}}},
            }},
            "logicalLocations": {"type": "array", "items": {"properties": {
                "fullyQualifiedName": {"type": "string"}, "kind": {"type": "string"},
            }}},
        }}},
    });
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    crate::schemas::check(&validator, sarif);
    for result in sarif["runs"][0]["results"].as_array().unwrap() {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(sarif["runs"][0]["tool"]["driver"]["rules"][index]["id"], result["ruleId"]);
    }
}

#[test]
fn tests_in_rego() {
    let output = objchange(["policy", "test", "examples/policy"], "");
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stdout.ends_with("3 of 3 tests passed\n"), "{output:?}");
    let text = "package a\n\ntest_one if 1 == 1\n\ntest_two if 1 == 2\n\ntodo_test_three if 1 == 2\n";
    let folder = Folder::with("tests", &[("a_test.rego", text)]);
    let rego = folder.0.to_str().unwrap();
    let output = objchange(["policy", "test", rego, "--junit", "-"], "");
    let report = quick_junit::Report::deserialize_from_str(&output.stdout).unwrap();
    assert_eq!((output.code, report.tests, report.failures), (1, 3, 1), "{output:?}");
    let output = objchange(["policy", "test", rego, "--json"], "");
    let results: Vec<_> =
        lines(&output).iter().map(|line| line["outcome"].as_str().unwrap().to_owned()).collect();
    assert_eq!(results, ["pass", "fail", "skip"]);
    let validator = crate::schemas::validator("policy-test.schema.json");
    lines(&output).iter().for_each(|line| crate::schemas::check(&validator, line));
    assert_eq!(objchange(["policy", "test", "examples/policy/instances.rego"], "").code, 2);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_secret_is_in_any_output(secret in "[a-z]{9}Q[0-9]{3}", body in 0..BODIES.len()) {
        let text = format!("package main\n\ndeny contains msg if {{\n\tsome rc in input.tfplan.resource_changes\n\t\
            secret := rc.change.after.secret\n\t{}\n}}\n", BODIES[body]);
        let folder = Folder::with(&format!("secret-{secret}"), &[("p.rego", &text)]);
        let mut resource = change("t.a", "t", &json!(["create"]), &json!({"secret": secret}), &json!({"x": true}));
        resource["change"]["after_sensitive"] = json!({"secret": true});
        let rego = folder.at("p.rego");
        let run = |more: &[&str]| {
            let output = policy(&[&["--rego", rego.to_str().unwrap()], more].concat(), &plan(&[resource.clone()]));
            format!("{}{}", output.stdout, output.stderr).replace(folder.0.to_str().unwrap(), "")
        };
        for output in [run(&[]), run(&["--json"]), run(&["--junit", "-"]), run(&["--sarif", "-"])] {
            let lower = output.to_lowercase();
            prop_assert!(!lower.contains(&secret.to_lowercase()) && !lower.contains(&secret[..9]), "{output}");
        }
    }
}

/// Bodies of rules that try to print a secret.
const BODIES: [&str; 9] = [
    "msg := secret",
    "msg := sprintf(\"it is %s\", [secret])",
    "msg := {\"msg\": \"bad\", \"details\": {\"value\": secret}}",
    "msg := {\"msg\": \"bad\", \"address\": secret}",
    "print(secret)\n\tmsg := \"printed\"",
    "msg := upper(secret)",
    "msg := {\"msg\": rc.change, \"address\": rc.address}",
    "msg := concat(\"-\", [rc.address, substring(secret, 0, 10)])",
    "object.union({}, secret) == rc.change\n\tmsg := to_number(secret)",
];

#[test]
fn help_has_examples() {
    let output = objchange(["policy", "--help"], "");
    assert!(output.stdout.contains("objchange policy test policy/"), "{output:?}");
    assert!(Path::new(&workspace()).join("examples/policy/buckets.rego").exists());
}

#[test]
fn never_stands_alone_and_endless_numbers_are_refused() {
    let folder = Folder::with(
        "never",
        &[("p.rego", "package main\n\ndeny contains 1 if input.tfplan.resource_changes\n")],
    );
    let rego = folder.at("p.rego");
    let rego = rego.to_str().unwrap();
    let plan = bucket(&json!({}), &json!({}));
    let output = policy(&["--rego", rego, "--fail-on", "undecided,never"], &plan);
    assert_eq!(
        (output.code, &*output.stderr),
        (2, "error: --fail-on never cannot be combined with others\n")
    );
    for (number, code) in [
        ("1e999999999".to_owned(), 2),
        ("1e-9223372036854775808".to_owned(), 2),
        ("1E+99999999999999999999".to_owned(), 2),
        ("7".repeat(20_000), 2),
        ("1.5e300".to_owned(), 1),
    ] {
        let endless = plan.replace("\"after\":{}", &format!("\"after\":{{\"n\":{number}}}"));
        assert_ne!(plan, endless);
        let output = policy(&["--rego", rego], &endless);
        assert_eq!(output.code, code, "{output:?}");
        assert!(code == 1 || output.stderr.contains("more digits than policies can take"), "{output:?}");
    }
}

#[test]
fn the_type_of_a_sensitive_output_is_hidden() {
    let folder = Folder::with(
        "type",
        &[("p.rego", "package main\n\ndeny contains sprintf(\"%v\", [input.plan.planned_values]) if true\n")],
    );
    let outputs = json!({"o": {"sensitive": true, "type": ["object", {"hunter2": "string"}], "value": {"hunter2": "x"}}});
    let plan =
        json!({"format_version": "1.2", "resource_changes": [], "planned_values": {"outputs": outputs}});
    let output = policy(&["--rego", folder.at("p.rego").to_str().unwrap(), "--json"], &plan.to_string());
    assert_eq!(output.code, 1, "{output:?}");
    assert!(!output.stdout.contains("hunter2") && !output.stderr.contains("hunter2"), "{output:?}");
}

#[test]
fn rules_are_chosen_by_name() {
    let text = "package a\n\nrequire_acl contains \"no acl\" if {\n\tsome rc in input.tfplan.resource_changes\n\tnot rc.change.after.acl\n}\n";
    let folder = Folder::with("rules", &[("p.rego", text)]);
    let rego = folder.at("p.rego");
    let rego = rego.to_str().unwrap();
    let plan = bucket(&json!({}), &json!({}));
    assert_eq!(policy(&["--rego", rego], &plan).code, 2);
    for glob in ["require_*", "a.require_acl"] {
        let output = policy(&["--rego", rego, "--rules", glob], &plan);
        assert_eq!(output.code, 1, "{output:?}");
        assert!(output.stdout.starts_with("failure: no acl (a.require_acl, "), "{output:?}");
    }
    assert_eq!(policy(&["--rego", rego, "--rules", "nothing_*"], &plan).code, 2);
}

#[test]
fn documents_are_given_and_missing_ones_refused() {
    let text = "package a\n\ndeny contains msg if {\n\tsome rc in input.tfplan.resource_changes\n\t\
        not rc.type in data.allowed.types\n\tmsg := rc.address\n}\n";
    let folder = Folder::with(
        "data",
        &[
            ("p.rego", text),
            ("file.json", r#"{"allowed": {"types": ["aws_vpc"]}}"#),
            ("same.yaml", "allowed:\n  types: [aws_s3_bucket]\n"),
            ("folder/allowed/data.json", r#"{"types": ["aws_s3_bucket"]}"#),
            ("broken.json", r#"{"allowed": "#),
        ],
    );
    let at = |name: &str| folder.at(name).to_str().unwrap().to_owned();
    let plan = bucket(&json!({}), &json!({}));
    let run = |data: &str| policy(&["--rego", &at("p.rego"), "--data", &at(data)], &plan);
    assert_eq!(run("file.json").code, 1);
    assert_eq!(run("same.yaml").code, 0);
    assert_eq!(run("folder").code, 0);
    assert_eq!(run("broken.json").code, 2);
    assert_eq!(run("absent.json").code, 2);
    let without = policy(&["--rego", &at("p.rego")], &plan);
    assert_eq!(without.code, 2, "{without:?}");
    assert!(without.stderr.contains("p.rego:5") && without.stderr.contains("data.allowed"), "{without:?}");
}

#[test]
fn documents_beside_policies_are_read_as_opa_reads_them() {
    let text = "package a\n\ndeny contains msg if {\n\tsome rc in input.tfplan.resource_changes\n\t\
        not rc.type in data.allowed.types\n\tmsg := rc.address\n}\n";
    let plan = bucket(&json!({}), &json!({}));
    let code = |files: &[(&str, &str)]| {
        let folder = Folder::with("beside", &[&[("p.rego", text)], files].concat());
        policy(&["--rego", folder.0.to_str().unwrap()], &plan).code
    };
    let list = r#"["aws_s3_bucket"]"#;
    assert_eq!(code(&[("allowed/types/data.json", list)]), 0);
    assert_eq!(code(&[("allowed/types/any.json", list)]), 0);
    assert_eq!(code(&[("allowed/types/any.yml", "- aws_vpc\n")]), 1);
    assert_eq!(code(&[("allowed.json", r#"{"allowed": {"types": ["aws_s3_bucket"]}}"#)]), 0);
    // A list is no document for the whole of `data`.
    assert_eq!(code(&[("data.json", list), ("allowed/types/data.json", list)]), 2);
    // As in OPA, part of the data is none: a policy could pass for the rest.
    for unread in [("allowed/broken.json", "{"), ("allowed/two.yaml", "a: 1\n---\nb: 1\n")] {
        assert_eq!(code(&[unread, ("allowed/types/any.json", list)]), 2, "{unread:?}");
    }
    let elsewhere = [
        ("other/broken.json", "{"),
        (".cache/broken.json", "{"),
        ("plan.json", &*plan),
        ("plans/prod/plan.json", &*plan),
    ];
    assert_eq!(code(&[&elsewhere[..], &[("allowed/types/any.json", list)]].concat()), 0);
    // A plan's secrets are no data, and its members do not pass for it either.
    let planned = r#"{"format_version": "1.2", "allowed": {"types": ["aws_s3_bucket"]}}"#;
    assert_eq!(code(&[("plan.json", planned)]), 2);
    assert_eq!(code(&[("allowed/plan.json", &planned.replace("allowed", "types"))]), 2);
    let beside = [("allowed/plan.json", planned), ("allowed/types/data.json", list)];
    assert_eq!(code(&beside), 0);
    let one = ("allowed/one.json", r#"{"types": ["aws_vpc"]}"#);
    let other = ("allowed/other.json", r#"{"types": ["aws_s3_bucket"]}"#);
    assert_eq!(code(&[one, other]), 2);
    assert_eq!(code(&[one, other, ("allowed/third.json", r#"{"types": ["aws_vpc"]}"#)]), 2);
    assert_eq!(code(&[one, other, ("allowed/types/data.json", list)]), 2);
    let denied = text.replace("not rc.type in data.allowed.types", "data.denied[rc.type]");
    let files = [
        ("p.rego", &*denied),
        ("x.json", r#"{"denied": {"aws_s3_bucket": true}"#),
        ("y.json", r#"{"denied": {"aws_vpc": true}}"#),
    ];
    let folder = Folder::with("part", &files);
    let output = policy(&["--rego", folder.0.to_str().unwrap()], &plan);
    assert_eq!(output.code, 2, "{output:?}");
    assert!(
        output.stderr.contains("data.denied is not complete") && output.stderr.contains("x.json"),
        "{output:?}"
    );
}

#[test]
fn tests_replace_calls_of_the_network() {
    let policy_text = "package a\n\nallowed if {\n\thttp.send({\"method\": \"get\", \"url\": \"https://a.example\"}).status_code == 200\n}\n";
    let test = "package a\n\nanswer(_) := {\"status_code\": 200}\n\ntest_allowed if allowed with http.send as answer\n\n\
        test_value if not allowed with http.send as {\"status_code\": 500}\n";
    let folder = Folder::with("network", &[("p.rego", policy_text), ("p_test.rego", test)]);
    let output = objchange(["policy", "test", folder.0.to_str().unwrap()], "");
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stdout.ends_with("2 of 2 tests passed\n"), "{output:?}");
    let rego = folder.at("p.rego");
    let output =
        policy(&["--rego", rego.to_str().unwrap(), "--rules", "allowed"], &bucket(&json!({}), &json!({})));
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("http.send needs the network"), "{output:?}");
}

#[test]
fn what_policies_look_at_is_their_input() {
    let text = "package main\n\ndeny[msg] {\n\trc := input.resource_changes[_]\n\tnot rc.change.after.acl\n\tmsg := rc.address\n}\n";
    let nowhere =
        "package main\n\ndeny[msg] {\n\tinput.resource_chnages[_].type == \"t\"\n\tmsg := \"never\"\n}\n";
    let folder = Folder::with("detected", &[("p.rego", text), ("typo.rego", nowhere)]);
    let run =
        |name: &str| policy(&["--rego", folder.at(name).to_str().unwrap()], &bucket(&json!({}), &json!({})));
    let output = run("p.rego");
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.starts_with("failure: aws_s3_bucket.a (main.deny, "), "{output:?}");
    assert_eq!(run("typo.rego").code, 2);
}

#[test]
fn no_secret_is_in_a_warning_about_a_built_in_function() {
    let text = "package main\n\ndeny contains \"bad\" if {\n\tsome rc in input.tfplan.resource_changes\n\t\
        to_number(rc.change.after.secret) > 1\n}\n";
    let folder = Folder::with("warned", &[("p.rego", text)]);
    let mut resource = change("t.a", "t", &json!(["create"]), &json!({"secret": "hunter2x"}), &json!({}));
    resource["change"]["after_sensitive"] = json!({"secret": true});
    let rego = folder.at("p.rego");
    for more in [&[][..], &["--json"], &["--strict-builtin-errors"]] {
        let output =
            policy(&[&["--rego", rego.to_str().unwrap()], more].concat(), &plan(&[resource.clone()]));
        let said = format!("{}{}", output.stdout, output.stderr);
        assert!(said.contains("to_number") || said.contains("sensitive"), "{output:?}");
        assert!(!said.contains("hunter"), "{output:?}");
    }
}

#[test]
fn tests_of_functions_that_are_refused_are_refused() {
    for call in [
        "graphql.is_valid(input.query, \"type Query { a: Int }\")",
        "crypto.x509.parse_certificates(input.query)",
        "io.jwt.verify_rs256(input.query, \"key\")",
        "strings.render_template(input.query, {})",
    ] {
        let policy_text = format!("package main\n\ndeny contains \"bad\" if not {call}\n");
        let test = "package main\n\ntest_bad if \"bad\" in deny with input as {\"query\": \"{a}\"}\n";
        let folder = Folder::with("test-refused", &[("p.rego", &policy_text), ("p_test.rego", test)]);
        let output = objchange(["policy", "test", folder.0.to_str().unwrap()], "");
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{output:?}");
        let name = call.split('(').next().unwrap();
        assert!(output.stderr.contains(&format!("p.rego:3: {name} is not supported")), "{output:?}");
    }
    let replaced = "package main\n\ntest_a if lower(\"A\") == \"a\" with lower as strings.reverse\n\n\
                    test_b if count([1]) == 1 with count as graphql.parse_schema\n";
    let folder = Folder::with("test-replaced", &[("p_test.rego", replaced)]);
    let output = objchange(["policy", "test", folder.0.to_str().unwrap()], "");
    assert_eq!(output.code, 2, "{output:?}");
}

#[test]
fn tokens_with_public_keys_are_no_answer() {
    let verify = "io.jwt.decode_verify(token, {\"cert\": \"-----BEGIN CERTIFICATE-----\"})";
    let rules = format!(
        "package main\n\ntoken := \"e30.e30.e30\"\n\ndeny contains \"forged\" if {{\n\t[valid, _, _] := {verify}\n\tnot valid\n}}\n"
    );
    let folder = Folder::with("jwt", &[("p.rego", &rules)]);
    let output = policy(&["--rego", folder.0.to_str().unwrap()], &plan(&[]));
    assert!(output.code != 0 && !output.stdout.contains("1 passed"), "{output:?}");
    let test = "package main\n\ntest_forged if count(deny) == 0\n";
    let folder = Folder::with("jwt-test", &[("p.rego", &rules), ("p_test.rego", test)]);
    assert_eq!(policy_test(&folder).code, 1);
}

#[test]
fn each_name_must_match_a_test() {
    let folder = Folder::with("test-run", &[("a_test.rego", "package a\n\ntest_one if true\n")]);
    let with = |names: &[&str]| {
        let names = names.iter().flat_map(|name| ["--run", name]);
        objchange(["policy", "test", folder.0.to_str().unwrap()].into_iter().chain(names), "")
    };
    assert_eq!(with(&["test_one", "test_*"]).code, 0);
    let output = with(&["test_one", "test_two"]);
    assert!(output.code == 2 && output.stderr.contains("no test matches test_two"), "{output:?}");
}

#[test]
fn fields_that_no_plan_has_are_refused_beside_others() {
    let other =
        "package terraform\n\ndeny_other contains \"x\" if input.plan.resource_changes[0].type == \"zzz\"\n";
    let workspace =
        "package terraform\n\ndeny contains \"only prod\" if input.run.workspace.name != \"prod\"\n";
    let folder = Folder::with("unread-input", &[("other.rego", other), ("workspace.rego", workspace)]);
    let rego = folder.0.to_str().unwrap();
    let output = policy(&["--rego", rego], &plan(&[]));
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("workspace.rego:3: input.run is the data of the run"), "{output:?}");
    assert!(output.stderr.contains("--run"), "{output:?}");
    folder.write("run.json", r#"{"workspace": {"name": "dev"}}"#);
    let run = folder.at("run.json");
    let output = policy(&["--rego", rego, "--run", run.to_str().unwrap()], &plan(&[]));
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.contains("failure: only prod"), "{output:?}");
    folder.write("run.json", "[1]");
    let output = policy(&["--rego", rego, "--run", run.to_str().unwrap()], &plan(&[]));
    assert_eq!(output.code, 2, "{output:?}");
}

#[test]
fn the_document_may_be_wrapped() {
    let text = "package terraform\n\nimport input.tfplan as tfplan\n\n\
                deny contains sprintf(\"%s is outside of a module\", [r.address]) if {\n\
                \tsome r in tfplan.resource_changes\n\tnot r.module_address\n}\n\n\
                deny contains input.tfrun.name if tfplan.format_version == \"1.2\"\n";
    let folder = Folder::with("wrapped", &[("p.rego", text), ("run.json", r#"{"name": "of the run"}"#)]);
    let (rego, run) = (folder.at("p.rego"), folder.at("run.json"));
    let rego = ["--rego", rego.to_str().unwrap()];
    let plan = bucket(&json!({}), &json!({}));
    let output = policy(&rego, &plan);
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("--input wrapped"), "{output:?}");
    let wrapped = [&rego[..], &["--input", "wrapped"]].concat();
    assert_eq!(policy(&wrapped, &plan).code, 2);
    let output = policy(&[&wrapped[..], &["--run", run.to_str().unwrap()]].concat(), &plan);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.contains("aws_s3_bucket.a is outside of a module"), "{output:?}");
    assert!(output.stdout.contains("failure: of the run"), "{output:?}");
    let output = policy(&["--rego", rego[1], "--input", "raw", "--run", run.to_str().unwrap()], &plan);
    assert_eq!(output.code, 2, "{output:?}");
}

/// Terraform leaves the marks of the schema out of the planned values of what is replaced.
#[test]
fn planned_values_of_replaced_objects_are_hidden() {
    let secret = "hunter2hunter2";
    let mut changed = change("t.a", "t", &json!(["delete", "create"]), &json!({"p": secret}), &json!({}));
    changed["change"]["after_sensitive"] = json!({"p": true});
    let mut plan: Value = serde_json::from_str(&plan(&[changed])).unwrap();
    plan["planned_values"] = json!({"root_module": {"resources": [{"address": "t.a", "mode": "managed", "type": "t",
        "name": "a", "provider_name": "p", "values": {"p": secret}, "sensitive_values": {}}]}});
    let collections = "package main\n\ndeny contains msg if {\n\tsome r in input.tfplan.planned_values.resources\n\t\
                       print(r)\n\tmsg := sprintf(\"it is %s\", [r.values.p])\n}\n";
    let document = "package main\n\ndeny contains msg if {\n\tsome r in input.planned_values.root_module.resources\n\t\
                    print(r)\n\tmsg := {\"msg\": \"bad\", \"details\": r}\n}\n";
    let wrapped = document.replace("input.", "input.tfplan.");
    let folder = Folder::with("planned-secret", &[("plan.json", &plan.to_string())]);
    let path = folder.at("plan.json").display().to_string();
    for (text, input) in [(collections, "collections"), (document, "raw"), (wrapped.as_str(), "wrapped")] {
        folder.write("p.rego", text);
        let rego = folder.at("p.rego");
        for more in [&[][..], &["--json"], &["--junit", "-"], &["--sarif", "-"]] {
            let arguments = [&[&*path, "--rego", rego.to_str().unwrap(), "--input", input], more].concat();
            let output = policy(&arguments, "");
            assert_eq!(output.code, 1, "{output:?}");
            assert!(!format!("{output:?}").contains("hunter2"), "{input} {more:?}: {output:?}");
        }
    }
    let sentinel = "import \"tfplan/v2\" as t\nr = t.planned_values.resources[\"t.a\"]\nprint(r.values)\n\
                    main = rule { r.values.p is \"\" }\n";
    folder.write("p.sentinel", sentinel);
    let sentinel = folder.at("p.sentinel").display().to_string();
    for more in [&[][..], &["--trace"], &["--json"]] {
        let output = objchange([&["sentinel", "apply", &*sentinel, "--plan", &*path], more].concat(), "");
        assert_eq!(output.code, 1, "{output:?}");
        assert!(!format!("{output:?}").contains("hunter2"), "{more:?}: {output:?}");
    }
    for more in [&[][..], &["--json"], &["--count"]] {
        let query = ["query", &*path, "--of", "planned", "rc.values.p != \"\""];
        let output = objchange([&query, more].concat(), "");
        assert!(!format!("{output:?}").contains("hunter2"), "{more:?}: {output:?}");
    }
    let out = folder.at("mocks").display().to_string();
    let output = objchange(["sentinel", "mock", &*path, "--out", &*out], "");
    assert_eq!(output.code, 0, "{output:?}");
    assert!(!folder.read("mocks/mock-tfplan-v2.sentinel").contains("hunter2"));
}

fn test_folder(label: &str, tests: &str) -> Folder {
    Folder::with(label, &[("a_test.rego", &format!("package main\n\nimport rego.v1\n\n{tests}\n"))])
}

fn policy_test(folder: &Folder) -> Output {
    objchange(["policy", "test", folder.0.to_str().unwrap()], "")
}

#[test]
fn each_case_of_a_test_must_hold() {
    let cases = "cases := {\"one\": {\"x\": 1, \"w\": 2}, \"two\": {\"x\": 2, \"w\": 2}}\n\n";
    for (test, passed, all) in [
        ("test_a[note] if { some note, tc in cases; tc.x == tc.w }", 1, 2),
        ("test_a[note] if { some note, tc in cases; tc.w == 2 }", 2, 2),
        ("test_a[note] if { some note, tc in cases; input.x == tc.w with input as tc }", 1, 2),
        ("test_a[note] := result if { some note, tc in cases; result := tc.x == tc.w }", 1, 2),
        ("test_a[tc.x][note] if { some note, tc in cases; tc.x == tc.w }", 1, 2),
        ("test_a[note].b if { some note, tc in cases; tc.x == tc.w }", 1, 2),
        ("test_a[note] if { some note in [\"a\"]; false }", 0, 1),
        ("test_a[note] if { some note in []; true }", 0, 1),
        ("test_a[note] contains 1 if { some note in [\"a\"] }", 0, 1),
        ("test_a[\"b\"] if { false }\n\ntest_a[note] if { some note in [\"a\"] }", 1, 2),
    ] {
        let output = policy_test(&test_folder("cases", &format!("{cases}{test}")));
        assert_eq!(output.code, i32::from(passed < all), "{test}: {output:?}");
        assert!(output.stdout.ends_with(&format!("{passed} of {all} tests passed\n")), "{test}: {output:?}");
    }
    let output =
        policy_test(&test_folder("case-names", &format!("{cases}test_a[n] if {{ cases[n].x == 2 }}")));
    assert!(output.stdout.contains("main.test_a[\"one\"]"), "{output:?}");
}

#[test]
fn only_true_is_a_test_that_passes() {
    for test in [
        "test_a := 0",
        "test_a := 1",
        "test_a := null",
        "test_a := \"x\"",
        "test_a := {}",
        "test_a := {\"a\": true}",
        "test_a := [true]",
        "test_a contains \"x\"",
        "test_a contains \"x\" if { false }",
        "test_a := {x | some x in [true]}",
        "default test_a := 1",
        "test_a[\"b\"] if { false }",
        "test_a.b if { false }",
        "test_a.b := false",
        "test_a.b := 1",
        "test_a.b.c if { false }",
        "test_a.b contains \"x\"",
        "x.test_a if { false }",
        "x.y.test_a if { false }",
        "x.test_a[k] if { some k in [1]; false }",
    ] {
        let output = policy_test(&test_folder("values", &format!("test_ok if {{ true }}\n\n{test}")));
        assert_eq!(output.code, 1, "{test}: {output:?}");
        assert!(output.stdout.ends_with("1 of 2 tests passed\n"), "{test}: {output:?}");
    }
    for test in ["test_a := true", "test_a.b if { true }", "x.test_a if { true }", "default test_a := true"] {
        let output = policy_test(&test_folder("values", test));
        assert_eq!(output.code, 0, "{test}: {output:?}");
    }
    for test in
        ["test_a(x) if { x }", "x.test_a(x) if { x }", "test_a(x) if { x }\n\ntest_b if { test_a(true) }"]
    {
        let output = policy_test(&test_folder("functions", &format!("test_ok if {{ true }}\n\n{test}")));
        assert_eq!(output.code, 2, "{test}: {output:?}");
        assert!(output.stderr.contains("test_a` is a function"), "{test}: {output:?}");
    }
}

fn judged(label: &str, rules: &str, more: &[&str]) -> Output {
    let text = format!("package main\n\nimport rego.v1\n\n{rules}\n");
    let folder = Folder::with(label, &[("a.rego", &text)]);
    let rego = folder.at("a.rego");
    policy(&[&["--rego", rego.to_str().unwrap()], more].concat(), &bucket(&json!({}), &json!({})))
}

#[test]
fn rules_with_longer_heads_are_evaluated() {
    let beside = "deny contains \"ok\" if { false }\n\n";
    for (rule, finding) in [
        ("deny_x[\"a\"] if { true }", "main.deny_x.a holds (main.deny_x.a, "),
        ("violation[\"a\"] if { true }", "main.violation.a holds"),
        ("deny_x[\"a\"] := \"m\"", "m (main.deny_x.a, "),
        ("deny_x.foo contains \"m\"", "m (main.deny_x.foo, "),
        ("deny_x.foo := \"m\"", "m (main.deny_x.foo, "),
        ("deny_x.foo[k] := \"m\" if { some k in [\"a\"] }", "{\"a\":\"m\"} (main.deny_x.foo, "),
        ("deny_x.a.b.c := [\"m\"]", "m (main.deny_x.a.b.c, "),
        ("x.deny contains \"m\"", "m (main.x.deny, "),
        ("x.deny_y if { true }", "main.x.deny_y holds"),
        ("x.y.deny_y.z if { true }", "main.x.y.deny_y.z holds"),
    ] {
        let output = judged("longer", &format!("{beside}{rule}"), &[]);
        assert_eq!(output.code, 1, "{rule}: {output:?}");
        assert!(output.stdout.starts_with(&format!("failure: {finding}")), "{rule}: {output:?}");
        // Alone, too.
        assert_eq!(judged("longer", rule, &[]).code, 1, "{rule}");
    }
    let output = judged("longer", &format!("{beside}warn.foo contains \"m\""), &["--fail-on", "warn"]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.starts_with("warning: m (main.warn.foo, "), "{output:?}");
}

#[test]
fn rules_with_longer_heads_are_chosen_by_name() {
    let rules = "x.deny contains \"one\"\n\ndeny_y.a contains \"two\"\n\nx.other contains \"three\"";
    for (arguments, said) in [
        (&["--namespace", "main"][..], &["one", "two"][..]),
        (&["--namespace", "main.x"], &["one"]),
        (&["--rules", "deny"], &["one"]),
        (&["--rules", "x.deny"], &["one"]),
        (&["--rules", "main.x.deny"], &["one"]),
        (&["--rules", "deny_y"], &["two"]),
        (&["--rules", "deny_y.a"], &["two"]),
        (&["--rules", "main.deny_y.a"], &["two"]),
        (&["--rules", "x.other"], &["three"]),
        (&["--rules", "*"], &["one", "two", "three"]),
    ] {
        let output = judged("longer-chosen", rules, arguments);
        let found =
            output.stdout.lines().filter_map(|line| line.strip_prefix("failure: ")?.split(' ').next());
        let found: std::collections::BTreeSet<&str> = found.collect();
        assert_eq!(found, said.iter().copied().collect(), "{arguments:?}: {output:?}");
    }
    for arguments in [["--namespace", "main.z"], ["--rules", "deny_y.b"], ["--rules", "x.y"]] {
        assert_eq!(judged("longer-chosen", rules, &arguments).code, 2, "{arguments:?}");
    }
}

#[test]
fn functions_that_are_called_as_rules_are_refused() {
    let beside = "deny contains \"ok\" if { false }\n\n";
    for rule in ["deny_x(y) := \"m\" if { y }", "violation(y) if { y }", "x.warn(y) if { y }"] {
        let output = judged("functions", &format!("{beside}{rule}"), &[]);
        assert_eq!(output.code, 2, "{rule}: {output:?}");
        assert!(output.stderr.contains("is a function that no rule calls"), "{rule}: {output:?}");
    }
    let helper = "deny_x(y) := \"m\" if { y }\n\ndeny contains deny_x(true)";
    assert_eq!(judged("functions", helper, &[]).code, 1);
    let in_tests = "package main\n\nimport rego.v1\n\ndeny_x[\"a\"] if { true }\n";
    let ok = "package main\n\nimport rego.v1\n\ndeny contains \"ok\" if { false }\n";
    let folder = Folder::with("longer-tests", &[("a.rego", ok), ("b_test.rego", in_tests)]);
    let output = policy(&["--rego", folder.0.to_str().unwrap()], &bucket(&json!({}), &json!({})));
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.stderr.contains("the rule `deny_x.a` is not evaluated"), "{output:?}");
}

#[test]
fn rules_that_allow_something_are_refused() {
    for (rules, name) in [
        ("allow := false", "allow"),
        ("allow if { false }", "allow"),
        ("default allow := false", "allow"),
        ("default allow := false\n\nallow if { true }", "allow"),
        ("default is_ok := true\n\nis_ok := false if { true }", "is_ok"),
        ("x.is_allowed if { true }", "is_allowed"),
        ("default x.ok := false", "x.ok"),
    ] {
        let output = judged("allow", rules, &["--rules", name]);
        assert_eq!(output.code, 2, "{rules}: {output:?}");
        assert!(output.stderr.contains("fails where it holds"), "{rules}: {output:?}");
    }
    assert_eq!(judged("allow", "default deny := false\n\ndeny if { true }", &["--rules", "deny"]).code, 1);
    assert_eq!(judged("allow", "blocked if { true }", &["--rules", "blocked"]).code, 1);
}

/// All reports name the values that a rule waits for.
#[track_caller]
fn waits_for(body: &str, plan: &str, wanted: &str) {
    let text = format!("package main\n\nimport rego.v1\n\ndeny contains \"x\" if {{ {body} }}\n");
    let folder = Folder::with("waits", &[("a.rego", &text)]);
    let rego = folder.at("a.rego");
    let rego = rego.to_str().unwrap();
    let text = policy(&["--rego", rego], plan);
    assert_eq!(text.code, 1, "{body}: {text:?}");
    assert!(text.stdout.contains(&format!("{wanted}\n")), "{body}: {text:?}");
    for form in [&[][..], &["--json"], &["--sarif", "-"], &["--junit", "-"]] {
        let output = policy(&[&["--rego", rego], form].concat(), plan);
        assert!(!format!("{output:?}").contains("Zq"), "{body}: {output:?}");
    }
}

#[test]
fn what_a_rule_waits_for_names_no_key_of_a_sensitive_value() {
    let unknown = json!({"Zq-key": true, "Zq": {"Zq": [true]}});
    for (marks, values, place) in [
        (json!({"a": true}), json!({"a": unknown}), "a of t.n"),
        (json!({"a": {"b": true}}), json!({"a": {"b": unknown}}), "a.b of t.n"),
        (json!({"a": [{"b c": true}]}), json!({"a": [{"b c": unknown}]}), "a[0][\"b c\"] of t.n"),
        (json!(true), json!(unknown), "waits for t.n"),
    ] {
        let mut resource = change("t.n", "t", &json!(["create"]), &json!({}), &values);
        resource["change"]["after_sensitive"] = marks.clone();
        let written = plan(&[resource.clone()]);
        for body in [
            "walk(input.resource_changes[_].change.after, [_, \"x\"])",
            "some rc in input.tfplan.resource_changes; walk(rc.change.after, [_, \"x\"])",
            "some rc in input.plan.resource_changes; walk(rc.change.after, [_, \"x\"])",
        ] {
            waits_for(body, &written, place);
        }
        // Another section says it.
        resource["change"]["after_sensitive"] = json!({});
        let mut document: Value = serde_json::from_str(&plan(&[resource])).unwrap();
        let planned = json!({"address": "t.n", "mode": "managed", "type": "t", "name": "n", "values": {},
            "sensitive_values": marks});
        document["planned_values"] = json!({"root_module": {"resources": [planned]}});
        waits_for("walk(input.resource_changes[_].change.after, [_, \"x\"])", &document.to_string(), place);
    }
    let output = json!({"actions": ["create"], "before": null, "after": {}, "after_unknown": {"Zq-key": true},
        "before_sensitive": false, "after_sensitive": true});
    let mut document: Value = serde_json::from_str(&plan(&[])).unwrap();
    document["output_changes"] = json!({"o": output});
    waits_for("walk(input.output_changes.o.after, [_, \"x\"])", &document.to_string(), "waits for output.o");
}

#[test]
fn annotations_for_ci_systems() {
    let text = "package a\n\ndeny contains \"50% of it,\\nor more: it is wrong\" if true\n\nwarn contains \"soon\" if true\n";
    let folder = Folder::with("annotations", &[("p.rego", text)]);
    let rego = folder.at("p.rego");
    let rego = rego.to_str().unwrap();
    let plan = bucket(&json!({}), &json!({}));
    let output = policy(&["--rego", rego, "--format", "github"], &plan);
    assert_eq!(output.code, 1, "{output:?}");
    let file = rego.replace(':', "%3A").replace(',', "%2C");
    let lines: Vec<&str> = output.stdout.lines().collect();
    assert_eq!(lines.len(), 2, "{output:?}");
    assert!(lines[0].starts_with(&format!("::error file={file},line=3,title=")), "{output:?}");
    assert!(lines[0].ends_with("::50%25 of it,%0Aor more: it is wrong"), "{output:?}");
    assert!(lines[1].starts_with("::warning ") && lines[1].ends_with("::soon"), "{output:?}");
    let output = policy(&["--rego", rego, "--format", "azure"], &plan);
    let begin = format!("##vso[task.logissue type=error;sourcepath={rego};linenumber=3]");
    assert!(
        output.stdout.starts_with(&begin) && output.stdout.contains("50%AZP25 of it,%0Aor"),
        "{output:?}"
    );
    assert_eq!(policy(&["--rego", rego, "--format", "github", "--json"], &plan).code, 2);
    assert_eq!(policy(&["--rego", rego, "--format", "github", "--sarif", "-"], &plan).code, 2);
}

#[test]
fn packages_are_chosen_by_globs_and_tests_by_name() {
    let files = [
        ("a.rego", "package team.a\n\ndeny contains \"a\" if true\n"),
        ("b.rego", "package team.b\n\ndeny contains \"b\" if true\n"),
        ("c.rego", "package other\n\ndeny contains \"c\" if true\n"),
        ("a_test.rego", "package team.a\n\ntest_one if true\n\ntest_two if false\n"),
    ];
    let folder = Folder::with("globs", &files);
    let rego = folder.0.to_str().unwrap();
    let plan = bucket(&json!({}), &json!({}));
    let said = |namespace: &str| policy(&["--rego", rego, "--namespace", namespace], &plan);
    assert_eq!(said("team.*").stdout.lines().filter(|line| line.starts_with("failure: ")).count(), 2);
    assert_eq!(said("*").stdout.lines().filter(|line| line.starts_with("failure: ")).count(), 3);
    let none = said("teams.*");
    assert!(none.code == 2 && none.stderr.contains("other, team.a, team.b"), "{none:?}");
    let test = |run: &str| objchange(["policy", "test", rego, "--run", run], "");
    assert_eq!(test("test_one").code, 0);
    assert_eq!(test("team.a.*_two").code, 1);
    assert_eq!(test("test_*").code, 1);
    let none = test("test_three");
    assert!(none.code == 2 && none.stderr.contains("no test matches test_three"), "{none:?}");
}

const TRACED: &str = r#"package main

import data.lib.helper
import data.lib.other

deny contains msg if {
	some rc in input.tfplan.resource_changes
	rc.type == "t"
	helper(rc)
	msg := rc.address
}

deny contains "unknown" if {
	some rc in input.tfplan.resource_changes
	rc.change.after.size > 3
	rc.type == "u"
}

left_over if true
"#;
const LIBRARY: &str = "package lib\n\nhelper(rc) if rc.change.after.name == \"x\"\n\nother := 1\n";

#[test]
fn a_trace_says_which_conditions_held() {
    let folder = Folder::with("trace", &[("p.rego", TRACED), ("lib.rego", LIBRARY)]);
    let rego = folder.0.to_str().unwrap().to_owned();
    let plan = plan(&[change("t.n", "t", &json!(["create"]), &json!({"name": "y"}), &json!({"size": true}))]);
    let output = policy(&["--rego", &rego, "--trace"], &plan);
    let text = output.stdout.replace(&rego, "");
    assert_eq!(
        text,
        "trace: main.deny: passed\n    definition 1\n\
        \x20   /p.rego:7: some rc in input.tfplan.resource_changes: holds\n\
        \x20       rc = {\"address\": \"t.n\", \"change\": {\"actions\": [\"create\"], \"after\": {\"name\": \"y\", \"size\": (unknown: t.n)}, …}, …}\n\
        \x20   /p.rego:8: rc.type == \"t\": holds\n\
        \x20       rc.type = \"t\"\n\
        \x20   /p.rego:9: helper(rc): does not hold\n\
        \x20   /p.rego:10: msg := rc.address: is not reached\n\
        \x20   definition 2\n\
        \x20   /p.rego:14: some rc in input.tfplan.resource_changes: holds\n\
        \x20       rc = {\"address\": \"t.n\", \"change\": {\"actions\": [\"create\"], \"after\": {\"name\": \"y\", \"size\": (unknown: t.n)}, …}, …}\n\
        \x20   /p.rego:15: rc.change.after.size > 3: is undecided\n\
        \x20       rc.change.after.size = (unknown: t.n)\n\
        \x20   /p.rego:16: rc.type == \"u\": does not hold\n\
        \x20       rc.type = \"t\"\n\
        trace: lib.helper, which rules use\n\
        \x20   /lib.rego:3: rc.change.after.name == \"x\": does not hold\n\
        \x20       rc.change.after.name = \"y\"\n\
        1 rule: 1 passed\n",
        "{output:?}"
    );
    assert_eq!(output.code, 0, "{output:?}");
}

#[test]
fn the_values_of_a_trace_are_those_of_one_case_and_hide_secrets() {
    let text = r#"package main

deny contains msg if {
	rc := input.resource_changes[i]
	rc.type == "t"
	after := rc.change.after
	after.size >= limit
	not startswith(after.token, "x")
	count(after.token) > 100
	msg := rc.address
}

limit := data.main.base + 1 if data.main.base > 1

base := 2
"#;
    let folder = Folder::with("trace-values", &[("p.rego", text)]);
    let hidden = |size: i64| {
        let after = json!({"size": size, "token": "hunter2-hunter2", "long": "z".repeat(500)});
        let mut one = change(&format!("t.n{size}"), "t", &json!(["create"]), &after, &json!({}));
        one["change"]["after_sensitive"] = json!({"token": true});
        one
    };
    // The first one ends earlier, so that the trace is that of the second one.
    let plan = plan(&[hidden(1), hidden(5)]);
    let rego = folder.at("p.rego");
    let output = policy(&["--rego", rego.to_str().unwrap(), "--trace"], &plan);
    let text = output.stdout.replace(rego.to_str().unwrap(), "p.rego");
    assert!(!text.contains("hunter2"), "{text}");
    for line in [
        "trace: main.deny: passed",
        "        i = 1",
        "    p.rego:7: after.size >= limit: holds",
        "        after.size = 5",
        "        limit = 3",
        "    p.rego:8: not startswith(after.token, \"x\"): holds",
        "        after.token = (sensitive value)",
        "    p.rego:9: count(after.token) > 100: does not hold",
        "trace: main.limit, which rules use",
        "        data.main.base = 2",
    ] {
        assert!(text.lines().any(|one| one == line), "{line}\n{text}");
    }
    // A value is named once.
    assert!(!text.contains("input.resource_changes[i] ="), "{text}");
    assert!(text.lines().all(|line| line.len() < 250), "{text}");
}

#[test]
fn policies_are_checked_without_a_plan() {
    let folder = Folder::with("check", &[("p.rego", TRACED), ("lib.rego", LIBRARY)]);
    let check = |folder: &Folder| {
        let rego = folder.0.to_str().unwrap().to_owned();
        let output = policy(&["check", &rego], "");
        (output.code, output.stdout.replace(&rego, ""))
    };
    assert_eq!(
        check(&folder),
        (
            1,
            "warning: /lib.rego:5: lib.other is neither evaluated nor used by a rule that is (unused-rule)\n\
            warning: /p.rego:4: the import other is not used (unused-import)\n\
            warning: /p.rego:19: main.left_over is neither evaluated nor used by a rule that is (unused-rule)\n\
            2 policy files: 3 warnings\n"
                .to_owned()
        )
    );
    let clean =
        Folder::with("check-clean", &[("p.rego", "package main\n\ndeny contains 1 if input.tfplan\n")]);
    assert_eq!(check(&clean), (0, "1 policy file: 0 warnings\n".to_owned()));
    let wrong =
        Folder::with("check-wrong", &[("p.rego", "package main\n\ndeny contains x if input.tfplan\n")]);
    assert_eq!(check(&wrong), (1, "error: /p.rego:3: var x is unsafe\n1 policy file: 1 error\n".to_owned()));
}

#[test]
fn all_that_no_plan_has_is_named() {
    let text = "package main\n\ndeny contains rc.address if {\n\tsome rc in input.resource_changes\n\trc.typ == \"a\"\n\
        \trc.change.aftr.acl == \"b\"\n\tdata.lib.x\n}\n\nwarn contains 1 if {\n\tinput.resource_chnges\n\tdata.lib.y\n}\n";
    let folder = Folder::with("check-fields", &[("p.rego", text)]);
    let rego = folder.0.to_str().unwrap();
    let output = policy(&["check", rego], "");
    let said: Vec<&str> = output.stdout.lines().collect();
    let [data, other_data, ty, after, changes, count] = said[..] else { panic!("{output:?}") };
    assert!(data.contains("p.rego:7: data.lib.x is not there"), "{data}");
    assert!(other_data.contains("p.rego:12: data.lib.y is not there"), "{other_data}");
    assert!(ty.contains("p.rego:5: the change of a resource has no field typ"), "{ty}");
    assert!(after.contains("p.rego:6: ") && after.contains("aftr"), "{after}");
    assert!(changes.contains("p.rego:11: no plan has input.resource_chnges"), "{changes}");
    assert_eq!((output.code, count), (1, "1 policy file: 5 errors"));
    // A plan is not evaluated over these, and the reason is on one line.
    let output = policy(&["--rego", rego], &plan(&[]));
    assert_eq!(output.code, 2, "{output:?}");
    assert!(
        ["data.lib.y", "typ", "aftr", "chnges"].iter().all(|name| output.stderr.contains(name)),
        "{output:?}"
    );
}

#[test]
fn checks_of_policies_are_also_json_and_sarif() {
    let validator = crate::schemas::validator("policy-check.schema.json");
    let check = |name: &str, text: &str, options: &[&str]| {
        let folder = Folder::with(name, &[("p.rego", text)]);
        let rego = folder.0.to_str().unwrap();
        let output = policy(&[&["check", rego, "--json"], options].concat(), "");
        let found: Vec<_> = lines(&output)
            .iter()
            .map(|line| {
                crate::schemas::check(&validator, line);
                let text = |name: &str| line[name].as_str().unwrap_or_default().replace(rego, "");
                format!("{} {}: {} ({})", text("severity"), text("kind"), text("message"), line["line"])
            })
            .collect();
        (output.code, found)
    };
    let unused = "package main\n\nimport input.tfplan as other\n\ndeny contains 1 if input.tfplan\n";
    let warning = vec!["warning unused-import: the import other is not used (3)".to_owned()];
    assert_eq!(check("check-json", unused, &[]), (1, warning.clone()));
    assert_eq!(check("check-json-errors", unused, &["--fail-on", "error"]), (0, warning));
    let wrong = "package main\n\ndeny contains x if input.tfplan\n\nwarn contains y if input.tfplan\n";
    let errors = vec![
        "error bad_policy: var x is unsafe (3)".to_owned(),
        "error bad_policy: var y is unsafe (5)".to_owned(),
    ];
    assert_eq!(check("check-json-wrong", wrong, &["--fail-on", "error"]), (1, errors.clone()));
    assert_eq!(check("check-json-never", wrong, &["--fail-on", "never"]), (0, errors));
    let folder = Folder::with("check-sarif", &[("p.rego", unused)]);
    let output = policy(&["check", folder.0.to_str().unwrap(), "--sarif", "-"], "");
    let sarif: Value = serde_json::from_str(&output.stdout).unwrap();
    check_sarif(&sarif);
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "unused-import");
}

#[test]
fn tests_tell_what_they_have_evaluated() {
    let tests = "package main\n\nimport data.main.deny\n\ntest_a if {\n\tprint(\"said\")\n\tcount(deny) == 0 with input as {}\n}\n";
    let folder =
        Folder::with("coverage", &[("p.rego", TRACED), ("lib.rego", LIBRARY), ("p_test.rego", tests)]);
    let folder_name = folder.0.to_str().unwrap().to_owned();
    let output = policy(&["test", &folder_name, "--coverage", "--verbose"], "");
    let text = output.stdout.replace(&folder_name, "");
    assert!(text.starts_with("passed:  main.test_a (/p_test.rego:5) in "), "{output:?}");
    assert!(text.contains("\n    /p_test.rego:6: said\n1 of 1 tests passed\n"), "{output:?}");
    assert!(text.contains("/p.rego: 2 of 10 lines evaluated; not 6, 8-10, 13, 15-16, 19\n"), "{output:?}");
    assert!(text.ends_with("% of 15 lines\n"), "{output:?}");
}

#[test]
fn results_are_at_the_block_of_the_resource_where_the_configuration_is_known() {
    let folder = Folder::new("policy-blocks");
    folder.write("root/main.tf", "\nmodule \"m\" {\n  source = \"./m\"\n}\n");
    let modules = json!({"Modules": [{"Key": "", "Source": "", "Dir": "."}, {"Key": "m", "Source": "./m", "Dir": "m"}]});
    folder.write("root/.terraform/modules/modules.json", modules.to_string());
    folder.write("root/m/main.tf", "# a comment\nresource \"terraform_data\" \"a\" {\n  count = 1\n}\n");
    folder.write("p.rego", "package main\nimport rego.v1\n\ndeny contains {\"msg\": \"no\", \"address\": rc.address} if {\n  some rc in input.resource_changes\n}\n");
    folder.write("p.sentinel", "import \"tfplan/v2\" as tfplan\nmain = rule { all tfplan.resource_changes as _, rc { rc.name is \"b\" } }\n");
    let (root, rego, sentinel) = (folder.at("root"), folder.at("p.rego"), folder.at("p.sentinel"));
    let [root, rego, sentinel] = [root, rego, sentinel].map(|path| path.display().to_string());
    let block = folder.at("root/m/main.tf").display().to_string();
    let output = objchange(["policy", &root, "--no-state", "--rego", &rego, "--sarif", "-"], "");
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let result = &report["runs"][0]["results"][0];
    let place = &result["locations"][0];
    assert_eq!(place["physicalLocation"]["region"]["startLine"], 2, "{result}");
    assert!(
        place["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap().ends_with("/m/main.tf"),
        "{result}"
    );
    let related: Vec<_> = result["relatedLocations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|place| &place["message"]["text"])
        .collect();
    assert_eq!(related, ["the rule", "the plan"]);
    assert_eq!(result["relatedLocations"][0]["physicalLocation"]["region"]["startLine"], 4, "{result}");
    let output = objchange(["policy", &root, "--no-state", "--rego", &rego, "--format", "github"], "");
    assert!(output.stdout.contains(&format!("::error file={block},line=2,title=")), "{output:?}");
    let output = objchange(["review", &root, "--no-state", "--rego", &rego, "--sentinel", &sentinel], "");
    for policy in [&rego, &sentinel] {
        let by = output.stdout.lines().find(|line| line.contains(&**policy));
        assert!(by.is_some_and(|line| line.contains(&format!("`{block}:2`, by `"))), "{output:?}");
    }
    let output = objchange(["review", &root, "--no-state", "--rego", &rego, "--json"], "");
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["plans"][0]["policies"][0]["block"], format!("{block}:2"));
}

#[test]
fn policies_read_configuration_in_their_own_folder() {
    let folder = Folder::with(
        "config-files",
        &[
            ("policy/settings/types.tf", "allowed = [\"t\"]\n\nowner \"a\" {\n  name = \"${var.x}\"\n}\n"),
            ("policy/limits.yaml", "most: 1\n"),
            (
                "policy/plan.json",
                "{\"format_version\": \"1.2\", \"planned_values\": {\"secret\": \"hunter2\"}}",
            ),
            ("policy/broken.tf", "a = \n"),
            ("outside.json", "{\"secret\": \"hunter2\"}"),
        ],
    );
    let run = |file: &str, body: &str| {
        let text = format!(
            "package main\n\ndeny contains msg if {{\n\tcfg := {body}\n\tmsg := json.marshal(cfg)\n}}\n"
        );
        std::fs::write(folder.at(&format!("policy/{file}")), text).unwrap();
        let output = policy(&["--rego", folder.at(&format!("policy/{file}")).to_str().unwrap()], &plan(&[]));
        assert!(!output.stdout.contains("hunter2") && !output.stderr.contains("hunter2"), "{output:?}");
        (output.code, output.stdout)
    };
    let (code, said) = run("hcl.rego", "parse_config_file(\"settings/types.tf\")");
    assert_eq!(code, 1, "{said}");
    assert!(
        said.contains("failure: {\"allowed\":[\"t\"],\"owner\":{\"a\":[{\"name\":\"${var.x}\"}]}}"),
        "{said}"
    );
    let (code, said) = run("yaml.rego", "parse_config_file(\"limits.yaml\")");
    assert_eq!((code, said.starts_with("failure: {\"most\":1}")), (1, true), "{said}");
    let (code, said) = run("text.rego", "parse_config(\"hcl2\", \"a = 1\")");
    assert_eq!((code, said.starts_with("failure: {\"a\":1}")), (1, true), "{said}");
    for (body, why) in [
        (
            "parse_config_file(\"../outside.json\")",
            "../outside.json: policies read files in their own folder and below",
        ),
        ("parse_config_file(\"plan.json\")", "a plan or state is judged"),
        ("parse_config_file(\"none.tf\")", "none.tf: "),
        ("parse_config_file(\"hcl.rego\")", "policies read files called *.tf"),
        ("parse_config_file(\"broken.tf\")", "broken.tf:1: "),
        ("parse_config(\"toml\", \"a = 1\")", "there is no parser toml: name hcl2, json or yaml"),
    ] {
        let (code, said) = run("refused.rego", body);
        assert!(code == 1 && said.starts_with("error: ") && said.contains(why), "{body}: {code} {said}");
    }
}

#[test]
fn a_trace_and_coverage_are_printed_or_refused() {
    let plan = bucket(&json!({}), &json!({}));
    for more in [["--format", "github"], ["--junit", "-"], ["--sarif", "-"]] {
        let output = policy(&[&["--rego", "examples/policy", "--trace"], &more[..]].concat(), &plan);
        let error = "error: --trace prints to standard output, where another report goes\n";
        assert_eq!((output.code, &*output.stderr), (2, error), "{more:?}");
    }
    let output = objchange(["policy", "test", "examples/policy", "--coverage", "--junit", "-"], "");
    let error = "error: --coverage prints to standard output, where another report goes\n";
    assert_eq!((output.code, &*output.stderr), (2, error));
}
