//! Small situations of `objchange plan [DIR]`. Terraform 1.11.4 and 1.15.5 were asked for each, and answered alike where
//! nothing else is said.

use std::ffi::OsString;

use serde_json::{Value as Json, json};

use crate::folder::Folder;
use crate::program::{Output, objchange};

/// Plans a module in a folder of its own.
fn plan(test: &str, files: &[(&str, &str)], arguments: &[&str]) -> Output {
    let folder = Folder::with(&format!("situation-{test}"), files);
    let mut all: Vec<OsString> = vec!["plan".into(), folder.0.clone().into()];
    all.extend(arguments.iter().map(Into::into));
    objchange(all, "")
}

/// The lines of the summary that name an action.
fn summary(test: &str, files: &[(&str, &str)], arguments: &[&str]) -> Vec<String> {
    let output = plan(test, files, &[&["--summary", "--detailed-exitcode"], arguments].concat());
    let is_entry = |line: &&str| ["  ", "-/+ ", "+/- "].iter().any(|sign| line.starts_with(sign));
    let lines = output.stdout.lines().filter(is_entry).map(|line| line.trim().to_owned());
    match output.code {
        0 | 2 => lines.collect(),
        _ => vec![
            output.stderr.lines().find(|line| line.starts_with("Error: ")).unwrap_or_default().to_owned(),
        ],
    }
}

