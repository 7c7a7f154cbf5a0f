//! Snippets with OPA's answers, as they were recorded.

use objchange_rego::{CompileOptions, Program, Setup, SourceFile, Value};

fn text<'v>(case: &'v Value, name: &str) -> Option<&'v str> {
    case.as_object().and_then(|case| case.get_str(name)).and_then(Value::as_str)
}

/// The value of a module in JSON, or its error. OPA ran with strict errors of built-ins.
fn answer(case: &Value, shared: &Value, is_strict: bool) -> Result<Value, String> {
    let member = |name: &str| {
        let mut all = [case, shared].into_iter().filter_map(Value::as_object);
        all.find_map(|case| case.get_str(name)).cloned()
    };
    let module = format!("package a\n{}", text(case, "policy").expect("a policy"));
    let whole = "package whole\nwhole := data.a".to_owned();
    let files = [("a.rego", module), ("whole.rego", whole)]
        .map(|(name, text)| SourceFile { name: name.to_owned(), text });
    let program = Program::compile(&files, &CompileOptions::default()).map_err(|error| error.to_string())?;
    let setup = Setup {
        input: member("input"),
        data: member("data").unwrap_or_else(|| Value::object([])),
        strict_builtin_errors: is_strict,
        now_ns: 1_790_812_800_000_000_000,
        ..Setup::default()
    };
    let whole = program.rules().find(|rule| rule.name == "whole").expect("it is there").id;
    let value = program.run(setup, |session| session.rule(whole)).map_err(|error| error.to_string())?.0;
    let value = value.unwrap_or_else(|| Value::object([]));
    if value.number_not_in_json().is_some() {
        return Err("invalid number literal".to_owned());
    }
    let text = value.to_json();
    Ok(Value::from_json(&text).expect("what was written can be read"))
}

fn check(cases: &str, shared: &Value) {
    let mut wrong = Vec::new();
    for line in cases.lines() {
        let case = Value::from_json(line).expect("a case");
        let mut found = answer(&case, shared, true);
        if found.is_err() && text(&case, "error").is_none() {
            // If one of two conditions fails and the other is undefined, OPA may evaluate the other one
            // first.
            found = answer(&case, shared, false);
        }
        let is_right = match (text(&case, "error"), case.as_object().and_then(|case| case.get_str("result")))
        {
            (Some(_), _) => found.is_err(),
            (None, Some(result)) => found.as_ref() == Ok(result),
            (None, None) => false,
        };
        if !is_right {
            let answer = found.map(|value| value.to_json());
            wrong.push(format!("{line}\n    {answer:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.lines().count(), wrong.join("\n"));
    assert!(!cases.is_empty());
}

/// `OBJCHANGE_REGO_CASES` names another such file.
#[test]
fn snippets_have_the_answers_of_opa() {
    let cases = match std::env::var("OBJCHANGE_REGO_CASES") {
        Ok(path) => std::fs::read_to_string(path).expect("a file of cases"),
        Err(_) => include_str!("../cases.jsonl").to_owned(),
    };
    check(&cases, &Value::Null);
}

/// Policies as people write them, in both syntaxes, over one plan.
#[test]
fn idioms_have_the_answers_of_opa() {
    let shared = Value::from_json(include_str!("../idioms-input.json")).expect("an input and data");
    check(include_str!("../idioms.jsonl"), &shared);
}

/// People look them up.
#[test]
fn errors_have_the_words_of_opa() {
    let mut wrong = Vec::new();
    for line in include_str!("../errors.jsonl").lines() {
        let case = Value::from_json(line).expect("a case");
        let (module, expected) = (text(&case, "policy").unwrap(), text(&case, "error").unwrap());
        let at = case.as_object().and_then(|case| case.get_str("line")).unwrap().to_json();
        let file = SourceFile { name: "a.rego".to_owned(), text: format!("package a\n{module}") };
        let errors = Program::compile(&[file], &CompileOptions::default()).err();
        let said: Vec<String> = errors.iter().flat_map(|errors| &errors.0).map(ToString::to_string).collect();
        if !said.contains(&format!("a.rego:{at}: {expected}")) {
            wrong.push(format!("{line}\n    {said:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
