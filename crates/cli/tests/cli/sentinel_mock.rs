//! `objchange sentinel mock`.

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::program::objchange;

const PLAN: &str = "examples/fleet/api.json";

const FILES: [&str; 5] = [
    "mock-tfplan-v2.sentinel",
    "mock-tfconfig-v2.sentinel",
    "mock-tfstate-v2.sentinel",
    "mock-tfrun.sentinel",
    "sentinel.hcl",
];

#[test]
fn a_plan_becomes_test_data() {
    let folder = Folder::with("sentinel-mock", &[]);
    let out = folder.at("test/instances/mocks").display().to_string();
    let output = objchange(["sentinel", "mock", PLAN, "--out", &out], "");
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    assert_eq!(output.stdout, FILES.map(|file| format!("{out}/{file}\n")).concat());
    let plan = folder.read("test/instances/mocks/mock-tfplan-v2.sentinel");
    assert!(plan.starts_with("terraform_version = \"1.9.8\"\n\nvariables = {\n\t\""), "{plan}");
    assert!(plan.contains("(sensitive value)"), "{plan}");

    // The configuration is a test case that uses them.
    let policy = r#"import "tfplan/v2" as tfplan
import "tfconfig/v2" as tfconfig
import "tfstate/v2" as tfstate
import "tfrun"
instances = filter tfplan.resource_changes as _, rc { rc.mode is "managed" and rc.type is "aws_instance" }
print(keys(instances))
known = rule { length(instances) is 2 and length(tfstate.resources) > 0 and not tfrun.is_destroy }
main = rule {
	known and all keys(instances) as address { tfconfig.strip_index(address) is "module.foo.aws_instance.this" }
}
"#;
    folder.write("instances.sentinel", policy);
    std::fs::rename(
        folder.at("test/instances/mocks/sentinel.hcl"),
        folder.at("test/instances/mocks/case.hcl"),
    )
    .unwrap();
    let case = folder.read("test/instances/mocks/case.hcl").replace("\"mock-", "\"mocks/mock-");
    folder.write("test/instances/case.hcl", case);
    let output = objchange(["sentinel", "test", &folder.at("").display().to_string()], "");
    assert_eq!(output.code, 0, "{output:?}");
}

#[test]
fn files_that_are_there_are_kept() {
    let folder = Folder::with("sentinel-mock-kept", &[("sentinel.hcl", "mine")]);
    let out = folder.at("").display().to_string();
    let output = objchange(["sentinel", "mock", PLAN, "--out", &out], "");
    assert_eq!(output.code, 2);
    assert!(
        output.stderr.ends_with("sentinel.hcl already exists; overwrite it with --force\n"),
        "{output:?}"
    );
    assert!(!folder.at(FILES[0]).exists());
    assert_eq!(folder.read("sentinel.hcl"), "mine");
    let output = objchange(["sentinel", "mock", PLAN, "--out", &out, "--force"], "");
    assert_eq!(output.code, 0, "{output:?}");
    assert_ne!(folder.read("sentinel.hcl"), "mine");
}

