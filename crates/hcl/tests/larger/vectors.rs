//! Expressions, templates and bodies with what Terraform answers for them, where those files are at hand.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use libtest_mimic::{Failed, Trial};
use objchange_case::{Case, Outcome};
use objchange_hcl::OPERATIONS;

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The file in `tests/cases` (written by hand) or `tests/vectors` (what Terraform answered).
fn own(folder: &str, op: &str) -> PathBuf {
    root().join("tests").join(folder).join(format!("hcl_{op}.jsonl"))
}

pub(crate) fn trials() -> Vec<Trial> {
    let vectors = root().join("../shared/vectors");
    let mut trials = vec![Trial::test("own::every_summary_has_a_case", every_summary_has_a_case)];
    for op in OPERATIONS {
        for folder in ["cases", "vectors"] {
            let path = own(folder, op.name);
            trials
                .push(Trial::test(format!("own::{folder}::{}", op.name), move || check_file(&path, op.name)));
        }
    }
    for file in ["hcl-dev", "hcl-corner-dev"] {
        for op in OPERATIONS {
            let path: PathBuf = vectors.join(format!("{file}.jsonl"));
            let is_absent = !path.exists();
            let test = Trial::test(format!("{file}::{}", op.name), move || check_file(&path, op.name));
            trials.push(test.with_ignored_flag(is_absent));
        }
    }
    trials
}

/// Cases that are answered otherwise on purpose: negative zero is zero here, also for `format`.
const DEPARTURES: [&str; 1] = ["expr-corner-2477"];

fn check_file(path: &Path, op: &str) -> Result<(), Failed> {
    let mut wrong = Vec::new();
    let mut count = 0;
    for line in fs::read_to_string(path)?.lines() {
        let case = Case::parse(line)?;
        if case.op() != op || case.id().is_some_and(|id| DEPARTURES.contains(&id)) {
            continue;
        }
        count += 1;
        match case.run_by(OPERATIONS) {
            Outcome::Passed => {}
            outcome => wrong.push(format!("{}: {outcome:?}", case.id().unwrap_or_default())),
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

/// The summaries that are in the source files below a folder, as patterns: a name in braces is any word.
///
/// A summary is the first argument of what reports an error, or a constant; functions have no summaries of their own.
fn summaries(folder: &Path) -> BTreeSet<String> {
    let reports = concat!(
        r#"(?:\b(?:error|fail|failed|report|report_last|Diagnostic::new)\(|\berror_in\([a-z.]+, |const [A-Z_]+: &str =|=>|\()\s*"#,
        r#"(?:format!\()?"([A-Z][a-z]+ [^".,:]+)"[,;]"#
    );
    let reports = regex::Regex::new(reports).unwrap();
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(summaries(&path));
        } else if !path.ends_with("json.rs") && !path.ends_with("json_errors.rs") {
            // Cases hold the native syntax; `json.rs` of the integration tests has the other one.
            let source = fs::read_to_string(&path).unwrap();
            let source = source.split("#[cfg(test)]").next().unwrap_or_default();
            found.extend(reports.captures_iter(source).map(|captures| captures[1].to_owned()));
        }
    }
    found
}

/// Summaries that no small case gives: `hostile.rs` has what is too large to evaluate, `json.rs` those of the JSON syntax;
/// an error in a template is part of the error of the call.
const WITHOUT_A_CASE: [&str; 6] = [
    // Said of modules alone.
    "Unknown provider function",
    "Template result is null",
    "Source too long",
    "Evaluation too large",
    "Duplicate object attribute",
    "Invalid object key expression",
];

fn every_summary_has_a_case() -> Result<(), Failed> {
    let mut given = BTreeSet::new();
    for op in OPERATIONS {
        for line in fs::read_to_string(own("cases", op.name))?.lines() {
            let case: serde_json::Value = serde_json::from_str(line)?;
            let errors = case["want"]["errors"].as_array().into_iter().flatten();
            given.extend(errors.filter_map(|error| Some(error["summary"].as_str()?.to_owned())));
        }
    }
    let any_word = regex::Regex::new(r"\\\{\w+\\\}").unwrap();
    let mut all = BTreeSet::new();
    for folder in ["syntax", "eval", "decode"] {
        all.extend(summaries(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(folder)));
    }
    // Fewer would mean that they are written in a form that is not looked for.
    assert!(all.len() > 90, "{all:?}");
    all.retain(|summary| {
        let pattern = any_word.replace_all(&regex::escape(summary), r"\w+").into_owned();
        let pattern = regex::Regex::new(&format!("^{pattern}$")).unwrap();
        !given.iter().any(|given| pattern.is_match(given)) && !WITHOUT_A_CASE.contains(&&**summary)
    });
    if all.is_empty() { Ok(()) } else { Err(format!("without a case: {all:?}").into()) }
}
