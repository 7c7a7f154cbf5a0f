//! Policies that take too much are ended.

use std::fmt::Write;
use std::time::{Duration, Instant};

use objchange_rego::{CompileOptions, EvalError, Limit, Limits, Program, Setup, SourceFile, Value};

fn compiled(text: &str) -> Result<Program, String> {
    let file = SourceFile { name: "a.rego".to_owned(), text: format!("package a\n{text}") };
    Program::compile(&[file], &CompileOptions::default()).map_err(|error| error.to_string())
}

/// The value of the rule called `x`.
fn x(program: &Program, limits: Limits) -> Result<Option<Value>, EvalError> {
    let rule = program.rules().find(|rule| rule.name == "x").unwrap().id;
    program.run(Setup { limits, ..Setup::default() }, |session| session.rule(rule)).map(|(value, _)| value)
}

#[test]
fn functions_may_call_each_other_in_a_long_row() {
    let mut text = String::from("f0(x) := x\nx := f7999(1)\n");
    for i in 1..8000 {
        // Writing to a string does not fail.
        _ = writeln!(text, "f{i}(x) := f{}(x)", i - 1);
    }
    let program = compiled(&text).unwrap();
    assert_eq!(x(&program, Limits::default()).unwrap().unwrap(), Value::int(1));
}

#[test]
fn what_leads_too_deep_is_ended() {
    let mut text = String::from("f0(x) := x\nx := f199999(1)\n");
    for i in 1..200_000 {
        _ = writeln!(text, "f{i}(x) := f{}(x)", i - 1);
    }
    let program = compiled(&text).unwrap();
    let end = x(&program, Limits::default());
    assert!(end.is_ok() || end.unwrap_err().limit == Some(Limit::Depth));
    let deep = format!("x := {}1{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(compiled(&deep).unwrap_err().contains("within each other"));
    assert!(compiled(&format!("x := {}1", "-".repeat(100_000))).is_err());
}

#[test]
fn time_and_memory_are_limited() {
    let program = compiled(
        "x if {\n\tsome i in numbers.range(1, 10000)\n\tsome j in numbers.range(1, 10000)\n\ti + j < 0\n}",
    )
    .unwrap();
    let deadline = Instant::now().checked_add(Duration::from_millis(50));
    let end = x(&program, Limits { deadline, ..Limits::default() }).unwrap_err();
    assert_eq!(end.limit, Some(Limit::Time));
    let program =
        compiled("x := count([[i, j] | some i in numbers.range(1, 5000); some j in numbers.range(1, 5000)])")
            .unwrap();
    let end = x(&program, Limits { memory: 1 << 20, ..Limits::default() }).unwrap_err();
    assert_eq!(end.limit, Some(Limit::Memory));
}

/// A value that is doubled so often, by an expression with it in place of `@`.
fn doubled(first: &str, step: &str, times: usize) -> String {
    let mut text = format!("x0 := {first}\n");
    for i in 0..times {
        _ = writeln!(text, "x{} := {}", i + 1, step.replace('@', &format!("x{i}")));
    }
    text
}

#[test]
fn a_value_that_is_too_large_is_refused_before_it_is_made() {
    for (first, step) in [
        ("[1]", "array.concat(@, @)"),
        ("[[1]]", "array.concat(array.flatten([@, @]), @)"),
        ("[1]", "[@, @]"),
        ("[\"a\"]", "[json.marshal([@, @])]"),
        ("\"a\"", "concat(@, [\"\", @, \"\"])"),
        ("\"a\"", "replace(@, \"a\", \"aa\")"),
        ("\"aa\"", "sprintf(\"%s%s\", [@, @])"),
        ("\"a,\"", "concat(\"\", split(concat(\"\", [@, @]), \"z\"))"),
        ("{\"a\": 1}", "{\"a\": @, \"b\": @}"),
        ("\"a\"", "$\"{@}{@}\""),
    ] {
        let program = compiled(&format!("{}x := count(x40)", doubled(first, step, 40))).unwrap();
        let limits = Limits { memory: 64 << 20, ..Limits::default() };
        let limit = x(&program, limits).unwrap_err().limit;
        assert!(matches!(limit, Some(Limit::Size | Limit::Memory)), "{step}: {limit:?}");
    }
}

/// Doubled until the memory of the evaluation was full, a text took 4.2 GB.
#[test]
fn a_text_that_is_too_long_is_refused_before_the_memory_is_full() {
    for step in
        ["yaml.marshal([@, @])", "sprintf(\"%s%s\", [@, @])", "sprintf(\"%v\", [[@, @]])", "$\"{@}{@}\""]
    {
        let program = compiled(&format!("{}x := count(x40)", doubled("\"aa\"", step, 40))).unwrap();
        let limits = Limits { memory: 4 << 30, ..Limits::default() };
        assert_eq!(x(&program, limits).unwrap_err().limit, Some(Limit::Size), "{step}");
    }
}

/// Twenty-five steps make a value of 2^25 parts, and putting ten thousand of them in order takes hours.
#[test]
fn large_values_are_not_put_in_order() {
    let mut text = String::from("f(i) := v25 if {\n\tv0 := [i, 1]\n");
    for i in 0..25 {
        _ = writeln!(text, "\tv{} := [v{i}, v{i}]", i + 1);
    }
    text.push_str("}\n");
    for rule in [
        "x := {f(1) | some i in numbers.range(1, 10000)}",
        "x := count({f(i) | some i in numbers.range(1, 10000)})",
    ] {
        let program = compiled(&format!("{text}{rule}")).unwrap();
        assert_eq!(x(&program, Limits::default()).unwrap_err().limit, Some(Limit::Size), "{rule}");
    }
}

#[test]
fn rules_that_lead_to_themselves_are_refused() {
    for text in [
        "x := y\ny := x",
        "f(x) := f(x + 1)\nx := f(1)",
        "x := data.a",
        "x := data[_]",
        "x := data.a[y] { y = \"z\" }",
    ] {
        let error = compiled(text).unwrap_err();
        assert!(error.contains("is recursive: "), "{text}: {error}");
    }
}

/// OPA refuses these when policies are compiled. A result for such elements would be wrong.
#[test]
fn constant_elements_of_the_wrong_type_are_refused() {
    let compile = |call: &str| {
        let text = format!("package a\n\nx := {call}\n");
        let file = SourceFile { name: "a.rego".to_owned(), text };
        Program::compile(&[file], &CompileOptions::default()).map(drop)
    };
    let errors = compile("graph.reachable({\"a\": 1}, [\"a\"])").unwrap_err();
    assert_eq!(errors.0[0].code, "rego_type_error", "{errors}");
    for call in
        ["any([\"a\"])", "all({true, 1})", "any(input.l)", "graph.reachable({\"a\": {\"b\"}}, [\"a\"])"]
    {
        assert!(compile(call).is_ok(), "{call}");
    }
}
