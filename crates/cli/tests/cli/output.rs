//! Where output goes, and what becomes of it there.
#![cfg(unix)]

use std::process::Command;

use crate::program::{objchange, workspace};

/// Runs a line in a shell, where `$objchange` is the program. Returns the exit code and standard error.
#[track_caller]
fn shell(line: &str) -> (i32, String) {
    let output = Command::new("sh")
        .args(["-c", line])
        .env("objchange", env!("CARGO_BIN_EXE_objchange"))
        .env("OBJCHANGE_CACHE_DIR", "")
        .current_dir(workspace())
        .output()
        .unwrap();
    (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// Arguments that make the program write to standard output.
fn writers() -> Vec<String> {
    let folder = "examples/aws_instance";
    let plan =
        format!("plan --schema {folder}/schemas.json --type aws_instance --config {folder}/config.json");
    let cases = "tests/cases/*.jsonl";
    let show = "show --schemas examples/terraform_data/schemas.json examples/terraform_data/plan.json";
    [
        "--help".to_owned(),
        "--version".to_owned(),
        "help plan".to_owned(),
        "check --help".to_owned(),
        format!("check {cases}"),
        format!("check --json {cases}"),
        format!("check --junit - {cases}"),
        plan.clone(),
        format!("{plan} --json"),
        show.to_owned(),
        format!("{show} --json"),
        format!("{show} --summary"),
    ]
    .to_vec()
}

#[test]
fn output_that_is_lost_is_an_error() {
    if !std::path::Path::new("/dev/full").exists() {
        return;
    }
    for arguments in writers() {
        let (fine, errors) = shell(&format!(r#""$objchange" {arguments} > /dev/null"#));
        assert_eq!(fine, 0, "{arguments}: {errors}");
        let (full, errors) = shell(&format!(r#""$objchange" {arguments} > /dev/full"#));
        assert_eq!(full, 2, "{arguments}");
        assert!(errors.contains("error: the output cannot be written: "), "{arguments}: {errors}");
        let (closed, errors) = shell(&format!(r#""$objchange" {arguments} >&-"#));
        assert_eq!(closed, 2, "{arguments}");
        assert!(errors.contains("standard output is closed"), "{arguments}: {errors}");
    }
    let (full, errors) = shell(r#""$objchange" check --junit /dev/full tests/cases/*.jsonl"#);
    assert_eq!(full, 2);
    assert!(errors.contains("error: the output cannot be written: /dev/full: "), "{errors}");
}

/// As other programs do, which the signal of a closed pipe ends: quietly, and not as if all were well.
#[test]
fn a_reader_that_stops_ends_the_program_quietly() {
    for arguments in writers() {
        // The reader is gone before the program begins.
        let line = format!(r#"{{ sleep 0.1; "$objchange" {arguments}; echo "code $?" >&2; }} | true"#);
        let (_, errors) = shell(&line);
        let errors: Vec<&str> = errors.lines().filter(|line| !line.starts_with("warning:")).collect();
        assert_eq!(errors, ["code 141"], "{arguments}");
    }
}

#[test]
fn what_errors_repeat_of_arguments_is_legible() {
    let bad = "a\u{9b}31m\u{202e}\u{1b}[31mb\nc\u{7f}";
    let folder = "examples/aws_instance";
    let schema = format!("{folder}/schemas.json");
    let config = format!("{folder}/config.json");
    let plan = ["plan", "--schema", &schema, "--type", "aws_instance", "--config", &config];
    let with = |arguments: &[&'static str]| {
        let arguments = arguments.iter().map(|argument| argument.replace("BAD", bad));
        plan.iter().map(|argument| (*argument).to_owned()).chain(arguments).collect::<Vec<_>>()
    };
    let own = |arguments: &[&str]| arguments.iter().map(|argument| argument.replace("BAD", bad)).collect();
    for arguments in [
        own(&["BAD"]),
        own(&["--BAD"]),
        own(&["check", "--BAD"]),
        own(&["check", "--jsonBAD"]),
        own(&["check", "--json=BAD", "x"]),
        own(&["check", "BAD"]),
        own(&["check", "--junit", "BAD/x", "tests/cases/coerce_value.jsonl"]),
        own(&["--color", "BAD", "check", "x"]),
        own(&["show", "BAD"]),
        own(&["show", "x", "BAD"]),
        own(&["show", "--action", "BAD"]),
        own(&["diff", "x", "y", "--map", "BAD=a.b"]),
        own(&["diff", "x", "y", "--map", "a.b[\"BAD\"]=module.c"]),
        own(&["diff", "x", "y", "--ignore", "BAD["]),
        own(&["show", "x", "--as", "BAD"]),
        own(&["show", "x", "--max-input", "BAD"]),
        own(&["plan", "--schema", "BAD", "--type", "BAD", "--config", "BAD"]),
        with(&["--ignore-changes", "BAD"]),
        with(&["--ignore-changes", "tags[\"BAD\"].x"]),
        with(&["--requires-replace", "BAD"]),
        with(&["--prior", "BAD"]),
        with(&["--type", "BAD"]),
        with(&["--provider", "BAD"]),
    ] {
        let output = objchange(&arguments, "");
        assert_ne!(output.code, 0, "{arguments:?}");
        assert!(!output.stderr.is_empty(), "{arguments:?}");
        for text in [&output.stderr, &output.stdout] {
            let hidden = text.chars().find(|c| c.is_control() && *c != '\n' || *c == '\u{202e}');
            assert_eq!(hidden, None, "{arguments:?}: {text:?}");
        }
    }
    let output = objchange(["show", "--action", bad], "");
    assert!(output.stderr.contains(r"'a\u009b31m\u202e\x1b[31mb\nc\x7f'"), "{}", output.stderr);
}

/// Characters that nobody sees, and that change what is seen.
const HIDDEN: [char; 9] =
    ['\u{7f}', '\u{80}', '\u{9b}', '\u{9f}', '\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}', '\u{85}'];

/// Whether the answer is the text that `terraform show` prints for a document.
fn prints_as_terraform(arguments: &[&str]) -> bool {
    let other = ["--json", "--summary", "--format"];
    arguments[0] == "show" && !arguments.iter().any(|argument| other.contains(argument))
}

/// Whatever is in documents, configuration and policies: reports, and the lines of source that errors show, have nothing hidden.
#[test]
fn nothing_hidden_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    for c in HIDDEN {
        let plan = serde_json::json!({"format_version": "1.2", "resource_changes": [{"address": format!("disk.a[\"{c}\"]"),
            "mode": "managed", "type": "disk", "name": "a", "index": c.to_string(), "change": {"actions": [format!("make{c}")],
            "before": null, "after": {"text": format!("one\n{c}two"), "name": c.to_string()}, "after_unknown": {},
            "before_sensitive": false, "after_sensitive": {}}}]});
        let plan = file("plan.json", &plan.to_string());
        let deferred = serde_json::json!({"format_version": "1.2", "resource_changes": [
            {"address": format!("disk.a[\"{c}\"]"), "previous_address": format!("disk.b[\"{c}\"]"), "mode": format!("x{c}"),
                "type": "disk", "name": "a", "deposed": c.to_string(), "action_reason": format!("because{c}"),
                "change": {"actions": ["delete"], "before": {"name": "x"}, "after": null,
                "importing": {"id": format!("i{c}")}}}],
            "resource_drift": [{"address": format!("disk.a[\"{c}\"]"), "mode": "managed", "type": "disk", "name": "a",
                "change": {"actions": ["update"], "before": {"name": "x"}, "after": {"name": format!("a\n{c}b")}}}],
            "deferred_changes": [{"reason": format!("why{c}"), "resource_change": {"address": format!("disk.c[\"{c}\"]"),
                "mode": "managed", "type": "disk", "name": "c", "change": {"actions": ["create"], "before": null,
                "after": {c.to_string(): "y"}}}}],
            "output_changes": {c.to_string(): {"actions": ["create"], "before": null, "after": format!("a\n{c}")}}});
        let deferred = file("deferred.json", &deferred.to_string());
        let rego = format!(
            "package main\nimport rego.v1\ndeny contains msg if {{ some rc in input.resource_changes; msg := concat(\" \", [rc.address, \"{c}\"]) }}\n"
        );
        let rego = file("policy.rego", &rego);
        let bad_rego = file("bad.rego", &format!("package main\ndeny contains \"{c}\" if {{ x := }}\n"));
        let sentinel =
            file("policy.sentinel", &format!("print(\"{c}\")\nmain = rule {{ \"{c}\" is \"x\" }}\n"));
        let bad_sentinel = file("bad.sentinel", &format!("main = rule {{ \"{c}\" is }}\n"));
        let unused = file(
            "unused.sentinel",
            &format!("import \"strings\"\nx = \"{c}\"\nmain = rule {{ true and true }}\n"),
        );
        let tf = file("main.tf", &format!("locals {{\n  a = \"{c}\" + \n}}\n"));
        let message = file(
            "message.txt",
            &format!(
                "Error: Provider produced inconsistent result after apply\n\nWhen applying changes to disk.a[\"{c}\"], provider \"provider[\\\"a/b/{c}\\\"]\" produced an unexpected new value: .name: was cty.StringVal(\"{c}\"), but now cty.StringVal(\"b\").\n"
            ),
        );
        let (junit, sarif) = (file("junit.xml", ""), file("sarif.json", ""));
        for arguments in [
            vec!["show", &plan],
            vec!["show", "--as", "terraform@1.14", &plan],
            vec!["show", "--format", "markdown", &plan],
            vec!["show", "--format", "html", &plan],
            vec!["show", &plan, "--fail-on", "delete"],
            vec!["diff", &plan, &deferred],
            vec!["show", &deferred],
            vec!["show", "--json", &plan],
            vec!["show", "--summary", &plan],
            vec!["query", "--output", "json", "true", &plan],
            vec!["policy", "--rego", &rego, &plan],
            vec!["policy", "--rego", &rego, &plan, "--json"],
            vec!["policy", "--rego", &rego, &plan, "--junit", &junit, "--sarif", &sarif],
            vec!["policy", "--rego", &bad_rego, &plan],
            vec!["sentinel", "apply", "--policy", &sentinel, &plan],
            vec!["sentinel", "apply", &sentinel, &plan],
            vec!["sentinel", "apply", &sentinel, &plan, "--json"],
            vec!["sentinel", "apply", &sentinel, &plan, "--sarif", "-"],
            vec!["sentinel", "apply", &bad_sentinel, &plan],
            vec!["sentinel", "check", &unused],
            vec!["sentinel", "check", &bad_sentinel, "--json"],
            vec!["sentinel", "fmt", "--check", "--diff", &unused],
            vec!["eval", "--config", &tf, "local.a"],
            vec!["eval", &format!("\"{c}\" +")],
            vec!["eval", &format!("\"{c}\"")],
            vec!["explain", &message],
            vec!["explain", &message, "--json"],
        ] {
            let output = objchange(&arguments, "");
            let reports = [&junit, &sarif].map(|path| std::fs::read_to_string(path).unwrap());
            for text in [&output.stdout, &output.stderr, &reports[0], &reports[1]] {
                // Terraform prints values of several lines as they are, also those that turn text around.
                let as_they_are = prints_as_terraform(&arguments);
                let is_value =
                    |line: &&str| as_they_are && line.trim_start_matches([' ', '+', '-', '~']).starts_with(c);
                let bad = text.lines().filter(|line| !is_value(line)).find(|line| line.contains(HIDDEN));
                assert_eq!(bad, None, "{arguments:?}: {text:?}");
            }
            if arguments.contains(&"--json") {
                let is_json = |line: &str| serde_json::from_str::<serde_json::Value>(line).is_ok();
                let all = output.stdout.lines().all(is_json) || is_json(&output.stdout);
                assert!(all, "{arguments:?}: {}", output.stdout);
            }
        }
    }
}
