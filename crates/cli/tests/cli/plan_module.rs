//! `objchange plan [DIR]`.

use std::ffi::OsString;

use serde_json::Value as Json;

use crate::folder::Folder;
use crate::plan::SCHEMAS;
use crate::program::{Output, objchange};

const MAIN: &str = r#"terraform {
  required_providers {
    test = { source = "example.com/test/test" }
  }
}
variable "name" {
  type = string
}
resource "test_disk" "a" {
  count = 2
  name  = "${var.name}-${count.index}"
}
module "m" {
  source = "./m"
  ids    = test_disk.a[*].id
}
output "ids" {
  value = module.m.all
}
"#;

const CHILD: &str = "variable \"ids\" {}\noutput \"all\" {\n  value = var.ids\n}\n";

fn folder(test: &str, main: &str) -> Folder {
    Folder::with(test, &[("main.tf", main), ("m/main.tf", CHILD), ("schemas.json", SCHEMAS)])
}

/// Plans the module in the folder.
fn plan(folder: &Folder, arguments: &[&str]) -> Output {
    let mut all: Vec<OsString> = vec!["plan".into(), folder.0.clone().into()];
    all.extend(["--schemas".into(), folder.at("schemas.json").into()]);
    all.extend(
        arguments.iter().map(|argument| argument.replace("FOLDER", &folder.0.display().to_string()).into()),
    );
    objchange(all, "")
}

#[test]
fn the_text_is_terraforms() {
    let folder = folder("module-text", MAIN);
    let output = plan(&folder, &["--var", "name=x", "--out", "FOLDER/plan.json"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stdout.contains("  # test_disk.a[1] will be created\n"), "{output:?}");
    assert!(output.stdout.contains("Plan: 2 to add, 0 to change, 0 to destroy.\n"), "{output:?}");
    assert_eq!(
        output.stderr,
        "note: the workspace \"default\" has no state: nothing exists yet\n\
         note: planned without asking example.com/test/test: values that only a provider knows are unknown\n"
    );
    // Whoever reads plans reads this one, and that no provider was asked.
    let shown = objchange(["show".into(), OsString::from(folder.at("plan.json"))], "");
    assert!(shown.stdout.starts_with("Predicted plan: the providers were not asked. "), "{shown:?}");
    assert_eq!(shown.stdout, output.stdout);
    let document: Json = serde_json::from_str(&folder.read("plan.json")).unwrap();
    assert_eq!(document["resource_changes"][1]["change"]["after"]["name"], "x-1");
    let json = plan(&folder, &["--var", "name=x", "--json"]);
    let json: Json = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["output_changes"], document["output_changes"]);
}

#[test]
fn exit_codes_are_those_of_terraform() {
    let folder = folder("module-codes", MAIN);
    let code = |arguments: &[&str]| plan(&folder, arguments).code;
    assert_eq!(code(&["--var", "name=x", "--detailed-exitcode"]), 2);
    assert_eq!(code(&["--detailed-exitcode"]), 1);
    assert_eq!(code(&["--var", "name=x", "--fail-on", "delete"]), 0);
    assert_eq!(code(&["--var", "name=x", "--fail-on", "create"]), 1);
    assert_eq!(code(&["--var", "name=x", "--destroy", "--detailed-exitcode"]), 0);
    assert_eq!(code(&["--var", "name=x", "--state", "FOLDER/none.tfstate"]), 2);
}

