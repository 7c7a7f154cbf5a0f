//! `objchange provider schema`.

use std::io::Write;
use std::process::ExitCode;

use objchange_project::session::Hidden;
use objchange_provider::client::Children;
use objchange_provider::schema_document;

use super::session::{AlwaysJson, Failure, Target};

/// Print a provider's schemas as `terraform providers schema -json` does
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    target: Target,

    #[command(flatten)]
    _form: AlwaysJson,
}

pub(super) async fn run(args: &Args, children: &Children, hidden: &Hidden<'_>) -> Result<ExitCode, Failure> {
    let session = args.target.start(children, hidden).await?;
    let text = schema_document([(args.target.binary.address().as_str(), &*session.schemas)]);
    session.end().await?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
