//! Completions for shells, and manual pages.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap_complete::Shell;

use crate::exit::{CommandError, unusable};

const COMPLETIONS_HELP: &str = "\
Examples:
  objchange completions bash > ~/.local/share/bash-completion/completions/objchange
  objchange completions zsh > ~/.zfunc/_objchange
  objchange completions fish > ~/.config/fish/completions/objchange.fish";

/// Print the completions for a shell
#[derive(Debug, clap::Args)]
#[command(after_help = COMPLETIONS_HELP)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

const MANUAL_HELP: &str = "\
Examples:
  objchange manual ~/.local/share/man/man1
  man objchange-show";

/// Write the manual pages, one for each command
#[derive(Debug, clap::Args)]
#[command(after_help = MANUAL_HELP)]
pub(crate) struct ManualArgs {
    /// The directory for the pages; it is created if it does not exist
    #[arg(value_name = "DIR")]
    directory: PathBuf,
}

pub(crate) fn completions(
    args: &CompletionsArgs,
    mut command: clap::Command,
) -> Result<ExitCode, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "objchange", &mut script);
    let mut out = io::stdout().lock();
    out.write_all(&script)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn manual(args: &ManualArgs, command: clap::Command) -> Result<ExitCode, CommandError> {
    let directory = &args.directory;
    let failed = |error| unusable(format!("{}: cannot be written: {error}", directory.display()));
    std::fs::create_dir_all(directory).map_err(failed)?;
    clap_mangen::generate_to(command, directory).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}
