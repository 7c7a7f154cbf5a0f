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
    assert_eq!(
        found,
        ["- terraform_data.a (deposed object 0badc0de): left over from a partially-failed replacement"]
    );
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
    // Since 1.16, with `store`, the output is null like the input.
    let document = document("input-goes", &files, &["--as", "terraform@1.15"]);
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

#[test]
fn imports_are_made_for_each_element_of_any_collection() {
    let main = |for_each: &str, key: &str| {
        format!(
            "resource \"terraform_data\" \"a\" {{\n  for_each = toset([\"p\", \"q\"])\n}}\nimport {{\n  for_each = {for_each}\n  to       = \
             terraform_data.a[{key}]\n  id       = \"i-${{each.key}}\"\n}}\n"
        )
    };
    let both = |p: &str, q: &str| {
        vec![
            format!("terraform_data.a[\"p\"]: imported from {p:?}"),
            format!("terraform_data.a[\"q\"]: imported from {q:?}"),
        ]
    };
    let created = || vec!["+ terraform_data.a[\"p\"]".to_owned(), "+ terraform_data.a[\"q\"]".to_owned()];
    for (name, for_each, key, expected) in [
        ("tuple", "[\"p\", \"q\"]", "each.value", both("i-0", "i-1")),
        ("list", "tolist([\"p\", \"q\"])", "each.value", both("i-0", "i-1")),
        ("objects", "[{ k = \"p\" }, { k = \"q\" }]", "each.value.k", both("i-0", "i-1")),
        ("set", "toset([\"p\", \"q\"])", "each.key", both("i-p", "i-q")),
        ("null", "null", "each.key", created()),
        ("empty", "[]", "each.value", created()),
        ("text", "\"p\"", "each.value", vec!["Error: Invalid for_each argument".to_owned()]),
        ("key", "[true]", "each.value", vec!["Error: Invalid address".to_owned()]),
        (
            "secret-key",
            "sensitive([\"p\"])",
            "each.value",
            vec!["Error: Invalid index expression".to_owned()],
        ),
    ] {
        let main = main(for_each, key);
        assert_eq!(summary(&format!("import-{name}"), &[("main.tf", &main)], &[]), expected, "{name}");
    }
}

#[test]
fn the_time_of_the_plan_is_known() {
    let main = "resource \"terraform_data\" \"a\" {\n  count = timecmp(plantimestamp(), \"2099-01-01T00:00:00Z\") < 0 ? 1 : 0\n}\n\
                output \"at\" {\n  value = plantimestamp()\n}\n";
    let document = document("plan-time", &[("main.tf", main)], &[]);
    assert_eq!(document["resource_changes"][0]["address"], "terraform_data.a[0]");
    assert_eq!(document["output_changes"]["at"]["after"], document["timestamp"]);
}

/// Schemas of a provider with a type of the older SDK.
const OLD: &str = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/acme/old":{"provider":{"version":0,
    "block":{}},"resource_schemas":{"old_bucket":{"version":0,"block":{"attributes":{
        "id":{"type":"string","optional":true,"computed":true},"name":{"type":"string","required":true},
        "force":{"type":"bool","optional":true},"names":{"type":["set","string"],"optional":true}},
        "block_types":{"rule":{"nesting_mode":"list","block":{"attributes":{"port":{"type":"string","optional":true}}}}}}},
    "old_queue":{"version":0,"block":{"attributes":{"id":{"type":"string","optional":true,"computed":true},
        "name":{"type":"string","required":true},"arn":{"type":"string","computed":true}},
        "block_types":{"rule":{"nesting_mode":"set","block":{"attributes":{"part":{"type":"string","required":true}}}}}}},
    "old_newer":{"version":0,"block":{"attributes":{"id":{"type":"string","computed":true},
        "name":{"type":"string","required":true}},
        "block_types":{"rule":{"nesting_mode":"list","block":{"attributes":{"part":{"type":"string","required":true}}}},
            "each":{"nesting_mode":"set","block":{"attributes":{"n":{"type":"number","optional":true},
                "part":{"type":"string","required":true}}}}}}}}}}}"#;

/// A module with objects of that provider.
fn old(rest: &str) -> String {
    format!(
        "terraform {{\n  required_providers {{\n    old = {{\n      source = \"acme/old\"\n    }}\n  }}\n}}\n{rest}"
    )
}

/// Plans a module with that schema, and a state with an object of it.
fn plan_old(test: &str, rest: &str, arguments: &[&str]) -> Output {
    let main = old(rest);
    let state = json!({"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "l", "outputs": {}, "resources": [
        {"mode": "managed", "type": "old_bucket", "name": "b", "provider": "provider[\"registry.terraform.io/acme/old\"]",
         "instances": [{"schema_version": 0, "sensitive_attributes": [],
            "attributes": {"id": "n", "name": "n", "force": false, "names": [], "rule": []}}]}]})
    .to_string();
    let folder = Folder::with(
        &format!("situation-{test}"),
        &[("main.tf", &main), ("schemas.json", OLD), ("terraform.tfstate", &state)],
    );
    let mut all: Vec<OsString> = vec!["plan".into(), folder.0.clone().into()];
    all.extend(["--schemas".into(), folder.at("schemas.json").into()]);
    all.extend(arguments.iter().map(Into::into));
    objchange(all, "")
}

#[test]
fn objects_of_the_older_sdk_are_replaced_as_asked() {
    let body = "resource \"old_bucket\" \"b\" {\n  name = \"n\"\n}\n";
    let output = plan_old("old-replace", body, &["--replace", "old_bucket.b"]);
    assert!(output.stdout.contains("old_bucket.b will be replaced, as requested"), "{output:?}");
    assert_eq!(output.code, 0, "{output:?}");
}

#[test]
fn strict_plans_of_the_older_sdk_leave_open_what_creation_leaves_out() {
    let body = "resource \"old_bucket\" \"b\" {\n  name = \"n\"\n}\nresource \"old_bucket\" \"c\" {\n  name = \"m\"\n}\n";
    let unknown = |arguments: &[&str]| {
        let output = plan_old("old-strict", body, arguments);
        let document: Json = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
        document["resource_changes"][1]["change"]["after_unknown"].clone()
    };
    assert_eq!(unknown(&["--json"]), json!({"id": true, "rule": []}));
    assert_eq!(
        unknown(&["--json", "--strict"]),
        json!({"force": true, "id": true, "names": true, "rule": true})
    );
}

#[test]
fn a_set_of_the_older_sdk_is_unknown_if_an_element_is() {
    let body = "resource \"old_bucket\" \"b\" {\n  name = \"n\"\n}\nresource \"old_bucket\" \"c\" {\n  name  = \"m\"\n  names = \
                [\"x\", terraform_data.a.id]\n}\nresource \"terraform_data\" \"a\" {}\n";
    let output = plan_old("old-set", body, &["--json"]);
    let document: Json = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let unknown = &document["resource_changes"][1]["change"]["after_unknown"];
    assert_eq!(*unknown, json!({"id": true, "names": true, "rule": []}));
}

#[test]
fn references_in_dynamic_blocks_count_once_there_are_such_blocks() {
    let body = |for_each: &str, value: &str| {
        format!(
            "variable \"on\" {{\n  default = null\n}}\nresource \"terraform_data\" \"a\" {{}}\nresource \"old_bucket\" \"b\" {{\n  name = \
             \"n\"\n  dynamic \"rule\" {{\n    for_each = {for_each}\n    content {{\n      port = {value}\n    }}\n  }}\n}}\n"
        )
    };
    let of_variable = "var.on == null ? [] : [1]";
    for value in [
        "var.nope",
        "local.nope",
        "terraform_data.nope.id",
        "data.old_bucket.nope.id",
        "module.nope.x",
        "each.key",
        "count.index",
        "self.id",
        "path.nope",
        "terraform.nope",
        "nope",
        "terraform_data.a.nope",
    ] {
        let found = |for_each: &str, arguments: &[&str]| {
            plan_old("dynamic", &body(for_each, value), &[&["--summary"], arguments].concat())
        };
        for for_each in ["[]", "toset([for x in [1] : x if terraform_data.a.id == null])", of_variable] {
            let output = found(for_each, &[]);
            assert_eq!(output.code, 0, "{value} {for_each}: {output:?}");
        }
        assert_eq!(found("[1]", &[]).code, 1, "{value}");
        // While planning, everything else is planned.
        let output = found(of_variable, &["--var", "on=1"]);
        assert_eq!(output.code, 1, "{value}");
        assert!(output.stdout.contains("+ terraform_data.a"), "{value}: {output:?}");
    }
}

#[test]
fn a_rule_of_a_variable_may_say_what_another_variable_is() {
    let main = "module \"m\" {\n  source = \"./m\"\n  env    = \"prod\"\n  size   = \"huge\"\n}\n";
    let child = "variable \"env\" {}\nvariable \"size\" {\n  validation {\n    condition     = contains([\"s\"], var.size)\n    \
                 error_message = \"In ${var.env} there is no ${var.size}.\"\n  }\n}\n";
    let output = plan("rule-message", &[("main.tf", main), ("m/main.tf", child)], &[]);
    assert!(output.stderr.contains("Error: Invalid value for variable"), "{output:?}");
    assert!(output.stderr.contains("In prod there is no huge."), "{output:?}");
}

#[test]
fn documents_name_providers_as_terraform_does() {
    let required = |name: &str| {
        format!(
            "terraform {{\n  required_providers {{\n    {name} = {{\n      source = \"terraform.io/builtin/terraform\"\n    }}\n  }}\n}}\n"
        )
    };
    let main = "resource \"terraform_data\" \"a\" {}\nmodule \"m\" {\n  source = \"./m\"\n}\n";
    let child = required("tf") + "resource \"terraform_data\" \"a\" {\n  provider = tf\n}\n";
    let document = document("provider-names", &[("main.tf", main), ("m/main.tf", &child)], &[]);
    let configuration = &document["configuration"];
    let keys: Vec<&String> = configuration["provider_config"].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["module.m:tf", "terraform"]);
    let called = &configuration["root_module"]["module_calls"]["m"]["module"];
    assert_eq!(called["resources"][0]["provider_config_key"], "module.m:tf");
}