#[test]
fn errors_are_told_in_terraforms_words_without_secrets() {
    let main = "variable \"need\" {}\nvariable \"pin\" {\n  sensitive = true\n  default   = \"s3cret\"\n}\nlocals {\n  x = \
                upper(local.nope)\n}\n";
    let folder = folder("module-errors", main);
    let output = plan(&folder, &["--require", "variables"]);
    assert_eq!(
        (output.code, output.stderr.as_str()),
        (
            1,
            "\nError: No value for required variable\n\n  on main.tf line 1:\n   1: variable \"need\" {}\n\nThe root module \
             input variable \"need\" is not set, and has no default value.\nUse a -var or -var-file command line argument to \
             provide a value for this\nvariable.\n"
        )
    );
    let output = plan(&folder, &["--var", "need=x"]);
    assert!(output.stderr.contains("Error: Reference to undeclared local value\n"), "{output:?}");
    assert_eq!(output.code, 1);
    let output = plan(&folder, &["--target", "nope", "--require", "variables"]);
    assert!(output.stderr.contains("Error: Invalid target \"nope\"\n"), "{output:?}");
    folder.write("main.tf", "variable \"pin\" {\n  sensitive = true\n  default = \"s3cret\" \"x\"\n}\n");
    let output = plan(&folder, &[]);
    assert!(output.stderr.contains("(sensitive value)") && !output.stderr.contains("s3cret"), "{output:?}");
}

#[test]
fn missing_schemas_are_asked_for() {
    let folder = folder("module-schemas", MAIN);
    let arguments = ["--var=name=x", "--require=schemas"].map(OsString::from);
    let output =
        objchange([OsString::from("plan"), folder.0.clone().into()].into_iter().chain(arguments), "");
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("there are no schemas of example.com/test/test"), "{output:?}");
    assert!(
        output.stderr.contains("--schemas DIR") && output.stderr.contains("--provider-binary"),
        "{output:?}"
    );
}

#[test]
fn the_state_of_the_directory_counts() {
    let folder = folder("module-state", "resource \"terraform_data\" \"a\" {\n  input = \"x\"\n}\n");
    let state = r#"{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","outputs":{},"resources":[
        {"mode":"managed","type":"terraform_data","name":"a","provider":"provider[\"terraform.io/builtin/terraform\"]",
         "instances":[{"schema_version":0,"attributes":{"id":"1","input":{"value":"x","type":"string"},
         "output":{"value":"x","type":"string"},"triggers_replace":null}}]}]}"#;
    folder.write("terraform.tfstate", state);
    let output = plan(&folder, &[]);
    assert!(output.stdout.contains("No changes."), "{output:?}");
    let output = plan(&folder, &["--destroy"]);
    assert!(output.stdout.contains("Plan: 0 to add, 0 to change, 1 to destroy."), "{output:?}");
    let output = plan(&folder, &["--replace", "terraform_data.a", "--summary"]);
    assert!(output.stdout.contains("terraform_data.a"), "{output:?}");
    // Terraform writes a plan without a replacement that names nothing. A gate would be green.
    let output = plan(&folder, &["--replace", "terraform_data.a[0]", "--json"]);
    let warning = "warning: --replace terraform_data.a[0]";
    assert!(output.code == 0 && output.stderr.contains(warning), "{output:?}");
    let output = plan(&folder, &["--replace", "terraform_data.a[0]", "--fail-on", "create"]);
    assert!(output.code != 0 && output.stderr.contains("nothing in the module or its state"), "{output:?}");
}

#[test]
fn only_what_changes_may_be_refreshed() {
    let folder = folder("module-minimal", "resource \"terraform_data\" \"a\" {}\n");
    assert_eq!(plan(&folder, &["--minimal-refresh", "--as", "terraform@1.17"]).code, 0);
    for arguments in [&["--as", "terraform@1.16"][..], &["--as", "terraform@1.17", "--destroy"]] {
        let output = plan(&folder, &[&["--minimal-refresh"], arguments].concat());
        assert!(output.code != 0 && output.stderr.contains("minimal-refresh"), "{output:?}");
    }
}

#[test]
fn files_of_opentofu_are_read_as_opentofu() {
    let folder = folder("module-tofu", "output \"o\" {\n  value = \"terraform\"\n}\n");
    folder.write("main.tofu", "output \"o\" {\n  value = \"tofu\"\n}\n");
    assert!(plan(&folder, &[]).stdout.contains("\"terraform\""));
    let output = plan(&folder, &["--as", "opentofu"]);
    assert!(output.stdout.contains("\"tofu\"") && !output.stdout.contains("\"terraform\""), "{output:?}");
}

