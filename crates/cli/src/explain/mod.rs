//! `objchange explain`: explains Terraform's messages about providers.

mod evidence;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use objchange_explain::{ExplainDocument, Explained, ExplainedMessage, explain, write_text};
use objchange_text::json;

use objchange_project::PlanInputError;

use self::evidence::{AtHand, EvidenceError};
use crate::exit::{self, CommandError, unusable};
use crate::input::Source;
use crate::options::MaxInput;
use crate::schemas::SchemaArgs;
use crate::terminal;

const AFTER_HELP: &str = "\
Reads what Terraform or OpenTofu printed: terminal output, a build log (with TF_LOG or -json, too) or an issue. For \
each message about a provider it reports the clause of the contract, the meaning, a workaround, and the fix in each \
SDK. Other messages are skipped.

With schemas and objects it checks the rules again. This finds every wrong value, and shows it unless it is sensitive.

Exit codes:
  0  messages about providers were found and explained
  1  no message about a provider was found
  2  the input cannot be used, or the output cannot be written

Examples:
  terraform apply 2>&1 | objchange explain
  objchange explain build.log
  objchange explain error.txt --schemas schemas.json --planned plan.json --actual terraform.tfstate
  objchange explain error.txt --provider-binary ./terraform-provider-cloud=acme/cloud --planned plan.json --actual new.json
  objchange explain error.txt --json | jq '.messages[].clauses'";

/// Explain Terraform's errors about providers and how to fix them
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// Text that Terraform printed [default: standard input]
    #[arg(value_name = "FILE", default_value = "-")]
    text: PathBuf,

    /// Explain only messages about this resource instance
    #[arg(long, value_name = "ADDRESS")]
    address: Option<String>,

    #[command(flatten)]
    schemas: SchemaArgs,

    #[command(flatten)]
    max_input: MaxInput,

    /// The prior object as JSON, or a state with it
    #[arg(long, value_name = "FILE")]
    prior: Option<PathBuf>,

    /// The configuration of the object, as JSON
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The planned object as JSON, or a plan with it: a plan file of `terraform plan -out`, or the output of `terraform show
    /// -json PLANFILE`
    #[arg(long, value_name = "FILE")]
    planned: Option<PathBuf>,

    /// The object after apply as JSON, or a state with it
    #[arg(long, value_name = "FILE")]
    actual: Option<PathBuf>,

    /// Print JSON (schema/explain.schema.json)
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let messages = messages(args).map_err(unusable)?;
    if args.json {
        let mut out = io::stdout().lock();
        json::write_pretty(&mut out, &ExplainDocument::new(&messages))?;
        out.flush()?;
    } else if messages.is_empty() {
        exit::note("there is no message about a provider in the text");
    } else {
        write_text(&mut terminal::stdout(), &messages)?;
    }
    Ok(if messages.is_empty() { ExitCode::from(exit::FAILED) } else { ExitCode::SUCCESS })
}

fn messages(args: &Args) -> Result<Vec<ExplainedMessage>, EvidenceError> {
    let source = Source::new(&args.text);
    let objects = [&args.prior, &args.config, &args.planned, &args.actual];
    let files = objects.into_iter().flatten().map(|path| Source::new(path)).chain(args.schemas.sources());
    let from_stdin = files.filter(|file| *file == Source::Stdin);
    if from_stdin.count() + usize::from(source == Source::Stdin) > 1 {
        return Err(EvidenceError::OneStdin);
    }
    let mut all = explain(&source.read().map_err(PlanInputError::from)?);
    if let Some(address) = &args.address {
        all.retain(|explained| explained.address.as_ref() == Some(address));
    }
    let at_hand = AtHand::read(args, &all)?;
    let message = |explained: Explained| {
        let evidence = at_hand.as_ref().map(|at_hand| at_hand.evidence(&explained)).transpose()?.flatten();
        Ok(ExplainedMessage { explained, evidence })
    };
    all.into_iter().map(message).collect()
}
