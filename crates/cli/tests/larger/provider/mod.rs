//! `objchange provider` with a provider: this very program, when it is started as one.

pub(crate) mod kit;
#[cfg(unix)]
mod processes;
mod secrets;
mod state;

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use libtest_mimic::Trial;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::folder;
use crate::program::{Output, objchange};

pub(crate) fn trials() -> Vec<Trial> {
    let has_terraform = Command::new("terraform")
        .arg("version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    let tests: [(&str, fn()); 18] = [
        ("a_plan_is_shown_as_terraform_shows_it", a_plan_is_shown),
        ("violations_are_shown", violations_are_shown),
        ("nothing_is_applied_unless_it_is_asked_for", nothing_is_applied),
        ("an_object_lives_in_a_state_file", an_object_lives),
        ("another_plan_at_apply_is_not_applied", another_plan_at_apply),
        ("functions_and_data_sources", functions_and_data_sources),
        ("a_crash_is_told_with_its_log", a_crash_is_told),
        ("schemas_are_asked_for", schemas_are_asked_for),
        ("no_secret_is_shown", no_secret_is_shown),
        ("a_session_is_judged_again", a_session_is_judged_again),
        ("a_state_that_cannot_be_written_changes_nothing", state::is_checked_first),
        ("other_objects_in_a_state_are_kept", state::keeps_other_objects),
        ("a_state_that_fails_late_is_saved_elsewhere", state::is_rescued),
        ("no_output_has_a_secret", secrets::no_output_has_a_secret),
        ("what_a_provider_writes_has_bounds", secrets::what_a_provider_writes_has_bounds),
        ("whatever_ends_the_program_leaves_no_process", processes::whatever_ends_the_program),
        ("daemons_and_files_of_a_provider_are_gone", processes::daemons_are_gone),
        ("what_a_failed_change_leaves_is_saved", state::saves_what_a_failure_leaves),
    ];
    let trial = |(name, test): (&'static str, fn())| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    let mut trials: Vec<Trial> = tests.map(trial).into();
    let compared = trial(("schemas_are_those_that_terraform_prints", schemas_of_terraform));
    trials.push(compared.with_ignored_flag(!has_terraform));
    trials
}

fn binary() -> String {
    format!("{}=example.com/test/kit", env::current_exe().unwrap().display())
}

/// A folder whose files are arguments.
struct Folder(folder::Folder);

impl Folder {
    fn new(test: &str) -> Self {
        Self(folder::Folder::new(&format!("provider-{test}")))
    }

    fn path(&self, name: &str) -> String {
        self.0.at(name).to_str().unwrap().to_owned()
    }

    fn file(&self, name: &str, text: impl AsRef<str>) -> String {
        self.0.file(name, text.as_ref());
        self.path(name)
    }
}

#[track_caller]
fn provider_command(command: &str, arguments: &[&str]) -> Output {
    let binary = binary();
    objchange(["provider", command, &binary].iter().chain(arguments), "")
}

fn config() -> Value {
    json!({"name": "a", "size": 1, "secret": "hunter2", "token": "written"})
}

fn a_plan_is_shown() {
    let folder = Folder::new("plan");
    let object = folder.file("config.json", config().to_string());
    let block = folder
        .file("main.tf", "resource \"kit_thing\" \"t\" {\n  name = var.name\n}\nvariable \"name\" {}\n");
    for extra in [&[][..], &["--mtls"]] {
        let output =
            provider_command("plan", &[&["--type", "kit_thing", "--config", &object], extra].concat());
        assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{output:?}");
        assert!(output.stdout.contains("+ resource \"kit_thing\" \"this\" {"), "{output:?}");
        assert!(output.stdout.contains("+ secret = (sensitive value)"), "{output:?}");
    }
    let output = provider_command("plan", &["--config", &block, "--var", "name=b"]);
    assert!(output.stdout.contains("+ name   = \"b\""), "{output:?}");
    let output = provider_command("plan", &["--config", &block, "--type", "kit_thin"]);
    assert_eq!(output.code, 2, "{output:?}");
    let output = provider_command("plan", &["--type", "kit_thin", "--config", &object]);
    assert!(output.stderr.contains("no resource type \"kit_thin\"; did you mean kit_thing"), "{output:?}");
}

fn violations_are_shown() {
    let folder = Folder::new("violations");
    let config = folder.file("config.json", config().to_string());
    let output = provider_command("plan", &["--type", "kit_planned_string", "--config", &config]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stdout.contains("Terraform would refuse this plan"), "{output:?}");
    let arguments = ["--type", "kit_applied_string", "--config", &config, "--apply"];
    let output = provider_command("apply", &arguments);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("name: was planned as"), "{output:?}");
    let state = folder.path("s.tfstate");
    let made = ["--type", "kit_planned_survival", "--config", &config, "--apply", "--state-out", &state];
    assert_eq!(provider_command("apply", &made).code, 0);
    let (nothing, address) = (folder.file("null.json", "null"), "kit_planned_survival.this");
    let gone =
        ["--type", "kit_planned_survival", "--config", &nothing, "--prior", &state, "--address", address];
    let output = provider_command("plan", &gone);
    assert!(output.code == 1 && output.stderr.contains("to be destroyed"), "{output:?}");
}

