//! The program `objchange`: shows Terraform changes.

mod input;
mod show;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// What a Terraform or OpenTofu change will be.
#[derive(Debug, Parser)]
#[command(name = "objchange", version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show a plan or state as `terraform show` prints it.
    Show(show::Arguments),
}

fn main() -> ExitCode {
    let result = match Arguments::parse().command {
        Command::Show(arguments) => show::run(&arguments),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            anstream::eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
