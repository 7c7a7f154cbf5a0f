//! Modules in OpenTofu's language.

use std::ffi::OsString;

use serde_json::{Value as Json, json};

use crate::folder::Folder;
use crate::program::{Output, objchange};

fn plan(test: &str, files: &[(&str, &str)], arguments: &[&str]) -> Output {
    let folder = Folder::with(&format!("opentofu-{test}"), files);
    let mut all: Vec<OsString> = vec!["plan".into(), folder.0.clone().into()];
    all.extend(arguments.iter().map(Into::into));
    objchange(all, "")
}

fn as_opentofu(test: &str, main: &str) -> Output {
    plan(test, &[("main.tf", main)], &["--as", "opentofu"])
}

/// A state with an object of `terraform_data.a` in each of these modules.
fn state(modules: &[Option<&str>]) -> String {
    let attributes = json!({"id": "1", "input": null, "output": null, "triggers_replace": null});
    let resource = |module: &Option<&str>| {
        let mut resource = json!({"mode": "managed", "type": "terraform_data", "name": "a",
            "provider": "provider[\"terraform.io/builtin/terraform\"]",
            "instances": [{"schema_version": 0, "attributes": attributes}]});
        if let Some(module) = module {
            resource["module"] = json!(module);
        }
        resource
    };
    let resources: Vec<Json> = modules.iter().map(resource).collect();
    json!({"version": 4, "terraform_version": "1.12.0", "serial": 1, "lineage": "x", "outputs": {}, "resources": resources})
        .to_string()
}

#[test]
fn what_is_not_enabled_is_not_there() {
    let child = "resource \"terraform_data\" \"a\" {}\n";
    let main = "variable \"on\" {\n  default = false\n}\nresource \"terraform_data\" \"a\" {\n  lifecycle {\n    enabled = var.on\n  }\n}\n\
                module \"m\" {\n  source = \"./m\"\n  lifecycle {\n    enabled = var.on\n  }\n}\n\
                output \"o\" {\n  value = [terraform_data.a == null, module.m == null]\n}\n";
    let stored = state(&[None, Some("module.m")]);
    let files = [("main.tf", main), ("m/main.tf", child), ("terraform.tfstate", &*stored)];
    let output = plan("disabled", &files, &["--as", "opentofu"]);
    assert_eq!(output.code, 0, "{output:?}");
    let why = "  # terraform_data.a will be destroyed\n  # (because enabled is false)\n";
    assert!(output.stdout.contains(why), "{output:?}");
    assert!(output.stdout.contains("  # (because module.m is not in configuration)\n"), "{output:?}");
    assert!(output.stdout.contains("  + o = [\n      + true,\n      + true,\n    ]\n"), "{output:?}");
    let output = plan("enabled", &files, &["--as", "opentofu", "--var", "on=true"]);
    assert!(output.code == 0 && !output.stdout.contains("destroyed"), "{output:?}");
    // Terraform has no such argument.
    let output = plan("enabled-terraform", &files, &[]);
    assert!(output.code == 1 && output.stderr.contains("Error: Unsupported argument"), "{output:?}");
}

#[test]
fn faults_of_enabled_have_their_place() {
    let found = |name: &str, before: &str, value: &str| {
        let main = format!(
            "resource \"terraform_data\" \"b\" {{}}\nresource \"terraform_data\" \"a\" {{\n{before}  lifecycle {{\n    enabled = {value}\n  }}\n}}\n"
        );
        let output = as_opentofu(&format!("enabled-{name}"), &main);
        assert_eq!(output.code, 1, "{output:?}");
        assert!(output.stderr.contains(&format!("    enabled = {value}\n")), "{output:?}");
        output.stderr
    };
    let said = found("count", "  count = 1\n", "true");
    assert!(said.contains("Error: Invalid combination of \"enabled\" and \"count\""), "{said}");
    let said = found("unknown", "", "terraform_data.b.id == \"x\"");
    assert!(said.contains("The given \"enabled\" argument value is unknown until apply."), "{said}");
    let said = found("undeclared", "", "var.nope");
    assert!(said.contains("Error: Reference to undeclared input variable"), "{said}");
}

