//! `objchange eval`.

use proptest::prelude::*;

use crate::plan::Folder;
use crate::program::{Output, objchange};

fn eval(expression: &str, arguments: &[&str]) -> Output {
    objchange(["eval", expression].iter().chain(arguments), "")
}

#[test]
fn a_value_is_printed_as_in_the_console() {
    let output = objchange(
        ["eval", "{ for k, v in var.tags : k => upper(v) }", "--vars", "-"],
        "tags = { a = \"b\" }\n",
    );
    assert_eq!((output.code, &*output.stdout, &*output.stderr), (0, "{\n  \"a\" = \"B\"\n}\n", ""));
    let output = eval("upper(var.name)", &["--var", "name=a=b", "--json"]);
    assert_eq!((output.code, &*output.stdout), (0, "{\"type\":\"string\",\"value\":\"A=B\"}\n"));
}

#[test]
fn what_nobody_gives_is_an_error_unless_it_is_unknown() {
    let output = eval("\"${var.a}-${aws_instance.web.id}\"", &[]);
    assert_eq!((output.code, &*output.stdout), (1, ""));
    for text in ["var.a", "--var a=VALUE", "aws_instance.web.id", "--unknown"] {
        assert!(output.stderr.contains(text), "{text}: {}", output.stderr);
    }
    let output = eval("[var.a, aws_instance.web.id]", &["--unknown", "a", "--unknown", "aws_instance.web"]);
    assert_eq!((output.code, &*output.stdout), (0, "[\n  (known after apply),\n  (known after apply),\n]\n"));
    let output = eval("[aws_instance.web.id]", &["--unknown", "aws_instance.we"]);
    assert_eq!(output.code, 1);
}

#[test]
fn each_line_is_an_expression_and_errors_do_not_end_it() {
    let output = objchange(["eval"], "1 + 2\n1 +\n\n\"x\"\nexit\n5\n");
    assert_eq!((output.code, &*output.stdout), (1, "3\n\"x\"\n"));
    assert!(output.stderr.contains("(stdin line 2):1:4"), "{}", output.stderr);
    let output = objchange(["eval", "-", "--json"], "1\n1 +\n");
    let lines: Vec<serde_json::Value> =
        output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0], serde_json::json!({"type": "number", "value": 1}));
    assert_eq!(lines[1]["errors"][0]["range"], serde_json::json!([1, 4, 1, 4]));
}

#[test]
fn errors_point_at_the_source_under_wide_characters() {
    let output = eval("\"漢字\" + 1", &[]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("\n1 | \"漢字\" + 1\n  | ^^^^^^\n"), "{}", output.stderr);
    assert!(!output.stderr.contains('\u{1b}'), "{}", output.stderr);
}

#[test]
fn files_are_read_from_a_directory_that_is_given() {
    let folder = Folder::new("eval-files");
    folder.file("a.txt", "hi");
    let base = folder.0.to_str().unwrap();
    let output = eval("file(\"a.txt\")", &["--base-dir", base]);
    assert_eq!((output.code, &*output.stdout), (0, "\"hi\"\n"));
    let output = eval("file(\"a.txt\")", &[]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("--base-dir"), "{}", output.stderr);
}

#[test]
fn variables_have_the_types_and_defaults_of_the_configuration() {
    let config = ["--config", "examples/aws_instance/main.tf"];
    let with = |more: &[&str]| eval("local.tags", &[&config[..], more].concat());
    let output = with(&[]);
    assert_eq!(output.stdout, "{\n  \"Name\" = \"WEB\"\n  \"Ports\" = \"80,443\"\n}\n");
    let output = with(&["--var", "ports=[1]"]);
    assert_eq!(output.stdout, "{\n  \"Name\" = \"WEB\"\n  \"Ports\" = \"1\"\n}\n");
    let output = with(&["--var", "ports=[\"hunter2\"]"]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("main.tf:6:1"), "{}", output.stderr);
    assert!(!output.stderr.contains("hunter2"), "{}", output.stderr);
}

#[test]
fn local_values_in_a_circle_are_an_error() {
    let folder = Folder::new("eval-circle");
    let config = folder.file("main.tf", "locals {\n  a = local.b\n  b = local.a\n}\n");
    let output = eval("local.a", &["--config", config.to_str().unwrap()]);
    assert_eq!((output.code, &*output.stdout), (1, ""));
    assert!(output.stderr.contains("Cycle of local values"), "{}", output.stderr);
}

proptest! {
    // Each case starts the program.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    #[test]
    fn a_sensitive_variable_is_not_shown(
        template in prop::sample::select(vec![
            "X", "X + 1", "[X, 1]", "{ (X) = 1 }", "upper(X)", "tonumber(X)", "{ a = X }.a.b", "\"a${X}\"", "X ? 1 : 2",
            "[for c in [X] : c]", "jsondecode(X)", "toset([X])", "file(X)", "X[0]", "regex(X, X)", "cidrhost(X, 1)",
        ]),
        inner in prop::sample::select(vec!["var.s", "local.s", "\"-${var.s}\"", "[var.s][0]"]),
        json in any::<bool>(),
    ) {
        let folder = Folder::new(&format!("eval-secret-{}", template.len() * 100 + inner.len()));
        let text = "variable \"s\" {\n  sensitive = true\n}\nlocals {\n  s = \"x${var.s}\"\n}\n";
        let config = folder.file("main.tf", text);
        let expression = template.replace('X', inner);
        let mut arguments = vec!["--config", config.to_str().unwrap(), "--var", "s=xyzzy"];
        arguments.extend(json.then_some("--json"));
        let Output { stdout, stderr, .. } = eval(&expression, &arguments);
        prop_assert!(!stdout.is_empty() || !stderr.is_empty());
        prop_assert!(!format!("{stdout}{stderr}").to_lowercase().contains("xyzzy"), "{expression}: {stdout}{stderr}");
    }
}