#[test]
fn constraints_of_versions_are_normalised() {
    let main = old("resource \"old_bucket\" \"b\" {\n  name = \"n\"\n}\n")
        .replace("\"acme/old\"", "\"acme/old\"\n      version = \"< 9, >= 3.2, >= 3.2.0, != 3.5\"");
    let folder = Folder::with("situation-constraints", &[("main.tf", &main), ("schemas.json", OLD)]);
    let schemas = folder.at("schemas.json");
    let arguments: [OsString; 5] =
        ["plan".into(), folder.0.clone().into(), "--json".into(), "--schemas".into(), schemas.into()];
    let output = objchange(arguments, "");
    let document: Json = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let constraint = &document["configuration"]["provider_config"]["old"]["version_constraint"];
    assert_eq!(constraint, ">= 3.2.0, != 3.5.0, < 9.0.0");
}

#[test]
fn provisioners_are_checked() {
    let main = |kind: &str, body: &str| {
        format!(
            "variable \"v\" {{\n  default = \"x\"\n}}\nresource \"terraform_data\" \"a\" {{\n  provisioner \"{kind}\" {{\n{body}\n  }}\n}}\n"
        )
    };
    let found = |kind: &str, body: &str| summary("provisioner", &[("main.tf", &main(kind, body))], &[]);
    let local = |body: &str| found("local-exec", body);
    for body in [
        "command = \"x\"",
        "command = var.v",
        "command = \"x\"\nwhen = destroy\non_failure = continue",
        "command = \"x\"\nwhen = \"destroy\"",
        "command = \"${self.id} ${path.module} ${terraform.workspace}\"\nwhen = destroy",
        "command = terraform_data.a.id",
    ] {
        assert_eq!(local(body), ["+ terraform_data.a"], "{body}");
    }
    for (body, error) in [
        ("command = \"x\"\nwhen = sometimes", "Error: Invalid \"when\" keyword"),
        ("command = \"x\"\non_failure = explode", "Error: Invalid \"on_failure\" keyword"),
        ("command = \"x\"\nlifecycle {}", "Error: Reserved block type name in provisioner block"),
        ("command = \"x\"\nconnection {}\nconnection {}", "Error: Duplicate connection block"),
        ("cmd = \"x\"", "Error: Missing required argument"),
        ("command = []", "Error: Incorrect attribute value type"),
        ("command = var.v\nwhen = destroy", "Error: Invalid reference from destroy provisioner"),
        (
            "command = terraform_data.a.id\nwhen = destroy",
            "Error: Invalid reference from destroy provisioner",
        ),
        (
            "command = \"x\"\nwhen = destroy\nconnection {\n  host = var.v\n}",
            "Error: Invalid reference from destroy provisioner",
        ),
    ] {
        assert_eq!(local(body), [error], "{body}");
    }
}

#[test]
fn the_terraform_block_is_checked() {
    let found =
        |name: &str, files: &[(&str, &str)]| summary(&format!("settings-{name}"), files, &["--no-state"]);
    let settings = |text: &str| format!("terraform {{\n{text}\n}}\n");
    let main = settings("  language = TF2030");
    assert_eq!(found("newer", &[("main.tf", &main)]), ["Error: Unsupported language edition"]);
    let main = settings("  language = \"TF2021\"");
    assert_eq!(found("quoted", &[("main.tf", &main)]), ["Error: Invalid language edition"]);
    let cloud = settings("  cloud {}");
    let twice = cloud.repeat(2);
    let files = [("main.tf", &*cloud), ("override.tf", &*twice)];
    assert_eq!(found("clouds", &files), ["Error: Duplicate HCP Terraform configurations"]);
    let main = "terraform {\n  language = TF2021\n}\nresource \"terraform_data\" \"a\" {}\n";
    assert_eq!(found("fine", &[("main.tf", main)]), ["+ terraform_data.a"]);
}

/// A provider may have the name of a literal value.
#[test]
fn a_provider_called_null_may_have_aliases() {
    let main = "terraform {\n  required_providers {\n    terraform = { source = \"terraform.io/builtin/terraform\" }\n  }\n}\n\
                module \"m\" {\n  source = \"./m\"\n  providers = {\n    null.b = terraform.x\n  }\n}\nprovider \"terraform\" {\n  alias = \"x\"\n}\n";
    let child = "terraform {\n  required_providers {\n    null = {\n      source                = \"terraform.io/builtin/terraform\"\n      \
                 configuration_aliases = [null.b]\n    }\n  }\n}\nresource \"terraform_data\" \"a\" {\n  provider = null.b\n}\n";
    let found = summary("null-alias", &[("main.tf", main), ("m/main.tf", child)], &[]);
    assert_eq!(found, ["+ module.m.terraform_data.a"]);
}

/// Terraform takes strings in JSON syntax for constants, also where they are templates.
#[test]
fn constants_in_json_syntax_are_as_they_are_written() {
    let main = r#"{"variable": {"v": {"default": "d"}}, "resource": {"terraform_data": {"a": {"input": "${1 + 1}",
        "triggers_replace": {"a": "${var.v}-x", "b": [1.5, null, true]}}}}, "output": {"o": {"value": "plain"}}}"#;
    let document = document("json-constants", &[("main.tf.json", main)], &[]);
    let module = &document["configuration"]["root_module"];
    let expressions = &module["resources"][0]["expressions"];
    assert_eq!(expressions["input"], json!({"constant_value": "${1 + 1}"}));
    let triggers =
        json!({"constant_value": {"a": "${var.v}-x", "b": [1.5, null, true]}, "references": ["var.v"]});
    assert_eq!(expressions["triggers_replace"], triggers);
    assert_eq!(module["outputs"]["o"]["expression"], json!({"constant_value": "plain"}));
    // The plan has what they are as templates.
    assert_eq!(document["resource_changes"][0]["change"]["after"]["input"], 2);
}

#[test]
fn nothing_depends_on_what_repeats_it() {
    let resource = |repeated: &str, on: &str| {
        format!("resource \"terraform_data\" \"a\" {{\n  {repeated}\n  depends_on = [{on}]\n}}\n")
    };
    let count = "Error: Reference to \"count\" in non-counted context";
    for (name, main, error) in [
        ("count", resource("count = 1", "count.index"), count),
        (
            "each",
            resource("for_each = { k = 1 }", "each.key"),
            "Error: Reference to \"each\" in context without for_each",
        ),
        ("output", "output \"o\" {\n  value      = 1\n  depends_on = [count.index]\n}\n".to_owned(), count),
    ] {
        assert_eq!(summary(&format!("depends-{name}"), &[("main.tf", &main)], &[]), [error], "{name}");
    }
}

/// The summaries of all errors of a module, in the order of the alphabet.
fn errors(test: &str, main: &str) -> Vec<String> {
    let output = plan(test, &[("main.tf", main)], &[]);
    let mut errors = errors_of(&output.stderr);
    errors.sort_unstable();
    errors
}

/// The summaries, with the names of a cycle on one line.
fn errors_of(stderr: &str) -> Vec<String> {
    let mut lines = stderr.lines().peekable();
    let mut errors = Vec::new();
    while let Some(line) = lines.next() {
        let Some(summary) = line.strip_prefix("Error: ") else { continue };
        let mut summary = summary.to_owned();
        if summary == "Cycle:" {
            let names: Vec<&str> =
                std::iter::from_fn(|| lines.next_if(|line| line.starts_with("  "))).map(str::trim).collect();
            summary = format!("{summary} {}", names.join(", "));
        }
        errors.push(summary);
    }
    errors
}

#[test]
fn provisioners_have_the_arguments_that_they_need() {
    let host = "  connection {\n    host = \"x\"\n  }\n";
    let found = |kind: &str, body: &str| {
        let main = format!(
            "resource \"terraform_data\" \"b\" {{}}\nresource \"terraform_data\" \"a\" {{\n{host}  provisioner \"{kind}\" {{\n    \
             {body}\n  }}\n}}\n"
        );
        errors("provisioner-arguments", &main)
    };
    for (kind, body, error) in [
        ("remote-exec", "", "Invalid remote-exec provisioner configuration"),
        ("remote-exec", "inline = null", "Invalid remote-exec provisioner configuration"),
        ("remote-exec", "inline = []\n    script = \"\"", "Invalid remote-exec provisioner configuration"),
        ("file", "destination = \"x\"", "Must provide one of 'source' or 'content'"),
        ("file", "destination = \"x\"\n    source = null", "Must provide one of 'source' or 'content'"),
        (
            "file",
            "destination = \"x\"\n    source = terraform_data.b.output\n    content = \"\"",
            "Cannot set both 'source' and 'content'",
        ),
        ("chef", "when = never", "The \"chef\" provisioner has been removed"),
        ("nosuch", "", "Missing required provisioner plugin"),
    ] {
        assert_eq!(found(kind, body), [error], "{kind} {body}");
    }
    for (kind, body) in [
        ("remote-exec", "inline = []"),
        ("remote-exec", "script = terraform_data.b.output"),
        ("file", "destination = null\n    content = terraform_data.b.output"),
    ] {
        assert_eq!(found(kind, body), [""; 0], "{kind} {body}");
    }
}

#[test]
fn connections_have_a_schema_where_they_are_used() {
    let used = |general: &str, own: &str| {
        let block = |body: &str| match body {
            "" => String::new(),
            body => format!("connection {{\n{body}\n}}\n"),
        };
        let (general, own) = (block(general), block(own));
        let main = format!(
            "resource \"terraform_data\" \"a\" {{\n{general}provisioner \"local-exec\" {{\ncommand = \"x\"\n{own}}}\n}}\n"
        );
        errors("connection", &main)
    };
    let missing = "Missing required argument";
    let ty = "Incorrect attribute value type";
    for (general, own, expected) in [
        ("host = \"x\"", "", &[][..]),
        ("host = null\ntype = \"ftp\"", "", &[]),
        ("hots = \"x\"", "", &[missing, "Unsupported argument"]),
        ("", "hots = \"x\"", &[missing, "Unsupported argument"]),
        ("host = \"x\"\nfoo {}", "", &["Unsupported block type"]),
        ("", "host = \"x\"\nport = \"abc\"\nagent = \"yes\"", &[ty, ty]),
        // A connection that overrides another one does not add what that lacks.
        ("user = \"x\"", "host = \"x\"", &[missing]),
        ("user = \"x\"", "user = \"y\"", &[missing]),
        ("host = []\nfoo = 1", "host = \"x\"\nfoo = 2", &[]),
        ("host = var.nosuch", "host = \"x\"", &[]),
        ("host = \"x\"\nport = []", "user = \"x\"", &[ty]),
    ] {
        assert_eq!(used(general, own), expected, "{general} / {own}");
    }
    let main = "resource \"terraform_data\" \"a\" {\n  connection {\n    hots = 1\n  }\n}\n";
    assert_eq!(errors("connection-unused", main), [""; 0]);
}