#[test]
fn variables_may_prevent_that_something_is_destroyed() {
    let main = "variable \"keep\" {\n  default = true\n}\nresource \"terraform_data\" \"a\" {\n  lifecycle {\n    prevent_destroy = var.keep\n  }\n}\n";
    let stored = state(&[None]);
    let files = [("main.tf", main), ("terraform.tfstate", &*stored)];
    let output = plan("prevented", &files, &["--as", "opentofu", "--destroy"]);
    assert!(output.code == 1 && output.stderr.contains("Error: Instance cannot be destroyed"), "{output:?}");
    let output = plan("not-prevented", &files, &["--as", "opentofu", "--destroy", "--var", "keep=false"]);
    assert_eq!(output.code, 0, "{output:?}");
    let output = plan("prevented-terraform", &files, &["--destroy"]);
    assert!(output.code == 1 && output.stderr.contains("Error: Variables not allowed"), "{output:?}");
}

#[test]
fn each_instance_of_a_module_has_its_own_prevention() {
    let main = |keys: &str| {
        format!(
            "module \"m\" {{\n  source   = \"./m\"\n  for_each = toset({keys})\n  keep     = each.key == \"kept\"\n}}\n"
        )
    };
    let child = "variable \"keep\" {\n}\nresource \"terraform_data\" \"a\" {\n  count = 0\n  lifecycle {\n    prevent_destroy = var.keep\n  }\n}\n";
    let stored = |keys: &[&str]| {
        let modules: Vec<String> = keys.iter().map(|key| format!("module.m[\"{key}\"]")).collect();
        state(&modules.iter().map(|module| Some(&**module)).collect::<Vec<_>>())
    };
    let planned = |name: &str, keys: &str, stored: &str| {
        let main = main(keys);
        let files = [("main.tf", &*main), ("m/main.tf", child), ("terraform.tfstate", stored)];
        plan(name, &files, &["--as", "opentofu"])
    };
    // Only `gone` loses an object, and its own expression does not hold.
    let output = planned("own-prevention", "[\"kept\", \"gone\"]", &stored(&["gone"]));
    assert_eq!(output.code, 0, "{output:?}");
    let output = planned("own-prevention-held", "[\"kept\", \"gone\"]", &stored(&["gone", "kept"]));
    assert_eq!(output.code, 1, "{output:?}");
    let said = "Resource module.m[\"kept\"].terraform_data.a[0] has lifecycle.prevent_destroy";
    assert!(output.stderr.replace('\n', " ").contains(said), "{output:?}");
    assert!(!output.stderr.contains("module.m[\"gone\"]"), "{output:?}");
    // The variables of an instance that is gone are gone, too, so another instance decides.
    let output = planned("own-prevention-gone", "[\"kept\"]", &stored(&["gone"]));
    assert!(output.code == 1 && output.stderr.contains("Instance cannot be destroyed"), "{output:?}");
}

#[test]
fn its_cycles_and_what_it_forgets_are_in_its_words() {
    let cycle = "locals {\n  a = local.b\n  b = local.a\n}\n";
    let output = as_opentofu("cycle", cycle);
    assert!(
        output.code == 1 && output.stderr.contains("Cycle: local.a (expand), local.b (expand)"),
        "{output:?}"
    );
    let terraform = plan("cycle-terraform", &[("main.tf", cycle)], &[]);
    assert!(terraform.stderr.contains("Cycle:\n"), "{terraform:?}");
    let removed = "removed {\n  from = terraform_data.a\n  lifecycle {\n    destroy = false\n  }\n}\n";
    let stored = state(&[None]);
    let files = [("main.tf", removed), ("terraform.tfstate", &*stored)];
    let output = plan("forgets", &files, &["--as", "opentofu"]);
    let (said, shown) = (output.stderr.replace('\n', " "), output.stdout.replace('\n', " "));
    assert!(said.contains("Some objects will no longer be managed by OpenTofu"), "{output:?}");
    assert!(said.contains("import them into OpenTofu to manage them again"), "{output:?}");
    assert!(!said.contains("Terraform") && !shown.contains("Terraform"), "{output:?}");
    assert!(
        shown.contains("will be removed from the OpenTofu state but will not be destroyed"),
        "{output:?}"
    );
}

