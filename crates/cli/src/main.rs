//! The program `objchange`.

mod address;
mod arguments;
mod check;
mod configuration;
mod conform;
mod documents;
mod doubts;
mod encoding;
mod eval;
mod exit;
mod explain;
mod input;
mod plan;
mod policy;
mod provider;
mod query;
mod relay;
mod reports;
mod schemas;
mod sentinel;
mod show;
mod stdio;
mod style;
mod surrounded;
mod terminal;
mod write_file;

use std::process::ExitCode;

use anstream::ColorChoice;
use clap::{Parser, Subcommand, ValueEnum};

/// What a Terraform or OpenTofu change to a resource will be
#[derive(Debug, Parser)]
#[command(name = "objchange", version, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// When to use colours; `auto` is on terminals, unless `NO_COLOR` is set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: When,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Args),
    Conform(conform::Args),
    Eval(eval::Args),
    Explain(explain::Args),
    Plan(plan::Args),
    Policy(policy::Args),
    Provider(provider::Args),
    Query(query::Args),
    Sentinel(sentinel::Args),
    /// Show a plan or state as `terraform show` prints it
    Show(show::Arguments),
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum When {
    Auto,
    Always,
    Never,
}

fn main() -> ExitCode {
    let Cli { command, color } = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::code(stdio::check().and_then(|()| arguments::answer(error))),
    };
    match color {
        When::Auto => ColorChoice::Auto,
        When::Always => ColorChoice::Always,
        When::Never => ColorChoice::Never,
    }
    .write_global();
    if let Err(error) = stdio::check() {
        return exit::code(Err(error));
    }
    exit::code(match command {
        Command::Check(args) => check::run(&args),
        Command::Conform(args) => conform::run(&args),
        Command::Eval(args) => eval::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Policy(args) => policy::run(&args),
        Command::Provider(args) => provider::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Sentinel(args) => sentinel::run(&args),
        Command::Show(arguments) => show::run(&arguments),
    })
}
