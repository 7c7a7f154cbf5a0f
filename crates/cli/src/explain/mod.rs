//! `objchange explain`: what Terraform's messages about providers mean.

mod evidence;
mod json;
mod text;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use objchange_provider::explain::{Explained, explain};

use self::evidence::{Evidence, EvidenceError, Shown};
use crate::exit;
use crate::input::Source;
use crate::schemas::SchemaArgs;

const AFTER_HELP: &str = "\
Reads what Terraform or OpenTofu printed, from a terminal, a log of a build (also with TF_LOG, and with -json) or an issue, \
and says of each message about a provider which clause of the contract it is about, what it means, what to do until it is \
fixed, and how it is fixed in each SDK. Messages about other things are passed over.

With the schemas and the objects at hand the rules are run again, which shows every place that is wrong, and the values there as \
far as they are not sensitive.

Exit codes:
  0  there are messages about providers, and they are explained
  1  there are none
  2  the input cannot be used, or the output cannot be written

Examples:
  terraform apply 2>&1 | objchange explain
  objchange explain build.log
  objchange explain error.txt --schema schemas.json --planned plan.json --actual terraform.tfstate
  objchange explain error.txt --provider-binary ./terraform-provider-cloud=acme/cloud --planned plan.json --actual new.json
  objchange explain error.txt --json | jq '.messages[].clauses'";

/// Say what Terraform's messages about providers mean, and what to do
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    /// The text; standard input if absent or `-`
    #[arg(value_name = "FILE", default_value = "-")]
    text: PathBuf,

    /// Explain what is about this resource instance alone
    #[arg(long, value_name = "ADDRESS")]
    address: Option<String>,

    #[command(flatten)]
    schemas: SchemaArgs,

    /// The prior object, as JSON, or the state that it is in
    #[arg(long, value_name = "FILE", requires = "SchemaArgs")]
    prior: Option<PathBuf>,

    /// The configuration of the object, as JSON
    #[arg(long, value_name = "FILE", requires = "SchemaArgs")]
    config: Option<PathBuf>,

    /// The planned object, as JSON, or the output of `terraform show -json` for the plan
    #[arg(long, value_name = "FILE", requires = "SchemaArgs")]
    planned: Option<PathBuf>,

    /// The object after apply, as JSON, or the state that it is in
    #[arg(long, value_name = "FILE", requires = "SchemaArgs")]
    actual: Option<PathBuf>,

    /// Write JSON (its form: schema/explain.schema.json)
    #[arg(long)]
    json: bool,
}

/// A message, with what the objects tell of it.
struct Told {
    explained: Explained,
    shown: Option<Shown>,
}

impl Told {
    /// Whether the schema calls the place sensitive: what the message shows of it is not shown again then.
    fn is_secret(&self) -> bool {
        self.shown.as_ref().is_some_and(|shown| shown.is_secret)
    }
}

pub(crate) fn run(args: &Args) -> io::Result<ExitCode> {
    let told = match told(args) {
        Ok(told) => told,
        Err(error) => return exit::unusable(&error),
    };
    if args.json {
        json::write(&told)?;
    } else if told.is_empty() {
        exit::note("there is no message about a provider in the text");
    } else {
        text::write(&told)?;
    }
    Ok(if told.is_empty() { ExitCode::from(exit::FAILED) } else { ExitCode::SUCCESS })
}

fn told(args: &Args) -> Result<Vec<Told>, EvidenceError> {
    let source = Source::new(&args.text);
    let objects = [&args.prior, &args.config, &args.planned, &args.actual];
    let files = objects.into_iter().flatten().map(|path| Source::new(path)).chain(args.schemas.source());
    let from_stdin = files.filter(|file| *file == Source::Stdin);
    if from_stdin.count() + usize::from(source == Source::Stdin) > 1 {
        return Err(EvidenceError::OneStdin);
    }
    let mut all = explain(&source.read()?);
    if let Some(address) = &args.address {
        all.retain(|explained| explained.address.as_ref() == Some(address));
    }
    let evidence = Evidence::read(args, &all)?;
    let told = |explained: Explained| {
        let shown = evidence.as_ref().map(|evidence| evidence.shown(&explained)).transpose()?.flatten();
        Ok(Told { explained, shown })
    };
    all.into_iter().map(told).collect()
}
