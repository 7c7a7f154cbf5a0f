//! `--mask` hides values by their names, whoever shows them.

use serde_json::{Value, json};

use crate::folder::Folder;
use crate::program::objchange;

const SECRET: &str = "planted-4711";
const PROVIDER: &str = "registry.terraform.io/example/shop";
const MASK: [&str; 2] = ["--mask", "*password*"];

/// Values with a secret everywhere where a name says so. Nothing marks it.
fn values(secret: &str) -> Value {
    json!({
        "name": "a", "password": secret, "env": {"DB_PASSWORD": secret, "PORT": "1"},
        "list": [{"name": "db.password", "value": secret}, {"name": "port", "value": "1"}],
        "document": json!({"a": {"Password": secret}}).to_string(),
        "chart": format!("port: 1\nauth:\n  password: {secret}\n"),
        "helm": format!("env:\n- name: DB_PASSWORD\n  value: {secret}\n"),
        "pairs": [format!("DB_PASSWORD={secret}"), "PORT=1"],
        "block": [{"password": secret, "user": "b"}],
    })
}

/// A plan with the secret before and another one after.
fn plan(before: &str, after: &str) -> Value {
    let resource = json!({"address": "shop_disk.a", "mode": "managed", "type": "shop_disk", "name": "a",
        "provider_name": PROVIDER, "schema_version": 0});
    let with = |name: &str, value: Value| {
        let mut resource = resource.clone();
        resource[name] = value;
        resource
    };
    let constants = |secret: &str| {
        let mut expressions = json!({"block": [{"password": {"constant_value": secret}}]});
        for (name, value) in values(secret).as_object().unwrap() {
            if name != "block" {
                expressions[name] = json!({"constant_value": value});
            }
        }
        expressions
    };
    let identity = |secret: &str| json!({"id": "a", "password": secret});
    let change = json!({"actions": ["update"], "before": values(before), "after": values(after),
        "after_unknown": {}, "before_sensitive": {}, "after_sensitive": {}, "importing": {"identity": identity(before)},
        "before_identity": identity(before), "after_identity": identity(after)});
    let state = |secret: &str| {
        json!({"outputs": {"db_password": {"sensitive": false, "type": "string", "value": secret}},
            "root_module": {"resources": [with("values", values(secret))]}})
    };
    let config = json!({"address": "shop_disk.a", "mode": "managed", "type": "shop_disk", "name": "a",
        "provider_config_key": "shop", "expressions": constants(after),
        "provisioners": [{"type": "local-exec", "expressions": constants(after)}]});
    let called = json!({"variables": {"password": {"default": after}},
        "outputs": {"password": {"expression": {"constant_value": after}}}});
    json!({"format_version": "1.2", "terraform_version": "1.11.4",
        "variables": {"db_password": {"value": after}, "settings": {"value": {"password": after}}},
        "planned_values": state(after), "resource_drift": [with("change", change.clone())],
        "resource_changes": [with("change", change)],
        "output_changes": {
            "db_password": {"actions": ["update"], "before": before, "after": after},
            "settings": {"actions": ["update"], "before": {"password": before}, "after": {"password": after}}},
        "prior_state": {"format_version": "1.0", "terraform_version": "1.11.4", "values": state(before)},
        "configuration": {"provider_config": {"shop": {"name": "shop", "full_name": PROVIDER,
                "expressions": {"password": {"constant_value": after}}}},
            "root_module": {"resources": [config], "variables": {"db_password": {}, "settings": {}},
                "outputs": {"db_password": {"expression": {"constant_value": after}}, "settings": {"expression": {}}},
                "module_calls": {"m": {"source": "./m", "module": called,
                    "expressions": {"password": {"constant_value": after}}}}}}})
}

fn state_file() -> Value {
    json!({"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "x",
        "outputs": {"db_password": {"value": SECRET, "type": "string"}}, "resources": [{
            "mode": "managed", "type": "shop_disk", "name": "a", "provider": format!("provider[\"{PROVIDER}\"]"),
            "instances": [{"schema_version": 0, "attributes": values(SECRET)}]}]})
}

