//! Changes of a state file.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{Folder, binary, config, provider_command};

fn read(path: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn apply<'a>(type_name: &'a str, config: &'a str, state: &'a str) -> [&'a str; 7] {
    ["--type", type_name, "--config", config, "--apply", "--state-out", state]
}

pub(super) fn is_checked_first() {
    let folder = Folder::new("state-checked");
    // The provider would remove this if it were asked to make its object.
    fs::create_dir_all(folder.path("witness")).unwrap();
    let witness = folder.path("witness");
    let config = folder.file("config.json", json!({"name": witness, "size": 1}).to_string());
    let garbage = folder.file("garbage.tfstate", "hello");
    let old = folder.file("old.tfstate", r#"{"version":3,"serial":1,"modules":[]}"#);
    let encrypted = folder.file("encrypted.tfstate", r#"{"encrypted_data":"x","encryption_version":"v0"}"#);
    let none = folder.path("no/such/folder.tfstate");
    for state in [&garbage, &old, &encrypted, &none, &folder.path(".")] {
        let before = fs::read(state).ok();
        let output = provider_command("apply", &apply("kit_vandal", &config, state));
        assert_eq!(output.code, 2, "{state}: {output:?}");
        assert!(output.stderr.contains("nothing was changed"), "{output:?}");
        assert!(Path::new(&witness).exists(), "{state}");
        assert_eq!(fs::read(state).ok(), before);
    }
    // A disk without room.
    #[cfg(unix)]
    {
        let state = folder.path("full.tfstate");
        let program = env!("CARGO_BIN_EXE_objchange");
        let output = Command::new("sh")
            .args([
                "-c",
                "trap '' XFSZ; ulimit -f 8; exec \"$@\"",
                "sh",
                program,
                "provider",
                "apply",
                &binary(),
            ])
            .args(apply("kit_vandal", &config, &state))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("cannot be written") && Path::new(&witness).exists(), "{said}");
        assert!(!Path::new(&state).exists());
    }
    let left = fs::read_dir(&folder.0.0).unwrap().count();
    assert_eq!(left, 5, "no temporary file is left");
}

pub(super) fn keeps_other_objects() {
    let folder = Folder::new("state-merged");
    let other = json!({"version": 4, "terraform_version": "1.9.0", "serial": 41, "lineage": "mine",
        "outputs": {"o": {"value": "x", "type": "string"}}, "resources": [{"mode": "managed", "type": "kit_disk",
        "name": "a", "provider": "provider[\"example.com/test/other\"]", "instances": [{"schema_version": 3,
        "attributes": {"id": "kept"}}]}], "check_results": null});
    let state = folder.file("s.tfstate", other.to_string());
    let config = folder.file("config.json", config().to_string());
    set_mode(&state, 0o640);
    let arguments = apply("kit_thing", &config, &state);
    assert_eq!(provider_command("apply", &arguments).code, 0);
    let merged = read(&state);
    assert_eq!((&merged["serial"], &merged["lineage"]), (&json!(42), &json!("mine")));
    assert_eq!((&merged["outputs"], &merged["resources"][0]), (&other["outputs"], &other["resources"][0]));
    assert_eq!(merged["resources"][1]["instances"][0]["attributes"]["secret"], "hunter2");
    let backup = format!("{state}.backup");
    assert_eq!(read(&backup), other);
    assert_eq!((mode(&state), mode(&backup)), (0o640, 0o600));
    // An object in the state is not overwritten by a new one.
    for output in [
        provider_command("apply", &arguments),
        provider_command("import", &["--type", "kit_thing", "--id", "x", "--state-out", &state]),
    ] {
        assert_eq!(output.code, 2, "{output:?}");
        assert!(output.stderr.contains("has kit_thing.this already"), "{output:?}");
    }
    assert_eq!(read(&state), merged);
    // Reading it again changes nothing, also not its serial.
    let address = ["--prior", &state, "--address", "kit_thing.this", "--state-out", &state];
    let output = provider_command("read", &[&["--type", "kit_thing"], &address[..]].concat());
    assert_eq!((output.code, read(&state)), (0, merged), "{output:?}");
    let new = folder.path("new.tfstate");
    assert_eq!(provider_command("apply", &apply("kit_thing", &config, &new)).code, 0);
    assert_eq!(mode(&new), 0o600);
    let record = folder.path("record.jsonl");
    let arguments = ["--type", "kit_thing", "--config", &config, "--record", &record];
    assert_eq!(provider_command("plan", &arguments).code, 0);
    assert_eq!(mode(&record), 0o600);
}

pub(super) fn is_rescued() {
    let folder = Folder::new("state-rescued");
    let (home, doomed) = (folder.path("home"), folder.path("doomed"));
    fs::create_dir_all(&home).unwrap();
    fs::create_dir_all(&doomed).unwrap();
    let config =
        folder.file("config.json", json!({"name": doomed, "size": 1, "secret": "hunter2"}).to_string());
    let output = Command::new(env!("CARGO_BIN_EXE_objchange"))
        .args(["provider", "apply", &binary()])
        .args(apply("kit_vandal", &config, &format!("{doomed}/s.tfstate")))
        .current_dir(&home)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    let saved = fs::read_dir(&home).unwrap().next().unwrap().unwrap().path();
    assert!(said.contains(&format!("the new state was saved in {}", saved.display())), "{said}");
    assert!(!said.contains("hunter2"));
    let state = read(saved.to_str().unwrap());
    assert_eq!(state["resources"][0]["instances"][0]["attributes"]["secret"], "hunter2");
    assert_eq!(mode(saved.to_str().unwrap()), 0o600);
}

pub(super) fn saves_what_a_failure_leaves() {
    let folder = Folder::new("state-failure");
    let config = folder.file("config.json", json!({"name": "a", "size": 1}).to_string());
    let state = folder.path("partial.tfstate");
    let output = provider_command("apply", &apply("kit_partial", &config, &state));
    assert!(output.code == 1 && output.stderr.contains("only half of it"), "{output:?}");
    let instance = &read(&state)["resources"][0]["instances"][0];
    assert_eq!((&instance["status"], &instance["attributes"]["name"]), (&json!("tainted"), &json!("a")));
    // The old object is gone when the provider crashes while it makes the new one.
    let state = folder.path("replaced.tfstate");
    assert_eq!(provider_command("apply", &apply("kit_once", &config, &state)).code, 0);
    assert_eq!(read(&state)["resources"].as_array().unwrap().len(), 1);
    let config = folder.file("second.json", json!({"name": "a", "size": 2, "comment": "crash"}).to_string());
    let prior = ["--prior", &state, "--address", "kit_once.this"];
    let output = provider_command("apply", &[&apply("kit_once", &config, &state)[..], &prior].concat());
    assert!(output.code == 1 && output.stderr.contains("no second one"), "{output:?}");
    assert_eq!(read(&state)["resources"], json!([]), "{output:?}");
}

#[cfg(unix)]
fn mode(path: &str) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&fs::metadata(path).unwrap().permissions()) & 0o777
}

#[cfg(unix)]
fn set_mode(path: &str, mode: u32) {
    fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
}
