//! `objchange diff`.

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::program::{Output, objchange, workspace};
use crate::schemas::{check, validator};

const A: &str = "examples/approval/approved.json";
const B: &str = "examples/approval/now.json";
const SCHEMAS: [&str; 2] = ["--schemas", "examples/approval/schemas.json"];

fn diff(arguments: &[&str]) -> Output {
    objchange(["diff"].iter().chain(arguments), "")
}

/// A plan that creates an object.
fn plan(after: &Value, unknown: &Value) -> Value {
    let change = json!({"actions": ["create"], "before": null, "after": after, "after_unknown": unknown,
        "before_sensitive": false, "after_sensitive": {}});
    json!({"format_version": "1.2", "resource_changes": [{"address": "t.r", "mode": "managed", "type": "t", "name": "r",
        "provider_name": "example.com/p/p", "change": change}]})
}

#[test]
fn exit_codes_say_whether_plans_differ() {
    let unknown = plan(&json!({"size": 1}), &json!({"id": true})).to_string();
    let known = plan(&json!({"id": "i", "size": 1}), &json!({})).to_string();
    let folder = Folder::with("diff-codes", &[("a.json", &unknown), ("b.json", &known)]);
    let [a, b] = ["a.json", "b.json"].map(|name| folder.at(name).to_str().unwrap().to_owned());
    let same = diff(&[&a, &a]);
    assert_eq!((same.code, &*same.stdout, &*same.stderr), (0, "Both plans do the same: 1 change.\n", ""));
    let expected = diff(&[&a, &b]);
    assert_eq!(expected.code, 1, "{}", expected.stderr);
    assert!(
        expected.stdout.starts_with("The plans differ as expected: 1 as expected.\n"),
        "{}",
        expected.stdout
    );
    assert!(expected.stderr.contains("without --schemas"), "{}", expected.stderr);
    assert_eq!(diff(&[&a, &b, "--allow-expected"]).code, 0);
    // The other way round it is no more expected.
    assert_eq!(diff(&[&b, &a, "--allow-expected"]).code, 1);
    let from_stdin = objchange(["diff", "-", &b], &unknown);
    assert_eq!(from_stdin.code, 1, "{}", from_stdin.stderr);
}