#[test]
fn a_gate_refuses_what_only_a_provider_could_say() {
    let main = "terraform {\n  required_providers {\n    test = { source = \"example.com/test/test\" }\n  }\n}\n\
                resource \"test_disk\" \"a\" {\n  name = \"new\"\n}\n";
    let folder = folder("module-unasked", main);
    let state = r#"{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","outputs":{},"resources":[
        {"mode":"managed","type":"test_disk","name":"a","provider":"provider[\"example.com/test/test\"]",
         "instances":[{"schema_version":0,"attributes":{"name":"old"}}]}]}"#;
    folder.write("terraform.tfstate", state);
    let replace = plan(&folder, &["--fail-on", "replace"]);
    assert_eq!(replace.code, 1, "{replace:?}");
    assert!(replace.stderr.contains("1 to update, of which the providers may replace some"), "{replace:?}");
    let drift = plan(&folder, &["--fail-on", "drift"]);
    assert_eq!(drift.code, 1, "{drift:?}");
    assert!(
        plan(&folder, &["--fail-on", "update"])
            .stderr
            .contains("1 that the providers may replace or not change at all"),
        "{replace:?}"
    );
    for action in ["create", "update", "replace"] {
        let unread = plan(&folder, &["--fail-on", action]);
        assert_eq!(unread.code, 1, "{unread:?}");
        assert!(unread.stderr.contains("1 that nobody has read"), "{unread:?}");
    }
    assert_eq!(plan(&folder, &["--refresh=false", "--fail-on", "create"]).code, 0);
    assert_eq!(plan(&folder, &["--fail-on", "delete"]).code, 0);
    // A plan that only refreshes is about nothing but drift.
    for condition in ["drift", "output"] {
        let refresh = plan(&folder, &["--refresh-only", "--fail-on", condition]);
        assert_eq!(refresh.code, 1, "{refresh:?}");
        assert!(refresh.stderr.contains("1 whose drift, and the outputs"), "{refresh:?}");
    }
    assert_eq!(plan(&folder, &["--refresh-only", "--fail-on", "create"]).code, 0);
    // The document says as much as the plan does.
    for arguments in [&["--refresh-only"][..], &["--refresh=false"], &[]] {
        let out = [arguments, &["--out", "FOLDER/plan.json"]].concat();
        assert_eq!(plan(&folder, &out).code, 0);
        let file = folder.at("plan.json");
        for condition in ["create", "update", "replace", "delete", "drift", "output", "read"] {
            let planned = plan(&folder, &[arguments, &["--fail-on", condition]].concat()).code;
            let schemas = folder.at("schemas.json");
            let shown = [
                file.as_os_str(),
                "--schemas".as_ref(),
                schemas.as_os_str(),
                "--fail-on".as_ref(),
                condition.as_ref(),
            ];
            let shown = objchange(std::iter::once("show".as_ref()).chain(shown), "");
            assert_eq!(shown.code, planned, "{arguments:?} {condition}: {shown:?}");
        }
    }
}

