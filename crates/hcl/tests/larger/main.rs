//! Tests that read larger files of cases or ask `terraform`, which may be absent: then they are ignored, and said to be.

mod console;
mod rsa;
mod vectors;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let trials = [console::trials(), vectors::trials()].into_iter().flatten().collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