/// Runs a command with masked names: its output has no secret, and without them it does.
#[track_caller]
fn hides(arguments: &[&str]) -> String {
    let masked = objchange([arguments, &MASK].concat(), "");
    let shown = format!("{}{}", masked.stdout, masked.stderr);
    assert!(masked.code < 2, "{masked:?}");
    assert!(!shown.contains(SECRET), "{arguments:?}: {masked:?}");
    masked.stdout
}

#[track_caller]
fn hides_what_is_shown(arguments: &[&str]) -> String {
    let open = objchange(arguments, "");
    assert!(format!("{}{}", open.stdout, open.stderr).contains(SECRET), "{open:?}");
    hides(arguments)
}

#[test]
fn values_of_masked_names_are_hidden_in_every_answer() {
    let folder = Folder::new("masked");
    let path = |name: &str, text: &str| folder.file(name, text).display().to_string();
    let other = format!("{SECRET}-other");
    let document = path("plan.json", &plan(SECRET, &other).to_string());
    let second = path("other.json", &plan(SECRET, &format!("{SECRET}-third")).to_string());
    let state = path("terraform.tfstate", &state_file().to_string());
    for document in [&document, &state] {
        let text = hides_what_is_shown(&["show", document]);
        assert!(text.contains("password"), "{text}");
        hides_what_is_shown(&["show", document, "--full"]);
        hides_what_is_shown(&["show", document, "--json"]);
        hides_what_is_shown(&["show", document, "--format", "markdown"]);
        hides_what_is_shown(&["show", document, "--format", "html"]);
    }
    hides_what_is_shown(&["show", &document, "--summary"]);
    hides(&["show", &document, "--document", "--redacted"]);
    hides_what_is_shown(&["diff", &document, &second]);
    hides_what_is_shown(&["diff", &document, &second, "--json"]);
    hides_what_is_shown(&["diff", &document, &second, "--format", "markdown"]);
    for format in ["markdown", "html", "text", "json"] {
        hides(&["review", &document, "--format", format]);
    }
    let kinds = [
        ("changes", "rc.change"),
        ("drift", "rc.change"),
        ("planned", "rc.values"),
        ("state", "rc.values"),
        ("config", "rc.config"),
        ("outputs", "rc.change"),
        ("variables", "rc.value"),
    ];
    for (of, field) in kinds {
        hides(&["query", &document, "true", "--of", of, "--select", field]);
    }
    let sections = ["resource_changes", "resource_drift", "planned_values", "prior_state", "output_changes"];
    let others = ["variables", "configuration", "tfplan.variables", "tfplan.raw", "tfconfig", "tfstate"];
    for section in sections.into_iter().chain(others) {
        let policy =
            format!("package main\nimport rego.v1\ndeny contains sprintf(\"%v\", [input.{section}])");
        hides_what_is_shown(&["policy", &document, "--rego", &path("p.rego", &policy)]);
        hides(&["review", &document, "--rego", &path("p.rego", &policy)]);
    }
    let policy = "import \"tfplan/v2\" as tfplan\nimport \"tfstate/v2\" as tfstate\nimport \"tfconfig/v2\" as tfconfig\n\
                  print(tfplan.resource_changes, tfplan.planned_values, tfplan.raw, tfplan.variables, tfplan.output_changes)\n\
                  print(tfstate.resources, tfstate.outputs)\n\
                  print(tfconfig.resources, tfconfig.providers, tfconfig.provisioners, tfconfig.module_calls)\n\
                  print(tfconfig.variables, tfconfig.outputs)\nmain = rule { false }\n";
    let policy = path("p.sentinel", policy);
    hides(&["sentinel", "apply", &policy, "--plan", &document, "--trace"]);
    hides(&["sentinel", "apply", &policy, "--plan", &document, "--state", &state, "--trace"]);
    for document in [&document, &state] {
        let out = folder.at("mocks").display().to_string();
        hides(&["sentinel", "mock", document, "--out", &out, "--force"]);
        let files = std::fs::read_dir(&out).unwrap();
        let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        let texts = texts.collect::<String>();
        assert!(!texts.contains(SECRET), "{texts}");
    }
    // Masked values are no part of a hash without a key, as all sensitive values.
    assert_eq!(hides(&["hash", &document]), hides(&["hash", &second]));
    assert_ne!(objchange(["hash", &document], "").stdout, objchange(["hash", &second], "").stdout);
}