/// Terraform looks at one provisioner after the other, up to the first error of their resource.
#[test]
fn provisioners_behind_an_error_are_not_looked_at() {
    let empty = "provisioner \"local-exec\" {}";
    let main = |body: &str| format!("resource \"terraform_data\" \"a\" {{\n{body}\n{empty}\n{empty}\n}}\n");
    let missing = "Missing required argument";
    assert_eq!(errors("provisioners", &main("")), [missing]);
    assert_eq!(errors("provisioners", &main("nosuch = 1")), [missing, "Unsupported argument"]);
    assert_eq!(errors("provisioners", &main("count = \"abc\"")), ["Incorrect value type", missing]);
}

#[test]
fn removed_blocks_have_provisioners_that_run_at_destruction() {
    let removed = |body: &str| format!("removed {{\n  from = terraform_data.a\n{body}\n}}\n");
    let provisioner = |body: &str| removed(&format!("provisioner \"local-exec\" {{\n{body}\n}}"));
    assert_eq!(errors("removed", &provisioner("when = destroy\ncommand = self.id")), [""; 0]);
    assert_eq!(errors("removed", &provisioner("command = \"x\"")), ["Invalid provisioner block"]);
    assert_eq!(
        errors("removed", &provisioner("when = destroy\ncommand = var.v")),
        ["Invalid reference from destroy provisioner"]
    );
    let twice = removed("connection {}\nconnection {}");
    assert_eq!(errors("removed", &twice), ["Duplicate connection block"]);
}

#[test]
fn a_missing_schema_hides_no_other_errors() {
    let main = "resource \"terraform_nosuch\" \"a\" {\n  count = \"abc\"\n  depends_on = [local.nope]\n  input = var.nope\n  \
                lifecycle {\n    ignore_changes = [nope]\n    precondition {\n      condition = local.nope\n      \
                error_message = \"x\"\n    }\n  }\n  provisioner \"local-exec\" {\n    command = self.x\n  }\n}\n\
                data \"terraform_nosuch\" \"b\" {\n  count = var.nope\n}\nephemeral \"terraform_nosuch\" \"c\" {}\n";
    assert_eq!(
        errors("no-schema", main),
        [
            "Incorrect value type",
            "Invalid data source",
            "Invalid ephemeral resource",
            "Invalid resource type",
            "Invalid resource type",
            "Reference to undeclared input variable",
            "Reference to undeclared local value",
            "Reference to undeclared local value",
        ]
    );
    // Nor does a wrong count.
    let main = "resource \"terraform_data\" \"a\" {\n  count = \"abc\"\n  input = var.nope\n}\n";
    assert_eq!(
        errors("wrong-count", main),
        ["Incorrect value type", "Reference to undeclared input variable"]
    );
}

#[test]
fn the_first_wrong_dependency_is_reported() {
    let found = |items: &str| {
        let main = format!("resource \"terraform_data\" \"a\" {{\n  depends_on = [{items}]\n}}\n");
        errors("depends-first", &main)
    };
    for (items, error) in [
        ("path.module, local.nope, terraform_data.nope", "Reference to undeclared local value"),
        ("terraform_data.nope, terraform_data.nope2", "Reference to undeclared resource"),
        ("var.nope", "Reference to undeclared input variable"),
        ("module.nope", "Reference to undeclared module"),
        ("path.nope", "Invalid \"path\" attribute"),
        ("terraform_data.a[5]", "Unexpected resource instance key"),
    ] {
        assert_eq!(found(items), [error], "{items}");
    }
}

/// Instances that need each other are a cycle, as in Terraform's own graph of one resource.
#[test]
fn instances_of_a_resource_may_not_need_each_other() {
    let found = |test: &str, body: &str| {
        let main = format!("resource \"terraform_data\" \"a\" {{\n{body}\n}}\n");
        errors(&format!("own-{test}"), &main)
    };
    let both = "Cycle: terraform_data.a[0], terraform_data.a[1]";
    for (name, body) in [
        ("index", "count = 2\ninput = terraform_data.a[count.index].id"),
        ("whole", "count = 2\ninput = [for one in terraform_data.a : one.id]"),
        ("constants", "count = 3\ninput = [terraform_data.a[0].id, terraform_data.a[1].id]"),
        ("absent", "count = 2\ninput = terraform_data.a[5].id"),
        ("depends", "count = 2\ndepends_on = [terraform_data.a]"),
        ("triggers", "count = 2\nlifecycle {\nreplace_triggered_by = [terraform_data.a[count.index]]\n}"),
        (
            "provisioner",
            "count = 2\nprovisioner \"local-exec\" {\ncommand = terraform_data.a[count.index].id\n}",
        ),
    ] {
        assert_eq!(found(name, body), [both], "{name}");
    }
    let own = "Self-referential block";
    for (name, body, expected) in [
        ("one", "count = 3\ninput = terraform_data.a[0].id", &[own][..]),
        ("single", "count = 1\ninput = terraform_data.a[0].id", &[own]),
        ("single-absent", "count = 1\ninput = terraform_data.a[5].id", &["Invalid index"]),
        ("none", "count = 0\ninput = terraform_data.a[count.index].id", &[]),
        ("plain-index", "input = terraform_data.a[0].id", &["Unexpected resource instance key"]),
        ("created", "count = 2\nprovisioner \"local-exec\" {\ncommand = terraform_data.a[0].id\n}", &[]),
        (
            "other",
            "count = 2\ninput = [terraform_data.a[0], var.nope]",
            &["Reference to undeclared input variable"],
        ),
    ] {
        assert_eq!(found(name, body), expected, "{name}");
    }
    let targeted =
        "resource \"terraform_data\" \"a\" {\n  count = 2\n  input = terraform_data.a[count.index].id\n}\n";
    let targets = ["--target=terraform_data.a[0]"];
    assert_eq!(summary("own-target", &[("main.tf", targeted)], &targets), [format!("Error: {own}")]);
}

#[test]
fn conditions_do_not_name_their_resource() {
    let condition = "condition = terraform_data.a[0].id == terraform_data.a[1].id\nerror_message = \"${terraform_data.a[0].id}\"";
    let main = format!(
        "resource \"terraform_data\" \"a\" {{\n  count = 2\n  nosuch = 1\n  lifecycle {{\n    precondition {{\n{condition}\n}}\n    \
         postcondition {{\n      condition = self.id == resource.terraform_data.a[0].id\n      error_message = \"x\"\n    }}\n  }}\n}}\n"
    );
    let pre = "Invalid reference in precondition";
    assert_eq!(errors("own-conditions", &main), ["Invalid reference in postcondition", pre, pre]);
}

#[test]
fn only_the_provider_sets_what_is_computed() {
    let main = "resource \"terraform_data\" \"a\" {\n  id     = terraform_data.b.id\n  output = 1\n}\nresource \"terraform_data\" \"b\" {\n  \
                id = null\n}\n";
    assert_eq!(
        errors("read-only", main),
        ["\"id\" attribute is read-only", "\"output\" attribute is read-only"]
    );
    for (body, error) in [
        ("name = \"x\"\n  id = \"x\"", "Invalid or unknown key"),
        ("name = \"x\"\n  arn = terraform_data.b.id", "Value for unconfigurable attribute"),
        ("name = null", "Missing required argument"),
        ("name = \"x\"\n  rule {\n    part = null\n  }", "Missing required argument"),
    ] {
        let rest = format!(
            "resource \"old_queue\" \"a\" {{\n  {body}\n}}\nresource \"terraform_data\" \"b\" {{}}\n"
        );
        let output = plan_old("old-refused", &rest, &[]);
        assert_eq!(output.stderr.matches("Error: ").count(), 1, "{output:?}");
        assert!(output.stderr.contains(&format!("Error: {error}")), "{output:?}");
    }
}

#[test]
fn the_newer_sdk_refuses_a_null_in_a_required_argument_in_its_own_words() {
    let missing = "Missing Configuration for Required Attribute";
    for (body, error, detail) in [
        ("name = null", missing, "value for the name attribute"),
        ("name = var.n", missing, "value for the name attribute"),
        ("name = \"x\"\n  rule {\n    part = null\n  }", missing, "rule[0].part"),
        (
            "name = \"x\"\n  each {\n    n    = 1\n    part = null\n  }",
            missing,
            "each[Value({\"n\":1,\"part\":<null>})].part",
        ),
        ("name = \"x\"\n  id   = \"x\"", "Invalid Configuration for Read-Only Attribute", "read-only"),
    ] {
        let rest = format!(
            "variable \"n\" {{\n  default = null\n}}\nresource \"old_newer\" \"a\" {{\n  {body}\n}}\n"
        );
        let output = plan_old("newer-refused", &rest, &[]);
        assert_eq!(output.stderr.matches("Error: ").count(), 1, "{output:?}");
        assert!(output.stderr.contains(&format!("Error: {error}")), "{output:?}");
        assert!(output.stderr.contains(detail), "{output:?}");
    }
}

