//! Calls of built-in functions, with the answers that OPA gives.

mod term;

use objchange_rego::Value;
use objchange_rego::builtins::{BuiltinErrorKind, Context, lookup};

/// The time of all evaluations here: 1 October 2026.
const NOW: i64 = 1_790_812_800_000_000_000;

/// What a call gives: its value as a term, `undefined`, or `error` with the message.
fn call(name: &str, operands: &[Value]) -> String {
    let builtin = lookup(name).unwrap_or_else(|| panic!("there is no {name}"));
    let mut context = Context::new(NOW, 1, |_| Ok(()));
    match builtin.call(&mut context, operands) {
        Ok(Some(value)) => value.to_string(),
        Ok(None) => "undefined".to_owned(),
        Err(error) => {
            let kind = match error.kind {
                BuiltinErrorKind::Type => "eval_type_error",
                BuiltinErrorKind::Failed => "eval_builtin_error",
                BuiltinErrorKind::Limit => "limit",
            };
            format!("error {kind}: {name}: {error}")
        }
    }
}

/// Each line of `builtins.jsonl` is a call and what OPA says. `OBJCHANGE_BUILTIN_CASES` names another such file.
#[test]
fn calls_give_what_opa_gives() {
    let text = match std::env::var("OBJCHANGE_BUILTIN_CASES") {
        Ok(path) => std::fs::read_to_string(path).unwrap(),
        Err(_) => include_str!("builtins.jsonl").to_owned(),
    };
    let mut count = 0;
    let mut wrong = Vec::new();
    for line in text.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let field = |name: &str| case.get(name).and_then(serde_json::Value::as_str);
        let (name, args) = (field("call").unwrap(), field("args").unwrap());
        let operands = term::read(args).unwrap_or_else(|at| panic!("{args}: no term at {at}"));
        let operands = operands.as_array().unwrap().items();
        let got = call(name, operands);
        let is_right = match (field("result"), field("error")) {
            (Some(want), _) => got == want,
            (None, Some(want)) => {
                got.starts_with("error ")
                    && (want.starts_with("eval_type_error") == got.starts_with("error eval_type_error"))
            }
            (None, None) => got == "undefined",
        };
        count += 1;
        if !is_right {
            wrong.push(format!("{name}{args}\n  want {case}\n  got  {got}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {count} calls differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 0);
}
