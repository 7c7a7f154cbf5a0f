//! `objchange provider`: calls a provider without Terraform.

mod call_function;
mod change;
mod object;
mod schema;
mod session;
mod validate;

use std::io::Write;
use std::process::ExitCode;

use objchange_project::Interrupt;
use objchange_project::session::{Hidden, NotSaved};
use objchange_provider::client::Children;
use objchange_text::{Noted, visible_json};

use self::session::Failure;
use crate::exit::{self, CommandError};
use crate::launch;

const AFTER_HELP: &str = "\
The provider binary is started, called and stopped. Its address is the source in `required_providers`; the default is \
hashicorp's provider of that name. With --reattach the provider is already running, and only its address is given.

Objects are JSON as in `terraform show -json`. In input, write {\"$unknown\":{}} for an unknown value and \
{\"$sensitive\":…} for a sensitive one. Sensitive values are not printed.

Exit codes:
  0    done
  1    the provider reports errors, breaks its contract with Terraform, crashes or does not answer
  2    the input cannot be used, the provider cannot be started, or the output cannot be written; if the
       state cannot be written after a change, it is saved elsewhere and the message says where
  130  interrupted; no process is left

Examples:
  objchange provider schema ./terraform-provider-random > schemas.json
  objchange provider plan ./terraform-provider-random=hashicorp/random --type random_pet --config pet.json
  objchange provider apply ./terraform-provider-random --config main.tf:random_pet.name --state-out s.tfstate --apply
  objchange provider call-function ./terraform-provider-time rfc3339_parse '\"2026-01-02T03:04:05Z\"'";

/// Call a provider directly: for schemas, validation, plans, reads, imports and functions
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    Schema(schema::Args),
    Validate(validate::Args),
    Plan(change::PlanArgs),
    Apply(change::ApplyArgs),
    Read(object::ReadArgs),
    Import(object::ImportArgs),
    CallFunction(call_function::Args),
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let hidden = Hidden::new(&exit::remark);
    match launch::run(async |children, interrupt| {
        work(&args.command, (&children, &interrupt), &hidden).await
    })? {
        Some(Ok(code)) => Ok(code),
        Some(Err(failure)) => session::report(failure, &hidden),
        None => Ok(ExitCode::from(exit::INTERRUPTED)),
    }
}

async fn work(
    command: &Command,
    (children, interrupt): (&Children, &Interrupt),
    hidden: &Hidden<'_>,
) -> Result<ExitCode, Failure> {
    match command {
        Command::Schema(args) => schema::run(args, children, hidden).await,
        Command::Validate(args) => validate::run(args, children, hidden).await,
        Command::Plan(args) => change::plan(args, children, hidden).await,
        Command::Apply(args) => change::apply(args, (children, interrupt), hidden).await,
        Command::Read(args) => object::read(args, children, hidden).await,
        Command::Import(args) => object::import(args, children, hidden).await,
        Command::CallFunction(args) => call_function::run(args, children, hidden).await,
    }
}

/// Whether the objects are saved. A state that could be saved nowhere is printed, with its secrets.
fn saved_or_printed(saved: Noted<Result<(), NotSaved>>) -> bool {
    let Err(NotSaved { unsaved }) = exit::noted(saved) else { return true };
    if let Some(text) = unsaved {
        let _ = exit::complain(
            "the new state could not be saved; keep the following output, which contains secrets:",
        );
        let mut err = std::io::stderr().lock();
        for line in text.lines() {
            // Each unprintable character becomes an escape of JSON, so the terminal is safe and the text is still the
            // state.
            let _ = writeln!(err, "{}", visible_json(line));
        }
    }
    false
}