#[test]
fn imports_have_either_an_id_or_an_identity() {
    let found = |body: &str| {
        let main = format!(
            "import {{\n  to = terraform_data.a\n{body}\n}}\nresource \"terraform_data\" \"a\" {{}}\nresource \"terraform_data\" \"b\" \
             {{}}\n"
        );
        errors("import", &main)
    };
    for (body, error) in [
        ("", "Invalid import block"),
        ("id = \"x\"\nidentity = {}", "Invalid import block"),
        ("identity = null", "Invalid import identity argument"),
        ("identity = { id = terraform_data.b.id }", "Invalid import identity argument"),
        ("identity = \"x\"", "Incorrect value type"),
        ("identity = {}", "Incorrect value type"),
        ("identity = { id = [terraform_data.b.id] }", "Incorrect value type"),
        ("identity = tomap({ name = \"x\" })", "Incorrect value type"),
        // Attributes that its type lacks do not count. The provider in Terraform has no identities, whatever it says.
        (
            "identity = { id = 5, other = terraform_data.b.id }",
            "import of terraform_data.a didn't return an identity",
        ),
    ] {
        assert_eq!(found(body), [error], "{body}");
    }
}

#[test]
fn all_that_is_ignored_is_written_without_quotes() {
    let found = |list: &str| {
        let main = format!(
            "resource \"terraform_data\" \"a\" {{\n  lifecycle {{\n    ignore_changes = {list}\n  }}\n}}\n"
        );
        errors("ignored-wildcard", &main)
    };
    let wildcard = "Invalid ignore_changes wildcard";
    assert_eq!(found("[\"*\"]"), [wildcard]);
    assert_eq!(found("[input, \"*\"]"), ["Invalid ignore_changes ruleset", wildcard]);
}

/// The document has what the change of an output hides, and dependencies of objects that are refreshed, not of those that
/// are imported.
#[test]
fn documents_of_changed_outputs_and_imports() {
    let sensitive = json!({"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "l", "resources": [],
        "outputs": {"o": {"value": "x", "type": "string", "sensitive": true}}});
    let main = "output \"o\" {\n  value = \"y\"\n}\n";
    let files = [("main.tf", main), ("terraform.tfstate", &*sensitive.to_string())];
    let plan = document("output-no-more-sensitive", &files, &[]);
    assert_eq!(plan["planned_values"]["outputs"]["o"]["sensitive"], true);

    let main = |input: &str, rest: &str| {
        format!(
            "resource \"terraform_data\" \"x\" {{}}\nresource \"terraform_data\" \"a\" {{\n  input = {input}\n  depends_on = \
             [terraform_data.x]\n}}\n{rest}"
        )
    };
    let depends_on =
        |plan: &Json| plan["prior_state"]["values"]["root_module"]["resources"][0]["depends_on"].clone();
    let import = "import {\n  to = terraform_data.a\n  id = \"i\"\n}\n";
    let changed = document("import-dependencies", &[("main.tf", &*main("1", import))], &[]);
    assert_eq!(depends_on(&changed), Json::Null);
    let same = document("import-dependencies", &[("main.tf", &*main("null", import))], &[]);
    assert_eq!(depends_on(&same), json!(["terraform_data.x"]));

    let failing = main("1", "").replace(
        "  depends_on",
        "  lifecycle {\n    precondition {\n      condition = terraform.workspace == \"x\"\n      error_message = \"no\"\n    }\n  }\n  \
         depends_on",
    );
    let state = state(&[("a", &[text("1", "x")])]);
    let plan =
        document("failed-dependencies", &[("main.tf", &*failing), ("terraform.tfstate", &*state)], &[]);
    assert_eq!(depends_on(&plan), json!(["terraform_data.x"]));
}

/// Terraform finds these cycles once the plan is made. The objects of dependencies that are stored as created before they are
/// destroyed are in nobody's way.
#[test]
fn replacements_that_nobody_can_carry_out_are_cycles() {
    let stored = |key: Option<&str>, trigger: &str, dependencies: &[&str], creates_first: bool| {
        let mut object = text("1", "1");
        object["attributes"]["triggers_replace"] = json!({"value": trigger, "type": "string"});
        object["dependencies"] = json!(dependencies);
        if creates_first {
            object["create_before_destroy"] = json!(true);
        }
        key.into_iter().for_each(|key| object["index_key"] = json!(key));
        object
    };
    let x = |body: &str| {
        format!(
            "resource \"terraform_data\" \"x\" {{\n  triggers_replace = \"2\"\n  {body}\n  lifecycle {{\n    create_before_destroy = \
             true\n  }}\n}}\n"
        )
    };
    let some = "resource \"terraform_data\" \"y\" {\n  for_each = toset([\"a\"])\n  input = \"1\"\n  triggers_replace = \"1\"\n}\n";
    let found = |name: &str, main: &str, y: &[Json], dependencies: &[&str]| {
        let state = state(&[("x", &[stored(None, "1", dependencies, false)]), ("y", y)]);
        let output = plan(&format!("cycle-{name}"), &[("main.tf", main), ("terraform.tfstate", &state)], &[]);
        errors_of(&output.stderr).into_iter().next()
    };
    let both = |creates_first: bool| {
        [stored(Some("a"), "1", &[], creates_first), stored(Some("b"), "1", &[], creates_first)]
    };
    let plain = x("input = \"1\"");
    let referring = x("input = terraform_data.y[\"a\"].output");
    let deleted =
        "Cycle: terraform_data.x, terraform_data.x (destroy deposed), terraform_data.y[\"b\"] (destroy)";
    let on_y = ["terraform_data.y"];
    for (name, main, dependencies, expected) in [
        ("stored", format!("{some}{plain}"), &on_y[..], Some(deleted)),
        ("configured", format!("{some}{referring}"), &[], Some(deleted)),
        ("neither", format!("{some}{plain}"), &[], None),
    ] {
        assert_eq!(found(name, &main, &both(false), dependencies).as_deref(), expected, "{name}");
        assert_eq!(found(name, &main, &both(true), dependencies), None, "{name}");
    }
    let gone = [stored(None, "1", &[], false)];
    let cycle = "Cycle: terraform_data.x, terraform_data.x (destroy deposed), terraform_data.y (destroy)";
    assert_eq!(found("gone", &plain, &gone, &on_y).as_deref(), Some(cycle));
    // Its dependency is replaced, too, by the configuration in the same way.
    let replaced = |body: &str| {
        format!(
            "resource \"terraform_data\" \"y\" {{\n  input = \"1\"\n  triggers_replace = \"2\"\n}}\n{}",
            x(body)
        )
    };
    let cycle = "Cycle: terraform_data.x, terraform_data.x (destroy deposed), terraform_data.y, terraform_data.y (destroy)";
    assert_eq!(found("replaced", &replaced("input = \"1\""), &gone, &on_y).as_deref(), Some(cycle));
    assert_eq!(found("together", &replaced("input = terraform_data.y.output"), &gone, &on_y), None);
}

#[test]
fn a_provider_that_needs_a_configuration_gets_one() {
    let schemas = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/acme/req":{
        "provider":{"version":0,"block":{"attributes":{"region":{"type":"string","required":true}}}},
        "resource_schemas":{"req_thing":{"version":0,"block":{"attributes":{"name":{"type":"string","optional":true}}}}}}}}"#;
    let head =
        "terraform {\n  required_providers {\n    req = {\n      source = \"acme/req\"\n    }\n  }\n}\n";
    let thing = "resource \"req_thing\" \"a\" {}\n";
    let found = |test: &str, rest: &str, child: &str| {
        let (main, child) = (format!("{head}{rest}"), format!("{head}{child}"));
        let files = [("main.tf", &*main), ("m/main.tf", &*child), ("schemas.json", schemas)];
        let folder = Folder::with(&format!("situation-needs-configuration-{test}"), &files);
        let arguments: [OsString; 4] =
            ["plan".into(), folder.0.clone().into(), "--schemas".into(), folder.at("schemas.json").into()];
        let output = objchange(arguments, "");
        let errors = output.stderr.lines().filter_map(|line| line.strip_prefix("Error: "));
        errors.map(str::to_owned).collect::<Vec<_>>()
    };
    let needed = ["Missing required argument", "Invalid provider configuration"];
    assert_eq!(found("none", thing, ""), needed);
    let aliased = format!("provider \"req\" {{\n  alias  = \"x\"\n  region = \"r\"\n}}\n{thing}");
    assert_eq!(found("alias", &aliased, ""), needed);
    assert_eq!(found("child", "module \"m\" {\n  source = \"./m\"\n}\n", thing), needed);
    assert_eq!(found("empty", &format!("provider \"req\" {{}}\n{thing}"), ""), ["Missing required argument"]);
    assert_eq!(found("unused", "resource \"terraform_data\" \"a\" {}\n", ""), [""; 0]);
    let configured = format!("provider \"req\" {{\n  region = \"r\"\n}}\n{thing}");
    assert_eq!(found("configured", &configured, ""), [""; 0]);
}

/// A plan of an earlier run must not stay where the new one is expected.
#[test]
fn a_plan_that_could_not_begin_is_written_too() {
    let main = "resource \"terraform_data\" \"a\" {\n  input = var.nope\n}\n";
    let folder = Folder::with("situation-errored-out", &[("main.tf", main)]);
    let arguments: [OsString; 4] =
        ["plan".into(), folder.0.clone().into(), "--out".into(), folder.at("plan.json").into()];
    let output = objchange(arguments, "");
    assert_eq!(output.code, 1, "{output:?}");
    let plan: Json = serde_json::from_str(&std::fs::read_to_string(folder.at("plan.json")).unwrap()).unwrap();
    assert_eq!(plan["errored"], true);
    assert_eq!(plan["resource_changes"], Json::Null);
}

