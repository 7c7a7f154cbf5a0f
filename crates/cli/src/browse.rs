//! `objchange browse`: a plan or state on the screen of a terminal.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use objchange_browse::{End, Screen, Settings, key_lines};
use objchange_document::document_warnings;
use objchange_plan::{Colour, Options, Report};

use crate::exit::{self, CommandError, unusable};
use crate::show::{DocumentArgs, Input};
use crate::style::colour;

const EXAMPLES: &str = "\
Examples:
  objchange browse plan.json --schemas schemas.json
  terraform show -json tfplan | objchange browse
  objchange browse plan.json --only module.net --action delete,replace
  objchange browse environments/prod --var-file prod.tfvars
  objchange browse terraform.tfstate";

fn after_help() -> String {
    let keys: Vec<String> = key_lines().map(|line| format!("  {line}")).collect();
    format!("Keys:\n{}\n\n{EXAMPLES}", keys.join("\n"))
}

/// Browse a plan or state in the terminal, with search, filters and folding
#[derive(Debug, clap::Args)]
#[command(after_help = after_help())]
pub(crate) struct Args {
    #[command(flatten)]
    input: DocumentArgs,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    args.input.planning()?;
    // In terminfo a `dumb` terminal cannot place the cursor, so nothing can be drawn on it.
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    if is_dumb || !io::stdout().is_terminal() {
        return Err(unusable(
            "`browse` needs a terminal, and standard output is not one that it can use; print the document \
             with `objchange show`",
        ));
    }
    let planned = args.input.plan_module(false, false, true)?;
    let Input { file: input, given } = args.input.read(planned, false).map_err(unusable)?;
    args.input.check(&input).map_err(unusable)?;
    let (schemas, sources) = args.input.schemas(given, &input);
    let options = Options { own_format: true, ..args.input.options(&input, args.input.program_of(&input)) };
    let report = Report::of_file(&input, &schemas, &options, &args.input.filter())
        .map_err(|error| unusable(sources.error(input.name(), error)))?;
    let mut warnings = document_warnings(input.facts());
    warnings.extend(args.input.unmatched(&input, &schemas));
    // The notes of the outline say what missing schemas cost.
    let settings =
        Settings { has_colour: colour(&io::stdout()) == Colour::Always, warnings: warnings.clone() };
    let explain = |error| sources.error(input.name(), error).to_string();
    let mut screen = Screen::enter().map_err(|error| {
        unusable(format_args!(
            "the terminal cannot be used: {error}; print the document with `objchange show`"
        ))
    })?;
    let end = screen.show(report.outline(), settings, explain);
    // First leave the alternate screen: what is written to it vanishes when the program ends.
    drop(screen);
    warnings.iter().chain(&sources.warning(&schemas)).for_each(|warning| exit::warn(warning));
    match end? {
        End::Interrupted => Err(CommandError::Interrupted),
        End::Quit { error: Some(error) } => Err(unusable(error)),
        End::Quit { error: None } => Ok(ExitCode::SUCCESS),
    }
}
