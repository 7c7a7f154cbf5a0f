//! Errors and warnings as text and as JSON, as Terraform 1.11.4 writes them.

use objchange::Value;
use objchange_hcl::{Diagnostic, Functions, Scope, Span, Variables, evaluate, parse_expression};
use objchange_module::config::{Config, LoadedModule};
use objchange_module::{DiagnosticPrinter, Diagnostics, ModuleDiagnostic, NOWHERE, Schemas, Severity};
use serde_json::{Value as Json, json};

fn config(text: &str) -> Config {
    let mut config = Config::default();
    config.sources.add("main.tf", text).unwrap();
    config.modules.push(LoadedModule::default());
    config
}

fn text(config: &Config, found: &Diagnostics) -> String {
    DiagnosticPrinter::new(config, &Schemas::default()).text(found)
}

fn json(config: &Config, found: &Diagnostics) -> Vec<Json> {
    let shown = DiagnosticPrinter::new(config, &Schemas::default()).json(found);
    shown.iter().map(|one| serde_json::from_str(one.get()).unwrap()).collect()
}

fn span(text: &str, part: &str) -> Span {
    let start = text.find(part).unwrap();
    Span::new(start as u32, (start + part.len()) as u32)
}

/// The errors of the expression of `x` in a block of locals, with their spans.
fn errors(source: &str, values: &[(&str, Value)]) -> Diagnostics {
    let start = source.find("x = ").unwrap() + 4;
    let written = source[start..].trim_end_matches("}\n").trim_end();
    let variables: Variables = [("var", Value::object(values.iter().cloned()))].into_iter().collect();
    let expr = parse_expression(written).unwrap();
    let (_, found) = evaluate(&expr, &Scope::new(&variables), Functions::pure());
    let mut diagnostics = Diagnostics::default();
    diagnostics.errors(found.into_iter().map(|error| error.moved(start as u32)));
    diagnostics
}

#[test]
fn an_error_in_a_call_shows_the_function_and_the_values() {
    let source = "locals {\n  x = concat(var.t, [\"iris\"])\n}\n";
    let config = config(source);
    let found = errors(source, &[("t", Value::from("cedar"))]);
    assert_eq!(
        text(&config, &found),
        "\nError: Invalid function argument\n\n  on main.tf line 2, in locals:\n   2:   x = concat(var.t, [\"iris\"])\n    \
         ├────────────────\n    │ while calling concat(seqs...)\n    │ var.t is \"cedar\"\n\nInvalid value for \"seqs\" \
         parameter: all arguments must be lists or tuples;\ngot string.\n"
    );
    assert_eq!(
        json(&config, &found)[0]["snippet"],
        json!({
            "context": "locals",
            "code": "  x = concat(var.t, [\"iris\"])",
            "start_line": 2,
            "highlight_start_offset": 13,
            "highlight_end_offset": 18,
            "values": [{"traversal": "var.t", "statement": "is \"cedar\""}],
            "function_call": {
                "called_as": "concat",
                "signature": {
                    "name": "concat",
                    "params": [],
                    "variadic_param": {"name": "seqs", "type": "dynamic"},
                    "return_type": "dynamic"
                }
            }
        })
    );
}

#[test]
fn lines_around_an_operation_are_shown() {
    let source = "locals {\n  x = (var.n\n     + var.s)\n}\n";
    let found = errors(source, &[("n", Value::from(1)), ("s", Value::from("s"))]);
    let shown = text(&config(source), &found);
    assert!(
        shown.contains("  on main.tf line 3, in locals:\n   2:   x = (var.n\n   3:      + var.s)\n"),
        "{shown}"
    );
    assert!(shown.contains("    │ var.s is \"s\"\n") && !shown.contains("var.n is"), "{shown}");
}

#[test]
fn a_place_is_told_in_lines_columns_and_bytes() {
    let source = "a = 1\nresource \"x_y\" \"é\" {\n  é = 2\n}\n";
    let config = config(source);
    let mut found = Diagnostics::default();
    found.error("Wrong", span(source, "2"), "No.");
    found.warning("Odd", span(source, "resource \"x_y\" \"é\""), "Hm.");
    found.without_place(Severity::Error, "Nowhere", "");
    found.error("Line 0", NOWHERE, "");
    let all = json(&config, &found);
    let told: Vec<(&str, &str)> =
        all.iter().map(|one| (one["severity"].as_str().unwrap(), one["summary"].as_str().unwrap())).collect();
    assert_eq!(told, [("warning", "Odd"), ("error", "Nowhere"), ("error", "Line 0"), ("error", "Wrong")]);
    let wrong = &all[3];
    assert_eq!(wrong["range"]["start"], json!({"line": 3, "column": 7, "byte": 35}));
    assert_eq!(wrong["range"]["end"], json!({"line": 3, "column": 8, "byte": 36}));
    assert_eq!(wrong["snippet"]["context"], "resource \"x_y\" \"é\"");
    assert_eq!(all[0]["snippet"]["context"], Json::Null);
    assert_eq!((all[1].get("range"), all[1].get("snippet")), (None, None));
    assert_eq!(all[2]["range"]["end"], json!({"line": 0, "column": 1, "byte": 1}));
}

