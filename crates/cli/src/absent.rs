//! Commands that a small build does not have.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::exit::{self, CommandError};

/// Not in this build: build with `--features full`
#[derive(Debug, clap::Args)]
// `--help` is an argument like any other here, so that `objchange policy --help` also says how to get the command.
#[command(disable_help_flag = true)]
pub(crate) struct Args {
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    _all: Vec<OsString>,
}

/// Says how to get the command.
pub(crate) fn run(command: &str) -> Result<ExitCode, CommandError> {
    Err(exit::unusable(format_args!(
        "this build does not have `{command}`: build with `cargo run --features full -- {command} …`, or install with \
         `cargo install --path crates/cli --features full`"
    )))
}
