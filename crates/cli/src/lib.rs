//! The program `objchange`.

// `clippy.toml` lists the functions that read without a limit: /dev/zero as an input filled the memory.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
#![cfg_attr(
    not(feature = "full"),
    allow(dead_code, unused_imports, reason = "some commands share what a small build lacks them for")
)]

// The heavy commands are features: with all of them the first build took 154 s on two cores, without them 50 s.
#[cfg(not(feature = "full"))]
mod absent;
mod affected;
mod arguments;
#[cfg(feature = "browse")]
mod browse;
mod check;
#[cfg(any(feature = "policy", feature = "sentinel"))]
mod clock;
mod configuration;
#[cfg(feature = "provider")]
mod conform;
mod diff;
mod documents;
mod eval;
mod exit;
mod explain;
mod hash;
mod hints;
#[cfg(feature = "provider")]
mod launch;
mod module_plan;
mod module_test;
mod options;
mod plan;
#[cfg(feature = "policy")]
mod policy;
#[cfg(feature = "provider")]
mod provider;
#[cfg(feature = "query")]
mod query;
mod reports;
#[cfg(all(feature = "policy", feature = "sentinel"))]
mod review;
mod schema_cache;
mod schemas;
mod schemas_command;
#[cfg(feature = "sentinel")]
mod sentinel;
mod settings;
#[cfg(feature = "shell")]
mod shell;
mod show;
mod stdio;
mod style;
mod terminal;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::LazyLock;

use anstream::ColorChoice;
use clap::{CommandFactory, Parser, Subcommand, ValueEnum};
// Files are read and written everywhere.
use objchange_files::{input, write_file};

use crate::exit::CommandError;
use crate::options::MaskArgs;
use crate::settings::Settled;

/// Predict, check and print changes to Terraform and OpenTofu resources
#[derive(Debug, Parser)]
#[command(name = "objchange", version, long_version = LONG_VERSION.as_str(), arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// When to use colours; `auto` uses them on terminals, unless `NO_COLOR` is set, and elsewhere if `FORCE_COLOR` is
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: When,

    /// Print no notes and warnings, only errors
    #[arg(short, long, global = true)]
    quiet: bool,

    /// Take options from this file, also those that decide what is checked. `objchange.toml` in the working directory, and the
    /// variables `OBJCHANGE_COLOR`, `OBJCHANGE_FORMAT` and `OBJCHANGE_SCHEMAS`, give these three options
    // `settings` reads it before the arguments are parsed.
    #[arg(long, global = true, value_name = "FILE")]
    settings: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum Command {
    Affected(affected::Args),
    #[cfg(feature = "browse")]
    Browse(browse::Args),
    #[cfg(not(feature = "browse"))]
    Browse(absent::Args),
    Check(check::Args),
    #[cfg(feature = "shell")]
    Completions(shell::CompletionsArgs),
    #[cfg(not(feature = "shell"))]
    Completions(absent::Args),
    #[cfg(feature = "provider")]
    Conform(conform::Args),
    #[cfg(not(feature = "provider"))]
    Conform(absent::Args),
    Diff(diff::Args),
    Eval(eval::Args),
    Explain(explain::Args),
    Graph(module_plan::graph::Args),
    Hash(hash::Args),
    #[cfg(feature = "shell")]
    Manual(shell::ManualArgs),
    #[cfg(not(feature = "shell"))]
    Manual(absent::Args),
    Plan(module_plan::Args),
    // The other form of `plan`.
    #[command(name = arguments::RESOURCE_FORM, hide = true)]
    PlanResource(plan::Args),
    #[cfg(feature = "policy")]
    Policy(policy::Args),
    #[cfg(not(feature = "policy"))]
    Policy(absent::Args),
    #[cfg(feature = "provider")]
    Provider(provider::Args),
    #[cfg(not(feature = "provider"))]
    Provider(absent::Args),
    #[cfg(feature = "query")]
    Query(query::Args),
    #[cfg(not(feature = "query"))]
    Query(absent::Args),
    #[cfg(all(feature = "policy", feature = "sentinel"))]
    Review(review::Args),
    #[cfg(not(all(feature = "policy", feature = "sentinel")))]
    Review(absent::Args),
    Schemas(schemas_command::Args),
    #[cfg(feature = "sentinel")]
    Sentinel(sentinel::Args),
    #[cfg(not(feature = "sentinel"))]
    Sentinel(absent::Args),
    /// Show a plan or state as `terraform show` prints it
    Show(show::Arguments),
    Test(module_test::Args),
}