#[test]
fn a_gate_refuses_objects_whose_arguments_may_have_been_taken_out() {
    let main = "terraform {\n  required_providers {\n    acme = { source = \"example.com/test/acme\" }\n  }\n}\n\
                resource \"acme_string\" \"s\" {\n  length = 8\n}\n";
    let folder = Folder::with("module-left-out", &[("main.tf", main)]);
    folder.write(
        "schemas.json",
        r#"{"format_version":"1.0","provider_schemas":{"example.com/test/acme":{"resource_schemas":{"acme_string":{
            "version":0,"block":{"attributes":{
                "length":{"type":"number","required":true},
                "special":{"type":"bool","optional":true,"computed":true},
                "result":{"type":"string","computed":true}}}}}}}}"#,
    );
    folder.write(
        "terraform.tfstate",
        r#"{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","outputs":{},"resources":[
        {"mode":"managed","type":"acme_string","name":"s","provider":"provider[\"example.com/test/acme\"]",
         "instances":[{"schema_version":0,"attributes":{"length":8,"special":false,"result":"abc"}}]}]}"#,
    );
    for refused in ["replace", "update", "replace,delete,update,create"] {
        let output = plan(&folder, &["--strict", "--refresh=false", "--fail-on", refused]);
        assert_eq!(output.code, 1, "{refused}: {output:?}");
        assert!(
            output.stderr.contains("only they know the arguments that configuration leaves out\n"),
            "{refused}: {output:?}"
        );
        assert!(output.stdout.contains("special = false -> (known after apply)"), "{output:?}");
    }
    let output = plan(&folder, &["--refresh=false"]);
    assert!(output.stdout.contains("No changes."), "{output:?}");
    let (directory, schemas) = (folder.0.to_str().unwrap(), folder.at("schemas.json"));
    let schemas = schemas.to_str().unwrap();
    let gate = |arguments: &[&str]| objchange([arguments, &["--schemas", schemas]].concat(), "");
    assert_eq!(gate(&["show", directory, "--fail-on", "replace"]).code, 1);
    folder.write(
        "p/p.rego",
        "package main\ndeny contains rc.address if {\n  some rc in input.resource_changes\n  \
                              \"delete\" in rc.change.actions\n}\n",
    );
    let policy = gate(&["policy", directory, "--rego", folder.at("p").to_str().unwrap()]);
    assert_eq!(policy.code, 1, "{policy:?}");
    // A plan that was saved without `--strict` shows no change. Neither gates nor policies take it for one that is checked.
    assert_eq!(plan(&folder, &["--refresh=false", "--out", "FOLDER/plan.json"]).code, 0);
    let saved = folder.at("plan.json");
    assert!(std::fs::read_to_string(&saved).unwrap().contains("+simulated.trusting.unrefreshed\""));
    let saved = saved.to_str().unwrap();
    for (condition, code) in [("update", 1), ("replace", 1), ("output", 1), ("delete", 0), ("invoke", 0)] {
        let shown = gate(&["show", saved, "--fail-on", condition]);
        assert_eq!(shown.code, code, "{condition}: {shown:?}");
        assert_eq!(code == 1, shown.stderr.contains("plan with --strict"), "{condition}: {shown:?}");
    }
    let policy = gate(&["policy", saved, "--rego", folder.at("p").to_str().unwrap()]);
    assert_eq!((policy.code, &*policy.stdout), (2, ""), "{policy:?}");
    assert!(policy.stderr.contains("--allow-trusting"), "{policy:?}");
    folder.write(
        "p.sentinel",
        "import \"tfplan/v2\" as tfplan\nmain = rule {\n  all tfplan.resource_changes as _, rc \
                                {\n    rc.change.actions not contains \"delete\"\n  }\n}\n",
    );
    let sentinel =
        gate(&["sentinel", "apply", folder.at("p.sentinel").to_str().unwrap(), "--plan", directory]);
    assert_eq!((sentinel.code, sentinel.stdout.contains("Undefined")), (2, true), "{sentinel:?}");
    // Every command that decides by the values of a plan says so, and accepts it with one option.
    let (p, mocks) = (folder.at("p"), folder.at("mocks"));
    let (p, mocks, sentinel) = (p.to_str().unwrap(), mocks.to_str().unwrap(), folder.at("p.sentinel"));
    for (arguments, accepted) in [
        (&["policy", saved, "--rego", p][..], 0),
        (&["review", saved, "--rego", p], 0),
        (&["sentinel", "apply", sentinel.to_str().unwrap(), "--plan", saved], 0),
        (&["sentinel", "mock", saved, "--out", mocks], 0),
        (&["query", saved, "rc.change.actions == ['delete']"], 1),
    ] {
        let output = gate(arguments);
        assert_eq!(output.code, 2, "{arguments:?}: {output:?}");
        assert!(output.stderr.contains("plan again with --strict"), "{arguments:?}: {output:?}");
        let output = gate(&[arguments, &["--allow-trusting"]].concat());
        assert_eq!(output.code, accepted, "{arguments:?}: {output:?}");
        assert!(output.stderr.contains("without --strict"), "{arguments:?}: {output:?}");
    }
    // A review without policies decides nothing by values, and its gate refuses such a plan by itself.
    assert_eq!(gate(&["review", saved]).code, 0);
    assert_eq!(gate(&["review", saved, "--fail-on", "update"]).code, 1);
    // A strict plan gets the answer of its directory.
    assert_eq!(plan(&folder, &["--refresh=false", "--strict", "--out", "FOLDER/plan.json"]).code, 0);
    assert_eq!(gate(&["policy", saved, "--rego", p]).code, 1);
    // Whoever answers for the provider knows better.
    folder.write("a.json", r#"{"resources":{"acme_string.s":{"special":false,"result":"abc"}}}"#);
    let answered =
        plan(&folder, &["--answers", "FOLDER/a.json", "--refresh=false", "--fail-on", "update,replace"]);
    assert_eq!(answered.code, 0, "{answered:?}");
    // Whoever writes the argument has said that it is to stay.
    folder.write("main.tf", main.replace("length = 8", "length  = 8\n  special = false"));
    assert_eq!(plan(&folder, &["--refresh=false", "--fail-on", "replace,delete,update,create"]).code, 0);
}

