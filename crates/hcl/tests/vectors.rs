//! Expressions, templates and bodies with what Terraform answers for them, where those files are at hand.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use objchange::case::{Case, Outcome};
use objchange_hcl::OPERATIONS;

fn main() -> ExitCode {
    let vectors = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors");
    let mut trials = Vec::new();
    for file in ["hcl-dev", "hcl-corner-dev"] {
        for op in OPERATIONS {
            let path: PathBuf = vectors.join(format!("{file}.jsonl"));
            let is_absent = !path.exists();
            let test = Trial::test(format!("{file}::{}", op.name), move || check_file(&path, op.name));
            trials.push(test.with_ignored_flag(is_absent));
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
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
