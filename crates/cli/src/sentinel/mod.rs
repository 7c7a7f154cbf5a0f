//! `objchange sentinel`: runs, tests, formats and checks Sentinel policies.
//!
//! Policies over plans are evaluated in `objchange_policy::sentinel`; here are arguments, files and reports.

mod apply;
mod check;
mod files;
mod fmt;
mod limits;
mod mock;
mod test;

use std::process::ExitCode;

use clap::Subcommand;

pub(crate) use self::apply::PolicySet;

use crate::exit::CommandError;
use crate::options::MaskArgs;

/// Run, test, format and check Sentinel policies
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Apply(apply::Args),
    Check(check::Args),
    Mock(mock::Args),
    Fmt(fmt::Args),
    Test(test::Args),
}

impl Args {
    /// The names whose values are hidden.
    pub(crate) fn mask(&self) -> Option<&MaskArgs> {
        match &self.command {
            Command::Apply(args) => Some(args.mask()),
            _ => None,
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    match &args.command {
        Command::Apply(args) => apply::run(args),
        Command::Check(args) => check::run(args),
        Command::Mock(args) => mock::run(args),
        Command::Fmt(args) => fmt::run(args),
        Command::Test(args) => test::run(args),
    }
}
