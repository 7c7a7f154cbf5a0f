//! `objchange sentinel`: policies in the Sentinel language.

#[allow(dead_code, reason = "the commands that read configurations come next")]
mod configuration;
#[allow(dead_code, unused_imports, reason = "the command that runs policies comes next")]
mod imports;
mod test;

use std::io;
use std::process::ExitCode;

use clap::Subcommand;

/// Run, test and write Sentinel policies
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Test(test::Args),
}

pub(crate) fn run(args: &Args) -> io::Result<ExitCode> {
    match &args.command {
        Command::Test(args) => test::run(args),
    }
}