#[test]
fn a_destroy_plan_plans_everything_before_unless_it_does_not_refresh() {
    let main = "resource \"terraform_data\" \"a\" {\n  input = \"new\"\n}\nresource \"terraform_data\" \"b\" {\n  lifecycle {\n    \
                replace_triggered_by = [terraform_data.a]\n  }\n}\noutput \"o\" {\n  value = terraform_data.b.id\n}\n";
    let mut stored: Json =
        serde_json::from_str(&state(&[("a", &[text("1", "old")]), ("b", &[text("2", "")])])).unwrap();
    stored["outputs"] = json!({"o": {"value": "stored", "type": "string"}});
    let stored = stored.to_string();
    let files = [("main.tf", main), ("terraform.tfstate", &*stored)];
    // The object would be replaced, so its identifier is unknown, and the state keeps what it has.
    let before = |name: &str, files: &[(&str, &str)], arguments: &[&str]| {
        document(name, files, arguments)["output_changes"]["o"]["before"].clone()
    };
    assert_eq!(before("destroy-before", &files, &["--destroy"]), "stored");
    let other = main.replace("terraform_data.a]", "terraform_data.a.input.x]");
    let others = [("main.tf", &*other), ("terraform.tfstate", &*stored)];
    assert_eq!(before("destroy-before-id", &others, &["--destroy"]), "2");
    assert_eq!(before("destroy-before-stored", &others, &["--destroy", "--refresh=false"]), "stored");
    // Errors of planning occur only if anything is planned.
    let wrong = main.replace("terraform_data.a]", "terraform_data.a[0]]");
    let files = [("main.tf", &*wrong), ("terraform.tfstate", &*stored)];
    let error = "Error: no change found for terraform_data.a[0] in the root module";
    assert_eq!(summary("destroy-wrong", &files, &["--destroy"]), [error]);
    let all = ["- terraform_data.a", "- terraform_data.b", "- o"];
    assert_eq!(summary("destroy-not-planned", &files, &["--destroy", "--refresh=false"]), all);
}

/// An attribute that is named without a key is one of the only instance.
#[test]
fn attributes_of_repeated_resources_trigger_nothing() {
    let main = "resource \"terraform_data\" \"a\" {\n  count = 1\n}\nresource \"terraform_data\" \"b\" {\n  lifecycle {\n    \
                replace_triggered_by = [terraform_data.a.id]\n  }\n}\n";
    let error = "Error: no change found for terraform_data.a in the root module";
    assert_eq!(summary("trigger-without-key", &[("main.tf", main)], &["--no-state"]), [error]);
}

#[test]
fn targets_of_a_destroy_plan_take_along_what_depends_on_them_in_the_state() {
    let main = "resource \"terraform_data\" \"a\" {\n  count = 0\n}\nresource \"terraform_data\" \"b\" {\n  input = \
                length(terraform_data.a)\n}\n";
    let found = |name: &str, dependencies: &[&str], a: &[Json]| {
        let mut b = text("2", "");
        b["dependencies"] = json!(dependencies);
        let state = state(&[("a", a), ("b", &[b])]);
        let files = [("main.tf", main), ("terraform.tfstate", &*state)];
        summary(&format!("destroy-target-{name}"), &files, &["--destroy", "--target=terraform_data.a"])
    };
    let on_a = ["terraform_data.a"];
    assert_eq!(found("there", &on_a, &[text("1", "")]), ["- terraform_data.a[0]", "- terraform_data.b"]);
    assert_eq!(found("independent", &[], &[text("1", "")]), ["- terraform_data.a[0]"]);
    assert_eq!(found("nothing", &on_a, &[]), [""; 0]);
}

#[test]
fn configurations_that_are_passed_must_be_there() {
    let required = |aliases: &str| {
        format!(
            "terraform {{\n  required_providers {{\n    terraform = {{\n      source = \"terraform.io/builtin/terraform\"\n      \
             {aliases}\n    }}\n  }}\n}}\n"
        )
    };
    let plain = required("");
    let child = format!("{plain}resource \"terraform_data\" \"a\" {{}}\n");
    let found = |name: &str, root: &str, providers: &str| {
        let main =
            format!("{root}module \"m\" {{\n  source = \"./m\"\n  providers = {{ {providers} }}\n}}\n");
        let files = [("main.tf", &*main), ("m/main.tf", &*child)];
        summary(&format!("passed-{name}"), &files, &["--no-state"])
    };
    let fine = ["+ module.m.terraform_data.a"];
    assert_eq!(found("default", &plain, "terraform = terraform"), fine);
    let missing = "Error: missing provider provider[\"terraform.io/builtin/terraform\"].x";
    assert_eq!(found("alias", &plain, "terraform = terraform.x"), [missing]);
    // Resources that imply a provider require none.
    let implied = "resource \"terraform_data\" \"b\" {}\n";
    assert_eq!(found("implied", implied, "terraform = terraform"), ["Error: Provider type mismatch"]);
    let aliased = required("configuration_aliases = [terraform.z]");
    let main = format!(
        "{plain}module \"m\" {{\n  source = \"./m\"\n  providers = {{ terraform.z = terraform.z }}\n}}\n"
    );
    let child = format!("{aliased}resource \"terraform_data\" \"a\" {{}}\n");
    let files = [("main.tf", &*main), ("m/main.tf", &*child)];
    let missing = "Error: missing provider provider[\"terraform.io/builtin/terraform\"].z";
    assert_eq!(summary("passed-unused", &files, &["--no-state"]), [missing]);
}

/// Since 1.15 validation sees an object of unknown attributes; before, it knew nothing of one.
#[test]
fn attributes_of_objects_are_known_to_be_of_their_types() {
    let main = "resource \"terraform_data\" \"a\" {}\nmodule \"m\" {\n  source = \"./m\"\n  count  = 0\n  v      = \
                terraform_data.a.id\n}\n";
    let files = [("main.tf", main), ("m/main.tf", "variable \"v\" {\n  type = set(string)\n}\n")];
    assert_eq!(summary("typed", &files, &["--no-state"]), ["Error: Invalid value for input variable"]);
    let old = ["--no-state", "--as", "terraform@1.14"];
    assert_eq!(summary("untyped", &files, &old), ["+ terraform_data.a"]);
}

#[test]
fn what_is_wrong_with_a_sensitive_argument_is_said_of_its_variable() {
    let main = "module \"m\" {\n  source = \"./m\"\n  v      = \"x\"\n}\n";
    let files =
        [("main.tf", main), ("m/main.tf", "variable \"v\" {\n  type      = bool\n  sensitive = true\n}\n")];
    let output = plan("sensitive-argument", &files, &["--no-state"]);
    let text = output.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "on m/main.tf line 1: 1: variable \"v\" { The given value is not suitable for module.m.var.v, which is sensitive: a \
                    bool is required. Invalid value defined at main.tf:3,12-15.";
    assert!(text.contains(expected), "{text}");
}

/// Moves in a module come after those of the module, which may bring objects into it.
#[test]
fn moves_of_an_instance_of_a_module_and_in_it_are_no_cycle() {
    let main = "module \"m\" {\n  source = \"./m\"\n}\nmoved {\n  from = module.m[0]\n  to   = module.m\n}\n";
    let child = "resource \"terraform_data\" \"b\" {\n  for_each = toset([\"y\"])\n}\nmoved {\n  from = terraform_data.b\n  to   = \
                 terraform_data.b[\"y\"]\n}\n";
    let mut stored: Json = serde_json::from_str(&state(&[("b", &[text("1", "")])])).unwrap();
    stored["resources"][0]["module"] = json!("module.m[0]");
    stored["resources"][0]["instances"][0]["attributes"]["input"] = Json::Null;
    let stored = stored.to_string();
    let files = [("main.tf", main), ("m/main.tf", child), ("terraform.tfstate", &*stored)];
    let document = document("moves-inside", &files, &[]);
    let change = &document["resource_changes"][0];
    assert_eq!(change["address"], "module.m.terraform_data.b[\"y\"]");
    assert_eq!(change["previous_address"], "module.m[0].terraform_data.b");
}

/// The state says in which order an object that is not wanted any more is destroyed, and in which the objects that it depended on.
#[test]
fn steps_that_wait_for_each_other_are_cycles() {
    let stored = |dependencies: &[&str], creates_first: bool, is_tainted: bool| {
        let mut object = text("1", "");
        object["dependencies"] = json!(dependencies);
        if creates_first {
            object["create_before_destroy"] = json!(true);
        }
        if is_tainted {
            object["status"] = json!("tainted");
        }
        object
    };
    let found = |name: &str, main: &str, resources: &[(&str, &[Json])]| {
        let state = state(resources);
        let output = plan(&format!("steps-{name}"), &[("main.tf", main), ("terraform.tfstate", &state)], &[]);
        errors_of(&output.stderr).into_iter().next()
    };
    let a = "resource \"terraform_data\" \"a\" {\n  input = \"\"\n}\n";
    // The object that is gone is destroyed after the new one of what it depended on is there, and before the old one is destroyed.
    let replaced = [stored(&[], false, true)];
    let on_a = ["terraform_data.a"];
    let orphan = |creates_first| [stored(&on_a, creates_first, false)];
    let cycle = "Cycle: terraform_data.a, terraform_data.a (destroy), terraform_data.c (destroy)";
    for (name, creates_first, expected) in [("orphan", true, Some(cycle)), ("orphan-usual", false, None)] {
        let resources = [("a", &replaced[..]), ("c", &orphan(creates_first))];
        assert_eq!(found(name, a, &resources).as_deref(), expected, "{name}");
    }
    // An update waits for what is destroyed, and that for the update.
    let updated = [stored(&["terraform_data.b", "terraform_data.c"], false, false)];
    let first = [stored(&[], false, false)];
    let last = [stored(&["terraform_data.b"], true, false)];
    let main = "resource \"terraform_data\" \"a\" {\n  input = \"new\"\n}\n";
    let cycle = "Cycle: terraform_data.a, terraform_data.b (destroy), terraform_data.c (destroy)";
    let resources = [("a", &updated[..]), ("b", &first), ("c", &last)];
    assert_eq!(found("update", main, &resources).as_deref(), Some(cycle));
    // A deposed object has the dependencies of the current one, and none without it.
    let mut deposed = stored(&[], false, false);
    deposed["deposed"] = json!("0000000a");
    let current = stored(&on_a, false, false);
    let main = format!(
        "{a}resource \"terraform_data\" \"d\" {{\n  input      = \"\"\n  depends_on = [terraform_data.a]\n}}\n"
    );
    let cycle =
        "Cycle: terraform_data.a, terraform_data.a (destroy), terraform_data.d (destroy deposed 0000000a)";
    let with_current = [current, deposed.clone()];
    let resources = [("a", &replaced[..]), ("d", &with_current)];
    assert_eq!(found("deposed", &main, &resources).as_deref(), Some(cycle));
    deposed["dependencies"] = json!(on_a);
    let alone = [deposed];
    let resources = [("a", &replaced[..]), ("d", &alone)];
    assert_eq!(found("deposed-alone", &main, &resources), None);
}

