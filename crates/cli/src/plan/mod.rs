//! `objchange plan --config` or `--type`: plans one change of one resource. Without them `plan` is of a module.

mod error;
mod json;
mod shown;
mod subject;
mod text;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use objchange::change::{
    PlanResourceChange, PlannedChange, PlannedResource, Provider, SimulatedProvider, plan_change,
};
use objchange::schema::{Block, ProviderSchemas, SchemaKind, UnknownPathKind};
use objchange::value::Path;
use objchange_module::TerraformData;

pub(crate) use self::error::{PlanError, most_similar};
pub(crate) use self::shown::show;
pub(crate) use self::subject::{Config, Subject, SubjectArgs, read_prior_text};
use self::subject::{check_path, part, read_written};

use crate::exit::CommandError;
use crate::input::{Size, Source};
use crate::schema_cache::Wanted;
use crate::schemas::{GivenSchemas, SchemaArgs};

/// How this form of `plan` is called among the commands.
pub(crate) const NAME: &str = "plan-resource";

/// The options that only this form has.
const OPTIONS: [&str; 8] = [
    "--address",
    "--base-dir",
    "--config",
    "--create-before-destroy",
    "--ignore-changes",
    "--planned",
    "--prior",
    "--type",
];

/// The arguments of the process, with the name of this form where `plan` has options of it.
pub(crate) fn choose_form(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let is_global = |argument: &&OsString| argument.to_str().is_some_and(is_global);
    let at = 1 + arguments.iter().skip(1).take_while(is_global).count();
    if arguments.get(at).is_none_or(|command| command != "plan") {
        return arguments;
    }
    let names_form = |argument: &OsString| {
        let name = argument.to_str().and_then(|text| text.split('=').next());
        name.is_some_and(|name| OPTIONS.contains(&name))
    };
    if arguments[at + 1..].iter().take_while(|argument| *argument != "--").any(names_form) {
        arguments[at] = NAME.into();
    }
    arguments
}

/// Whether an argument may stand before the command: `--color WHEN`.
fn is_global(argument: &str) -> bool {
    argument.starts_with("--color") || ["always", "auto", "never"].contains(&argument)
}

const AFTER_HELP: &str = "\
This form plans one resource. Without --config and --type a module is planned: see `objchange plan --help`.

Objects are JSON as in `terraform show -json`. In --config, --planned and a --prior that is an object, write \
{\"$unknown\":{}} for an unknown value and {\"$sensitive\":…} for a sensitive one.

A resource block comes from a configuration file (.tf, .tofu, .tf.json) or a module directory. `dynamic` blocks are \
expanded, and `ignore_changes`, `create_before_destroy` and `prevent_destroy` apply. Variables and local values of \
the module are used, and `each` and `count` if the address has a key. Other references are unknown and are listed. \
In a directory, override files are applied last, and `terraform.tfvars` and `*.auto.tfvars` are read. TF_VAR_… \
variables are not read.

By default a simulated provider plans: computed attributes without a value become unknown. `terraform_data` is \
planned as Terraform plans it.

The change is printed as `terraform plan` prints it. Without --address the resource is called `this`.

Exit codes:
  0  the change is planned
  1  the planned object breaks the contract between Terraform and its providers, or `prevent_destroy` forbids the change
  2  the input cannot be used, or the output cannot be written

Examples:
  objchange plan --schema schemas.json --type aws_instance \\
      --prior prior.json --config config.json
  terraform providers schema -json | objchange plan --schema - \\
      --type aws_instance --config config.json
  objchange plan --schema schemas.json --type aws_instance \\
      --prior terraform.tfstate --address aws_instance.web \\
      --config config.json --requires-replace ami
  objchange plan --schema schemas.json --prior terraform.tfstate \\
      --config 'main.tf:aws_instance.web' --var-file prod.tfvars";

/// Predict the change of one resource, and why it happens
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP, override_usage = "objchange plan --config <FILE|DIR> [OPTIONS]")]
pub(crate) struct Args {
    #[command(flatten)]
    schemas: SchemaArgs,

    /// The provider of the resource type, e.g. `hashicorp/aws`, if several have this type
    #[arg(long, value_name = "ADDRESS")]
    provider: Option<String>,

    #[command(flatten)]
    subject: SubjectArgs,

    /// Check this planned object instead of simulating a provider
    #[arg(long, value_name = "FILE")]
    planned: Option<PathBuf>,

