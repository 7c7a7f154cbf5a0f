//! The language of Terraform 1.14 to 1.17: whole configurations with the text, the exit code and the diagnostics of
//! Terraform 1.17-dev, which is as 1.16 here.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use libtest_mimic::Failed;
use serde_json::Value;

use crate::program::objchange;

/// The cases that do not come out as Terraform's yet. A case named here must still differ.
const DIFFERENCES: &str = include_str!("language_differences.txt");

pub(crate) fn configurations_are_planned_as_by_terraform(folder: &Path) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    let mut listed: BTreeSet<&str> = DIFFERENCES.lines().collect();
    for entry in fs::read_dir(folder)? {
        let case = entry?.path();
        let name = case.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let found = difference(&case)?;
        match (found, listed.remove(&*name)) {
            (Some(difference), false) => wrong.push(format!("{name}: {difference}")),
            (None, true) => wrong.push(format!("{name} agrees now: take it off `language_differences.txt`")),
            _ => {}
        }
    }
    wrong.extend(listed.iter().map(|name| format!("{name} is listed, and is no case")));
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// How the program's answer differs from Terraform's.
fn difference(case: &Path) -> Result<Option<String>, Failed> {
    let wanted: Value = serde_json::from_str(&fs::read_to_string(case.join("case.json"))?)?;
    let texts = |value: &Value| -> Vec<String> {
        let all = value.as_array().into_iter().flatten().filter_map(Value::as_str);
        all.map(str::to_owned).collect()
    };
    // Some have schemas of their own.
    let schemas = case.join(wanted["schemas"].as_str().unwrap_or("../../schemas.json"));
    let mut arguments = vec!["plan".to_owned(), case.display().to_string()];
    arguments.extend(["--schemas".to_owned(), schemas.display().to_string()]);
    arguments.extend(["--as", "terraform@1.16", "--detailed-exitcode"].map(str::to_owned));
    arguments.extend(texts(&wanted["args"]).into_iter().map(|argument| format!("-{argument}")));
    let output = objchange(&arguments, "");
    if Some(i64::from(output.code)) != wanted["exit_1_17_dev"].as_i64() {
        return Ok(Some(format!("the exit code is {}: {}", output.code, output.stderr)));
    }
    // Some were asked only for the error.
    if let Ok(text) = fs::read_to_string(case.join("expect-1.17-dev/plan.txt"))
        && !text.is_empty()
        && text.trim() != output.stdout.trim()
    {
        return Ok(Some(format!("the text is\n{}", output.stdout)));
    }
    let Some(summaries) = wanted.get("summaries_1_17_dev") else { return Ok(None) };
    let is_summary = |line: &&str| line.starts_with("Error: ") || line.starts_with("Warning: ");
    let found: BTreeSet<String> = output.stderr.lines().filter(is_summary).map(str::to_owned).collect();
    let is_same = found == texts(summaries).into_iter().collect();
    Ok((!is_same).then(|| format!("the diagnostics are {found:?}")))
}
