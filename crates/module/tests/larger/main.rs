//! Tests that read larger files of cases, which may be absent: then they are ignored, and said to be.

mod document;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    libtest_mimic::run(&Arguments::from_args(), document::trials()).exit_code()
}