#[test]
fn redacted_documents_have_no_constant_that_schemas_call_sensitive() {
    let folder = Folder::new("redacted-schemas");
    let plan = json!({"format_version": "1.2", "resource_changes": [], "configuration": {"root_module": {"resources": [
        {"address": "shop_disk.a", "mode": "managed", "type": "shop_disk", "name": "a", "provider_config_key": "shop",
            "expressions": {"pin": {"constant_value": SECRET}, "size": {"constant_value": "large"}}}]}}});
    let schemas = json!({"format_version": "1.0", "provider_schemas": {PROVIDER: {"resource_schemas": {"shop_disk": {
        "version": 0, "block": {"attributes": {"pin": {"type": "string", "optional": true, "sensitive": true},
            "size": {"type": "string", "optional": true}}}}}}}});
    let document = folder.file("plan.json", &plan.to_string()).display().to_string();
    let schemas = folder.file("schemas.json", &schemas.to_string()).display().to_string();
    let arguments = ["show", &document, "--document", "--redacted"];
    assert!(objchange(arguments, "").stdout.contains(SECRET));
    let redacted = objchange([&arguments[..], &["--schemas", &schemas]].concat(), "");
    assert!(redacted.code == 0 && !redacted.stdout.contains(SECRET), "{redacted:?}");
    assert!(redacted.stdout.contains("large"), "{redacted:?}");
}

#[test]
fn a_mask_that_hides_nothing_is_named() {
    let folder = Folder::new("masked-nothing");
    let document = folder.file("plan.json", &plan("a", "b").to_string()).display().to_string();
    let policy =
        folder.file("p.rego", "package main\n\ndeny contains \"x\" if input.errored\n").display().to_string();
    for command in [
        &["show", &document][..],
        &["show", &document, "--document", "--redacted"],
        &["review", &document],
        &["query", &document, "true"],
        &["policy", &document, "--rego", &policy],
        &["hash", &document],
        &["diff", &document, &document],
    ] {
        let output = objchange([command, &MASK, &["--mask", "nosuch*"]].concat(), "");
        assert_eq!(output.code, 0, "{output:?}");
        assert!(
            output.stderr.contains("note: --mask nosuch* hides nothing here\n"),
            "{command:?}: {output:?}"
        );
        assert!(!output.stderr.contains("--mask *password*"), "{command:?}: {output:?}");
    }
}

#[test]
fn values_of_masked_names_are_hidden_in_plans_of_directories() {
    let folder = Folder::new("masked-directory");
    let main = format!(
        "variable \"db_password\" {{\n  default = \"{SECRET}\"\n}}\n\
         resource \"terraform_data\" \"a\" {{\n  input = {{ password = var.db_password, port = \"1\" }}\n}}\n\
         output \"db_password\" {{\n  value = var.db_password\n}}\n"
    );
    folder.file("root/main.tf", &main);
    let root = folder.at("root").display().to_string();
    for command in [
        &["plan", &root, "--no-state"][..],
        &["plan", &root, "--no-state", "--full"],
        &["show", &root, "--no-state"],
        &["show", &root, "--no-state", "--json"],
        &["show", &root, "--no-state", "--format", "markdown"],
    ] {
        let shown = hides_what_is_shown(command);
        assert!(shown.contains("port") && shown.contains("(sensitive value)") || command.contains(&"--json"));
    }
    let document = objchange([&["plan", &root, "--no-state", "--json"][..], &MASK].concat(), "").stdout;
    let document: Value = serde_json::from_str(&document).unwrap();
    let change = &document["resource_changes"][0]["change"];
    assert_eq!(change["after_sensitive"]["input"], json!({"password": true}), "{change}");
    let refused = objchange(["plan", &root, "--explain", "var.db_password", "--mask", "*"], "");
    assert_eq!(refused.code, 2, "{refused:?}");
    let empty = objchange(["show", &root, "--mask", ""], "");
    assert!(empty.stderr.contains("expected a glob of names"), "{empty:?}");
}