/// A module with a provider for each region, which a child module gets, too. `KEY` is that of the resource here.
const REGIONS: &str = "variable \"regions\" {\n  default = { eu = \"eu-west-1\", us = \"us-east-1\" }\n}\n\
    provider \"null\" {\n  alias    = \"by\"\n  for_each = var.regions\n}\n\
    resource \"null_resource\" \"own\" {\n  for_each = toset([\"eu\"])\n  provider = null.by[KEY]\n}\n\
    module \"m\" {\n  source    = \"./m\"\n  for_each  = var.regions\n  providers = { null = null.by[each.key] }\n}\n";

#[test]
fn providers_may_have_an_instance_for_each_key() {
    let child = "terraform {\n  required_providers {\n    null = { source = \"hashicorp/null\" }\n  }\n}\nresource \"null_resource\" \"c\" {}\n";
    let schemas =
        json!({"format_version": "1.0", "provider_schemas": {"registry.opentofu.org/hashicorp/null": {
        "provider": {"version": 0, "block": {}},
        "resource_schemas": {"null_resource": {"version": 0, "block": {"attributes": {
            "id": {"type": "string", "computed": true}}}}}}}})
        .to_string();
    let planned = |name: &str, main: &str, more: &[&str]| {
        let files = [("main.tf", main), ("m/main.tf", child), ("schemas.json", &*schemas)];
        let folder = Folder::with(&format!("opentofu-{name}"), &files);
        let mut all: Vec<OsString> = vec!["plan".into(), folder.0.clone().into()];
        all.extend(["--as".into(), "opentofu".into(), "--schemas".into(), folder.at("schemas.json").into()]);
        all.extend(more.iter().map(Into::into));
        objchange(all, "")
    };
    for key in ["\"eu\"", "each.key", "each.value"] {
        let output = planned("instances", &REGIONS.replace("KEY", key), &[]);
        assert_eq!(output.code, 0, "{output:?}");
        assert!(output.stdout.contains("module.m[\"us\"].null_resource.c will be created"), "{output:?}");
        assert!(output.stdout.contains("Plan: 3 to add"), "{output:?}");
    }
    let literal = REGIONS.replace("KEY", "\"eu\"");
    for (name, main, said) in [
        ("no-such-key", REGIONS.replace("KEY", "\"asia\""), "has no instance \"asia\". Its keys: eu, us."),
        ("null-key", REGIONS.replace("KEY", "null"), "is null."),
        (
            "unknown-key",
            REGIONS.replace("[KEY]", "[null_resource.other.id]")
                + "resource \"null_resource\" \"other\" {\n  provider = null.by[\"eu\"]\n}\n",
            "",
        ),
        ("without-key", REGIONS.replace("[KEY]", ""), "Error: Provider instance key required"),
        (
            "without-alias",
            literal.replace("  alias    = \"by\"\n", ""),
            "Error: Alias required for for_each of a provider",
        ),
        (
            "without-for-each",
            literal.replace("  for_each = var.regions\n}", "}"),
            "Error: Unexpected provider instance key",
        ),
        (
            "of-a-resource",
            literal.replace("  for_each = var.regions\n}", "  for_each = toset([terraform_data.x.id])\n}")
                + "resource \"terraform_data\" \"x\" {}\n",
            "Error: Invalid for_each of a provider",
        ),
        (
            "undeclared",
            literal.replace("for_each = var.regions\n}", "for_each = var.nope\n}"),
            "Error: Reference to undeclared input variable",
        ),
    ] {
        let output = planned(name, &main, &[]);
        let stderr = output.stderr.replace('\n', " ");
        match said {
            // Only the provider knows the key.
            "" => assert_eq!(output.code, 0, "{output:?}"),
            said => assert!(output.code == 1 && stderr.contains(said), "{name}: {output:?}"),
        }
    }
    // Terraform has no such argument.
    let output = plan("instances-terraform", &[("main.tf", &literal), ("m/main.tf", child)], &[]);
    assert!(output.stderr.contains("Error: Reserved argument name in provider block"), "{output:?}");
}

