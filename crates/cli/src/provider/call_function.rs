//! `objchange provider call-function`.

use std::io::Write;
use std::process::ExitCode;

use objchange_project::session::{FunctionResult, Hidden, call_function};
use objchange_provider::client::Children;
use objchange_text::visible_json;

use super::session::{AlwaysJson, Failure, Target};
use crate::exit;

/// Call a provider function; prints the result as JSON
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    target: Target,

    #[command(flatten)]
    _form: AlwaysJson,

    /// The function
    function: String,

    /// Its arguments, each a value in JSON
    #[arg(value_name = "JSON", allow_hyphen_values = true)]
    arguments: Vec<String>,
}

pub(super) async fn run(args: &Args, children: &Children, hidden: &Hidden<'_>) -> Result<ExitCode, Failure> {
    // Terraform calls functions in a process without a configuration, so none is taken here.
    let session = args.target.start(children, hidden).await?;
    let result = call_function(&session, &args.function, &args.arguments).await?;
    session.end().await?;
    match result {
        FunctionResult::Json(json) => {
            writeln!(std::io::stdout().lock(), "{}", visible_json(&json))?;
            Ok(ExitCode::SUCCESS)
        }
        FunctionResult::Error(error) => {
            exit::complain(&error)?;
            Ok(ExitCode::from(exit::FAILED))
        }
    }
}