fn nothing_is_applied() {
    let folder = Folder::new("not-applied");
    let config = folder.file("config.json", config().to_string());
    // This one would be noticed.
    let output = provider_command("apply", &["--type", "kit_applied_string", "--config", &config]);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stderr.contains("nothing was changed"), "{output:?}");
    let state = ["--type", "kit_thing", "--config", &config, "--state-out", "x"];
    assert_eq!(provider_command("apply", &state).code, 2);
}

fn an_object_lives() {
    let folder = Folder::new("life");
    let (first, state) = (folder.file("config.json", config().to_string()), folder.path("s.tfstate"));
    let apply = ["--type", "kit_thing", "--config", &first, "--apply", "--state-out", &state];
    let output = provider_command("apply", &apply);
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.stdout.ends_with("\ncreated\n"), "{output:?}");
    let stored: Value = serde_json::from_str(&fs::read_to_string(&state).unwrap()).unwrap();
    let instance = &stored["resources"][0]["instances"][0];
    assert_eq!(instance["attributes"]["secret"], "hunter2");
    assert_eq!(instance["attributes"]["token"], Value::Null);
    let of_state = ["--type", "kit_thing", "--prior", &state, "--address", "kit_thing.this"];
    let output = provider_command("plan", &[&of_state[..], &["--config", &first, "--refresh"]].concat());
    assert!(output.stdout.contains("No changes."), "{output:?}");
    let output = provider_command("read", &of_state);
    let read: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((&read["name"], &read["secret"]["$sensitive"]), (&json!("a"), &json!("(sensitive value)")));
    // An attribute that the schema lost is left out, unless the schema's version calls for an upgrade.
    let mut older = stored.clone();
    older["resources"][0]["instances"][0]["attributes"]["gone"] = json!({"hunter": 2});
    let older = folder.file("older.tfstate", older.to_string());
    let arguments = ["--type", "kit_thing", "--prior", &older, "--address", "kit_thing.this"];
    let again = provider_command("read", &arguments);
    assert_eq!((again.code, &again.stdout), (0, &output.stdout), "{again:?}");
    // Our other commands read it, and so does Terraform.
    let shown = objchange(["show", &state], "");
    assert!(shown.code == 0 && shown.stdout.contains("kit_thing"), "{shown:?}");
    let changed = folder.file("changed.json", json!({"name": "b", "size": 1}).to_string());
    let arguments =
        [&of_state[..], &["--config", &changed, "--apply", "--state-out", &state, "--json"]].concat();
    let output = provider_command("apply", &arguments);
    let lines: Vec<Value> = output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2, "{output:?}");
    assert_eq!((&lines[1]["action"], &lines[1]["object"]["name"]), (&json!("update"), &json!("b")));
    let nothing = folder.file("null.json", "null");
    let arguments = [&of_state[..], &["--config", &nothing, "--apply", "--state-out", &state]].concat();
    let output = provider_command("apply", &arguments);
    assert!(output.stdout.ends_with("\ndestroyed\n"), "{output:?}");
    let stored: Value = serde_json::from_str(&fs::read_to_string(&state).unwrap()).unwrap();
    assert_eq!(stored["resources"], json!([]));
    let imported =
        ["--type", "kit_thing", "--id", "x", "--state-out", &state, "--address", "kit_thing.a[\"k\"]"];
    assert_eq!(provider_command("import", &imported).code, 0);
    assert!(fs::read_to_string(&state).unwrap().contains("\"index_key\": \"k\""));
}