/// Schemas of a provider with an action.
const ACTION_SCHEMAS: &str = r#"{"format_version":"1.0","provider_schemas":{"example.com/test/test":{
    "action_schemas":{"test_note":{"block":{"attributes":{
        "pin":{"type":"string","optional":true,"sensitive":true},
        "text":{"type":"string","optional":true}}}}}}}}"#;

#[test]
fn actions_are_in_plans_and_in_all_that_reads_them() {
    let main = "terraform {\n  required_providers {\n    test = { source = \"example.com/test/test\" }\n  }\n}\n\
                resource \"terraform_data\" \"a\" {\n  input = \"in\"\n  lifecycle {\n    action_trigger {\n      events  = \
                [after_create]\n      actions = [action.test_note.n]\n    }\n  }\n}\n\
                action \"test_note\" \"n\" {\n  config {\n    text = caller.input\n    pin  = \"hunter2\"\n  }\n}\n";
    let folder = Folder::with("module-actions", &[("main.tf", main), ("schemas.json", ACTION_SCHEMAS)]);
    folder.write(
        "p/p.rego",
        "package main\ndeny contains a.address if {\n  some a in input.action_invocations\n  \
         a.config_values.text == \"in\"\n}\n",
    );
    let text = plan(&folder, &[]);
    assert!(
        text.stdout.contains("Plan: 1 to add, 0 to change, 0 to destroy. Actions: 1 to invoke.\n"),
        "{text:?}"
    );
    assert!(text.stdout.contains("    # action.test_note.n\n    action \"test_note\" \"n\" {"), "{text:?}");
    let directory = folder.0.to_str().unwrap();
    let file = |name| folder.at(name).to_str().unwrap().to_owned();
    let (rego, schemas, document) = (file("p"), file("schemas.json"), file("plan.json"));
    let run = |arguments: &[&str]| objchange([arguments, &["--schemas", &schemas]].concat(), "");
    assert_eq!(run(&["plan", directory, "--out", &document]).code, 0);
    // The document and the directory are the same plan.
    for source in [directory, &document] {
        assert_eq!(run(&["show", source, "--fail-on", "invoke"]).code, 1, "{source}");
        assert_eq!(run(&["show", source, "--fail-on", "delete"]).code, 0, "{source}");
        let denied = run(&["policy", source, "--rego", &rego]);
        assert_eq!((denied.code, denied.stdout.contains("action.test_note.n")), (1, true), "{denied:?}");
        for format in ["--format=markdown", "--format=html", "--json"] {
            let shown = run(&["show", source, format]);
            assert!(shown.stdout.contains("test_note") && !shown.stdout.contains("hunter2"), "{shown:?}");
        }
    }
    let [of_directory, of_document] = [directory, &document].map(|source| run(&["hash", source]).stdout);
    assert_eq!(of_directory.split(' ').next(), of_document.split(' ').next());
    let invoked = plan(&folder, &["--invoke", "action.test_note.n"]);
    // Nothing triggers it then.
    assert!(invoked.stderr.contains("Invalid \"caller\" reference"), "{invoked:?}");
    let older = plan(&folder, &["--as", "terraform@1.12"]);
    assert!(older.stderr.contains("Blocks of type \"action\" are not expected here."), "{older:?}");
    let opentofu = plan(&folder, &["--as", "opentofu"]);
    assert!(opentofu.stderr.contains("Blocks of type \"action\" are not expected here."), "{opentofu:?}");
}

