//! Errors and findings as people see them: sources with their problems, in `snapshots/`.
//! `INSTA_UPDATE=always cargo test -p objchange-sentinel` writes them again.

use std::fmt::Write;

use objchange_sentinel::{Diagnostic, LineIndex, LintContext, Policy, Run, Setup, lint};

fn diagnostic(text: &str, found: &Diagnostic) -> String {
    let at = LineIndex::new(text).position(found.subject.unwrap_or_default().start);
    let hints: String = found.hints.iter().map(|hint| format!("\n  help: {hint}")).collect();
    format!("{at}: {found}{hints}\n")
}

/// The lines of a text, with their numbers.
fn source(text: &str) -> String {
    text.lines().zip(1..).fold(String::new(), |mut shown, (line, number)| {
        writeln!(shown, "{number} | {line}").unwrap();
        shown
    })
}

fn syntax_errors(text: &str) -> String {
    let errors = Policy::parse("p", text).map(|_| ()).expect_err(text);
    errors.iter().map(|error| diagnostic(text, error)).collect()
}

fn run_error(text: &str) -> String {
    let policy = Policy::parse("p", text).unwrap_or_else(|errors| panic!("{text}: {}", errors[0]));
    let setup = Setup::default();
    let error = Run::new(&policy, &setup).value("main").expect_err(text);
    format!("{}: {}\n", error.location.position, error.message)
}

fn findings(text: &str) -> String {
    let context = LintContext { is_policy: true, globals: Vec::new(), imports: None };
    let found = lint(text, &context).unwrap_or_else(|errors| panic!("{text}: {}", errors[0]));
    assert!(!found.is_empty(), "{text} has no finding");
    found.iter().map(|found| diagnostic(text, found)).collect()
}

#[track_caller]
fn golden(name: &str, texts: &[&str], wrong: impl Fn(&str) -> String) {
    let shown: String = texts.iter().map(|text| format!("{}{}\n", source(text), wrong(text))).collect();
    insta::assert_snapshot!(name, shown);
}

#[test]
fn syntax() {
    golden(
        "syntax",
        &[
            "main = rule {",
            "main = rule { true",
            "main = rule { 1 + }",
            "main = [1, 2",
            "main = {\"a\": 1, \"b\"}",
            "main = \"open",
            "main = \"\\q\"",
            "main = func(a b) { return a }",
            "main = all [1] as x",
            "main = case 1 { when: true }",
            "import tfplan",
            "import \"a\" as",
            "if true main = 1",
            "for [1] as i, { }",
            "1 = main",
            "main = a is is b",
            "param",
            "main = 0x",
            "main = 099",
            "return",
            "break",
            "main = a ? b : c",
            "main = 1 === 2",
            "main = \u{201c}a\u{201d}",
        ],
        syntax_errors,
    );
}

#[test]
fn runs() {
    golden(
        "runs",
        &[
            "main = a",
            "main = 1 + \"a\"",
            "main = 1 / 0",
            "main = [1][\"a\"]",
            "main = not 1",
            "main = 1 and true",
            "main = 1 in 2",
            "main = length(1)",
            "main = length()",
            "main = \"a\" matches \"(\"",
            "main = all 1 as x { x }",
            "f = func(a) { return a }\nmain = f()",
            "f = func() { return f() }\nmain = f()",
            "import \"none\"\nmain = none.x",
            "import \"json\"\nmain = json.unmarshal(\"{\")",
            "import \"time\"\nmain = time.load(\"never\")",
            "main = error(\"no\")",
            "main = 1\nmain = main()",
            "param p\nmain = p",
            "a = b\nb = 1\nmain = a",
        ],
        run_error,
    );
}

#[test]
fn lints() {
    golden(
        "lints",
        &[
            "a = 1\n",
            "import \"strings\"\nmain = rule { true }",
            "main = rule { undefind }",
            "main = rule { lenght(\"a\") is 1 }",
            "f = func(a) { return 1 }\nmain = rule { f(1) is 1 }",
            "f = func(a) {\n  return a\n  b = 1\n}\nmain = rule { f(1) is 1 }",
            "main = rule { 1 is \"a\" }",
            "import \"strings\"\nmain = rule { strngs.has_prefix(\"a\", \"b\") }",
            "main = rule { length(1) is 1 }",
            "main = rule { \"a\" matches \"(\" }",
        ],
        findings,
    );
}