/// A null is found wherever it comes from, and only where it is one with the real provider, too.
#[test]
fn null_is_no_value_of_a_required_argument() {
    let variable = "variable \"v\" {\n  type    = string\n  default = null\n}\n";
    let missing =
        |argument: &str| format!("The argument \"{argument}\" is required, but no definition was found.");
    for (name, body, argument) in [
        ("variable", "resource \"old_bucket\" \"c\" {\n  name = var.v\n}\n", "name"),
        (
            "local",
            "locals {\n  n = true ? var.v : \"x\"\n}\nresource \"old_bucket\" \"c\" {\n  name = local.n\n}\n",
            "name",
        ),
        (
            "block",
            "resource \"old_queue\" \"c\" {\n  name = \"n\"\n  rule {\n    part = var.v\n  }\n}\n",
            "rule.0.part",
        ),
    ] {
        let output = plan_old(&format!("null-{name}"), &format!("{variable}{body}"), &[]);
        assert!(output.code == 1 && output.stderr.contains("Error: Missing required argument"), "{output:?}");
        assert!(output.stderr.contains(&missing(argument)), "{output:?}");
    }
    // A bucket may have a default that only its provider knows.
    let body = "resource \"old_bucket\" \"b\" {\n  name = \"n\"\n}\nresource \"old_bucket\" \"c\" {\n  name = old_bucket.b.force\n}\n";
    assert_eq!(plan_old("null-default", body, &[]).code, 0);
    let body = "resource \"terraform_data\" \"a\" {}\nresource \"old_bucket\" \"c\" {\n  name = terraform_data.a.id\n}\n";
    assert_eq!(plan_old("null-unknown", body, &[]).code, 0);
}

#[test]
fn the_root_module_needs_the_configurations_that_it_asks_for() {
    let main = "terraform {\n  required_providers {\n    tf = {\n      source                = \"terraform.io/builtin/terraform\"\n      \
                configuration_aliases = [tf, tf.one, tf.two]\n    }\n  }\n}\nprovider \"tf\" {\n  alias = \"one\"\n}\noutput \"o\" {\n  value = 1\n}\n";
    let output = plan("root-aliases", &[("main.tf", main)], &[]);
    assert_eq!(errors_of(&output.stderr), ["Undefined provider configuration"], "{output:?}");
    assert!(output.code == 1 && output.stderr.contains("with alias \"two\"."), "{output:?}");
}

#[test]
fn an_error_says_in_which_instance_of_a_module_it_is() {
    let main = "module \"m\" {\n  source   = \"./m\"\n  for_each = { a = \"1\", b = \"x\" }\n  n        = each.value\n}\n";
    let child = "variable \"n\" {}\nresource \"terraform_data\" \"q\" {\n  input = tonumber(var.n)\n}\n";
    let output = plan("called-often", &[("main.tf", main), ("m/main.tf", child)], &[]);
    assert_eq!(errors_of(&output.stderr), ["Invalid function argument"], "{output:?}");
    let note = "note: Invalid function argument (m/main.tf:3): found in module.m[\"b\"]\n";
    assert!(output.stderr.contains(note), "{output:?}");
    let main = "module \"m\" {\n  source = \"./m\"\n  n      = \"x\"\n}\n";
    let output = plan("called-once", &[("main.tf", main), ("m/main.tf", child)], &[]);
    assert!(output.code == 1 && !output.stderr.contains("found in"), "{output:?}");
}

#[test]
fn a_misspelt_type_is_suggested() {
    let output = plan("misspelt-type", &[("main.tf", "resource \"terraform_dat\" \"x\" {}\n")], &[]);
    assert!(output.stderr.contains("Did you mean \"terraform_data\"?"), "{output:?}");
}

#[test]
fn an_empty_block_declares_no_provider() {
    let main = "provider \"terraform\" {}\nmodule \"m\" {\n  source    = \"./m\"\n  providers = { terraform = terraform }\n}\n";
    let child = "resource \"terraform_data\" \"a\" {}\n";
    let output = plan("empty-block", &[("main.tf", main), ("m/main.tf", child)], &[]);
    let warning = "Warning: Reference to undefined provider";
    assert!(output.stderr.contains(warning), "{output:?}");
    assert!(output.stderr.contains("(and one more similar warning elsewhere)"), "{output:?}");
}

#[test]
fn names_that_only_resources_imply_have_no_constraint() {
    let main = "terraform {\n  required_providers {\n    mine = {\n      source  = \"acme/old\"\n      version = \"~> 5.0\"\n    }\n  }\n}\n\
                resource \"old_bucket\" \"b\" {\n  provider = mine\n  name     = \"n\"\n}\n";
    let folder = Folder::with("situation-implied", &[("main.tf", main), ("schemas.json", OLD)]);
    let arguments: [OsString; 6] = [
        "plan".into(),
        folder.0.clone().into(),
        "--json".into(),
        "--no-state".into(),
        "--schemas".into(),
        folder.at("schemas.json").into(),
    ];
    let output = objchange(arguments, "");
    let document: Json = serde_json::from_str(&output.stdout).unwrap_or_else(|_| panic!("{output:?}"));
    let configs = &document["configuration"]["provider_config"];
    assert_eq!(configs["mine"]["version_constraint"], "~> 5.0");
    assert!(configs["old"].is_object() && configs["old"].get("version_constraint").is_none(), "{configs}");
}

/// Lines of provisioners are shown, but for what may be a secret.
#[test]
fn keywords_of_provisioners_are_no_secrets() {
    let shown = |test: &str, body: &str| {
        let main = format!("resource \"terraform_data\" \"a\" {{\n{body}\n}}\n");
        plan(&format!("lines-{test}"), &[("main.tf", &main)], &[]).stderr
    };
    for (test, body, line) in [
        ("when", "provisioner \"local-exec\" {\ncommand = \"x\"\nwhen = later\n}", "when = later"),
        (
            "quoted",
            "provisioner \"local-exec\" {\ncommand = \"x\"\nwhen = \"destroy\"\n}",
            "when = \"destroy\"",
        ),
        ("argument", "provisioner \"local-exec\" {\ncmd = \"true\"\n}", "cmd = \"true\""),
        (
            "user",
            "connection {\nhost = \"h\"\nusr = \"x\"\n}\nprovisioner \"remote-exec\" {\ninline = [\"x\"]\n}",
            "usr = \"x\"",
        ),
    ] {
        let stderr = shown(test, body);
        assert!(stderr.contains(&format!(": {line}\n")), "{stderr}");
    }
    for (test, body) in [
        (
            "password",
            "connection {\nhost = \"h\"\npassword = [\"swordfish\"]\n}\nprovisioner \"remote-exec\" {\ninline = [\"x\"]\n}",
        ),
        (
            "passwd",
            "connection {\nhost = \"h\"\npasswrd = \"swordfish\"\n}\nprovisioner \"remote-exec\" {\ninline = [\"x\"]\n}",
        ),
        ("environment", "provisioner \"local-exec\" {\ncommand = \"x\"\nenvironment = [\"swordfish\"]\n}"),
        (
            "enviroment",
            "provisioner \"local-exec\" {\ncommand = \"x\"\nenviroment = { a = \"swordfish\" }\n}",
        ),
        ("unknown", "provisioner \"chef\" {\nkey = \"swordfish\"\nkey = \"swordfish\"\n}"),
    ] {
        let stderr = shown(test, body);
        assert!(stderr.contains("Error: ") && !stderr.contains("swordfish"), "{stderr}");
    }
}

#[test]
fn an_import_id_that_cannot_be_evaluated_is_unknown_too() {
    let found = |id: &str| {
        let main = format!(
            "resource \"terraform_data\" \"r\" {{\n  input = {{ b = null }}\n}}\nresource \"terraform_data\" \"a\" {{}}\nimport {{\n  \
             to = terraform_data.a\n  id = {id}\n}}\n"
        );
        errors("import-not-evaluated", &main)
    };
    let unknown = "Invalid import id argument";
    assert_eq!(found("terraform_data.r.input.b.c"), ["Attempt to get attribute from null value", unknown]);
    assert_eq!(found("terraform_data.r.input"), ["Incorrect value type", unknown]);
    assert_eq!(found("terraform_data.r.output"), ["Incorrect value type", unknown]);
    assert_eq!(found("terraform_data.r.id"), [unknown]);
    assert_eq!(found("terraform_data.r.input.b"), [unknown]);
}

#[test]
fn a_plan_to_refresh_imports_nothing() {
    let main = "resource \"terraform_data\" \"a\" {\n  for_each = toset([\"x\"])\n}\nresource \"terraform_data\" \"b\" {}\nimport {\n  \
                to = terraform_data.a[\"y\"]\n  id = terraform_data.b.id\n}\n";
    let output = plan("refresh-only-import", &[("main.tf", main)], &["--refresh-only"]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stdout.contains("No changes."), "{output:?}");
}

#[test]
fn an_instance_with_deposed_objects_alone_has_a_key_and_is_unknown() {
    let main = "resource \"terraform_data\" \"a\" {\n  for_each = toset([\"k\", \"l\"])\n}\noutput \"keys\" {\n  value = \
                keys(terraform_data.a)\n}\noutput \"id\" {\n  value = terraform_data.a[\"k\"].id\n}\n";
    let mut deposed = text("1", "x");
    deposed["index_key"] = json!("k");
    deposed["deposed"] = json!("0badf00d");
    let state = state(&[("a", &[deposed])]);
    let files = [("main.tf", main), ("terraform.tfstate", &*state)];
    let output = plan("refresh-only-deposed", &files, &["--refresh-only"]);
    assert!(output.stdout.contains("+ id   = (known after apply)"), "{output:?}");
    assert!(output.stdout.contains("+ \"k\","), "{output:?}");
}

#[test]
fn a_plan_to_refresh_judges_postconditions_of_what_does_not_exist() {
    let main = "variable \"v\" {\n  default = 1\n}\nresource \"terraform_data\" \"a\" {\n  count = 1\n  lifecycle {\n    \
                postcondition {\n      condition     = var.v == 2\n      error_message = \"not two\"\n    }\n  }\n}\n";
    let output = plan("refresh-only-postcondition", &[("main.tf", main)], &["--refresh-only"]);
    assert!(output.stderr.contains("Warning: Resource postcondition failed"), "{output:?}");
    assert!(output.stderr.contains("not two"), "{output:?}");
    assert_eq!(output.code, 0, "{output:?}");
}

