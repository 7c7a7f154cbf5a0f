//! Snippets with OPA's answers, as they were recorded.

use objchange_rego::{CompileOptions, Program, Setup, SourceFile, Value};

fn text<'v>(case: &'v Value, name: &str) -> Option<&'v str> {
    case.as_object().and_then(|case| case.get_str(name)).and_then(Value::as_str)
}

/// What a module is in JSON, where it has a value; what is wrong with it, where it has none.
fn answer(case: &Value) -> Result<String, String> {
    let member = |name: &str| case.as_object().and_then(|case| case.get_str(name)).cloned();
    let module = format!("package a\n{}", text(case, "policy").expect("a policy"));
    let file = SourceFile { name: "a.rego".to_owned(), text: module };
    let program = Program::compile(&[file], &CompileOptions::default()).map_err(|error| error.to_string())?;
    let setup = Setup {
        input: member("input"),
        data: member("data").unwrap_or_else(|| Value::object([])),
        ..Setup::default()
    };
    let rules: Vec<_> = program
        .rules()
        .filter(|rule| !rule.is_function && rule.path.len() == 2)
        .map(|rule| (rule.name.to_owned(), rule.id))
        .collect();
    let values = program.run(setup, |session| {
        let mut values = Vec::new();
        for (name, rule) in rules {
            if let (Some(value), _) = session.rule(rule)? {
                values.push((Value::from(name), value));
            }
        }
        Ok(values)
    });
    values.map(|values| Value::object(values).to_json()).map_err(|error| error.to_string())
}

#[test]
fn snippets_have_the_answers_of_opa() {
    let mut wrong = Vec::new();
    let cases = include_str!("../cases.jsonl");
    for line in cases.lines() {
        let case = Value::from_json(line).expect("a case");
        let answer = answer(&case);
        let is_right = match (text(&case, "error"), case.as_object().and_then(|case| case.get_str("result")))
        {
            (Some(_), _) => answer.is_err(),
            (None, Some(result)) => answer.as_deref() == Ok(&result.to_json()),
            (None, None) => false,
        };
        if !is_right {
            wrong.push(format!("{line}\n    {answer:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.lines().count(), wrong.join("\n"));
}
