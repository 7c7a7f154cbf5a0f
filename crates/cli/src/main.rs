//! The program `objchange`.

use std::process::ExitCode;

fn main() -> ExitCode {
    objchange_cli::main()
}