#[test]
fn nothing_is_known_of_an_object_that_a_plan_to_refresh_does_not_create() {
    let main = "resource \"terraform_data\" \"a\" {\n  lifecycle {\n    postcondition {\n      condition     = self.id == 1\n      error_message \
                = \"x\"\n    }\n  }\n}\n";
    let status = |arguments: &[&str]| {
        document("refresh-only-self", &[("main.tf", main)], arguments)["checks"][0]["status"].clone()
    };
    assert_eq!(status(&["--refresh-only"]), "unknown");
}

/// Before it destroys the targets and what depends on them, Terraform plans the targets and what they need.
#[test]
fn what_depends_on_a_target_is_destroyed_without_being_planned() {
    let fails = |name: &str| {
        format!(
            "resource \"terraform_data\" \"{name}\" {{\n  lifecycle {{\n    precondition {{\n      condition     = [1, \
             2][var.v] == 2\n      error_message = \"x\"\n    }}\n  }}\n}}\n"
        )
    };
    let rest = "variable \"v\" {\n  default = 2\n}\nresource \"terraform_data\" \"mid\" {\n  input = terraform_data.low.id\n  lifecycle \
                {\n    replace_triggered_by = [terraform_data.low.input]\n  }\n}\n";
    let depending = |mut object: Json, on: &[&str]| {
        object["dependencies"] = json!(on);
        object
    };
    let state = state(&[
        ("low", &[text("1", "x")]),
        ("mid", &[depending(text("2", "1"), &["terraform_data.low"])]),
        ("high", &[depending(text("3", "2"), &["terraform_data.low", "terraform_data.mid"])]),
    ]);
    let low = "resource \"terraform_data\" \"low\" {}\n";
    let high = fails("high").replace("{\n  lifecycle", "{\n  input = terraform_data.mid.id\n  lifecycle");
    let main = format!("{rest}{low}{high}");
    let files = [("main.tf", &*main), ("terraform.tfstate", &*state)];
    let mut destroyed = summary("destroy-target", &files, &["--destroy", "--target=terraform_data.mid"]);
    destroyed.retain(|line| line.starts_with('-'));
    assert_eq!(destroyed, ["- terraform_data.high", "- terraform_data.mid"]);
    let main = format!("{rest}{}", fails("low"));
    let files = [("main.tf", &*main), ("terraform.tfstate", &*state)];
    let wrong = summary("destroy-target-needs", &files, &["--destroy", "--target=terraform_data.mid"]);
    assert_eq!(wrong, ["Error: Invalid index"]);
}

#[test]
fn an_empty_message_is_none() {
    let rest = "variable \"v\" {\n  default = 1\n}\nlocals {\n  empty = \"\"\n}\n";
    let condition = "condition     = var.v == 2\n    error_message = \" ${local.empty}\"\n";
    for (name, block) in [
        ("output", format!("output \"o\" {{\n  value = 1\n  precondition {{\n    {condition}  }}\n}}\n")),
        ("check", format!("check \"c\" {{\n  assert {{\n    {condition}  }}\n}}\n")),
        (
            "resource",
            format!(
                "resource \"terraform_data\" \"r\" {{\n  lifecycle {{\n    precondition {{\n    {condition}    }}\n  }}\n}}\n"
            ),
        ),
    ] {
        let main = format!("{rest}{block}");
        let output = plan(&format!("empty-message-{name}"), &[("main.tf", &main)], &[]);
        assert!(output.stderr.contains("This check failed, but has an invalid error message"), "{output:?}");
    }
    let main = "variable \"v\" {\n  default = 1\n  validation {\n    condition     = var.v == 2\n    error_message = \"\"\n  }\n}\n";
    let output = plan("empty-message-variable", &[("main.tf", main)], &[]);
    assert!(output.stderr.contains("Failed to evaluate condition error message."), "{output:?}");
}

#[test]
fn messages_of_checks_with_wrong_references_are_evaluated_without_names() {
    let main = "variable \"v\" {\n  default = 1\n}\nresource \"terraform_data\" \"c\" {\n  count = 2\n}\ncheck \"c\" {\n  assert {\n    \
                condition     = can(terraform_data.c.output)\n    error_message = \"x${var.v}\"\n  }\n}\n";
    assert_eq!(errors("check-without-names", main), ["Missing resource instance key", "Unknown variable"]);
}

#[test]
fn a_wrong_argument_of_a_call_is_reported_once_however_often_its_module_is_called() {
    let call = |name: &str| format!("module \"{name}\" {{\n  source = \"./m\"\n}}\n");
    let main = call("a") + &call("b");
    let files = [
        ("main.tf", &*main),
        ("m/main.tf", "module \"n\" {\n  source = \"./n\"\n  extra  = 1\n}\n"),
        ("m/n/main.tf", "\n"),
    ];
    let output = plan("call-argument-once", &files, &[]);
    assert_eq!(errors_of(&output.stderr), ["Unsupported argument"]);
}

#[test]
fn warnings_of_validation_stay_beside_wrong_moves() {
    let main = |rest: &str| {
        format!(
            "resource \"terraform_data\" \"a\" {{\n{rest}  lifecycle {{\n    ignore_changes = [output]\n  }}\n}}\nresource \
             \"terraform_data\" \"b\" {{}}\nmoved {{\n  from = terraform_data.a\n  to   = terraform_data.b\n}}\n"
        )
    };
    let warning = "Warning: Redundant ignore_changes element";
    let output = plan("move-warning", &[("main.tf", &main(""))], &[]);
    assert_eq!(errors_of(&output.stderr), ["Moved object still exists"]);
    assert!(output.stderr.contains(warning), "{output:?}");
    // Terraform does not warn where the number of instances is wrong.
    let output = plan("move-warning-count", &[("main.tf", &main("  count = -1\n"))], &[]);
    assert!(!output.stderr.contains(warning), "{output:?}");
}

#[test]
fn instances_of_checks_are_in_the_order_of_their_texts() {
    let main = "variable \"v\" {\n  default = 1\n}\nresource \"terraform_data\" \"a\" {\n  count = 11\n  lifecycle {\n    precondition {\n      \
                condition     = var.v == 1\n      error_message = \"x\"\n    }\n  }\n}\n";
    let document = document("checks-order", &[("main.tf", main)], &[]);
    let instances = document["checks"][0]["instances"].as_array().unwrap();
    let keys: Vec<&Json> = instances.iter().map(|instance| &instance["address"]["instance_key"]).collect();
    assert_eq!(keys[..4], [&json!(0), &json!(10), &json!(1), &json!(2)]);
}

#[test]
fn a_module_without_resources_is_a_target() {
    let files = [
        ("main.tf", "module \"m\" {\n  source = \"./m\"\n}\n"),
        ("m/main.tf", "output \"o\" {\n  value = 1\n}\n"),
    ];
    assert_eq!(plan("target-empty-module", &files, &["--target=module.m", "--json"]).code, 0);
    assert_ne!(plan("target-no-module", &files, &["--target=module.n", "--json"]).code, 0);
}

#[test]
fn errors_of_tried_expressions_say_where_they_are() {
    let main =
        "locals {\n  l = [1]\n}\noutput \"o\" {\n  value = try(local.l[9], local.l.x,\n    null.a)\n}\n";
    let output = plan("try-places", &[("main.tf", main)], &[]);
    for place in ["- Invalid index (at main.tf:5,22-25)", "(at main.tf:5,34-36)", "(at main.tf:6,9-11)"] {
        assert!(output.stderr.contains(place), "{output:?}");
    }
}

#[test]
fn errors_of_syntax_show_what_is_open() {
    for (name, value) in
        [("parens", "(1"), ("tuple", "[1, 2"), ("call", "max(1"), ("for", "[for x in [] : x")]
    {
        let main = format!("output \"o\" {{\n  value = {value}\n}}\n");
        let output = plan(&format!("open-{name}"), &[("main.tf", &main)], &[]);
        assert!(
            output.stderr.contains("   2:   value = ") && output.stderr.contains("\n   3: }"),
            "{output:?}"
        );
    }
}

#[test]
fn a_move_of_a_resource_and_one_of_an_instance_are_not_ambiguous() {
    let main = |from: &str, to: &str| {
        format!(
            "resource \"terraform_data\" \"new\" {{}}\nmoved {{\n  from = terraform_data.p[\"a\"]\n  to   = terraform_data.new\n}}\nmoved {{\n  \
             from = terraform_data.{from}\n  to   = terraform_data.{to}\n}}\n"
        )
    };
    assert_eq!(errors("moves-of-both", &main("q", "new")), [""; 0]);
    assert_eq!(errors("moves-of-instances", &main("q[\"a\"]", "new")), ["Ambiguous move statements"]);
}

#[test]
fn older_versions_know_less_of_what_is_unknown() {
    let main = "resource \"terraform_data\" \"r\" {\n  input = { k = 3 }\n}\noutput \"key\" {\n  value = terraform_data.r.output[\"k\"] == \
                \"abc\"\n}\n";
    let key = |version: &str| {
        let output = plan("unknown-key", &[("main.tf", main)], &["--as", version]);
        output.stdout.lines().find(|line| line.contains("+ key = ")).map(str::to_owned)
    };
    assert_eq!(key("terraform@1.11").as_deref(), Some("  + key = (known after apply)"));
    assert_eq!(key("terraform@1.15").as_deref(), Some("  + key = false"));
    let main = "resource \"terraform_data\" \"r\" {}\noutput \"both\" {\n  value = sensitive(true) && terraform_data.r.id == \"x\"\n}\n";
    let code = |version: &str| plan("unknown-both", &[("main.tf", main)], &["--as", version]).code;
    assert_eq!((code("terraform@1.11"), code("terraform@1.15")), (0, 1));
}

