//! `objchange provider read` and `import`.

use std::io::{self, Write};
use std::path::{Path as FilePath, PathBuf};
use std::process::ExitCode;

use objchange::address::InstanceAddress;
use objchange_project::session::{
    FoundObject, Hidden, SessionError, StateOut, import_object, instance_address, read_data,
};
use objchange_provider::client::Children;
use objchange_text::json;

use super::saved_or_printed;
use super::session::{AlwaysJson, Configured, Failure};
use crate::exit::{self, FAILED, UNUSABLE};
use crate::input::Source;

/// Read an object or a data source; prints JSON without sensitive values
#[derive(Debug, clap::Args)]
pub(super) struct ReadArgs {
    #[command(flatten)]
    provider: Configured,

    #[command(flatten)]
    _form: AlwaysJson,

    /// The resource type
    #[arg(long = "type", value_name = "TYPE", required_unless_present = "data", requires = "prior")]
    resource_type: Option<String>,

    /// The object, as far as it is known, or a state with it
    #[arg(long, value_name = "FILE")]
    prior: Option<PathBuf>,

    /// The object's address in the state
    #[arg(long, value_name = "ADDRESS", requires = "prior")]
    address: Option<String>,

    /// Add the object to this state file, including secrets; the old file is kept as FILE.backup
    #[arg(long, value_name = "FILE", conflicts_with = "data")]
    state_out: Option<PathBuf>,

    /// The data source
    #[arg(long, value_name = "TYPE", conflicts_with = "resource_type", requires = "config")]
    data: Option<String>,

    /// The configuration of the data source, an object in JSON
    #[arg(long, value_name = "FILE", requires = "data")]
    config: Option<PathBuf>,
}

/// Import an existing object and read it; prints JSON without sensitive values
#[derive(Debug, clap::Args)]
pub(super) struct ImportArgs {
    #[command(flatten)]
    provider: Configured,

    #[command(flatten)]
    _form: AlwaysJson,

    /// The resource type
    #[arg(long = "type", value_name = "TYPE")]
    resource_type: String,

    /// The import ID
    #[arg(long, value_name = "ID", required_unless_present = "identity")]
    id: Option<String>,

    /// The identity to import, as JSON or a file
    #[arg(long, value_name = "JSON|FILE", conflicts_with = "id")]
    identity: Option<String>,

    /// The address of the resource in the state file [default: `this`]
    #[arg(long, value_name = "ADDRESS", requires = "state_out")]
    address: Option<String>,

    /// Add the object to this state file, including secrets; the old file is kept as FILE.backup
    #[arg(long, value_name = "FILE")]
    state_out: Option<PathBuf>,
}

pub(super) async fn read(
    args: &ReadArgs,
    children: &Children,
    hidden: &Hidden<'_>,
) -> Result<ExitCode, Failure> {
    // The state is opened and its place is checked before the provider is asked, so that no object is read that cannot
    // be saved.
    let out = args.state_out.as_deref().map(StateOut::open).transpose()?;
    let session = args.provider.start(children, hidden).await?;
    if let (Some(name), Some(path)) = (&args.data, &args.config) {
        let found = read_data(&session, name, &Source::new(path)).await?;
        let code = print(&found, hidden)?;
        session.end().await?;
        return Ok(code);
    }
    let name = args.resource_type.as_deref().unwrap_or_default();
    let at = (args.prior.as_deref(), args.address.as_deref());
    let target = out.map(|out| place(out, at.1, name, at.0)).transpose()?;
    let found = FoundObject::read(&session, name, at).await?;
    let code = print_and_save(&found, target, &args.provider, hidden)?;
    session.end().await?;
    Ok(code)
}

pub(super) async fn import(
    args: &ImportArgs,
    children: &Children,
    hidden: &Hidden<'_>,
) -> Result<ExitCode, Failure> {
    let name = args.resource_type.as_str();
    let out = args.state_out.as_deref().map(StateOut::open).transpose()?;
    let target = out.map(|out| place(out, args.address.as_deref(), name, None)).transpose()?;
    let session = args.provider.start(children, hidden).await?;
    let found = import_object(&session, name, (args.id.as_deref(), args.identity.as_deref())).await?;
    let code = print_and_save(&found, target, &args.provider, hidden)?;
    session.end().await?;
    Ok(code)
}

/// The place to save the object.
fn place(
    out: StateOut,
    address: Option<&str>,
    type_name: &str,
    prior: Option<&FilePath>,
) -> Result<(StateOut, InstanceAddress), SessionError> {
    let this = format!("{type_name}.this");
    let address = instance_address(address.unwrap_or(&this), type_name)?;
    out.check_free(&address, prior)?;
    Ok((out, address))
}

/// Prints an object, and saves it on request.
fn print_and_save(
    found: &FoundObject,
    target: Option<(StateOut, InstanceAddress)>,
    provider: &Configured,
    hidden: &Hidden<'_>,
) -> Result<ExitCode, Failure> {
    let code = print(found, hidden)?;
    let provider = provider.target.binary.address();
    let is_saved =
        target.is_none_or(|(out, address)| saved_or_printed(found.save((out, &address), provider)));
    Ok(if is_saved { code } else { ExitCode::from(UNUSABLE) })
}

/// Prints an object, after its problems.
fn print(found: &FoundObject, hidden: &Hidden<'_>) -> Result<ExitCode, Failure> {
    found.problems.iter().try_for_each(|problem| exit::complain(problem))?;
    let mut out = io::stdout().lock();
    json::write_line(&mut out, &found.redacted(hidden)?)?;
    out.flush()?;
    Ok(if found.problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FAILED) })
}
