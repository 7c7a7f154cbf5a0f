//! The program `objchange`.

mod check;
mod encoding;
mod exit;
mod input;
mod paths;
mod plan;
mod style;

use std::process::ExitCode;

use clap::Parser;

/// What a Terraform or OpenTofu change to a resource will be
#[derive(Debug, Parser)]
#[command(version, about, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Check(check::Args),
    Plan(plan::Args),
}

fn main() -> ExitCode {
    let Cli { command } = Cli::parse();
    exit::code(match command {
        Command::Check(args) => check::run(&args),
        Command::Plan(args) => plan::run(&args),
    })
}
