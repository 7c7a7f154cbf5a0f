//! `objchange sentinel test`: the tests that policies have.

use std::io;
use std::process::ExitCode;

use crate::exit;

/// Run the tests of policies
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_: &Args) -> io::Result<ExitCode> {
    exit::unusable(&"there are no tests")
}
