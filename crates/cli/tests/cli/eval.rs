//! `objchange eval`.

use proptest::prelude::*;

use crate::folder::Folder;
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
    for text in ["var.a", "--var NAME=VALUE", "aws_instance.web.id", "--unknown"] {
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
    assert_eq!(output.code, 2);
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

#[test]
fn types_are_asked_for_as_in_the_console() {
    let output = eval("type({ a = var.a })", &["--var", "a=b"]);
    assert_eq!((output.code, &*output.stdout), (0, "object({\n    a: string,\n})\n"));
    let output = eval("type([1])", &["--json"]);
    assert_eq!((output.code, &*output.stdout), (0, "{\"type_text\":\"tuple([\\n    number,\\n])\"}\n"));
    assert_eq!(eval("[type(1)]", &[]).code, 1);
    assert_eq!(eval("type(var.a)", &[]).code, 1);
}

#[test]
fn a_directory_is_read_as_terraform_reads_it() {
    let folder = Folder::new("eval-directory");
    folder.file(
        "variables.tf",
        "variable \"a\" {\n  type = list(string)\n}\nvariable \"b\" {\n  default = 1\n}\n",
    );
    folder.file(
        "more.tf.json",
        r#"{"variable": {"c": {"type": "number"}}, "locals": {"all": "${[var.a, var.b, var.c]}"}}"#,
    );
    folder.file("override.tf", "variable \"b\" {\n  default = 2\n}\n");
    folder.file("terraform.tfvars", "a = [1]\nc = 1\nundeclared = true\n");
    folder.file("terraform.tfvars.json", r#"{"c": 2, "a": ["${2}"]}"#);
    for left in [".hidden.tf", "old.tf~", "#now.tf#"] {
        folder.file(left, "locals {\n  all = \"wrong\"\n}\n");
    }
    let directory = folder.0.to_str().unwrap().to_owned();
    let all = |arguments: &[&str]| {
        let output = eval("jsonencode(local.all)", &[&["--config", &directory], arguments].concat());
        // Terraform warns of it, too.
        let warning = "terraform.tfvars: the configuration declares no variable \"undeclared\"\n";
        assert!(output.code == 0 && output.stderr.ends_with(warning), "{output:?}");
        assert_eq!(output.stderr.lines().count(), 1, "{output:?}");
        output.stdout.trim().replace('\\', "")
    };
    assert_eq!(all(&[]), r#""[["${2}"],2,2]""#);
    folder.file("b.auto.tfvars", "c = 4\n");
    folder.file("a.auto.tfvars.json", r#"{"c": 3}"#);
    assert_eq!(all(&[]), r#""[["${2}"],2,4]""#);
    // Later values win, from files or not.
    let file = folder.file("more.tfvars", "c = 5\n");
    let file = file.to_str().unwrap();
    assert_eq!(all(&["--var", "c=6", "--var-file", file]), r#""[["${2}"],2,5]""#);
    assert_eq!(all(&["--var-file", file, "--var", "c=6", "--var", "a=[]"]), r#""[[],2,6]""#);
    // A file of OpenTofu replaces the one of that name.
    folder.file("variables.tofu", "variable \"a\" {}\nvariable \"b\" {\n  default = 1\n}\n");
    assert_eq!(all(&["--var", "a=[]"]), r#""["[]",2,4]""#);
}

#[test]
fn errors_of_a_directory_name_the_file() {
    let folder = Folder::new("eval-directory-errors");
    let config = folder.0.to_str().unwrap().to_owned();
    let output = eval("1", &["--config", &config]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("there is no configuration in this directory"), "{}", output.stderr);
    folder.file("a.tf", "\nvariable \"s\" {}\nlocals {\n  é = nope(1)\n}\n");
    let second = folder.file("b.tf.json", "{\n  \"variable\": {\"s\": {}}\n}\n");
    let output = eval("1", &["--config", &config]);
    assert_eq!(output.code, 2);
    for text in ["b.tf.json:2:21", "Duplicate variable declaration", "/a.tf:2,1-13"] {
        assert!(output.stderr.contains(text), "{text}: {}", output.stderr);
    }
    std::fs::remove_file(second).unwrap();
    let output = eval("local.é", &["--config", &config, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(json["errors"][0]["range"], serde_json::json!([4, 7, 4, 11]), "{json}");
    assert!(json["errors"][0]["file"].as_str().unwrap().ends_with("/a.tf"), "{json}");
}

#[test]
fn what_a_rule_refuses_is_told_but_no_secret() {
    let text = "variable \"x\" {\n  sensitive = SECRET\n  validation {\n    condition     = length(var.x) > 9\n    \
                error_message = \"It is short.\"\n  }\n}\n";
    for (sensitive, shown) in [("true", false), ("false", true)] {
        let folder = Folder::new(&format!("eval-rule-{sensitive}"));
        let config = folder.file("a.tf", &text.replace("SECRET", sensitive));
        let output = eval("1", &["--config", config.to_str().unwrap(), "--var", "x=xyzzy"]);
        assert_eq!((output.code, &*output.stdout), (2, ""));
        assert_eq!(output.stderr.contains("xyzzy"), shown, "{}", output.stderr);
        for part in ["It is short.", "a.tf:4:21", "a.tf:3,3-13"] {
            assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
        }
    }
}

/// Expressions around a sensitive text, most of them wrong in one place or another.
fn around_a_secret() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "var.s",
        "local.s",
        "local.o",
        "local.o.b",
        "local.l",
        "local.l[0]",
        "\"-${var.s}\"",
        "1",
        "true",
        "null",
        "\"x\"",
        "[]",
        "nope",
        "var.s.a",
        "local.o.*.a",
    ]);
    leaf.prop_map(str::to_owned).prop_recursive(4, 16, 3, |inner| {
        let operator = prop::sample::select(vec!["+", "==", "<", "&&", "%", "!="]);
        let of_one = prop::sample::select(vec![
            "upper",
            "tonumber",
            "tobool",
            "jsondecode",
            "jsonencode",
            "toset",
            "tomap",
            "keys",
            "values",
            "file",
            "sum",
            "base64decode",
            "yamldecode",
            "csvdecode",
            "length",
            "sort",
            "flatten",
            "md5",
            "one",
            "type",
            "parseint",
            "timeadd",
            "cidrhost",
            "fileset",
            "sensitive",
            "ephemeralasnull",
            "nope",
            "can",
            "try",
            "abspath",
            "urlencode",
        ]);
        let of_two = prop::sample::select(vec![
            "regex",
            "regexall",
            "cidrhost",
            "lookup",
            "element",
            "index",
            "format",
            "formatlist",
            "join",
            "split",
            "parseint",
            "timeadd",
            "formatdate",
            "merge",
            "zipmap",
            "setproduct",
            "contains",
            "coalesce",
            "trimprefix",
            "templatestring",
            "substr",
            "chunklist",
            "range",
            "convert",
            "rsadecrypt",
            "textencodebase64",
            "matchkeys",
        ]);
        let two = (inner.clone(), inner.clone());
        let three = (inner.clone(), inner.clone(), inner.clone());
        prop_oneof![
            (inner.clone(), operator, inner.clone())
                .prop_map(|(a, operator, b)| format!("({a} {operator} {b})")),
            three.clone().prop_map(|(a, b, c)| format!("({a} ? {b} : {c})")),
            three.prop_map(|(a, b, c)| format!("[for k, x in {a} : [k, x, {b}] if {c}]")),
            two.clone().prop_map(|(a, b)| format!("{{for k, x in {a} : x => {b}}}")),
            two.clone().prop_map(|(a, b)| format!("{{for x in [{a}] : x => {b}...}}")),
            two.clone().prop_map(|(a, b)| format!("{{({a}) = {b}, ({b}) = {a}}}")),
            two.clone().prop_map(|(a, b)| format!("({a})[{b}]")),
            two.clone().prop_map(|(a, b)| format!("[{a}, {b}]")),
            two.clone().prop_map(|(a, b)| format!("\"y%{{ if {a} }}${{{b}}}%{{ else }}n%{{ endif }}\"")),
            two.clone().prop_map(|(a, b)| format!("\"%{{ for x in {a} ~}} ${{x}}${{{b}}} %{{ endfor }}\"")),
            (of_one, inner.clone()).prop_map(|(f, a)| format!("{f}({a})")),
            (of_two.clone(), two.clone()).prop_map(|(f, (a, b))| format!("{f}({a}, {b})")),
            (of_two, two).prop_map(|(f, (a, b))| format!("{f}({a}, {b}...)")),
            inner.clone().prop_map(|a| format!("({a})[*].b")),
            inner.clone().prop_map(|a| format!("({a}).*.a")),
            inner.clone().prop_map(|a| format!("type({a})")),
            inner.clone().prop_map(|a| format!("-({a})")),
            inner.prop_map(|a| format!("!({a}).a")),
        ]
    })
}

proptest! {
    // Each case starts the program, with as many expressions.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]

    #[test]
    fn a_sensitive_variable_is_not_shown(
        expressions in prop::collection::vec(around_a_secret(), 50),
        json in any::<bool>(),
    ) {
        let folder = Folder::new("eval-secret");
        let text = "variable \"s\" {\n  sensitive = true\n}\nlocals {\n  s = \"x${var.s}\"\n  o = { a = 1, b = var.s }\n  \
                    l = split(\"y\", var.s)\n}\n";
        let config = folder.file("main.tf", text);
        let mut arguments = vec!["eval", "--config", config.to_str().unwrap(), "--var", "s=xyzzy"];
        arguments.extend(json.then_some("--json"));
        let Output { stdout, stderr, .. } = objchange(arguments, expressions.join("\n"));
        prop_assert!(!json || stdout.lines().count() == expressions.len());
        for shown in stdout.lines().chain(stderr.lines()) {
            prop_assert!(!shown.to_lowercase().contains("xyzzy"), "{expressions:#?}: {shown}");
        }
    }
}

#[test]
fn a_variable_that_nobody_declares_is_an_error() {
    let folder = Folder::new("eval-undeclared");
    let config = folder.file("main.tf", "variable \"name\" {\n  default = \"a\"\n}\n");
    let values = folder.file("x.tfvars", "nmae = 1\n");
    let config = config.to_str().unwrap();
    let output = eval("var.name", &["--config", config, "--var", "nmae=SECRET"]);
    assert_eq!((output.code, &*output.stdout), (2, ""));
    assert!(
        output.stderr.contains("--var nmae") && output.stderr.contains("did you mean name?"),
        "{}",
        output.stderr
    );
    assert!(!output.stderr.contains("SECRET"), "{}", output.stderr);
    // As in Terraform, one in a file is a warning.
    let output = eval("var.name", &["--config", config, "--var-file", values.to_str().unwrap()]);
    assert_eq!((output.code, &*output.stdout), (0, "\"a\"\n"));
    assert!(output.stderr.starts_with("warning: ") && output.stderr.contains("nmae"), "{}", output.stderr);
}

#[test]
fn the_values_of_arguments_are_not_repeated() {
    for arguments in [
        &["eval", "1", "--var", "SECRET"][..],
        &["eval", "1", "--var=SECRET"],
        &["eval", "1", "--var", "=SECRET"],
        &["eval", "1", "--var", "name=two", "SECRET"],
        &["plan", "--var", "SECRET"],
    ] {
        let output = objchange(arguments, "");
        assert_eq!(output.code, 2, "{arguments:?}");
        assert!(!output.stderr.contains("SECRET") && !output.stdout.contains("SECRET"), "{}", output.stderr);
        assert!(output.stderr.starts_with("error: "), "{}", output.stderr);
    }
}

#[test]
fn source_lines_are_shown_without_their_secrets() {
    let folder = Folder::new("eval-snippets");
    for (name, text) in [
        ("default.tf", "variable \"v\" {\n  type = number\n  sensitive = true\n  default = \"hunter2\"\n}\n"),
        ("locals.tf", "locals {\n  pw = [\"hunter2\", 1 + \"x\"]\n  s  = sensitive(local.pw)\n}\n"),
        (
            "one.tf",
            "variable \"v\" { sensitive = \"maybe\" }\nresource \"a\" \"b\" { p = \"hunter2\" }\nresource \"a\" \"b\" { p = \"hunter2\" }\n",
        ),
        ("broken.tf", "variable \"v\" {\n  sensitive = true\n  default = \"hunter2\" x\n}\n"),
        ("quote.tf", "variable \"v\" {\n  sensitive = true\n  default = hunter2\"\n}\n"),
        (
            "j.tf.json",
            "{\"variable\": {\"v\": {\"sensitive\": true, \"type\": \"number\", \"default\": \"hunter2\"}}}",
        ),
        ("k.tf.json", "{\"variable\": {\"v\": {\"sensitive\": true, \"default\": \"hunter2\" \"x\"}}}"),
    ] {
        let config = folder.file(name, text);
        let output = eval("[try(var.v, 1), local.s]", &["--config", config.to_str().unwrap()]);
        assert_ne!(output.code, 0, "{name}");
        assert!(output.stderr.contains("error"), "{name}: {}", output.stderr);
        assert!(!output.stderr.contains("hunter2"), "{name}: {}", output.stderr);
    }
    let output = eval("upper(sensitive(\"hunter2\"), 1 + \"x\")", &[]);
    assert!(output.stderr.contains("upper(sensitive((sensitive value)), 1 + \"x\")"), "{}", output.stderr);
    let output = eval("upper(sensitive(\"hunter2\") x", &[]);
    assert!(!output.stderr.contains("hunter2"), "{}", output.stderr);
}

#[test]
fn an_infinite_number_is_an_error_of_its_expression() {
    let output = objchange(["eval", "-", "--json"], "1 / 0\n2\n");
    assert_eq!(output.code, 1);
    let lines: Vec<serde_json::Value> =
        output.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["errors"][0]["summary"], "Value without a JSON form");
    assert_eq!(lines[1], serde_json::json!({"type": "number", "value": 2}));
}