fn another_plan_at_apply() {
    let folder = Folder::new("final");
    let (config, state) = (folder.file("config.json", config().to_string()), folder.path("s.tfstate"));
    // It finds what it left with its first plan, and plans something else.
    let arguments = ["--type", "kit_moody", "--config", &config, "--apply", "--state-out", &state];
    let output = provider_command("apply", &arguments);
    assert!(
        output.code == 1 && output.stderr.contains("final plan differs from its first plan"),
        "{output:?}"
    );
    assert!(!PathBuf::from(&state).exists());
}

fn functions_and_data_sources() {
    let folder = Folder::new("functions");
    let output = provider_command("call-function", &["same", "\"x\""]);
    assert_eq!((output.code, output.stdout.as_str()), (0, "\"x\"\n"));
    let output = provider_command("call-function", &["same", "{\"$sensitive\":\"hunter2\"}"]);
    assert!(!output.stdout.contains("hunter2"), "{output:?}");
    for (arguments, code) in [
        (&["same"][..], 2),
        (&["same", "{\"$unknown\":{}}"], 2),
        (&["sam", "1"], 2),
        (&["nothing", "\"x\""], 1),
    ] {
        assert_eq!(provider_command("call-function", arguments).code, code, "{arguments:?}");
    }
    let config = folder.file("config.json", json!({"name": "a"}).to_string());
    let output = provider_command("read", &["--data", "kit_thing", "--config", &config]);
    assert_eq!(serde_json::from_str::<Value>(&output.stdout).unwrap()["id"], "found");
    let output = provider_command("read", &["--data", "kit_unknown", "--config", &config]);
    assert!(output.code == 1 && output.stderr.contains("must be known"), "{output:?}");
    let output = provider_command("validate", &["--type", "kit_thing", "--config", &config]);
    assert_eq!((output.code, output.stdout.as_str()), (0, ""));
    let output = provider_command("validate", &["--type", "kit_thing", "--config", &config, "--json"]);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((output.code, &report["valid"]), (0, &json!(true)), "{output:?}");
}

fn a_crash_is_told() {
    let folder = Folder::new("crash");
    let config = folder.file("config.json", config().to_string());
    let output = provider_command("plan", &["--type", "kit_crash", "--config", &config]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.stderr.contains("PlanResourceChange: the provider crashed"), "{output:?}");
    assert!(
        output.stderr.contains("log: planning") && output.stderr.contains("crash: panic: oh no"),
        "{output:?}"
    );
    let arguments = ["--type", "kit_hang", "--config", &config, "--timeout", "0.5"];
    let output = provider_command("plan", &arguments);
    assert!(output.code == 1 && output.stderr.contains("did not answer within 500ms"), "{output:?}");
    let output = objchange(["provider", "schema", "/no/such/provider"], "");
    assert_eq!(output.code, 2, "{output:?}");
}

fn schemas_are_asked_for() {
    let folder = Folder::new("schemas");
    let config = folder.file("config.json", config().to_string());
    let binary = binary();
    let of_provider = ["plan", "--provider-binary", &binary, "--type", "kit_thing", "--config", &config];
    let schemas = folder.file("schemas.json", provider_command("schema", &[]).stdout);
    let of_file = ["plan", "--schemas", &schemas, "--type", "kit_thing", "--config", &config];
    let [a, b] = [of_provider, of_file].map(|arguments| objchange(arguments, ""));
    assert_eq!((a.code, a.stdout), (0, b.stdout));
    let both =
        objchange(["plan", "--schemas", &schemas, "--provider-binary", &binary, "--config", &config], "");
    assert_eq!(both.code, 2);
    let neither = objchange(["plan", "--type", "kit_thing", "--config", &config], "");
    assert!(neither.code == 2 && neither.stderr.contains("--provider-binary"), "{neither:?}");
    let document = r#"{"version":4,"lineage":"x","resources":[{"mode":"managed","type":"kit_thing","name":"a",
        "provider":"provider[\"example.com/test/kit\"]","instances":[{"attributes":{"secret":"hunter2"}}]}]}"#;
    let shown = objchange(["show", "--provider-binary", &binary, "-"], document);
    assert!(shown.code == 0 && !shown.stdout.contains("hunter2"), "{shown:?}");
}