    /// A path whose change requires replacement; can be repeated
    #[arg(long, value_name = "PATH", value_parser = part)]
    requires_replace: Vec<Path>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode, CommandError> {
    let config = Config::read(&args.subject)?;
    let (subject, plan) = planned(args, &config).map_err(|error| error.in_config(&config))?;
    Ok(show(&args.subject, &subject, &plan)?)
}

fn planned<'s>(args: &Args, config: &'s Config) -> Result<(Subject<'s>, PlannedChange), PlanError> {
    let planned_source = args.planned.as_deref().map(Source::new);
    let others: Vec<Source> = args.schemas.sources().chain(planned_source.clone()).collect();
    let subject = Subject::read(&args.subject, config, &others, |resource_type| schema(resource_type, args))?;
    let schema = &subject.request.schema;
    for path in &args.requires_replace {
        match check_path(schema, "--requires-replace", path) {
            // A provider may name an element of a set, which only a value tells.
            Err(PlanError::NoSuchPart { error, .. }) if error.kind == UnknownPathKind::NotAnElement => {}
            checked => checked?,
        }
    }
    let requires_replace = args.requires_replace.clone();
    let plan = match planned_source.map(|source| read_written(source, schema)).transpose()? {
        Some(planned) => {
            let mut answer = PlannedResource::new(planned);
            answer.requires_replace = requires_replace;
            let mut provider = |_: &PlanResourceChange| Ok(answer.clone());
            plan_change(&subject.request, &mut provider as &mut dyn Provider)?
        }
        None => {
            let mut simulated = SimulatedProvider { requires_replace };
            let mut terraform_data;
            let provider: &mut dyn Provider = if subject.resource_type == TerraformData::TYPE {
                terraform_data = TerraformData(simulated);
                &mut terraform_data
            } else {
                &mut simulated
            };
            plan_change(&subject.request, provider)?
        }
    };
    Ok((subject, plan))
}

/// The schemas that are given, or those in the cache that may have the type.
fn schemas(resource_type: &str, args: &Args) -> Result<GivenSchemas, PlanError> {
    let given = args.schemas.load(Size::MAX)?;
    if given.is_given() {
        return Ok(given);
    }
    let named = args.provider.as_deref().and_then(Wanted::named);
    let wanted = named.unwrap_or_else(|| Wanted::OfType(resource_type.to_owned()));
    let schemas = args.schemas.cache.choose([wanted], &args.subject.locked_versions()).schemas;
    if schemas.providers().next().is_none() {
        return Err(PlanError::NoSchemas);
    }
    Ok(GivenSchemas { name: "the cached schemas".to_owned(), schemas })
}

fn schema(name: &str, args: &Args) -> Result<Block, PlanError> {
    let GivenSchemas { name: input, schemas: document } = schemas(name, args)?;
    let owned = |providers: Vec<&str>| providers.into_iter().map(str::to_owned).collect();
    let wanted = |provider: &str| match &args.provider {
        // The host of the registry may be left out, as in configuration.
        Some(wanted) => provider == wanted || provider.ends_with(&format!("/{wanted}")),
        None => true,
    };
    let providers: Vec<&str> = document.providers().filter(|provider| wanted(provider)).collect();
    if let (Some(wanted), []) = (&args.provider, &providers[..]) {
        let providers = owned(document.providers().collect());
        return Err(PlanError::NoProvider { input, name: wanted.clone(), providers });
    }
    let has_it = |provider: &&str| document.names(provider, SchemaKind::Resource).any(|other| other == name);
    match *providers.iter().copied().filter(has_it).collect::<Vec<_>>() {
        [] => {
            let similar = similar(&document, &providers, name);
            Err(PlanError::NoType { input, name: name.to_owned(), similar })
        }
        [provider] => match document.get(provider, SchemaKind::Resource, name) {
            Ok(Some(schema)) => Ok(schema.block.clone()),
            Ok(None) => Err(PlanError::NoType { input, name: name.to_owned(), similar: Vec::new() }),
            Err(error) => Err(PlanError::Schemas { input, error }),
        },
        ref several => {
            let providers = owned(several.to_vec());
            Err(PlanError::ManyTypes { input, name: name.to_owned(), providers })
        }
    }
}

/// A few resource types whose names are most like the wanted one.
fn similar(document: &ProviderSchemas, providers: &[&str], name: &str) -> Vec<String> {
    most_similar(name, providers.iter().flat_map(|provider| document.names(provider, SchemaKind::Resource)))
}