#[test]
fn secrets_in_lines_are_hidden() {
    let source = "variable \"pin\" {\n  sensitive = true\n  default = \"s3cret\"\n}\nmodule \"m\" {\n  pin = \"s3cret\"\n}\n";
    let config = config(source);
    let mut found = Diagnostics::default();
    found.error("Wrong", span(source, "default = \"s3cret\""), "No.");
    found.error("Wrong", span(source, "pin = \"s3cret\""), "No.");
    let all = json(&config, &found);
    assert!(!text(&config, &found).contains("s3cret") && !format!("{all:?}").contains("s3cret"));
    assert_eq!(all[0]["snippet"]["code"], "  default = (sensitive value)");
    assert_eq!(all[0]["snippet"]["highlight_end_offset"], 29);
}

#[test]
fn similar_warnings_are_counted() {
    let source = "variable \"v\" {}\n";
    let mut found = Diagnostics::default();
    for _ in 0..3 {
        found.warning("Odd", span(source, "variable"), "Hm.");
    }
    assert_eq!(
        text(&config(source), &found),
        "\nWarning: Odd\n\n  on main.tf line 1:\n   1: variable \"v\" {}\n\nHm.\n\n(and 2 more similar warnings elsewhere)\n"
    );
}

#[test]
fn what_a_provider_says_names_the_instance() {
    let source = "resource \"x_y\" \"a\" {\n}\n";
    let config = config(source);
    let mut found = Diagnostics::default();
    found.add(ModuleDiagnostic::new(
        Diagnostic::new("Cannot", span(source, "resource \"x_y\" \"a\""), ""),
        Some("x_y.a[0]".to_owned()),
    ));
    assert_eq!(
        text(&config, &found),
        "\nError: Cannot\n\n  with x_y.a[0],\n  on main.tf line 1:\n   1: resource \"x_y\" \"a\" {\n\n"
    );
}

/// Terraform 1.11.4 and 1.15.5 print no signature of a function that a `for` calls, and the document has its name alone.
#[test]
fn a_call_inside_of_a_for_has_no_signature() {
    for expression in ["[for x in [1] : tonumber(var.t)]", "[for x in [1] : x if tobool(var.t)]"] {
        let source = format!("locals {{\n  x = {expression}\n}}\n");
        let found = errors(&source, &[("t", Value::from("cedar"))]);
        let shown = text(&config(&source), &found);
        assert!(shown.contains("│ var.t is \"cedar\"") && !shown.contains("while calling"), "{shown}");
        let call = &json(&config(&source), &found)[0]["snippet"]["function_call"];
        assert_eq!(call.as_object().unwrap().keys().collect::<Vec<_>>(), ["called_as"]);
    }
    // The call around it has one.
    let source = "locals {\n  x = upper([for x in [1] : var.t])\n}\n";
    let found = errors(source, &[("t", Value::from("cedar"))]);
    assert!(text(&config(source), &found).contains("while calling upper(str)"));
}

/// The values that an error names, by the expression of `x`: those of the operation or call that fails (Terraform 1.11.4).
#[test]
fn errors_name_the_values_of_what_fails() {
    let values = [
        ("a", Value::from("x")),
        ("b", Value::from(1)),
        ("l", Value::tuple(["p", "q"].map(Value::from))),
        ("n", Value::null(objchange::Type::Dynamic)),
    ];
    let named = |expression: &str| -> Vec<String> {
        let source = format!("locals {{\n  x = {expression}\n}}\n");
        let found = errors(&source, &values);
        let found: Vec<_> = found.iter().map(|found| &found.diagnostic.values).collect();
        found[0].iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(named("var.n + var.b + 1 > var.b"), ["var.b", "var.n"]);
    assert_eq!(named("var.n || var.n || var.b > 3"), ["var.n"]);
    assert_eq!(named("max(var.b, var.l...)"), [""; 0]);
    assert_eq!(named("max(var.a, [var.b]...)"), ["var.a"]);
    assert_eq!(named("trim(var.a, var.l...)"), ["var.a", "var.l"]);
}
