//! `objchange show` as it is run.

use std::io::Write;
use std::process::{Command, Output, Stdio};

const PLAN: &str = r#"{"format_version":"1.2","resource_changes":[{"address":"a_b.c","mode":"managed","type":"a_b",
"name":"c","provider_name":"registry.terraform.io/x/a","change":{"actions":["create"],"before":null,
"after":{"secret":"hunter2"},"after_unknown":{"id":true},"before_sensitive":false,
"after_sensitive":{"secret":true}}}]}"#;

fn show(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_objchange"))
        .arg("show")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may end before it has read everything.
    _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn a_plan_from_standard_input() {
    let output = show(&[], PLAN.as_bytes());
    assert!(output.status.success());
    let plan = text(&output.stdout);
    assert!(plan.contains("  # a_b.c will be created\n"), "{plan}");
    assert!(plan.contains("      + secret = (sensitive value)\n"), "{plan}");
    assert!(!plan.contains('\x1b'), "{plan}");
    let warning = text(&output.stderr);
    assert_eq!(warning.matches("warning:").count(), 1, "{warning}");
    assert!(warning.contains("--schemas"), "{warning}");
}

#[test]
fn utf_16_is_read_too() {
    let utf16: Vec<u8> = PLAN.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(show(&["-"], &[&b"\xff\xfe"[..], &utf16].concat()).stdout, show(&[], PLAN.as_bytes()).stdout);
}

#[test]
fn colour_and_json_on_demand() {
    assert!(text(&show(&["--color", "always"], PLAN.as_bytes()).stdout).contains("\x1b[32m+\x1b[0m\x1b[0m "));
    let json = text(&show(&["--json"], PLAN.as_bytes()).stdout);
    assert!(json.contains(r#"{"key":"secret","action":"create","kind":"sensitive""#), "{json}");
}

#[test]
fn a_summary_needs_no_schemas() {
    let output = show(&["--summary"], PLAN.as_bytes());
    assert_eq!(text(&output.stdout), "Create (1)\n  + a_b.c\n");
    assert_eq!(text(&output.stderr), "");
}

#[test]
fn errors_name_the_file_and_the_place() {
    for (arguments, input, expected) in [
        (&["nowhere.json"][..], "", "nowhere.json: cannot be read"),
        (&[], &PLAN[..200], "standard input: line 3, column"),
        (&[], "PK\x03\x04", "terraform show -json"),
        (&["--schemas", "-"], PLAN, "standard input: name a file for one"),
    ] {
        let output = show(arguments, input.as_bytes());
        let message = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{message}");
        assert!(message.starts_with("error: ") && message.contains(expected), "{message}");
        assert_eq!(text(&output.stdout), "");
    }
}