#[test]
fn its_functions_and_its_registry_are_known() {
    let main = "output \"o\" {\n  value = [urldecode(\"a%20b\"), cidrcontains(\"10.0.0.0/8\", \"10.1.0.0/16\"), base64gunzip(base64gzip(\"hey\"))]\n}\n\
                resource \"null_resource\" \"n\" {}\n";
    let output = as_opentofu("functions", main);
    let values = "  + o = [\n      + \"a b\",\n      + true,\n      + \"hey\",\n    ]\n";
    assert!(output.code == 0 && output.stdout.contains(values), "{output:?}");
    assert!(output.stderr.contains("registry.opentofu.org/hashicorp/null"), "{output:?}");
    let output = plan("functions-terraform", &[("main.tf", main)], &[]);
    let said = "There is no function named \"urldecode\". Did you mean \"urlencode\"?";
    assert!(output.code == 1 && output.stderr.contains(said), "{output:?}");
}

#[test]
fn what_is_not_supported_is_refused_with_its_place() {
    let variable = "variable \"d\" {\n  default = \"./m\"\n}\n";
    for (name, body, summary, line) in [
        (
            "source",
            "module \"m\" {\n  source = var.d\n}\n",
            "Early evaluation is not supported here",
            "   5:   source = var.d\n",
        ),
        (
            "backend",
            "terraform {\n  backend \"local\" {\n    path = var.d\n  }\n}\n",
            "Early evaluation is not supported here",
            "   6:     path = var.d\n",
        ),
        (
            "encryption",
            "terraform {\n  encryption {\n  }\n}\n",
            "Encryption is not supported here",
            "   5:   encryption {\n",
        ),
    ] {
        let output = as_opentofu(&format!("refused-{name}"), &format!("{variable}{body}"));
        assert_eq!(output.code, 1, "{output:?}");
        assert!(output.stderr.contains(&format!("Error: {summary}\n")), "{output:?}");
        assert!(output.stderr.contains(line), "{output:?}");
    }
}

#[test]
fn texts_of_versions_that_are_not_known_are_those_of_others_with_a_warning() {
    let document = |version: &str| {
        json!({"format_version": "1.2", "terraform_version": version, "resource_changes": [],
            "output_changes": {"o": {"actions": ["create"], "before": null, "after": 1, "after_unknown": false,
                "before_sensitive": false, "after_sensitive": false}}})
        .to_string()
    };
    for (version, arguments, warning) in [
        ("1.9.0", &["--as", "opentofu"][..], Some("OpenTofu 1.9; its text is that of OpenTofu 1.12")),
        ("1.9.0", &[], None),
        ("1.13.0", &["--as", "opentofu@1.13"], None),
        ("1.3.9", &[], Some("Terraform 1.3; its text is that of Terraform 1.4")),
        ("1.4.0", &[], None),
    ] {
        let output = objchange([&["show"], arguments].concat(), document(version));
        assert_eq!(output.code, 0, "{output:?}");
        match warning {
            Some(text) => {
                assert!(output.stderr.contains(&format!("warning: the document is of {text}")), "{output:?}");
            }
            None => assert!(!output.stderr.contains("the document is of"), "{output:?}"),
        }
    }
}
