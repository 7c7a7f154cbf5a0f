//! Tests that also read larger files of cases, which may be absent: then they are ignored, and said to be.

#[path = "../integration/report/mod.rs"]
mod report;
mod schema;
mod vectors;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let trials = [schema::trials(), vectors::trials()].into_iter().flatten().collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
