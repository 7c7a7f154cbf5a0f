//! Errors as people see them: sources with their diagnostics, in `snapshots/`. `INSTA_UPDATE=always cargo test -p
//! objchange-hcl --all-features` writes them again.

use anstream::adapter::strip_str;
use objchange::value::Marks;
use objchange::{Type, Value};
use objchange_hcl::{
    Diagnostic, Functions, HiddenSource, ModuleConfig, Scope, Sources, Variables, evaluate, parse_expression,
    snippet,
};

const FILE: &str = "main.tf";

#[track_caller]
fn check(name: &str, shown: &str) {
    insta::assert_snapshot!(name, shown);
}

fn shown(sources: &Sources, found: &[Diagnostic], hidden: &HiddenSource) -> String {
    let places = sources.places();
    found
        .iter()
        .map(|diagnostic| {
            format!("{}\n", strip_str(&snippet(&places, hidden, diagnostic, false)).to_string().trim_end())
        })
        .collect()
}

fn expressions(texts: &[&str]) -> String {
    let mut variables = Variables::default();
    variables.insert("list", Value::list(Type::String, ["a", "b"].map(Value::from)).unwrap());
    variables.insert("object", Value::object([("name", Value::from("web")), ("size", Value::from(3))]));
    variables.insert("secret", Value::from("hunter2").with_marks(Marks::SENSITIVE));
    variables.insert("unknown", Value::unknown(Type::String));
    texts
        .iter()
        .map(|text| {
            let sources = Sources::from_text(FILE, *text).unwrap();
            let found = match parse_expression(text) {
                Ok(expr) => evaluate(&expr, &Scope::new(&variables), Functions::pure()).1,
                Err(found) => found,
            };
            assert!(!found.is_empty(), "{text} has no error");
            shown(&sources, &found, &HiddenSource::in_expression(text)) + "\n"
        })
        .collect()
}

fn modules(texts: &[&str]) -> String {
    texts
        .iter()
        .map(|text| {
            let sources = Sources::from_text(FILE, *text).unwrap();
            let (_, problems) = ModuleConfig::read(&sources);
            assert!(!problems.errors.is_empty(), "{text} has no error");
            shown(&sources, &problems.errors, &HiddenSource::new(&sources, |_, _| None, [])) + "\n"
        })
        .collect()
}

#[test]
fn syntax() {
    check(
        "syntax",
        &expressions(&[
            "",
            "1 +",
            "[1, 2",
            "{a = 1, b}",
            "f(1, 2...",
            "\"open",
            "\"${1\"",
            "\"\\q\"",
            "<<EOT\ntext\n",
            "a ? b",
            "[for x : x]",
            "1 2",
            "'single'",
            "a.",
            "a[",
            "-",
            "%{ if true }",
            "\"%{ if true }yes\"",
            "\"%{ for x in list }${x}\"",
            "\u{feff}é = 1",
            "a && ",
            "!",
            "provider::one",
            "}",
            "a } + \"b\" }",
        ]),
    );
}

#[test]
fn references() {
    check(
        "references",
        &expressions(&[
            "lst",
            "object.nam",
            "object[\"nam\"]",
            "object.name.x",
            "list.name",
            "list[2]",
            "list[-1]",
            "list[\"a\"]",
            "list[0.5]",
            "list[unknown].x",
            "object[list]",
            "null.x",
            "list[*].name",
            "1.x",
        ]),
    );
}

#[test]
fn operators() {
    check(
        "operators",
        &expressions(&[
            "1 + \"a\"",
            "true && 1",
            "!\"a\"",
            "-list",
            "list + 1",
            "\"a\" < 1",
            "null + 1",
            "\"maybe\" ? 1 : 2",
            "null ? 1 : 2",
            "true ? 1 : list",
            "true ? {a = 1} : {b = [1]}",
            "secret + 1",
        ]),
    );
}

#[test]
fn functions() {
    check(
        "functions",
        &expressions(&[
            "uper(\"a\")",
            "upper()",
            "upper(1, 2)",
            "upper(null)",
            "upper(list)",
            "element([], 0)",
            "lookup({a = 1}, \"b\")",
            "jsondecode(\"{\")",
            "regex(\"(\", \"a\")",
            "regex(\"b\", \"a\")",
            "parseint(\"zz\", 10)",
            "formatdate(\"QQ\", \"2020-01-01T00:00:00Z\")",
            "max()",
            "max(list...)",
            "max(1...)",
            "file(\"a\")",
            "base64decode(\"%\")",
            "tonumber(secret)",
            "timeadd(\"now\", \"1h\")",
            "cidrsubnet(\"10.0.0.0/8\", 40, 1)",
            "zipmap([\"a\"], [])",
            "setproduct()",
            "format(\"%d\", \"a\")",
            "format(\"%s\")",
            "yamldecode(\"a: [\")",
            "range(0, 10, 0)",
            "tobool(\"a\")",
            "one(list)",
        ]),
    );
}

#[test]
fn templates_and_for() {
    check(
        "templates_and_for",
        &expressions(&[
            "\"a-${null}\"",
            "\"a-${object}\"",
            "[for x in 1 : x]",
            "[for x in null : x]",
            "{for x in list : null => x}",
            "{for x in list : \"k\" => x}",
            "{for x in list : x => x...}.c",
            "[for x in list : x if 1]",
            "[for x in list : y]",
            "{(list) = 1}",
            "{(null) = 1}",
        ]),
    );
}

#[test]
fn modules_and_their_blocks() {
    check(
        "modules_and_their_blocks",
        &modules(&[
            "resorce \"a\" \"b\" {}\n",
            "resource \"a\" {}\n",
            "resource \"1\" \"b\" {}\n",
            "variable \"a\" {}\nvariable \"a\" {}\n",
            "variable \"a\" {\n  typ = string\n}\n",
            "variable \"a\" {\n  type = strin\n}\n",
            "variable \"a\" {\n  type    = number\n  default = \"x\"\n}\n",
            "variable \"a\" {\n  sensitive = true\n  type      = number\n  default   = \"hunter2\"\n}\n",
            "variable \"a\" {\n  validation {}\n}\n",
            "locals {\n  a = 1\n}\nlocals {\n  a = 2\n}\n",
            "output \"a\" {}\n",
            "module \"a\" {}\n",
            "resource \"a\" \"b\" {\n  count = 1\n  for_each = {}\n}\n",
            "resource \"a\" \"b\" {\n  lifecycle {\n    ignore_changes = [b]\n    prevent_destory = true\n  }\n}\n",
            "a = 1\n",
            "resource \"a\" \"b\" {\n",
            "resource \"a\" \"b",
            "resource \"a${b}\" {}\n",
            "resource \"a\" \"b\" {}}\n",
            "resource \"a\" \"b\" { c = 1 d = 2 }\n",
            "terraform {\n  required_version = \"x\"\n}\n",
            "moved {\n  from = a.b\n}\n",
        ]),
    );
}
