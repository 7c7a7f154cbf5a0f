//! Tests that read larger files of cases or ask `terraform`, which may be absent: then they are ignored, and said to be.

mod document;
mod module_tests;
mod vectors;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let mut trials = document::trials();
    trials.extend(module_tests::trials());
    trials.extend(vectors::trials());
    trials.extend(vectors::removals::trials());
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