fn a_session_is_judged_again() {
    let folder = Folder::new("record");
    let (config, record) = (folder.file("config.json", config().to_string()), folder.path("session.jsonl"));
    let arguments = ["--config", &config, "--record", &record];
    let fine = provider_command("apply", &[&["--type", "kit_thing", "--apply"], &arguments[..]].concat());
    assert_eq!(fine.code, 0, "{fine:?}");
    let wrong = provider_command("plan", &[&["--type", "kit_planned_string"], &arguments[..]].concat());
    assert_eq!(wrong.code, 1, "{wrong:?}");
    let text = fs::read_to_string(&record).unwrap();
    assert!(!text.contains("hunter2") && !text.contains("written"), "{text}");
    let checked = objchange(["check", &record], "");
    assert_eq!(checked.code, 0, "{checked:?}");
    let found: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let wanted = |line: &&Value| line["want"]["errors"] != json!([]);
    assert_eq!(found.iter().filter(wanted).count(), 1, "{text}");
    // Each line is a case of the published form.
    let schema = fs::read_to_string(crate::program::workspace().join("schema/case.schema.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    for line in &found {
        assert!(validator.is_valid(line), "{line}: {:?}", validator.validate(line));
    }
    // Other rules would be noticed.
    let spoiled = folder.file(
        "spoiled.jsonl",
        text.replace("\"want\":{\"errors\":[]}", "\"want\":{\"errors\":[{\"path\":[],\"kind\":\"status\"}]}"),
    );
    assert_eq!(objchange(["check", &spoiled], "").code, 1);
}

/// Terraform's output for the provider, where Terraform is installed.
fn schemas_of_terraform() {
    let folder = Folder::new("terraform");
    let link = folder.path("terraform-provider-kit");
    let _ = fs::remove_file(&link);
    fs::copy(env::current_exe().unwrap(), &link).unwrap();
    let settings = format!(
        "provider_installation {{\n  dev_overrides {{\n    \"example.com/test/kit\" = {:?}\n  }}\n  direct {{}}\n}}\n",
        folder.0.0.display().to_string()
    );
    let settings = folder.file("settings.tfrc", settings);
    folder.file("main.tf", "terraform {\n  required_providers {\n    kit = {\n      source = \"example.com/test/kit\"\n    }\n  }\n}\n");
    let theirs = Command::new("terraform")
        .args(["providers", "schema", "-json"])
        .current_dir(&folder.0.0)
        .env("TF_CLI_CONFIG_FILE", settings)
        .env("CHECKPOINT_DISABLE", "1")
        .output()
        .unwrap();
    let ours = provider_command("schema", &[]);
    let read = |text: &[u8]| {
        serde_json::from_slice::<Value>(text).unwrap()["provider_schemas"]["example.com/test/kit"].take()
    };
    let (mut ours, theirs) = (read(ours.stdout.as_bytes()), read(&theirs.stdout));
    // An older Terraform does not print kinds that it does not know.
    let newer =
        ["resource_identity_schemas", "list_resource_schemas", "action_schemas", "state_store_schemas"];
    ours.as_object_mut()
        .unwrap()
        .retain(|key, _| theirs.get(key).is_some() || !newer.contains(&key.as_str()));
    assert!(ours == theirs, "ours: {ours}\n\ntheirs: {theirs}");
}

/// Whatever a provider repeats of its configuration: in what it says, in its log, in its last words.
fn no_secret_is_shown() {
    let cases = env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(12);
    let folder = Folder::new("secrets");
    // Nothing that is said anyway has these letters.
    let secret = || "[XQZ\"\\\\\n\t<&é]{1,4}[XQZ]{4,12}";
    let strategy = (secret(), secret(), secret(), prop::sample::select(vec!["say", "crash"]));
    proptest!(ProptestConfig::with_cases(cases), |((secret, token, name, how) in strategy)| {
        let config = json!({"secret": secret, "token": token, "name": {"$sensitive": name}, "comment": how});
        let config = folder.file("config.json", config.to_string());
        for json in [&[][..], &["--json"]] {
            let arguments = [&["--type", "kit_echo", "--config", &config], json].concat();
            let output = provider_command("plan", &arguments);
            prop_assert_eq!(output.code, 1);
            for hidden in [&secret, &token, &name] {
                // The tail of the secret may have been quoted in one way or another.
                let tail = &hidden[hidden.len() - 4..];
                prop_assert!(!output.stdout.contains(tail), "{:?} {}", hidden, output.stdout);
                prop_assert!(!output.stderr.contains(tail), "{:?} {}", hidden, output.stderr);
            }
        }
    });
}