/// The version with the commit that it was built from, if `build.rs` finds it, and its features.
static LONG_VERSION: LazyLock<String> = LazyLock::new(|| {
    let features = [
        ("browse", cfg!(feature = "browse")),
        ("plan-file", cfg!(feature = "plan-file")),
        ("policy", cfg!(feature = "policy")),
        ("provider", cfg!(feature = "provider")),
        ("query", cfg!(feature = "query")),
        ("sentinel", cfg!(feature = "sentinel")),
        ("shell", cfg!(feature = "shell")),
        ("template", cfg!(feature = "template")),
    ];
    let has: Vec<&str> = features.iter().filter(|(_, is_in)| *is_in).map(|(name, _)| *name).collect();
    let commit = option_env!("OBJCHANGE_COMMIT").map_or_else(String::new, |commit| format!(" ({commit})"));
    let has =
        if has.is_empty() { "none; build with `--features full` for all".to_owned() } else { has.join(", ") };
    format!("{}{commit}\nfeatures: {has}", env!("CARGO_PKG_VERSION"))
});

/// Whether `FORCE_COLOR` asks for colours everywhere; `NO_COLOR` is stronger (<https://force-color.org>).
fn is_colour_forced() -> bool {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    is_set("FORCE_COLOR") && !is_set("NO_COLOR")
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum When {
    Auto,
    Always,
    Never,
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    main_with(std::env::args_os().collect())
}

/// Runs the program with these arguments, the first of which is its name: for programs that embed it.
pub fn main_with(arguments: Vec<OsString>) -> ExitCode {
    let program = Cli::command();
    let arguments = arguments::with_two_dashes(arguments, &program);
    // The settings are chosen for the form of `plan` that the command line is for.
    let form = |arguments: &[OsString]| match Cli::try_parse_from(arguments) {
        Ok(_) => Ok(arguments.to_vec()),
        Err(error) => {
            let arguments = plan::choose_form(error, &program, arguments).map_err(|error| error.kind())?;
            Cli::try_parse_from(&arguments).map(|_| arguments).map_err(|error| error.kind())
        }
    };
    let Settled { arguments, note } = match settings::with_settings(arguments, &program, form) {
        Ok(settled) => settled,
        Err(error) => return exit::code(Err(error)),
    };
    // `plan` has two forms. `clap` chooses: the other form is parsed if the first one refuses an option that only the
    // other has.
    let parsed = Cli::try_parse_from(&arguments)
        .or_else(|error| plan::choose_form(error, &program, &arguments).and_then(Cli::try_parse_from));
    let Cli { command, color, quiet, settings: _ } = match parsed {
        Ok(cli) => cli,
        Err(error) => return exit::code(answer(error, &arguments)),
    };
    match color {
        When::Auto if is_colour_forced() => ColorChoice::Always,
        When::Auto => ColorChoice::Auto,
        When::Always => ColorChoice::Always,
        When::Never => ColorChoice::Never,
    }
    .write_global();
    exit::be_quiet(quiet);
    note.iter().for_each(|note| exit::note(note));
    let is_detailed = match &command {
        Command::Plan(arguments) => arguments.has_detailed_exitcode(),
        Command::Show(arguments) => arguments.has_detailed_exitcode(),
        _ => false,
    };
    exit::use_detailed_codes(is_detailed);
    let result = run(&command);
    if let (Ok(_), Some(mask)) = (&result, command.mask()) {
        mask.note_unused();
    }
    exit::code(result)
}

impl Command {
    /// The names whose values are hidden, in commands that print values.
    fn mask(&self) -> Option<&MaskArgs> {
        match self {
            Self::Diff(args) => Some(args.mask()),
            Self::Hash(args) => Some(args.mask()),
            Self::Plan(args) => Some(args.mask()),
            #[cfg(feature = "policy")]
            Self::Policy(args) => Some(args.mask()),
            #[cfg(feature = "query")]
            Self::Query(args) => Some(args.mask()),
            #[cfg(all(feature = "policy", feature = "sentinel"))]
            Self::Review(args) => Some(args.mask()),
            #[cfg(feature = "sentinel")]
            Self::Sentinel(args) => args.mask(),
            Self::Show(args) => Some(args.mask()),
            _ => None,
        }
    }
}

/// Prints help, or the error in the arguments.
fn answer(error: clap::Error, arguments: &[OsString]) -> Result<ExitCode, CommandError> {
    // Help that nobody can read is an error as well, as any other lost output.
    stdio::check()?;
    Ok(arguments::answer(error, arguments)?)
}

fn run(command: &Command) -> Result<ExitCode, CommandError> {
    stdio::check()?;
    match command {
        Command::Affected(args) => affected::run(args),
        #[cfg(feature = "browse")]
        Command::Browse(args) => browse::run(args),
        #[cfg(not(feature = "browse"))]
        Command::Browse(_) => absent::run("browse"),
        Command::Check(args) => check::run(args),
        #[cfg(feature = "shell")]
        Command::Completions(args) => shell::completions(args, Cli::command()),
        #[cfg(feature = "provider")]
        Command::Conform(args) => conform::run(args),
        #[cfg(not(feature = "provider"))]
        Command::Conform(_) => absent::run("conform"),
        Command::Diff(args) => diff::run(args),
        Command::Eval(args) => eval::run(args),
        Command::Explain(args) => explain::run(args),
        Command::Graph(args) => module_plan::graph::run(args),
        Command::Hash(args) => hash::run(args),
        #[cfg(not(feature = "shell"))]
        Command::Completions(_) => absent::run("completions"),
        #[cfg(feature = "shell")]
        Command::Manual(args) => shell::manual(args, Cli::command()),
        #[cfg(not(feature = "shell"))]
        Command::Manual(_) => absent::run("manual"),
        Command::Plan(args) => module_plan::run(args),
        Command::PlanResource(args) => plan::run(args),
        #[cfg(feature = "policy")]
        Command::Policy(args) => policy::run(args),
        #[cfg(not(feature = "policy"))]
        Command::Policy(_) => absent::run("policy"),
        #[cfg(feature = "provider")]
        Command::Provider(args) => provider::run(args),
        #[cfg(not(feature = "provider"))]
        Command::Provider(_) => absent::run("provider"),
        #[cfg(feature = "query")]
        Command::Query(args) => query::run(args),
        #[cfg(not(feature = "query"))]
        Command::Query(_) => absent::run("query"),
        #[cfg(all(feature = "policy", feature = "sentinel"))]
        Command::Review(args) => review::run(args),
        #[cfg(not(all(feature = "policy", feature = "sentinel")))]
        Command::Review(_) => absent::run("review"),
        Command::Schemas(args) => schemas_command::run(args),
        #[cfg(feature = "sentinel")]
        Command::Sentinel(args) => sentinel::run(args),
        #[cfg(not(feature = "sentinel"))]
        Command::Sentinel(_) => absent::run("sentinel"),
        Command::Show(arguments) => show::run(arguments),
        Command::Test(args) => module_test::run(args),
    }
}