/// Terraform asks the provider, which may replace the object, leave it alone or know the condition.
#[test]
fn actions_that_only_a_provider_decides_about_are_no_verdict() {
    let schemas = ACTION_SCHEMAS.replace(
        "\"action_schemas\":",
        r#""resource_schemas":{"test_disk":{"version":0,"block":{"attributes":{
            "id":{"type":"string","computed":true},"size":{"type":"number","optional":true}}}}},
        "data_source_schemas":{"test_info":{"version":0,"block":{"attributes":{"ok":{"type":"bool","computed":true}}}}},
        "action_schemas":"#,
    );
    let module = |trigger: &str| {
        format!(
            "terraform {{\n  required_providers {{\n    test = {{ source = \"example.com/test/test\" }}\n  }}\n}}\n\
             data \"test_info\" \"i\" {{}}\n\
             resource \"test_disk\" \"a\" {{\n  size = 2\n  lifecycle {{\n    action_trigger {{\n      {trigger}\n      \
             actions = [action.test_note.n]\n    }}\n  }}\n}}\naction \"test_note\" \"n\" {{}}\n"
        )
    };
    let state = r#"{"version":4,"terraform_version":"1.14.0","serial":1,"lineage":"a","resources":[{"mode":"managed",
        "type":"test_disk","name":"a","provider":"provider[\"example.com/test/test\"]","instances":[
        {"schema_version":0,"attributes":{"id":"1","size":1}}]}]}"#;
    let folder = Folder::with("uncertain-actions", &[("schemas.json", schemas.as_str()), ("s.json", state)]);
    let refused = |trigger: &str, options: &[&str]| {
        folder.write("main.tf", module(trigger));
        let output = plan(&folder, &[options, &["--fail-on", "invoke"]].concat());
        let message = "only its provider knows which actions it invokes";
        (output.code, output.stderr.contains(message), output)
    };
    let (code, is_named, output) = refused("events = [after_update]", &["--state", "FOLDER/s.json"]);
    assert!(code == 2 && is_named, "{output:?}");
    let (code, is_named, output) =
        refused("events = [after_create]\n      condition = data.test_info.i.ok", &["--no-state"]);
    assert!(code == 2 && is_named, "{output:?}");
    // A new object is created whatever its provider says.
    let (code, is_named, output) = refused("events = [after_create]", &["--no-state"]);
    assert!(code == 1 && !is_named, "{output:?}");
}

#[test]
fn a_gate_refuses_imports_of_unknown_objects_and_hides_sensitive_identifiers() {
    let main = "terraform {\n  required_providers {\n    test = { source = \"example.com/test/test\" }\n  }\n}\n\
                variable \"pin\" {\n  default   = \"hunter2\"\n  sensitive = true\n}\n\
                resource \"test_disk\" \"a\" {\n  name = \"new\"\n}\n\
                import {\n  to = test_disk.a\n  id = var.pin\n}\n";
    let folder = folder("module-import", main);
    for refused in ["update", "replace"] {
        let output = plan(&folder, &["--fail-on", refused]);
        assert_eq!(output.code, 1, "{output:?}");
        assert!(output.stderr.contains("1 that only the providers can decide about"), "{output:?}");
        assert!(
            output.stdout.contains("(because only its provider knows the object to import)"),
            "{output:?}"
        );
        assert!(!format!("{output:?}").contains("hunter2"), "{output:?}");
    }
}

