//! `objchange provider apply --apply`, interrupted: the provider's new objects are not lost.

use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::folder::Folder;
use crate::kit::kit;

#[test]
fn the_answer_is_waited_for_and_saved() {
    let folder = Folder::with("apply-interrupted", &[("config.json", r#"{"tags": ["a"]}"#)]);
    let (state, applying) = (folder.at("new.tfstate"), folder.at("applying"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_objchange"))
        .args(["provider", "apply", kit(), "--type", "kit_slow_apply", "--apply", "--env", "KIT_APPLYING"])
        .arg("--config")
        .arg(folder.at("config.json"))
        .arg("--state-out")
        .arg(&state)
        .env("KIT_APPLYING", &applying)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !applying.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it applied anything");
        thread::sleep(Duration::from_millis(10));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("note: interrupted: the provider is asked to stop"), "{stderr}");
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    let saved: serde_json::Value = serde_json::from_str(&folder.read("new.tfstate")).unwrap();
    assert_eq!(saved["resources"][0]["instances"][0]["attributes"]["tags"], serde_json::json!(["a"]));
}
