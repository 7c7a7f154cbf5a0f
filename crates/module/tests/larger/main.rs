//! Tests that read larger files of cases or ask `terraform`, which may be absent: then they are ignored, and said to be.

mod vectors;

use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

fn main() -> ExitCode {
    let folder = vectors::folder();
    let Ok(planner) = vectors::Planner::new(&folder) else {
        let absent = Trial::test("vectors", || Ok(())).with_ignored_flag(true);
        return libtest_mimic::run(&Arguments::from_args(), vec![absent]).exit_code();
    };
    let planner = Arc::new(planner);
    let cases = vectors::cases(&folder, "*").unwrap_or_default();
    let trials = cases.into_iter().map(|case| {
        let planner = Arc::clone(&planner);
        Trial::test(format!("vectors::{}", case.name), move || {
            let verdicts = vectors::judge(&planner, &case);
            if vectors::passes(&verdicts) {
                return Ok(());
            }
            let wrong =
                verdicts.iter().filter_map(|(part, found)| Some(format!("{part}: {}", found.as_ref()?)));
            Err(wrong.collect::<Vec<_>>().join("\n").into())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}
