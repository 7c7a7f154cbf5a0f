//! `objchange provider validate`.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::ValueEnum;
use objchange::Value;
use objchange::change::{Diagnostic, Severity};
use objchange::schema::Block;
use objchange_project::resource::{ResourceConfig, ResourceError, ResourceInputs};
use objchange_project::session::{Hidden, Session, SessionError, read_subject};
use objchange_provider::client::Children;
use objchange_provider::{Component, ProviderExt};
use objchange_text::{MAX_TEXTS, json};
use serde::Serialize;

use super::session::{Failure, Target};
use crate::configuration::GivenArgs;
use crate::exit::FAILED;
use crate::input::Source;
use crate::options::MaxInput;
use crate::plan::refused_in;

/// Validate a configuration; the provider need not be configured
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    target: Target,

    /// The kind of block
    #[arg(long, value_enum, default_value = "resource")]
    kind: Kind,

    /// The type; the provider's own configuration and a block of configuration need none
    #[arg(long = "type", value_name = "TYPE")]
    name: Option<String>,

    /// The configuration, an object in JSON, or a resource block in a configuration file or module directory, e.g.
    /// `main.tf:aws_instance.web["a"]`
    #[arg(long, value_name = "FILE|FILE.tf[:ADDRESS]|DIR[:ADDRESS]")]
    config: PathBuf,

    #[command(flatten)]
    given: GivenArgs,

    #[command(flatten)]
    max_input: MaxInput,

    /// Print JSON (schema/provider-validate.schema.json)
    #[arg(long)]
    json: bool,
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
    let written = ResourceConfig::read(&args.config).map_err(SessionError::from)?;
    let component = args.kind.component();
    if written.sources().is_some() && component != Component::Resource {
        let reason =
            "a configuration file is read for resources; for other kinds --config takes an object in JSON";
        return Err(Failure::Command(reason.into()));
    }
    let session = args.target.start(children, hidden).await?.with_max_input(args.max_input.size);
    if component == Component::Resource {
        return validate_resource(args, &written, session).await;
    }
    let name = match (&args.name, component) {
        (Some(name), _) => name.as_str(),
        (None, Component::Provider) => "",
        (None, _) => return Err(Failure::Command("name the type with --type".into())),
    };
    if !args.given.given().is_empty() {
        return Err(SessionError::from(ResourceError::GivenForNothing).into());
    }
    let nothing = Block::new::<&str>([], []);
    let block = match component {
        // A provider need not have a schema of its own configuration, which is empty then.
        Component::Provider => session.schemas.block(component, "").unwrap_or(&nothing),
        _ => session.block(component, name)?,
    };
    let config = session.read(&Source::new(&args.config), block)?;
    session.hide(block, &config);
    finish(args, session, component, name, &config).await
}

/// Validates a resource, which may be a block of configuration.
async fn validate_resource(
    args: &Args,
    written: &ResourceConfig,
    session: Session<'_>,
) -> Result<ExitCode, Failure> {
    let inputs = ResourceInputs {
        resource_type: args.name.as_deref(),
        prior: None,
        address: None,
        max_input: args.max_input.size,
        config: &args.config,
        given: args.given.given(),
        ignore_changes: &[],
        replace: false,
        create_before_destroy: false,
    };
    let subject = match read_subject(&session, &inputs, written, &[]) {
        Ok(subject) => subject,
        Err(SessionError::Resource(error)) => return Err(refused_in(*error, written).into()),
        Err(error) => return Err(error.into()),
    };
    session.hide(&subject.request.schema, &subject.request.config);
    finish(args, session, Component::Resource, &subject.resource_type, &subject.request.config).await
}

/// Asks the provider, and ends it.
async fn finish(
    args: &Args,
    session: Session<'_>,
    component: Component,
    name: &str,
    config: &Value,
) -> Result<ExitCode, Failure> {
    let found = session.ask().validate(component, name, &config.unmark_deep().0).await?;
    if args.json {
        let report = ValidationReport::new(&found, session.hidden);
        session.end().await?;
        json::write_line(&mut io::stdout().lock(), &report)?;
        return Ok(if report.valid { ExitCode::SUCCESS } else { ExitCode::from(FAILED) });
    }
    session.warnings_or_errors(&found)?;
    session.end().await?;
    Ok(ExitCode::SUCCESS)
}

/// The answer of a provider as JSON, without secrets.
#[derive(Serialize)]
struct ValidationReport {
    format_version: &'static str,
    valid: bool,
    diagnostics: Vec<ReportedDiagnostic>,
    /// How many more there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
}

#[derive(Serialize)]
struct ReportedDiagnostic {
    severity: &'static str,
    summary: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    detail: String,
}

impl ValidationReport {
    fn new(found: &[Diagnostic], hidden: &Hidden<'_>) -> Self {
        let is_error = |one: &Diagnostic| one.severity == Severity::Error;
        let shown = found.iter().take(MAX_TEXTS).map(|one| ReportedDiagnostic {
            severity: if is_error(one) { "error" } else { "warning" },
            summary: hidden.relay(&one.summary),
            detail: hidden.relay(&one.detail),
        });
        Self {
            format_version: "1.0",
            valid: !found.iter().any(is_error),
            diagnostics: shown.collect(),
            left_out: found.len().checked_sub(MAX_TEXTS).filter(|more| *more > 0),
        }
    }
}