#[test]
fn errors_of_expressions_have_the_words_of_terraform() {
    let inputs = "variable \"null\" {\n  type    = string\n  default = null\n}\nlocals {\n  map  = tomap({ k = 1 })\n  list = tolist([\"a\"])\n}\n";
    for (value, said) in [
        ("0 / 0", "can't divide zero by zero or infinity by infinity."),
        ("1 / 0 - 1 / 0", "can't subtract infinity from itself."),
        ("1 / 0 + -1 / 0", "can't compute sum of opposing infinities."),
        ("(1 / 0) * 0", "can't multiply zero by infinity."),
        ("5 % (1 / 0)", "can't use modulo with zero and infinity."),
        ("local.map[1]", "The given key does not identify an element in this collection value.\n"),
        ("{ (var.null) = local.list }", "    │ var.null is null\n\nCan't use a null value as a key."),
        ("local.list[null]", "    │ local.list is list of string with 1 element\n"),
        ("sum({})", "cannot sum an empty list."),
    ] {
        let main = format!("{inputs}output \"o\" {{\n  value = {value}\n}}\n");
        let output = plan("words", &[("main.tf", &main)], &[]);
        assert!(output.stderr.contains(said), "{value}: {output:?}");
    }
    let main = format!("{inputs}output \"o\" {{\n  value = {{ var.null = 1 }}\n}}\n");
    let output = plan("words-key", &[("main.tf", &main)], &[]);
    assert!(output.stderr.contains("Ambiguous attribute key") && !output.stderr.contains('│'), "{output:?}");
}

#[test]
fn triggers_are_references() {
    let of_trigger = |trigger: &str, repetition: &str| {
        let main = format!(
            "resource \"terraform_data\" \"a\" {{\n  count = 2\n}}\nresource \"terraform_data\" \"b\" {{\n  {repetition}\n  lifecycle \
             {{\n    replace_triggered_by = [{trigger}]\n  }}\n}}\n"
        );
        errors("triggers", &main)
    };
    let one = "terraform_data.a[0].input";
    let none: [&str; 0] = [];
    for trigger in
        [one, "terraform_data.a", "terraform_data.a[count.index]", "terraform_data.a[0][\"input\"]"]
    {
        assert_eq!(of_trigger(trigger, "count = 1"), none, "{trigger}");
    }
    let unexpected = "Invalid replace_triggered_by expression";
    for trigger in [
        "terraform_data.a[*]",
        "terraform_data.a.*.input",
        &format!("upper({one})"),
        &format!("\"${{{one}}}\""),
        &format!("{one} == 1"),
        &format!("({one})"),
        &format!("true ? {one} : null"),
        &format!("[{one}]"),
        &format!("[for x in {one} : x]"),
    ] {
        assert_eq!(of_trigger(trigger, "count = 1"), [unexpected], "{trigger}");
    }
    // Nothing is evaluated where there are no instances.
    assert_eq!(of_trigger("terraform_data.a[*]", "count = 0"), none);
    assert_eq!(of_trigger("terraform_data.a[count.index + 1]", "count = 1"), ["Invalid expression"]);
    assert_eq!(
        of_trigger("terraform_data.a[count.index], terraform_data.a[each.key]", ""),
        [
            "Reference to \"count\" in non-counted context",
            "Reference to \"each\" in context without for_each"
        ]
    );
}

#[test]
fn a_plan_to_refresh_does_not_mind_what_is_removed_and_still_there() {
    let main = "resource \"terraform_data\" \"a\" {\n  input = \"x\"\n}\nremoved {\n  from = terraform_data.a\n  lifecycle {\n    \
                destroy = false\n  }\n}\n";
    let files = [("main.tf", main), ("terraform.tfstate", &state(&[("a", &[text("1", "x")])]))];
    let found = |arguments: &[&str]| errors_of(&plan("removed-there", &files, arguments).stderr);
    assert_eq!(found(&["--refresh-only"]), [""; 0]);
    for arguments in [&[][..], &["--refresh=false"], &["--destroy"]] {
        assert_eq!(found(arguments), ["Removed resource still exists"], "{arguments:?}");
    }
    // A destroy plan plans what is wanted only to refresh it.
    assert_eq!(found(&["--destroy", "--refresh=false"]), [""; 0]);
    assert_eq!(errors_of(&plan("removed-none", &files[..1], &["--destroy"]).stderr), [""; 0]);
    let moved = "resource \"terraform_data\" \"a\" {\n}\nmoved {\n  from = terraform_data.a\n  to   = terraform_data.b\n}\n";
    let files = [("main.tf", moved), files[1]];
    let found = |arguments: &[&str]| errors_of(&plan("moved-there", &files, arguments).stderr);
    assert_eq!(found(&["--destroy"]), ["Moved object still exists"]);
    assert_eq!(found(&["--refresh-only"]), ["Moved object still exists"]);
    assert_eq!(found(&["--destroy", "--refresh=false"]), [""; 0]);
}

#[test]
fn moves_in_a_circle_are_told_where_each_is_right() {
    let moved = "moved {\n  from = terraform_data.a\n  to   = terraform_data.b\n}\nmoved {\n  from = terraform_data.b\n  to   = \
                 terraform_data.a\n}\n";
    let still = format!("{moved}resource \"terraform_data\" \"a\" {{\n}}\n");
    assert_eq!(errors("moves-circle", &still), ["Moved object still exists"]);
    assert_eq!(errors("moves-circle", moved), ["Cyclic dependency in move statements"]);
}

/// A type with an identity, of a schema in version 1.
const IDENTITIES: &str = r#"{"format_version":"1.0","provider_schemas":{"registry.terraform.io/acme/sim":{
    "provider":{"version":0,"block":{}},
    "resource_schemas":{"sim_thing":{"version":0,"block":{"attributes":{
        "id":{"type":"string","computed":true},"name":{"type":"string","optional":true}}}}},
    "resource_identity_schemas":{"sim_thing":{"version":1,"attributes":{
        "id":{"type":"string","required_for_import":true},"zone":{"type":"string","optional_for_import":true}}}}}}}"#;

/// The identities in the prior state, in the planned values, and around the change; or the errors.
fn identities(
    version: u64,
    identity: &Json,
    rest: &str,
    arguments: &[&str],
) -> Result<Vec<Json>, Vec<String>> {
    let head = "terraform {\n  required_providers {\n    sim = { source = \"acme/sim\" }\n  }\n}\n";
    let tainted =
        if arguments.is_empty() && rest.contains("tainted") { json!("tainted") } else { Json::Null };
    let state = json!({"version": 4, "terraform_version": "1.15.5", "serial": 1, "lineage": "l", "outputs": {}, "resources": [
        {"mode": "managed", "type": "sim_thing", "name": "a", "provider": "provider[\"registry.terraform.io/acme/sim\"]",
         "instances": [{"schema_version": 0, "attributes": {"id": "i", "name": "n"}, "status": tainted,
                        "identity_schema_version": version, "identity": identity}]}]});
    let (main, state) = (format!("{head}{rest}"), state.to_string());
    let files = [("main.tf", &*main), ("terraform.tfstate", &state), ("schemas.json", IDENTITIES)];
    let folder = Folder::with("situation-identities", &files);
    let schemas = folder.at("schemas.json").display().to_string();
    let (directory, mut all) = (folder.0.clone().into_os_string(), Vec::<OsString>::new());
    all.extend(["plan".into(), directory, "--json".into(), "--schemas".into(), schemas.into()]);
    all.extend(arguments.iter().map(Into::into));
    let output = objchange(all, "");
    if output.code == 1 {
        return Err(errors_of(&output.stderr));
    }
    let document: Json =
        serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"));
    let prior = &document["prior_state"]["values"]["root_module"]["resources"][0];
    let planned = &document["planned_values"]["root_module"]["resources"][0];
    let change = &document["resource_changes"][0]["change"];
    assert_eq!(
        prior["identity_schema_version"],
        if prior["identity"].is_null() { Json::Null } else { json!(1) }
    );
    Ok(["identity", "", "before_identity", "after_identity"]
        .iter()
        .zip([prior, &planned["identity"], change, change])
        .map(|(name, value)| if name.is_empty() { value.clone() } else { value[name].clone() })
        .collect())
}

#[test]
fn identities_of_a_state_are_in_the_plan() {
    let named = |name: &str| format!("resource \"sim_thing\" \"a\" {{\n  name = {name:?}\n}}\n");
    let (same, other) = (named("n"), named("other"));
    let stored = json!({"id": "i"});
    let whole = json!({"id": "i", "zone": null});
    let of = |rest: &str, arguments: &[&str]| identities(1, &stored, rest, arguments).unwrap();
    let kept = vec![whole.clone(), whole.clone(), whole.clone(), whole.clone()];
    assert_eq!(of(&same, &[]), kept);
    assert_eq!(of(&other, &[]), kept);
    // A destroyed object has the identity that its provider plans, and nobody asked that.
    assert_eq!(of("", &[]), [whole.clone(), Json::Null, whole.clone(), Json::Null]);
    let forgotten = "removed {\n  from = sim_thing.a\n  lifecycle {\n    destroy = false\n  }\n}\n";
    assert_eq!(of(forgotten, &[]), [whole.clone(), Json::Null, Json::Null, Json::Null]);
    // A tainted object is planned as if there were none.
    assert_eq!(of(&format!("{same}# tainted\n"), &[])[2], Json::Null);
    assert_eq!(of(&same, &["--as", "terraform@1.11"]), [Json::Null, Json::Null, Json::Null, Json::Null]);
}

#[test]
fn a_wrong_identity_in_a_state_is_an_error() {
    let main = "resource \"sim_thing\" \"a\" {\n  name = \"n\"\n}\n";
    let of = |version: u64, identity: Json| identities(version, &identity, main, &[]);
    assert_eq!(of(1, Json::Null).unwrap(), [Json::Null, Json::Null, Json::Null, Json::Null]);
    // Only the provider could upgrade it.
    assert_eq!(of(0, json!({"arn": "a"})).unwrap(), [Json::Null, Json::Null, Json::Null, Json::Null]);
    assert_eq!(
        of(2, json!({"id": "i"})).unwrap_err(),
        ["Resource instance managed by newer provider version"]
    );
    for identity in [json!({"nope": 1}), json!({"id": "i", "nope": 1}), json!("i")] {
        let errors = of(1, identity.clone()).unwrap_err();
        assert!(errors[0].starts_with("failed to decode identity: "), "{identity}: {errors:?}");
    }
}