/// The document of a plan.
fn document(test: &str, files: &[(&str, &str)], arguments: &[&str]) -> Json {
    let output = plan(test, files, &[&["--json"], arguments].concat());
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// An object of type `terraform_data` as a state file has it.
fn object(id: &str, input: &Json, ty: &Json, sensitive: &[Json]) -> Json {
    let dynamic = match input {
        Json::Null => Json::Null,
        value => json!({"value": value, "type": ty}),
    };
    json!({
        "schema_version": 0,
        "attributes": {"id": id, "input": dynamic, "output": dynamic, "triggers_replace": null},
        "sensitive_attributes": sensitive,
    })
}

/// A text as one.
fn text(id: &str, input: &str) -> Json {
    object(id, &json!(input), &json!("string"), &[])
}

/// A state file with resources of type `terraform_data`.
fn state(resources: &[(&str, &[Json])]) -> String {
    let resources: Vec<Json> = resources
        .iter()
        .map(|(name, instances)| {
            json!({"mode": "managed", "type": "terraform_data", "name": name, "instances": instances,
                "provider": "provider[\"terraform.io/builtin/terraform\"]"})
        })
        .collect();
    json!({"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "l", "outputs": {}, "resources": resources})
        .to_string()
}

fn whole_input() -> Json {
    json!([{"type": "get_attr", "value": "input"}])
}

#[test]
fn what_is_ignored_is_as_sensitive_as_it_was() {
    let ignoring = |what: &str, input: &str| {
        format!(
            "resource \"terraform_data\" \"a\" {{\n  input = {input}\n  lifecycle {{\n    ignore_changes = {what}\n  }}\n}}\n"
        )
    };
    let plain = state(&[("a", &[text("1", "x")])]);
    let hidden = state(&[("a", &[object("1", &json!("x"), &json!("string"), &[whole_input()])])]);
    for (name, state, input) in [
        ("to-plain", &hidden, "\"x\""),
        ("to-other-plain", &hidden, "\"y\""),
        ("to-sensitive", &plain, "sensitive(\"x\")"),
        ("to-other-sensitive", &plain, "sensitive(\"y\")"),
    ] {
        for what in ["[input]", "all"] {
            let main = ignoring(what, input);
            let files = [("main.tf", &*main), ("terraform.tfstate", &**state)];
            assert_eq!(
                summary(&format!("marks-{name}-{}", what.len()), &files, &[]),
                [""; 0],
                "{name} {what}"
            );
        }
    }
    // Without it that is an update.
    let main = "resource \"terraform_data\" \"a\" {\n  input = sensitive(\"x\")\n}\n";
    let files = [("main.tf", main), ("terraform.tfstate", &*plain)];
    assert_eq!(summary("marks-looked-at", &files, &[]), ["~ terraform_data.a"]);
}

/// Terraform leaves the new object the marks of what was ignored, and shows what is written there.
#[test]
fn what_was_ignored_is_hidden_where_the_object_is_replaced() {
    let main = "resource \"terraform_data\" \"a\" {\n  input            = sensitive(\"hunter2\")\n  triggers_replace = 2\n  \
                lifecycle {\n    ignore_changes = [input]\n  }\n}\n";
    let state = state(&[("a", &[text("1", "x")])]);
    let output = plan("marks-replaced", &[("main.tf", main), ("terraform.tfstate", &state)], &[]);
    assert!(output.stdout.contains("must be replaced"), "{output:?}");
    assert!(!output.stdout.contains("hunter2"), "{output:?}");
}

#[test]
fn a_key_is_ignored_by_itself_only_in_a_configured_map() {
    let main = |input: &str| {
        format!(
            "resource \"terraform_data\" \"a\" {{\n  input = {input}\n  lifecycle {{\n    ignore_changes = [input[\"k\"]]\n  }}\n}}\n"
        )
    };
    let object_type = json!(["object", {"k": "string", "l": "string"}]);
    let value = json!({"k": "a", "l": "b"});
    let of_type = |ty: &Json| state(&[("a", &[object("1", &value, ty, &[])])]);
    let (of_object, of_map) = (of_type(&object_type), of_type(&json!(["map", "string"])));
    let update = ["~ terraform_data.a"].as_slice();
    for (name, state, input, expected) in [
        ("object", &of_object, "{ k = \"x\", l = \"y\" }", &[][..]),
        ("string", &of_object, "\"plain\"", &[]),
        ("untyped-null", &of_map, "null", &[]),
        ("map", &of_map, "tomap({ k = \"x\", l = \"b\" })", &[]),
        ("other-key", &of_map, "tomap({ k = \"x\", l = \"y\" })", update),
        // The type changes.
        ("map-of-object", &of_object, "tomap({ k = \"x\", l = \"b\" })", update),
    ] {
        let main = main(input);
        let files = [("main.tf", &*main), ("terraform.tfstate", &**state)];
        assert_eq!(summary(&format!("key-{name}"), &files, &[]), expected, "{name}");
    }
}

#[test]
fn a_change_of_what_is_sensitive_triggers_a_replacement() {
    let main = |input: &str, path: &str| {
        format!(
            "resource \"terraform_data\" \"a\" {{\n  input = {input}\n}}\nresource \"terraform_data\" \"b\" {{\n  lifecycle {{\n    \
             replace_triggered_by = [terraform_data.a.{path}]\n  }}\n}}\n"
        )
    };
    let ty = json!(["object", {"k": "string", "l": "string"}]);
    let value = || json!({"k": "x", "l": "y"});
    let deep = json!([{"type": "get_attr", "value": "input"}, {"type": "get_attr", "value": "k"}]);
    let a = |sensitive: &[Json]| object("1", &value(), &ty, sensitive);
    let nothing = || object("2", &Json::Null, &Json::Null, &[]);
    let plain = state(&[("a", &[a(&[])]), ("b", &[nothing()])]);
    let hidden = state(&[("a", &[a(&[whole_input()])]), ("b", &[nothing()])]);
    let deep = state(&[("a", &[a(&[deep])]), ("b", &[nothing()])]);
    let triggered = ["-/+ terraform_data.b: replace_triggered_by", "~ terraform_data.a"].as_slice();
    for (name, state, input, path, expected) in [
        ("gained", &plain, "sensitive({ k = \"x\", l = \"y\" })", "input", triggered),
        ("gained-deep", &plain, "{ k = sensitive(\"x\"), l = \"y\" }", "input", triggered),
        ("gained-around", &plain, "sensitive({ k = \"x\", l = \"y\" })", "input.l", triggered),
        ("lost-around", &hidden, "{ k = \"x\", l = \"y\" }", "input.l", triggered),
        ("lost", &hidden, "{ k = \"x\", l = \"y\" }", "input", triggered),
        ("lost-deep", &deep, "{ k = \"x\", l = \"y\" }", "input", triggered),
        ("elsewhere", &plain, "{ k = sensitive(\"x\"), l = \"y\" }", "output", &["~ terraform_data.a"]),
    ] {
        let main = main(input, path);
        let files = [("main.tf", &*main), ("terraform.tfstate", &**state)];
        assert_eq!(summary(&format!("trigger-{name}"), &files, &[]), expected, "{name}");
    }
}

#[test]
fn a_data_source_triggers_no_replacement() {
    let main = "data \"terraform_remote_state\" \"z\" {\n  backend  = \"local\"\n  config   = { path = \"x.json\" }\n}\n\
                resource \"terraform_data\" \"a\" {\n  lifecycle {\n    replace_triggered_by = [data.terraform_remote_state.z]\n  }\n}\n";
    let empty = state(&[]);
    let found = summary("trigger-data", &[("main.tf", main), ("x.json", &empty)], &[]);
    assert_eq!(found, ["Error: no change found for data.terraform_remote_state.z in the root module"]);
}

#[test]
fn an_unknown_argument_may_be_null_even_where_null_is_refused() {
    let main = |part: &str| {
        format!(
            "resource \"terraform_data\" \"a\" {{\n  input = 1\n}}\nmodule \"m\" {{\n  source = \"./m\"\n  x      = terraform_data.a.{part}\n}}\n"
        )
    };
    for (name, declared) in [("plain", ""), ("default", "  default = 1\n"), ("typed", "  type = string\n")] {
        let child = format!(
            "variable \"x\" {{\n  nullable = false\n{declared}}}\nresource \"terraform_data\" \"b\" {{\n  count = var.x != null ? 1 : 0\n}}\n"
        );
        let found = |part: &str| {
            let main = main(part);
            summary(&format!("nullable-{name}-{part}"), &[("main.tf", &main), ("m/main.tf", &child)], &[])
        };
        assert_eq!(found("output"), ["Error: Invalid count argument"], "{name}");
        // That a provider gives it a value is promised.
        assert_eq!(found("id"), ["+ terraform_data.a", "+ module.m.terraform_data.b[0]"], "{name}");
    }
}

#[test]
fn a_target_needs_no_deposed_object() {
    let main = "resource \"terraform_data\" \"a\" {}\nresource \"terraform_data\" \"b\" {\n  input = terraform_data.a.id\n}\n";
    let mut deposed = object("2", &Json::Null, &Json::Null, &[]);
    deposed["deposed"] = "0badc0de".into();
    let state = state(&[("a", &[object("1", &Json::Null, &Json::Null, &[]), deposed])]);
    let files = [("main.tf", main), ("terraform.tfstate", &*state)];
    assert_eq!(summary("target-needs", &files, &["--target", "terraform_data.b"]), ["+ terraform_data.b"]);
    let found = summary("target-is", &files, &["--target", "terraform_data.a"]);
    assert_eq!(found, ["- terraform_data.a (deposed object 0badc0de)"]);
    let found = summary("target-destroy", &files, &["--target", "terraform_data.a", "--destroy"]);
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn a_deposed_object_that_is_forgotten_makes_no_cycle() {
    let main = "removed {\n  from = terraform_data.b\n  lifecycle {\n    destroy = false\n  }\n}\n\
                resource \"terraform_data\" \"a\" {\n  triggers_replace = 1\n}\n";
    let mut b = object("2", &Json::Null, &Json::Null, &[]);
    b["dependencies"] = json!(["terraform_data.a"]);
    let mut deposed = b.clone();
    deposed["deposed"] = "11111111".into();
    let state = state(&[("a", &[object("1", &Json::Null, &Json::Null, &[])]), ("b", &[b, deposed])]);
    let output = plan("forgotten-deposed", &[("main.tf", main), ("terraform.tfstate", &state)], &[]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(!output.stderr.contains("Cycle"), "{output:?}");
}

#[test]
fn the_output_of_terraform_data_is_unknown_where_the_input_goes() {
    let state = state(&[("a", &[text("1", "x")])]);
    let files = [("main.tf", "resource \"terraform_data\" \"a\" {}\n"), ("terraform.tfstate", &*state)];
    let document = document("input-goes", &files, &[]);
    assert_eq!(document["resource_changes"][0]["change"]["after_unknown"], json!({"output": true}));
}

/// 1.11.4 says that there is something to apply.
#[test]
fn a_new_dependency_alone_is_nothing_to_refresh() {
    let main = "resource \"terraform_data\" \"b\" {\n  input = \"x\"\n}\nresource \"terraform_data\" \"d\" {\n  input      = \"x\"\n  \
                depends_on = [terraform_data.b]\n}\n";
    let state = state(&[("b", &[text("1", "x")]), ("d", &[text("2", "x")])]);
    let files = [("main.tf", main), ("terraform.tfstate", &*state)];
    let arguments = ["--refresh-only", "--detailed-exitcode"];
    assert_eq!(plan("dependency-new", &files, &arguments).code, 0);
    assert_eq!(
        plan("dependency-old", &files, &[&arguments[..], &["--as", "terraform@1.11"]].concat()).code,
        2
    );
}

/// Without a refresh, what does not change has the dependencies of the configuration, and all else those of the state.
#[test]
fn dependencies_are_those_of_what_is_planned() {
    let main = |input: &str| {
        format!(
            "resource \"terraform_data\" \"b\" {{\n  input = \"x\"\n}}\nresource \"terraform_data\" \"z\" {{\n  input = \"x\"\n}}\n\
             resource \"terraform_data\" \"d\" {{\n  input      = \"{input}\"\n  depends_on = [terraform_data.b]\n}}\n"
        )
    };
    let mut d = text("2", "x");
    d["dependencies"] = json!(["terraform_data.z"]);
    let state = state(&[("b", &[text("1", "x")]), ("d", &[d]), ("z", &[text("3", "x")])]);
    let (b, z) = ("terraform_data.b", "terraform_data.z");
    for (name, input, arguments, expected) in [
        ("same", "x", &[][..], &[b][..]),
        ("same-unread", "x", &["--refresh=false"], &[b]),
        ("same-destroyed", "x", &["--destroy"], &[b]),
        ("same-destroyed-unread", "x", &["--destroy", "--refresh=false"], &[z]),
        ("other", "y", &[], &[b, z]),
        ("other-unread", "y", &["--refresh=false"], &[z]),
        ("other-destroyed", "y", &["--destroy"], &[b, z]),
        ("other-destroyed-unread", "y", &["--destroy", "--refresh=false"], &[z]),
    ] {
        let main = main(input);
        let files = [("main.tf", &*main), ("terraform.tfstate", &*state)];
        let document = document(&format!("dependencies-{name}"), &files, arguments);
        let resources = document["prior_state"]["values"]["root_module"]["resources"].as_array().unwrap();
        let d = resources.iter().find(|resource| resource["address"] == "terraform_data.d").unwrap();
        assert_eq!(d["depends_on"], json!(expected), "{name}");
    }
}