#[test]
fn nothing_is_destroyed_in_modules_whose_instances_only_a_provider_knows() {
    let main = "terraform {\n  required_providers {\n    test = { source = \"example.com/test/test\" }\n  }\n}\n\
                resource \"test_disk\" \"a\" {\n  name = \"new\"\n}\nimport {\n  to = test_disk.a\n  id = \"x\"\n}\n\
                module \"n\" {\n  source   = \"./n\"\n  for_each = toset([test_disk.a.id])\n}\n";
    let folder = folder("module-open", main);
    folder.write("n/main.tf", "resource \"terraform_data\" \"d\" {\n}\n");
    let state = r#"{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","outputs":{},"resources":[
        {"module":"module.n[\"x\"]","mode":"managed","type":"terraform_data","name":"d",
         "provider":"provider[\"terraform.io/builtin/terraform\"]","instances":[{"schema_version":0,
         "attributes":{"id":"1","input":null,"output":null,"triggers_replace":null}}]},
        {"module":"module.n[\"x\"]","mode":"managed","type":"terraform_data","name":"gone",
         "provider":"provider[\"terraform.io/builtin/terraform\"]","instances":[{"schema_version":0,
         "attributes":{"id":"2","input":null,"output":null,"triggers_replace":null}}]}]}"#;
    folder.write("terraform.tfstate", state);
    let output = plan(&folder, &[]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stdout.contains("# module.n.terraform_data.d was deferred"), "{output:?}");
    assert!(!output.stdout.contains("terraform_data.d will be destroyed"), "{output:?}");
    // A resource that is no longer declared is destroyed, although the instances of its module are unknown.
    assert!(output.stdout.contains("terraform_data.gone will be destroyed"), "{output:?}");
}

#[test]
fn what_a_remote_state_hides_stays_hidden() {
    let main = "data \"terraform_remote_state\" \"r\" {\n  backend = \"local\"\n  config = { path = \
                \"r.tfstate\" }\n}\nresource \"terraform_data\" \"a\" {\n  input = \
                data.terraform_remote_state.r.outputs.pin\n}\n";
    let folder = folder("module-remote", main);
    let state = r#"{"version":4,"terraform_version":"1.11.4","serial":1,"lineage":"l","resources":[],
        "outputs":{"pin":{"value":"s3cret","type":"string","sensitive":true}}}"#;
    folder.write("r.tfstate", state);
    let output = plan(&folder, &[]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stdout.contains("(sensitive value)"), "{output:?}");
    assert!(!format!("{output:?}").contains("s3cret"), "{output:?}");
}

#[cfg(unix)]
#[test]
fn nothing_outside_of_the_directory_is_read() {
    let outside = Folder::with("module-outside", &[("main.tf", CHILD)]);
    let folder = folder("module-inside", "module \"m\" {\n  source = \"./link\"\n  ids = 1\n}\n");
    std::os::unix::fs::symlink(&outside.0, folder.at("link")).unwrap();
    // A plan is made without the module, which is all that is said of it.
    let without = plan(&folder, &[]);
    assert!(without.stdout.contains("requires another plan"), "{without:?}");
    assert!(without.stderr.contains("module.m is in a directory outside of what may be read"), "{without:?}");
    let output = plan(&folder, &["--require", "modules"]);
    assert_eq!(output.code, 1, "{output:?}");
    let output = plan(&folder, &["--allow-path", outside.0.to_str().unwrap()]);
    assert_eq!(output.code, 0, "{output:?}");
}
