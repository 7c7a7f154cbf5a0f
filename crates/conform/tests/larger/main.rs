//! Tests with programs that may be absent: Terraform, and providers from a package registry. Without them the tests are
//! ignored, and said to be.

mod real;
mod terraform;
#[path = "../trial/mod.rs"]
mod trial;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = terraform::trials();
    trials.extend(real::trials(&arguments));
    libtest_mimic::run(&arguments, trials).exit_code()
}
