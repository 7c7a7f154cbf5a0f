//! Small sources, a variable of each and its expected value: a few of them are here, all where that file is
//! at hand.

use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};
use objchange_sentinel::{LineIndex, Policy, Run, Setup};
use serde_json::{Value as Json, json};

pub(crate) fn trials() -> Vec<Trial> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let own = root.join("tests/cases.jsonl");
    let shared = root.join("../../../shared/vectors/sentinel-dev.jsonl");
    let is_absent = !shared.exists();
    vec![
        Trial::test("own", move || check_file(&own)),
        Trial::test("sentinel-dev", move || check_file(&shared)).with_ignored_flag(is_absent),
    ]
}

fn check_file(path: &PathBuf) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in fs::read_to_string(path)?.lines() {
        let case: Json = serde_json::from_str(line)?;
        let text = |key: &str| case[key].as_str().ok_or_else(|| format!("{line}: no {key}"));
        let answer = answer(text("src")?, text("var")?);
        count += 1;
        if !is_same(&answer, &case["expect"]) {
            wrong.push(format!("{}: {answer}, not {}", text("src")?, case["expect"]));
        }
    }
    if count == 0 {
        return Err("there are no cases".into());
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("{} of {count} differ\n{}", wrong.len(), wrong.join("\n")).into())
    }
}

/// The final value of a variable.
fn answer(source: &str, variable: &str) -> Json {
    let policy = match Policy::parse("case", source) {
        Ok(policy) => policy,
        Err(errors) => return json!({ "syntax": errors[0].with_position(&LineIndex::new(source)) }),
    };
    let setup = Setup::default();
    match Run::new(&policy, &setup).value(variable) {
        Err(error) => json!({ "error": error.to_string() }),
        Ok(None) => json!({ "absent": true }),
        Ok(Some(value)) if value.is_undefined() => json!({ "undefined": true }),
        Ok(Some(value)) => json!({ "value": value.to_json() }),
    }
}

/// A case says that there is an error, not which.
fn is_same(answer: &Json, expected: &Json) -> bool {
    if expected["error"] == true {
        return answer["error"].is_string();
    }
    match (answer["value"].as_f64(), expected["value"].as_f64()) {
        (Some(answer), Some(expected)) => answer == expected,
        _ => answer == expected,
    }
}