#[test]
fn identities_are_compared() {
    let with = |region: &str| {
        let mut plan = plan(&json!({"size": 1}), &json!({}));
        plan["resource_changes"][0]["change"]["after_identity"] = json!({"region": region, "id": "i"});
        plan.to_string()
    };
    let folder = Folder::with("diff-identities", &[("a.json", &with("eu")), ("b.json", &with("us"))]);
    let [a, b] = ["a.json", "b.json"].map(|name| folder.at(name).to_str().unwrap().to_owned());
    let output = diff(&[&a, &b]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(output.stdout.contains("region (identity): \"eu\" in A, \"us\" in B"), "{}", output.stdout);
    let json: Value = serde_json::from_str(&diff(&[&a, &b, "--json"]).stdout).unwrap();
    check(&validator("comparison.schema.json"), &json);
    assert_eq!(json["resources"][0]["values"][0]["identity"], true, "{json}");
    let ignored = diff(&[&a, &b, "--ignore", "after_identity.region"]);
    assert_eq!(ignored.code, 0, "{}", ignored.stdout);
}

#[test]
fn json_is_as_its_schema_says() {
    let output = diff(&[A, B, SCHEMAS[0], SCHEMAS[1], "--json"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let page: Value = serde_json::from_str(&output.stdout).unwrap();
    check(&validator("comparison.schema.json"), &page);
    assert_eq!((&page["outcome"], &page["a"]), (&json!("different"), &json!(A)));
    for secret in ["correct horse", "battery staple", "Tr0ub4dor"] {
        assert!(!output.stdout.contains(secret), "{}", output.stdout);
    }
}

#[test]
fn a_comment_has_the_title_and_the_link() {
    let output = diff(&[
        A,
        B,
        SCHEMAS[0],
        SCHEMAS[1],
        "--format",
        "markdown",
        "--title",
        "Approval",
        "--link",
        "https://ci.example/7",
    ]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let start = "## Approval: The plans differ: ";
    assert!(output.stdout.starts_with(start), "{}", output.stdout);
    assert!(output.stdout.contains("[Full output](https://ci.example/7)"), "{}", output.stdout);
    let output = diff(&[A, B, "--title", "x"]);
    assert_eq!((output.code, &*output.stdout), (2, ""));
}

#[test]
fn options_that_match_nothing_are_noted() {
    let output = diff(&[A, B, "--ignore", "no.such", "--map", "module.a=module.b"]);
    assert_eq!(output.code, 1);
    for note in
        ["note: --ignore no.such matches nothing here", "note: --map module.a=module.b matches nothing here"]
    {
        assert!(output.stderr.contains(note), "{}", output.stderr);
    }
    for wrong in [["--map", "module.a"], ["--map", "module.a=t.b"], ["--ignore", "a..b"]] {
        let output = diff(&[A, B, wrong[0], wrong[1]]);
        assert_eq!((output.code, &*output.stdout), (2, ""), "{wrong:?}");
    }
}

/// A document that is not a whole plan is named.
#[test]
fn what_is_no_plan_is_refused_by_its_name() {
    let whole = plan(&json!({}), &json!({})).to_string();
    let mut failed = plan(&json!({}), &json!({}));
    failed["errored"] = json!(true);
    let mut part = plan(&json!({}), &json!({}));
    part.as_object_mut().unwrap().remove("format_version");
    let mut lacking = plan(&json!({}), &json!({}));
    lacking["planned_values"] = json!({"root_module": {"resources": [{"address": "t.s", "mode": "managed", "type": "t",
        "name": "s", "values": {}}]}});
    lacking["complete"] = json!(true);
    let state =
        r#"{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"x","outputs":{},"resources":[]}"#;
    let folder = Folder::with(
        "diff-refused",
        &[
            ("whole.json", &whole),
            ("failed.json", &failed.to_string()),
            ("part.json", &part.to_string()),
            ("lacking.json", &lacking.to_string()),
            ("state.json", state),
            ("broken.json", &whole[..whole.len() / 2]),
            ("two.json", &format!("{whole}\n{whole}")),
        ],
    );
    let at = |name: &str| folder.at(name).to_str().unwrap().to_owned();
    for (name, why) in [
        ("failed.json", "planning ended with an error"),
        ("part.json", "without `format_version`"),
        ("lacking.json", "the change of t.s is missing from this plan"),
        ("state.json", "this is a state, not a plan"),
        ("broken.json", "ends too early"),
        ("two.json", "a second document starts here"),
        ("absent.json", "cannot be read"),
    ] {
        for files in [[at("whole.json"), at(name)], [at(name), at("whole.json")]] {
            let output = diff(&[&files[0], &files[1]]);
            assert_eq!((output.code, &*output.stdout), (2, ""), "{name}: {}", output.stderr);
            assert!(
                output.stderr.contains(&format!("{name}:")) && output.stderr.contains(why),
                "{}",
                output.stderr
            );
            assert!(!output.stderr.contains("whole.json"), "{}", output.stderr);
        }
    }
    let output = objchange(["diff", "-", "-"], &whole);
    assert_eq!(output.code, 2);
}

#[test]
fn modules_are_planned() {
    let module = |size: u32| {
        format!(
            "resource \"terraform_data\" \"a\" {{\n  input = {size}\n}}\noutput \"size\" {{\n  value = {size}\n}}\n"
        )
    };
    let folder = Folder::with("diff-modules", &[("a/main.tf", &module(1)), ("b/main.tf", &module(2))]);
    let [a, b] = ["a", "b"].map(|name| folder.at(name).to_str().unwrap().to_owned());
    assert_eq!(diff(&[&a, &a]).code, 0);
    let output = diff(&[&a, &b]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert!(output.stdout.contains("!     input: 1 in A, 2 in B\n"), "{}", output.stdout);
    assert!(workspace().join(A).exists());
}
