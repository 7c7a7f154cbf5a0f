//! `objchange provider read` and `import`.

use std::io::{self, Write};
use std::path::{Path as FilePath, PathBuf};
use std::process::ExitCode;

use objchange::Value;
use objchange::address::InstanceAddress;
use objchange::schema::{Block, Schema};
use objchange::value::Descend;
use objchange_plan::{InstanceObject, StateEdit};
use objchange_provider::client::Children;
use objchange_provider::{Component, ImportResource, ImportTarget, ProviderExt};
use objchange_text::json;

use super::change::{redacted, refreshed};
use super::hidden::Hidden;
use super::prior;
use super::session::{Configured, Failure, Session, object, read as read_object};
use super::state_out::{StateOut, instance_address};
use crate::exit::{self, FAILED, UNUSABLE};
use crate::input::Source;
use objchange_text::{MAX_TEXTS, left_out};

/// Read an object or a data source; prints JSON without sensitive values
#[derive(Debug, clap::Args)]
pub(super) struct ReadArgs {
    #[command(flatten)]
    provider: Configured,

    /// The resource type
    #[arg(long = "type", value_name = "TYPE", required_unless_present = "data", requires = "prior")]
    resource_type: Option<String>,

    /// The object as far as known, or a state to take it from
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

pub(super) async fn read(args: &ReadArgs, children: &Children, hidden: &Hidden) -> Result<ExitCode, Failure> {
    let out = args.state_out.as_deref().map(StateOut::open).transpose()?;
    let session = Session::configured(&args.provider, children, hidden).await?;
    if let (Some(name), Some(path)) = (&args.data, &args.config) {
        let block = session.block(Component::DataSource, name)?;
        let config = read_object(&Source::new(path), block)?;
        session.hide(block, &config);
        let (config, marks) = config.unmark_deep_with_paths();
        session.heed(&session.ask().validate(Component::DataSource, name, &config).await?)?;
        let answer = session.ask().read_data(name, &config).await?;
        session.heed(&answer.diagnostics)?;
        let found = answer.object.unwrap_or_else(|| Value::null(block.implied_type().clone()));
        let found = found.mark_where_present(&marks);
        let is_sound = is_sound(block, &found, false, hidden)?;
        print(&found, block, hidden)?;
        session.end().await?;
        return Ok(code(is_sound));
    }
    let name = args.resource_type.as_deref().unwrap_or_default();
    let block = session.block(Component::Resource, name)?;
    let schema = session.schemas.resources.get(name).cloned();
    let schema = schema.unwrap_or_else(|| Schema::new(0, block.clone()));
    let (prior, address) = (args.prior.as_deref(), args.address.as_deref());
    let target = out.map(|out| place(out, address, name, prior)).transpose()?;
    let known = prior::known(prior, address, None, name, &schema, &session).await?;
    let known = refreshed(&session, name, block, known).await?;
    let is_sound = is_sound(block, &known.object, true, hidden)?;
    print(&known.object, block, hidden)?;
    let is_saved = save(target, &args.provider, &schema, &known);
    session.end().await?;
    Ok(if is_saved { code(is_sound) } else { ExitCode::from(UNUSABLE) })
}

pub(super) async fn import(
    args: &ImportArgs,
    children: &Children,
    hidden: &Hidden,
) -> Result<ExitCode, Failure> {
    let name = args.resource_type.as_str();
    let out = args.state_out.as_deref().map(StateOut::open).transpose()?;
    let saved_at = out.map(|out| place(out, args.address.as_deref(), name, None)).transpose()?;
    let session = Session::configured(&args.provider, children, hidden).await?;
    let block = session.block(Component::Resource, name)?;
    let target = match (&args.id, &args.identity) {
        (Some(id), _) => ImportTarget::Id(id.clone()),
        (None, given) => {
            let schema = session.schemas.identities.get(name);
            let schema = schema
                .ok_or_else(|| Failure::Unusable(format!("{name} has no identity; name it by --id")))?;
            let given = given.as_deref().unwrap_or_default();
            let identity = match given.trim_start().starts_with('{') {
                true => object(given, &schema.block, "--identity")?,
                false => read_object(&Source::new(given.as_ref()), &schema.block)?,
            };
            ImportTarget::Identity(identity)
        }
    };
    let request = ImportResource { type_name: name.into(), target, deferral_allowed: false };
    let answer = session.ask().import(&request).await?;
    session.heed(&answer.diagnostics)?;
    let wrong = |said: String| {
        exit::complain(&hidden.relay(&said))?;
        Ok(ExitCode::from(FAILED))
    };
    let [imported] = &answer.resources[..] else {
        let count = answer.resources.len();
        return wrong(format!("the provider imports {count} objects, and Terraform wants one"));
    };
    if imported.type_name != name {
        return wrong(format!("the provider imports an object of type {}", imported.type_name));
    }
    let Some(found) = imported.object.as_ref().filter(|object| !object.is_null()) else {
        return wrong("the provider imports no object".into());
    };
    let is_sound_before = is_sound(block, found, false, hidden)?;
    session.hide(block, found);
    let (private, identity) = (imported.private.clone(), imported.identity.clone());
    let known = InstanceObject { object: found.clone(), tainted: false, private, identity };
    let known = refreshed(&session, name, block, known).await?;
    if known.object.is_null() {
        return wrong("there is no such object: what was imported cannot be read".into());
    }
    let is_sound = is_sound(block, &known.object, true, hidden)? && is_sound_before;
    print(&known.object, block, hidden)?;
    let schema = session.schemas.resources.get(name).cloned();
    let schema = schema.unwrap_or_else(|| Schema::new(0, block.clone()));
    let is_saved = save(saved_at, &args.provider, &schema, &known);
    session.end().await?;
    Ok(if is_saved { code(is_sound) } else { ExitCode::from(UNUSABLE) })
}

/// Where the object is to be saved.
fn place(
    out: StateOut,
    address: Option<&str>,
    type_name: &str,
    prior: Option<&FilePath>,
) -> Result<(StateOut, InstanceAddress), Failure> {
    let this = format!("{type_name}.this");
    let address = instance_address(address.unwrap_or(&this), type_name).map_err(Failure::Unusable)?;
    out.check_free(&address, prior)?;
    Ok((out, address))
}

/// Saves the object if it is to be saved, and says whether it is where it should be.
fn save(
    target: Option<(StateOut, InstanceAddress)>,
    provider: &Configured,
    schema: &Schema,
    known: &InstanceObject,
) -> bool {
    let Some((out, address)) = target else { return true };
    let provider = provider.target.binary.address();
    out.save(&StateEdit { address: &address, provider, schema, current: known, deposed: None })
}

fn code(is_sound: bool) -> ExitCode {
    if is_sound { ExitCode::SUCCESS } else { ExitCode::from(FAILED) }
}

/// Says what keeps an object from being kept.
fn is_sound(block: &Block, object: &Value, may_be_null: bool, hidden: &Hidden) -> io::Result<bool> {
    let mut wrong = Vec::new();
    if object.is_null() && !may_be_null {
        wrong.push("the provider answers with no object".to_owned());
    }
    for path in block.write_only_paths(object) {
        if object.at(&path).is_some_and(|value| !value.is_null()) {
            wrong.push(format!("{path}: a write-only attribute must be null"));
        }
    }
    block.mark_hidden(object).visit(|path, part| {
        if !part.is_known() {
            wrong.push(format!("{}: all values must be known here", path.to_path()));
        }
        if part.is_wholly_known() || part.is_marked() { Descend::Over } else { Descend::Into }
    });
    for said in wrong.iter().take(MAX_TEXTS) {
        exit::complain(&hidden.relay(said))?;
    }
    if let Some(more) = left_out(wrong.len(), MAX_TEXTS, "problems") {
        exit::complain(&more)?;
    }
    Ok(wrong.is_empty())
}

fn print(object: &Value, block: &Block, hidden: &Hidden) -> Result<(), Failure> {
    let json = redacted(object, block, hidden)?;
    let mut out = io::stdout().lock();
    json::write_line(&mut out, &json)?;
    Ok(out.flush()?)
}
