//! Tests that also read larger files of cases, which may be absent: then they are ignored, and said to be.

mod arithmetic;
mod bench_inputs;
mod vectors;

use std::process::ExitCode;

use libtest_mimic::Arguments;

fn main() -> ExitCode {
    let trials =
        [arithmetic::trials(), bench_inputs::trials(), vectors::trials()].into_iter().flatten().collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
