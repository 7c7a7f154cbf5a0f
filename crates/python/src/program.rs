//! The program `objchange` inside of the package.

use std::ffi::OsString;
use std::io::Write;
use std::process::ExitCode;

use pyo3::prelude::*;

/// Runs the program with these arguments, the first of which is its name, and returns its exit code.
#[pyfunction]
pub(crate) fn run_program(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| {
        let code = objchange_cli::main_with(arguments);
        // Python ends the process without flushing Rust's output.
        let _ = std::io::stdout().flush();
        // An `ExitCode` can be compared, and has no method that tells its number.
        (0..=u8::MAX).find(|number| ExitCode::from(*number) == code).unwrap_or(u8::MAX)
    })
}