#[test]
fn a_run_is_told() {
    let folder = Folder::with(
        "sentinel-mock-run",
        &[
            ("run.json", r#"{"workspace": {"name": "a\n"}, "is_destroy": false, "no name": 1}"#),
            ("list.json", "[]"),
        ],
    );
    let at = |file: &str| folder.at(file).display().to_string();
    let output = objchange(["sentinel", "mock", PLAN, "--out", &at("out"), "--run", &at("run.json")], "");
    assert_eq!(output.code, 0, "{output:?}");
    let run = folder.read("out/mock-tfrun.sentinel");
    assert!(
        run.contains("workspace = {\n\t\"name\": \"a\\n\",\n}\n") && run.contains("is_destroy = false\n"),
        "{run}"
    );
    assert!(!run.contains("no name"), "{run}");
    assert!(
        folder
            .read("out/sentinel.hcl")
            .contains("mock \"tfrun\" {\n  module {\n    source = \"mock-tfrun.sentinel\"\n")
    );
    let output = objchange(["sentinel", "mock", PLAN, "--out", &at("other"), "--run", &at("list.json")], "");
    assert_eq!(output.code, 2);
    assert!(output.stderr.ends_with("list.json: the data for tfrun must be an object\n"), "{output:?}");
}

#[test]
fn a_state_has_a_mock_of_its_own() {
    let folder = Folder::with("sentinel-mock-state", &[]);
    let out = folder.at("").display().to_string();
    let state = json!({"format_version": "1.0", "terraform_version": "1.9.0", "values": {"outputs":
        {"key": {"sensitive": true, "value": "s3cret"}}, "root_module": {}}});
    let output = objchange(["sentinel", "mock", "-", "--out", &out], state.to_string());
    assert_eq!(output.code, 0, "{output:?}");
    let text = folder.read("mock-tfstate-v2.sentinel");
    assert!(text.contains("(sensitive value)") && !text.contains("s3cret"), "{text}");
    assert!(!folder.at(FILES[0]).exists());
    let output = objchange(["sentinel", "mock", "-", "--out", &out], "{}");
    assert_eq!(output.code, 2);
}

/// Removes all marks from a document: `apply` hides derived output, and a mock only sensitive parts.
fn without_marks(document: Value) -> Value {
    const MARKS: [&str; 4] = ["before_sensitive", "after_sensitive", "sensitive_values", "sensitive"];
    match document {
        Value::Object(members) => {
            let members = members.into_iter().filter(|(name, _)| !MARKS.contains(&name.as_str()));
            members.map(|(name, value)| (name, without_marks(value))).collect()
        }
        Value::Array(items) => items.into_iter().map(without_marks).collect(),
        other => other,
    }
}

#[test]
fn a_policy_sees_in_mocks_what_it_sees_in_the_plan() {
    let members = [
        ("tfplan/v2", "variables planned_values resource_changes resource_drift output_changes raw"),
        ("tfconfig/v2", "providers resources provisioners variables outputs module_calls"),
        ("tfstate/v2", "resources outputs"),
    ];
    let mut policy = "import \"json\"\nimport \"tfrun\"\n".to_owned();
    let mut prints =
        "print(tfrun.is_destroy, tfrun.target_addrs, tfplan.terraform_version, tfstate.terraform_version)\n"
            .to_owned();
    for (import, names) in members {
        let name = import.strip_suffix("/v2").unwrap();
        policy += &format!("import \"{import}\" as {name}\n");
        for member in names.split(' ') {
            prints += &format!("print(json.marshal({name}.{member}))\n");
        }
    }
    let policy = policy + &prints + "main = true\n";
    for plan in ["api.json", "web.json", "old.json"] {
        let path = crate::program::workspace().join("examples/fleet").join(plan);
        let mut document: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        crate::fields::complete(&mut document);
        let plan = without_marks(document).to_string();
        let folder = Folder::with("sentinel-mock-equal", &[("all.sentinel", &policy), ("plan.json", &plan)]);
        let at = |file: &str| folder.at(file).display().to_string();
        let printed = |output: crate::program::Output| {
            assert_eq!(output.code, 0, "{output:?}");
            let answer: Value = serde_json::from_str(output.stdout.lines().next().unwrap()).unwrap();
            answer["print"].as_str().unwrap().to_owned()
        };
        let applied =
            objchange(["sentinel", "apply", &at("all.sentinel"), "--plan", &at("plan.json"), "--json"], "");
        let applied = printed(applied);
        let output = objchange(["sentinel", "mock", &at("plan.json"), "--out", &at("test/all")], "");
        assert_eq!(output.code, 0, "{output:?}");
        std::fs::rename(folder.at("test/all/sentinel.hcl"), folder.at("test/all/case.hcl")).unwrap();
        let tested = objchange(["sentinel", "test", &at("all.sentinel"), "--json"], "");
        assert_eq!(printed(tested), applied);
        assert!(applied.len() > 500, "{applied}");
    }
}

/// A plan does not say what is sensitive in the configuration of a provider.
#[test]
fn configuration_of_providers_is_hidden_unless_the_schema_shows_it() {
    let plan = r#"{"format_version":"1.2","configuration":{"provider_config":{"acme":{"name":"acme",
        "full_name":"registry.terraform.io/acme/acme","expressions":{"token":{"constant_value":"hunter2"},
        "region":{"constant_value":"north"},"auth":[{"key":{"constant_value":"hunter3"},
        "user":{"constant_value":"isabel"}}],"other":{"references":["var.other"]}}}},"root_module":{}}}"#;
    let schemas = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/acme/acme":{"provider":{
        "version":0,"block":{"attributes":{"token":{"type":"string","optional":true,"sensitive":true},
        "region":{"type":"string","optional":true}},"block_types":{"auth":{"nesting_mode":"list","block":{
        "attributes":{"key":{"type":"string","optional":true,"sensitive":true},
        "user":{"type":"string","optional":true}}}}}}}}}}"#;
    let folder = Folder::with("sentinel-mock-providers", &[("plan.json", plan), ("schemas.json", schemas)]);
    let at = |name: &str| folder.at(name).display().to_string();
    let written = |out: &str| {
        let texts = ["mock-tfconfig-v2.sentinel", "mock-tfplan-v2.sentinel"];
        texts.map(|name| folder.read(&format!("{out}/{name}")))
    };
    let output = objchange(["sentinel", "mock", &at("plan.json"), "--out", &at("none")], "");
    assert_eq!(output.code, 0, "{output:?}");
    for text in written("none") {
        assert!(!text.contains("hunter") && !text.contains("north") && !text.contains("isabel"), "{text}");
        assert!(text.contains("var.other"), "{text}");
    }
    let schemas = at("schemas.json");
    let arguments = ["sentinel", "mock", &at("plan.json"), "--schemas", &schemas, "--out", &at("some")];
    let output = objchange(arguments, "");
    assert_eq!(output.code, 0, "{output:?}");
    for text in written("some") {
        assert!(!text.contains("hunter") && text.contains("north") && text.contains("isabel"), "{text}");
    }
}
