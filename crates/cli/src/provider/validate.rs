//! `objchange provider validate`.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use objchange::schema::Block;
use objchange_project::session::{Hidden, read};
use objchange_provider::client::Children;
use objchange_provider::{Component, ProviderExt};

use super::session::{Failure, Target};
use crate::input::Source;

/// Validate a configuration; the provider need not be configured
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    target: Target,

    /// The kind of block
    #[arg(long, value_enum, default_value = "resource")]
    kind: Kind,

    /// The type; the provider's own configuration has none
    #[arg(long = "type", value_name = "TYPE", required_unless_present = "kind", default_value = "")]
    name: String,

    /// The configuration, an object in JSON
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Kind {
    Resource,
    Data,
    Ephemeral,
    List,
    Action,
    StateStore,
    Provider,
}

impl Kind {
    fn component(self) -> Component {
        match self {
            Self::Resource => Component::Resource,
            Self::Data => Component::DataSource,
            Self::Ephemeral => Component::EphemeralResource,
            Self::List => Component::ListResource,
            Self::Action => Component::Action,
            Self::StateStore => Component::StateStore,
            Self::Provider => Component::Provider,
        }
    }
}

pub(super) async fn run(args: &Args, children: &Children, hidden: &Hidden<'_>) -> Result<ExitCode, Failure> {
    let session = args.target.start(children, hidden).await?;
    let component = args.kind.component();
    let nothing = Block::new::<&str>([], []);
    let block = match component {
        // A provider need not have a schema of its own configuration, which is empty then.
        Component::Provider => session.schemas.block(component, "").unwrap_or(&nothing),
        _ => session.block(component, &args.name)?,
    };
    let config = read(&Source::new(&args.config), block)?;
    session.hide(block, &config);
    session
        .warnings_or_errors(&session.ask().validate(component, &args.name, &config.unmark_deep().0).await?)?;
    session.end().await?;
    Ok(ExitCode::SUCCESS)
}
